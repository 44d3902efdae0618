/* Weisfeiler-Leman embeddings of nodes, and similarities of their vectors: amr_metrics.transport.
 *
 * A node starts with its label's vector, which is updated in K WL iterations: X_k = A^k X_0, where
 * A is a matrix of the graph's edge weights. The distances that transport needs depend on inner
 * products only, and those follow from the level-0 ones: X_k Y_k^T = A^k (X_0 Y_0^T) (B^k)^T. So
 * word vectors are multiplied once, and whatever the edge weights are, the rest is algebra on
 * matrices as small as the graphs. What concerns one graph alone is computed once per graph.
 */
#include <string.h>

#include "lanes.h"
#include "transport.h"

/* Messages */

/* Sort the edges first .. last - 1 by one of their ends.
 *
 * Those of node v are order[start[v]] .. order[start[v + 1] - 1].
 */
static void group_edges(const int64_t *ends, int64_t first, int64_t last, int64_t size,
                        int64_t *start, int64_t *order)
{
    /* A counting sort. Edges are counted two places ahead, so that writing `order` moves each start
     * to its place. */
    for (int64_t node = 0; node < size + 2; node++)
        start[node] = 0;
    for (int64_t e = first; e < last; e++)
        start[ends[e] + 2]++;
    for (int64_t node = 0; node < size; node++)
        start[node + 2] += start[node + 1];
    for (int64_t e = first; e < last; e++)
        order[start[ends[e] + 1]++] = e;
}

/* Write the messages along the edges (`forward`) and against them (`backward`).
 *
 * `back_roles` is added to the role of an edge that a message follows backwards. `nodes` and
 * `edges` are the most of a graph. Returns the number of messages.
 */
EXPORT int64_t list_messages(int64_t graphs, int64_t nodes, int64_t edges, int64_t capacity,
                             const GraphTable *table, bool forward, bool backward,
                             int64_t back_roles, int64_t start[2][nodes + 2],
                             int64_t order[2][edges], int64_t following[edges],
                             int64_t head[nodes], bool repeated[edges],
                             int32_t receivers[capacity], int32_t senders[capacity],
                             int64_t message_start[graphs + 1], int32_t roles[capacity],
                             int64_t role_start[capacity + 1], double counts[capacity])
{
    const int64_t *sources = table->sources, *targets = table->targets;
    const bool directions[2] = {forward, backward};
    /* Messages are ordered by graph, then by receiver. Those along edges (direction 0, to the
     * target) come before those against them (direction 1, to the source). With the edges x and y,
     * both from a to b:
     *
     *     receivers   a   b           message 0 goes from b to a, message 1 from a to b
     *     senders     b   a
     *     role_start  0   2   4       both follow both edges
     *     roles       x y x y
     */
    int64_t count = 0, role_count = 0;
    message_start[0] = role_start[0] = 0;
    for (int64_t node = 0; node < nodes; node++)
        head[node] = -1;
    for (int64_t g = 0; g < graphs; g++) {
        const int64_t first = table->edge_start[g], last = table->edge_start[g + 1];
        const int64_t size = table->node_start[g + 1] - table->node_start[g];
        group_edges(targets, first, last, size, start[0], order[0]);
        group_edges(sources, first, last, size, start[1], order[1]);
        /* Of parallel edges, the first one leads a chain of the others, which are `repeated`. */
        for (int64_t node = 0; node < size; node++) {
            for (int64_t k = start[1][node + 1] - 1; k >= start[1][node]; k--) {
                const int64_t e = order[1][k], after = head[targets[e]];
                following[e - first] = after;
                repeated[e - first] = false;
                if (after >= 0)
                    repeated[after - first] = true;
                head[targets[e]] = e;
            }
            for (int64_t k = start[1][node]; k < start[1][node + 1]; k++)
                head[targets[order[1][k]]] = -1;
        }
        for (int64_t node = 0; node < size; node++) {
            const int64_t before = count;
            for (int direction = 0; direction < 2; direction++) {
                if (!directions[direction])
                    continue;
                const int64_t *sender = direction ? targets : sources;
                for (int64_t k = start[direction][node]; k < start[direction][node + 1]; k++) {
                    int64_t e = order[direction][k];
                    if (repeated[e - first])
                        continue;
                    receivers[count] = (int32_t)node;
                    senders[count] = (int32_t)sender[e];
                    count++;
                    for (; e >= 0; e = following[e - first])
                        roles[role_count++] = (int32_t)(table->roles[e] + direction * back_roles);
                    role_start[count] = role_count;
                }
            }
            for (int64_t k = before; k < count; k++)
                counts[k] = (double)(count - before);
        }
        message_start[g + 1] = count;
    }
    return count;
}

