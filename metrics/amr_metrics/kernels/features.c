/* Metrics that compare bags of features: amr_metrics.features.
 *
 * The features of both graphs of a pair are numbered in one table, which is cleared for each pair.
 * `counts` says how often each side has the feature of each number; it is zero between pairs.
 */
#include "kernels.h"
#include "pause.h"

enum { SRC, TGT };

static const int64_t STEPS = 16; /* that numbering a feature counts for: it may miss the cache */

/* SemBleu. */

enum { START = -1 };

/* A path of an n-gram. */
typedef struct {
    int64_t gram;   /* the number of its n-gram */
    int64_t end;    /* its last node */
    int64_t edge;   /* its last edge, START for a single node */
    int64_t parent; /* the position of the path without that edge, START for a single node */
} Path;

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

/* Group the edges of a graph by their source: those that leave node v are
 * leaving[start[v]] ... leaving[start[v + 1] - 1]. `end` is memory for an integer per node. */
static void group_by_source(const EncodedGraph *graph, int64_t *start, int64_t *leaving,
                            int64_t *end)
{
    for (int64_t v = 0; v <= graph->nodes; v++)
        start[v] = 0;
    for (int64_t e = 0; e < graph->edges; e++)
        start[graph->sources[e] + 1]++;
    for (int64_t v = 0; v < graph->nodes; v++) {
        /* `end` is where the next edge of a node goes: at last, where those of the next node
         * start. */
        end[v] = start[v];
        start[v + 1] += start[v];
    }
    for (int64_t e = 0; e < graph->edges; e++)
        leaving[end[graph->sources[e]]++] = e;
}

/* Find the nodes reachable from those without incoming edges, or else from the root. */
static void find_reached(const EncodedGraph *graph, const int64_t *start, const int64_t *leaving,
                         int64_t *queue, bool *reached)
{
    int64_t first = 0, last = 0;
    for (int64_t v = 0; v < graph->nodes; v++)
        reached[v] = true;
    for (int64_t e = 0; e < graph->edges; e++)
        reached[graph->targets[e]] = false;
    for (int64_t v = 0; v < graph->nodes; v++)
        if (reached[v])
            queue[last++] = v;
    if (graph->nodes > 0 && last == 0) {
        reached[graph->top] = true;
        queue[last++] = graph->top;
    }
    while (first < last) {
        const int64_t v = queue[first++];
        for (int64_t at = start[v]; at < start[v + 1]; at++) {
            const int64_t target = graph->targets[leaving[at]];
            if (!reached[target]) {
                reached[target] = true;
                queue[last++] = target;
            }
        }
    }
}

/* Check whether a path contains edge `e`. */
static bool contains_edge(const Path *paths, int64_t path, int64_t e)
{
    for (; path != START; path = paths[path].parent)
        if (paths[path].edge == e)
            return true;
    return false;
}

/* What `collect_ngrams` keeps: the paths of n + 1 nodes are first ... last - 1, of `size` so far. */
typedef struct {
    int64_t n, path, last, size;
} Paths;

typedef struct {
    Pause pause;
    int64_t line, pair, side;
    EncodedGraph graph;
    Numbering grams;
    Paths paths;
} Ngrams;
FITS(Ngrams);

/* Number the n-grams of single nodes, one for each node of `starts`. */
static void start_ngrams(Ngrams *now, const bool *starts, Path *paths)
{
    const EncodedGraph *const graph = &now->graph;
    int64_t size = 0;
    for (int64_t v = 0; v < graph->nodes; v++)
        if (starts[v])
            paths[size++]
                = (Path){number(&now->grams, START, START, graph->labels[v]), v, START, START};
    now->paths = (Paths){.last = size, .size = size};
}

/* Count the n-grams of a graph, and number the longer ones.
 *
 * N-grams are numbered as (number of the shorter n-gram, role, label of the last node). `order` is
 * the order of the n-gram of each number, less 1; `totals` the number of n-grams of each order.
 */
