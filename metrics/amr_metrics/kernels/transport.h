/* Structs and functions of the metrics that compare vectors of nodes: amr_metrics.transport. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <math.h>

#include "kernels.h"
#include "pause.h"

/* The messages of many graphs: amr_metrics.transport.encoding.MessageTable. */
typedef struct {
    const int32_t *receivers, *senders;
    const int64_t *message_start;
    const int32_t *roles;
    const int64_t *role_start;
    const double *counts;
    double decay;
} MessageTable;

/* Memory for values of graphs: amr_metrics.transport.encoding.Scratch. */
typedef struct {
    bool *embedded;
    double *shares, *squares;
} Scratch;

/* Inner products of vectors: amr_metrics.transport.propagation.Grams. */
typedef struct {
    double *within;
    const int64_t *within_start;
    double *cross;
    const int64_t *cross_start;
} Grams;

/* Matrices of one pair or graph: amr_metrics.transport.propagation.Buffers. */
typedef struct {
    double *gram, *half, *products;
} Buffers;

/* Cost matrices of many pairs: amr_metrics.transport.flow.CostBatch. */
typedef struct {
    const int64_t *sizes;
    const double *costs;
    const int64_t *start;
} CostBatch;

/* One cost matrix, n x m. */
typedef struct {
    int64_t n, m;
    const double *costs;
} CostMatrix;

/* Return the cost matrix of pair `p`. */
static inline CostMatrix matrix_of(const CostBatch *batch, int64_t p)
{
    return (CostMatrix){
        .n = batch->sizes[2 * p],
        .m = batch->sizes[2 * p + 1],
        .costs = batch->costs + batch->start[p],
    };
}

/* The optimal trees of many pairs: amr_metrics.transport.flow.Bases. */
typedef struct {
    int64_t *parents, *flows, *order;
    const int64_t *start;
    int64_t *scratch;
} Bases;

/* The trees that were optimal the last time: amr_metrics.transport.last_trees.LastTrees. */
typedef struct {
    int64_t *parents, *flows, *order;
} LastTrees;

/* Memory for values of the nodes of a pair: amr_metrics.transport.last_trees.NodeValues. */
typedef struct {
    double *arcs, *rows, *columns, *row_scales, *column_scales;
    int64_t *marks, *moved;
} NodeValues;

/* Where the search for an optimal flow is. */
typedef struct {
    int64_t work; /* steps left to the limit */
    int64_t pivots, row;
    int64_t idle; /* rows in sequence without an arc that saves anything; if all: it is optimal */
    double largest; /* cost */
    bool begun;
} Simplex;

/* Where the embedding of a graph, or of a pair, is. */
typedef struct {
    int64_t line, level, messages;
    double factor; /* of the level's inner products */
} Propagation;

/* Where the score of a pair is. */
typedef struct {
    int64_t line;
} Scoring;

/* The state of a kernel that computes transports or embeddings of many pairs. */
typedef struct {
    Pause pause;
    int64_t line, pair;
    int64_t part, row; /* of the products of a pair's vectors */
    Scoring scoring;
    Simplex simplex;
    Propagation propagation;
} Transport;
FITS(Transport);

/* NaN as a second argument is ignored, as by Python's `min` and `max`. */
static inline double min_float(double a, double b) { return b < a ? b : a; }
static inline double max_float(double a, double b) { return b > a ? b : a; }

/* Return the length of a row in arrays of intermediate results.
 *
 * A multiple of 16, so that the vectorised loops over a row have no remainder: in graphs as small
 * as these, mispredicted branches at the ends of loops take longer than the arithmetic.
 */
static inline int64_t padded(int64_t columns) { return (columns + 15) & -16; }

/* Return the Euclidean distance of two vectors scaled to length 1; zero vectors are not scaled.
 *
 * `product` is their inner product, `a_square` and `b_square` are their squared lengths.
 */
static inline double unit_distance(double product, double a_square, double b_square)
{
    /* Squared distances of unit vectors below this are the rounding of equal ones. */
    const double rounding = 1e-13;
    /* |x / |x| - y / |y||^2 = 2 - 2 cos; a zero vector contributes 0 in place of 1. */
    const bool both = a_square > 0 && b_square > 0;
    const double cosine = product / sqrt(a_square * b_square);
    const double square = (double)((a_square > 0) + (b_square > 0)) - (both ? 2 * cosine : 0.0);
    return square > rounding ? sqrt(square) : 0.0;
}

/* Described where they are defined. */
bool multiply_embeddings(Transport *now, const MessageTable *table, const int64_t *node_start,
                         int64_t src, int64_t tgt, const Grams *grams, int64_t pair,
                         const double *weights, int64_t depth, const Scratch *scratch,
                         const Buffers *buffers);
void add_unit_distances(const double *products, int64_t n, int64_t m, const double *a_squares,
                        const double *b_squares, double *out);
double cost_from_last(int64_t n, int64_t m, const double *products, const double a_squares[n],
                      const double b_squares[m], const LastTrees *last, int64_t at,
                      const NodeValues *values);
bool cost_from_basis(Transport *now, int64_t n, int64_t m, const double costs[n][m],
                     const Bases *bases, const LastTrees *last, int64_t at, int64_t work,
                     double cost[1]);

#endif