/* Inner products of label vectors */

static const int64_t ROWS = 64; /* of a matrix that are computed at once */

/* Define a function that writes the inner products of the vectors of n labels with those of m
 * labels, n x m.
 *
 * Each product is summed in four lanes, so that it depends on nothing but its two vectors: neither
 * on the processor nor on the other labels, as the order of a BLAS does. Four products are computed
 * at a time; the last labels are repeated, so that nothing remains.
 */
#define DEFINE_MULTIPLY(NAME)                                                                 \
    static void NAME(const int64_t *a, int64_t n, const int64_t *b, int64_t m,                \
                     int64_t dimension, const double *vectors, double *out)                   \
    {                                                                                         \
        const int64_t whole = dimension & -4;                                                 \
        for (int64_t i = 0; i < n; i++) {                                                     \
            const double *x = vectors + a[i] * dimension;                                     \
            for (int64_t j = 0; j < m; j += 4) {                                              \
                const double *y[4];                                                           \
                Four sums[4] = {{0}};                                                         \
                for (int k = 0; k < 4; k++)                                                   \
                    y[k] = vectors + b[min_int(j + k, m - 1)] * dimension;                    \
                for (int64_t d = 0; d < whole; d += 4) {                                      \
                    const Four factor = LOAD(x + d);                                          \
                    for (int k = 0; k < 4; k++)                                               \
                        sums[k] += factor * LOAD(y[k] + d);                                   \
                }                                                                             \
                for (int k = 0; k < 4 && j + k < m; k++) {                                    \
                    double sum = (sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3]);       \
                    for (int64_t d = whole; d < dimension; d++)                               \
                        sum += x[d] * y[k][d];                                                \
                    out[i * m + j + k] = sum;                                                 \
                }                                                                             \
            }                                                                                 \
        }                                                                                     \
    }

DEFINE_MULTIPLY(multiply_labels)
#ifdef WIDE
WIDE DEFINE_MULTIPLY(multiply_labels_wide)
#endif

/* Compute the inner products of the vectors of the nodes' labels, within and between graphs. */
EXPORT bool multiply_label_vectors(Transport *now, int64_t graphs, int64_t pairs,
                                   int64_t label_count, int64_t dimension,
                                   const GraphTable *table, const int64_t src[pairs],
                                   const int64_t tgt[pairs],
                                   const double vectors[label_count][dimension],
                                   bool computed[graphs], const Grams *grams)
{
    for (; now->pair < pairs; now->pair++) {
        const int64_t p = now->pair, pair[2] = {src[p], tgt[p]};
        const int64_t *labels[2];
        int64_t sizes[2];
        for (int side = 0; side < 2; side++) {
            const int64_t first = table->node_start[pair[side]];
            labels[side] = table->labels + first;
            sizes[side] = table->node_start[pair[side] + 1] - first;
        }
        if (sizes[0] == 0 || sizes[1] == 0)
            continue;
        /* Within src, within tgt, and between them; some rows at a time. */
        for (; now->part < 3; now->part++) {
            const int row = now->part == 1, column = now->part > 0;
            const int64_t g = pair[row], n = sizes[row], m = sizes[column];
            const bool within = row == column;
            double *out = within ? grams->within + grams->within_start[g]
                                 : grams->cross + grams->cross_start[p];
            if (within && computed[g])
                continue;
            for (; now->row < n; now->row += ROWS) {
                const int64_t rows = min_int(ROWS, n - now->row);
                if (!take_steps(&now->pause, rows * m * dimension))
                    return false;
                CHOOSE(multiply_labels)(labels[row] + now->row, rows, labels[column], m, dimension,
                                        *vectors, out + now->row * m);
            }
            now->row = 0;
            if (within)
                computed[g] = true;
        }
        now->part = 0;
    }
    return true;
}

