"""Metrics that compare bags of features, without aligning the graphs: the frame they share.

A metric of this family says what it sees of a graph (`BagMetric.encoder`) and how two encoded
graphs compare (`BagMetric.compare`).
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
    """Encodes each graph once, however many pairs it is in, and compares the pairs."""

    @abstractmethod
    def encoder(self) -> Encoder:
        """A function that tells what the metric sees of a graph, in numbers of its own."""

    @abstractmethod
    def compare(self, graphs: GraphTable, src: Ints, tgt: Ints) -> Scores:
        """Scores of graph ``src[p]`` with graph ``tgt[p]``, for every pair ``p``."""

    def warm_up(self) -> None:
        """Load kernels."""
        self.evaluate([])

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Score the pairs; two empty graphs score 1, a single empty one 0."""
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
