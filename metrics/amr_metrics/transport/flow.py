"""Optimal transport between two sets of nodes whose masses sum to 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amr_metrics import limits
from amr_metrics.compiled import compiled
from amr_metrics.transport.simplex import (
    Tree,
    allocate_tree,
    below,
    mean_cost,
    solve,
    units,
)
from amr_metrics.types import Floats, Ints

UNFINISHED = -np.inf  # in place of the cost of a pair that reached the work limit


class CostBatch(NamedTuple):
    """Cost matrices of many pairs in flat arrays.

    Attributes:
        sizes: int64 p x 2, numbers of nodes (n, m).
        costs, start: the n x m matrices, row by row; pair p's is ``costs[start[p]:start[p + 1]]``.
    """

    sizes: Ints
    costs: Floats
    start: Ints


# Masses are integers that sum to this number: sums are exact, and the parts into which the simplex
# method divides a unit fit into 64 bits.
UNITS = 1 << 40


def uniform_masses(sizes: Ints) -> Ints:
    """Return equal masses for the nodes of each side, in units of 1 / lcm(n, m).

    Args:
        sizes: int64 p x 2, numbers of nodes (n, m).

    Returns:
        int64, of the n + m nodes of each pair; 0 if one side has no nodes.

    >>> uniform_masses(np.array([[2, 3]])).tolist()
    [3, 3, 2, 2, 2]
    """
    # Each node of src has m / gcd units and each node of tgt n / gcd: both sides sum to the lcm.
    common = np.maximum(np.gcd(sizes[:, 0], sizes[:, 1]), 1)[:, None]
    return np.repeat((sizes[:, ::-1] // common).ravel(), sizes.ravel())


def masses_of(weights: Floats, sizes: Ints) -> Ints:
    """Return the masses of nodes in proportion to their weights, in units of 1 / `UNITS`.

    The units left over by rounding down go to the heaviest node of each side.

    Args:
        weights: positive, of the n + m nodes of each pair.
        sizes: int64 p x 2, numbers of nodes (n, m).

    >>> (masses_of(np.array([3.0, 1.0, 2.0]), np.array([[2, 1]])) / UNITS).tolist()
    [0.75, 0.25, 1.0]
    """
    return np.asarray(_masses_of(weights, sizes.ravel()))


@compiled
def _masses_of(weights: Floats, sizes: Ints) -> Ints:
    masses = np.zeros(weights.size, np.int64)
    first = 0
    for size in sizes:
        if size:
            last = first + size
            total = weights[first:last].sum()
            # Rounding down leaves less than one unit, 2^-40 of the mass, for each node.
            remaining, heaviest = UNITS, first
            for k in range(first, last):
                masses[k] = int(weights[k] / total * UNITS)
                remaining -= masses[k]
                if weights[k] > weights[heaviest]:
                    heaviest = k
            masses[heaviest] += remaining
            first = last
    return masses


def flow(cost: Floats, masses: Ints | None = None) -> Floats:
    """Return the optimal flow of mass from rows to columns.

    Args:
        cost: n x m, the cost of moving a mass of 1 from row to column.
        masses: of the rows, then of the columns, in units; None: 1/n for each row and 1/m for each
            column.

    Returns:
        n x m, the mass that goes from each row to each column; it sums to 1.

    Raises:
        PairError: if it takes more than `amr_metrics.limits.TRANSPORT_WORK` steps.

    >>> flow(np.array([[0.0, 1.0], [1.0, 0.5], [0.2, 0.2]])).round(3).tolist()
    [[0.333, 0.0], [0.0, 0.333], [0.167, 0.167]]
    """
    if masses is None:
        masses = uniform_masses(np.array([cost.shape]))
    return np.asarray(optimal_units(np.ascontiguousarray(cost), masses) / masses[: len(cost)].sum())


def least_costs(batch: CostBatch, masses: Ints | None = None) -> Floats:
    """Return the cost of the optimal flow of each pair.

    The cost is 0 if neither side has nodes, and 1 if only one side has nodes.

    Args:
        batch: the cost matrices.
        masses: of the nodes of each pair, in units (see `masses_of`); None: uniform.

    Raises:
        PairError: for a pair that needs more than `amr_metrics.limits.TRANSPORT_WORK` steps.
    """
    if masses is None:
        masses = uniform_masses(batch.sizes)
    start = node_starts(batch.sizes)
    least = _least_costs(batch, masses, start, _tree_for(batch), limits.TRANSPORT_WORK)
    return check_finished(least, batch.sizes)


def check_finished(costs: Floats, sizes: Ints) -> Floats:
    """Return the costs; raise an error for the first pair whose cost is `UNFINISHED`."""
    if (costs == UNFINISHED).any():
        pair = int(np.flatnonzero(costs == UNFINISHED)[0])
        n, m = (int(size) for size in sizes[pair])
        raise limits.too_much_work(limits.TRANSPORT_WORK, (n, m), pair)
    return costs


def node_starts(sizes: Ints) -> Ints:
    """Return where the nodes of each pair start in arrays of the n + m nodes of all pairs."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes.sum(axis=1))])