/* Recompute the inner products of the nodes whose label's vector is random.
 *
 * `products` has memory for those of one node; `most` is the number of nodes of the largest graph.
 */
EXPORT bool redraw_label_vectors(Transport *now, int64_t graphs, int64_t pairs,
                                 int64_t label_count, int64_t dimension, int64_t most,
                                 const GraphTable *table, const int64_t src[pairs],
                                 const int64_t tgt[pairs],
                                 const double vectors[label_count][dimension],
                                 const bool unknown[label_count], double products[most],
                                 bool computed[graphs], const Grams *grams)
{
    for (; now->pair < pairs; now->pair++) {
        const int64_t p = now->pair, pair[2] = {src[p], tgt[p]};
        const int64_t *labels[2];
        int64_t sizes[2];
        bool changed = false;
        for (int side = 0; side < 2; side++) {
            const int64_t g = pair[side];
            labels[side] = table->labels + table->node_start[g];
            sizes[side] = table->node_start[g + 1] - table->node_start[g];
            for (int64_t i = 0; i < sizes[side]; i++)
                changed |= unknown[labels[side][i]];
        }
        if (sizes[0] == 0 || sizes[1] == 0 || !changed)
            continue;
        /* Of src and of tgt with nodes of the same graph, then with those of the other one. */
        for (; now->part < 4; now->part++) {
            const bool within = now->part < 2;
            const int side = now->part % 2, other = within ? side : 1 - side;
            const int64_t g = pair[side], n = sizes[side], m = sizes[other];
            double *out = within ? grams->within + grams->within_start[g]
                                 : grams->cross + grams->cross_start[p];
            if (within && computed[g])
                continue;
            for (; now->row < n; now->row++) {
                const int64_t i = now->row;
                if (!unknown[labels[side][i]])
                    continue;
                if (!take_steps(&now->pause, m * dimension))
                    return false;
                CHOOSE(multiply_labels)(labels[side] + i, 1, labels[other], m, dimension, *vectors,
                                        products);
                for (int64_t j = 0; j < m; j++) {
                    if (within || side == 0)
                        out[i * m + j] = products[j];
                    if (within || side == 1)
                        out[j * n + i] = products[j];
                }
            }
            now->row = 0;
            if (within)
                computed[g] = true;
        }
        now->part = 0;
    }
    return true;
}

/* Propagation
 *
 * Let X_0 be the vectors of the nodes of src, one per row, and Y_0 those of tgt. An iteration adds
 * to each vector the mean of the weighted vectors of its neighbours: X_k = A X_(k-1), where A is
 * the identity plus the shares of the messages, so that X_k = A^k X_0, and likewise Y_k = B^k Y_0.
 * Of the embeddings, the concatenations of levels 0 to K, only inner products are needed:
 *
 *     between graphs    sum over k = 0 .. K of  A^k (X_0 Y_0^T) (B^k)^T     `set_inner_products`
 *     of a node itself  the diagonal of the same sum with Y = X             `set_squares`
 *
 * The vectors of level k may be A^k X_0 / 2^k instead (`variant=definition`): then each level's
 * inner products are multiplied by the `decay` of the table, 1/4, once more than those before it.
 *
 * `Grams` has X_0 Y_0^T and X_0 X_0^T. A is sparse: a product with it is a loop over messages.
 */

