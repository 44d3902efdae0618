"""The network simplex method for transport between masses in integer units.

A basis is a spanning tree of all rows and columns; only its arcs have a non-zero flow. The prices
of rows and columns are chosen such that the cost of each tree arc is the sum of the prices at its
ends. The flow is optimal if every other arc costs at least that sum. Otherwise an arc that costs
less enters the tree, and the arc of the resulting cycle whose flow first reaches 0 leaves it.

Cycling is prevented by a perturbation (Orden 1956), which makes every pivot move a positive flow:
a unit is divided into 2n + 1 parts, each row supplies one part more than its units, and the last
column receives the additional parts. Every arc of any basis then has a positive flow; dividing
and discarding the additional parts gives its flow in units.

The feasibility of a basis does not depend on the costs: the optimal tree for some costs is a
feasible tree for any other costs, and only a few pivots from optimal if the costs are similar.

Source: Ahuja, Magnanti and Orlin (1993), Network Flows, chapter 11.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from amr_metrics.compiled import compiled, inner
from amr_metrics.types import Floats, Ints

# Minimum saving of an entering arc, relative to the largest cost: far more than the rounding errors
# of prices, which are sums of costs. An arc that seems to save less may save nothing.
TOLERANCE = 1e-12

NODE = np.dtype(
    [
        ("parent", np.int64),  # the node above, or -1
        ("child", np.int64),  # its first child, or -1
        ("after", np.int64),  # its siblings, or -1
        ("before", np.int64),
        ("flow", np.int64),  # parts on the arc to the parent, which go from row to column
        ("price", np.float64),
        ("mark", np.int64),  # the last pivot in whose cycle, or above it, the node was
    ],
    align=True,
)
Tree = np.recarray[Any, Any]  # of NODE: rows 0 .. n-1, then columns n .. n+m-1


def allocate_tree(nodes: int) -> Tree:
    """Allocate a tree for problems with at most the given number of rows and columns together."""
    return np.empty(nodes, NODE).view(np.recarray)


@compiled
def solve(cost: Floats, masses: Ints, tree: Tree, work: int) -> bool:
    """Compute the optimal tree.

    Args:
        masses: of the rows, then of the columns, in units; both have the same sum.
        work: the largest number of steps.

    Returns:
        whether the tree is optimal; if not, the limit was reached and it is only feasible.
    """
    _begin(cost, masses, tree)
    return _improve(cost, tree, work - (len(cost) + cost.shape[1]) * cost.shape[1])


@compiled
def solve_from(cost: Floats, parents: Ints, flows: Ints, tree: Tree, work: int) -> bool:
    """Compute the optimal tree, starting from the optimal tree for other costs; see `solve`."""
    n, m = cost.shape
    _clear(tree, n + m)
    root = 0
    for node in range(n + m):
        if parents[node] < 0:
            root = node
        else:
            _attach(tree, node, parents[node], flows[node])
    tree[root].parent = -1
    _price_all(cost, tree, root)
    return _improve(cost, tree, work)


@compiled
def units(tree: Tree, node: int, n: int) -> int:
    """Return the flow on the arc to a node's parent, in units."""
    return units_of(tree[node].flow, n)


@inner
def units_of(flow: int, n: int) -> int:
    """Return a flow in parts, with n rows, in units."""
    # On any arc, the additional parts sum to -n .. n: each row of the subtree below it supplies
    # one, and the last column receives n. Adding n and rounding down removes them.
    return (flow + n) // (2 * n + 1)


@compiled
def mean_cost(cost: Floats, tree: Tree) -> float:
    """Return the cost of the flow of a tree, for a mass of 1."""
    n, m = cost.shape
    total, mass = 0.0, 0
    for node in range(n + m):
        up = tree[node].parent
        if up >= 0:
            sent = units(tree, node, n)
            total += sent * (cost[node, up - n] if node < n else cost[up, node - n])
            mass += sent
    return total / mass


@compiled
def _clear(tree: Tree, nodes: int) -> None:
    for node in range(nodes):
        tree[node].child = -1
        tree[node].mark = 0


@compiled
def _begin(cost: Floats, masses: Ints, tree: Tree) -> None:
    """Build an initial basis greedily: each row ships its mass to the cheapest columns.

    The cost of an arc is compared above the least cost of its column. Each step exhausts either the
    supply of its row or the demand of its column, which from then on has no other arc. Read
    backwards, the steps are therefore a tree grown from its root, by one leaf per step.
    """
    n, m = cost.shape
    # The perturbation: a unit is 2n + 1 parts, and each row supplies one part more; the n
    # additional parts go to the last column, so that supply and demand have the same sum.
    supply = masses[:n] * (2 * n + 1) + 1
    demand = masses[n:] * (2 * n + 1)
    demand[m - 1] += n
    least = cost[0].copy()
    for i in range(1, n):
        for j in range(m):
            least[j] = min(least[j], cost[i, j])
    leaves = np.empty(n + m, np.int64)
    parents = np.empty(n + m, np.int64)
    steps = 0
    for i in range(n):
        while supply[i]:
            column, price = -1, np.inf
            for j in range(m):
                if demand[j] and (column < 0 or cost[i, j] - least[j] < price):
                    column, price = j, cost[i, j] - least[j]
            sent = min(supply[i], demand[column])
            supply[i] -= sent
            demand[column] -= sent
            # Because of the perturbation, both are exhausted at once only in the last step.
            leaves[steps], parents[steps] = (i, n + column) if supply[i] == 0 else (n + column, i)
            tree[leaves[steps]].flow = sent
            steps += 1
    _clear(tree, n + m)
    root = parents[steps - 1]
    tree[root].parent = -1
    for step in range(steps - 1, -1, -1):
        _attach(tree, leaves[step], parents[step], tree[leaves[step]].flow)
    _price_all(cost, tree, root)


