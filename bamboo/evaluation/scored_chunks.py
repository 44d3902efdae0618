"""Score a chunk of pairs by one metric or several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from bamboo.pairs.chunks import PairChunk
from bamboo.pairs.ids import pair_ids
from bamboo.pairs.problems import OnError, Problem, combined
from bamboo.pairs.reading import empty_parse, score_pairs
from metrics.base import Metric, Pair, Scores
from metrics.errors import PairError
from metrics.types import Ints

# Further scores of pairs, such as those of aspects, by name.
Parts = Mapping[str, Scores]
PartScorer = Callable[[Sequence[Pair]], Parts]


class Scorers(NamedTuple):
    """What scores pairs: metrics by name, and functions for further scores of some of them."""

    metrics: Mapping[str, Metric]
    parts: Mapping[str, PartScorer] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class ScoredChunk:
    """The scores of some consecutive pairs.

    Attributes:
        first: the position of the first of them.
        scores: one per pair; NaN for a missing pair.
        problems: which pairs could not be read or scored, and why, by position in the chunk.
        src_ids, tgt_ids: the ``::id`` of each graph; None without one.
        index: the positions of the graphs, counted from 0, if pair k is not graph k of both.
        parts: further scores, of the pairs that have a score.
        lowest: the pairs with the lowest scores, by position in the chunk; as many as requested.
            A parse that counts as empty is the empty graph.
    """

    first: int
    scores: Scores
    problems: Mapping[int, Problem]
    src_ids: Sequence[str | None]
    tgt_ids: Sequence[str | None]
    index: tuple[Ints, Ints] | None
    parts: Parts
    lowest: Mapping[int, Pair]

    def __len__(self) -> int:
        return len(self.scores.values)

    @property
    def ids(self) -> list[str | None]:
        """The source graph's id, else the target's, else None."""
        return pair_ids(self.src_ids, self.tgt_ids)

    def names(self) -> dict[str, Sequence[Any]]:
        """Return columns that name the pairs: the id, or the graphs' numbers (from 1) and ids."""
        if self.index is None:
            return {"id": self.ids}
        src, tgt = (index + 1 for index in self.index)
        columns = {"src": src.tolist(), "tgt": tgt.tolist()}
        return {**columns, "src_id": [*self.src_ids], "tgt_id": [*self.tgt_ids]}

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the columns of a file with a row per pair; None for a missing score."""
        values = {"score": self.scores.values, **self.scores.details}
        return {
            "pair": range(self.first, self.first + len(self)),
            **self.names(),
            **{name: cells(column) for name, column in values.items()},
        }

    def problem_texts(self) -> list[str | None]:
        """Return the text of each pair's problem; None without."""
        return [str(self.problems[k]) if k in self.problems else None for k in range(len(self))]


def cells(column: np.ndarray[Any, Any]) -> list[Any]:
    """Return the values of a column, with None for NaN."""
    values: list[Any] = column.tolist()
    if column.dtype.kind == "f" and np.isnan(column).any():
        return [None if value != value else value for value in values]
    return values


def score_chunk(
    metric: Metric,
    chunk: PairChunk,
    on_error: OnError,
    score_parts: PartScorer | None = None,
    lowest: int = 0,
) -> ScoredChunk:
    """Score some pairs. The result does not depend on how pairs are divided into chunks.

    Args:
        on_error: what to do about a pair that cannot be scored.
        score_parts: computes further scores.
        lowest: of how many pairs with the lowest scores to keep the graphs.

    Raises:
        PairError: a pair that cannot be scored (``on_error="stop"``), with its position among all
            pairs.
    """
    try:
        scores, unscored = score_pairs(metric, chunk.pairs, on_error)
    except PairError as error:
        raise error.numbered(chunk.first + np.arange(len(chunk))) from None
    problems = combined(chunk.problems, unscored)
    without_parse = {
        k: Pair(empty_parse(pair.tgt), pair.tgt)
        for k, problem in problems.items()
        if problem.counted_as == "empty" and (pair := chunk.pairs[k]) is not None
    }
    pairs = chunk.pairs.with_replaced(without_parse) if without_parse else chunk.pairs
    parts: Parts = {}
    scored = np.flatnonzero(~np.isnan(scores.values))
    if score_parts is not None and len(scored):
        try:
            parts = score_parts(pairs.select(scored))
        except PairError as error:
            raise error.numbered(chunk.first + scored) from None
    order = scored[np.argsort(scores.values[scored], kind="stable")][:lowest]
    kept = {k: pair for k in order.tolist() if (pair := pairs[k]) is not None}
    return ScoredChunk(
        chunk.first, scores, problems, chunk.src_ids, chunk.tgt_ids, chunk.index, parts, kept
    )
