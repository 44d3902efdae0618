"""The bound of a score that is not proven: `explain` tells the one that `evaluate` does."""

import pytest
from hypothesis import given, settings

from amr_metrics import Pair, Smatch, SmatchPP, parse_graph
from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.s2match import S2match
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.vectors import WordVectors
from tests.strategies import graphs

VECTORS = WordVectors.of({"cat": [1, 0], "dog": [0.8, 0.6], "person": [0, 1]})
SOLVERS = [Exact(root_rounds=1, node_limit=0), HillClimb(restarts=0)]
METRICS = [
    metric
    for solver in SOLVERS
    for metric in (
        Smatch(solver=solver),
        Smatch(solver=solver, root="none"),
        WSmatch(solver=solver),
        S2match(solver=solver, vectors=VECTORS),
        SmatchPP(solver=solver),
        SmatchPP(solver=solver, weights={"instance": 2.5}),
        SmatchPP(solver=solver, compression=True),
    )
]


@settings(max_examples=12)
@given(a=graphs(), b=graphs())
def test_the_bound_of_explain_is_that_of_evaluate(a, b):
    for metric in METRICS:
        scores = metric.evaluate([Pair(a, b)])
        explanation = metric.explain(Pair(a, b))
        assert explanation.score == pytest.approx(scores.values[0])
        assert explanation.upper_bound == pytest.approx(scores.details["upper"][0])
        assert explanation.score <= explanation.upper_bound <= 1
        assert explanation.optimal == scores.details["optimal"][0]


def test_no_alignment_matches_more_than_the_smaller_side_has():
    # 5 and 4 triples: a bound of 5 matches says nothing.
    src, tgt = (
        parse_graph("(a / thing :mod (b / thing) :mod-of b)"),
        parse_graph("(a / thing :mod (b / thing))"),
    )
    metric = Smatch(solver=HillClimb(restarts=0))
    assert metric.evaluate([Pair(src, tgt)]).details["upper_bound"].tolist() == [5]
    assert metric.explain(Pair(src, tgt)).upper_bound == 2 * 4 / (5 + 4)
