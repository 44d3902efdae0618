"""AnCast of sentences: scores worked out by hand, and the tool's values on the released data."""

import pytest

from amr_metrics import AncastSentences, Pair, parse_amr, parse_graph
from amr_metrics.documents import ancast_sentences
from amr_metrics.errors import PairError
from tests.released import pearson, released, shared_file

CAT = "(s / sleep-01 :ARG0 (c / cat))"
BLACK = "(s / sleep-01 :ARG0 (c / cat :mod (b / black)))"


def scores_of(src, tgt, **options):
    return AncastSentences(**options).evaluate([Pair(parse_graph(src), parse_graph(tgt))])


@pytest.mark.parametrize(
    ("src", "tgt", "score"),
    [
        (BLACK, CAT, 2 / 3),  # 1 of 2 relations, 1 of 1
        (CAT.replace("01", "02"), CAT, (0.9 + 1) / 2),  # another sense at one of two ends
        (CAT.replace("ARG0", "ARG1"), CAT, 0),  # concepts alone do not count
        ("(c / cat)", "(c / cat)", 1),  # unless there is no relation
        ("(c / cat)", "(d / cattle)", 3 / 6),
        ("(c / cat)", CAT, 0),
        # A constant has a relation. "-" counts; "interrogative" is taken for a variable.
        ("(s / sleep-01 :polarity -)", "(s / sleep-01 :polarity -)", 1),
        ("(s / sleep-01 :polarity -)", "(s / sleep-01 :polarity - :mode interrogative)", 1),
        ("(s / sleep-01 :polarity -)", "(s / sleep-01 :polarity - :mode imperative)", 2 / 3),
    ],
)
def test_by_hand(src, tgt, score):
    assert scores_of(src, tgt).values == pytest.approx([score])
    assert scores_of(tgt, src).values == pytest.approx([score])


def test_corpus_scores_are_of_all_relations():
    metric = AncastSentences()
    pairs = [Pair(parse_graph(BLACK), parse_graph(CAT)), Pair(*[parse_graph("(d / dog)")] * 2)]
    expected = {"precision": 0.5, "recall": 1.0, "f1": 2 / 3}  # the dogs have no relation
    assert metric.corpus(metric.evaluate(pairs)) == pytest.approx(expected)
    assert metric.corpus(metric.evaluate(pairs[1:]))["f1"] == 1.0


def test_anchors_are_concepts_of_both_sentences():
    # Both sides have two boys and two girls. Names decide nothing, and roles very little; a unique
    # concept in both sentences is an anchor, from which its neighbours are found.
    graph = "(a / and :op1 (x / boy :mod (t / tall)) :op2 (y / boy :mod (o / old)))"
    reordered = "(a / and :op1 (y / boy :mod (o / old)) :op2 (x / boy :mod (t / tall)))"

    def links(sentence, **options):
        src, tgt = parse_amr("\n\n".join(f"# ::snt {sentence}\n{g}" for g in (graph, reordered)))
        explained = AncastSentences(**options).explain(Pair(src, tgt))
        return {link.src: link.tgt for link in explained.links}

    assert links("A tall boy and an old boy") == {v: v for v in "axtyo"}
    without = links("A tall boy and an old boy", anchors=False)
    assert links("x") == without


def test_links_have_the_similarity_of_the_nodes():
    pair = Pair(parse_graph(CAT.replace("01", "02")), parse_graph(CAT))
    explained = AncastSentences().explain(pair)
    assert explained.score == pytest.approx(0.95)
    assert [(k.src, k.tgt) for k in explained.links] == [("s", "s"), ("c", "c")]
    assert [k.weight for k in explained.links] == pytest.approx([0.9, 1.0])


def test_large_graphs_are_refused(monkeypatch):
    monkeypatch.setattr(ancast_sentences, "WORK", 10)
    small = Pair(*[parse_graph("(c / cat)")] * 2)
    with pytest.raises(PairError, match="pair 1"):
        AncastSentences().evaluate([small, Pair(*[parse_graph(CAT)] * 2)])


@pytest.mark.parametrize(("anchors", "value"), [(True, 56.08), (False, 56.02)])
def test_the_values_of_the_tool(shared, anchors, value):
    pairs, ratings = released(shared_file(shared, "bamboo-amr-benchmark"), "sts", "main")
    assert len(pairs) == 1379
    scores = AncastSentences(anchors=anchors).score(pairs)
    assert pearson(scores, ratings) == pytest.approx(value, abs=0.005)
