/* Rows of groups: amr_metrics.graphs.rows. */
#include "kernels.h"

/* Merge several groupings of rows by the same groups: first the rows of the first grouping.
 *
 * The outputs are where the merged rows of each group start, and which row, counted in all
 * groupings one after another, each of them is.
 */
EXPORT void merge_rows(int64_t groupings, int64_t groups, int64_t rows,
                       const int64_t start[groupings][groups + 1], int64_t merged[groups + 1],
                       int64_t order[rows])
{
    int64_t count = 0;
    merged[0] = 0;
    for (int64_t g = 0; g < groups; g++) {
        int64_t before = 0; /* rows of the earlier groupings */
        for (int64_t k = 0; k < groupings; k++) {
            for (int64_t row = start[k][g]; row < start[k][g + 1]; row++)
                order[count++] = before + row;
            before += start[k][groups];
        }
        merged[g + 1] = count;
    }
}
