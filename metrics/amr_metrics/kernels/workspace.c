/* The tables of the alignment solvers: loading a problem, and reading its best map. */
#include <math.h>
#include <stddef.h>

#include "alignment.h"

/* In `make fuzz`, words behind each table that must not be accessed. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define GAP 8
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#define GAP 0
#endif

/* Return where a table begins; all of them consist of whole words of 8 bytes.
 *
 * `words` is the number of words in front of it, and then of those up to its end.
 */
static void *place_table(double *memory, int64_t *words, int64_t length, size_t bytes)
{
    double *const table = memory == NULL ? NULL : memory + *words;
    *words += length * (int64_t)(bytes / sizeof *memory) + GAP;
    if (memory != NULL) {
        ASAN_POISON_MEMORY_REGION(memory + *words - GAP, GAP * sizeof *memory);
    }
    return table;
}

/* Place the tables of a workspace in memory, or count the words that this takes. */
static int64_t place_tables(int64_t problems, const ProblemBatch *batch, double *memory,
                            Workspace *space)
{
    /* The largest numbers of rows, columns, node pairs, matches and edges of tgt. */
    int64_t n = 0, m = 0, pairs = 0, matches = 0, edges = 0, words = 0;
    for (int64_t p = 0; p < problems; p++) {
        const int64_t src = batch->sizes[2 * p], tgt = batch->sizes[2 * p + 1];
        n = max_int(n, min_int(src, tgt));
        m = max_int(m, max_int(src, tgt));
        pairs = max_int(pairs, src * tgt);
        matches = max_int(matches, batch->match_start[p + 1] - batch->match_start[p]);
        edges = max_int(edges, batch->tgt_start[p + 1] - batch->tgt_start[p]);
    }
    space->rows = place_table(memory, &words, n, sizeof *space->rows);
    space->columns = place_table(memory, &words, m, sizeof *space->columns);
    space->pairs = place_table(memory, &words, pairs + 1, sizeof *space->pairs);
    space->halves = place_table(memory, &words, 2 * matches, sizeof *space->halves);
    space->groups = place_table(memory, &words, 2 * matches, sizeof *space->groups);
    space->path = place_table(memory, &words, n, sizeof *space->path);
    space->options = place_table(memory, &words, pairs, sizeof *space->options);
    space->trail = place_table(memory, &words, pairs, sizeof *space->trail);
    space->active = place_table(memory, &words, matches, sizeof *space->active);
    space->weight = place_table(memory, &words, matches, sizeof *space->weight);
    space->incident = place_table(memory, &words, 2 * matches, sizeof *space->incident);
    space->queue = place_table(memory, &words, m, sizeof *space->queue);
    space->twins = place_table(memory, &words, edges, sizeof *space->twins);
    space->latest = place_table(memory, &words, edges, sizeof *space->latest);
    space->leaving = place_table(memory, &words, m, sizeof *space->leaving);
    space->entering = place_table(memory, &words, m, sizeof *space->entering);
    return words;
}

/* Return the number of words of memory that the problems of a batch need. */
EXPORT int64_t count_workspace(int64_t problems, const ProblemBatch *batch)
{
    Workspace space;
    return place_tables(problems, batch, NULL, &space);
}

/* Place the tables for the problems of a batch in the memory that they need. */
void create_workspace(int64_t problems, const ProblemBatch *batch, double *memory,
                      Workspace *space)
{
    space->memory = memory;
    space->words = place_tables(problems, batch, memory, space);
}

/* Give back the memory. */
void delete_workspace(Workspace *space)
{
    (void)space;
    ASAN_UNPOISON_MEMORY_REGION(space->memory, (size_t)space->words * sizeof *space->memory);
}

/* Fill in the pairs; returns whether their weights are integers. */
static bool load_unary(int64_t p, const ProblemBatch *batch, Workspace *space)
{
    NodePair *const pairs = space->pairs;
    const int64_t n = space->n, m = space->m;
    const double *const unary = batch->unary + batch->unary_start[p];
    bool integral = true;
    for (int64_t i = 0, pair = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++, pair++) {
            const double weight = unary[space->swapped ? j * n + i : pair];
            integral = integral && weight == floor(weight);
            pairs[pair].unary = weight;
            pairs[pair].allowed = weight > 0;
            pairs[pair].mapped = false;
            pairs[pair].group = -1;
        }
    }
    return integral;
}

