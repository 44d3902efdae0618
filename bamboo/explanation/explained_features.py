"""The features behind a pair's score, for a metric that aligns no nodes: tables and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amr_metrics.base import Metric, Pair
from amr_metrics.errors import NoAlignmentError, PairError
from amr_metrics.explanation import Feature, FeatureExplanation
from bamboo.display.table import Display, Table
from bamboo.explanation.flags import PairFlags
from bamboo.explanation.heading import SCHEMA, make_heading

COLUMNS = ("src", "tgt", "matched", "effect")


@dataclass(frozen=True, repr=False)
class ExplainedFeatures(Display):
    """The features behind the score of a pair, and what each adds to it.

    Attributes:
        title: names the metric and the pair.
        signature: what the score depends on.
        explanation: the score and the features.
        flags: of both graphs as they were read; None if they were not looked for.
    """

    title: str
    signature: str
    explanation: FeatureExplanation
    flags: PairFlags | None = None

    @classmethod
    def of(
        cls, title: str, metric: Metric, pair: Pair, flags: PairFlags | None = None
    ) -> ExplainedFeatures:
        """Explain a pair.

        Raises:
            NoFeaturesError: if the metric does not list features.
            PairError: a pair that the metric cannot score; the message begins with the title.
        """
        try:
            return cls(title, metric.signature, metric.explain_features(pair), flags)
        except PairError as error:
            raise PairError(f"{title}: {error.problem}", argument=error.argument) from None

    @property
    def pair(self) -> Pair:
        """The pair, in the form that the metric compares."""
        return self.explanation.pair

    @property
    def score(self) -> float:
        """The score of the pair."""
        return self.explanation.score

    def tables(self) -> list[Table]:
        """Return the sentences and the score, the features, and their sums by kind."""
        rows: list[Feature] = []
        sums: list[tuple[Any, ...]] = []
        rules = []
        for kind, features in self.explanation.by_kind().items():
            rules.append(len(rows))
            rows += features
            sums.append((kind, *_sum_columns(features)))
        sums.append(("all", *_sum_columns(rows)))
        return [
            make_heading(self.title, self.pair, f"{self.score:.4f}"),
            *([] if self.flags is None else [self.flags.to_table()]),
            Table("Features", ("kind", "feature", *COLUMNS), tuple(rows), 4, rules=tuple(rules)),
            Table(
                "Sums",
                ("kind", *COLUMNS),
                tuple(sums),
                4,
                self.explanation.formula,
                rules=(len(sums) - 1,),
            ),
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as JSON values."""
        return {
            "schema": SCHEMA,
            "signature": self.signature,
            "src": self.pair.src.sentence,
            "tgt": self.pair.tgt.sentence,
            "score": self.score,
            "features": [feature._asdict() for feature in self.explanation.features],
            "formula": [*self.explanation.formula],
            **({} if self.flags is None else {"validity": self.flags.to_json()}),
        }

    def to_svg(self) -> str:
        """Raise an error: without an alignment there is nothing to draw.

        Raises:
            NoAlignmentError: always.
        """
        raise NoAlignmentError(
            f"{self.title}: the metric aligns no nodes, so that there is no alignment to draw: use "
            "report=json, or a metric that computes an alignment, such as smatch or wwlk"
        )


def _sum_columns(features: Sequence[Feature]) -> tuple[int, int, int, float]:
    return (
        sum(feature.src for feature in features),
        sum(feature.tgt for feature in features),
        sum(feature.matched for feature in features),
        math.fsum(feature.effect for feature in features),
    )
