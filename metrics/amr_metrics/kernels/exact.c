/* Provably optimal alignment by Lagrangian bounds and, if these leave a gap, branch and bound:
 * amr_metrics.alignment.exact. */
#include <math.h>

#include "alignment.h"

static const double TOLERANCE = 1e-9;
static const double INTEGER_MARGIN = 1.0 - 1e-6;

static void forbid_pair(int64_t i, int64_t j, Workspace *space)
{
    const int64_t m = space->m;
    if (space->pairs[i * m + j].allowed) {
        int64_t t = i * m;
        while (space->options[t] != j)
            t++;
        space->work -= t - i * m;
        drop_option(i, t, space);
    }
}

/* Fix row i to column j: drop all other pairs of that row and column. */
static void fix_pair(int64_t i, int64_t j, Workspace *space)
{
    const int64_t m = space->m;
    space->rows[i].fixed = j;
    /* Backwards, because `drop_option` moves the last option to position t. */
    for (int64_t t = i * m + space->rows[i].options - 1; t >= i * m; t--)
        if (space->options[t] != j)
            drop_option(i, t, space);
    for (int64_t k = 0; k < space->n; k++)
        if (k != i)
            forbid_pair(k, j, space);
    space->work -= space->n;
}

/* Restore the pairs that were dropped last, until only `dropped` pairs are dropped. */
static void restore_pairs(int64_t dropped, Workspace *space)
{
    space->work -= space->n_dropped - dropped;
    while (space->n_dropped > dropped) {
        const int64_t pair = space->trail[--space->n_dropped];
        space->pairs[pair].allowed = true;
        space->rows[pair / space->m].options++;
    }
}

/* Search the problem in `space` by depth-first branch and bound.
 *
 * A sub-problem is a path of fixed pairs. When it is closed, its last pair is released and
 * forbidden, and the search goes on with the sub-problem above. Writes an upper bound of the maps
 * that are better than the best one found to `space->search`; -infinity if there are none.
 */
static bool search_tree(int64_t node_limit, int64_t root_rounds, int64_t node_rounds,
                        Workspace *space)
{
    Search *const now = &space->search;
    const int64_t m = space->m;
    BEGIN(now);
    /* path[:depth] are the pairs that are fixed now. A map that is better than the best one is in
     * one of these sub-problems, which have no map in common:
     *   - the current one: it has all pairs of the path; or
     *   - for a k < depth: it has the pairs path[:k], but not path[k], which is forbidden once the
     *     sub-problem below it is closed.
     * With depth 0, all that remains of the problem is the current sub-problem. Shares are never
     * restored: any split gives a bound, and the last one is a good start for the next one. */
    *now = (Search){.rounds = root_rounds, .bound = INFINITY};
    for (;;) {
        AWAIT(now, relax(now->rounds, space));
        const double node_bound = space->relaxation.bound;
        if (now->depth == 0) /* the whole problem, except for branches that are already closed */
            now->bound = min_double(now->bound, node_bound);
        int64_t branch = -1;
        if (node_bound >= space->best + space->margin) {
            if (now->nodes >= node_limit || space->work <= 0)
                break;
            branch = branching_pair(space);
        }
        if (branch >= 0) {
            /* Fix the pair first: the sub-problem that forbids it follows when this one is closed.
             * What `relax` has dropped here stays dropped in both; what is dropped from here on is
             * restored before the second one begins. */
            space->path[now->depth++] = (Step){branch, space->n_dropped, space->n_active};
            fix_pair(branch / m, branch % m, space);
        } else if (now->depth > 0) {
            /* Closed: the bound shows that it has no better map, or no row is left to branch on,
             * and `relax` has evaluated the one map that remains, or a better one. */
            const Step last = space->path[--now->depth];
            restore_pairs(last.dropped, space);
            space->n_active = last.active;
            space->rows[last.pair / m].fixed = -1;
            forbid_pair(last.pair / m, last.pair % m, space);
        } else {
            now->bound = -INFINITY;
            break;
        }
        drop_matches(INFINITY, space); /* those at pairs that were dropped just now */
        now->nodes++;
        now->rounds = node_rounds;
    }
    END(now);
}

/* Solve each problem of a batch, which takes `words` of memory.
 *
 * The limits and rounds are those of `Exact`; `start` and the outputs are as in `AlignmentBatch`.
 */
EXPORT bool solve_problems(Solving *now, int64_t problems, int64_t nodes, int64_t words, int64_t node_limit,
                           int64_t work_limit, int64_t root_rounds, int64_t node_rounds,
                           const ProblemBatch *batch, const int64_t start[problems + 1],
                           double memory[words], int64_t mapping[nodes], double value[problems],
                           double bound[problems])
{
    Workspace *const space = &now->space;
    space->pause = space->work - now->pause.left;
    BEGIN(now);
    create_workspace(problems, batch, memory, space);
    for (; now->problem < problems; now->problem++) {
        load_problem(now->problem, batch, work_limit, space);
        if (space->n == 0)
            continue;
        /* A better map of a problem with integer weights is worth at least best + 1, so that a
         * bound below this proves the best map optimal; a little less, because bounds are rounded
         * sums. */
        space->margin = space->integral ? INTEGER_MARGIN : TOLERANCE;
        AWAIT(now, search_tree(node_limit, root_rounds, node_rounds, space));
        const int64_t p = now->problem;
        const double upper = space->search.bound;
        value[p] = unload_map(mapping + start[p], space);
        /* With integer weights every map has an integer value: the bound may be rounded down. */
        bound[p] = max_double(value[p], space->integral ? floor(upper + TOLERANCE) : upper);
    }
    delete_workspace(space);
    END(now);
}