static bool collect_ngrams(Ngrams *now, int64_t k, const int64_t *start, const int64_t *leaving,
                           Path *paths, int64_t *order, int64_t (*counts)[2], int64_t *totals)
{
    const EncodedGraph *const graph = &now->graph;
    Numbering *const grams = &now->grams;
    Paths at = now->paths;
    const int64_t side = now->side;
    for (; at.n < k; at.n++) { /* breadth first */
        for (; at.path < at.last; at.path++) {
            const int64_t gram = paths[at.path].gram, end = paths[at.path].end;
            if (at.n + 1 < k
                && !take_steps(&now->pause, STEPS * (1 + start[end + 1] - start[end]))) {
                now->paths = at;
                return false;
            }
            order[gram] = at.n;
            counts[gram][side]++;
            totals[at.n]++;
            if (at.n + 1 == k)
                continue;
            for (int64_t x = start[end]; x < start[end + 1]; x++) {
                const int64_t e = leaving[x], target = graph->targets[e];
                if (contains_edge(paths, at.path, e))
                    continue;
                const int64_t longer = number(grams, gram, graph->roles[e], graph->labels[target]);
                paths[at.size++] = (Path){longer, target, e, at.path};
            }
        }
        at.last = at.size;
    }
    return true;
}

/* Count common n-grams and n-grams of both sides, one column per order.
 *
 * With `only_reached`, n-grams start only from the nodes of `find_reached`. `nodes` and `edges` are
 * the sizes of the largest graph; the table has room for all walks of both graphs of a pair. The
 * counts are zero before and after.
 */
EXPORT bool count_ngrams(Ngrams *now, int64_t pairs, int64_t k, bool only_reached, int64_t nodes,
                         int64_t edges, int64_t slots, const GraphTable *graphs,
                         const int64_t src[pairs], const int64_t tgt[pairs],
                         int64_t start[nodes + 1], int64_t leaving[edges], int64_t queue[nodes],
                         bool starts[nodes], int64_t paths[slots / 2][4], int64_t memory[3 * slots],
                         int64_t order[slots / 2], int64_t counts[slots / 2][2],
                         int64_t matches[pairs][k], int64_t src_grams[pairs][k],
                         int64_t tgt_grams[pairs][k])
{
    BEGIN(now);
    now->grams = create_numbering(slots, memory);
    for (; now->pair < pairs; now->pair++) {
        clear_numbering(&now->grams);
        for (int64_t n = 0; n < k; n++)
            matches[now->pair][n] = src_grams[now->pair][n] = tgt_grams[now->pair][n] = 0;
        for (now->side = SRC; now->side <= TGT; now->side++) {
            now->graph = graph_of(graphs, (now->side == SRC ? src : tgt)[now->pair]);
            group_by_source(&now->graph, start, leaving, queue);
            if (only_reached)
                find_reached(&now->graph, start, leaving, queue, starts);
            else
                for (int64_t v = 0; v < now->graph.nodes; v++)
                    starts[v] = true;
            start_ngrams(now, starts, (Path *)paths);
            AWAIT(now, collect_ngrams(now, k, start, leaving, (Path *)paths, order, counts,
                                      (now->side == SRC ? src_grams : tgt_grams)[now->pair]));
        }
        for (int64_t gram = 0; gram < now->grams.size; gram++) {
            matches[now->pair][order[gram]] += min_int(counts[gram][SRC], counts[gram][TGT]);
            counts[gram][SRC] = counts[gram][TGT] = 0;
        }
    }
    END(now);
}

/* The state of kernels that pause between pairs, or between the edges of a pair. */
typedef struct {
    Pause pause;
    int64_t pair, edge;
} Features;
FITS(Features);

/* SEMA. */

enum { CONCEPT = -1 }; /* marks the key of a concept by itself */

/* Check whether two nodes have the same label. */
static inline bool are_alike(const EncodedGraph *a, int64_t i, const EncodedGraph *b, int64_t j)
{
    return a->labels[i] == b->labels[j];
}

/* Check whether both graphs have a root, with the same concept. */
static bool have_same_root(const EncodedGraph *a, const EncodedGraph *b)
{
    return a->variables > 0 && b->variables > 0 && are_alike(a, a->top, b, b->top);
}

