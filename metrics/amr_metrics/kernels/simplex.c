/* Optimal transport between masses in integer units: amr_metrics.transport.
 *
 * The network simplex method. A basis is a spanning tree of all rows and columns; only its arcs
 * have a non-zero flow. The prices of rows and columns are chosen such that the cost of each tree
 * arc is the sum of the prices at its ends. The flow is optimal if every other arc costs at least
 * that sum. Otherwise an arc that costs less enters the tree, and the arc of the resulting cycle
 * whose flow first reaches 0 leaves it.
 *
 * Cycling is prevented by a perturbation (Orden 1956), which makes every pivot move a positive
 * flow: a unit is divided into 2n + 1 parts, each row supplies one part more than its units, and
 * the last column receives the additional parts. Every arc of any basis then has a positive flow;
 * dividing and discarding the additional parts gives its flow in units.
 *
 * The feasibility of a basis does not depend on the costs: the optimal tree for some costs is a
 * feasible tree for any other costs, and only a few pivots from optimal if the costs are similar.
 *
 * Source: Ahuja, Magnanti and Orlin (1993), Network Flows, chapter 11.
 */
#include "transport.h"

/* A node of the tree of the network simplex method: rows 0 .. n-1, then columns n .. n+m-1.
 * Python allocates trees as `NODE` integers per node. */
typedef struct {
    int64_t parent; /* the node above, or -1 */
    int64_t child;  /* its first child, or -1 */
    int64_t after;  /* its siblings, or -1 */
    int64_t before;
    int64_t flow; /* parts on the arc to the parent, which go from row to column */
    double price;
    int64_t mark; /* the last pivot in whose cycle, or above it, the node was */
    int64_t left; /* parts not yet shipped or received, while the initial basis is built */
} Node;

/* Minimum saving of an entering arc, relative to the largest cost: far more than the rounding
 * errors of prices, which are sums of costs. An arc that seems to save less may save nothing. */
static const double TOLERANCE = 1e-12;
static const double UNFINISHED = -INFINITY; /* in place of a cost: the work limit was reached */

/* Return the cost of the arc between a node and the node above it. */
static double arc_cost(const CostMatrix *cost, int64_t node, int64_t up)
{
    const int64_t n = cost->n;
    return node < n ? cost->costs[node * cost->m + up - n] : cost->costs[up * cost->m + node - n];
}

/* Return a flow in parts, with n rows, in units. */
static int64_t units_of(int64_t flow, int64_t n)
{
    /* On any arc, the additional parts sum to -n .. n: each row of the subtree below it supplies
     * one, and the last column receives n. Adding n and rounding down removes them. */
    return (flow + n) / (2 * n + 1);
}

/* Return the cost of the flow of a tree, for a mass of 1. */
static double mean_cost(const CostMatrix *cost, const Node *tree)
{
    double total = 0.0;
    int64_t mass = 0;
    for (int64_t node = 0; node < cost->n + cost->m; node++) {
        const int64_t up = tree[node].parent;
        if (up >= 0) {
            const int64_t sent = units_of(tree[node].flow, cost->n);
            total += (double)sent * arc_cost(cost, node, up);
            mass += sent;
        }
    }
    return total / (double)mass;
}

/* Make a node the first child of another. */
static void attach(Node *tree, int64_t node, int64_t above, int64_t flow)
{
    const int64_t first = tree[above].child;
    tree[node].parent = above;
    tree[node].flow = flow;
    tree[node].before = -1;
    tree[node].after = first;
    if (first >= 0)
        tree[first].before = node;
    tree[above].child = node;
}

/* Remove a node from the list of its siblings. */
static void detach(Node *tree, int64_t node)
{
    const int64_t before = tree[node].before, after = tree[node].after;
    if (before >= 0)
        tree[before].after = after;
    else
        tree[tree[node].parent].child = after;
    if (after >= 0)
        tree[after].before = before;
}