/* Fill in `twins`, and `latest` with -1; returns whether the tgt graph has parallel edges. */
static bool find_twins(int64_t p, const ProblemBatch *batch, Workspace *space)
{
    const int32_t(*const edges)[2]
        = (const int32_t(*)[2])batch->tgt_edges + batch->tgt_start[p];
    const int64_t count = batch->tgt_start[p + 1] - batch->tgt_start[p];
    const int64_t nodes = batch->sizes[2 * p + 1];
    int64_t *const leaving = space->leaving, *const entering = space->entering;
    int64_t *const following = space->latest;
    for (int64_t v = 0; v < nodes; v++)
        leaving[v] = entering[v] = -1;
    for (int64_t b = count - 1; b >= 0; b--) { /* so that chains ascend */
        following[b] = leaving[edges[b][0]];
        leaving[edges[b][0]] = b;
    }
    bool parallel = false;
    for (int64_t v = 0; v < nodes; v++) {
        for (int64_t b = leaving[v], next; b >= 0; b = next) {
            next = following[b];
            space->latest[b] = -1;
            /* entering[t] is the first edge from v to t, or an edge from a node before v. */
            int64_t *const first = &entering[edges[b][1]];
            if (*first >= 0 && edges[*first][0] == v)
                parallel = true;
            else
                *first = b;
            space->twins[b] = *first;
        }
    }
    return parallel;
}

/* Add the last match to match q, which touches the same pairs. */
static void merge_matches(int64_t q, int64_t last, Workspace *space)
{
    space->weight[q] += space->weight[last];
    space->halves[2 * q].share += space->halves[2 * last].share;
    space->halves[2 * q + 1].share += space->halves[2 * last + 1].share;
}

/* Fill in the matches; returns whether their weights are integers.
 *
 * The matches of one edge of the src graph at one pair form a group; a map uses at most one match
 * of a group. For this, matches of one edge that touch the same two pairs (of parallel edges) are
 * merged. A match of two self-loops touches only one pair and is added to its unary weight; a
 * self-loop cannot be mapped onto an edge between two nodes.
 */
static bool load_matches(int64_t p, const ProblemBatch *batch, Workspace *space)
{
    NodePair *const pairs = space->pairs;
    Half *const halves = space->halves;
    Group *const groups = space->groups;
    int64_t *const twins = space->twins, *const latest = space->latest;
    int64_t *const incident = space->incident;
    const int64_t m = space->m;
    bool integral = true;
    int64_t matches = 0, n_groups = 0;
    int64_t edge = -1, edge_first = 0;       /* the current edge of src, and its first match */
    bool searched = false, parallel = false; /* whether parallel edges were searched for, found */
    for (int64_t q = batch->match_start[p]; q < batch->match_start[p + 1]; q++) {
        const double weight = batch->weights[q];
        if (weight == 0)
            continue;
        integral = integral && weight == floor(weight);
        const int64_t a = batch->src_start[p] + batch->matches[2 * q];
        const int64_t b = batch->tgt_start[p] + batch->matches[2 * q + 1];
        const int64_t i = batch->src_edges[2 * a], k = batch->src_edges[2 * a + 1];
        const int64_t j = batch->tgt_edges[2 * b], l = batch->tgt_edges[2 * b + 1];
        const int64_t source = space->swapped ? j * m + i : i * m + j;
        const int64_t target = space->swapped ? l * m + k : k * m + l;
        if (i == k || j == l) {
            if (source == target) {
                pairs[source].unary += weight;
                pairs[source].allowed = true;
            }
            continue;
        }
        if (a != edge) {
            edge = a;
            edge_first = matches;
        }
        const int64_t groups_before = n_groups;
        for (int64_t side = 0; side < 2; side++) {
            const int64_t pair = side ? target : source;
            /* Matches are ordered by their src edge, so that this edge has a group at the pair only
             * if the pair's last group is of this edge. */
            int64_t group = pairs[pair].group;
            if (group < 0 || groups[group].edge != a) {
                group = pairs[pair].group = n_groups++;
                groups[group].edge = a;
                pairs[pair].allowed = true;
            }
            halves[2 * matches + side] = (Half){0.5 * weight, pair, group};
        }
        space->weight[matches] = weight;
        space->active[matches] = matches;
        /* Until `index_halves` fills it, `incident` holds the tgt edge of each match. */
        incident[matches] = b - batch->tgt_start[p];
        /* Two matches of one src edge that touch the same pairs are in the same two groups.
         * Parallel edges are rare, so they are searched for only after a match without a new group.
         * */
        if (groups_before == n_groups) {
            if (!searched) {
                searched = true;
                parallel = find_twins(p, batch, space);
                if (parallel)
                    for (int64_t before = edge_first; before < matches; before++)
                        latest[twins[incident[before]]] = before;
            }
            if (parallel) {
                const int64_t twin_match = latest[twins[incident[matches]]];
                if (twin_match >= edge_first) { /* otherwise it is of a former src edge */
                    merge_matches(twin_match, matches, space);
                    continue;
                }
            }
        }
        if (parallel)
            latest[twins[incident[matches]]] = matches;
        matches++;
    }
    space->n_matches = space->n_active = matches;
    return integral;
}

