/* The linear assignment problem, which gives the bound of the exact solver. */
#include <math.h>

#include "alignment.h"

/* Assign row `start` along the path of least reduced cost, and update the prices.
 *
 * The path ends at a free column, or at a row that gives up its column and stays unassigned.
 */
static void augment(int64_t start, Workspace *space)
{
    Row *const rows = space->rows;
    Column *const columns = space->columns;
    const NodePair *const pairs = space->pairs;
    int64_t *const queue = space->queue;
    const int64_t m = space->m;
    /* Dijkstra's algorithm from `start` over the alternating paths row - column - its owner -
     * column and so on. A step from row to column costs its reduced cost, from a column to its
     * owner 0, and to end at a row, which stays without partner, costs the row's price. */
    double price = 0;
    for (int64_t t = start * m; t < start * m + rows[start].options; t++) {
        const int64_t j = space->options[t];
        price = max_double(price, pairs[start * m + j].profit - columns[j].price);
    }
    rows[start].price = price;
    int64_t i = start, nearest;
    double least = 0;
    /* The cheapest path so far that ends at a row, and its length. */
    int64_t last_row = start;
    double row_distance = price;
    /* queue[:settled] are the columns with final distances, queue[settled:reached] the others. */
    int64_t settled = 0, reached = 0;
    for (;;) {
        const double base = least + rows[i].price;
        for (int64_t t = i * m; t < i * m + rows[i].options; t++) {
            const int64_t j = space->options[t];
            /* A reduced cost is negative only by rounding. */
            const double distance
                = max_double(least, base + columns[j].price - pairs[i * m + j].profit);
            if (distance < columns[j].distance) {
                if (columns[j].distance == INFINITY)
                    queue[reached++] = j;
                columns[j].distance = distance;
                columns[j].before = i;
            }
        }
        space->work -= rows[i].options + reached - settled;
        int64_t position = -1;
        nearest = -1;
        least = INFINITY;
        for (int64_t t = settled; t < reached; t++) {
            const int64_t j = queue[t];
            const double distance = columns[j].distance;
            if (distance < least || (distance == least && columns[j].owner < 0)) {
                nearest = j;
                position = t;
                least = distance;
            }
        }
        if (least > row_distance) {
            nearest = -1;
            least = row_distance;
            break;
        }
        i = columns[nearest].owner;
        if (i < 0)
            break;
        queue[position] = queue[settled];
        queue[settled++] = nearest;
        if (least + rows[i].price < row_distance) {
            last_row = i;
            row_distance = least + rows[i].price;
        }
    }
    /* The dual step of the shortest path: the price of a settled column rises by what its distance
     * falls short of the path's length, and that of its row falls by as much. All reduced costs
     * stay at least 0, and those along the path become 0. */
    rows[start].price = max_double(0, price - least);
    for (int64_t t = 0; t < settled; t++) {
        Column *const column = &columns[queue[t]];
        const double change = least - column->distance;
        column->price += change;
        Row *const owner = &rows[column->owner];
        owner->price = max_double(0, owner->price - change);
    }
    for (int64_t t = 0; t < reached; t++)
        columns[queue[t]].distance = INFINITY;
    int64_t column = nearest;
    if (nearest < 0) { /* the path ends at `last_row`, whose column becomes free */
        if (last_row == start)
            return;
        column = rows[last_row].partner;
        rows[last_row].partner = -1;
    }
    do { /* back along the path, each row takes the column after it */
        i = columns[column].before;
        columns[column].owner = i;
        const int64_t before = rows[i].partner;
        rows[i].partner = column;
        column = before;
    } while (i != start);
}

/* Assign each row to at most one column with maximum profit, and compute dual prices.
 *
 * The Hungarian method in the form of Jonker and Volgenant (1987): every row first takes its best
 * column if that is free, then shortest augmenting paths assign the other rows one by one. Prices
 * are never negative, and rows[i].price + columns[j].price >= pairs[i * m + j].profit holds for all
 * allowed pairs at all times. The sum of the prices is therefore an upper bound of every
 * assignment, and equals the profit of this one once all rows are assigned. If the work limit is
 * reached first, some rows have no partner.
 *
 * Reads `profit`, `options` and `fixed`; writes `price`, `partner`, `owner` and `mapped`, and to
 * `total` the sum of all prices.
 */
bool assign(Workspace *space, double *total)
{
    Assignment *const now = &space->assignment;
    Row *const rows = space->rows;
    Column *const columns = space->columns;
    NodePair *const pairs = space->pairs;
    const int64_t n = space->n, m = space->m;
    /* The primal problem and its dual, with x[p] = 1 if pair p is assigned:
     *     max sum_p profit[p] x[p], each row and column at most once
     *   = min sum_i rows[i].price + sum_j columns[j].price,
     *     with rows[i].price + columns[j].price >= profit[i, j], and prices >= 0.
     * Three invariants make both sides equal in the end: prices are feasible; an assigned pair has
     * the reduced cost 0; a column has a positive price only if it has an owner. A row with a
     * positive price and no partner breaks the fourth condition, until it is augmented. */
    BEGIN(now);
    for (int64_t j = 0; j < m; j++) {
        columns[j].price = 0;
        columns[j].owner = -1;
    }
    for (int64_t i = 0; i < n; i++) {
        if (rows[i].partner >= 0)
            pairs[i * m + rows[i].partner].mapped = false;
        double best_profit = 0;
        int64_t best = -1;
        for (int64_t t = i * m; t < i * m + rows[i].options; t++) {
            const int64_t j = space->options[t];
            const double profit = pairs[i * m + j].profit;
            /* Of columns with equal profits, a free one saves the row an augmenting path. */
            if (profit > best_profit
                || (profit == best_profit && best >= 0 && columns[best].owner >= 0
                    && columns[j].owner < 0)) {
                best_profit = profit;
                best = j;
            }
        }
        space->work -= rows[i].options;
        rows[i].price = best_profit;
        rows[i].partner = -1;
        if (best >= 0 && columns[best].owner < 0) {
            rows[i].partner = best;
            columns[best].owner = i;
        }
    }
    for (now->row = 0; now->row < n; now->row++) {
        const Row *const row = &rows[now->row];
        if (row->partner < 0 && row->price > 0 && space->work > 0) {
            PAUSE(now, space->work <= space->pause);
            augment(now->row, space);
        }
    }
    double sum = 0;
    /* A fixed pair without profit may be left out above. The map of the sub-problem has it. */
    for (int64_t i = 0; i < n; i++) {
        sum += rows[i].price;
        if (rows[i].partner < 0 && rows[i].fixed >= 0)
            rows[i].partner = rows[i].fixed;
        if (rows[i].partner >= 0)
            pairs[i * m + rows[i].partner].mapped = true;
    }
    for (int64_t j = 0; j < m; j++)
        sum += columns[j].price;
    *total = sum;
    END(now);
}
