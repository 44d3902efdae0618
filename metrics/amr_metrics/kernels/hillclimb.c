/* Hill-climbing with restarts: amr_metrics.alignment.hillclimb. */
#include "alignment.h"

/* Map each row in turn to the free column with the largest unary weight, if one is positive. */
static void start_smart(Workspace *space)
{
    const int64_t m = space->m;
    for (int64_t j = 0; j < m; j++)
        space->columns[j].owner = -1;
    for (int64_t i = 0; i < space->n; i++) {
        Row *const row = &space->rows[i];
        space->work -= row->options;
        double largest = 0;
        int64_t best = -1;
        for (int64_t t = i * m; t < i * m + row->options; t++) {
            const int64_t j = space->options[t];
            if (space->pairs[i * m + j].unary > largest && space->columns[j].owner < 0) {
                largest = space->pairs[i * m + j].unary;
                best = j;
            }
        }
        row->partner = best;
        if (best >= 0)
            space->columns[best].owner = i;
    }
}

/* Map row i to column order[i], if that pair is allowed. */
static void start_at_random(const int64_t *order, Workspace *space)
{
    const int64_t m = space->m;
    for (int64_t i = 0; i < space->n; i++) {
        Row *const row = &space->rows[i];
        if (row->partner >= 0)
            space->pairs[i * m + row->partner].mapped = false;
        row->partner = space->pairs[i * m + order[i]].allowed ? order[i] : -1;
    }
}

/* Return the sum of the largest unary weight of each node and the largest match of each edge.
 *
 * Of the sums over the nodes of either side, the smaller one bounds the unary weights of a map.
 */
static double simple_bound(Workspace *space)
{
    Column *const columns = space->columns;
    const int64_t n = space->n, m = space->m;
    double by_row = 0, by_column = 0, by_edge = 0;
    for (int64_t j = 0; j < m; j++)
        columns[j].price = 0;
    for (int64_t i = 0; i < n; i++) {
        double largest = 0;
        for (int64_t j = 0; j < m; j++) {
            const double unary = space->pairs[i * m + j].unary;
            largest = max_double(largest, unary);
            columns[j].price = max_double(columns[j].price, unary);
        }
        by_row += largest;
    }
    for (int64_t j = 0; j < m; j++)
        by_column += columns[j].price;
    /* Matches are ordered by their edge of src, and a map uses at most one of each edge's. */
    int64_t edge = -1;
    double largest = 0;
    for (int64_t q = 0; q < space->n_matches; q++) {
        const int64_t of_match = space->groups[space->halves[2 * q].group].edge;
        if (of_match != edge) {
            edge = of_match;
            by_edge += largest;
            largest = 0;
        }
        largest = max_double(largest, space->weight[q]);
    }
    return min_double(by_row, by_column) + by_edge + largest;
}

/* Climb from each start of each problem of a batch, which takes `words` of memory.
 *
 * `work` is the largest number of steps for one problem; `orders` has a permutation of the columns
 * for each random start of each problem; `start` and the outputs are as in `AlignmentBatch`.
 */
EXPORT bool climb_problems(Solving *now, int64_t problems, int64_t nodes, int64_t words,
                           int64_t size, int64_t restarts, int64_t work, const ProblemBatch *batch,
                           const int64_t orders[size], const int64_t start[problems + 1],
                           double memory[words], int64_t mapping[nodes], double value[problems],
                           double bound[problems])
{
    Workspace *const space = &now->space;
    space->pause = space->work - now->pause.left;
    BEGIN(now);
    create_workspace(problems, batch, memory, space);
    for (; now->problem < problems; now->problem++) {
        load_problem(now->problem, batch, work, space);
        index_halves(space);
        for (now->restart = 0; now->restart <= restarts; now->restart++) {
            if (now->restart > 0) /* also of a start that is skipped: each has its part of `orders` */
                now->first += space->m;
            if (space->work <= 0 && space->best >= 0) /* one start is climbed in any case */
                continue;
            if (now->restart == 0)
                start_smart(space);
            else
                start_at_random(orders + now->first - space->m, space);
            AWAIT(now, climb(space));
            keep_better(space->climb.value, space);
        }
        const int64_t p = now->problem;
        value[p] = unload_map(mapping + start[p], space);
        bound[p] = max_double(value[p], simple_bound(space));
    }
    delete_workspace(space);
    END(now);
}
