/* Training: scores of pairs for several edge weights, and the steps of SPSA with them.
 *
 * See amr_metrics.transport.edge_weights, bamboo.training.spsa and bamboo.training.steps.
 */
#include <string.h>

#include "transport.h"

/* The last tree of a pair is used only if the exact method takes far fewer steps than the limit,
 * so that the limit concerns the same pairs whatever was scored before. */
static const int64_t STEPS = 1000;  /* times n m (n + m) */
static const int64_t TOGETHER = 64; /* pairs whose data fit into the processor's cache */
static const double ROUNDING = 1e-13; /* see bamboo.statistics.ratings */

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

/* Compute the score of a pair with the weights of roles; infinity if it reaches the work limit. */
static bool score_pair(Transport *now, int64_t p, const MessageTable *messages, const Grams *grams,
                       const Scratch *scratch, const Buffers *buffers, const WeightedPairs *pairs,
                       const Bases *bases, const LastTrees *last, const NodeValues *node_values,
                       double *score)
{
    const int64_t *node_start = pairs->node_start, work = pairs->work, at = bases->start[p];
    const int64_t g = pairs->src[p], h = pairs->tgt[p], a = node_start[g], b = node_start[h];
    const int64_t n = node_start[g + 1] - a, m = node_start[h + 1] - b;
    const double *a_squares = scratch->squares + a, *b_squares = scratch->squares + b;
    double *distances = pairs->distances, cost;
    if (n == 0 || m == 0) {
        *score = n == m;
        return true;
    }
    BEGIN(&now->scoring);
    AWAIT(&now->scoring, multiply_embeddings(now, messages, node_start, g, h, grams, p,
                                             pairs->weights, pairs->depth, scratch, buffers));
    cost = NAN;
    if (n * m * (n + m) * STEPS < work)
        cost = cost_from_last(n, m, buffers->products, a_squares, b_squares, last, at,
                              node_values);
    if (isnan(cost)) {
        for (int64_t x = 0; x < n * m; x++)
            distances[x] = 0.0;
        add_unit_distances(buffers->products, n, m, a_squares, b_squares, distances);
        AWAIT(&now->scoring, cost_from_basis(now, n, m, (const double(*)[m])distances, bases, last,
                                             at, work, &cost));
    }
    *score = 1 - cost;
    END(&now->scoring);
}

/* Compute the scores of some pairs for several values of the parameters, one set in each row;
 * infinity for pairs that reach the work limit. */
EXPORT bool score_rows(Transport *now, int64_t rows, int64_t parameters, int64_t count,
                       const MessageTable *messages, const Grams *grams, const Scratch *scratch,
                       const Buffers *buffers, const WeightedPairs *pairs, const Bases *bases,
                       const LastTrees *last, const NodeValues *node_values,
                       const double values[rows][parameters], const int64_t indices[count],
                       double scores[rows][count])
{
    Batch *const at = &now->batch;
    double *weights = pairs->weights;
    BEGIN(at);
    memcpy(weights, pairs->base, (size_t)pairs->role_count * sizeof *weights);
    for (at->first = 0; at->first < count; at->first += TOGETHER) {
        at->end = min_int(at->first + TOGETHER, count);
        prefetch(messages, grams, pairs, bases, last, indices + at->first, at->end - at->first);
        for (at->row = 0; at->row < rows; at->row++) {
            for (int64_t k = 0; k < pairs->shared; k++)
                weights[pairs->roles[k]] = values[at->row][pairs->parameters[k]];
            for (int64_t k = at->first; k < at->end; k++) {
                const int64_t p = indices[k];
                scratch->embedded[pairs->src[p]] = scratch->embedded[pairs->tgt[p]] = false;
            }
            for (at->index = at->first; at->index < at->end; at->index++)
                AWAIT(at, score_pair(now, indices[at->index], messages, grams, scratch, buffers,
                                     pairs, bases, last, node_values,
                                     &scores[at->row][at->index]));
        }
    }
    END(at);
}

