"""Matches by kind of triple and by line of the outlines."""

import pytest
from harness import sample_pairs

from amr_metrics import Pair, Smatch, parse_graph
from amr_metrics.alignment.smatchpp import SmatchPP
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.blend.metric import Blend
from amr_metrics.camr import parse_camr
from amr_metrics.camr.align_smatch import CamrSmatch
from amr_metrics.explanation import Explanation
from bamboo.explanation.explained import ExplainedPair
from bamboo.explanation.matches import marks, matches_by_kind
from bamboo.explanation.outline import outline

SRC = '(w / want-01 :polarity - :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b :quant 2 :op1 "A b"))'
TGT = '(w / want-01 :ARG0 (b / girl) :ARG1 (g / go-02 :ARG1 b :quant 3 :op1 "A b"))'
PAIR = Pair(parse_graph(SRC), parse_graph(TGT))


def test_counts_by_hand():
    rows = matches_by_kind(Smatch().explain(PAIR))
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
    lines = [(row.role, text, role) for row, text, role in parts]
    assert lines == [
        ("", True, True),  # the concept, and the root
        (":polarity", None, False),
        (":ARG0", False, True),
        (":ARG1", True, True),
        (":quant", None, False),
        (":op1", None, True),
    ]
    assert (src.reentrant, tgt.reentrant) == ((False,), (False,))


@pytest.mark.parametrize("metric", [Smatch(), SmatchPP(), WSmatch(), Smatch(root="none")])
def test_every_triple_of_the_sample_has_a_mark(metric):
    pairs = sample_pairs("reify")
    for pair, explanation in zip(pairs, metric.explanations(pairs), strict=True):
        form = metric.view(pair)
        both = marks(explanation, [outline(graph) for graph in form])
        rows = matches_by_kind(explanation)
        for side, marked in enumerate(both):
            every = [*marked.texts, *marked.roles, *marked.reentrant]
            unmatched = (explanation.unmatched_src, explanation.unmatched_tgt)[side]
            assert every.count(True) == len({match[side] for match in explanation.matched})
            assert every.count(False) == len(unmatched)
            assert sum(row[3 + side] for row in rows) == every.count(True) + every.count(False)


@pytest.mark.parametrize("metric", [Smatch(), SmatchPP()])
def test_the_score_can_be_read_off_the_counts(metric):
    pairs = sample_pairs("reify")
    scores = metric.evaluate(pairs)
    for k, explanation in enumerate(metric.explanations(pairs)):
        rows = matches_by_kind(explanation)
        matched, src, tgt = (sum(row[column] for row in rows) for column in (2, 3, 4))
        assert matched / src == pytest.approx(scores.details["precision"][k])
        assert matched / tgt == pytest.approx(scores.details["recall"][k])
        assert 2 * matched / (src + tgt) == pytest.approx(explanation.score)


def test_a_metric_without_triples_has_neither_counts_nor_marks():
    explanation = Explanation(0.5, ())
    assert matches_by_kind(explanation) == []
    both = marks(explanation, [outline(graph) for graph in PAIR])
    assert {mark for of_side in both for mark in of_side.texts + of_side.roles} == {None}


def test_inverse_edges_and_repeated_triples():
    pair = Pair(*[parse_graph("(d / dog :ARG0-of (b / bark-01) :mod (x / big) :mod x)")] * 2)
    src, _ = marks(Smatch().explain(pair), [outline(graph) for graph in pair])
    assert src.roles == (True, True, True)
    assert src.reentrant == (True,)


def test_relations_of_chinese_amr_and_texts():
    graph = parse_camr("(x2 / 买-01 :arg0() (x1 / 妈妈))")[0]
    kinds = [row.kind for row in matches_by_kind(CamrSmatch().explain(Pair(graph, graph)))]
    assert kinds == ["concepts", "relations", "root"]
    explanation = Explanation(0.5, (), (("a", "b", 1.0),))
    assert matches_by_kind(explanation) == [("others", 1, 1.0, 1, 1)]
    assert {*marks(explanation, [outline(graph) for graph in PAIR])[0].texts} == {None}


@pytest.mark.parametrize(
    ("weight", "line"),
    [
        (1.0, "1 - 0.3684 = 0.6316."),  # 1 - 12 / 19
        (2.6, "1 - 0.9579 = 0.0421, limited to 0.0432."),
        (-1.0, "1 + 0.3684 = 1.3684, limited to 1.0000."),
    ],
)
def test_the_sum_of_contributions_beside_the_score(weight, line):
    blend = Blend(of={"smatch": Smatch()}, weights={"smatch>0": weight})
    tables = ExplainedPair.of("blend", blend, PAIR).tables()
    (contributions,) = [table for table in tables if table.title == "Contributions to the score"]
    assert contributions.notes == (f"score: {line}",)
