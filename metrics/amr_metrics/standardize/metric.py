"""Wrap any metric so that it compares standardised graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.parameters import Parameters, Parametric, PreparedPairs
from amr_metrics.standardize.standardizer import Standardizer
from amr_metrics.types import Floats

if TYPE_CHECKING:
    from amr_metrics.explanation import Explanation, FeatureExplanation


@dataclass(frozen=True, kw_only=True)
class Standardized(Metric):
    """A metric applied to standardised graphs.

    Attributes:
        metric: the metric.
        standardizer: the standardisation applied to both graphs of a pair first.

    >>> from amr_metrics import Smatch, parse_graph
    >>> pair = Pair(parse_graph("(s / small :domain (d / dog))"),
    ...             parse_graph("(s / small :mod-of (d / dog))"))
    >>> Smatch().score([pair]) < 1, Standardized.of(Smatch(), "amr").score([pair]).tolist()
    (array([ True]), [1.0])
    """

    metric: Metric
    standardizer: Standardizer = field(repr=False)

    @property
    def reference(self) -> str:  # type: ignore[override]  # depends on the metric
        """The reference of the metric."""
        return self.metric.reference

    @property
    def range(self) -> tuple[float, float]:
        """The range of the metric."""
        return self.metric.range

    @property
    def symmetric(self) -> bool:
        """Whether the metric is symmetric."""
        return self.metric.symmetric

    @property
    def reads_sentences(self) -> bool:
        """Whether the metric compares sentences."""
        return self.metric.reads_sentences

    @property
    def reads_alignments(self) -> bool:
        """Whether the first step, or the metric if there is none, reads surface alignments."""
        steps = self.standardizer.steps
        return steps[0] == "smatch_package" if steps else self.metric.reads_alignments

    @property
    def scores_at_once(self) -> bool:
        """Whether the metric scores a few pairs as slowly as many."""
        return self.metric.scores_at_once

    def ignores(self, role: str) -> bool:
        """Return whether a step removes a role, or the metric ignores it."""
        return self.standardizer.drops(role) or self.metric.ignores(role)

    @classmethod
    def of(cls, metric: Metric, steps: str | Sequence[str] | None) -> Standardized:
        """Return a metric on graphs standardised by a preset or steps (`Standardizer.of`).

        If the metric has learnable parameters, so does the result.
        """
        kind = StandardizedParametric if isinstance(metric, Parametric) else cls
        return kind(metric=metric, standardizer=Standardizer.of(steps))

    def warm_up(self) -> None:
        """Warm up the metric."""
        self.metric.warm_up()

    @property
    def triple_solver(self) -> Any:
        """The solver of the metric."""
        return self.metric.triple_solver

    def view(self, pair: Pair) -> Pair:
        """Return the standardised pair in the form in which the metric compares it."""
        return self.metric.view(self.standardizer.pair(pair))

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the metric's scores of the standardised pairs."""
        return self.metric.evaluate(self.standardizer.pairs(pairs))

    def explain(self, pair: Pair) -> Explanation:
        """Return the metric's explanation of the standardised pair."""
        return self.metric.explain(self.standardizer.pair(pair))

    def explain_features(self, pair: Pair) -> FeatureExplanation:
        """Return the metric's features of the standardised pair."""
        return self.metric.explain_features(self.standardizer.pair(pair))

    def explanations(self, pairs: Sequence[Pair]) -> list[Explanation]:
        """Return the metric's explanations of the standardised pairs."""
        return self.metric.explanations(self.standardizer.pairs(pairs))

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return the metric's corpus scores."""
        return self.metric.corpus_of_sums(sums, pairs)

    def corpus(self, scores: Scores) -> Mapping[str, float]:
        """Return the metric's corpus scores."""
        return self.metric.corpus(scores)

    @property
    def signature(self) -> str:
        """The signature of the metric, and the steps, with a digest of each file of rules."""
        return f"{self.metric.signature}|standardize={self.standardizer.name}"

    @property
    def definition(self) -> str:
        """The definition of the metric, and the steps."""
        return f"{self.metric.definition}|standardize={self.standardizer.name}"


@dataclass(frozen=True, kw_only=True)
class StandardizedParametric(Standardized, Parametric):
    """A metric with parameters applied to standardised graphs."""

    metric: Parametric

    @property
    def parameters(self) -> Parameters:
        """The parameters of the metric."""
        return self.metric.parameters

    def with_parameters(self, values: Floats) -> Self:
        """Return the metric with other values of its parameters."""
        return replace(self, metric=self.metric.with_parameters(values))

    def with_named(self, values: Mapping[str, float]) -> Self:
        """Return the metric with other values of its parameters, by name."""
        return replace(self, metric=self.metric.with_named(values))

    def initialised(self, pairs: Sequence[Pair]) -> Self:
        """Return the metric with the initial parameters that the standardised pairs require."""
        return replace(self, metric=self.metric.initialised(self.standardizer.pairs(pairs)))

    def prepare(self, pairs: Sequence[Pair]) -> PreparedPairs:
        """Return the standardised pairs, as the metric prepares them."""
        return self.metric.prepare(self.standardizer.pairs(pairs))


def inner_metric(metric: Metric) -> Metric:
    """Return a metric without its standardisation."""
    return metric.metric if isinstance(metric, Standardized) else metric
