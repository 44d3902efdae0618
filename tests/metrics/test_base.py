"""The contract that all metrics share: forms of a pair, and what a subclass defines."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from metrics import Metric, Pair, Scores, Smatch, parse_graph
from metrics.alignment.smatchpp import SmatchPP
from metrics.base import Explanation, Link
from metrics.errors import NoAlignmentError, PairError
from metrics.features.wlk import Wlk
from metrics.standardize import Standardized

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

    def _evaluate(self, views):
        return Overlap().evaluate(views)

    def _explain(self, view):
        return Aligned().explain(view)


def test_a_metric_may_define_only_evaluate():
    metric = Overlap()
    assert metric.score([UPPER]).tolist() == [0.0]
    assert (metric.range, metric.symmetric, metric.reference) == ((-1.0, 2.0), False, "")
    assert metric.description.startswith("Equal concepts")
    with pytest.raises(NoAlignmentError, match="Overlap"):
        metric.links([UPPER])


def test_links_are_those_that_explain_gives():
    assert Aligned().links([UPPER]) == [(Link("SLEEP-01", "sleep-01", 1.0, 0.0),)]


def test_a_metric_that_cannot_score_is_not_a_metric():
    class Nothing(Metric):
        pass

    with pytest.raises(TypeError, match="Nothing does not define evaluate"):
        Nothing()


def test_an_evaluate_that_bypasses_view_is_an_error():
    class Old(Overlap):
        view = Lowered.view

    with pytest.raises(TypeError, match="Old defines view and evaluate: rename evaluate"):
        Old()


def test_every_method_applies_the_form():
    metric = Lowered()
    assert metric.score([UPPER]).tolist() == metric.evaluate([UPPER]).values.tolist() == [1.0]
    assert metric.explain(UPPER).links == (Link("sleep-01", "sleep-01", 1.0, 0.0),)
    assert metric.links([UPPER]) == [metric.explain(UPPER).links]
    assert metric.explained_pair(UPPER).src.concepts == ("sleep-01", "cat")


def test_a_pair_whose_view_fails_is_named_by_its_position():
    empty = Pair(UPPER.src.empty(), UPPER.tgt)
    for method in (Lowered().score, Lowered().links, Lowered().evaluate):
        with pytest.raises(PairError, match="pair 1: empty"):
            method([UPPER, empty])
    with pytest.raises(PairError, match="pair 0: empty"):
        Lowered().explain(empty)


@pytest.mark.parametrize("metric", [Overlap(), Smatch(), Wlk()])
def test_a_metric_without_view_receives_unchanged_pairs(metric):
    pairs = [UPPER]
    assert metric.views(pairs) is pairs


@pytest.mark.parametrize("metric", [Overlap(), Aligned(), Lowered()])
def test_standardisation_is_applied_before_the_metrics_view(metric):
    standardised = Standardized.of(metric, ["lower"])
    assert standardised.score([UPPER]).tolist() == [1.0]
    assert (standardised.range, standardised.symmetric) == (metric.range, metric.symmetric)
    if not isinstance(metric, (Aligned, Lowered)):
        return
    assert standardised.links([UPPER]) == [(Link("sleep-01", "sleep-01", 1.0, 0.0),)]
    assert standardised.explain(UPPER).links == standardised.links([UPPER])[0]


def test_standardised_uses_an_overridden_evaluate():
    class Halved(Smatch):
        def evaluate(self, pairs):
            scores = super().evaluate(pairs)
            return Scores(scores.values / 2, scores.details)

    assert Standardized.of(Halved(), ["lower"]).score([UPPER]).tolist() == [0.5]


def test_align_and_given_alignments_use_the_form_too():
    pair = Pair(
        parse_graph("(s / small :domain (d / dog))"), parse_graph("(s / small :mod-of (d / dog))")
    )
    metric = SmatchPP()
    (mapping,) = metric.align([pair])
    assert metric.evaluate_aligned([pair], [mapping]).values.tolist() == [1.0]
    assert metric.score([pair]).tolist() == [1.0]
