/* Metrics that compare bags of features: amr_metrics.features. */
#include "kernels.h"

/* Return the number of walks of 1..k nodes, an upper bound of the number of n-grams.
 *
 * A double, since an integer could overflow; exact for all graphs that are not too large to
 * compare. `walks` and `longer` are memory for a double per node.
 */
static double count_walks(const EncodedGraph *graph, int64_t k, double *walks, double *longer)
{
    /* Paths use no edge twice; walks may, so there are at least as many. walks[v] is the number of
     * walks of the current length from node v: of one node 1, of n + 1 nodes the sum of the walks
     * of n nodes over the targets of its edges. */
    for (int64_t v = 0; v < graph->nodes; v++)
        walks[v] = 1;
    double total = (double)graph->nodes;
    for (int64_t n = 1; n < k; n++) {
        for (int64_t v = 0; v < graph->nodes; v++)
            longer[v] = 0;
        for (int64_t e = 0; e < graph->edges; e++)
            longer[graph->sources[e]] += walks[graph->targets[e]];
        double sum = 0;
        for (int64_t v = 0; v < graph->nodes; v++)
            sum += longer[v];
        total += sum;
        double *swap = walks;
        walks = longer;
        longer = swap;
    }
    return total;
}

/* Count the walks of 1..k nodes of each graph, of which the largest has `most` nodes. */
EXPORT void count_walks_of_graphs(int64_t graphs, int64_t most, int64_t k, const GraphTable *table,
                                  double memory[2][most], double counts[graphs])
{
    for (int64_t g = 0; g < graphs; g++) {
        const EncodedGraph graph = graph_of(table, g);
        counts[g] = count_walks(&graph, k, memory[0], memory[1]);
    }
}
