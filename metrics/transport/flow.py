"""Optimal transport between two sets of nodes with uniform masses that sum to 1."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from metrics.compiled import compiled
from metrics.errors import OptionError
from metrics.transport.simplex import (
    Tree,
    mean_cost,
    room_for,
    solve,
    solve_from,
    units,
)
from metrics.types import Floats, Ints

Form = Literal["symmetric", "precision", "recall"]
FORMS = ("symmetric", "precision", "recall")
TransportSolver = Literal["compiled", "pot"]
SOLVERS = ("compiled", "pot")


class CostBatch(NamedTuple):
    """Cost matrices of many pairs in flat arrays.

    Attributes:
        sizes: int64 p x 2, numbers of nodes (n, m).
        costs, start: the n x m matrices, row by row; pair p's is ``costs[start[p]:start[p + 1]]``.
    """

    sizes: Ints
    costs: Floats
    start: Ints


def flow(cost: Floats, form: Form = "symmetric") -> Floats:
    """The optimal flow of mass from rows to columns.

    Args:
        cost: n x m, the cost of moving a mass of 1 from row to column.
        form: ``symmetric``: each row gives 1/n and each column receives 1/m. ``precision``: each
            row gives 1/n to its cheapest column. ``recall``: each column receives 1/m from its
            cheapest row.

    Returns:
        n x m, the mass that goes from each row to each column; it sums to 1.

    >>> flow(np.array([[0.0, 1.0], [1.0, 0.5], [0.2, 0.2]])).round(3).tolist()
    [[0.333, 0.0], [0.0, 0.333], [0.167, 0.167]]
    """
    n, m = cost.shape
    if form == "precision":
        return _nearest(cost)
    if form == "recall":
        return np.ascontiguousarray(_nearest(np.ascontiguousarray(cost.T)).T)
    return np.asarray(optimal_units(np.ascontiguousarray(cost)) / np.lcm(n, m))


def least_costs(
    batch: CostBatch, form: Form = "symmetric", solver: TransportSolver = "compiled"
) -> Floats:
    """The cost of the optimal flow of each pair; forms as in `flow`.

    The cost is 0 if neither side has nodes, and 1 if only one side has nodes.

    Args:
        batch: the cost matrices.
        form: which masses are prescribed.
        solver: ``compiled``, or ``pot`` for the network simplex of Python Optimal Transport.

    Raises:
        OptionError: if the solver is ``pot`` and Python Optimal Transport is not installed.
    """
    least = _least_costs(batch, FORMS.index(form), solver == "compiled", _room(batch))
    if form == "symmetric" and solver == "pot":
        try:
            import ot
        except ImportError:
            raise OptionError(
                "transport='pot': Python Optimal Transport is not installed. Install the package "
                "POT (the extra 'pot' of bamboo-amr), or use 'compiled', which gives the same "
                "scores"
            ) from None

        for p, (n, m) in enumerate(batch.sizes):
            if n and m:
                cost = batch.costs[batch.start[p] : batch.start[p + 1]].reshape(n, m)
                least[p] = ot.emd2([], [], cost)
    return least


@compiled
def _nearest(cost: Floats) -> Floats:
    n, m = cost.shape
    moved = np.zeros((n, m))
    for i in range(n):
        moved[i, np.argmin(cost[i])] = 1.0 / n
    return moved


def optimal_units(cost: Floats) -> Ints:
    """The optimal flow, n x m, in integer units of 1 / lcm(n, m)."""
    return _optimal_units(cost, room_for(sum(cost.shape)))


@compiled
def _optimal_units(cost: Floats, tree: Tree) -> Ints:
    n, m = cost.shape
    solve(cost, tree)
    sent = np.zeros((n, m), np.int64)
    for node in range(n + m):
        up = tree[node].parent
        if up >= 0 and node < n:
            sent[node, up - n] = units(tree, node, n)
        elif up >= 0:
            sent[up, node - n] = units(tree, node, n)
    return sent


@compiled
def _least_costs(batch: CostBatch, form: int, transport: bool, tree: Tree) -> Floats:
    out = np.empty(len(batch.sizes))
    for p in range(len(batch.sizes)):
        n, m = batch.sizes[p]
        cost = batch.costs[batch.start[p] : batch.start[p + 1]].reshape((n, m))
        if n == 0 or m == 0:
            out[p] = int(n != m)
        elif form == 1:
            out[p] = _mean_least(cost)
        elif form == 2:
            out[p] = _mean_least(cost.T)
        elif transport:
            solve(cost, tree)
            out[p] = mean_cost(cost, tree)
    return out


@compiled
def _mean_least(cost: Floats) -> float:
    total = 0.0
    for i in range(len(cost)):
        total += cost[i].min()
    return total / len(cost)


def _room(batch: CostBatch) -> Tree:
    return room_for(int(batch.sizes.sum(axis=1).max(initial=0)))


class Bases(NamedTuple):
    """The optimal trees of many pairs, used as starting points after small changes of the costs.

    Attributes:
        parents, flows: of the n + m nodes of each pair (see `metrics.transport.simplex.Tree`).
        start: those of pair p start at ``start[p]``.
        room: scratch space for one tree.
    """

    parents: Ints
    flows: Ints
    start: Ints
    room: Tree

    def of(self, pairs: Ints) -> Bases:
        """Select the trees of some pairs, by index."""
        return self._replace(start=self.start[pairs])


def best_bases(batch: CostBatch) -> Bases:
    """The trees of the optimal flows; undefined for pairs without nodes on one side."""
    start = np.concatenate([[0], np.cumsum(batch.sizes.sum(axis=1))])
    parents, flows = np.zeros((2, start[-1]), np.int64)
    bases = Bases(parents, flows, start[:-1], _room(batch))
    _find_bases(batch, bases)
    return bases


@compiled
def _find_bases(batch: CostBatch, bases: Bases) -> None:
    tree = bases.room
    for p in range(len(batch.sizes)):
        n, m = batch.sizes[p]
        if n and m:
            solve(batch.costs[batch.start[p] : batch.start[p + 1]].reshape((n, m)), tree)
            for node in range(n + m):
                bases.parents[bases.start[p] + node] = tree[node].parent
                bases.flows[bases.start[p] + node] = tree[node].flow


@compiled
def least_costs_from(batch: CostBatch, bases: Bases) -> Floats:
    """The cost of the optimal flow of each pair, starting from nearly optimal bases."""
    out = np.empty(len(batch.sizes))
    tree = bases.room
    for p in range(len(batch.sizes)):
        n, m = batch.sizes[p]
        if n == 0 or m == 0:
            out[p] = int(n != m)
            continue
        cost = batch.costs[batch.start[p] : batch.start[p + 1]].reshape((n, m))
        here = slice(bases.start[p], bases.start[p] + n + m)
        solve_from(cost, bases.parents[here], bases.flows[here], tree)
        out[p] = mean_cost(cost, tree)
    return out
