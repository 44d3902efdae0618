"""Base class of metrics that compare bags of features without aligning the graphs.

A subclass defines how a graph is encoded (`BagMetric.encoder`) and how two encoded graphs are
compared (`BagMetric.compare`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np

from metrics.base import Metric, Pair, Scores
from metrics.features.encoding import Encoder, GraphTable, tabulate
from metrics.types import Ints

CHUNK = 10_000  # pairs encoded and compared at a time: keeps the arrays small

Side = Literal["src", "tgt"]
SIDES = ("src", "tgt")


@dataclass(frozen=True, kw_only=True)
class BagMetric(Metric):
    """Encodes each graph once, even if it occurs in several pairs, and compares the pairs."""

    @abstractmethod
    def encoder(self) -> Encoder:
        """Create a function that encodes graphs, with its own numbering of labels."""

    @abstractmethod
    def compare(self, graphs: GraphTable, src: Ints, tgt: Ints) -> Scores:
        """Compare graph ``src[p]`` with graph ``tgt[p]``, for every pair ``p``."""

    def warm_up(self) -> None:
        """Load kernels."""
        self.evaluate([])

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Score the pairs; two empty graphs score 1, an empty and a non-empty graph 0."""
        return super().evaluate(pairs)

    def _evaluate(self, views: Sequence[Pair]) -> Scores:
        encode = self.encoder()
        chunks = [views[at : at + CHUNK] for at in range(0, len(views), CHUNK)]
        return Scores.concatenate([self._evaluate_chunk(chunk, encode) for chunk in chunks or [()]])

    def _evaluate_chunk(self, pairs: Sequence[Pair], encode: Encoder) -> Scores:
        graphs = [*chain.from_iterable(pairs)]
        identities = [*map(id, graphs)]
        distinct = dict(zip(identities, graphs, strict=True))
        position = dict(zip(distinct, range(len(distinct)), strict=True))
        sides = np.array([*map(position.__getitem__, identities)], np.int64).reshape(-1, 2)
        table = tabulate(map(encode, distinct.values()))
        return self.compare(table, *sides.T.copy())
