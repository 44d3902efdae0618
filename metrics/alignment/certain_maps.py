"""Maps that a solver of alignment problems is certain to return for a range of two thresholds.

- The value of a map is linear in `tau_sense`. Let x be a best map at the lower end of an interval,
  or just below it. If x is better than all other maps by `MARGIN` at the upper end, it is better
  than each of them by a part of that in the whole interval, which is more than the tolerance of
  the solver.
- A higher `tau` only removes matches. As long as it removes none of x, x remains the best map.

Other maps of the same value are harmless if the sum of their weights is the same to the last bit.
That is so if in each row of the solver they use the same weight, and if all weights are integers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from metrics.alignment.exact import TOLERANCE
from metrics.alignment.graded_problems import GradedProblems, Matched
from metrics.alignment.problem import ProblemBatch
from metrics.alignment.solver import Solver
from metrics.corpus import rows_of, starts
from metrics.types import Bools, Floats, Ints

MARGIN = 1e-5
BELOW = 1 / 16  # how far below an interval x is computed, as a part of its length
SMALLEST = 1e-4  # weights of a map that is certain are above this
TOLERANCES = 2 * TOLERANCE  # of two solutions


@dataclass(frozen=True, eq=False)
class _Maps:
    """Maps that are each the best below an interval of values of tau_sense.

    Attributes:
        pairs: the pair of each map.
        first, last: the positions of the lowest and of the highest value of its interval.
        graded: the problem of each map.
        matched: what the maps match.
        proven: whether they are proven to be the best.
    """

    pairs: Ints
    first: Ints
    last: Ints
    graded: GradedProblems
    matched: Matched
    proven: Bools

    def __len__(self) -> int:
        return len(self.pairs)

    def take(self, chosen: Ints) -> _Maps:
        """The maps at some positions."""
        graded, start = self.graded.take(chosen), self.graded.batch.unary_start
        steps = graded.batch.unary_start[:-1] - start[chosen]
        return _Maps(
            self.pairs[chosen],
            self.first[chosen],
            self.last[chosen],
            graded,
            self.matched.take(chosen).moved(steps),
            self.proven[chosen],
        )


@dataclass(frozen=True, eq=False)
class CertainMaps:
    """The maps of a part's pairs that are certain, by value of tau_sense.

    Attributes:
        graded: the problems.
        solver: the solver with low limits; None if no map can be certain.
        tau_senses: in increasing order.
        until: values x pairs: the map is certain for each tau below this.
        edges, cells: values x pairs and values x nodes of src, as those of `Matched`.
        start: the nodes of src of each pair.
    """

    graded: GradedProblems
    solver: Solver | None
    tau_senses: Floats
    until: Floats
    edges: Floats
    cells: Ints
    start: Ints

    @classmethod
    def none(cls, graded: GradedProblems, solver: Solver | None, tau_senses: Floats) -> CertainMaps:
        """No certain maps."""
        start, count = starts(graded.batch.sizes[:, 0]), len(tau_senses)
        return cls(
            graded,
            solver,
            tau_senses,
            np.full((count, len(graded)), -np.inf),
            np.zeros((count, len(graded))),
            np.full((count, start[-1]), -1, np.int64),
            start,
        )

    def values(self, k: int, unary: Floats) -> Floats:
        """The values of the maps for the k-th tau_sense; of no use where none is certain."""
        return Matched(self.edges[k], self.cells[k], self.start).values(unary)

    def find(self, tau: float, ks: Ints, pairs: Ints) -> None:
        """Find maps of some pairs that are certain for `tau` and tau_sense at positions `ks`."""
        if self.solver is None or not len(ks):
            return
        unknown = self.until[ks][:, pairs] <= tau
        some = unknown.any(axis=0)
        first, last = ks[unknown.argmax(axis=0)], ks[len(ks) - 1 - unknown[::-1].argmax(axis=0)]
        intervals = [(pairs[some], first[some], last[some])]
        while intervals:
            pairs, first, last = (np.concatenate(parts) for parts in zip(*intervals, strict=True))
            intervals = []
            maps = self._best(tau, pairs, first, last, self.solver)
            while len(maps):
                maps, above = self._check(tau, maps, self.solver)
                intervals += [above] if len(above[0]) else []

    def _best(self, tau: float, pairs: Ints, first: Ints, last: Ints, solver: Solver) -> _Maps:
        """The maps that are the best below intervals."""
        graded, points = self.graded.take(pairs), self.tau_senses
        batch = graded.at(tau, points[first] - BELOW * (points[last] - points[first]))
        answer = solver.solve_batch(batch)
        return _Maps(pairs, first, last, graded, Matched.of(batch, answer), answer.optimal)

    def _check(
        self, tau: float, maps: _Maps, solver: Solver
    ) -> tuple[_Maps, tuple[Ints, Ints, Ints]]:
        """Store the maps that are certain in their intervals.

        Where another map is better at the upper end, the interval is split where both have the
        same value. Where another map is as good at the upper end, and that is 1, this end is left
        out: there, concepts that differ in their sense match as equal ones do.

        Returns:
            the maps with lower parts of their intervals, and the upper parts as pairs, first and
            last.
        """
        graded, matched = maps.graded, maps.matched
        least, most = self.tau_senses[maps.first], self.tau_senses[maps.last]
        low, high = graded.at(tau, least), graded.at(tau, most)
        problems, values = _challenged(high, maps, graded.graded(tau))
        answer = solver.solve_batch(problems)
        certain = maps.proven & (answer.upper_bound <= values + TOLERANCES)
        self._keep(tau, maps, certain)
        other = Matched.of(high, answer)
        better = other.values(high.unary) - matched.values(high.unary)
        worse = np.maximum(matched.values(low.unary) - other.values(low.unary), 0.0)
        split = better > TOLERANCES
        crossing = least + (most - least) * worse / np.where(split, better + worse, 1.0)
        end = np.where(split, np.searchsorted(self.tau_senses, crossing, "right"), maps.last)
        end = np.clip(end, maps.first + 1, maps.last)
        divided = ~certain & (maps.first < maps.last)
        lower = np.flatnonzero(divided & (split | (most == 1.0)))
        upper = np.flatnonzero(divided & split)
        return (
            replace(maps, last=end - 1).take(lower),
            (maps.pairs[upper], end[upper], maps.last[upper]),
        )

    def _keep(self, tau: float, maps: _Maps, certain: Bools) -> None:
        """Store those of the maps that are certain."""
        graded = maps.graded
        counted = maps.matched.used(len(graded.batch.unary))[graded.cells] & (graded.limit > tau)
        until = np.full(len(graded), np.inf)
        np.minimum.at(until, graded.pairs[counted], graded.limit[counted])
        steps = self.graded.batch.unary_start[maps.pairs] - graded.batch.unary_start[:-1]
        matched = maps.matched.moved(steps)
        for k in range(len(self.tau_senses)):
            rows = np.flatnonzero(certain & (maps.first <= k) & (k <= maps.last))
            pairs, own = maps.pairs[rows], matched.take(rows)
            self.until[k, pairs] = until[rows]
            self.edges[k, pairs] = own.edges
            self.cells[k, rows_of(self.start, pairs).rows] = own.cells


def _challenged(batch: ProblemBatch, maps: _Maps, graded: Bools) -> tuple[ProblemBatch, Floats]:
    """Problems in which maps lose, and others gain, `MARGIN` for each use of a cell they differ in.

    For a map that uses no graded match, only the use of these matters: the values of all others
    are integers.

    Args:
        graded: which positions in ``batch.unary`` have graded matches.

    Returns:
        the problems, and the values of the maps in them; -inf where a weight is too small for this.
    """
    counts, (n, m) = np.diff(batch.unary_start), batch.sizes.T
    pair = np.repeat(np.arange(len(batch)), counts)
    i, j = np.divmod(np.arange(len(pair)) - batch.unary_start[pair], m[pair])
    cell = maps.matched.cells[maps.matched.start[pair] + np.where(n[pair] > m[pair], j, i)]
    kinds = maps.graded.kinds
    used = (cell >= 0) & (kinds == kinds[cell]).all(axis=1)
    uses = maps.matched.smallest(np.where(graded, -1.0, 0.0)) < 0
    relevant = (batch.unary > 0) & (graded | np.repeat(uses, counts))
    step = MARGIN * relevant * np.where(used, -1.0, 1.0)
    smallest = maps.matched.smallest(np.where(relevant, batch.unary, np.inf))
    unary = np.maximum(batch.unary + step, 0.0)
    values = maps.matched.values(unary)
    return replace(batch, unary=unary), np.where(smallest > SMALLEST, values, -np.inf)