/* Return the next node below `top` in preorder; -1 at the end. */
static inline int64_t below(const Node *tree, int64_t node, int64_t top)
{
    /* The first child; without children the next sibling of the node, or of the nearest node above
     * it that has one. */
    int64_t following = tree[node].child;
    while (following < 0 && node != top) {
        following = tree[node].after;
        node = tree[node].parent;
    }
    return following;
}

/* Raise the prices of the rows in the subtree of `top`, and lower those of its columns.
 *
 * The sums of prices along the arcs of the subtree stay the same. Returns the number of its nodes.
 */
static int64_t raise_prices(Node *tree, int64_t top, double change, int64_t n)
{
    /* The arc that entered has a reduced cost of 0 afterwards. Only one of its ends is in the
     * subtree, so that `change` is the reduced cost that it had if that end is a row, else its
     * negative. */
    int64_t shifted = 0;
    for (int64_t node = top; node >= 0; node = below(tree, node, top)) {
        tree[node].price += node < n ? change : -change;
        shifted++;
    }
    return shifted;
}

static void clear_links(Node *tree, int64_t nodes)
{
    for (int64_t node = 0; node < nodes; node++) {
        tree[node].child = -1;
        tree[node].mark = 0;
    }
}

static void set_all_prices(const CostMatrix *cost, Node *tree, int64_t root)
{
    /* The root's price is free, since only sums of a row's and a column's price count. It stays 0:
     * a pivot never changes the root, nor the prices above the arc that leaves. */
    tree[root].price = 0.0;
    for (int64_t node = below(tree, root, root); node >= 0; node = below(tree, node, root)) {
        const int64_t up = tree[node].parent;
        tree[node].price = arc_cost(cost, node, up) - tree[up].price;
    }
}

/* Build an initial basis greedily: each row ships its mass to the cheapest columns.
 *
 * The cost of an arc is compared above the least cost of its column. Each step exhausts either the
 * supply of its row or the demand of its column, which from then on has no other arc. Read
 * backwards, the steps are therefore a tree grown from its root, by one leaf per step.
 */
static void build_basis(const CostMatrix *cost, const int64_t *masses, Node *tree)
{
    const int64_t n = cost->n, m = cost->m;
    Node *columns = tree + n;
    /* The perturbation: a unit is 2n + 1 parts, and each row supplies one part more; the n
     * additional parts go to the last column, so that supply and demand have the same sum. */
    for (int64_t node = 0; node < n + m; node++)
        tree[node].left = masses[node] * (2 * n + 1) + (node < n);
    columns[m - 1].left += n;
    /* Until the tree is built, the price of a column is the least cost of its arcs. */
    for (int64_t j = 0; j < m; j++)
        columns[j].price = cost->costs[j];
    for (int64_t i = 1; i < n; i++) {
        const double *row = cost->costs + i * m;
        for (int64_t j = 0; j < m; j++)
            columns[j].price = min_float(columns[j].price, row[j]);
    }
    /* The leaves are a stack: `after` is the one of the step before. */
    int64_t leaf = -1;
    for (int64_t i = 0; i < n; i++) {
        const double *row = cost->costs + i * m;
        while (tree[i].left) {
            int64_t column = -1;
            double price = INFINITY;
            for (int64_t j = 0; j < m; j++) {
                if (columns[j].left && (column < 0 || row[j] - columns[j].price < price)) {
                    column = j;
                    price = row[j] - columns[j].price;
                }
            }
            column += n;
            const int64_t sent = min_int(tree[i].left, tree[column].left);
            tree[i].left -= sent;
            tree[column].left -= sent;
            /* Because of the perturbation, both are exhausted at once only in the last step. */
            const int64_t exhausted = tree[i].left == 0 ? i : column;
            tree[exhausted].parent = i + column - exhausted;
            tree[exhausted].flow = sent;
            tree[exhausted].after = leaf;
            leaf = exhausted;
        }
    }
    clear_links(tree, n + m);
    const int64_t root = tree[leaf].parent;
    tree[root].parent = -1;
    while (leaf >= 0) {
        const int64_t before = tree[leaf].after;
        attach(tree, leaf, tree[leaf].parent, tree[leaf].flow);
        leaf = before;
    }
    set_all_prices(cost, tree, root);
}

