/* Encoding of graphs: amr_metrics.graphs.encoding. */
#include "kernels.h"

/* Number the distinct rows (a, b, c) of each graph in order of first occurrence. */
EXPORT void group_rows(int64_t graphs, int64_t rows, int64_t slots,
                       const int64_t start[graphs + 1],
                       const int64_t a[rows], const int64_t b[rows], const int64_t c[rows],
                       int64_t memory[3 * slots], int64_t groups[rows], bool first[rows])
{
    /* A table that is cleared for each graph: its size afterwards shows whether a row is new. */
    Numbering numbers = create_numbering(slots, memory);
    for (int64_t g = 0; g < graphs; g++) {
        clear_numbering(&numbers);
        for (int64_t k = start[g]; k < start[g + 1]; k++) {
            const int64_t size = numbers.size;
            groups[k] = number(&numbers, a[k], b[k], c[k]);
            first[k] = numbers.size > size;
        }
    }
}