/* Return the sum of numbers in the order in which NumPy adds up to 128 of them. */
static double sum_few(int64_t count, const double *values)
{
    double total = 0.0;
    if (count < 8) {
        for (int64_t k = 0; k < count; k++)
            total += values[k];
        return total;
    }
    /* NumPy's pairwise sum adds every eighth number to one of 8 sums. */
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

/* Return the inner product of two vectors, summed as by `sum_few`; `products` is memory. */
static double inner_product(int64_t count, const double *x, const double *y, double *products)
{
    for (int64_t k = 0; k < count; k++)
        products[k] = x[k] * y[k];
    return sum_few(count, products);
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
    const double mean = sum_few(count, out) / (double)count;
    for (int64_t k = 0; k < count; k++)
        out[k] -= mean;
    const double squares = inner_product(count, out, out, products);
    return sqrt(squares / (double)count) > ROUNDING * max_float(-low, high) ? squares : NAN;
}

static double clamp(double value, double lower, double upper)
{
    return min_float(max_float(value, lower), upper);
}

/* Compute Pearson's correlation of each row of scores with the ratings, of at most 128 pairs: NaN
 * if either is constant. Equal to bamboo.statistics.ratings.pearson to the last bit. */
EXPORT void correlate_rows(int64_t rows, int64_t count, const double scores[rows][count],
                           const double ratings[count], double memory[3][count],
                           double correlations[rows])
{
    double *x = memory[0], *y = memory[1], *products = memory[2];
    const double yy = deviate(count, ratings, y, products);
    for (int64_t row = 0; row < rows; row++) {
        correlations[row] = NAN;
        if (count < 2 || isnan(yy))
            continue;
        const double xx = deviate(count, scores[row], x, products);
        if (!isnan(xx))
            correlations[row] = clamp(inner_product(count, x, y, products) / sqrt(xx * yy), -1, 1);
    }
}

/* Compute the values after a step against the slopes `difference / distances`.
 *
 * `usage`, if not empty, scales the slopes by each parameter's share.
 */
EXPORT void move_values(int64_t count, int64_t used, const double values[count], double difference,
                        const double distances[count], const double usage[used], double rate,
                        double clip, double moved[count])
{
    /* Spall (1998): one difference of the loss, with all parameters changed at once, estimates the
     * slopes of all parameters. */
    double total = 0.0;
    for (int64_t k = 0; k < used; k++)
        total += usage[k];
    for (int64_t k = 0; k < count; k++) {
        double slope = difference / distances[k];
        if (used)
            slope = slope * usage[k] / total;
        slope = slope > clip ? clip : slope < -clip ? -clip : slope;
        moved[k] = values[k] - rate * slope;
    }
}

/* Take steps of SPSA with the scores of `score_rows`; see bamboo.training.spsa.SPSA.step.
 *
 * `counts` has how often each pair uses each parameter, `drawn` the batches, `changes` the
 * perturbations, `lengths` the step lengths. The values and losses after each step are written,
 * NaN as the loss of a step that is skipped, and the number of steps: fewer if values are no longer
 * finite, or if the next step has an infinite score. Then `rows` has the values of the parameters
 * for which it was.
 */
EXPORT bool descend(Transport *now, int64_t steps, int64_t batch, int64_t parameters,
                    int64_t examples, const MessageTable *messages, const Grams *grams,
                    const Scratch *scratch, const Buffers *buffers, const WeightedPairs *pairs,
                    const Bases *bases, const LastTrees *last, const NodeValues *node_values,
                    bool by_use, const double counts[examples][parameters],
                    const double ratings[examples], const int64_t drawn[steps][batch],
                    const double changes[steps][parameters], const double lengths[steps],
                    double clip, const double start[parameters],
                    const double lower[parameters], const double upper[parameters],
                    double scores[2][batch], double deviations[3][batch],
                    double batch_ratings[batch], double distances[parameters],
                    double usage[parameters], double rows[2][parameters],
                    double after[steps][parameters], double losses[steps], int64_t taken[1])
{
    const double *values = now->step ? after[now->step - 1] : start;
    BEGIN(now);
    for (; now->step < steps; now->step++) {
        for (int64_t k = 0; k < parameters; k++) {
            const double change = changes[now->step][k];
            rows[0][k] = clamp(values[k] + change, lower[k], upper[k]);
            rows[1][k] = clamp(values[k] - change, lower[k], upper[k]);
            distances[k] = 2 * change;
            usage[k] = 0.0;
        }
        AWAIT(now, score_rows(now, 2, parameters, batch, messages, grams, scratch, buffers, pairs,
                              bases, last, node_values, rows, drawn[now->step], scores));
        bool finite = true;
        for (int64_t k = 0; k < batch; k++) {
            const int64_t p = drawn[now->step][k];
            finite &= !isinf(scores[0][k]) && !isinf(scores[1][k]);
            batch_ratings[k] = ratings[p];
            for (int64_t j = 0; by_use && j < parameters; j++)
                usage[j] += counts[p][j];
        }
        if (!finite)
            break;
        double used = 0.0;
        for (int64_t k = 0; k < parameters; k++)
            used += usage[k];
        double both[2], *moved = after[now->step], *loss = &losses[now->step];
        correlate_rows(2, batch, scores, batch_ratings, deviations, both);
        const double above = 1 - both[0], below = 1 - both[1];
        *loss = (above + below) / 2;
        if (isnan(*loss))
            memcpy(moved, values, (size_t)parameters * sizeof *values);
        else
            move_values(parameters, used > 0 ? parameters : 0, values, above - below, distances,
                        usage, lengths[now->step], clip, moved);
        for (int64_t k = 0; k < parameters; k++)
            finite &= isfinite(moved[k]) != 0;
        if (!finite) {
            now->step++;
            break;
        }
        for (int64_t k = 0; k < parameters; k++)
            moved[k] = clamp(moved[k], lower[k], upper[k]);
        values = moved;
    }
    taken[0] = now->step;
    END(now);
}
