/* Word vectors: amr_metrics.vectors. */
#include "kernels.h"

/* The body of the two functions below, which differ in the type of the matrix. */
#define AVERAGE_ROWS(Type)                                                      \
    for (int64_t g = 0; g < groups; g++) {                                      \
        double *restrict mean = means[g];                                       \
        for (int64_t d = 0; d < dimension; d++)                                 \
            mean[d] = 0;                                                        \
        for (int64_t k = start[g]; k < start[g + 1]; k++) {                     \
            const double share = shares[k] / (double)(start[g + 1] - start[g]); \
            const Type *restrict row = matrix[rows[k]];                         \
            for (int64_t d = 0; d < dimension; d++)                             \
                mean[d] += share * (double)row[d];                              \
        }                                                                       \
    }

/* Average some rows of a matrix, times their shares, for each group: group g has the rows
 * rows[start[g]] ... rows[start[g + 1] - 1]. The means are sums in this order; zeros if a group is
 * empty. */
EXPORT void average_rows(int64_t groups, int64_t members, int64_t words, int64_t dimension,
                         const double matrix[words][dimension],
                         const int64_t rows[members], const double shares[members],
                         const int64_t start[groups + 1], double means[groups][dimension])
{
    AVERAGE_ROWS(double)
}

/* The same for a matrix of single precision, such as that of a file of word vectors. */
EXPORT void average_single_rows(int64_t groups, int64_t members, int64_t words, int64_t dimension,
                                const float matrix[words][dimension],
                                const int64_t rows[members], const double shares[members],
                                const int64_t start[groups + 1], double means[groups][dimension])
{
    AVERAGE_ROWS(float)
}
