/* Facts of graphs, and the matches of facts with equal labels: amr_metrics.alignment.facts. */
#include "kernels.h"

/* Move the distinct rows of each group to the front, in place.
 *
 * Rows have 2 or 3 columns. If they are counted, the weights of repeated rows are added to that of
 * the first. The table has room for the largest group. Returns the number of rows kept.
 */
EXPORT int64_t drop_repeats(int64_t groups, int64_t size, int64_t width, int64_t slots,
                            bool counted, int64_t start[groups + 1], int32_t rows[size][width],
                            double weights[size], int64_t memory[3 * slots])
{
    /* rows[:kept] are the distinct rows of the groups so far. kept <= r throughout: a row is
     * written to a place that has been read before. `start` is overwritten likewise, behind the
     * loop. */
    Numbering numbers = create_numbering(slots, memory);
    int64_t kept = 0, last = 0;
    for (int64_t g = 0; g < groups; g++) {
        const int64_t first = last, before = kept;
        last = start[g + 1];
        start[g] = kept;
        clear_numbering(&numbers);
        for (int64_t r = first; r < last; r++) {
            const int32_t *row = rows[r];
            /* The distinct rows of the group are numbered in the order in which they are kept. */
            const int64_t k = before + number(&numbers, row[0], row[1], width > 2 ? row[2] : 0);
            if (k < kept) {
                if (counted)
                    weights[k] += weights[r];
                continue;
            }
            for (int64_t c = 0; c < width; c++)
                rows[kept][c] = row[c];
            weights[kept++] = weights[r];
        }
    }
    start[groups] = kept;
    return kept;
}

/* Link the facts of a graph with equal labels in chains: where each label's chain starts, and where
 * in `b` each fact's chain continues; -1 for nowhere. The last column of rows is the label. */
static void link_graph(int64_t first, int64_t last, int64_t width, const int32_t *rows,
                       int64_t *head, int64_t *following)
{
    for (int64_t b = last - 1; b >= first; b--) { /* so that chains ascend */
        const int64_t label = rows[b * width + width - 1];
        following[b] = head[label];
        head[label] = b;
    }
}

/* Return the weight of a match. */
static double weigh_match(bool counted, double a, double b)
{
    if (counted)
        return a * b;
    return a < b ? a : b;
}

/* Sum the weights of the matches of facts about one node, for each pair of nodes.
 *
 * Labels are below `labels`. The pair of nodes (i, j) of graph g is unary[unary_start[g] + i *
 * columns[g] + j]. The outputs are `following`, as in `link_labels`, and `unary`.
 */
EXPORT void weigh_node_pairs(int64_t graphs, int64_t a_size, int64_t b_size, int64_t labels,
                             int64_t pairs, bool counted, const int64_t a_start[graphs + 1],
                             const int32_t a_rows[a_size][2], const double a_weights[a_size],
                             const int64_t b_start[graphs + 1], const int32_t b_rows[b_size][2],
                             const double b_weights[b_size], const int64_t columns[graphs],
                             const int64_t unary_start[graphs + 1], int64_t head[labels],
                             int64_t following[b_size], double unary[pairs])
{
    for (int64_t label = 0; label < labels; label++)
        head[label] = -1;
    for (int64_t pair = 0; pair < pairs; pair++)
        unary[pair] = 0;
    for (int64_t g = 0; g < graphs; g++) {
        double *const weights = unary + unary_start[g];
        link_graph(b_start[g], b_start[g + 1], 2, &b_rows[0][0], head, following);
        for (int64_t a = a_start[g]; a < a_start[g + 1]; a++)
            for (int64_t b = head[a_rows[a][1]]; b >= 0; b = following[b])
                weights[a_rows[a][0] * columns[g] + b_rows[b][0]]
                    += weigh_match(counted, a_weights[a], b_weights[b]);
        for (int64_t b = b_start[g]; b < b_start[g + 1]; b++) /* only what this graph changed */
            head[b_rows[b][1]] = -1;
    }
}

/* Link the facts of `b` with equal labels in each graph in chains, and count the matches.
 *
 * The last column of rows is the label, below `labels`. The outputs are: where in `b` the chain of
 * each fact of `a` starts, or -1; where in `b` each fact's chain continues, or -1; and where each
 * graph's matches start.
 */
EXPORT void link_labels(int64_t graphs, int64_t width, int64_t a_size, int64_t b_size,
                        int64_t labels, const int64_t a_start[graphs + 1],
                        const int32_t a_rows[a_size][width], const int64_t b_start[graphs + 1],
                        const int32_t b_rows[b_size][width], int64_t memory[2][labels],
                        int64_t heads[a_size], int64_t following[b_size],
                        int64_t start[graphs + 1])
{
    /* In a graph with the labels a = 7 4 and b = 4 7 4 4:
     *     head       4: 0   7: 1      where the chain of each label starts
     *     following  2 -1 3 -1        positions 0, 2 and 3 of b are one chain
     *     heads      1 0              where the chain of each row of a starts
     * and the number of matches is 1 + 3. This takes time in proportion to the facts and matches,
     * and no sorting. */
    int64_t *const head = memory[0], *const length = memory[1];
    for (int64_t label = 0; label < labels; label++) {
        head[label] = -1;
        length[label] = 0;
    }
    start[0] = 0;
    for (int64_t g = 0; g < graphs; g++) {
        link_graph(b_start[g], b_start[g + 1], width, &b_rows[0][0], head, following);
        for (int64_t b = b_start[g]; b < b_start[g + 1]; b++)
            length[b_rows[b][width - 1]]++;
        int64_t matches = start[g];
        for (int64_t a = a_start[g]; a < a_start[g + 1]; a++) {
            const int64_t label = a_rows[a][width - 1];
            heads[a] = head[label];
            matches += length[label];
        }
        start[g + 1] = matches;
        for (int64_t b = b_start[g]; b < b_start[g + 1]; b++) { /* only what this graph changed */
            const int64_t label = b_rows[b][width - 1];
            head[label] = -1;
            length[label] = 0;
        }
    }
}

/* List the matches, each fact of `a` with the members of its chain, and their weights. Positions of
 * facts count from the first one of their graph. */
EXPORT void list_matches(int64_t graphs, int64_t a_size, int64_t b_size, int64_t n_matches,
                         bool counted, const int64_t a_start[graphs + 1],
                         const double a_weights[a_size], const int64_t b_start[graphs + 1],
                         const double b_weights[b_size], const int64_t heads[a_size],
                         const int64_t following[b_size], int32_t matches[n_matches][2],
                         double weights[n_matches])
{
    int64_t q = 0;
    for (int64_t g = 0; g < graphs; g++) {
        for (int64_t a = a_start[g]; a < a_start[g + 1]; a++) {
            for (int64_t b = heads[a]; b >= 0; b = following[b]) {
                matches[q][0] = (int32_t)(a - a_start[g]);
                matches[q][1] = (int32_t)(b - b_start[g]);
                weights[q++] = weigh_match(counted, a_weights[a], b_weights[b]);
            }
        }
    }
}