/* Count the edges of a graph as (concept, role, concept or constant); `numbers` are theirs. */
static void count_edges(const EncodedGraph *graph, Numbering *keys, int64_t (*counts)[2], int side,
                        int64_t *numbers)
{
    for (int64_t e = 0; e < graph->edges; e++) {
        const int64_t s = graph->sources[e], t = graph->targets[e];
        const int64_t role = t < graph->variables ? graph->roles[e] : ~graph->roles[e];
        numbers[e] = number(keys, graph->labels[s], role, graph->labels[t]);
        counts[numbers[e]][side]++;
    }
}

/* Count the concepts of the nodes that are ends of a relation of the other graph.
 *
 * So are nodes without relations to other nodes, and the root if both roots are alike. `anchored`
 * and `touched` are memory for a boolean per node.
 */
static void count_anchored(const EncodedGraph *graph, const int64_t *edges, bool root,
                           Numbering *keys, int64_t (*counts)[2], int side, bool *anchored,
                           bool *touched)
{
    for (int64_t i = 0; i < graph->variables; i++)
        anchored[i] = touched[i] = false;
    for (int64_t e = 0; e < graph->edges; e++) {
        const int64_t s = graph->sources[e], t = graph->targets[e];
        if (t < graph->variables) {
            touched[s] = touched[t] = true;
            if (counts[edges[e]][side == SRC ? TGT : SRC] > 0)
                anchored[s] = anchored[t] = true;
        }
    }
    if (root)
        anchored[graph->top] = true;
    for (int64_t i = 0; i < graph->variables; i++)
        if (anchored[i] || !touched[i])
            counts[number(keys, CONCEPT, CONCEPT, graph->labels[i])][side]++;
}

/* Count the matching triples of each pair, each matched with one triple of the other graph.
 *
 * `nodes` and `edges` are the sizes of the largest graph; the table has room for all variables and
 * edges of both graphs of a pair. The counts are zero before and after.
 */
EXPORT bool match_one_to_one(Features *now, int64_t pairs, int64_t nodes, int64_t edges,
                             int64_t slots, const GraphTable *graphs,
                             const int64_t hypothesis[pairs], const int64_t gold[pairs],
                             int64_t numbers[2][edges], bool marks[2][nodes],
                             int64_t memory[3 * slots], int64_t counts[slots / 2][2],
                             int64_t matches[pairs])
{
    Numbering keys = create_numbering(slots, memory);
    for (; now->pair < pairs; now->pair++) {
        const int64_t p = now->pair;
        const EncodedGraph sides[2] = {graph_of(graphs, hypothesis[p]), graph_of(graphs, gold[p])};
        const bool root = have_same_root(&sides[0], &sides[1]);
        if (!take_steps(&now->pause, STEPS * (sides[0].edges + sides[1].edges)))
            return false;
        clear_numbering(&keys);
        /* All edges are counted before any concept: a concept counts if it is at a matching
         * edge. */
        for (int side = 0; side < 2; side++)
            count_edges(&sides[side], &keys, counts, side, numbers[side]);
        for (int side = 0; side < 2; side++)
            count_anchored(&sides[side], numbers[side], root, &keys, counts, side, marks[0],
                           marks[1]);
        matches[p] = 0;
        for (int64_t k = 0; k < keys.size; k++) {
            matches[p] += min_int(counts[k][0], counts[k][1]);
            counts[k][0] = counts[k][1] = 0;
        }
    }
    return true;
}

/* Check whether a triple equal to `h` was matched before, or one with the same ends. */
static void find_matched(const EncodedGraph *gold, int64_t h, const bool *edge_found, bool *equal,
                         bool *parallel)
{
    *equal = *parallel = false;
    for (int64_t q = 0; q < gold->edges; q++) {
        if (!edge_found[q] || gold->sources[q] != gold->sources[h])
            continue;
        const int64_t s = gold->targets[q], t = gold->targets[h];
        if (s == t || (min_int(s, t) >= gold->variables && are_alike(gold, s, gold, t))) {
            *parallel = true;
            *equal = *equal || gold->roles[q] == gold->roles[h];
        }
    }
}

/* Return the first gold triple from `h` on that equals a triple of the hypothesis, or their number.
 */
