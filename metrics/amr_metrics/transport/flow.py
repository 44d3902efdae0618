"""Optimal transport between two sets of nodes whose masses sum to 1.

It is computed by the network simplex method, see ``kernels/simplex.c``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amr_metrics import limits
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.types import Floats, Ints

UNFINISHED = -np.inf  # in place of the cost of a pair that reached the work limit
NODE = 8  # integers of memory for each node of a tree


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


def assign_masses(weights: Floats, sizes: Ints) -> Ints:
    """Return the masses of nodes in proportion to their weights, in units of 1 / `UNITS`.

    The units left over by rounding down go to the heaviest node of each side.

    Args:
        weights: positive, of the n + m nodes of each pair.
        sizes: int64 p x 2, numbers of nodes (n, m).

    >>> (assign_masses(np.array([3.0, 1.0, 2.0]), np.array([[2, 1]])) / UNITS).tolist()
    [0.75, 0.25, 1.0]
    """
    masses = np.empty(len(weights), np.int64)
    _set_masses(sizes.size, len(weights), UNITS, sizes.ravel(), weights, masses)
    return masses


_set_masses = declare_kernel("set_masses")


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
    return np.asarray(optimal_units(cost, masses) / masses[: len(cost)].sum())


def least_costs(batch: CostBatch, masses: Ints | None = None) -> Floats:
    """Return the cost of the optimal flow of each pair.

    The cost is 0 if neither side has nodes, and 1 if only one side has nodes.

    Args:
        batch: the cost matrices.
        masses: of the nodes of each pair, in units (see `assign_masses`); None: uniform.

    Raises:
        PairError: for a pair that needs more than `amr_metrics.limits.TRANSPORT_WORK` steps.
    """
    if masses is None:
        masses = uniform_masses(batch.sizes)
    least, tree = np.empty(len(batch.sizes)), _allocate_tree(batch)
    _find_least_costs(
        *(len(least), len(masses), len(tree), batch, masses, node_starts(batch.sizes)),
        *(limits.TRANSPORT_WORK, tree, least),
    )
    limits.check_work(least == UNFINISHED, limits.TRANSPORT_WORK, batch.sizes)
    return least


_find_least_costs = declare_kernel("find_least_costs")


def node_starts(sizes: Ints) -> Ints:
    """Return where the nodes of each pair start in arrays of the n + m nodes of all pairs."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes.sum(axis=1))])


def optimal_units(cost: Floats, masses: Ints) -> Ints:
    """Return the optimal flow, n x m, in units of the masses of rows and columns."""
    n, m = cost.shape
    sent, tree = np.zeros((n, m), np.int64), np.empty((n + m, NODE), np.int64)
    matrix, work = np.ascontiguousarray(cost, np.float64), limits.TRANSPORT_WORK
    optimal = np.ones(1, np.bool_)
    if cost.size:
        _find_flow(n, m, matrix, masses, work, tree, sent, optimal)
    if not optimal[0]:
        raise limits.too_much_work(limits.TRANSPORT_WORK, (n, m))
    return sent


_find_flow = declare_kernel("find_flow")


def _allocate_tree(batch: CostBatch) -> Ints:
    """Allocate memory for the tree of any pair."""
    return np.empty((int(batch.sizes.sum(axis=1).max(initial=0)), NODE), np.int64)


class Bases(NamedTuple):
    """The optimal trees of many pairs, used as starting points after small changes of the costs.

    Attributes:
        parents, flows: of the n + m nodes of each pair, rows before columns: the node above, or -1,
            and the flow on the arc to it, in parts of units.
        order: these nodes, each after its parent.
        start: the nodes of pair p start at ``start[p]``.
        scratch: memory for one tree.
    """

    parents: Ints
    flows: Ints
    order: Ints
    start: Ints
    scratch: Ints


def best_bases(batch: CostBatch, masses: Ints | None = None) -> Bases:
    """Return the trees of the optimal flows; undefined for pairs without nodes on one side.

    The tree of a pair that reaches the work limit is feasible, but not optimal.

    Args:
        masses: of the nodes of each pair, in units (see `assign_masses`); None: uniform.
    """
    # A basis of the transport problem is a spanning tree of the n + m nodes of a pair.
    start = node_starts(batch.sizes)
    parents, flows, order = np.zeros((3, start[-1]), np.int64)
    bases = Bases(parents, flows, order, start[:-1], _allocate_tree(batch))
    if masses is None:
        masses = uniform_masses(batch.sizes)
    _find_bases(len(batch.sizes), len(masses), batch, masses, bases, limits.TRANSPORT_WORK)
    return bases


_find_bases = declare_kernel("find_bases")