/* Copy an n x m matrix to rows of padded length. */
static void pad(const double *matrix, int64_t n, int64_t m, double *out)
{
    const int64_t width = padded(m);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            out[i * width + j] = matrix[i * m + j];
}

typedef struct {
    int64_t first, last;
} Range;

/* Return the next messages of a graph, as many as the budget allows, at least one.
 *
 * Each takes a number of steps. `messages` is how many there were before, 0 after the last ones.
 */
static Range take_messages(Transport *now, const MessageTable *table, int64_t g, int64_t steps)
{
    const int64_t start = table->message_start[g], end = table->message_start[g + 1];
    const int64_t first = start + now->propagation.messages;
    int64_t last = end;
    if ((end - first) * steps > now->pause.left)
        last = min_int(end, first + 1 + max_int(now->pause.left, 0) / steps);
    now->pause.left -= (last - first) * steps;
    now->propagation.messages = last < end ? last - start : 0;
    return (Range){first, last};
}

/* Write `A gram`, n x m, to `out`, with A the identity plus the shares of messages. */
static bool multiply_left(Transport *now, const double *restrict gram, int64_t n, int64_t m,
                          const MessageTable *table, int64_t g, const double *shares,
                          double *restrict out)
{
    const int64_t width = padded(m);
    if (now->propagation.messages == 0)
        memcpy(out, gram, (size_t)(n * width) * sizeof *out);
    const Range messages = take_messages(now, table, g, width);
    for (int64_t k = messages.first; k < messages.last; k++) {
        const double share = shares[k];
        const double *sender = gram + table->senders[k] * width;
        double *receiver = out + table->receivers[k] * width;
        for (int64_t j = 0; j < width; j++)
            receiver[j] += share * sender[j];
    }
    return now->propagation.messages == 0;
}

/* Write `gram A^T`, n x m, to `out`, with A as in `multiply_left`. */
static bool multiply_right(Transport *now, const double *restrict gram, int64_t n, int64_t m,
                           const MessageTable *table, int64_t g, const double *shares,
                           double *restrict out)
{
    const int64_t width = padded(m);
    if (now->propagation.messages == 0)
        memcpy(out, gram, (size_t)(n * width) * sizeof *out);
    /* In large graphs, each row is in another line of the cache. */
    const Range messages = take_messages(now, table, g, 4 * n);
    /* Four rows at a time, and up to three rows more than there are, so that nothing remains. */
    for (int64_t k = messages.first; k < messages.last; k++) {
        const double share = shares[k];
        const double *sender = gram + table->senders[k];
        double *receiver = out + table->receivers[k];
        for (int64_t i = 0; i < n; i += 4) {
            receiver[0] += share * sender[0];
            receiver[width] += share * sender[width];
            receiver[2 * width] += share * sender[2 * width];
            receiver[3 * width] += share * sender[3 * width];
            receiver += 4 * width;
            sender += 4 * width;
        }
    }
    return now->propagation.messages == 0;
}

/* Compute the weights of a graph's messages; a node is updated with their mean.
 *
 * Parallel edges are one message, and their weights multiply.
 */
static void set_shares(const MessageTable *table, int64_t g, const double *weights, double *shares)
{
    for (int64_t k = table->message_start[g]; k < table->message_start[g + 1]; k++) {
        double share = 1.0;
        for (int64_t r = table->role_start[k]; r < table->role_start[k + 1]; r++)
            share *= weights[table->roles[r]];
        shares[k] = share / table->counts[k];
    }
}