static int64_t find_equal(const EncodedGraph *hypothesis, int64_t e, const EncodedGraph *gold,
                          int64_t h)
{
    const bool constant = hypothesis->targets[e] >= hypothesis->variables;
    for (; h < gold->edges; h++) {
        const int64_t s = gold->sources[h], t = gold->targets[h];
        if (hypothesis->roles[e] == gold->roles[h] && constant == (t >= gold->variables)
            && are_alike(hypothesis, hypothesis->sources[e], gold, s)
            && are_alike(hypothesis, hypothesis->targets[e], gold, t))
            break;
    }
    return h;
}

/* Return how many triples the gold triple `h` adds that equals one of the hypothesis.
 *
 * The order of the cases is that of the tool as it was released, commit 9a4911c, and decides which
 * nodes and edges of the gold graph are left to later triples.
 */
static int64_t match_triple(const EncodedGraph *gold, int64_t h, bool *node_found,
                            bool *edge_found)
{
    const int64_t s = gold->sources[h], t = gold->targets[h];
    int64_t matches = 0;
    bool found, parallel;
    find_matched(gold, h, edge_found, &found, &parallel);
    if (t >= gold->variables) {
        if (!found) {
            matches++;
            edge_found[h] = true;
        }
        return matches;
    }
    if (!node_found[t] && !found) {
        matches += 2;
        node_found[t] = edge_found[h] = found = true;
    }
    if (!node_found[s]) {
        matches++;
        node_found[s] = true;
    }
    if (node_found[t] && !found && !parallel) {
        matches++;
        edge_found[h] = true;
    }
    return matches;
}

typedef struct {
    Pause pause;
    int64_t line, pair, work, e, h;
    EncodedGraph hypothesis, gold;
} Sema;
FITS(Sema);

/* Take as many steps as the gold graph has edges; returns whether this exceeds the limit. */
static bool exceed(Sema *now)
{
    now->pause.left -= now->gold.edges;
    now->work -= now->gold.edges;
    return now->work < 0;
}

/* Count the matching triples of each pair as the published tool does, by comparing each hypothesis
 * triple with all gold triples; -1 for a pair that needs more than `work` steps. `nodes` and `edges`
 * are the sizes of the largest graph. */
EXPORT bool match_all_with_reuse(Sema *now, int64_t pairs, int64_t work, int64_t nodes,
                                 int64_t edges, const GraphTable *graphs,
                                 const int64_t hypothesis[pairs], const int64_t gold[pairs],
                                 bool node_found[nodes], bool edge_found[edges],
                                 int64_t matches[pairs])
{
    const EncodedGraph *const a = &now->hypothesis, *const b = &now->gold;
    BEGIN(now);
    for (; now->pair < pairs; now->pair++) {
        now->hypothesis = graph_of(graphs, hypothesis[now->pair]);
        now->gold = graph_of(graphs, gold[now->pair]);
        now->work = work;
        matches[now->pair] = 0;
        for (int64_t i = 0; i < b->variables; i++)
            node_found[i] = false;
        for (int64_t h = 0; h < b->edges; h++)
            edge_found[h] = false;
        if (have_same_root(a, b)) {
            node_found[b->top] = true;
            matches[now->pair]++;
        }
        for (now->e = 0; now->e < a->edges && !exceed(now); now->e++) {
            now->h = find_equal(a, now->e, b, 0);
            while (now->h < b->edges && !exceed(now)) {
                PAUSE(now, now->pause.left <= 0);
                matches[now->pair] += match_triple(b, now->h, node_found, edge_found);
                now->h = find_equal(a, now->e, b, now->h + 1);
            }
            PAUSE(now, now->pause.left <= 0);
        }
        if (now->work < 0)
            matches[now->pair] = -1;
    }
    END(now);
}

/* Rematch. */

enum { ATTRIBUTE = -1, INSTANCE = -2, BARE = -1 };

/* Find where the instance motifs of each node start: one per attribute, at least one. */
static void find_instances(const EncodedGraph *graph, int64_t *start)
{
    for (int64_t i = 0; i <= graph->variables; i++)
        start[i] = 0;
    for (int64_t e = 0; e < graph->edges; e++)
        if (graph->targets[e] >= graph->variables)
            start[graph->sources[e] + 1]++;
    for (int64_t i = 0; i < graph->variables; i++)
        start[i + 1] = start[i] + max_int(start[i + 1], 1);
}

/* Bound the number of motifs of each graph from above: doubles, since integers could overflow.
 * The largest graph has `nodes` nodes. */