/* Add the arc from `row` to `column` to the tree, and remove the arc whose flow becomes 0.
 *
 * Returns the number of nodes whose prices change, which most of the work is proportional to.
 */
static int64_t pivot(Node *tree, int64_t row, int64_t column, double reduced, int64_t n,
                     int64_t count)
{
    /* The cycle goes from both ends of the new arc up to their lowest common ancestor, `top`. */
    for (int64_t node = row; node >= 0; node = tree[node].parent)
        tree[node].mark = count;
    int64_t top = column;
    while (tree[top].mark != count)
        top = tree[top].parent;
    /* A row that gives more to the new arc gives less to the column above it, which takes more
     * from the row above that one; and so on the other way round from the new arc's column. */
    int64_t least = INT64_MAX, leaving = -1, side = row;
    for (int64_t node = row; node != top; node = tree[node].parent) {
        if (node < n && tree[node].flow < least) {
            least = tree[node].flow;
            leaving = node;
        }
    }
    for (int64_t node = column; node != top; node = tree[node].parent) {
        if (node >= n && tree[node].flow < least) {
            least = tree[node].flow;
            leaving = node;
            side = column;
        }
    }
    for (int64_t node = row; node != top; node = tree[node].parent)
        tree[node].flow += node < n ? -least : least;
    for (int64_t node = column; node != top; node = tree[node].parent)
        tree[node].flow += node >= n ? -least : least;
    /* The subtree below the leaving arc is attached to the other end of the new arc: on the path
     * from `side` to `leaving`, each parent becomes a child of its former child. */
    int64_t node = side, above = row + column - side, flow = least;
    while (true) {
        const int64_t old_above = tree[node].parent, old_flow = tree[node].flow;
        detach(tree, node);
        attach(tree, node, above, flow);
        if (node == leaving)
            break;
        above = node;
        node = old_above;
        flow = old_flow;
    }
    return raise_prices(tree, side, side == row ? reduced : -reduced, n);
}

/* Return where the search starts that may take `work` steps. */
static Simplex begin_simplex(const CostMatrix *cost, int64_t work)
{
    double largest = 0.0;
    for (int64_t x = 0; x < cost->n * cost->m; x++)
        largest = max_float(largest, fabs(cost->costs[x]));
    return (Simplex){.work = work, .largest = largest, .begun = true};
}

static bool is_optimal(const CostMatrix *cost, const Simplex *simplex)
{
    return simplex->idle >= cost->n;
}

/* Pivot on the best arc of one row after another, until no arc of any row saves anything, or no
 * work is left. */
static bool improve(const CostMatrix *cost, Node *tree, Simplex *now, Pause *pause)
{
    const int64_t n = cost->n, m = cost->m;
    const Node *columns = tree + n;
    /* The reduced cost of arc (i, j) is cost[i, j] - price[i] - price[j]: what the flow saves, if
     * it is negative, for each part that is sent along the arc and round the cycle it closes. Arcs
     * of the tree have 0. If no arc is negative, the prices are a solution of the dual problem
     * with the same value as the flow, which is therefore optimal. */
    int64_t work = now->work, pivots = now->pivots, row = now->row, idle = now->idle;
    const int64_t stop = max_int(0, work - pause->left);
    while (idle < n && work > stop) {
        work -= m;
        int64_t column = -1;
        double saved = -TOLERANCE * now->largest;
        const double price = tree[row].price, *costs = cost->costs + row * m;
        for (int64_t j = 0; j < m; j++) {
            const double reduced = costs[j] - price - columns[j].price;
            if (reduced < saved) {
                column = n + j;
                saved = reduced;
            }
        }
        if (column < 0) {
            idle++;
            row = row + 1 < n ? row + 1 : 0;
        } else {
            idle = 0;
            pivots++;
            work -= pivot(tree, row, column, saved, n, pivots);
        }
    }
    pause->left -= now->work - work;
    now->begun = idle < n && work > 0;
    now->work = work;
    now->pivots = pivots;
    now->row = row;
    now->idle = idle;
    return !now->begun;
}

