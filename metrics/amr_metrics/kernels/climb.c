/* Local search: improve a map by moving one node, or swapping two, at a time. */
#include "alignment.h"

static const double SMALLEST_GAIN = 1e-9;

/* Add a node pair to the map, or remove it, and update the support of the others. */
static void set_mapped(int64_t pair, bool mapped, Workspace *space)
{
    NodePair *const pairs = space->pairs;
    const int64_t first = pairs[pair].first, end = pairs[pair + 1].first;
    const double sign = mapped ? 1 : -1;
    pairs[pair].mapped = mapped;
    space->work -= end - first;
    for (int64_t t = first; t < end; t++) {
        const int64_t h = space->incident[t];
        pairs[space->halves[h ^ 1].pair].support += sign * space->weight[h >> 1];
    }
}

static void map_row(int64_t i, int64_t j, Workspace *space)
{
    space->rows[i].partner = j;
    space->columns[j].owner = i;
    set_mapped(i * space->m + j, true, space);
}

static void unmap_row(int64_t i, Workspace *space)
{
    const int64_t j = space->rows[i].partner;
    space->rows[i].partner = space->columns[j].owner = -1;
    set_mapped(i * space->m + j, false, space);
}

/* Return the weight of the matches that touch both pairs. */
static double shared_weight(int64_t a, int64_t b, Workspace *space)
{
    const NodePair *const pairs = space->pairs;
    /* The halves of both pairs are in the same order: the sum is the same to the last bit. */
    if (pairs[b + 1].first - pairs[b].first < pairs[a + 1].first - pairs[a].first) {
        const int64_t swap = a;
        a = b;
        b = swap;
    }
    space->work -= pairs[a + 1].first - pairs[a].first;
    double total = 0;
    for (int64_t t = pairs[a].first; t < pairs[a + 1].first; t++) {
        const int64_t h = space->incident[t];
        if (space->halves[h ^ 1].pair == b)
            total += space->weight[h >> 1];
    }
    return total;
}

/* Find row i's best move or swap: returns the column that it takes, or -1 if no move gains. */
static int64_t find_best_move(int64_t i, Workspace *space, double *best_gain)
{
    const NodePair *const pairs = space->pairs;
    const int64_t m = space->m, options = space->rows[i].options;
    const int64_t current = space->rows[i].partner, current_pair = i * m + current;
    const double loss = current >= 0 ? pairs[current_pair].support : 0;
    int64_t best = -1;
    *best_gain = SMALLEST_GAIN;
    for (int64_t t = i * m; t < i * m + options; t++) {
        if (space->work <= 0)
            break;
        const int64_t j = space->options[t], k = space->columns[j].owner;
        if (k == i)
            continue;
        /* Two pairs in one row or column have no match in common, so that the supports of the pairs
         * to add do not contain matches with those to remove. */
        double gain = pairs[i * m + j].support - loss;
        if (k >= 0) {
            gain -= pairs[k * m + j].support;
            if (current >= 0) {
                /* Swap (i, current) and (k, j) for (i, j) and (k, current). A match between the two
                 * removed pairs is in the support of both, so it was subtracted twice; one between
                 * the two added pairs is in the support of neither. */
                gain += shared_weight(current_pair, k * m + j, space);
                const int64_t exchanged = k * m + current;
                if (pairs[exchanged].allowed) {
                    gain += pairs[exchanged].support;
                    gain += shared_weight(i * m + j, exchanged, space);
                }
            }
        }
        if (gain > *best_gain) {
            *best_gain = gain;
            best = j;
        }
    }
    space->work -= options;
    return best;
}

/* Improve the current map until no single move or swap improves it, or no work is left.
 *
 * Each row in turn takes its best column if that increases the value: a free column (move), or that
 * of another row, which gets the row's column in exchange if that pair is allowed (swap).
 * `index_halves` must have been called.
 *
 * Reads `partner` and `options`; writes `partner`, `owner`, `mapped` and `support`, and the map's
 * value to `space->climb`.
 */
bool climb(Workspace *space)
{
    Climb *const now = &space->climb;
    Row *const rows = space->rows;
    Column *const columns = space->columns;
    NodePair *const pairs = space->pairs;
    const int64_t n = space->n, m = space->m;
    int64_t i = now->row;
    BEGIN(now);
    /* Invariant: support[p] = u[p] + the weights of the matches at p whose other pair is mapped.
     * This is what the map loses if pair p leaves it, or gains if p is added. */
    for (int64_t j = 0; j < m; j++)
        columns[j].owner = -1;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t t = i * m; t < i * m + rows[i].options; t++) {
            const int64_t pair = i * m + space->options[t];
            pairs[pair].support = pairs[pair].unary;
        }
    }
    now->value = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = rows[i].partner;
        if (j >= 0) {
            now->value += pairs[i * m + j].support;
            map_row(i, j, space);
        }
    }
    /* Each step gains at least SMALLEST_GAIN, and the value is bounded: the loop ends. With no gain
     * for n rows in sequence, the map is a local optimum. */
    now->rows_without_gain = 0;
    while (now->rows_without_gain < n && space->work > 0) {
        for (i = 0; i < n && space->work > 0; i++) {
            now->row = i;
            PAUSE(now, space->work <= space->pause);
            double gain;
            const int64_t j = find_best_move(i, space, &gain);
            now->rows_without_gain++;
            if (j < 0)
                continue;
            now->rows_without_gain = 0;
            now->value += gain;
            const int64_t current = rows[i].partner, k = columns[j].owner;
            if (k >= 0)
                unmap_row(k, space);
            if (current >= 0) {
                unmap_row(i, space);
                if (k >= 0 && pairs[k * m + current].allowed)
                    map_row(k, current, space);
            }
            map_row(i, j, space);
        }
    }
    END(now);
}