EXPORT void count_motifs(int64_t graphs, int64_t nodes, const GraphTable *table,
                         int64_t start[nodes + 1], double counts[graphs])
{
    for (int64_t g = 0; g < graphs; g++) {
        const EncodedGraph graph = graph_of(table, g);
        find_instances(&graph, start);
        counts[g] = (double)start[graph.variables];
        for (int64_t e = 0; e < graph.edges; e++) {
            const int64_t s = graph.sources[e], t = graph.targets[e];
            if (t >= graph.variables)
                counts[g] += 1;
            else
                counts[g] += (double)(start[s + 1] - start[s]) * (double)(start[t + 1] - start[t]);
        }
    }
}

/* The state of `share_motifs`: in the graph of one side, the edge. */
typedef struct {
    Pause pause;
    int64_t line, pair, side, edge;
    EncodedGraph graph;
    Numbering motifs;
} Rematch;
FITS(Rematch);

/* Number the motifs of single nodes and their attributes, and mark them as seen. */
static void collect_instances(Rematch *now, bool (*seen)[2], int64_t *start, int64_t *end,
                              int64_t *instances)
{
    const EncodedGraph *const graph = &now->graph;
    Numbering *const motifs = &now->motifs;
    const int64_t side = now->side;
    const int64_t *labels = graph->labels, *sources = graph->sources, *targets = graph->targets;
    find_instances(graph, start);
    for (int64_t i = 0; i < graph->variables; i++)
        end[i] = start[i];
    for (int64_t e = 0; e < graph->edges; e++) {
        if (targets[e] < graph->variables)
            continue;
        const int64_t s = sources[e];
        const int64_t attribute = number(motifs, ATTRIBUTE, graph->roles[e], labels[targets[e]]);
        seen[attribute][side] = true;
        instances[end[s]++] = number(motifs, INSTANCE, labels[s], attribute);
    }
    for (int64_t i = 0; i < graph->variables; i++)
        if (end[i] == start[i])
            instances[end[i]] = number(motifs, INSTANCE, labels[i], BARE);
    for (int64_t k = 0; k < start[graph->variables]; k++)
        seen[instances[k]][side] = true;
}

/* Number the motifs of relations, and mark them as seen. */
static bool collect_relations(Rematch *now, bool (*seen)[2], const int64_t *start,
                              const int64_t *instances)
{
    const EncodedGraph *const graph = &now->graph;
    const int64_t side = now->side;
    for (int64_t e = now->edge; e < graph->edges; e++) {
        const int64_t s = graph->sources[e], t = graph->targets[e];
        if (t >= graph->variables)
            continue;
        if (!take_steps(&now->pause,
                        STEPS * (start[s + 1] - start[s]) * (start[t + 1] - start[t]))) {
            now->edge = e;
            return false;
        }
        for (int64_t a = start[s]; a < start[s + 1]; a++)
            for (int64_t b = start[t]; b < start[t + 1]; b++)
                seen[number(&now->motifs, instances[a], graph->roles[e], instances[b])][side]
                    = true;
    }
    now->edge = 0;
    return true;
}

/* Count the motifs in the intersection and in the union of each pair.
 *
 * `nodes` is the size of the largest graph; the table has room for all motifs of both graphs of a
 * pair. Nothing is seen before and after.
 */
EXPORT bool share_motifs(Rematch *now, int64_t pairs, int64_t nodes, int64_t slots,
                         const GraphTable *graphs, const int64_t src[pairs],
                         const int64_t tgt[pairs], int64_t start[nodes + 1], int64_t end[nodes],
                         int64_t instances[slots / 2], int64_t memory[3 * slots],
                         bool seen[slots / 2][2], int64_t shared[pairs], int64_t joined[pairs])
{
    Numbering *const motifs = &now->motifs;
    BEGIN(now);
    *motifs = create_numbering(slots, memory);
    for (; now->pair < pairs; now->pair++) {
        clear_numbering(motifs);
        for (now->side = SRC; now->side <= TGT; now->side++) {
            now->graph = graph_of(graphs, (now->side == SRC ? src : tgt)[now->pair]);
            collect_instances(now, seen, start, end, instances);
            AWAIT(now, collect_relations(now, seen, start, instances));
        }
        joined[now->pair] = motifs->size;
        shared[now->pair] = 0;
        for (int64_t k = 0; k < motifs->size; k++) {
            shared[now->pair] += seen[k][SRC] && seen[k][TGT];
            seen[k][SRC] = seen[k][TGT] = false;
        }
    }
    END(now);
}

