"""The features of a blend: how far the columns of metrics are from those of identical graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.errors import OptionError, PairError
from amr_metrics.graphs.pairs import Pair
from amr_metrics.reading.read import parse_graph
from amr_metrics.types import Floats

# Columns that change places when the graphs do, by the parts of their names.
SIDES = (("precision", "recall"), ("src_", "tgt_"))
EQUAL = 1e-9  # columns of identical graphs that differ by less than this are equal

# Graphs of different size with a name, a number and a negation: columns that have the same value
# for each of them paired with itself have it for all identical graphs.
EXAMPLES = (
    "(c / cat)",
    '(s / say-01 :ARG0 (p / person :name (n / name :op1 "Ann" :op2 "Lee"))'
    " :ARG1 (r / run-02 :polarity - :ARG0 (b / boy :quant 2)) :time (y / yesterday))",
    "(a / and :op1 (e / eat-01 :ARG0 (d / dog :mod (b / black)) :ARG1 (m / meat))"
    " :op2 (d2 / drink-01 :ARG0 d :ARG1 (w / water :quant 3.5 :unit (l / liter))))",
)


@dataclass(frozen=True, eq=False)
class Extractor:
    """Computes the features of pairs with some metrics.

    A feature is the distance of a metric's score, or of one of its columns, from the value that
    identical graphs have: 0 for identical graphs, positive otherwise. Columns whose value for
    identical graphs depends on the graphs, such as counts, are no features.

    Attributes:
        of: the metrics, by the name that their features begin with.
    """

    of: Mapping[str, Metric]

    @cached_property
    def anchors(self) -> Mapping[str, float]:
        """The value for identical graphs of each column that is a feature, by name.

        Raises:
            OptionError: if the score of a metric for identical graphs varies.
        """
        graphs = [parse_graph(text) for text in EXAMPLES]
        pairs = [Pair(graph, graph) for graph in graphs]
        anchors = {}
        for name, metric in self.of.items():
            for column, values in _name_columns(name, metric.evaluate(pairs)).items():
                same = bool(np.isfinite(values).all()) and float(np.ptp(values)) < EQUAL
                if same:
                    anchors[column] = float(values[0])
                elif column == name:
                    raise OptionError(
                        f"{name} gives different scores to graphs paired with themselves: "
                        f"{', '.join(f'{v:.4g}' for v in values)}. A blend needs metrics that "
                        "give one score to all identical graphs"
                    )
        return anchors

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(self._combined({name: np.zeros(0) for name in self.anchors}))

    def features(self, pairs: Sequence[Pair]) -> Mapping[str, Floats]:
        """Return the features of pairs.

        Raises:
            PairError: if a metric cannot score a pair, or gives a value that is not finite.
        """
        distances: dict[str, Floats] = {}
        for name, metric in self.of.items():
            try:
                scores = metric.evaluate(pairs)
            except PairError as error:
                raise PairError(
                    f"{name}: {error.problem}", pair=error.pair, argument=error.argument
                ) from None
            for column, values in _name_columns(name, scores).items():
                if column not in self.anchors:
                    continue
                if not np.isfinite(values).all():
                    bad = int(np.flatnonzero(~np.isfinite(values))[0])
                    raise PairError(f"the feature {column} is {values[bad]}", pair=bad)
                gap = np.abs(values - self.anchors[column])
                distances[column] = np.where(gap < EQUAL, 0.0, gap)
        return self._combined(distances)

    def _combined(self, columns: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return the features: of columns of both sides, the smaller and the larger distance."""
        out: dict[str, Floats] = {}
        for name, values in columns.items():
            metric, dot, column = name.partition(".")
            twin = _find_twin(column)
            if not dot or twin is None or f"{metric}.{twin}" not in columns:
                out[name] = values
            elif any(first in column for first, _ in SIDES):
                # min and max of both sides do not change when the graphs change places.
                swapped = columns[f"{metric}.{twin}"]
                out[f"{metric}.best({column},{twin})"] = np.minimum(values, swapped)
                out[f"{metric}.worst({column},{twin})"] = np.maximum(values, swapped)
        return out


def _name_columns(name: str, scores: Scores) -> dict[str, Floats]:
    columns = {f"{name}.{key}": np.asarray(v, np.float64) for key, v in scores.details.items()}
    return {name: scores.values, **columns}


def _find_twin(column: str) -> str | None:
    """Return the name of the column for the other graph; None if there is none.

    >>> _find_twin("precision_2"), _find_twin("concepts_tgt_unmatched"), _find_twin("f1")
    ('recall_2', 'concepts_src_unmatched', None)
    """
    for first, second in SIDES:
        for side, other_side in ((first, second), (second, first)):
            if side in column:
                return column.replace(side, other_side)
    return None
