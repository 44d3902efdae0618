/* Weights and grades of matches: amr_metrics.alignment.wsmatch and s2match. */
#include "kernels.h"
#include "pause.h"

/* Find the distance of each node from the root of its graph along edges of either direction, or -1,
 * by a search in breadth.
 *
 * The largest graph has `most_nodes` nodes, and the largest number of relations of a graph is
 * `most_relations`. The neighbours of node v are near[start[v]] ... near[start[v + 1] - 1].
 */
EXPORT void find_levels(int64_t graphs, int64_t nodes, int64_t relations,
                        int64_t most_nodes, int64_t most_relations,
                        const int64_t node_start[graphs + 1], const int64_t tops[graphs],
                        const int64_t relation_start[graphs + 1],
                        const int32_t sources[relations], const int32_t targets[relations],
                        int64_t start[most_nodes + 2], int64_t near[2 * most_relations],
                        int64_t queue[most_nodes], int64_t level[nodes])
{
    for (int64_t v = 0; v < nodes; v++)
        level[v] = -1;
    for (int64_t g = 0; g < graphs; g++) {
        if (tops[g] < 0)
            continue;
        const int64_t size = node_start[g + 1] - node_start[g];
        int64_t *levels = level + node_start[g];
        /* Counted two places ahead, so that filling `near` moves each start to its place. */
        for (int64_t v = 0; v < size + 2; v++)
            start[v] = 0;
        for (int64_t r = relation_start[g]; r < relation_start[g + 1]; r++) {
            start[sources[r] + 2]++;
            start[targets[r] + 2]++;
        }
        for (int64_t v = 0; v < size; v++)
            start[v + 2] += start[v + 1];
        for (int64_t r = relation_start[g]; r < relation_start[g + 1]; r++) {
            near[start[sources[r] + 1]++] = targets[r];
            near[start[targets[r] + 1]++] = sources[r];
        }
        int64_t head = 0, tail = 0;
        levels[tops[g]] = 0;
        queue[tail++] = tops[g];
        while (head < tail) {
            const int64_t v = queue[head++];
            for (int64_t k = start[v]; k < start[v + 1]; k++) {
                if (levels[near[k]] < 0) {
                    levels[near[k]] = levels[v] + 1;
                    queue[tail++] = near[k];
                }
            }
        }
    }
}

/* Return max(0, cosine) of vectors of length 1. */
static double compute_cosine(int64_t dimension, const double *x, const double *y)
{
    double total = 0;
    for (int64_t k = 0; k < dimension; k++)
        total += x[k] * y[k];
    return total > 1 ? 1 : total > 0 ? total : 0;
}

/* The state of `grade_matches`: the fact of src, the number of matches. */
typedef struct {
    Pause pause;
    int64_t pair, fact, count;
} Grading;
FITS(Grading);

/* Write the partial matches of concepts, and of roots, whose labels differ, and where those of each
 * pair start.
 *
 * Facts are rows (node, label). Each label has a kind, 0 if its facts are not graded, and a
 * concept. Two concepts have the grade `tau_sense` if they have the same lemma; else, if both have
 * a vector, their cosine if it is above `tau`, times `tau_sense` if one of them is a predicate.
 */
EXPORT bool grade_matches(Grading *now, int64_t pairs, int64_t src_facts, int64_t tgt_facts, int64_t labels,
                             int64_t concepts, int64_t dimension, int64_t capacity,
                             const int64_t src_start[pairs + 1],
                             const int32_t src_rows[src_facts][2],
                             const int64_t tgt_start[pairs + 1],
                             const int32_t tgt_rows[tgt_facts][2],
                             const int8_t kinds[labels], const int64_t concept_of[labels],
                             const int64_t lemma[concepts], const bool predicate[concepts],
                             const bool has_vector[concepts],
                             const double matrix[concepts][dimension],
                             double tau, double tau_sense,
                             int32_t src[capacity], int32_t tgt[capacity],
                             double weights[capacity], int64_t start[pairs + 1])
{
    start[0] = 0;
    for (; now->pair < pairs; now->pair++) {
        const int64_t p = now->pair;
        for (; now->fact < src_start[p + 1]; now->fact++) {
            const int64_t i = now->fact;
            if (!take_steps(&now->pause, (tgt_start[p + 1] - tgt_start[p]) * dimension))
                return false;
            /* Concepts of nodes match those of nodes, and concepts of roots those of roots. */
            const int32_t label = src_rows[i][1];
            if (kinds[label] == 0)
                continue;
            const int64_t a = concept_of[label];
            for (int64_t j = tgt_start[p]; j < tgt_start[p + 1]; j++) {
                if (kinds[tgt_rows[j][1]] != kinds[label] || tgt_rows[j][1] == label)
                    continue;
                const int64_t b = concept_of[tgt_rows[j][1]];
                double weight = 0;
                if (lemma[a] == lemma[b]) {
                    weight = tau_sense;
                } else if (has_vector[a] && has_vector[b]) {
                    const double cosine = compute_cosine(dimension, matrix[a], matrix[b]);
                    if (cosine > tau)
                        weight = predicate[a] || predicate[b] ? cosine * tau_sense : cosine;
                }
                if (weight > 0) {
                    src[now->count] = (int32_t)i;
                    tgt[now->count] = (int32_t)j;
                    weights[now->count] = weight;
                    now->count++;
                }
            }
        }
        start[p + 1] = now->count;
    }
    return true;
}
