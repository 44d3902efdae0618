/* Sums of vectors: amr_metrics.vectors and amr_metrics.transport.concept_cosine. */
#include <string.h>

#include "lanes.h"

/* Whether factors are divided by the size of their group, or are those of the rows of the matrix. */
typedef enum { SHARES, ROW_FACTORS } Factors;

static inline double find_factor(Factors kind, const double *factors, int64_t k, int64_t row,
                                 double size)
{
    return kind == SHARES ? factors[k] / size : factors[row];
}

/* Define a function that sums rows of a matrix, times their factors, for each group: group g has
 * the rows rows[start[g]] ... rows[start[g + 1] - 1], which are added in this order, `further` ones
 * to the sums of former calls.
 *
 * Sixteen columns at a time are summed in registers, then those that are left. Each column is
 * summed by itself: the width of registers does not change a bit.
 */
#define DEFINE_SUM(NAME, Type)                                                            \
    static void NAME(int64_t groups, int64_t dimension, const Type *matrix,               \
                     const int64_t *rows, Factors kind, const double *factors,            \
                     const int64_t *start, bool further, double *sums)                    \
    {                                                                                     \
        for (int64_t g = 0; g < groups; g++, sums += dimension) {                         \
            const double size = (double)(start[g + 1] - start[g]);                        \
            int64_t first = 0;                                                            \
            for (; first + 16 <= dimension; first += 16) {                                \
                Four w = {0}, x = {0}, y = {0}, z = {0};                                  \
                if (further) {                                                            \
                    w = LOAD(sums + first);                                               \
                    x = LOAD(sums + first + 4);                                           \
                    y = LOAD(sums + first + 8);                                           \
                    z = LOAD(sums + first + 12);                                          \
                }                                                                         \
                for (int64_t k = start[g]; k < start[g + 1]; k++) {                       \
                    const Type *const row = matrix + rows[k] * dimension + first;         \
                    const double factor = find_factor(kind, factors, k, rows[k], size);   \
                    w += factor * LOAD(row);                                        \
                    x += factor * LOAD(row + 4);                                    \
                    y += factor * LOAD(row + 8);                                    \
                    z += factor * LOAD(row + 12);                                   \
                }                                                                         \
                memcpy(sums + first, &w, sizeof w);  \
                memcpy(sums + first + 4, &x, sizeof x);  \
                memcpy(sums + first + 8, &y, sizeof y);  \
                memcpy(sums + first + 12, &z, sizeof z);  \
            }                                                                             \
            for (int64_t d = first; d < dimension && !further; d++)                       \
                sums[d] = 0;                                                              \
            for (int64_t k = start[g]; first < dimension && k < start[g + 1]; k++) {      \
                const Type *const row = matrix + rows[k] * dimension;                     \
                const double factor = find_factor(kind, factors, k, rows[k], size);       \
                for (int64_t d = first; d < dimension; d++)                               \
                    sums[d] += factor * (double)row[d];                                   \
            }                                                                             \
        }                                                                                 \
    }

DEFINE_SUM(sum_doubles, double)
DEFINE_SUM(sum_floats, float)

#ifdef WIDE
#include <cpuid.h>

WIDE DEFINE_SUM(sum_doubles_wide, double)
WIDE DEFINE_SUM(sum_floats_wide, float)

bool has_wide;

/* Set `has_wide` when the library is loaded. `__builtin_cpu_supports` is always false with zig. */
__attribute__((constructor)) static void find_wide(void)
{
    unsigned eax, ebx, ecx, edx, saved, upper;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
        return;
    __asm__("xgetbv" : "=a"(saved), "=d"(upper) : "c"(0)); /* which registers the system saves */
    if ((saved & 6) == 6 && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
        has_wide = (ebx & bit_AVX2) != 0;
}
#endif

/* Average some rows of a matrix, times their shares, for each group; zeros if a group is empty. */
EXPORT void average_rows(int64_t groups, int64_t members, int64_t words, int64_t dimension,
                         const double matrix[words][dimension],
                         const int64_t rows[members], const double shares[members],
                         const int64_t start[groups + 1], double means[groups][dimension])
{
    CHOOSE(sum_doubles)(groups, dimension, *matrix, rows, SHARES, shares, start, false,
                        *means);
}

/* The same for a matrix of single precision, such as that of a file of word vectors. */
EXPORT void average_single_rows(int64_t groups, int64_t members, int64_t words, int64_t dimension,
                                const float matrix[words][dimension],
                                const int64_t rows[members], const double shares[members],
                                const int64_t start[groups + 1], double means[groups][dimension])
{
    CHOOSE(sum_floats)(groups, dimension, *matrix, rows, SHARES, shares, start, false,
                        *means);
}

/* Sum the vectors of the labels of each graph, times their factors; `further` ones are added to the
 * sums. */
EXPORT void sum_label_vectors(int64_t graphs, int64_t label_count, int64_t dimension,
                              const int64_t start[graphs + 1], const int64_t *labels,
                              const double matrix[label_count][dimension],
                              const double factors[label_count], bool further,
                              double sums[graphs][dimension])
{
    CHOOSE(sum_doubles)(graphs, dimension, *matrix, labels, ROW_FACTORS, factors, start, further,
                        *sums);
}
