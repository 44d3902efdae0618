/* The tables that the alignment solvers work on; amr_metrics.alignment.problem defines the problem.
 *
 * Rows are the nodes of the graph with fewer of them, columns those of the other, and the node pair
 * (i, j) of an n x m problem has the number i * m + j. A match of two edges adds its weight if both
 * node pairs it touches are mapped. Match q has two halves: 2 * q at the pair of the edges' sources
 * and 2 * q + 1 at the pair of their targets, so that h ^ 1 is the other half of h.
 *
 * An example: src has the edge 0 -> 1, tgt the edges 0 -> 1 and 0 -> 2, all with the same role.
 * With n = 2 and m = 3, the pairs are numbered 3 i + j. Match 0 is (0 -> 1, 0 -> 1), match 1 is (0
 * -> 1, 0 -> 2), each with weight 1:
 *
 *     half       0      1      2      3        0 and 1 belong to match 0, 2 and 3 to match 1
 *     pair       0      4      0      5        (0, 0)  (1, 1)  (0, 0)  (1, 2)
 *     group      0      1      0      2        pair 0 has one group: only one half of it can count
 *     share      1/2    1/2    1/2    1/2      1/2 + 1/2 = the weight of the match
 *
 *     incident   2  0 | | | |  1 | 3           the halves of pair 0, of pairs 1 to 3, of 4, of 5
 *     first      0      2 2 2  2   3   4       of pairs 0 to 6: where each pair's part starts
 *
 * Options are the columns that a row may still be mapped to. All pairs of another 2 x 3 problem are
 * allowed at first; then the pair (0, 0) is dropped:
 *
 *     options    0 1 2 | 0 1 2       row.options  3, 3      trail
 *     options    2 1 0 | 0 1 2       row.options  2, 3      trail  0
 *
 * A dropped column changes places with the last option, so that the options stay the first ones.
 */
#ifndef ALIGNMENT_H
#define ALIGNMENT_H

#include "kernels.h"
#include "pause.h"

static inline double min_double(double a, double b) { return a < b ? a : b; }
static inline double max_double(double a, double b) { return a > b ? a : b; }

/* Many problems in flat arrays: amr_metrics.alignment.workspace.ProblemBatch. */
typedef struct {
    const int64_t *sizes;
    const double *unary;
    const int64_t *unary_start;
    const int32_t *src_edges;
    const int64_t *src_start;
    const int32_t *tgt_edges;
    const int64_t *tgt_start;
    const int32_t *matches;
    const double *weights;
    const int64_t *match_start;
} ProblemBatch;

typedef struct {
    double price;
    int64_t partner;       /* the column it is mapped to, or -1 */
    int64_t best;          /* its partner in the best map so far */
    int64_t fixed;         /* the column it must be mapped to in this sub-problem, or -1 */
    int64_t options;       /* the number of columns it may be mapped to */
    int64_t disagreements; /* the number of disagreeing matches at it */
} Row;

typedef struct {
    double price;
    double distance; /* of the shortest path to it, infinite outside a search */
    int64_t owner;   /* the row mapped to it, or -1 */
    int64_t before;  /* the row before it on that path */
} Column;

typedef struct {
    double unary;
    double profit;  /* its weight in the assignment problem */
    double slack;   /* its reduced cost: how far the bound falls if it is mapped */
    double support; /* what it adds, or would add, to the current map */
    int64_t group;  /* the last group created at it */
    int64_t first;  /* where its halves start in `incident` */
    bool allowed;   /* whether a better map may use it */
    bool mapped;    /* whether it is in the current map */
} NodePair;

typedef struct {
    double share; /* of the match's weight, which is the sum of both halves' shares */
    int64_t pair, group;
} Half;

typedef struct {
    double top;     /* the largest share in it */
    int64_t choice; /* the half with that share, or -1 */
    int64_t edge;
} Group;

typedef struct {
    int64_t pair;            /* fixed in this step of a search */
    int64_t dropped, active; /* numbers of dropped pairs and of active matches before it */
} Step;

/* What functions keep while they pause. */
typedef struct {
    int64_t line, row;
} Assignment;

typedef struct {
    int64_t line, row, rows_without_gain;
    double value;
} Climb;

typedef struct {
    int64_t line, round, stale;
    double bound, step;
} Relaxation;

typedef struct {
    int64_t line, rounds, depth, nodes;
    double bound;
} Search;

/* Tables large enough for any problem of a batch, and the state of the problem that is loaded. */
typedef struct {
    Row *rows;
    Column *columns;
    NodePair *pairs; /* one more than needed, so that each pair's halves end where the next start */
    Half *halves;
    Group *groups;
    Step *path;        /* the steps of a search, at most one per row */
    int64_t *options;  /* row i may be mapped to options[i * m : i * m + rows[i].options]; its
                        * dropped columns come after them */
    int64_t *trail;    /* the dropped pairs, in the order in which they were dropped */
    int64_t *active;   /* all matches, the active ones first */
    double *weight;    /* of each match */
    int64_t *incident; /* the halves at each pair, pair after pair */
    int64_t *queue;    /* columns that `assign` has reached; one entry per column */
    int64_t *twins;    /* for each edge of the tgt graph, the first one with the same ends */
    int64_t *latest;   /* for each of these first ones, the last match with it or a twin of it */
    int64_t *leaving;  /* the first edge from each node of the tgt graph, in `find_twins` */
    int64_t *entering; /* and one of the edges to it */

    int64_t n, m;
    bool swapped;  /* rows are the nodes of tgt */
    bool integral; /* all weights are integers */
    bool indexed;  /* `index_halves` has filled `incident` */
    double best;   /* the value of the best map so far */
    double margin; /* a map is better if worth at least this much more */
    int64_t n_matches;
    int64_t n_active;  /* the number of matches that a better map may use */
    int64_t n_dropped; /* the number of node pairs dropped, because no better map uses them */
    int64_t work;      /* elementary steps left */
    int64_t pause;     /* how many of them are left when the kernel pauses */
    Assignment assignment;
    Climb climb;
    Relaxation relaxation;
    Search search;

    double *memory; /* that the tables are in */
    int64_t words;  /* its size */
} Workspace;

/* The state of a solver. */
typedef struct {
    Pause pause;
    int64_t line, problem;
    int64_t restart, first; /* of the hill-climber: where the columns of the next order start */
    Workspace space;
} Solving;
FITS(Solving);

/* workspace.c */
void create_workspace(int64_t problems, const ProblemBatch *batch, double *memory,
                      Workspace *space);
void delete_workspace(Workspace *space);
void load_problem(int64_t p, const ProblemBatch *batch, int64_t work, Workspace *space);
void index_halves(Workspace *space);
double unload_map(int64_t *mapping, const Workspace *space);

/* assignment.c */
bool assign(Workspace *space, double *total);

/* climb.c */
bool climb(Workspace *space);

/* relaxation.c */
void drop_option(int64_t i, int64_t t, Workspace *space);
void keep_better(double value, Workspace *space);
bool relax(int64_t rounds, Workspace *space);
void drop_matches(double slack, Workspace *space);
int64_t branching_pair(Workspace *space);

#endif
