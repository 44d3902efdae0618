"""Values of maps that are proven to be the only best ones for a range of `tau_sense`.

For a fixed `tau`, the value of a map is linear in `tau_sense`. Let x be a map that is best just
below the range and that is better than all maps of another kind by at least `MARGIN` at its upper
end. Everywhere in the range, x is then better than each of these by more than the tolerance of the
solver, which therefore returns x or a map of the same kind. Two alignments per pair prove this.

A map of the same kind as x uses the same unary weight as x in each row of the solver. The solver
adds the weights of the matching edges first, then those of the rows in order. If the weights of
edges are integers, maps of the same kind that are equally good therefore have the same value to the
last bit.

This assumes that the solver proves its answers optimal everywhere in the range. To make it very
unlikely that it reaches a limit there, both alignments must be proven optimal within a hundredth of
the default limits. (At a limit, the solver might return a worse map than x.)
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

import numpy as np

from metrics.alignment.exact import TOLERANCE, Exact
from metrics.alignment.graded_problems import GradedProblems
from metrics.alignment.problem import AlignmentBatch, ProblemBatch
from metrics.alignment.solver import Solver
from metrics.types import Bools, Floats, Ints

MARGIN = 1e-5
BELOW = 1 / 16  # x is best this far below the range, as a fraction of its length
DEFAULT = Exact()
# Fewer rounds than the default are faster for these problems.
PROVER = Exact(
    node_limit=DEFAULT.node_limit // 100,
    work_limit=DEFAULT.work_limit // 100,
    root_rounds=8,
    node_rounds=3,
)


def supports(solver: Solver) -> bool:
    """Whether proofs hold for the answers of a solver: the exact one, with no lower limits."""
    return type(solver) is Exact and all(
        own >= default for own, default in zip(astuple(solver), astuple(DEFAULT), strict=True)
    )


def unique_values(graded: GradedProblems, tau: float, tau_senses: Floats) -> Floats:
    """The values of the best maps of pairs for which they are proven to be the only ones.

    Nothing is proven if the lowest tau_sense is close to 0.

    Args:
        graded: problems with `integral_edges`.
        tau_senses: a range, in increasing order.

    Returns:
        tau_senses x pairs; NaN for a pair whose best map is not proven to be the only one in the
        whole range.
    """
    values = np.full((len(tau_senses), len(graded)), np.nan)
    below = tau_senses[0] - BELOW * (tau_senses[-1] - tau_senses[0])
    if below < 0 or not len(graded):
        return values
    batch = graded.at(tau, below)
    answer = PROVER.solve_batch(batch)
    maps = Maps.of(batch, answer)
    unary = np.array([graded.unary(tau, tau_sense) for tau_sense in tau_senses])
    unique = answer.optimal & _better_than_others(batch, maps, unary)
    return np.where(unique, [maps.values(row) for row in unary], np.nan)


def _better_than_others(batch: ProblemBatch, maps: Maps, unary: Floats) -> Bools:
    """Whether each map is better than all of other kinds by `MARGIN` at the upper end of a range.

    The weights that the map uses are reduced by `MARGIN`, and all others are increased by it. In
    each row in which another map uses another weight, it gains at least `MARGIN` compared to this
    one. The map must be the best one nevertheless.

    Args:
        batch: the problems.
        maps: a map of each.
        unary: the unary weights for each tau_sense of the range.
    """
    (n, m), high = batch.sizes.T, unary[-1]
    pair = np.repeat(np.arange(len(batch)), np.diff(batch.unary_start))
    i, j = np.divmod(np.arange(len(pair)) - batch.unary_start[pair], m[pair])
    cell = maps.cells[maps.start[pair] + np.where(n[pair] > m[pair], j, i)]
    same = (cell >= 0) & (unary == unary[:, cell]).all(axis=0)
    changed = np.maximum(high + np.where(same, -MARGIN, MARGIN) * (high > 0), 0.0)
    answer = PROVER.solve_batch(replace(batch, unary=changed))
    # A weight below MARGIN cannot be reduced by that much.
    small = np.bincount(pair, (high > 0) & (high < MARGIN), len(batch)) > 0
    return np.asarray(~small & (answer.upper_bound <= maps.values(changed) + 2 * TOLERANCE))


@dataclass(frozen=True, eq=False)
class Maps:
    """The maps of some pairs, in a form from which their values for other weights are computed.

    Attributes:
        edges: float64, by pair, the sum of the weights of matching edges.
        cells: int64, by node of src: the positions in ``batch.unary`` that the map uses, in the
            order of the solver's rows; -1 for rows without a partner.
        start: int64 p + 1, the cells of each pair.
    """

    edges: Floats
    cells: Ints
    start: Ints

    @classmethod
    def of(cls, batch: ProblemBatch, answer: AlignmentBatch) -> Maps:
        """The maps of the answers to problems without self-loops."""
        pair = np.repeat(np.arange(len(batch)), np.diff(batch.match_start))
        one = batch.src_edges[batch.src_start[pair] + batch.matches[:, 0]]
        two = batch.tgt_edges[batch.tgt_start[pair] + batch.matches[:, 1]]
        matched = (answer.mapping[answer.start[pair][:, None] + one] == two).all(axis=1)
        edges = np.bincount(pair, matched * batch.weights, len(batch)).astype(np.float64)
        n, m = batch.sizes.T
        nodes = np.flatnonzero(answer.mapping >= 0)
        pair = np.repeat(np.arange(len(batch)), n)[nodes]
        i, j = nodes - answer.start[pair], answer.mapping[nodes]
        cells = np.full(len(answer.mapping), -1, np.int64)
        row = np.where(n[pair] > m[pair], j, i)
        cells[answer.start[pair] + row] = batch.unary_start[pair] + i * m[pair] + j
        return cls(edges, cells, answer.start)

    def values(self, unary: Floats) -> Floats:
        """The values of the maps, added in the order of `metrics.alignment.workspace.unload`."""
        pairs = np.arange(len(self.edges))
        order = np.concatenate([pairs, np.repeat(pairs, np.diff(self.start))])
        weights = np.concatenate([self.edges, np.append(unary, 0.0)[self.cells]])
        return np.asarray(np.bincount(order, weights, len(pairs)), np.float64)
