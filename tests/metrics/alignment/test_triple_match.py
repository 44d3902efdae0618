"""Bounds of scores that are not proven, and how pairs are divided by the memory that they need."""

import pytest
from hypothesis import given, settings

from amr_metrics import Pair, Smatch, SmatchPP, limits, parse_graph
from amr_metrics.alignment import triple_match
from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.s2match import S2match
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.errors import PairError
from amr_metrics.vectors import WordVectors
from tests.builders import chain
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


def test_explanations_of_several_chunks_are_those_of_each_pair(monkeypatch):
    monkeypatch.setattr(triple_match, "CHUNK", 2)
    texts = ["(c / cat)", "(d / dog :mod (b / big))", "(s / sleep-01 :ARG0 (c / cat))"]
    pairs = [Pair(graph, graph) for graph in map(parse_graph, texts)]
    explanations = Smatch().explanations(pairs)
    assert [explained.links for explained in explanations] == [
        Smatch().explain(pair).links for pair in pairs
    ]
    assert [explained.links[0].src for explained in explanations] == ["c", "d", "s"]


@settings(max_examples=6)
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


# 6 pairs of nodes with 80 bytes, 6 matches of concepts with 80, 2 matches of edges with 200.
PAIR, BYTES = Pair(chain(3), chain(2)), 6 * 80 + 6 * 80 + 2 * 200
# Each of the 6 pairs of nodes has 8 bytes more, each of the 6 pairs of concepts 16.
GRADED_BYTES = BYTES + 6 * 8 + 6 * 16


def parts(metric, pairs):
    """The sizes of the parts, and which of them have alignment problems."""
    encoded = metric.encode(pairs)
    each = [*metric.parts(encoded, metric.grading(encoded.labels))]
    return [len(part.src) for part in each], [part.problems is not None for part in each]


def test_a_pair_that_needs_more_than_the_limit_has_no_problem(monkeypatch):
    monkeypatch.setattr("amr_metrics.alignment.large.BYTES", 0)
    smatch = Smatch(root="none")
    graded = S2match(vectors=VECTORS, root="none")
    for metric, needed in ((smatch, BYTES), (graded, GRADED_BYTES)):
        monkeypatch.setattr(limits, "MEMORY", needed)
        assert parts(metric, [PAIR]) == ([1], [True])
    monkeypatch.setattr(limits, "MEMORY", BYTES - 1)
    assert parts(smatch, [PAIR]) == ([1], [False])
    monkeypatch.setattr(limits, "MEMORY", GRADED_BYTES - 1)
    with pytest.raises(PairError, match="graphs of 3 and 2 nodes"):
        parts(graded, [PAIR])


def test_labels_that_differ_need_no_memory_for_matches(monkeypatch):
    monkeypatch.setattr("amr_metrics.alignment.large.BYTES", 0)
    pair = Pair(chain(3), chain(2, "other", ":other"))
    for limit, has_problem in ((6 * 80, True), (6 * 80 - 1, False)):
        monkeypatch.setattr(limits, "MEMORY", limit)
        assert parts(Smatch(root="none"), [pair]) == ([1], [has_problem])


def test_parts_are_as_long_as_the_limit_allows(monkeypatch):
    metric = Smatch(root="none")
    monkeypatch.setattr(limits, "MEMORY", 2 * BYTES)
    assert parts(metric, [PAIR] * 5) == ([2, 2, 1], [True] * 3)
    monkeypatch.setattr(limits, "MEMORY", 2 * BYTES - 1)
    assert parts(metric, [PAIR] * 3) == ([1] * 3, [True] * 3)
    assert parts(metric, []) == ([0], [True])
    pairs = [PAIR, Pair(chain(1), chain(1))] * 3
    expected = metric.evaluate(pairs)
    monkeypatch.undo()
    assert metric.evaluate(pairs).values.tolist() == expected.values.tolist()
    assert len(expected.values) == 6
