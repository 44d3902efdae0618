from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import Graph, Pair, Smatch, parse_graph
from amr_metrics.alignment.smatch import ROOTS
from amr_metrics.graphs.graph import Relation
from tests.strategies import graphs

metrics = st.sampled_from([Smatch(root=root) for root in ROOTS])


def scores(src, tgt, **options):
    return Smatch(**options).evaluate([Pair(parse_graph(src), parse_graph(tgt))])


BOY = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-01 :ARG0 b))"
GIRL = "(w / want-01 :ARG0 (g / girl) :ARG1 (s / sleep-01 :ARG0 g))"


def test_concepts_and_relations():
    # Each side: 3 concepts, 3 relations, TOP. Matched: want-01, TOP, ARG0, ARG1, ARG0.
    result = scores(BOY, GIRL)
    assert result.values[0] == 2 * 5 / (7 + 7)
    assert result.details["precision"][0] == 5 / 7
    assert result.details["matches"][0] == 5


def test_precision_is_seen_from_src_and_recall_from_tgt():
    # src: 3 concepts, 3 relations, TOP; tgt: want-01, boy, ARG0, TOP, all found.
    result = scores(BOY, "(w / want-01 :ARG0 (b / boy))")
    assert result.details["precision"][0] == 4 / 7
    assert result.details["recall"][0] == 4 / 4
    assert result.values[0] == 2 * 4 / (7 + 4)


@pytest.mark.parametrize(
    ("root", "matched", "total"), [("concept", 2, 4), ("constant", 3, 4), ("none", 2, 3)]
)
def test_the_root_triple(root, matched, total):
    # cat and :mod-of match in every case (dog is the other way round); TOP by option.
    src, tgt = "(c / cat :mod (d / dog))", "(b / bird :mod (d / dog))"
    assert scores(src, tgt, root=root).values[0] == 2 * matched / (total + total)


def test_an_attribute_counts_with_role_and_constant():
    src = "(s / sleep-01 :polarity - :time (d / date-entity :year 2020))"
    tgt = "(s / sleep-01 :polarity - :time (d / date-entity :year 2021))"
    # 2 concepts, polarity, time, TOP of 6 triples on each side
    assert scores(src, tgt).values[0] == 2 * 5 / (6 + 6)


def test_case_is_folded_and_inverse_roles_are_turned_round():
    assert (
        scores("(c / Cat :ARG0-of (s / SLEEP-01))", "(c / cat :arg0-of (s / sleep-01))").values[0]
        == 1
    )
    # the same triples under another root: all but TOP
    src, tgt = "(c / cat :ARG0-of (s / sleep-01))", "(s / sleep-01 :ARG0 (c / cat))"
    assert scores(src, tgt).values[0] == 2 * 3 / (4 + 4)
    assert scores(src, tgt, root="none").values[0] == 1


def test_quotes_are_part_of_a_constant():
    src, tgt = '(n / name :op1 "Rome")', "(n / name :op1 Rome)"
    assert scores(src, tgt).values[0] == 2 * 2 / (3 + 3)


def test_a_self_loop_matches_a_self_loop_only():
    loop = Graph(("a",), ("cat",), (), (Relation("a", ":ARG0", "a"),), "a")
    edge = Graph(("a", "b"), ("cat", "dog"), (), (Relation("a", ":ARG0", "b"),), "a")
    assert Smatch().score([Pair(loop, loop), Pair(loop, edge)]).tolist() == [1, 2 * 2 / (3 + 4)]


def test_the_corpus_score_is_micro():
    pairs = [
        Pair(parse_graph(BOY), parse_graph(GIRL)),
        Pair(parse_graph("(c / cat)"), parse_graph("(d / dog)")),
    ]
    corpus = Smatch().corpus(Smatch().evaluate(pairs))
    # 5 matches of 7 + 2 and 7 + 2 triples
    assert corpus["f1"] == pytest.approx(2 * (5 + 0) / ((7 + 2) + (7 + 2)))
    assert corpus["precision"] == pytest.approx((5 + 0) / (7 + 2))


def test_the_alignment_explains_the_score():
    told = Smatch().explain(Pair(parse_graph(BOY), parse_graph(GIRL)))
    assert told.score == 2 * 5 / (7 + 7)
    assert {(link.src, link.tgt): link.weight for link in told.links} == {
        # concept, TOP, half of ARG0 and of ARG1; half of both ARG0; half of ARG1 and of ARG0
        ("w", "w"): 1 + 1 + 1 / 2 + 1 / 2,
        ("b", "g"): 1 / 2 + 1 / 2,
        ("g", "s"): 1 / 2 + 1 / 2,
    }
    assert len(told.matched) == 5
    assert set(map(str, told.unmatched_src)) == {"instance(b, boy)", "instance(g, go-01)"}
    assert set(map(str, told.unmatched_tgt)) == {"instance(g, girl)", "instance(s, sleep-01)"}
    assert told.optimal


@given(graphs(), graphs(), st.integers(1, 3))
def test_repeated_triples_make_no_difference(a, b, times):
    more = replace(a, attributes=a.attributes * times, relations=a.relations * times)
    assert Smatch().score([Pair(more, b)]).tolist() == Smatch().score([Pair(a, b)]).tolist()