/* WLK. */

enum { NODE = -1, NEIGHBOUR = -2, SELF = -3, LIST = -4 }; /* kinds of features */

/* How labels of the next level are formed. */
typedef struct {
    bool outgoing;    /* the targets of outgoing relations are neighbours */
    int64_t incoming; /* and the sources of incoming ones: 0 no, 1 alike, 2 with roles of their own */
    bool once;        /* only the neighbours of the first node of each label are used */
} Refinement;

/* A neighbour of a node: the number of (role, label). */
typedef struct {
    int64_t number, node;
} Neighbour;

/* Sort neighbours by their numbers: runs of a few by insertion, then merged. `memory` is as long. */
static void sort_neighbours(int64_t count, Neighbour *neighbours, Neighbour *memory)
{
    enum { RUN = 16 };
    for (int64_t k = 0; k < count; k++) {
        const Neighbour inserted = neighbours[k];
        int64_t at = k;
        for (; at % RUN > 0 && neighbours[at - 1].number > inserted.number; at--)
            neighbours[at] = neighbours[at - 1];
        neighbours[at] = inserted;
    }
    for (int64_t run = RUN; run < count; run *= 2) {
        for (int64_t first = 0; first < count; first += 2 * run) {
            const int64_t middle = min_int(first + run, count);
            const int64_t last = min_int(first + 2 * run, count);
            int64_t a = first, b = middle;
            for (int64_t k = first; k < last; k++) {
                if (b == last || (a < middle && neighbours[a].number <= neighbours[b].number))
                    memory[k] = neighbours[a++];
                else
                    memory[k] = neighbours[b++];
            }
        }
        for (int64_t k = 0; k < count; k++)
            neighbours[k] = memory[k];
    }
}

/* The state of `multiply_labels`. */
typedef struct {
    Pause pause;
    int64_t line, pair, side, level, neighbours;
    EncodedGraph graph;
    Numbering numbers;
} Wlk;
FITS(Wlk);

/* Number the neighbours of each node by (role, label), and sort them by their numbers. */
static void collect_neighbours(Wlk *now, Refinement refinement, Neighbour *neighbours,
                               Neighbour *sorting, const int64_t *labels)
{
    const EncodedGraph *const graph = &now->graph;
    Numbering *const numbers = &now->numbers;
    int64_t count = 0;
    for (int64_t e = 0; e < graph->edges; e++) {
        const int64_t s = graph->sources[e], t = graph->targets[e], role = graph->roles[e];
        if (refinement.outgoing)
            neighbours[count++] = (Neighbour){number(numbers, NEIGHBOUR, role, labels[t]), s};
        if (refinement.incoming) {
            const int64_t incoming = refinement.incoming == 1 ? role : ~role;
            neighbours[count++] = (Neighbour){number(numbers, NEIGHBOUR, incoming, labels[s]), t};
        }
    }
    sort_neighbours(count, neighbours, sorting);
    now->neighbours = count;
    now->pause.left -= STEPS * count;
}

/* Combine the label of each node with the sorted labels of its neighbours.
 *
 * `refined` are the new labels; `first`, an integer per number, is memory.
 */
static void refine_labels(Wlk *now, bool once, const Neighbour *neighbours, int64_t *first,
                          const int64_t *labels, int64_t *refined)
{
    const EncodedGraph *const graph = &now->graph;
    Numbering *const numbers = &now->numbers;
    const int64_t count = now->neighbours, n = now->level;
    for (int64_t i = 0; i < graph->nodes; i++)
        refined[i] = number(numbers, SELF, n, labels[i]);
    /* A node's label grows by one neighbour at a time, in the order of their numbers, so that equal
     * multisets of neighbours give equal labels. */
    for (int64_t k = 0; k < count; k++) {
        const int64_t i = neighbours[k].node;
        refined[i] = number(numbers, LIST, refined[i], neighbours[k].number);
    }
    if (once) {
        for (int64_t i = graph->nodes - 1; i >= 0; i--)
            first[labels[i]] = i;
        for (int64_t i = 0; i < graph->nodes; i++)
            refined[i] = refined[first[labels[i]]];
    }
    now->pause.left -= STEPS * (count + graph->nodes);
}

