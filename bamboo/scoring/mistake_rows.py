"""`ParserMistakes`: the mistakes of a parser, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from amr_metrics.types import Bools, Floats

DIRECTIONS = ("missing", "wrong", "extra")

# A mistake: the position of its pair; which of `bamboo.explanation.mistakes.CONSTRUCTIONS` and of
# `DIRECTIONS` it is; what its differing triples weigh in the parse and in the gold graph; and, for
# a confusion, what `bamboo.parsers.confusions.Confusion` says besides, else None.
ROW = np.dtype(
    {
        "names": ["pair", "construction", "direction", "src_weight", "tgt_weight", "confusion"],
        "formats": [np.int64, np.int8, np.int8, np.float64, np.float64, np.object_],
    }
)


@dataclass(frozen=True, eq=False)
class ParserMistakes:
    """The mistakes of a parser.

    Attributes:
        rows: of the type `ROW`, one per mistake, in the order of the pairs.
        items: float64 pairs x constructions, how many of each the gold graph has; NaN for a pair
            that is missing.
        src_items: the same of the parse.
        totals: float64 pairs x 3, the weights of the matches, of the triples of the parse, and of
            those of the gold graph: M, S and G, of which the F1 of triples is 2 M / (S + G).
    """

    rows: np.ndarray[Any, Any]
    items: Floats
    src_items: Floats
    totals: Floats

    @property
    def present(self) -> Bools:
        """Which pairs are not missing."""
        return ~np.isnan(self.totals[:, 0])

    @cached_property
    def counts(self) -> Floats:
        """float64 pairs x constructions x directions, numbers of mistakes; NaN if missing."""
        return self._sum_rows(None)

    @cached_property
    def src_weights(self) -> Floats:
        """The sums of the weights in the parses, as `counts`."""
        return self._sum_rows(self.rows["src_weight"])

    @cached_property
    def tgt_weights(self) -> Floats:
        """The sums of the weights in the gold graphs, as `counts`."""
        return self._sum_rows(self.rows["tgt_weight"])

    def _sum_rows(self, weights: Floats | None) -> Floats:
        shape = (*self.items.shape, len(DIRECTIONS))
        places = self.rows["pair"], self.rows["construction"], self.rows["direction"]
        cells = np.ravel_multi_index(places, shape)
        sums = np.asarray(np.bincount(cells, weights, np.prod(shape)), np.float64).reshape(shape)
        sums[~self.present] = np.nan
        return sums

    @classmethod
    def concatenate(cls, parts: Sequence[ParserMistakes]) -> ParserMistakes:
        """Join the mistakes in consecutive pairs."""
        rows = np.concatenate([part.rows for part in parts])
        starts = np.cumsum([0, *(len(part.totals) for part in parts[:-1])])
        rows["pair"] += np.repeat(starts, [len(part.rows) for part in parts])
        columns = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("items", "src_items", "totals")
        )
        return cls(rows, *columns)
