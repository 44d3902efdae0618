/* Alignment of graphs for which a table of all node pairs would be too large:
 * amr_metrics.alignment.large. */
#include "kernels.h"

/* The neighbours of the nodes of a graph: amr_metrics.alignment.large.Neighbours. */
typedef struct {
    const int64_t *start, *nodes, *keys;
} Neighbours;

/* Find the block of each node: that of the hub's neighbour which reaches it first.
 *
 * `numbers` are the blocks of the neighbours of the hub, or -1. A block of -1 is the hub, and
 * neighbours without a block together with all that they reach first; -2 is not reached.
 */
EXPORT void find_blocks(int64_t n, int64_t near, int64_t hub, const int64_t numbers[near],
                        const Neighbours *side, int64_t queue[n], int64_t blocks[n])
{
    /* Breadth-first search from all neighbours of the hub at once. */
    int64_t first = 0, last = 0;
    for (int64_t node = 0; node < n; node++)
        blocks[node] = -2;
    blocks[hub] = -1;
    for (int64_t k = 0; k < near; k++) {
        const int64_t node = side->nodes[side->start[hub] + k];
        if (blocks[node] == -2) {
            blocks[node] = numbers[k];
            queue[last++] = node;
        }
    }
    while (first < last) {
        const int64_t node = queue[first++];
        for (int64_t k = side->start[node]; k < side->start[node + 1]; k++) {
            if (blocks[side->nodes[k]] == -2) {
                blocks[side->nodes[k]] = blocks[node];
                queue[last++] = side->nodes[k];
            }
        }
    }
}

/* Map the neighbours of mapped nodes onto each other, those with the most equal keys first.
 *
 * `first` is where in the queue to begin, and `coarsest` the first row of the keys that is
 * compared, of which there are `levels`. `mapping` and `back` say for each node its partner in the
 * other graph, or -1; the queue contains the nodes of src that are mapped. Returns their number.
 */
EXPORT int64_t map_neighbours(int64_t n, int64_t m, int64_t levels, int64_t coarsest, int64_t first,
                              int64_t mapped, const Neighbours *src_near,
                              const Neighbours *tgt_near, int64_t mapping[n], int64_t back[m],
                              int64_t queue[n])
{
    /* queue[:first] are done; queue[first:mapped] are mapped, but their neighbours may not be. Both
     * lists of neighbours are sorted by their keys, and merged: first by the finest keys. */
    while (first < mapped) {
        const int64_t i = queue[first++], j = mapping[i];
        for (int64_t level = levels - 1; level >= coarsest; level--) {
            const int64_t *a_keys = src_near->keys + level * src_near->start[n];
            const int64_t *b_keys = tgt_near->keys + level * tgt_near->start[m];
            int64_t a = src_near->start[i], b = tgt_near->start[j];
            while (a < src_near->start[i + 1] && b < tgt_near->start[j + 1]) {
                const int64_t k = src_near->nodes[a], l = tgt_near->nodes[b];
                if (a_keys[a] < b_keys[b] || mapping[k] >= 0) {
                    a++;
                } else if (a_keys[a] > b_keys[b] || back[l] >= 0) {
                    b++;
                } else {
                    mapping[k] = l;
                    back[l] = k;
                    queue[mapped++] = k;
                }
            }
        }
    }
    return mapped;
}

/* Map nodes with equal colours onto each other, each pair followed by its neighbours.
 *
 * `a_colours` and `b_colours` are the colours of both graphs, sorted, with the nodes in this order.
 * If `unique`, only those are mapped whose colour no other free node of their graph has. The other
 * parameters and the result are those of `map_neighbours`.
 */
EXPORT int64_t map_equal(int64_t n, int64_t m, int64_t levels, bool unique, int64_t mapped,
                         const uint64_t a_colours[n], const uint64_t b_colours[m],
                         const int64_t a_nodes[n], const int64_t b_nodes[m],
                         const Neighbours *src_near, const Neighbours *tgt_near, int64_t mapping[n],
                         int64_t back[m], int64_t queue[n])
{
    /* A merge of two sorted lists: a and b are where the next runs of equal colours start. */
    int64_t a = 0, b = 0;
    while (a < n && b < m) {
        if (a_colours[a] < b_colours[b]) {
            a++;
        } else if (a_colours[a] > b_colours[b]) {
            b++;
        } else {
            const uint64_t colour = a_colours[a];
            int64_t a_end = a, b_end = b, a_free = 0, b_free = 0;
            for (; a_end < n && a_colours[a_end] == colour; a_end++)
                a_free += mapping[a_nodes[a_end]] < 0;
            for (; b_end < m && b_colours[b_end] == colour; b_end++)
                b_free += back[b_nodes[b_end]] < 0;
            while ((!unique || (a_free == 1 && b_free == 1)) && a < a_end && b < b_end) {
                const int64_t i = a_nodes[a], j = b_nodes[b];
                if (mapping[i] >= 0) {
                    a++;
                } else if (back[j] >= 0) {
                    b++;
                } else {
                    mapping[i] = j;
                    back[j] = i;
                    queue[mapped] = i;
                    mapped = map_neighbours(n, m, levels, 1, mapped, mapped + 1, src_near, tgt_near,
                                            mapping, back, queue);
                }
            }
            a = a_end;
            b = b_end;
        }
    }
    return mapped;
}
