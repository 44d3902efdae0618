/* Training: scores of pairs for given edge weights, and their correlation with ratings.
 *
 * See amr_metrics.transport.edge_weights and bamboo.training.steps.
 */
#include <string.h>

#include "transport.h"

/* The last tree of a pair is used only if the exact method takes far fewer steps than the limit,
 * so that the limit concerns the same pairs whatever was scored before. */
static const int64_t STEPS = 1000;  /* times n m (n + m) */
static const int64_t TOGETHER = 64; /* pairs whose data fit into the processor's cache */
static const double ROUNDING = 1e-13; /* see bamboo.statistics.ratings */

/* Pairs whose scores depend on nothing but the weights of roles, and all that scoring them needs:
 * amr_metrics.transport.edge_weights.WeightedPairs. */
typedef struct {
    MessageTable messages;
    Grams grams;
    Scratch scratch;
    Buffers buffers;
    Bases bases;
    LastTrees last;
    NodeValues node_values;
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
static void prefetch(const WeightedPairs *pairs, const int64_t *indices, int64_t count)
{
    const int64_t line = 8; /* numbers of 64 bits in a line of the cache */
    const MessageTable *messages = &pairs->messages;
    const Grams *grams = &pairs->grams;
    for (int64_t k = 0; k < count; k++) {
        const int64_t p = indices[k], at = pairs->bases.start[p];
        const int64_t graphs[2] = {pairs->src[p], pairs->tgt[p]};
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
        for (int64_t x = at; x < at + nodes; x += line) {
            __builtin_prefetch(pairs->last.parents + x);
            __builtin_prefetch(pairs->last.flows + x);
            __builtin_prefetch(pairs->last.order + x);
        }
    }
}

/* Compute the score of a pair with the weights of roles; infinity if it reaches the work limit. */
static bool score_pair(Transport *now, const WeightedPairs *pairs, int64_t p, double *score)
{
    const int64_t *node_start = pairs->node_start, work = pairs->work, at = pairs->bases.start[p];
    const int64_t g = pairs->src[p], h = pairs->tgt[p], a = node_start[g], b = node_start[h];
    const int64_t n = node_start[g + 1] - a, m = node_start[h + 1] - b;
    const double *a_squares = pairs->scratch.squares + a, *b_squares = pairs->scratch.squares + b;
    const double *products = pairs->buffers.products;
    double *distances = pairs->distances, cost;
    if (n == 0 || m == 0) {
        *score = n == m;
        return true;
    }
    BEGIN(&now->scoring);
    AWAIT(&now->scoring,
          multiply_embeddings(now, &pairs->messages, node_start, g, h, &pairs->grams, p,
                              pairs->weights, pairs->depth, &pairs->scratch, &pairs->buffers));
    cost = NAN;
    if (n * m * (n + m) * STEPS < work)
        cost = cost_from_last(n, m, products, a_squares, b_squares, &pairs->last, at,
                              &pairs->node_values);
    if (isnan(cost)) {
        for (int64_t x = 0; x < n * m; x++)
            distances[x] = 0.0;
        add_unit_distances(products, n, m, a_squares, b_squares, distances);
        AWAIT(&now->scoring, cost_from_basis(now, n, m, (const double(*)[m])distances,
                                             &pairs->bases, &pairs->last, at, work, &cost));
    }
    *score = 1 - cost;
    END(&now->scoring);
}

/* Compute the scores of some pairs for values of the parameters; infinity for pairs that reach the
 * work limit. */
EXPORT bool score_pairs(Transport *now, int64_t parameters, int64_t count,
                        const WeightedPairs *pairs, const double values[parameters],
                        const int64_t indices[count], double scores[count])
{
    BEGIN(now);
    memcpy(pairs->weights, pairs->base, (size_t)pairs->role_count * sizeof *pairs->weights);
    for (int64_t k = 0; k < pairs->shared; k++)
        pairs->weights[pairs->roles[k]] = values[pairs->parameters[k]];
    for (int64_t k = 0; k < count; k++) {
        const int64_t p = indices[k];
        pairs->scratch.embedded[pairs->src[p]] = pairs->scratch.embedded[pairs->tgt[p]] = false;
    }
    for (; now->pair < count; now->pair++) {
        if (now->pair % TOGETHER == 0)
            prefetch(pairs, indices + now->pair, min_int(TOGETHER, count - now->pair));
        AWAIT(now, score_pair(now, pairs, indices[now->pair], &scores[now->pair]));
    }
    END(now);
}

/* Return the sum of numbers, in the order in which NumPy adds them. */
static double sum(int64_t count, const double *values)
{
    if (count > 128) {
        const int64_t half = count / 2 - count / 2 % 8;
        return sum(half, values) + sum(count - half, values + half);
    }
    double total = 0.0;
    if (count < 8) {
        for (int64_t k = 0; k < count; k++)
            total += values[k];
        return total;
    }
    /* Every eighth number is added to one of 8 sums. */
    double parts[8];
    const int64_t end = count - count % 8;
    for (int k = 0; k < 8; k++)
        parts[k] = values[k];
    for (int64_t k = 8; k < end; k++)
        parts[k % 8] += values[k];
    total = ((parts[0] + parts[1]) + (parts[2] + parts[3]))
          + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
    for (int64_t k = end; k < count; k++)
        total += values[k];
    return total;
}

/* Return the inner product of two vectors, summed as by `sum`; `products` is memory. */
static double inner_product(int64_t count, const double *x, const double *y, double *products)
{
    for (int64_t k = 0; k < count; k++)
        products[k] = x[k] * y[k];
    return sum(count, products);
}

/* Compute the deviations from the mean of rescaled values; returns the sum of their squares.
 *
 * NaN for values that `pearson` takes to be constant, or that are not finite.
 */
static double deviate(int64_t count, const double *values, double *out, double *products)
{
    double largest = 0.0;
    for (int64_t k = 0; k < count; k++) {
        if (!isfinite(values[k]))
            return NAN;
        largest = max_float(largest, fabs(values[k]));
    }
    /* Scaling by a power of two is exact, and keeps squares from overflow and underflow. */
    int exponent;
    frexp(largest, &exponent);
    double low = INFINITY, high = -INFINITY;
    for (int64_t k = 0; k < count; k++) {
        out[k] = ldexp(values[k], -exponent);
        low = min_float(low, out[k]);
        high = max_float(high, out[k]);
    }
    if (!(high > low))
        return NAN;
    const double mean = sum(count, out) / (double)count;
    for (int64_t k = 0; k < count; k++)
        out[k] -= mean;
    const double squares = inner_product(count, out, out, products);
    return sqrt(squares / (double)count) > ROUNDING * max_float(-low, high) ? squares : NAN;
}

/* Return Pearson's correlation of scores and ratings; NaN if either is constant. Equal to
 * bamboo.statistics.ratings.pearson to the last bit. */
EXPORT double correlate(int64_t count, const double scores[count], const double ratings[count],
                        double memory[3][count])
{
    double *x = memory[0], *y = memory[1], *products = memory[2];
    const double xx = deviate(count, scores, x, products);
    const double yy = deviate(count, ratings, y, products);
    if (count < 2 || isnan(xx) || isnan(yy))
        return NAN;
    return max_float(min_float(inner_product(count, x, y, products) / sqrt(xx * yy), 1), -1);
}