/* Return the inner products of the label counts of both graphs, per level: src with tgt, src with
 * itself, tgt with itself.
 *
 * Level 0 counts the labels of nodes and the triples; `once` counts each label only once. `nodes`
 * and `edges` are the sizes of the largest graph; `Wlk.features` says how many numbers a graph may
 * need. `level` and the counts are zero before and after.
 */
EXPORT bool multiply_labels(Wlk *now, int64_t pairs, int64_t K, bool outgoing, int64_t incoming,
                            bool once, int64_t nodes, int64_t edges, int64_t slots,
                            const GraphTable *graphs, const int64_t src[pairs],
                            const int64_t tgt[pairs], int64_t node_labels[2][nodes],
                            int64_t neighbours[2][2 * edges][2], int64_t first[slots / 2],
                            int64_t memory[3 * slots], int64_t level[slots / 2],
                            int64_t counts[slots / 2][2], double products[3][pairs][K + 1])
{
    const Refinement refinement = {outgoing, incoming, once};
    const EncodedGraph *const graph = &now->graph;
    Numbering *const numbers = &now->numbers;
    Neighbour *const near = (Neighbour *)neighbours[0];
    BEGIN(now);
    *numbers = create_numbering(slots, memory);
    for (; now->pair < pairs; now->pair++) {
        clear_numbering(numbers);
        for (now->side = SRC; now->side <= TGT; now->side++) {
            now->graph = graph_of(graphs, (now->side == SRC ? src : tgt)[now->pair]);
            int64_t *labels = node_labels[0];
            for (int64_t i = 0; i < graph->nodes; i++) {
                labels[i] = number(numbers, NODE, NODE, graph->labels[i]);
                counts[labels[i]][now->side]++;
            }
            for (int64_t e = 0; e < graph->edges; e++) {
                const int64_t s = labels[graph->sources[e]], t = labels[graph->targets[e]];
                counts[number(numbers, s, graph->roles[e], t)][now->side]++;
            }
            /* The labels of even levels are in node_labels[0], those of odd ones in the other. */
            for (now->level = 1; now->level <= K; now->level++) {
                PAUSE(now, now->pause.left <= 0);
                collect_neighbours(now, refinement, near, (Neighbour *)neighbours[1],
                                   node_labels[(now->level - 1) % 2]);
                PAUSE(now, now->pause.left <= 0);
                int64_t *labels = node_labels[now->level % 2];
                refine_labels(now, once, near, first, node_labels[(now->level - 1) % 2], labels);
                for (int64_t i = 0; i < graph->nodes; i++) {
                    counts[labels[i]][now->side]++;
                    level[labels[i]] = now->level;
                }
            }
        }
        const int64_t p = now->pair;
        for (int64_t n = 0; n <= K; n++)
            products[0][p][n] = products[1][p][n] = products[2][p][n] = 0;
        for (int64_t k = 0; k < numbers->size; k++) {
            int64_t a = counts[k][SRC], b = counts[k][TGT];
            if (once) {
                a = min_int(a, 1);
                b = min_int(b, 1);
            }
            products[0][p][level[k]] += (double)(a * b);
            products[1][p][level[k]] += (double)(a * a);
            products[2][p][level[k]] += (double)(b * b);
            counts[k][SRC] = counts[k][TGT] = level[k] = 0;
        }
    }
    END(now);
}

/* Overlap of labels, and best matches of relations. */

/* Return the total weight of the matched facts, of all facts of src and of those of tgt.
 *
 * Equal facts have equal keys. Each fact of src in turn matches a fact of tgt that is not matched
 * yet: `unmatched` says how many of each number there are. The table has room for all facts of both
 * graphs of a pair.
 */
