"""The contract that all metrics share: forms of a pair, and what a subclass defines."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from amr_metrics import Metric, Pair, Pairs, Scores, parse_graph
from amr_metrics.conformance import check_corpora
from amr_metrics.errors import MetricError, NoAlignmentError, PairError
from amr_metrics.explanation import Explanation, Link
from amr_metrics.standardize import Standardized

UPPER = Pair(
    parse_graph("(s / SLEEP-01 :ARG0 (c / CAT))"), parse_graph("(s / sleep-01 :ARG0 (c / Cat))")
)


def lowered(graph):
    return replace(graph, concepts=tuple(concept.lower() for concept in graph.concepts))


@dataclass(frozen=True, kw_only=True)
class Overlap(Metric):
    """Equal concepts, as in CONTRIBUTING: a metric with an `evaluate` of its own."""

    range: ClassVar = (-1.0, 2.0)
    symmetric = False

    def evaluate(self, pairs):
        values = [len({*a.concepts} & {*b.concepts}) / len({*a.concepts}) for a, b in pairs]
        return Scores(np.array(values, np.float64))


class Aligned(Overlap):
    def explain(self, pair):
        return Explanation(1.0, (Link(pair.src.concepts[0], pair.tgt.concepts[0], 1.0, 0.0),))


class Lowered(Metric):
    """A metric with a form: it sees concepts in lower case, and refuses empty graphs."""

    def view(self, pair):
        if not pair.src.variables:
            raise PairError("empty")
        return Pair(*map(lowered, pair))

    def evaluate(self, pairs):
        return Overlap().evaluate(self.views(pairs))

    def explain(self, pair):
        (view,) = self.views([pair])
        return Aligned().explain(view)


class LoweredGraphs(Lowered):
    """The same form, for each graph by itself."""

    view = Metric.view

    def graph_view(self, graph):
        return lowered(graph)


def test_a_metric_may_define_only_evaluate():
    metric = Overlap()
    assert metric.score([UPPER]).tolist() == [0.0]
    assert (metric.range, metric.symmetric, metric.reference) == ((-1.0, 2.0), False, "")
    assert metric.description.startswith("Equal concepts")
    with pytest.raises(NoAlignmentError, match="Overlap"):
        metric.links([UPPER])


def test_a_metric_that_cannot_score_is_not_a_metric():
    class Nothing(Metric):
        pass

    with pytest.raises(TypeError, match=r"Nothing .*evaluate"):
        Nothing()


class Shares(Overlap):
    """A metric whose corpus score is a share of sums, with a detail that is text."""

    def evaluate(self, pairs):
        both = np.array([len({*a.concepts} & {*b.concepts}) for a, b in pairs], np.float64)
        all_of = np.array([len({*a.concepts} | {*b.concepts}) for a, b in pairs], np.float64)
        roots = np.array([a.concepts[0] for a, _ in pairs], dtype=object)
        return Scores(both / all_of, {"both": both, "all": all_of, "root": roots})

    def corpus_of_sums(self, sums, pairs):
        return {"share": sums["both"] / sums["all"], "constant": 1.0}


def test_a_detail_that_no_corpus_score_uses_may_be_text():
    cat = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
    pairs = [
        Pair(cat, cat),
        Pair(cat, parse_graph("(c / cat)")),
        Pair(cat, parse_graph("(d / dog)")),
    ]
    assert Shares().corpus(Shares().evaluate(pairs)) == {"share": 3 / 7, "constant": 1.0}
    check_corpora(Shares(), pairs)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ({}, "expected scores by name, got {}"),
        (None, "expected scores by name, got None"),
        ({"share": np.zeros(3)}, r"expected arrays of shape \(\), got share \(3,\)"),
    ],
)
def test_what_a_metric_returns_for_a_corpus_is_checked(returned, message):
    class Wrong(Shares):
        def corpus_of_sums(self, sums, pairs):
            return returned

    with pytest.raises(MetricError, match=f"Wrong.corpus_of_sums: {message}"):
        Wrong().corpus(Wrong().evaluate([UPPER]))


def test_a_column_that_there_is_not():
    class Missing(Shares):
        def corpus_of_sums(self, sums, pairs):
            return {"share": sums["matches"]}

    with pytest.raises(MetricError, match="no column 'matches', only score, both, all, root"):
        Missing().corpus(Missing().evaluate([UPPER]))


def test_corpus_scores_are_defined_by_sums():
    with pytest.raises(TypeError, match="Median defines corpus but not corpus_of_sums"):

        class Median(Overlap):
            def corpus(self, scores):
                return {"median": float(np.median(scores.values))}


def test_every_method_applies_the_form():
    metric = Lowered()
    assert metric.score([UPPER]).tolist() == metric.evaluate([UPPER]).values.tolist() == [1.0]
    assert metric.explain(UPPER).links == (Link("sleep-01", "sleep-01", 1.0, 0.0),)
    assert metric.links([UPPER]) == [metric.explain(UPPER).links]
    assert metric.explanations([UPPER])[0].pair == metric.view(UPPER)
    assert metric.view(UPPER).src.concepts == ("sleep-01", "cat")


def test_a_form_of_graphs_is_that_of_pairs():
    metric = LoweredGraphs()
    assert metric.view(UPPER) == Lowered().view(UPPER)
    assert metric.explain(UPPER) == Lowered().explain(UPPER)
    pairs = [UPPER, Pair(UPPER.tgt, UPPER.src), UPPER]
    assert [*metric.views(pairs)] == Lowered().views(pairs)
    views = metric.views(Pairs.of(pairs))
    assert isinstance(views, Pairs)
    assert [*views] == Lowered().views(pairs)
    assert metric.score(pairs).tolist() == metric.score(Pairs.of(pairs)).tolist() == [1.0] * 3


def test_a_matrix_counts_its_pairs_row_by_row(monkeypatch):
    graphs = [UPPER.src, UPPER.src.empty()]
    for chunk in (3, 100):
        monkeypatch.setattr("amr_metrics.base.MATRIX_CHUNK", chunk)
        with pytest.raises(PairError, match="pair 4: empty"):
            Lowered().matrix([graphs[0], graphs[0], graphs[1]], graphs)


def test_a_pair_whose_view_fails_is_named_by_its_position():
    empty = Pair(UPPER.src.empty(), UPPER.tgt)
    for method in (Lowered().score, Lowered().links, Lowered().evaluate):
        with pytest.raises(PairError, match="pair 1: empty"):
            method([UPPER, empty])
    with pytest.raises(PairError, match="pair 0: empty"):
        Lowered().explain(empty)


@pytest.mark.parametrize("metric", [Overlap(), Aligned(), Lowered()])
def test_standardisation_is_applied_before_the_metrics_view(metric):
    standardised = Standardized.of(metric, ["lower"])
    assert standardised.score([UPPER]).tolist() == [1.0]
    assert (standardised.range, standardised.symmetric) == (metric.range, metric.symmetric)
    if not isinstance(metric, (Aligned, Lowered)):
        return
    assert standardised.links([UPPER]) == [(Link("sleep-01", "sleep-01", 1.0, 0.0),)]
    assert standardised.explain(UPPER).links == standardised.links([UPPER])[0]