/* Load problem p of a batch, for at most `work` steps. Only pairs with a weight or a match are
 * allowed. */
void load_problem(int64_t p, const ProblemBatch *batch, int64_t work, Workspace *space)
{
    const int64_t src = batch->sizes[2 * p], tgt = batch->sizes[2 * p + 1];
    /* The smaller side gives the rows, because `assign` searches a shortest path for each row. */
    space->swapped = src > tgt;
    const int64_t n = space->n = min_int(src, tgt), m = space->m = max_int(src, tgt);
    /* Below the value of any map: the first one is kept, even if it is worth 0. */
    space->best = -1;
    space->n_dropped = 0;
    space->indexed = false;
    const bool integral_unary = load_unary(p, batch, space);
    const bool integral_weights = load_matches(p, batch, space);
    space->integral = integral_unary && integral_weights;
    for (int64_t i = 0; i < n; i++) {
        int64_t options = 0;
        for (int64_t j = 0; j < m; j++) { /* options <= j; without branches, which none predicts */
            space->options[i * m + options] = j;
            options += space->pairs[i * m + j].allowed;
        }
        Row *const row = &space->rows[i];
        row->options = options;
        row->partner = row->best = row->fixed = -1;
    }
    for (int64_t j = 0; j < m; j++)
        space->columns[j].distance = INFINITY;
    space->pause += work - space->work; /* as many steps as before are left until the pause */
    space->work = work - n * m - space->n_matches;
}

/* Map the nodes of a pair onto each other. */
static void map_pair(int64_t pair, int64_t *mapping, const Workspace *space)
{
    const int64_t i = pair / space->m, j = pair % space->m;
    if (space->swapped)
        mapping[j] = i;
    else
        mapping[i] = j;
}

/* Write the best map to `mapping`, without the pairs that add nothing to its value.
 *
 * Returns the map's value.
 */
double unload_map(int64_t *mapping, const Workspace *space)
{
    const Row *const rows = space->rows;
    NodePair *const pairs = space->pairs;
    const int64_t n = space->n, m = space->m;
    for (int64_t i = 0; i < n; i++)
        if (rows[i].partner >= 0)
            pairs[i * m + rows[i].partner].mapped = false;
    for (int64_t i = 0; i < n; i++)
        if (rows[i].best >= 0)
            pairs[i * m + rows[i].best].mapped = true;
    /* All matches count here, also those that were dropped as useless for a better map. */
    double value = 0;
    for (int64_t q = 0; q < space->n_matches; q++) {
        const int64_t a = space->halves[2 * q].pair, b = space->halves[2 * q + 1].pair;
        if (pairs[a].mapped && pairs[b].mapped) {
            value += space->weight[q];
            map_pair(a, mapping, space);
            map_pair(b, mapping, space);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t pair = i * m + rows[i].best;
        if (rows[i].best >= 0 && pairs[pair].unary > 0) {
            value += pairs[pair].unary;
            map_pair(pair, mapping, space);
        }
    }
    return value;
}

/* Fill `incident`, unless this problem's halves are already in it. */
void index_halves(Workspace *space)
{
    NodePair *const pairs = space->pairs;
    const Half *const halves = space->halves;
    const int64_t n_pairs = space->n * space->m;
    if (space->indexed)
        return;
    space->indexed = true;
    for (int64_t pair = 0; pair < n_pairs; pair++)
        pairs[pair].first = 0;
    for (int64_t h = 0; h < 2 * space->n_matches; h++)
        pairs[halves[h].pair].first++;
    /* A counting sort: `first` is where a pair's halves end, and moves to their start as the next
     * loop writes them from the back. So the halves of each pair are in descending order. */
    int64_t last = 0;
    for (int64_t pair = 0; pair < n_pairs; pair++)
        pairs[pair].first = last += pairs[pair].first;
    pairs[n_pairs].first = last;
    for (int64_t h = 0; h < 2 * space->n_matches; h++)
        space->incident[--pairs[halves[h].pair].first] = h;
}
