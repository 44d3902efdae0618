"""The explanation of a pair's score with the pair itself: tables, JSON and a drawing."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import Any

from bamboo.explanation.drawing import draw
from bamboo.explanation.tables import explanation_json, explanation_tables
from bamboo.results.table import Display, Table, to_html
from metrics.base import Explanation, Metric, Pair
from metrics.errors import PairError


@dataclass(frozen=True, repr=False)
class ExplainedPair(Display):
    """The alignment and the matches behind the score of a pair.

    Attributes:
        title: names the metric and the pair.
        signature: what the score depends on.
        pair: the pair, in the form that the metric compares.
        explanation: the score, the links and the matches.
    """

    title: str
    signature: str
    pair: Pair
    explanation: Explanation

    @classmethod
    def of(cls, title: str, metric: Metric, pair: Pair) -> ExplainedPair:
        """Explain a pair.

        Raises:
            NoAlignmentError: if the metric computes no alignment.
            PairError: a pair that the metric cannot score; the message begins with the title.
        """
        try:
            return cls(title, metric.signature, metric.view(pair), metric.explain(pair))
        except PairError as error:
            raise PairError(f"{title}: {error.problem}", argument=error.argument) from None

    @property
    def score(self) -> float:
        """The score of the pair."""
        return self.explanation.score

    def tables(self) -> list[Table]:
        """The node alignment, and what else the metric gives: contributions, matched triples."""
        return explanation_tables(self.title, self.pair, self.explanation)

    def to_json(self) -> dict[str, Any]:
        """The explanation as JSON values."""
        return explanation_json(self.signature, self.pair, self.explanation)

    def to_svg(self) -> str:
        """A drawing of both graphs and their alignment, as SVG."""
        return draw(self.pair, self.explanation, self.title)

    def _repr_html_(self) -> str:
        """The drawing and the tables in a notebook."""
        # As an image, so that its style sheet does not apply to other drawings in the notebook.
        svg = b64encode(self.to_svg().encode()).decode()
        image = f'<img alt="alignment" src="data:image/svg+xml;base64,{svg}">'
        return "\n".join([image, *map(to_html, self.tables())])