@compiled
def _improve(cost: Floats, tree: Tree, work: int) -> bool:
    """Pivot on the best arc of one row after another, until no arc of any row saves anything.

    Returns:
        whether this took at most `work` steps.
    """
    n, m = cost.shape
    # The reduced cost of arc (i, j) is cost[i, j] - price[i] - price[j]: what the flow saves, if it
    # is negative, for each part that is sent along the arc and round the cycle it closes. Arcs of
    # the tree have 0. If no arc is negative, the prices are a solution of the dual problem with the
    # same value as the flow, which is therefore optimal.
    largest = 0.0
    for i in range(n):
        for j in range(m):
            largest = max(largest, abs(cost[i, j]))
    pivots, row, idle = 0, 0, 0  # idle: rows in sequence without an arc that saves anything
    while idle < n:
        if work <= 0:
            return False
        work -= m
        column, saved = -1, -TOLERANCE * largest
        price = tree[row].price
        for j in range(m):
            reduced = cost[row, j] - price - tree[n + j].price
            if reduced < saved:
                column, saved = n + j, reduced
        if column < 0:
            idle += 1
            row = row + 1 if row + 1 < n else 0
        else:
            idle = 0
            pivots += 1
            work -= _pivot(tree, row, column, saved, n, pivots)
    return True


@compiled
def _pivot(tree: Tree, row: int, column: int, reduced: float, n: int, number: int) -> int:
    """Add the arc from `row` to `column` to the tree, and remove the arc whose flow becomes 0.

    Returns:
        the number of nodes whose prices change, which most of the work is proportional to.
    """
    # The cycle goes from both ends of the new arc up to their lowest common ancestor, `top`.
    node = row
    while node >= 0:
        tree[node].mark = number
        node = tree[node].parent
    top = column
    while tree[top].mark != number:
        top = tree[top].parent
    # A row that gives more to the new arc gives less to the column above it, which takes more from
    # the row above that one; and so on the other way round from the new arc's column.
    least, leaving, side = np.iinfo(np.int64).max, -1, row
    node = row
    while node != top:
        if node < n and tree[node].flow < least:
            least, leaving = tree[node].flow, node
        node = tree[node].parent
    node = column
    while node != top:
        if node >= n and tree[node].flow < least:
            least, leaving, side = tree[node].flow, node, column
        node = tree[node].parent
    node = row
    while node != top:
        tree[node].flow += -least if node < n else least
        node = tree[node].parent
    node = column
    while node != top:
        tree[node].flow += -least if node >= n else least
        node = tree[node].parent
    # The subtree below the leaving arc is attached to the other end of the new arc: on the path
    # from `side` to `leaving`, each parent becomes a child of its former child.
    node, above, flow = side, row + column - side, least
    while True:
        old_above, old_flow = tree[node].parent, tree[node].flow
        _detach(tree, node)
        _attach(tree, node, above, flow)
        if node == leaving:
            break
        node, above, flow = old_above, node, old_flow
    return _raise_prices(tree, side, reduced if side == row else -reduced, n)


@compiled
def _attach(tree: Tree, node: int, above: int, flow: int) -> None:
    """Make a node the first child of another."""
    first = tree[above].child
    tree[node].parent, tree[node].flow = above, flow
    tree[node].before, tree[node].after = -1, first
    if first >= 0:
        tree[first].before = node
    tree[above].child = node


@compiled
def _detach(tree: Tree, node: int) -> None:
    """Remove a node from the list of its siblings."""
    before, after = tree[node].before, tree[node].after
    if before >= 0:
        tree[before].after = after
    else:
        tree[tree[node].parent].child = after
    if after >= 0:
        tree[after].before = before


@compiled
def below(tree: Tree, node: int, top: int) -> int:
    """Return the next node below `top` in preorder; -1 at the end."""
    # The first child; without children the next sibling of the node, or of the nearest node above
    # it that has one.
    following: int = tree[node].child
    while following < 0 and node != top:
        following, node = tree[node].after, tree[node].parent
    return following


@compiled
def _raise_prices(tree: Tree, top: int, change: float, n: int) -> int:
    """Raise the prices of the rows in the subtree of `top`, and lower those of its columns.

    The sums of prices along the arcs of the subtree stay the same.

    Returns:
        the number of its nodes.
    """
    # The arc that entered has a reduced cost of 0 afterwards. Only one of its ends is in the
    # subtree, so that `change` is the reduced cost that it had if that end is a row, else its
    # negative.
    node, shifted = top, 0
    while node >= 0:
        tree[node].price += change if node < n else -change
        node = below(tree, node, top)
        shifted += 1
    return shifted


@compiled
def _price_all(cost: Floats, tree: Tree, root: int) -> None:
    n = len(cost)
    # The root's price is free, since only sums of a row's and a column's price count. It stays 0: a
    # pivot never changes the root, nor the prices above the arc that leaves.
    tree[root].price = 0.0
    node = below(tree, root, root)
    while node >= 0:
        up = tree[node].parent
        arc = cost[node, up - n] if node < n else cost[up, node - n]
        tree[node].price = arc - tree[up].price
        node = below(tree, node, root)