/* Compute the optimal tree.
 *
 * `masses` of the rows, then of the columns, are in units; both have the same sum. If the tree is
 * not optimal in the end, the limit of `work` steps was reached and it is only feasible.
 */
static bool solve(const CostMatrix *cost, const int64_t *masses, Node *tree, int64_t work,
                  Transport *now)
{
    if (!now->simplex.begun) {
        const int64_t steps = (cost->n + cost->m) * cost->m;
        build_basis(cost, masses, tree);
        now->simplex = begin_simplex(cost, work - steps);
        now->pause.left -= steps;
    }
    return improve(cost, tree, &now->simplex, &now->pause);
}

/* Link the optimal tree for other costs, from which to start. */
static void link_tree(const CostMatrix *cost, const int64_t *parents, const int64_t *flows,
                      Node *tree)
{
    const int64_t nodes = cost->n + cost->m;
    clear_links(tree, nodes);
    int64_t root = 0;
    for (int64_t node = 0; node < nodes; node++) {
        if (parents[node] < 0)
            root = node;
        else
            attach(tree, node, parents[node], flows[node]);
    }
    tree[root].parent = -1;
    set_all_prices(cost, tree, root);
}

/* Store a tree in the arrays of `Bases` or `LastTrees`. */
static void store(const Node *tree, int64_t nodes, int64_t *parents, int64_t *flows,
                  int64_t *order)
{
    /* A tree as two arrays and an order in which each node comes after its parent: enough to set
     * prices in one pass, and to link the tree again (`link_tree`). */
    int64_t root = 0;
    for (int64_t node = 0; node < nodes; node++) {
        parents[node] = tree[node].parent;
        flows[node] = tree[node].flow;
        if (tree[node].parent < 0)
            root = node;
    }
    for (int64_t k = 0, node = root; k < nodes; k++, node = below(tree, node, root))
        order[k] = node;
}

/* Compute masses of nodes in proportion to their weights, which sum to `units` for each size.
 *
 * The units left over by rounding down go to the heaviest node.
 */
EXPORT void set_masses(int64_t sides, int64_t nodes, int64_t units, const int64_t sizes[sides],
                       const double weights[nodes], int64_t masses[nodes])
{
    for (int64_t side = 0; side < sides; side++) {
        double total = 0.0;
        for (int64_t k = 0; k < sizes[side]; k++)
            total += weights[k];
        /* Rounding down leaves less than one unit for each node. */
        int64_t remaining = units, heaviest = 0;
        for (int64_t k = 0; k < sizes[side]; k++) {
            masses[k] = (int64_t)(weights[k] / total * (double)units);
            remaining -= masses[k];
            if (weights[k] > weights[heaviest])
                heaviest = k;
        }
        if (sizes[side])
            masses[heaviest] += remaining;
        weights += sizes[side];
        masses += sizes[side];
    }
}

/* Write the optimal flow in units of the masses where it is not 0, and whether it is optimal or
 * took more than `work` steps. */
EXPORT bool find_flow(Transport *now, int64_t n, int64_t m, const double costs[n][m],
                      const int64_t masses[n + m], int64_t work, int64_t memory[n + m][8],
                      int64_t sent[n][m], bool optimal[1])
{
    Node *tree = (Node *)memory;
    const CostMatrix cost = {n, m, costs[0]};
    if (!solve(&cost, masses, tree, work, now))
        return false;
    optimal[0] = is_optimal(&cost, &now->simplex);
    /* The arc of each node to its parent joins a row and a column, whichever of them is above. */
    for (int64_t node = 0; node < n + m; node++) {
        const int64_t up = tree[node].parent;
        if (up >= 0 && node < n)
            sent[node][up - n] = units_of(tree[node].flow, n);
        else if (up >= 0)
            sent[up][node - n] = units_of(tree[node].flow, n);
    }
    return true;
}

/* Compute the cost of the optimal flow of each pair; UNFINISHED if it takes too many steps.
 *
 * Pairs without nodes on one side have no transport: alike if both are empty.
 */
