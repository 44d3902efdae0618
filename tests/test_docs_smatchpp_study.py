"""The hill-climber behind the figure of distinct optima, against the objective of each map."""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from amr_metrics import Pair, parse_graph
from amr_metrics.alignment.problem import AlignmentProblem

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def study():
    sys.path.insert(0, str(DOCS))
    try:
        import smatchpp_study
    finally:
        sys.path.pop(0)
    return smatchpp_study


def random_problem(rng, n, m):
    """A problem whose edges, loops included, match at random with unequal weights."""
    src_edges, tgt_edges = (rng.integers(0, size, (5, 2)) for size in (n, m))
    matches = np.argwhere(rng.random((5, 5)) < 0.6)
    weights = rng.integers(1, 4, len(matches))
    return AlignmentProblem.build(
        rng.integers(0, 3, (n, m)), src_edges, tgt_edges, matches, weights
    )


def neighbours(mapping, m):
    """The maps in which two nodes have swapped partners, or one has moved to a free partner."""
    for i, k in combinations(range(len(mapping)), 2):
        swapped = mapping.copy()
        swapped[[i, k]] = mapping[[k, i]]
        yield swapped
    for i in range(len(mapping)):
        for j in set(range(m)) - set(mapping.tolist()):
            moved = mapping.copy()
            moved[i] = j
            yield moved


@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 4), (3, 5), (5, 3)])
def test_climbing_ends_at_local_optima(study, n, m):
    rng = np.random.default_rng(0)
    for _ in range(20):
        problem = random_problem(rng, n, m)
        starts = rng.permuted(np.tile(np.arange(max(n, m)), (6, 1)), axis=1)
        values, maps = study.climb(problem, starts)
        for value, mapping in zip(values, maps, strict=True):
            assert value == pytest.approx(problem.value(mapping))
            assert all(problem.value(near) <= value + 1e-9 for near in neighbours(mapping, m))


def test_optima_are_counted_by_score_and_by_alignment(study):
    # The two free nodes can be aligned in two ways, which have the same score.
    src = parse_graph("(a / and :op1 (c / cat) :op2 (d / dog))")
    tgt = parse_graph("(a / and :op3 (h / hat) :op4 (p / pig))")
    counts = study.count_optima([Pair(src, src), Pair(src, tgt)])
    assert counts[0].tolist() == [1, 1]
    assert counts[-1, 1] > counts[-1, 0] >= 1
    assert (np.diff(counts, axis=0) >= 0).all()


def test_page_has_the_numbers_and_the_figure(study):
    page = (DOCS / "smatchpp-experiments.md").read_text("utf-8")
    table = page[page.index("**Distinct optima of hill-climbing") :]
    restarts = [line.split("|")[1].strip() for line in table.splitlines()[4:11]]
    assert restarts == [str(count) for count in study.RESTARTS]
    assert "](figures/smatchpp-optima.svg)" in page
    assert (DOCS / "figures/smatchpp-optima.svg").is_file()
