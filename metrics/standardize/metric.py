"""Any metric, on standardised graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from metrics.base import Explanation, Metric, Pair, Scores
from metrics.standardize.standardizer import Standardizer


@dataclass(frozen=True, kw_only=True)
class Standardized(Metric):
    """A metric that sees standardised graphs.

    Attributes:
        metric: the metric.
        standardizer: what is done to both graphs of a pair first.

    >>> from metrics import Smatch, parse_graph
    >>> pair = Pair(parse_graph("(s / small :domain (d / dog))"),
    ...             parse_graph("(s / small :mod-of (d / dog))"))
    >>> Smatch().score([pair]) < 1, Standardized.of(Smatch(), "amr").score([pair]).tolist()
    (array([ True]), [1.0])
    """

    metric: Metric
    standardizer: Standardizer = field(repr=False)

    def __post_init__(self) -> None:
        # What a class says of all its metrics holds here for each instance's own metric.
        object.__setattr__(self, "range", self.metric.range)
        object.__setattr__(self, "symmetric", self.metric.symmetric)

    @classmethod
    def of(cls, metric: Metric, what: str | Sequence[str] | None) -> Standardized:
        """A metric on graphs standardised by a preset or a list of steps (`Standardizer.of`)."""
        return cls(metric=metric, standardizer=Standardizer.of(what))

    def warm_up(self) -> None:
        """As the metric has it."""
        self.metric.warm_up()

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """The metric's scores of the standardised pairs."""
        return self.metric.evaluate([self.standardizer.pair(pair) for pair in pairs])

    def seen(self, pair: Pair) -> Pair:
        """The pair as the metric sees it, standardised."""
        return self.metric.seen(self.standardizer.pair(pair))

    def explain(self, pair: Pair) -> Explanation:
        """The metric's alignment of the standardised pair."""
        return self.metric.explain(self.standardizer.pair(pair))

    def corpus(self, scores: Scores) -> Mapping[str, float]:
        """As the metric has it."""
        return self.metric.corpus(scores)

    @property
    def signature(self) -> str:
        """The metric's, and the steps; files of rules by their content."""
        return f"{self.metric.signature}|standardize={self.standardizer.name}"