EXPORT bool find_least_costs(Transport *now, int64_t pairs, int64_t nodes, int64_t most,
                             const CostBatch *batch, const int64_t masses[nodes],
                             const int64_t start[pairs + 1], int64_t work,
                             int64_t memory[most][8], double least[pairs])
{
    Node *tree = (Node *)memory;
    for (; now->pair < pairs; now->pair++) {
        const int64_t p = now->pair;
        const CostMatrix cost = matrix_of(batch, p);
        if (cost.n == 0 || cost.m == 0)
            least[p] = cost.n != cost.m;
        else if (!solve(&cost, masses + start[p], tree, work, now))
            return false;
        else
            least[p] = is_optimal(&cost, &now->simplex) ? mean_cost(&cost, tree) : UNFINISHED;
    }
    return true;
}

/* Store the optimal tree of each pair with nodes on both sides. */
EXPORT bool find_bases(Transport *now, int64_t pairs, int64_t nodes, const CostBatch *batch,
                       const int64_t masses[nodes], const Bases *bases, int64_t work)
{
    Node *tree = (Node *)bases->scratch;
    for (; now->pair < pairs; now->pair++) {
        const CostMatrix cost = matrix_of(batch, now->pair);
        const int64_t at = bases->start[now->pair];
        if (cost.n && cost.m) {
            if (!solve(&cost, masses + at, tree, work, now))
                return false;
            store(tree, cost.n + cost.m, bases->parents + at, bases->flows + at,
                  bases->order + at);
        }
    }
    return true;
}

/* Costs that change a little at a time
 *
 * Training scores the same pairs again and again, with edge weights that hardly differ. The tree
 * of the network simplex that was optimal for a pair the last time is often still optimal, or a
 * pivot or two from it. This is checked with approximate squares of the distances, which need no
 * square roots, and without linked lists; only the distances along the tree are computed exactly.
 *
 * No score depends on the last trees. A tree counts only if every other arc costs more than the
 * prices at its ends by `UNIQUE`. Then it is the only optimal tree: another flow differs from its
 * flow by cycles, each with an arc outside the tree, so that it costs at least `UNIQUE` more for
 * each unit that it moves. The exact method above stops at a flow that is optimal up to a
 * tolerance that is far smaller, so it finds this tree, from whichever tree it starts. A pivot
 * never changes the root, so costs are also added in the same order.
 */

/* Far more than all rounding errors, and than the tolerance of the exact method. */
static const double UNIQUE = 1e-6;
/* More than the rounding error of the square of a distance between unit vectors. */
static const double ERROR = 1e-12;
/* Of squared lengths: products of two do not overflow. */
static const double SMALLEST = 1e-100, LARGEST = 1e100;
static const int PIVOTS = 50; /* the most pivots; then the exact method starts again */

/* Set the prices so that those at the ends of each arc of the tree add up to its cost, with the
 * same rounding as `set_all_prices`. */
static void set_prices(int64_t n, int64_t m, const LastTrees *last, int64_t at,
                       const NodeValues *values)
{
    const int64_t *parents = last->parents + at, *order = last->order + at;
    double *rows = values->rows, *columns = values->columns;
    for (int64_t k = 0; k < n + m; k++) {
        const int64_t node = order[k], up = parents[node];
        if (node < n)
            rows[node] = up >= 0 ? values->arcs[node] - columns[up - n] : 0.0;
        else
            columns[node - n] = up >= 0 ? values->arcs[node] - rows[up] : 0.0;
    }
}

/* Find the arc with the lowest negative reduced cost: its row, or -1 if there is none, and its
 * column.
 *
 * Returns the number of arcs that do not cost at least `UNIQUE` more than the prices at their
 * ends, such as those of the tree.
 */
