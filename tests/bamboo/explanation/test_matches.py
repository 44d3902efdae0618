"""Matches by kind of triple and by line of the outlines."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo.explanation.matches import Triple, marks, matches_by_kind, read_triple
from bamboo.explanation.outline import outline
from bamboo.paths import resource
from metrics import Pair, Smatch, parse_graph, read_graphs
from metrics.alignment.smatchpp import SmatchPP
from metrics.alignment.wsmatch import WSmatch
from metrics.base import Explanation

SRC = '(w / want-01 :polarity - :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b :quant 2 :op1 "A b"))'
TGT = '(w / want-01 :ARG0 (b / girl) :ARG1 (g / go-02 :ARG1 b :quant 3 :op1 "A b"))'
PAIR = Pair(parse_graph(SRC), parse_graph(TGT))


def test_counts_by_hand():
    rows = matches_by_kind(PAIR, Smatch().explain(PAIR))
    assert [tuple(row) for row in rows] == [
        ("concepts", 2, 2.0, 3, 3),  # want-01 and go-02
        ("attributes", 1, 1.0, 3, 2),  # the name; not polarity or the quantities
        ("relations", 2, 2.0, 3, 3),  # ARG0 and ARG1 of want-01
        ("root", 1, 1.0, 1, 1),
    ]


def test_marks_by_hand():
    explanation = Smatch().explain(PAIR)
    src, tgt = marks(explanation, [outline(graph) for graph in PAIR])
    rows = outline(PAIR.src)[0]
    parts = zip(rows, src.texts, src.roles, strict=True)
    shown = [(row.role, text, role) for row, text, role in parts]
    assert shown == [
        ("", True, True),  # the concept, and the root
        (":polarity", None, False),
        (":ARG0", False, True),
        (":ARG1", True, True),
        (":quant", None, False),
        (":op1", None, True),
    ]
    assert (src.reentrant, tgt.reentrant) == ((False,), (False,))


def sample():
    folder = resource("data") / "sample" / "reify"
    sides = (read_graphs(folder / f"{side}.test.amr") for side in ("src", "tgt"))
    return [Pair(a, b) for a, b in zip(*sides, strict=True)]


@pytest.mark.parametrize("metric", [Smatch(), SmatchPP(), WSmatch(), Smatch(root="none")])
def test_every_triple_of_the_sample_has_a_mark(metric):
    pairs = sample()
    for pair, explanation in zip(pairs, metric.explanations(pairs), strict=True):
        form = metric.explained_pair(pair)
        both = marks(explanation, [outline(graph) for graph in form])
        rows = matches_by_kind(form, explanation)
        for side, marked in enumerate(both):
            every = [*marked.texts, *marked.roles, *marked.reentrant]
            unmatched = (explanation.unmatched_src, explanation.unmatched_tgt)[side]
            assert every.count(True) == len({match[side] for match in explanation.matched})
            assert every.count(False) == len(unmatched)
            assert sum(row[3 + side] for row in rows) == every.count(True) + every.count(False)


@pytest.mark.parametrize("metric", [Smatch(), SmatchPP()])
def test_the_score_can_be_read_off_the_counts(metric):
    pairs = sample()
    scores = metric.evaluate(pairs)
    for k, explanation in enumerate(metric.explanations(pairs)):
        rows = matches_by_kind(metric.explained_pair(pairs[k]), explanation)
        matched, src, tgt = (sum(row[column] for row in rows) for column in (2, 3, 4))
        assert matched / src == pytest.approx(scores.details["precision"][k])
        assert matched / tgt == pytest.approx(scores.details["recall"][k])
        assert 2 * matched / (src + tgt) == pytest.approx(explanation.score)


def test_a_metric_without_triples_has_neither_counts_nor_marks():
    explanation = Explanation(0.5, ())
    assert matches_by_kind(PAIR, explanation) == []
    both = marks(explanation, [outline(graph) for graph in PAIR])
    assert {mark for of_side in both for mark in of_side.texts + of_side.roles} == {None}


def test_inverse_edges_and_repeated_triples():
    pair = Pair(*[parse_graph("(d / dog :ARG0-of (b / bark-01) :mod (x / big) :mod x)")] * 2)
    src, _ = marks(Smatch().explain(pair), [outline(graph) for graph in pair])
    assert src.roles == (True, True, True)
    assert src.reentrant == (True,)


NAMES = st.text(string.ascii_letters + string.digits, min_size=1)


@given(st.sampled_from([":ARG0", "instance", ":prep-in"]), NAMES, st.text(max_size=12))
def test_triples_are_read_as_they_are_written(role, source, target):
    assert read_triple(f"{role}({source}, {target})") == Triple(role, source, target)


def test_graded_matches_have_their_weights():
    match = ("instance(b, boy)", "instance(b, girl)", 0.8)
    (row,) = matches_by_kind(PAIR, Explanation(0.5, (), (match,)))
    assert row == ("concepts", 1, 0.8, 1, 1)
