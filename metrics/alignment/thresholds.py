"""The values of the best maps for many thresholds, with as few alignments as possible.

An alignment is computed only where its value does not follow from others: for a pair whose map is
certain (see `metrics.alignment.certain_maps`), and for a pair whose matches are the same as for the
`tau` before, or do not depend on `tau_sense`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from metrics.alignment.certain_maps import BELOW, CertainMaps
from metrics.alignment.exact import Exact
from metrics.alignment.graded_problems import GradedProblems
from metrics.alignment.problem import AlignmentBatch, ProblemBatch
from metrics.alignment.solver import Solver
from metrics.types import Floats, Ints

# A map is certain only if it is found within a hundredth of the solver's own limits.
NODE_LIMIT, WORK_LIMIT, RESERVE = 1_000, 5_000_000, 100
ROOT_ROUNDS, NODE_ROUNDS = 8, 3  # fastest for these problems; a certain map is the same for all


def best_values(
    graded: GradedProblems,
    thresholds: Sequence[tuple[float, float]],
    solve: Callable[[Ints, ProblemBatch], AlignmentBatch],
    solver: Solver,
) -> dict[tuple[float, float], Floats]:
    """The value of the map of each pair for each tau and tau_sense.

    Args:
        thresholds: tau and tau_sense.
        solve: computes the answers to problems of the pairs at some positions.
        solver: the solver on which `solve` relies.
    """
    values: dict[tuple[float, float], Floats] = {}
    tau_senses = np.array(sorted({tau_sense for _, tau_sense in thresholds}))
    certain = CertainMaps.none(graded, _limited(solver), tau_senses)
    last = {tau_sense: tau for tau, tau_sense in sorted(thresholds)}
    wanted, before = set(thresholds), None
    for tau in sorted({tau for tau, _ in thresholds}):
        ks = np.array([k for k, sense in enumerate(tau_senses) if (tau, sense) in wanted])
        own = tau_senses[ks].tolist()
        counts, scaled = graded.counts(tau)
        new = np.ones(len(graded), np.bool_)
        if before is not None and all((before[0], tau_sense) in values for tau_sense in own):
            new = counts != before[1]  # those with as many matches have the same problem
        constant = scaled == 0
        # A map that is used once is not worth the proof that it is certain.
        again = any(last[tau_sense] > tau for tau_sense in own)
        if len(ks) > 1 or again:
            pairs = np.flatnonzero(new & ~constant & graded.whole)
            certain.find(tau, ks[tau_senses[ks] >= BELOW], pairs)
        if again:
            certain.find(tau, ks[:1], np.flatnonzero(new & constant & graded.whole))
        for k, tau_sense in zip(ks, own, strict=True):
            batch, known = graded.at(tau, tau_sense), certain.until[k] > tau
            out = certain.values(k, batch.unary)
            if before is not None:
                out = np.where(new, out, values.get((before[0], tau_sense), out))
            if k > ks[0]:
                out = np.where(new & constant, values[tau, own[0]], out)
                known |= constant
            unknown = np.flatnonzero(new & ~known)
            out[unknown] = solve(unknown, batch.take(unknown)).value
            values[tau, tau_sense] = out
        before = tau, counts
    return values


def _limited(solver: Solver) -> Exact | None:
    """The solver with low limits; None if it is another one, or has low limits itself."""
    if not isinstance(solver, Exact):
        return None
    if solver.node_limit < RESERVE * NODE_LIMIT or solver.work_limit < RESERVE * WORK_LIMIT:
        return None
    return Exact(
        node_limit=NODE_LIMIT,
        work_limit=WORK_LIMIT,
        root_rounds=ROOT_ROUNDS,
        node_rounds=NODE_ROUNDS,
    )
