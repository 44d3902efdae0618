"""The alignment problem as an integer program, solved by HiGHS: slow, but independent.

The program has an integer variable x per node pair and a variable y per match: each node is in at
most one pair, and y is at most x for both pairs that the match touches.

Source: Opitz (2023), Smatch++, section 3.
"""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array


def optimum(problem):
    """The value of the best map, up to 1e-6."""
    n, m = problem.unary.shape
    ends = [problem.src_edges[problem.matches[:, 0]], problem.tgt_edges[problem.matches[:, 1]]]
    touched = ends[0] * m + ends[1]  # the number i * m + j of both pairs of each match
    pairs, matches = n * m, len(touched)
    if not pairs:
        return 0.0
    row, match, ones = np.arange(pairs), np.arange(matches), np.ones(pairs)
    # sum of x <= 1 for each node of src, then for each node of tgt
    nodes = coo_array(
        (
            np.concatenate([ones, ones]),
            (np.concatenate([row // m, n + row % m]), np.concatenate([row, row])),
        ),
        shape=(n + m, pairs + matches),
    )
    # y - x <= 0, at the pair of the sources and at the pair of the targets
    links = coo_array(
        (
            np.repeat([1.0, 1.0, -1.0, -1.0], matches),
            (
                np.tile(np.concatenate([match, matches + match]), 2),
                np.concatenate([pairs + match, pairs + match, touched[:, 0], touched[:, 1]]),
            ),
        ),
        shape=(2 * matches, pairs + matches),
    )
    result = milp(
        -np.concatenate([problem.unary.ravel(), problem.weights]),
        integrality=np.concatenate([np.ones(pairs), np.zeros(matches)]),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(nodes.tocsr(), ub=1),
            *([LinearConstraint(links.tocsr(), ub=0)] if matches else []),
        ],
        options={"mip_rel_gap": 0.0},
    )
    assert result.status == 0, result.message
    return -result.fun
