"""Small alignment problems, and their optimum by trying every map."""

import zlib
from dataclasses import replace
from itertools import permutations

import numpy as np
from hypothesis import strategies as st

from amr_metrics.alignment.problem import AlignmentProblem
from amr_metrics.alignment.workspace import ProblemBatch

WHOLE = st.sampled_from([0.0, 0.0, 1.0, 2.0])
REAL = st.one_of(st.just(0.0), st.floats(0.015625, 1.0, width=32))


def _edges(nodes, most):
    node = st.integers(0, max(nodes - 1, 0))
    return st.lists(st.tuples(node, node), max_size=most if nodes else 0)


@st.composite
def problems(draw, max_nodes=5, max_edges=6):
    """Any problem: rectangular, empty, self-loops, parallel edges, whole or real weights."""
    weight = draw(st.sampled_from([WHOLE, REAL]))
    n, m = draw(st.integers(0, max_nodes)), draw(st.integers(0, max_nodes))
    unary = np.array([[draw(weight) for _ in range(m)] for _ in range(n)]).reshape(n, m)
    ends = [draw(_edges(size, max_edges)) for size in (n, m)]
    every = [(a, b) for a in range(len(ends[0])) for b in range(len(ends[1]))]
    matches = draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    return AlignmentProblem.build(unary, ends[0], ends[1], matches, [draw(weight) for _ in matches])


def random_problem(seed, nodes=(4, 11)):
    """A problem as of two connected graphs with three roles; real unary weights."""
    rng = np.random.default_rng(seed)
    n, m = (int(k) for k in rng.integers(*nodes, 2))
    unary = (rng.random((n, m)) < 0.3) * rng.random((n, m))

    def edges(k):
        tree = {(int(rng.integers(0, t)), t, int(rng.integers(0, 3))) for t in range(1, k)}
        more = zip(rng.integers(0, k, k), rng.integers(0, k, k), rng.integers(0, 3, k), strict=True)
        return sorted(tree | {(int(a), int(b), int(c)) for a, b, c in more if a != b})

    src, tgt = edges(n), edges(m)
    matches = [(a, b) for a in range(len(src)) for b in range(len(tgt)) if src[a][2] == tgt[b][2]]
    weights = rng.random(len(matches)) if seed % 2 else None
    return AlignmentProblem.build(
        unary, [e[:2] for e in src], [e[:2] for e in tgt], matches, weights
    )


def many_problems():
    """Eighty of them; half have whole weights, and many maps of the same value."""
    real = [random_problem(seed) for seed in range(40)]
    whole = [random_problem(2 * seed) for seed in range(40)]
    whole = [replace(problem, unary=np.ceil(2 * problem.unary)) for problem in whole]
    return ProblemBatch.pack(real + whole)


def record(answer):
    """The sums of values and of bounds, the number of proofs, and a checksum of the maps."""
    checksum = zlib.crc32(answer.mapping.astype("<i8").tobytes())
    sums = answer.value.sum(), answer.upper_bound.sum()
    return (*(round(float(total), 6) for total in sums), int(answer.optimal.sum()), checksum)


def swapped(problem):
    """The same problem with the graphs exchanged."""
    return AlignmentProblem.build(
        problem.unary.T,
        problem.tgt_edges,
        problem.src_edges,
        problem.matches[:, ::-1],
        problem.weights,
    )


def brute_force(problem):
    """The largest value of any map."""
    n, m = problem.unary.shape
    if n > m:
        return brute_force(swapped(problem))
    # With weights of at least 0 no map loses by mapping every node of the smaller side.
    return max(problem.value(np.array(map_, np.int64)) for map_ in permutations(range(m), n))


def is_map(problem, mapping):
    """Whether a mapping is a partial one-to-one map of the problem's nodes."""
    n, m = problem.unary.shape
    used = mapping[mapping >= 0]
    return (
        len(mapping) == n
        and (mapping >= -1).all()
        and len(set(used.tolist())) == len(used)
        and (used < m).all()
    )
