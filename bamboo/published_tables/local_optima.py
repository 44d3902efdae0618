"""The local optima of hill-climbing: from many random starts, all of them, not only the best.

Source: Cai and Knight (2013), Smatch: an evaluation metric for semantic feature structures, section
4: each step makes the best of all moves and swaps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from amr_metrics.alignment.facts import problems
from amr_metrics.alignment.problem import AlignmentProblem
from amr_metrics.alignment.smatchpp import SmatchPP
from amr_metrics.base import Pair
from amr_metrics.types import Floats, Ints

LEAST = 1e-9  # smaller gains are rounding errors
DECIMALS = 6  # of the values of optima that are equal


def count_optima(
    metric: SmatchPP, pairs: Sequence[Pair], restarts: int, seed: int = 0
) -> tuple[Ints, Ints]:
    """Count the different scores of the local optima that are reached from random starts.

    Args:
        restarts: the number of starts of each pair.
        seed: of the starts, which depend on the position of the pair as well.

    Returns:
        the number of variables of src, and of different scores, for each pair.
    """
    batch = problems(*metric.encode(metric.views(pairs)).tables())
    counts = np.zeros((2, len(batch.sizes)), np.int64)
    for p in range(len(batch.sizes)):
        problem = batch.problem(p)
        size, rng = max(problem.unary.shape), np.random.default_rng([seed, p])
        starts = rng.permuted(np.tile(np.arange(size), (restarts, 1)), axis=1)
        values, _ = climb(problem, starts)
        counts[:, p] = problem.unary.shape[0], len(np.unique(values.round(DECIMALS)))
    variables, optima = counts
    return variables, optima


def climb(problem: AlignmentProblem, starts: Ints) -> tuple[Floats, Ints]:
    """Climb from each start by the best swap of the partners of two nodes, until none is better.

    Both graphs have the same number of nodes here: the smaller one is filled up with nodes that
    match nothing, so that moving a node to a free partner is a swap as well.

    Args:
        starts: (starts, nodes), a permutation in each row.

    Returns:
        the value of each local optimum, and its maps (starts, nodes of src), -1 without a partner.
    """
    (n, m), (count, size) = problem.unary.shape, starts.shape
    unary = np.zeros((size, size))
    unary[:n, :m] = problem.unary
    # A match of edges is a link: what is gained if i is mapped to j and k to l.
    ends = problem.src_edges[problem.matches[:, 0]], problem.tgt_edges[problem.matches[:, 1]]
    (i, k), (j, l), weights = ends[0].T, ends[1].T, np.asarray(problem.weights, np.float64)
    loops = (i == k) & (j == l)
    np.add.at(unary, (i[loops], j[loops]), weights[loops])
    linked = (i != k) & (j != l)  # otherwise no map has both
    i, j, k, l, weights = (part[linked] for part in (i, j, k, l, weights))
    maps, rows, nodes = starts.copy(), np.arange(count)[:, None], np.arange(size)
    while True:
        first, second = maps[:, i] == j, maps[:, k] == l  # (starts, links)
        # gains[s, i, j]: what start s has from mapping i to j, with the links to its other pairs.
        gains = np.repeat(unary[None], count, axis=0)
        np.add.at(gains, (rows, k, l), weights * first)
        np.add.at(gains, (rows, i, j), weights * second)
        now = np.take_along_axis(gains, maps[:, :, None], axis=2)
        swapped = np.take_along_axis(gains, maps[:, None, :], axis=2)  # i to the partner of k
        change = swapped + swapped.transpose(0, 2, 1) - now - now.transpose(0, 2, 1)
        # The link of the two pairs is lost once, not with each of them, and another one is gained.
        lost, gained = weights * (first & second), weights * ((maps[:, k] == j) & (maps[:, i] == l))
        for a, b in ((i, k), (k, i)):
            np.add.at(change, (rows, a, b), lost + gained)
        change[:, nodes, nodes] = 0
        best = change.reshape(count, -1).argmax(axis=1)
        a, b = np.divmod(best, size)
        better = change[rows[:, 0], a, b] > LEAST
        if not better.any():
            break
        s, a, b = rows[better, 0], a[better], b[better]
        maps[s, a], maps[s, b] = maps[s, b], maps[s, a]
    values = unary[nodes, maps].sum(axis=1) + (weights * (first & second)).sum(axis=1)
    return values, np.where(maps < m, maps, -1)[:, :n]
