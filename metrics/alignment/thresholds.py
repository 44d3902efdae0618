"""The values of the best maps for many thresholds, with fewer alignments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np

from metrics.alignment.graded_problems import GradedProblems
from metrics.alignment.problem import AlignmentBatch, ProblemBatch
from metrics.alignment.solver import Solver
from metrics.alignment.unique_maps import supports, unique_values
from metrics.types import Floats, Ints


def best_values(
    graded: GradedProblems,
    thresholds: Sequence[tuple[float, float]],
    solve: Callable[[Ints, ProblemBatch], AlignmentBatch],
    solver: Solver,
) -> dict[tuple[float, float], Floats]:
    """The value of the map of each pair for each tau and tau_sense.

    A pair is aligned for some thresholds only if its problem differs from those of the thresholds
    before, and if its best map is not proven to be the same for all values of tau_sense (see
    `metrics.alignment.unique_maps`).

    Args:
        thresholds: tau and tau_sense.
        solve: computes the answers to problems of the pairs at some positions.
        solver: the solver that `solve` uses.
    """
    values: dict[tuple[float, float], Floats] = {}
    previous: dict[float, tuple[Ints, Floats]] = {}  # by tau_sense: counts and values
    for tau, group in groupby(sorted(set(thresholds)), key=lambda point: point[0]):
        tau_senses = np.array([tau_sense for _, tau_sense in group])
        counts, scaled = graded.counts(tau)
        rows = np.full((len(tau_senses), len(graded)), np.nan)
        for row, tau_sense in zip(rows, tau_senses.tolist(), strict=True):
            if tau_sense in previous:
                # A higher tau only removes matches: if their number is the same, so are they.
                old_counts, old_values = previous[tau_sense]
                row[:] = np.where(counts == old_counts, old_values, np.nan)
        if len(tau_senses) > 2 and supports(solver):  # a proof takes two alignments
            missing = np.isnan(rows).all(axis=0)
            pairs = np.flatnonzero(missing & (scaled > 0) & graded.integral_edges)
            rows[:, pairs] = unique_values(graded.take(pairs), tau, tau_senses)
        for row, tau_sense in zip(rows, tau_senses.tolist(), strict=True):
            row[:] = np.where(scaled > 0, row, rows[0])  # the others do not depend on tau_sense
            pairs = np.flatnonzero(np.isnan(row))
            row[pairs] = solve(pairs, graded.at(tau, tau_sense).take(pairs)).value
            values[tau, tau_sense] = row
            previous[tau_sense] = counts, row
    return values