/* Compute the squared lengths of the embeddings of a graph's n nodes. */
static bool set_squares(Transport *now, const MessageTable *table, int64_t g, int64_t n,
                        const double *within, int64_t depth, const double *shares,
                        const Buffers *buffers, double *squares)
{
    Propagation *const at = &now->propagation;
    /* gram = A^k G (A^k)^T at level k, with G = X_0 X_0^T; its diagonal is added to the squares. */
    const int64_t width = padded(n);
    double *gram = buffers->gram, *half = buffers->half;
    BEGIN(at);
    pad(within, n, n, gram);
    for (int64_t i = 0; i < n; i++)
        squares[i] = gram[i * width + i];
    now->pause.left -= n * width;
    PAUSE(at, now->pause.left <= 0);
    at->factor = 1.0;
    for (at->level = 1; at->level <= depth; at->level++) {
        AWAIT(at, multiply_left(now, gram, n, n, table, g, shares, half));
        at->factor *= table->decay;
        /* Of half A^T = half (I + S)^T, only the diagonal is needed: that of half, and for each
         * message from j to i with the share s, s half[i, j]. */
        for (int64_t i = 0; i < n; i++)
            squares[i] += at->factor * half[i * width + i];
        for (int64_t k = table->message_start[g]; k < table->message_start[g + 1]; k++) {
            const int64_t row = table->receivers[k], column = table->senders[k];
            squares[row] += at->factor * (shares[k] * half[row * width + column]);
        }
        if (at->level < depth)
            AWAIT(at, multiply_right(now, half, n, n, table, g, shares, gram));
    }
    END(at);
}

/* Compute the weights of a graph's messages and the squared lengths of its nodes' embeddings.
 *
 * Graphs marked in `embedded` are left as they are: one may occur in many pairs.
 */
static bool embed(Transport *now, const MessageTable *table, const int64_t *node_start, int64_t g,
                  const Grams *grams, const double *weights, int64_t depth,
                  const Scratch *scratch, const Buffers *buffers)
{
    if (scratch->embedded[g])
        return true;
    set_shares(table, g, weights, scratch->shares);
    scratch->embedded[g] = set_squares(now, table, g, node_start[g + 1] - node_start[g],
                                       grams->within + grams->within_start[g], depth,
                                       scratch->shares, buffers, scratch->squares + node_start[g]);
    return scratch->embedded[g];
}

/* Compute the inner products of the embeddings of the nodes of two graphs.
 *
 * An embedding is the concatenation of the vectors of all levels, so inner products of embeddings
 * are sums over the levels.
 */
static bool set_inner_products(Transport *now, const MessageTable *table, int64_t src, int64_t tgt,
                               int64_t n, int64_t m, const Grams *grams, int64_t pair,
                               int64_t depth, const Scratch *scratch, const Buffers *buffers)
{
    Propagation *const at = &now->propagation;
    const double *shares = scratch->shares;
    double *gram = buffers->gram, *half = buffers->half, *products = buffers->products;
    BEGIN(at);
    pad(grams->cross + grams->cross_start[pair], n, m, products);
    now->pause.left -= n * padded(m);
    PAUSE(at, now->pause.left <= 0);
    at->factor = 1.0;
    for (at->level = 1; at->level <= depth; at->level++) {
        AWAIT(at, multiply_left(now, at->level == 1 ? products : gram, n, m, table, src, shares,
                                half));
        AWAIT(at, multiply_right(now, half, n, m, table, tgt, shares, gram));
        at->factor *= table->decay;
        for (int64_t x = 0; x < n * padded(m); x++)
            products[x] += at->factor * gram[x];
    }
    END(at);
}

/* Embed both graphs of a pair, unless one of them has no nodes, and compute the inner products. */
bool multiply_embeddings(Transport *now, const MessageTable *table, const int64_t *node_start,
                         int64_t src, int64_t tgt, const Grams *grams, int64_t pair,
                         const double *weights, int64_t depth, const Scratch *scratch,
                         const Buffers *buffers)
{
    const int64_t n = node_start[src + 1] - node_start[src];
    const int64_t m = node_start[tgt + 1] - node_start[tgt];
    return n == 0 || m == 0
        || (embed(now, table, node_start, src, grams, weights, depth, scratch, buffers)
            && embed(now, table, node_start, tgt, grams, weights, depth, scratch, buffers)
            && set_inner_products(now, table, src, tgt, n, m, grams, pair, depth, scratch,
                                  buffers));
}