def optimal_units(cost: Floats, masses: Ints) -> Ints:
    """Return the optimal flow, n x m, in units of the masses of rows and columns."""
    finished, sent = _optimal_units(
        cost, masses, allocate_tree(sum(cost.shape)), limits.TRANSPORT_WORK
    )
    if not finished:
        raise limits.too_much_work(limits.TRANSPORT_WORK, (len(cost), cost.shape[1]))
    return sent


@compiled
def _optimal_units(cost: Floats, masses: Ints, tree: Tree, work: int) -> tuple[bool, Ints]:
    n, m = cost.shape
    finished = solve(cost, masses, tree, work)
    sent = np.zeros((n, m), np.int64)
    # The arc of each node to its parent joins a row and a column, whichever of them is above.
    for node in range(n + m):
        up = tree[node].parent
        if up >= 0 and node < n:
            sent[node, up - n] = units(tree, node, n)
        elif up >= 0:
            sent[up, node - n] = units(tree, node, n)
    return finished, sent


@compiled
def _least_costs(batch: CostBatch, masses: Ints, start: Ints, tree: Tree, work: int) -> Floats:
    # Pairs without nodes on one side have no transport: alike if both are empty.
    out = np.empty(len(batch.sizes))
    for p in range(len(batch.sizes)):
        n, m = batch.sizes[p]
        if n == 0 or m == 0:
            out[p] = int(n != m)
            continue
        cost = batch.costs[batch.start[p] : batch.start[p + 1]].reshape((n, m))
        finished = solve(cost, masses[start[p] : start[p + 1]], tree, work)
        out[p] = mean_cost(cost, tree) if finished else UNFINISHED
    return out


def _tree_for(batch: CostBatch) -> Tree:
    return allocate_tree(int(batch.sizes.sum(axis=1).max(initial=0)))


class Bases(NamedTuple):
    """The optimal trees of many pairs, used as starting points after small changes of the costs.

    Attributes:
        parents, flows: of the n + m nodes of each pair (see `amr_metrics.transport.simplex.Tree`).
        order: these nodes, each after its parent.
        start: the nodes of pair p start at ``start[p]``.
        scratch: space for one tree.
    """

    parents: Ints
    flows: Ints
    order: Ints
    start: Ints
    scratch: Tree


def best_bases(batch: CostBatch, masses: Ints | None = None) -> Bases:
    """Return the trees of the optimal flows; undefined for pairs without nodes on one side.

    The tree of a pair that reaches the work limit is feasible, but not optimal.

    Args:
        masses: of the nodes of each pair, in units (see `masses_of`); None: uniform.
    """
    start = node_starts(batch.sizes)
    parents, flows, order = np.zeros((3, start[-1]), np.int64)
    bases = Bases(parents, flows, order, start[:-1], _tree_for(batch))
    if masses is None:
        masses = uniform_masses(batch.sizes)
    _find_bases(batch, masses, bases, limits.TRANSPORT_WORK)
    return bases


@compiled
def _find_bases(batch: CostBatch, masses: Ints, bases: Bases, work: int) -> None:
    tree = bases.scratch
    for p in range(len(batch.sizes)):
        n, m = batch.sizes[p]
        if n and m:
            cost = batch.costs[batch.start[p] : batch.start[p + 1]].reshape((n, m))
            solve(cost, masses[bases.start[p] : bases.start[p] + n + m], tree, work)
            store(tree, n, m, bases.parents, bases.flows, bases.order, bases.start[p])


@compiled
def store(tree: Tree, n: int, m: int, parents: Ints, flows: Ints, order: Ints, at: int) -> None:
    """Store a tree from position `at` of the arrays of `Bases` or `LastTrees`."""
    # A tree as two arrays and an order in which each node comes after its parent: enough to set
    # prices in one pass, and to link the tree again (`solve_from`).
    root = 0
    for k in range(n + m):
        parents[at + k], flows[at + k] = tree[k].parent, tree[k].flow
        if tree[k].parent < 0:
            root = k
    node = root
    for k in range(n + m):
        order[at + k] = node
        node = below(tree, node, root)
