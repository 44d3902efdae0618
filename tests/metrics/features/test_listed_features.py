"""Features behind a score: by hand, and beside the kernels on random and real graphs."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from amr_metrics import Pair, Rematch, Sema, SemBleu, Standardized, Wlk, parse_graph
from amr_metrics.errors import NoFeaturesError, PairError
from amr_metrics.features import bag_metric, listed_triples
from amr_metrics.features.label_overlap import LabelOverlap
from amr_metrics.features.listing import Edge, ListedGraph, list_ngrams
from amr_metrics.graphs.graph import Graph
from tests.builders import pair_of
from tests.released import released, shared_file
from tests.strategies import graphs

CATS = pair_of(
    "(s / sleep-01 :ARG0 (c / cat :mod (b / black)) :polarity -)",
    "(s / sleep-01 :ARG0 (d / dog) :polarity -)",
)
# Parallel relations, and parallel attributes with equal constants.
PARALLEL = parse_graph("(a / and :op1 (c / cat) :op2 c)")
EQUAL = parse_graph('(a / and :op1 "1" :op2 "1")')
METRICS = [
    *(SemBleu(variant=variant) for variant in ("published", "2019", "corrected")),
    SemBleu(k=1, hypothesis="tgt"),
    SemBleu(k=2, symmetric=True),
    SemBleu(k=4, weights=(4, 3, 2, 1)),
    SemBleu(k=2, weights=(0.2, 0.1)),
    *(Wlk(variant=variant) for variant in ("2021", "2023", "definition")),
    Wlk(K=0),
    Wlk(K=4, direction="two_way", level_weights="uniform"),
    Wlk(variant="2023", direction="bottom_up"),
    Wlk(direction="top_down"),
    Sema(),
    Sema(hypothesis="tgt"),
    Sema(variant="corrected"),
    Rematch(),
    Standardized.of(Rematch(), "amr"),
]
every = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.definition)


def effects(metric, pair=CATS):
    """The effects of the features that match."""
    features = metric.explain_features(pair).features
    return {(f.kind, f.text): f.effect for f in features if f.matched}


def sum_effects(metric, pair):
    return sum(feature.effect for feature in metric.explain_features(pair).features)


def test_motifs_by_hand():
    # 6 motifs of src, 4 of tgt, 2 of them the same: union 8.
    assert effects(Rematch()) == {
        ("attribute", ":polarity -"): 1 / 8,
        ("instance", "sleep-01 (:polarity -)"): 1 / 8,
    }
    explained = Rematch().explain_features(CATS)
    assert explained.formula == ("intersection / union: 2 / 8 = 0.2500",)
    assert ("relation", "black :domain cat", 1, 0, 0, 0.0) in explained.features
    assert repr(explained) == "<FeatureExplanation: score 0.2500; 8 features, 2 of them match>"


@pytest.mark.parametrize("variant", ["published", "corrected"])
def test_triples_by_hand(variant):
    # 3 concepts and 3 edges, 2 and 2; the root and its polarity match.
    metric = Sema(variant=variant)
    assert effects(metric) == {
        ("concept", "sleep-01"): 2 / 10,
        ("attribute", "sleep-01 :polarity -"): 2 / 10,
    }
    assert metric.explain_features(CATS).formula == ("F1: 2 * 2 / (6 + 4) = 0.4000",)


def test_one_triple_matches_several_in_the_published_sema():
    src, tgt = "(a / and :op1 (c / cat))", "(a / and :op1 (c / cat) :op1 (d / cat))"
    relation = "relation", "and :op1 cat", 1, 2
    for variant, matched in (("published", 2), ("corrected", 1)):
        explained = Sema(variant=variant).explain_features(pair_of(src, tgt))
        assert any(feature[:5] == (*relation, matched) for feature in explained.features)


def test_labels_by_hand():
    # Level 0: 4 + 3 labels and triples, 3 + 2; level 1: 4, 3. Each level has the weight 1.
    metric = Wlk(K=1, variant="definition")
    norm = np.sqrt((4 + 3 + 4) * (3 + 2 + 3))
    assert effects(metric) == pytest.approx(
        {
            ("label", "sleep-01"): 1 / norm,
            ("label", "-"): 1 / norm,
            ("triple", "sleep-01 :polarity -"): 1 / norm,
            ("level 1", "- [:polarity sleep-01]"): 1 / norm,
        }
    )
    (formula,) = metric.explain_features(CATS).formula
    assert formula == "cosine of the counts: 4.0000 / sqrt(11.0000 * 8.0000) = 0.4264"


def test_labels_of_repeated_concepts_by_hand():
    twice = pair_of("(a / and :op1 (c / cat) :op2 (d / cat))", "(a / and :op1 (c / cat))")
    kinds = Wlk(K=0).explain_features(twice).by_kind()
    # In 2021, the last cat has number 1, the first one number 2.
    assert [(f.text, f.src, f.tgt) for f in kinds["label"]] == [
        ("and", 1, 1),
        ("cat", 1, 1),
        ("cat#2", 1, 0),
    ]
    counted = Wlk(K=0, variant="definition").explain_features(twice).features
    assert ("label", "cat", 2, 1) in [feature[:4] for feature in counted]
    # In 2023, a label is there or not: two labels, and two triples of src and one of tgt.
    explained = Wlk(K=0, variant="2023").explain_features(twice)
    assert ("label", "cat", 1, 1, 1) in [feature[:5] for feature in explained.features]
    cosine = "3.0000 / sqrt(4.0000 * 3.0000) = 0.8660"
    assert explained.formula == (f"cosine of the counts: {cosine}",)


def test_labels_contain_no_more_than_three_levels_of_neighbours():
    pair = pair_of("(a / a :r (b / b :r (c / c :r (d / d :r (e / e)))))", "(a / a)")
    texts = [f.text for f in Wlk(K=5, direction="bottom_up").explain_features(pair).features]
    assert "a [:r b [:r c [:r d [:r e]]]]" not in texts
    assert "a [:r b [:r c [:r d […]]]]" in texts


def test_labels_contain_no_more_than_twenty_neighbours():
    pair = pair_of(f"(a / and{''.join(f' :op (c{k} / c)' for k in range(21))})", "(a / and)")
    metric = Wlk(K=1, direction="bottom_up", variant="definition")
    texts = [f.text for f in metric.explain_features(pair).features]
    assert f"and [{':op c, ' * 20}…]" in texts


def test_ngrams_by_hand():
    # 2 of 4 unigrams, 1 of 3 bigrams, 1/2 of 1 trigram: each order adds a third of the score.
    score = (2 / 4 * 1 / 3 * 1 / 2) ** (1 / 3)
    explained = SemBleu().explain_features(CATS)
    assert explained.score == pytest.approx(score)
    assert effects(SemBleu()) == pytest.approx(
        {
            ("1-gram", "sleep-01"): score / 6,
            ("1-gram", "-"): score / 6,
            ("2-gram", "sleep-01 :polarity -"): score / 3,
        }
    )
    smoothed = explained.features[-1]
    assert smoothed[:5] == ("3-gram", "(none matches: smoothed)", 0, 0, 0)
    assert smoothed.effect == pytest.approx(score / 3)
    factors = "(2/4)^0.3333 * (1/3)^0.3333 * (0.5/1)^0.3333"
    assert explained.formula == (f"BLEU of src: {factors} = {score:.4f}",)


def test_the_brevity_penalty_and_both_directions_are_in_the_formula():
    first, second, mean = SemBleu(k=2, symmetric=True).explain_features(CATS).formula
    assert first == "BLEU of src: (2/4)^0.5 * (1/3)^0.5 = 0.4082"
    assert second == "BLEU of tgt: (2/3)^0.5 * (1/2)^0.5 * exp(1 - 7/5) = 0.3870"
    assert mean == "mean of both: 0.3976"


def test_without_a_common_node_label_nothing_adds_to_the_score():
    explained = SemBleu().explain_features(pair_of("(c / cat :mod (b / big))", "(d / dog)"))
    assert (explained.score, sum(f.effect for f in explained.features)) == (0, 0)
    assert explained.formula == ("BLEU of src: no common node label = 0.0000",)


def test_all_ngrams_of_a_graph_are_listed_by_order():
    graph = parse_graph("(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))")
    kinds = SemBleu(variant="corrected").explain_features(Pair(graph, graph)).by_kind()
    assert {kind: sorted(f.text for f in features) for kind, features in kinds.items()} == {
        "1-gram": ["boy", "go-02", "want-01"],
        "2-gram": ["go-02 :arg0 boy", "want-01 :arg0 boy", "want-01 :arg1 go-02"],
        "3-gram": ["want-01 :arg1 go-02 :arg0 boy"],
    }


def test_the_text_of_each_triple_is_built_once(monkeypatch):
    built = []
    build_key = listed_triples._build_key

    def count_key(*edge):
        built.append(edge)
        return build_key(*edge)

    monkeypatch.setattr(listed_triples, "_build_key", count_key)
    edges = tuple(Edge(0, ":r", k) for k in range(1, 101))
    graph = ListedGraph(("a", *map(str, range(100))), 1, 0, edges)
    assert listed_triples.match_triples_with_reuse(graph, graph).total() == 101
    assert len(built) <= 200


def test_nodes_are_reached_without_comparing_all():
    class Node(int):
        compared = 0
        __hash__ = int.__hash__

        def __eq__(self, other):
            Node.compared += 1
            return int(self) == other

    graph = ListedGraph(("a",) * 100, 100, 0, tuple(Edge(k, ":r", Node(k + 1)) for k in range(99)))
    assert len([*list_ngrams(graph, 1, only_reached=True)]) == 100
    assert Node.compared < 1000


@settings(max_examples=settings().max_examples // 2)
@given(src=graphs(duplicates=True, loops=True), tgt=graphs(duplicates=True, loops=True))
@example(src=PARALLEL, tgt=PARALLEL)
@example(src=EQUAL, tgt=EQUAL)
def test_the_effects_add_up_to_the_score_of_the_kernels(src, tgt):
    """All metrics score the same pairs, which take longer to draw than to score."""
    pair = Pair(src, tgt)
    for metric in METRICS:
        score = pytest.approx(metric.score([pair])[0], abs=1e-9)
        assert sum_effects(metric, pair) == score, metric.definition


@every
def test_on_released_pairs(metric, shared):
    pairs, _ = released(shared_file(shared, "bamboo-amr-benchmark"), "sts", "reify")
    scores = metric.score(pairs[:60])
    sums = [sum_effects(metric, pair) for pair in pairs[:60]]
    np.testing.assert_allclose(sums, scores, atol=1e-9)


@given(st.sampled_from(METRICS), graphs(), graphs())
def test_the_matches_are_the_counts_of_the_kernels(metric, src, tgt):
    details = metric.evaluate([Pair(src, tgt)]).details
    kinds = metric.explain_features(Pair(src, tgt)).by_kind()
    sums = {kind: sum(f.matched for f in features) for kind, features in kinds.items()}
    for total in ("matches", "intersection"):
        if total in details:
            assert sum(sums.values()) == details[total][0]
    for order in range(1, 5):
        if f"matches_{order}" in details:
            assert sums.get(f"{order}-gram", 0) == details[f"matches_{order}"][0]


@every
def test_empty_graphs(metric):
    empty, cat = Graph.empty(), parse_graph("(c / cat)")
    both = metric.explain_features(Pair(empty, empty))
    assert (both.score, both.features) == (1.0, ())
    assert sum_effects(metric, Pair(cat, empty)) == sum_effects(metric, Pair(empty, cat)) == 0


def test_other_metrics_do_not_list_features():
    with pytest.raises(NoFeaturesError, match="LabelOverlap does not list the features"):
        LabelOverlap().explain_features(CATS)


def test_large_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(bag_metric.limits, "MEMORY", 100)
    with pytest.raises(PairError):
        Rematch().explain_features(CATS)
