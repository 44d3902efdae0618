/* What the kernels share: exports, structs of tables, the numbering of features. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* Marks the functions and values that Python uses; all others are hidden. */
#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

static inline int64_t min_int(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max_int(int64_t a, int64_t b) { return a > b ? a : b; }

/* Many graphs in flat arrays: amr_metrics.graphs.encoding.GraphTable. */
typedef struct {
    const int64_t *labels, *node_start, *variables, *tops;
    const int64_t *sources, *roles, *targets, *edge_start;
} GraphTable;

/* One graph of a table; ends of edges are positions within the graph. */
typedef struct {
    int64_t nodes, variables, top, edges;
    const int64_t *labels, *sources, *roles, *targets;
} EncodedGraph;

/* Return graph `g` of a table. */
static inline EncodedGraph graph_of(const GraphTable *table, int64_t g)
{
    const int64_t node = table->node_start[g], edge = table->edge_start[g];
    return (EncodedGraph){
        .nodes = table->node_start[g + 1] - node,
        .variables = table->variables[g],
        .top = table->tops[g],
        .edges = table->edge_start[g + 1] - edge,
        .labels = table->labels + node,
        .sources = table->sources + edge,
        .roles = table->roles + edge,
        .targets = table->targets + edge,
    };
}

/* An open-addressing hash table from triples to 0, 1, 2 ... in order of first occurrence.
 *
 * Keys are compared, never only hashed: equal numbers mean equal triples. A path `a :r b :s c` is
 * the triple (number of `a :r b`, `:s`, `c`), and so on.
 */
typedef struct {
    int64_t *slots;     /* the number in each slot, -1 in free slots */
    int64_t (*keys)[3]; /* the triple of each number */
    int64_t *places;    /* the slot of each number */
    int64_t mask;       /* the number of slots, a power of two, less 1 */
    int64_t size;       /* the number of triples, at most half the number of slots */
    int64_t factors[3]; /* of the three integers; the weighted sum determines the first slot */
    /* How far the triples are from their first slots, in total. If this exceeds the number of
     * slots, as it does for triples made to collide, the factors change, but not the numbers. */
    int64_t steps;
} Numbering;

/* Return an empty table in memory for 3 * slots integers; `count_slots` in Python says how many. */
Numbering create_numbering(int64_t slots, int64_t *memory);
/* Remove all triples; the factors stay. */
void clear_numbering(Numbering *table);
void rehash(Numbering *table);

static inline int64_t first_slot(const Numbering *table, int64_t a, int64_t b, int64_t c)
{
    /* Unsigned, since the products may overflow. */
    const uint64_t mixed = (uint64_t)a * (uint64_t)table->factors[0]
                         + (uint64_t)b * (uint64_t)table->factors[1]
                         + (uint64_t)c * (uint64_t)table->factors[2];
    return (int64_t)((mixed ^ (mixed >> 17)) & (uint64_t)table->mask);
}

/* Return the number of a triple; a new triple is added. The table must not be full. */
static inline int64_t number(Numbering *table, int64_t a, int64_t b, int64_t c)
{
    /* Linear probing: a triple is in its first slot, or in one of those behind it up to a free
     * one. At least half of the slots are free, so that this ends. */
    const int64_t first = first_slot(table, a, b, c);
    int64_t slot = first, k;
    while ((k = table->slots[slot]) >= 0) {
        const int64_t *key = table->keys[k];
        if (key[0] == a && key[1] == b && key[2] == c)
            return k;
        slot = (slot + 1) & table->mask; /* `& mask` is the remainder of a power of two */
    }
    k = table->size++;
    table->slots[slot] = k;
    table->places[k] = slot;
    table->keys[k][0] = a;
    table->keys[k][1] = b;
    table->keys[k][2] = c;
    table->steps += (slot - first) & table->mask;
    if (table->steps > table->mask + 1)
        rehash(table);
    return k;
}

#endif