/* Add the Euclidean distances of vectors scaled to length 1 to `out`, n x m.
 *
 * `products` are their inner products, in rows of padded length; `a_squares` and `b_squares` are
 * their squared lengths.
 */
void add_unit_distances(const double *products, int64_t n, int64_t m, const double *a_squares,
                        const double *b_squares, double *restrict out)
{
    const int64_t width = padded(m);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            out[i * m + j] += unit_distance(products[i * width + j], a_squares[i], b_squares[j]);
}

/* Add to `out` the distances between the nodes of both sides of each pair. */
EXPORT bool add_node_distances(Transport *now, int64_t pairs, int64_t roles, int64_t cells,
                               const MessageTable *table, const int64_t *node_start,
                               const int64_t src[pairs], const int64_t tgt[pairs],
                               const Grams *grams, const double weights[roles], int64_t depth,
                               const Scratch *scratch, const Buffers *buffers, double out[cells])
{
    BEGIN(now);
    for (int64_t p = 0; p < pairs; p++)
        scratch->embedded[src[p]] = scratch->embedded[tgt[p]] = false;
    for (; now->pair < pairs; now->pair++) {
        AWAIT(now, multiply_embeddings(now, table, node_start, src[now->pair], tgt[now->pair],
                                       grams, now->pair, weights, depth, scratch, buffers));
        const int64_t p = now->pair, a = node_start[src[p]], b = node_start[tgt[p]];
        const int64_t n = node_start[src[p] + 1] - a, m = node_start[tgt[p] + 1] - b;
        add_unit_distances(buffers->products, n, m, scratch->squares + a, scratch->squares + b,
                           out + grams->cross_start[p]);
    }
    END(now);
}

/* Mean vectors */

/* Return a cosine, in -1..1 whatever the rounding; 0 if a vector has the length 0. */
static double cosine_of(double product, double squares)
{
    if (!(squares > 0))
        return 0.0;
    return max_float(-1.0, min_float(1.0, product / sqrt(squares)));
}

/* Compute the cosine of the vectors of each pair of graphs, from the number of their nodes.
 *
 * Two empty graphs have 1, an empty and a non-empty one 0.
 */
EXPORT void compare_means(int64_t pairs, int64_t src_graphs, int64_t tgt_graphs, int64_t dimension,
                          const double src[src_graphs][dimension], const int64_t src_index[pairs],
                          const int64_t src_sizes[src_graphs],
                          const double tgt[tgt_graphs][dimension], const int64_t tgt_index[pairs],
                          const int64_t tgt_sizes[tgt_graphs], double cosines[pairs])
{
    for (int64_t p = 0; p < pairs; p++) {
        const int64_t i = src_index[p], j = tgt_index[p];
        if (src_sizes[i] == 0 || tgt_sizes[j] == 0) {
            cosines[p] = src_sizes[i] == tgt_sizes[j];
            continue;
        }
        double inner = 0.0, xx = 0.0, yy = 0.0;
        for (int64_t d = 0; d < dimension; d++) {
            inner += src[i][d] * tgt[j][d];
            xx += src[i][d] * src[i][d];
            yy += tgt[j][d] * tgt[j][d];
        }
        cosines[p] = cosine_of(inner, xx * yy);
    }
}

/* Return the inner product of two weighted sums of vectors. */
static double multiply_sums(const double *gram, int64_t n, const double *a, int64_t m,
                            const double *b)
{
    /* The inner product of the sum of a[i] x_i and the sum of b[j] y_j is a^T (X Y^T) b. */
    double total = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double row = 0.0;
        for (int64_t j = 0; j < m; j++)
            row += gram[i * m + j] * b[j];
        total += a[i] * row;
    }
    return total;
}

