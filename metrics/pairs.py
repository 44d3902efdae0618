"""`Pair`: two graphs to compare; `Pairs`: many pairs of the graphs of two corpora."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, overload

import numpy as np

from metrics.corpus import Corpus
from metrics.errors import PairError
from metrics.graph import Graph
from metrics.symbols import Symbols
from metrics.types import Ints


class Pair(NamedTuple):
    """Two graphs to compare. Precision refers to `src` (the parse), recall to `tgt` (gold)."""

    src: Graph
    tgt: Graph


@dataclass(frozen=True, eq=False)
class Pairs(Sequence[Pair]):
    """Pairs of graphs of two corpora: pair p is graph ``src_index[p]`` with ``tgt_index[p]``.

    Attributes:
        src, tgt: the graphs of each side, with one table of symbols.
        src_index, tgt_index: int64 p.

    Raises:
        PairError: if the two indices have different lengths, or one is out of range.

    >>> from metrics import Corpus, parse_graph
    >>> cats = Corpus.of([parse_graph("(c / cat)")])
    >>> dogs = Corpus.of([parse_graph("(d / dog)"), parse_graph("(h / hound)")])
    >>> [pair.tgt.concepts for pair in Pairs.all(cats, dogs)]
    [('dog',), ('hound',)]
    """

    src: Corpus
    tgt: Corpus
    src_index: Ints
    tgt_index: Ints

    def __post_init__(self) -> None:
        if len(self.src_index) != len(self.tgt_index):
            raise PairError(
                f"{len(self.src_index)} positions in src but {len(self.tgt_index)} in tgt"
            )
        for side, index, corpus in (
            ("src", self.src_index, self.src),
            ("tgt", self.tgt_index, self.tgt),
        ):
            if len(index) and not (index.min() >= 0 and index.max() < len(corpus)):
                outside = (index < 0) | (index >= len(corpus))
                bad = int(np.flatnonzero(outside)[0])
                raise PairError(
                    f"{side} has {len(corpus)} graphs: there is no graph {index[bad]} "
                    "(graphs are counted from 0)",
                    pair=bad,
                )
        if self.src.symbols is not self.tgt.symbols:
            symbols, moved = self.src.symbols.union(self.tgt.symbols)
            object.__setattr__(self, "src", replace(self.src, symbols=symbols))
            object.__setattr__(self, "tgt", self.tgt.with_symbols(symbols, moved))

    @property
    def symbols(self) -> Symbols:
        """The symbols of both sides."""
        return self.src.symbols

    def __len__(self) -> int:
        return len(self.src_index)

    @overload
    def __getitem__(self, k: int) -> Pair: ...
    @overload
    def __getitem__(self, k: slice) -> Pairs: ...
    def __getitem__(self, k: int | slice) -> Pair | Pairs:
        if isinstance(k, slice):
            return replace(self, src_index=self.src_index[k], tgt_index=self.tgt_index[k])
        return Pair(self.src[int(self.src_index[k])], self.tgt[int(self.tgt_index[k])])

    def __iter__(self) -> Iterator[Pair]:
        return (self[k] for k in range(len(self)))

    def take(self, chosen: Ints) -> Pairs:
        """The pairs at some positions, in the given order."""
        return replace(self, src_index=self.src_index[chosen], tgt_index=self.tgt_index[chosen])

    def compact(self) -> Pairs:
        """The same pairs, without graphs that occur in none of them."""
        sides: list[tuple[Corpus, Ints]] = []
        for corpus, index in ((self.src, self.src_index), (self.tgt, self.tgt_index)):
            used = np.zeros(len(corpus), np.bool_)
            used[index] = True
            if used.all():
                sides.append((corpus, index))
            else:
                sides.append((corpus.take(np.flatnonzero(used)), (np.cumsum(used) - 1)[index]))
        return Pairs(sides[0][0], sides[1][0], sides[0][1], sides[1][1])

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> Pairs:
        """The arrays of some pairs. `Pairs` are returned unchanged; each graph is encoded once."""
        if isinstance(pairs, Pairs):
            return pairs
        sides: list[tuple[Corpus, Ints]] = []
        for graphs in ([pair.src for pair in pairs], [pair.tgt for pair in pairs]):
            distinct = {id(graph): graph for graph in graphs}
            position = {identity: k for k, identity in enumerate(distinct)}
            index = np.array([position[id(graph)] for graph in graphs], np.int64)
            sides.append((Corpus.of(distinct.values()), index))
        return cls(sides[0][0], sides[1][0], sides[0][1], sides[1][1])

    @classmethod
    def aligned(cls, src: Corpus, tgt: Corpus) -> Pairs:
        """Graph k of `src` with graph k of `tgt`.

        Raises:
            PairError: if the two have different lengths.
        """
        check_lengths(src, tgt)
        return cls(src, tgt, np.arange(len(src)), np.arange(len(tgt)))

    @classmethod
    def all(cls, src: Corpus, tgt: Corpus) -> Pairs:
        """Every graph of `src` with every graph of `tgt`; those of the first graph come first."""
        rows, columns = np.divmod(np.arange(len(src) * len(tgt)), max(len(tgt), 1))
        return cls(src, tgt, rows, columns)


def check_lengths(src: Sequence[Graph], tgt: Sequence[Graph]) -> None:
    """Check that two lists of graphs can be paired by position.

    Raises:
        PairError: if they have different lengths.
    """
    if len(src) != len(tgt):
        raise PairError(
            f"src has {len(src)} graphs but tgt has {len(tgt)}: pair k is line k of both, "
            f"so pair {min(len(src), len(tgt))} has only one side. "
            "Check that both files are complete"
        )
