"""`FilePairs`: the pairs of two files, some of which may be missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from amr_metrics.graphs.pairs import Pair, Pairs
from amr_metrics.types import Bools, Ints


@dataclass(frozen=True, eq=False)
class FilePairs(Sequence[Pair | None]):
    """The pairs of two files in order, None where one is missing.

    Attributes:
        pairs: all pairs; at the positions of missing pairs, what could be read.
        missing: bool, one per pair.
        replaced: pairs that take the place of others, by position.

    >>> from amr_metrics import parse_graph
    >>> pair = Pair(parse_graph("(d / dog)"), parse_graph("(c / cat)"))
    >>> pairs = FilePairs.of([pair, None])
    >>> pairs[1] is None, pairs.present.tolist()
    (True, [0])
    """

    pairs: Sequence[Pair]
    missing: Bools
    replaced: Mapping[int, Pair] = field(default_factory=dict)

    @classmethod
    def of(cls, pairs: Sequence[Pair | None]) -> FilePairs:
        """Return pairs given one by one; `FilePairs` are returned unchanged."""
        if isinstance(pairs, FilePairs):
            return pairs
        if isinstance(pairs, Pairs):
            return cls(pairs, np.zeros(len(pairs), np.bool_))
        missing = np.array([pair is None for pair in pairs], np.bool_)
        present = [pair for pair in pairs if pair is not None]
        if not present:
            return cls([], missing)
        # A missing pair is never looked at: any pair can hold its position.
        return cls([present[0] if pair is None else pair for pair in pairs], missing)

    def __len__(self) -> int:
        return len(self.missing)

    def __eq__(self, other: object) -> bool:
        """Return whether the pairs are equal, however they are stored."""
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, k: int) -> Pair | None: ...
    @overload
    def __getitem__(self, k: slice) -> FilePairs: ...
    def __getitem__(self, k: int | slice) -> Pair | FilePairs | None:
        if isinstance(k, slice):
            positions = range(len(self))[k]
            replaced = {
                at: self.replaced[position]
                for at, position in enumerate(positions)
                if position in self.replaced
            }
            return FilePairs(self.pairs[k], self.missing[k], replaced)
        at = range(len(self))[k]
        if self.missing[at]:
            return None
        return self.replaced[at] if at in self.replaced else self.pairs[at]

    def __iter__(self) -> Iterator[Pair | None]:
        if self.replaced or not len(self.pairs):
            return (self[k] for k in range(len(self)))
        pairs = zip(self.pairs, self.missing.tolist(), strict=True)
        return (None if missing else pair for pair, missing in pairs)

    @property
    def present(self) -> Ints:
        """int64, the positions of the pairs that are not missing."""
        return np.flatnonzero(~self.missing)

    def select(self, positions: Ints) -> Sequence[Pair]:
        """Return the pairs at some positions, none of them missing."""
        if isinstance(self.pairs, Pairs) and not self.replaced:
            if len(positions) == len(self) and (positions == np.arange(len(self))).all():
                return self.pairs
            return self.pairs.take(positions)
        return [pair for k in positions.tolist() if (pair := self[k]) is not None]

    def with_replaced(self, replaced: Mapping[int, Pair]) -> FilePairs:
        """Return the same pairs, with other ones at some positions."""
        return FilePairs(self.pairs, self.missing, {**self.replaced, **replaced})

    def without_parse(self) -> Bools:
        """Return, for each pair, whether only its first graph is empty; False for missing pairs."""
        if isinstance(self.pairs, Pairs):
            src, tgt = self.pairs.src.sizes, self.pairs.tgt.sizes
            empty = (src[self.pairs.src_index] == 0) & (tgt[self.pairs.tgt_index] > 0)
        else:
            empty = np.array([_has_no_parse(pair) for pair in self.pairs], np.bool_)
            empty = np.zeros(len(self), np.bool_) if not len(empty) else empty
        for k, pair in self.replaced.items():
            empty[k] = _has_no_parse(pair)
        return np.asarray(empty & ~self.missing, np.bool_)

    def ids(self, side: int) -> list[str | None]:
        """Return the ``::id`` of each pair's first (0) or second (1) graph; None without one."""
        return self._metadata(side, "id")

    def sentences(self, side: int) -> list[str | None]:
        """Return the ``::snt`` of each pair's first (0) or second (1) graph; None without one."""
        return self._metadata(side, "snt")

    def _metadata(self, side: int, key: str) -> list[str | None]:
        if isinstance(self.pairs, Pairs) and not self.replaced:
            corpus = (self.pairs.src, self.pairs.tgt)[side]
            index = (self.pairs.src_index, self.pairs.tgt_index)[side]
            values = corpus.metadata_values(key)
            rows = zip(index.tolist(), self.missing.tolist(), strict=True)
            return [None if gone else values[k] for k, gone in rows]
        return [None if pair is None else pair[side].metadata.get(key) for pair in self]


def _has_no_parse(pair: Pair) -> bool:
    return not pair.src.variables and bool(pair.tgt.variables)
