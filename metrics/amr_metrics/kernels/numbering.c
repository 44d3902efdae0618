/* Numbering of features: each distinct triple of integers gets its own number. */
#include "kernels.h"

static const int64_t FACTORS[3] = {73856093, 19349663, 83492791}; /* primes */
static const int64_t PRIME = (1 << 27) - 39; /* later factors are at most this */

Numbering create_numbering(int64_t slots, int64_t *memory)
{
    Numbering table = {
        .slots = memory,
        .keys = (int64_t(*)[3])(memory + slots),
        .places = memory + slots + 3 * (slots / 2),
        .mask = slots - 1,
        .factors = {FACTORS[0], FACTORS[1], FACTORS[2]},
    };
    for (int64_t slot = 0; slot < slots; slot++)
        table.slots[slot] = -1;
    return table;
}

void clear_numbering(Numbering *table)
{
    /* Only the slots in use are freed: the time depends on the last graph, not on the largest. */
    for (int64_t k = 0; k < table->size; k++)
        table->slots[table->places[k]] = -1;
    table->size = table->steps = 0;
}

/* Enter the triples again, with other factors until few steps are needed. */
void rehash(Numbering *table)
{
    const int64_t slots = table->mask + 1;
    int64_t limit = slots;
    while (table->steps > limit) {
        limit += slots; /* this ends, whatever the triples are */
        table->steps = 0;
        for (int64_t k = 0; k < table->size; k++)
            table->slots[table->places[k]] = -1;
        for (int i = 0; i < 3; i++)
            table->factors[i] = (table->factors[i] * 16807 % PRIME) | 1;
        for (int64_t k = 0; k < table->size; k++) {
            const int64_t *key = table->keys[k];
            const int64_t first = first_slot(table, key[0], key[1], key[2]);
            int64_t slot = first;
            while (table->slots[slot] >= 0)
                slot = (slot + 1) & table->mask;
            table->slots[slot] = k;
            table->places[k] = slot;
            table->steps += (slot - first) & table->mask;
            if (table->steps > limit)
                break;
        }
    }
}