static int64_t find_best_arc(const double *products, int64_t n, int64_t m,
                             const NodeValues *values, int64_t *best_row, int64_t *best_column)
{
    /* Both tests err to the safe side by `ERROR`, which is more than the error of `square`: an arc
     * that is not unclear certainly costs `UNIQUE` more, and a cheaper one is certainly cheaper. */
    const int64_t width = padded(m);
    const double *columns = values->columns, *scales = values->column_scales;
    double best = 0.0;
    int64_t unclear = 0;
    *best_row = *best_column = -1;
    for (int64_t i = 0; i < n; i++) {
        const double price = values->rows[i], scale = values->row_scales[i];
        const double *row = products + i * width;
        int64_t cheaper = 0;
        for (int64_t j = 0; j < width; j++) {
            /* distance > bound is bound < 0 or distance^2 > bound^2: no square root, no branch. */
            const double prices = price + columns[j];
            const double square = 2 - row[j] * scale * scales[j];
            const double bound = prices + UNIQUE;
            unclear += !((bound < 0) | (square > bound * bound + ERROR));
            cheaper += (prices > 0) & (square + ERROR < prices * prices);
        }
        if (cheaper == 0)
            continue;
        for (int64_t j = 0; j < m; j++) {
            const double prices = price + columns[j];
            const double square = 2 - row[j] * scale * scales[j];
            if (prices > 0 && square + ERROR < prices * prices) {
                const double saved = prices - sqrt(max_float(square, 0.0));
                if (saved > best) {
                    best = saved;
                    *best_row = i;
                    *best_column = j;
                }
            }
        }
    }
    return unclear;
}

/* Return the cost of the tree's flow, summed as in `mean_cost`. */
static double mean_arc_cost(int64_t n, int64_t m, const LastTrees *last, int64_t at,
                            const NodeValues *values)
{
    double total = 0.0;
    int64_t mass = 0;
    for (int64_t node = 0; node < n + m; node++) {
        if (last->parents[at + node] >= 0) {
            const int64_t sent = units_of(last->flows[at + node], n);
            total += (double)sent * values->arcs[node];
            mass += sent;
        }
    }
    return total / (double)mass;
}

/* Add an arc with the given cost to the tree and remove the arc whose flow becomes 0.
 *
 * As in the exact method, but on plain arrays: for graphs as small as AMRs, changing the order of
 * all nodes takes less time than building linked lists for the few pivots that are needed. `row`
 * and `column` are the nodes of the arc.
 */
static void pivot_last(int64_t row, int64_t column, double arc, int64_t n, int64_t m,
                       const LastTrees *last, int64_t at, const NodeValues *values)
{
    int64_t *parents = last->parents + at, *flows = last->flows + at, *order = last->order + at;
    int64_t *marks = values->marks, *moved = values->moved;
    double *arcs = values->arcs;
    for (int64_t node = row; node >= 0; node = parents[node])
        marks[node] = 1;
    int64_t top = column;
    while (marks[top] == 0)
        top = parents[top];
    for (int64_t node = row; node >= 0; node = parents[node])
        marks[node] = 0;
    /* A row that gives more to the new arc gives less to the column above it, and so on, as in
     * `pivot`: the arcs whose flow falls are those above rows on the side of `row`, and those
     * above columns on the side of `column`. */
    int64_t least = INT64_MAX, leaving = -1, side = row;
    for (int64_t node = row; node != top; node = parents[node]) {
        if (node < n && flows[node] < least) {
            least = flows[node];
            leaving = node;
        }
    }
    for (int64_t node = column; node != top; node = parents[node]) {
        if (node >= n && flows[node] < least) {
            least = flows[node];
            leaving = node;
            side = column;
        }
    }
    for (int64_t node = row; node != top; node = parents[node])
        flows[node] += node < n ? -least : least;
    for (int64_t node = column; node != top; node = parents[node])
        flows[node] += node >= n ? -least : least;
    /* The subtree below the leaving arc is attached to the other end of the new arc. In the order,
     * its nodes come last: first those whose parent changes, marked with 2. */
    int64_t node = side, above = row + column - side, flow = least, count = 0;
    while (true) {
        const int64_t old_above = parents[node], old_flow = flows[node];
        const double old_arc = arcs[node];
        parents[node] = above;
        flows[node] = flow;
        arcs[node] = arc;
        marks[node] = 2;
        moved[count++] = node;
        if (node == leaving)
            break;
        above = node;
        node = old_above;
        flow = old_flow;
        arc = old_arc;
    }
    int64_t kept = 0;
    for (int64_t k = 0; k < n + m; k++) {
        node = order[k];
        if (marks[node])
            continue;
        if (parents[node] >= 0 && marks[parents[node]]) {
            marks[node] = 1;
            moved[count++] = node;
        } else {
            order[kept++] = node;
        }
    }
    for (int64_t k = 0; k < count; k++) {
        order[kept + k] = moved[k];
        marks[moved[k]] = 0;
    }
}