/* Compute the cosine of the weighted means of the level-0 vectors of each pair. */
EXPORT void compare_weighted_means(int64_t pairs, int64_t nodes, const Grams *grams,
                                   const int64_t src[pairs], const int64_t tgt[pairs],
                                   const int64_t sizes[pairs][2], const double weights[nodes],
                                   const int64_t start[pairs + 1], double cosines[pairs])
{
    for (int64_t p = 0; p < pairs; p++) {
        const int64_t n = sizes[p][0], m = sizes[p][1];
        if (n == 0 || m == 0) {
            cosines[p] = n == m;
            continue;
        }
        const double *a = weights + start[p], *b = a + n;
        const double *a_gram = grams->within + grams->within_start[src[p]];
        const double *b_gram = grams->within + grams->within_start[tgt[p]];
        const double product = multiply_sums(grams->cross + grams->cross_start[p], n, a, m, b);
        const double a_square = multiply_sums(a_gram, n, a, n, a);
        const double b_square = multiply_sums(b_gram, m, b, m, b);
        cosines[p] = cosine_of(product, a_square * b_square);
    }
}

/* Best matches */

/* Compare each node with the most similar node of the other graph: for src and for tgt the weighted
 * mean of these similarities, the least of them, and the sum of weight times 1 - similarity. */
EXPORT void match_nodes(int64_t pairs, int64_t nodes, const CostBatch *batch,
                        const double weights[nodes], const int64_t start[pairs + 1],
                        double nearest[nodes], double columns[6][pairs])
{
    for (int64_t p = 0; p < pairs; p++) {
        const CostMatrix cost = matrix_of(batch, p);
        const int64_t n = cost.n, m = cost.m;
        const double *node_weights = weights + start[p];
        if (n == 0 || m == 0) {
            for (int k = 0; k < 4; k++)
                columns[k][p] = n == m;
            columns[4][p] = columns[5][p] = 0.0;
            for (int64_t k = 0; k < n; k++)
                columns[4][p] += node_weights[k];
            for (int64_t k = 0; k < m; k++)
                columns[5][p] += node_weights[k];
            continue;
        }
        /* The distance of each node of src, then of tgt, to the nearest node of the other graph. */
        for (int64_t k = 0; k < n + m; k++)
            nearest[k] = INFINITY;
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < m; j++) {
                const double distance = cost.costs[i * m + j];
                nearest[i] = min_float(nearest[i], distance);
                nearest[n + j] = min_float(nearest[n + j], distance);
            }
        }
        for (int side = 0; side < 2; side++) {
            const int64_t low = side ? n : 0, high = side ? n + m : n;
            double total = 0.0, missing = 0.0, largest = 0.0;
            for (int64_t k = low; k < high; k++) {
                /* Vectors of length 1 at distance d have the cosine 1 - d * d / 2. */
                const double gap = nearest[k] * nearest[k] / 2;
                total += node_weights[k];
                missing += node_weights[k] * gap;
                largest = max_float(largest, gap);
            }
            columns[side][p] = 1 - missing / total;
            columns[2 + side][p] = 1 - largest;
            columns[4 + side][p] = missing;
        }
    }
}

/* Compute the similarity of the roots of each pair, and of the root of src, then of tgt, to the
 * most similar node of the other graph. */
EXPORT void match_roots(int64_t pairs, const CostBatch *batch, const int64_t tops[pairs][2],
                        double columns[3][pairs])
{
    for (int64_t p = 0; p < pairs; p++) {
        const CostMatrix cost = matrix_of(batch, p);
        const int64_t n = cost.n, m = cost.m, row = tops[p][0], column = tops[p][1];
        if (n == 0 || m == 0) {
            for (int k = 0; k < 3; k++)
                columns[k][p] = n == m;
            continue;
        }
        double gaps[3] = {cost.costs[row * m + column], INFINITY, INFINITY};
        for (int64_t j = 0; j < m; j++)
            gaps[1] = min_float(gaps[1], cost.costs[row * m + j]);
        for (int64_t i = 0; i < n; i++)
            gaps[2] = min_float(gaps[2], cost.costs[i * m + column]);
        for (int k = 0; k < 3; k++)
            columns[k][p] = 1 - gaps[k] * gaps[k] / 2;
    }
}
