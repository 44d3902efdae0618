"""`Pair`: two graphs to compare; `Pairs`: many pairs of the graphs of two corpora."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple, overload

import numpy as np

from amr_metrics.errors import PairError
from amr_metrics.graphs.corpus import Corpus, Symbols, drop_unused_symbols
from amr_metrics.graphs.graph import Graph
from amr_metrics.types import Ints
from amr_metrics.utils.text import format_count


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

    >>> from amr_metrics import Corpus, parse_graph
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
                    f"{side} has {format_count(len(corpus), 'graph')}: there is no graph "
                    f"{index[bad]} "
                    "(graphs are counted from 0)",
                    pair=bad,
                )
            # Kernels take contiguous arrays, unlike ``index[::2]``, and no other integers.
            index = np.ascontiguousarray(index).astype(np.int64, casting="same_kind", copy=False)
            object.__setattr__(self, f"{side}_index", index)
        if self.src.symbols is not self.tgt.symbols:
            symbols, (_, numbers) = Symbols.join([self.src.symbols, self.tgt.symbols])
            object.__setattr__(self, "src", replace(self.src, symbols=symbols))
            object.__setattr__(self, "tgt", self.tgt.with_symbols(symbols, numbers))

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
        if len(self) <= max(len(self.src), len(self.tgt)):
            return (self[k] for k in range(len(self)))
        # Graphs occur in several pairs: each is created once.
        src, tgt = cache(self.src.__getitem__), cache(self.tgt.__getitem__)
        rows = zip(self.src_index.tolist(), self.tgt_index.tolist(), strict=True)
        return (Pair(src(a), tgt(b)) for a, b in rows)

    def take(self, indices: Ints) -> Pairs:
        """Return the pairs at some positions, in the given order."""
        return replace(self, src_index=self.src_index[indices], tgt_index=self.tgt_index[indices])

    def chunks(self, size: int) -> Iterator[tuple[int, Pairs]]:
        """Yield the position of the first and the pairs of each chunk; at least one chunk.

        A single chunk is this object, so that encodings of it are shared.
        """
        for first in range(0, max(len(self), 1), size):
            yield first, self if len(self) <= size else self[first : first + size]

    def compact(self) -> Pairs:
        """Return the same pairs, without graphs that occur in none of them."""
        sides: list[tuple[Corpus, Ints]] = []
        for corpus, index in ((self.src, self.src_index), (self.tgt, self.tgt_index)):
            used = np.zeros(len(corpus), np.bool_)
            used[index] = True
            if used.all():
                sides.append((corpus, index))
            else:
                sides.append((corpus.take(np.flatnonzero(used)), (np.cumsum(used) - 1)[index]))
        return Pairs(sides[0][0], sides[1][0], sides[0][1], sides[1][1])

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled without graphs and symbols that do not occur: some pairs of many stay small.
        used = self.compact()
        src, tgt = drop_unused_symbols([used.src, used.tgt])
        sides = src.arrays(), tgt.arrays()
        return _unpickle_pairs, (src.symbols, *sides, used.src_index, used.tgt_index)

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> Pairs:
        """Encode some pairs, each graph once. `Pairs` are returned unchanged."""
        if isinstance(pairs, Pairs):
            return pairs
        sides: list[tuple[Corpus, Ints]] = []
        for graphs in ([pair.src for pair in pairs], [pair.tgt for pair in pairs]):
            distinct, index = distinct_graphs(graphs)
            sides.append((Corpus.of(distinct), index))
        return cls(sides[0][0], sides[1][0], sides[0][1], sides[1][1])

    @classmethod
    def aligned(cls, src: Corpus, tgt: Corpus) -> Pairs:
        """Pair graph k of `src` with graph k of `tgt`.

        Raises:
            PairError: if the two have different lengths.
        """
        check_lengths(src, tgt)
        return cls(src, tgt, np.arange(len(src)), np.arange(len(tgt)))

    @classmethod
    def all(cls, src: Corpus, tgt: Corpus) -> Pairs:
        """Pair every graph of `src` with every graph of `tgt`; graph 0 of `src` comes first."""
        rows, columns = np.divmod(np.arange(len(src) * len(tgt)), max(len(tgt), 1))
        return cls(src, tgt, rows, columns)


def list_pairs(pairs: Iterable[tuple[Graph, Graph]]) -> Sequence[Pair]:
    """Return a sequence of pairs; tuples of two graphs, such as those of `zip`, are pairs as well.

    Raises:
        PairError: something else.
    """
    if isinstance(pairs, Pairs):
        return pairs
    listed: list[Any] = [*pairs]
    for k, pair in enumerate(listed):
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise PairError(f"expected Pair(src, tgt), not {type(pair).__name__}", pair=k)
    return [pair if isinstance(pair, Pair) else Pair(*pair) for pair in listed]


def _unpickle_pairs(
    symbols: Symbols,
    src: Mapping[str, Any],
    tgt: Mapping[str, Any],
    src_index: Ints,
    tgt_index: Ints,
) -> Pairs:
    left, right = Corpus(symbols=symbols, **src), Corpus(symbols=symbols, **tgt)
    return Pairs(left, right, src_index, tgt_index)


def every_pair(
    src: Sequence[Graph], tgt: Sequence[Graph], count: int
) -> Iterator[tuple[int, Sequence[Pair]]]:
    """Yield every graph of `src` with every graph of `tgt`, in the order of `Pairs.all`, in chunks.

    Graphs of a subclass of `Graph` stay as they are; any others are encoded once.

    Args:
        count: the number of pairs of a chunk.

    Yields:
        the position of the first pair of the chunk, and its pairs.

    >>> from amr_metrics import parse_graph
    >>> dog, cat = parse_graph("(d / dog)"), parse_graph("(c / cat)")
    >>> [(at, len(pairs)) for at, pairs in every_pair([dog, cat], [dog, cat], 3)]
    [(0, 3), (3, 1)]
    """
    total = len(src) * len(tgt)
    sides = [src, tgt]
    no_subclass = all(
        isinstance(side, Corpus) or all(type(graph) is Graph for graph in side) for side in sides
    )
    no_pairs = np.empty((2, 0), np.int64)
    corpora = Pairs(Corpus.of(src), Corpus.of(tgt), *no_pairs) if no_subclass else None
    for first in range(0, total, count):
        chunk = np.divmod(np.arange(first, min(first + count, total)), len(tgt))
        if corpora is not None:
            yield first, replace(corpora, src_index=chunk[0], tgt_index=chunk[1])
        else:
            rows, columns = (index.tolist() for index in chunk)
            yield first, [Pair(src[i], tgt[j]) for i, j in zip(rows, columns, strict=True)]


def map_graphs(function: Callable[[Graph], Graph], pairs: Sequence[Pair]) -> Sequence[Pair]:
    """Apply a function to each distinct graph of some pairs once.

    >>> from dataclasses import replace
    >>> from amr_metrics import parse_graph
    >>> dog = parse_graph("(d / Dog)")
    >>> (pair,) = map_graphs(lambda graph: replace(graph, concepts=("dog",)), [Pair(dog, dog)])
    >>> pair.src.concepts, pair.src is pair.tgt
    (('dog',), True)
    """
    if isinstance(pairs, Pairs):
        used = pairs.compact()
        src, tgt = (Corpus.of(map(function, corpus)) for corpus in (used.src, used.tgt))
        return Pairs(src, tgt, used.src_index, used.tgt_index)
    graphs, index = distinct_graphs([graph for pair in pairs for graph in pair])
    results = [*map(function, graphs)]
    sides = index.reshape(-1, 2).tolist()
    return [Pair(results[a], results[b]) for a, b in sides]


def distinct_graphs(graphs: Sequence[Graph]) -> tuple[list[Graph], Ints]:
    """Return the distinct objects among graphs, in order of first use, and each one's position.

    >>> from amr_metrics import parse_graph
    >>> cat, dog = parse_graph("(c / cat)"), parse_graph("(d / dog)")
    >>> [graph.concepts for graph in distinct_graphs([cat, dog, cat])[0]]
    [('cat',), ('dog',)]
    >>> distinct_graphs([cat, dog, cat])[1].tolist()
    [0, 1, 0]
    """
    distinct = {id(graph): graph for graph in graphs}
    position = {identity: k for k, identity in enumerate(distinct)}
    return [*distinct.values()], np.array([position[id(graph)] for graph in graphs], np.int64)


def describe_missing(
    src: str, src_ids: Sequence[str | None], tgt: str, tgt_ids: Sequence[str | None], first: int = 0
) -> str:
    """Say which graph one of two sides of different lengths lacks, by its ``::id`` if all have one.

    Args:
        src, tgt: the names of the sides.
        first: the position of their first graphs.

    >>> describe_missing("a", ["x", "z"], "b", ["x", "y", "z"])
    'a has no graph with the ::id y, which is graph 1 of b'
    >>> describe_missing("a", [None], "b", [None, None])
    'pair 1 has only one side'
    """
    sides = (src, src_ids), (tgt, tgt_ids)
    (short, short_ids), (long, long_ids) = sorted(sides, key=lambda side: len(side[1]))
    if None not in short_ids and None not in long_ids:
        present = {*short_ids}
        for k, graph_id in enumerate(long_ids, first):
            if graph_id not in present:
                lacks = f"{short} has no graph with the ::id {graph_id}"
                return f"{lacks}, which is graph {k} of {long}"
    return f"pair {first + len(short_ids)} has only one side"


def check_lengths(src: Sequence[Graph], tgt: Sequence[Graph]) -> None:
    """Check that two lists of graphs can be paired by position.

    Raises:
        PairError: if they have different lengths.
    """
    if len(src) != len(tgt):
        ids = ([graph.metadata.get("id") for graph in graphs] for graphs in (src, tgt))
        raise PairError(
            f"src has {format_count(len(src), 'graph')} but tgt has {len(tgt)}: pair k is line k "
            "of "
            f"both, so {describe_missing('src', next(ids), 'tgt', next(ids))}. "
            "Check that both files are complete"
        )