/* Return the cost of a pair's optimal flow; NaN if its last tree does not determine it.
 *
 * `products` are inner products in rows of `padded` length, `a_squares` and `b_squares` the squared
 * lengths of the vectors of src and tgt. The pair's tree starts at position `at`; it is replaced by
 * the optimal one. `values` have room for at least n + m and `padded` values.
 */
EXPORT double cost_from_last(int64_t n, int64_t m, const double *products,
                             const double a_squares[n], const double b_squares[m],
                             const LastTrees *last, int64_t at, const NodeValues *values)
{
    const int64_t *parents = last->parents + at, width = padded(m);
    if (last->order[at] < 0)
        return NAN;
    for (int64_t node = 0; node < n + m; node++) {
        const int64_t up = parents[node];
        if (up >= 0) {
            const int64_t i = node < n ? node : up, j = node < n ? up - n : node - n;
            values->arcs[node] = unit_distance(products[i * width + j], a_squares[i], b_squares[j]);
        }
    }
    bool in_range = true;
    for (int64_t i = 0; i < n; i++) {
        values->row_scales[i] = 1 / sqrt(a_squares[i]);
        in_range &= SMALLEST < a_squares[i] && a_squares[i] < LARGEST;
    }
    for (int64_t j = 0; j < m; j++) {
        values->column_scales[j] = 2 / sqrt(b_squares[j]);
        in_range &= SMALLEST < b_squares[j] && b_squares[j] < LARGEST;
    }
    if (!in_range)
        return NAN;
    for (int64_t j = m; j < width; j++) {
        values->column_scales[j] = 0.0;
        values->columns[j] = -INFINITY; /* no arc to such a column saves anything */
    }
    /* The primal simplex method as above, from the last tree. The flow on it is feasible, since
     * masses never change; only costs do. */
    for (int k = 0; k < PIVOTS; k++) {
        int64_t row, column;
        set_prices(n, m, last, at, values);
        const int64_t unclear = find_best_arc(products, n, m, values, &row, &column);
        if (row < 0) {
            /* Optimal. If only the n + m - 1 arcs of the tree are unclear, it is the only such
             * tree. */
            return unclear == n + m - 1 ? mean_arc_cost(n, m, last, at, values) : NAN;
        }
        const double product = products[row * width + column];
        const double arc = unit_distance(product, a_squares[row], b_squares[column]);
        pivot_last(row, n + column, arc, n, m, last, at, values);
    }
    return NAN;
}

/* Compute the cost of a pair's optimal flow by the exact method from its basis; UNFINISHED if it
 * takes more than `work` steps.
 *
 * The pair's trees start at position `at`; its last tree is replaced.
 */
EXPORT bool cost_from_basis(Transport *now, int64_t n, int64_t m, const double costs[n][m],
                            const Bases *bases, const LastTrees *last, int64_t at, int64_t work,
                            double cost[1])
{
    Node *tree = (Node *)bases->scratch;
    const CostMatrix matrix = {n, m, costs[0]};
    if (!now->simplex.begun) {
        link_tree(&matrix, bases->parents + at, bases->flows + at, tree);
        now->simplex = begin_simplex(&matrix, work);
    }
    if (!improve(&matrix, tree, &now->simplex, &now->pause))
        return false;
    if (is_optimal(&matrix, &now->simplex)) {
        store(tree, n + m, last->parents + at, last->flows + at, last->order + at);
        cost[0] = mean_cost(&matrix, tree);
    } else {
        last->order[at] = -1;
        cost[0] = UNFINISHED;
    }
    return true;
}