EXPORT bool match_facts(Features *now, int64_t graphs, int64_t facts, int64_t pairs, int64_t slots,
                        const int64_t keys[facts], const int64_t start[graphs + 1],
                        const double weights[facts],
                        const int64_t src[pairs], const int64_t tgt[pairs],
                        int64_t memory[3 * slots], int64_t unmatched[slots / 2],
                        double totals[3][pairs])
{
    Numbering numbers = create_numbering(slots, memory);
    for (; now->pair < pairs; now->pair++) {
        const int64_t p = now->pair, i_end = start[src[p] + 1], j_end = start[tgt[p] + 1];
        if (!take_steps(&now->pause, STEPS * (i_end - start[src[p]] + j_end - start[tgt[p]])))
            return false;
        double matched = 0, in_src = 0, in_tgt = 0;
        clear_numbering(&numbers);
        for (int64_t j = start[tgt[p]]; j < j_end; j++) {
            const int64_t size = numbers.size, k = number(&numbers, keys[j], 0, 0);
            unmatched[k] = k == size ? 1 : unmatched[k] + 1;
            in_tgt += weights[j];
        }
        const int64_t size = numbers.size;
        for (int64_t i = start[src[p]]; i < i_end; i++) {
            const int64_t k = number(&numbers, keys[i], 0, 0);
            in_src += weights[i];
            if (k < size && unmatched[k] > 0) {
                unmatched[k]--;
                matched += weights[i];
            }
        }
        totals[0][p] = matched;
        totals[1][p] = in_src;
        totals[2][p] = in_tgt;
    }
    return true;
}

/* Return the precision and the recall of relations with each of three weights.
 *
 * The similarity of two relations with the same role is the product of the cosines of their sources
 * and of their targets; `cosines` are n x m between the nodes of both graphs of each pair, and
 * `best` is memory for the largest similarity of each relation of a pair, of at most `edges` on
 * each side.
 */
EXPORT bool match_relations(Features *now, int64_t pairs, int64_t relations, int64_t edges,
                            const GraphTable *graphs,
                            const int64_t src[pairs], const int64_t tgt[pairs],
                            const double *cosines, const int64_t cosine_start[pairs + 1],
                            const double weights[3][relations],
                            double best[2][edges], double shares[3][2][pairs])
{
    for (; now->pair < pairs; now->pair++) {
        const int64_t p = now->pair;
        const EncodedGraph a = graph_of(graphs, src[p]), b = graph_of(graphs, tgt[p]);
        const EncodedGraph *sides[2] = {&a, &b};
        const int64_t first[2] = {graphs->edge_start[src[p]], graphs->edge_start[tgt[p]]};
        const double *cosine = cosines + cosine_start[p];
        for (int side = SRC; side <= TGT; side++)
            for (int64_t e = 0; e < (now->edge ? 0 : sides[side]->edges); e++)
                best[side][e] = 0;
        for (int64_t i = now->edge; i < a.edges; i++) {
            if (!take_steps(&now->pause, b.edges)) {
                now->edge = i;
                return false;
            }
            const double *source = cosine + a.sources[i] * b.nodes;
            const double *target = cosine + a.targets[i] * b.nodes;
            for (int64_t j = 0; j < b.edges; j++) {
                if (a.roles[i] != b.roles[j])
                    continue;
                const double s = source[b.sources[j]], t = target[b.targets[j]];
                /* Conditional expressions are faster here than branches. */
                const double product = s > 0 && t > 0 ? s * t : 0;
                const double similarity = product < 1 ? product : 1;
                best[SRC][i] = similarity > best[SRC][i] ? similarity : best[SRC][i];
                best[TGT][j] = similarity > best[TGT][j] ? similarity : best[TGT][j];
            }
        }
        now->edge = 0;
        for (int side = SRC; side <= TGT; side++) {
            double total[3] = {0}, matched[3] = {0};
            for (int64_t e = 0; e < sides[side]->edges; e++) {
                for (int k = 0; k < 3; k++) {
                    const double weight = weights[k][first[side] + e];
                    total[k] += weight;
                    matched[k] += weight * best[side][e];
                }
            }
            for (int k = 0; k < 3; k++) {
                shares[k][side][p] = total[k] > 0 ? matched[k] / total[k] : 1;
                if (a.edges == 0 || b.edges == 0)
                    shares[k][side][p] = a.edges == b.edges;
            }
        }
    }
    return true;
}
