"""SEMA by hand."""

import pytest

from amr_metrics import Graph, Pair, limits
from amr_metrics.errors import MetricError
from amr_metrics.features.sema import Sema
from tests.builders import pair_of

CORRECTED = Sema(variant="corrected")
PUBLISHED = Sema()


def f1(metric, pair):
    return metric.score([pair])[0]


def test_a_triple_matches_with_the_concepts_at_its_ends():
    pair = pair_of(
        "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-01 :ARG0 b :polarity -))",
        "(w / want-01 :ARG0 (b / boy) :ARG1 (s / stay-01 :ARG0 b :polarity -))",
    )
    # The root, boy, and the relation between them. The rest hangs on go-01 or stay-01.
    assert f1(CORRECTED, pair) == 2 * 3 / (7 + 7)
    assert f1(PUBLISHED, pair) == 2 * 3 / (7 + 7)


def test_a_node_without_relations_needs_only_its_concept():
    nodes = (("c", "d"), ("cat", "dog"), (), ())  # not connected
    pair = Pair(Graph(*nodes, top="c"), Graph(*nodes, top="d"))
    assert f1(CORRECTED, pair) == 1
    assert f1(PUBLISHED, pair) == 0


def test_roots_count_where_they_are_equal():
    # The same graph seen from another root: the relation and both ends match all the same.
    pair = pair_of("(s / sleep-01 :ARG0 (c / cat))", "(c / cat :ARG0-of (s / sleep-01))")
    assert f1(CORRECTED, pair) == 2 * 3 / (3 + 3)
    assert f1(CORRECTED, pair_of("(c / cat)", "(c / cat)")) == 1
    assert f1(CORRECTED, pair_of("(c / cat)", "(d / dog)")) == 0


def test_mod_is_domain_the_other_way_round():
    pair = pair_of("(c / cat :mod (b / big))", "(b / big :domain (c / cat))")
    assert f1(CORRECTED, pair) == 1
    # The tool turns :mod but not :mod-of.
    pair = pair_of("(b / big :mod-of (c / cat))", "(c / cat :mod (b / big))")
    assert f1(CORRECTED, pair) == 1
    assert f1(PUBLISHED, pair) == 0


def test_the_tool_loses_constants_under_mod():
    pair = pair_of("(c / cat :mod 1 :polarity -)", "(c / cat :mod 2)")
    assert f1(CORRECTED, pair) == 2 * 1 / (3 + 2)
    assert f1(PUBLISHED, pair) == 2 * 1 / (2 + 1)


def test_corrected_counts_one_to_one():
    single = "(a / and :op1 (c / cat))"
    two = "(a / and :op1 (c / cat) :op1 (d / cat))"
    assert f1(CORRECTED, pair_of(single, two)) == 2 * 3 / (3 + 5)
    assert f1(CORRECTED, pair_of(two, single)) == 2 * 3 / (5 + 3)


def test_published_uses_triples_of_the_hypothesis_again():
    single = "(a / and :op1 (c / cat))"
    two = "(a / and :op1 (c / cat) :op1 (d / cat))"
    assert f1(PUBLISHED, pair_of(single, two)) == 2 * 5 / (3 + 5)
    assert f1(PUBLISHED, pair_of(two, single)) == 2 * 3 / (5 + 3)
    swapped = Sema(variant="published", hypothesis="tgt")
    assert f1(swapped, pair_of(two, single)) == 2 * 5 / (3 + 5)


def test_published_misses_parallel_relations():
    twice = "(c / clean-01 :ARG0 (k / cat) :ARG1 k)"
    assert f1(PUBLISHED, pair_of(twice, twice)) == 2 * 3 / (4 + 4)
    assert f1(CORRECTED, pair_of(twice, twice)) == 1


def test_published_matches_an_equal_constant_once():
    """Of the concept and both constants it misses the second constant."""
    twice = "(c / cat :quant 2 :quant 2)"
    assert f1(PUBLISHED, pair_of(twice, twice)) == 2 * 2 / (3 + 3)
    assert f1(CORRECTED, pair_of(twice, twice)) == 1


def test_published_compares_each_triple_with_all_others(monkeypatch):
    """One relation with one relation is two steps: a triple, and what could stand for it."""
    pair = pair_of("(c / cat :ARG0 (d / dog))", "(c / cat :ARG0 (d / dog))")
    monkeypatch.setattr(limits, "WORK", 2)
    assert f1(PUBLISHED, pair) == 1
    monkeypatch.setattr(limits, "WORK", 1)
    with pytest.raises(MetricError, match="pair 0"):
        f1(PUBLISHED, pair)


def test_precision_and_recall():
    pair = pair_of("(c / cat :polarity -)", "(c / cat :polarity - :quant 2 :mod (b / big))")
    for metric, precision, recall in (
        (CORRECTED, 2 / 2, 2 / 5),
        (Sema(variant="corrected", hypothesis="tgt"), 2 / 5, 2 / 2),
    ):
        details = metric.evaluate([pair]).details
        assert (details["precision"][0], details["recall"][0]) == (precision, recall)


def test_the_corpus_adds_up_triples():
    pairs = [
        pair_of("(c / cat)", "(c / cat)"),
        pair_of("(c / cat :polarity -)", "(c / cat :quant 2 :mod (b / big))"),
    ]
    corpus = CORRECTED.corpus(CORRECTED.evaluate(pairs))
    assert corpus == {"precision": 2 / 3, "recall": 2 / 5, "f1": 2 * 2 / (3 + 5)}
