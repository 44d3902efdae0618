/* Training: scores of pairs for several edge weights, see amr_metrics.transport.edge_weights. */
#include <string.h>

#include "transport.h"

/* The last tree of a pair is used only if the exact method takes far fewer steps than the limit,
 * so that the limit concerns the same pairs whatever was scored before. */
static const int64_t STEPS = 1000;  /* times n m (n + m) */
static const int64_t TOGETHER = 64; /* pairs whose data fit into the processor's cache */

/* Pairs whose scores depend on nothing but the weights of roles:
 * amr_metrics.transport.edge_weights.WeightedPairs. */
typedef struct {
    const int64_t *node_start, *src, *tgt;
    const double *base;
    const int64_t *roles, *parameters;
    int64_t role_count, shared, depth, work;
    double *weights, *distances;
} WeightedPairs;

/* Read what the scores of some pairs need into the processor's cache, all at once.
 *
 * Training draws pairs at random, so that it is rarely there. This saves a fifth of the time.
 */
static void prefetch(const MessageTable *messages, const Grams *grams, const WeightedPairs *pairs,
                     const Bases *bases, const LastTrees *last, const int64_t *indices,
                     int64_t count)
{
    const int64_t line = 8; /* numbers of 64 bits in a line of the cache */
    for (int64_t k = 0; k < count; k++) {
        const int64_t p = indices[k], graphs[2] = {pairs->src[p], pairs->tgt[p]};
        int64_t nodes = 0;
        for (int64_t x = grams->cross_start[p]; x < grams->cross_start[p + 1]; x += line)
            __builtin_prefetch(grams->cross + x);
        for (int side = 0; side < 2; side++) {
            const int64_t g = graphs[side];
            nodes += pairs->node_start[g + 1] - pairs->node_start[g];
            for (int64_t x = grams->within_start[g]; x < grams->within_start[g + 1]; x += line)
                __builtin_prefetch(grams->within + x);
            for (int64_t x = messages->message_start[g]; x < messages->message_start[g + 1];
                 x += line) {
                __builtin_prefetch(messages->counts + x);
                __builtin_prefetch(messages->receivers + x);
                __builtin_prefetch(messages->senders + x);
            }
        }
        for (int64_t x = bases->start[p]; x < bases->start[p] + nodes; x += line) {
            __builtin_prefetch(last->parents + x);
            __builtin_prefetch(last->flows + x);
            __builtin_prefetch(last->order + x);
        }
    }
}

/* Compute the scores of some pairs for several values of the parameters, one set in each row;
 * infinity for pairs that reach the work limit. */
EXPORT void score_rows(int64_t rows, int64_t parameters, int64_t count,
                       const MessageTable *messages, const Grams *grams, const Scratch *scratch,
                       const Buffers *buffers, const WeightedPairs *pairs, const Bases *bases,
                       const LastTrees *last, const NodeValues *node_values,
                       const double values[rows][parameters], const int64_t indices[count],
                       double scores[rows][count])
{
    const int64_t *node_start = pairs->node_start, depth = pairs->depth, work = pairs->work;
    const double *squares = scratch->squares;
    double *weights = pairs->weights, *distances = pairs->distances;
    memcpy(weights, pairs->base, (size_t)pairs->role_count * sizeof *weights);
    for (int64_t first = 0; first < count; first += TOGETHER) {
        const int64_t end = min_int(first + TOGETHER, count);
        prefetch(messages, grams, pairs, bases, last, indices + first, end - first);
        for (int64_t row = 0; row < rows; row++) {
            for (int64_t k = 0; k < pairs->shared; k++)
                weights[pairs->roles[k]] = values[row][pairs->parameters[k]];
            for (int64_t k = first; k < end; k++) {
                const int64_t p = indices[k], g = pairs->src[p], h = pairs->tgt[p];
                const int64_t a = node_start[g], b = node_start[h];
                const int64_t n = node_start[g + 1] - a, m = node_start[h + 1] - b;
                if (n == 0 || m == 0) {
                    scores[row][k] = n == m;
                    continue;
                }
                embed(messages, node_start, g, grams, weights, depth, scratch, buffers);
                embed(messages, node_start, h, grams, weights, depth, scratch, buffers);
                set_inner_products(messages, g, h, n, m, grams, p, depth, scratch, buffers);
                double cost = NAN;
                if (n * m * (n + m) * STEPS < work)
                    cost = cost_from_last(n, m, buffers->products, squares + a, squares + b, last,
                                          bases->start[p], node_values);
                if (isnan(cost)) {
                    for (int64_t x = 0; x < n * m; x++)
                        distances[x] = 0.0;
                    add_unit_distances(buffers->products, n, m, squares + a, squares + b,
                                       distances);
                    cost = cost_from_basis(n, m, (const double(*)[m])distances, bases, last,
                                           bases->start[p], work);
                }
                scores[row][k] = 1 - cost;
            }
            for (int64_t k = first; k < end; k++) {
                const int64_t p = indices[k];
                scratch->embedded[pairs->src[p]] = scratch->embedded[pairs->tgt[p]] = false;
            }
        }
    }
}
