"""`FilePairs`: the pairs of two files, some of which may be missing, and how they are made.

A pair that cannot be read raises an error, is missing, or counts as an empty parse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from amr_metrics.graphs.comments import SENTENCE_KEYS, choose_sentences
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.pairs import Pair, Pairs, describe_missing
from amr_metrics.graphs.rows import find_span
from amr_metrics.types import Bools, Ints
from amr_metrics.utils.text import format_count
from bamboo.errors import DataError
from bamboo.scoring.notation import Graphs
from bamboo.scoring.problems import OnError, Problem

NO_SENTENCE = ("", "NA")  # what stands in ``::snt`` where there is no sentence


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

    def mapped(self, change: Callable[[Sequence[Pair]], Sequence[Pair]]) -> FilePairs:
        """Return the pairs with changed graphs."""
        replaced = dict(zip(self.replaced, change([*self.replaced.values()]), strict=True))
        return FilePairs(change(self.pairs), self.missing, replaced)

    def ids(self, side: int) -> list[str | None]:
        """Return the ``::id`` of each pair's first (0) or second (1) graph; None without one."""
        return self.metadata(side, "id")

    def sentences(self, side: int) -> list[str | None]:
        """Return the sentence of each pair's first (0) or second (1) graph; None without one."""
        return choose_sentences(*(self.metadata(side, key) for key in SENTENCE_KEYS))

    def sizes(self, side: int) -> Ints:
        """Return the number of nodes of each pair's first (0) or second (1) graph; -1: missing."""
        if isinstance(self.pairs, Pairs) and not self.replaced:
            corpus = (self.pairs.src, self.pairs.tgt)[side]
            index = (self.pairs.src_index, self.pairs.tgt_index)[side]
            return np.where(self.missing, -1, corpus.sizes[index])
        return np.array([-1 if p is None else len(p[side].variables) for p in self], np.int64)

    def metadata(self, side: int, key: str) -> list[str | None]:
        """Return a value of the metadata of each pair's graph, such as ``id``; None without one."""
        if isinstance(self.pairs, Pairs) and not self.replaced:
            corpus = (self.pairs.src, self.pairs.tgt)[side]
            index = (self.pairs.src_index, self.pairs.tgt_index)[side]
            values = corpus.metadata_values(key)
            if find_span(index) == slice(0, len(values)) and not self.missing.any():
                return values
            rows = zip(index.tolist(), self.missing.tolist(), strict=True)
            return [None if gone else values[k] for k, gone in rows]
        return [None if pair is None else pair[side].metadata.get(key) for pair in self]


def divisions(count: int, size: Callable[[], int]) -> Iterator[slice]:
    """Yield slices that divide `count` pairs; one slice if there is no pair.

    Args:
        size: is asked for the size of each slice when it is needed.

    >>> [*divisions(5, iter([1, 3, 3]).__next__)]
    [slice(0, 1, None), slice(1, 4, None), slice(4, 5, None)]
    """
    first = 0
    while True:
        last = min(first + size(), count)
        yield slice(first, last)
        if last == count:
            return
        first = last


def _has_no_parse(pair: Pair) -> bool:
    return not pair.src.variables and bool(pair.tgt.variables)


def lengths_differ(
    src: str,
    src_ids: Sequence[str | None],
    tgt: str,
    tgt_ids: Sequence[str | None],
    first: int = 0,
    can_match: bool = False,
) -> DataError:
    """Return the error for two sides with different numbers of graphs.

    Args:
        src_ids, tgt_ids: the ids of the graphs from position `first` on.
        can_match: whether there is an option to pair graphs by their ids.
    """
    can_match = can_match and None not in src_ids and None not in tgt_ids
    advice = ", or pair the graphs by their ::id (score ids=match)" if can_match else ""
    return DataError(
        f"{src} has {format_count(first + len(src_ids), 'graph')} but {tgt} has "
        f"{first + len(tgt_ids)}: {describe_missing(src, src_ids, tgt, tgt_ids, first)}. Check "
        f"that both files are whole{advice}"
    )


def pair_graphs(
    left: Graphs, right: Graphs, on_error: OnError, index: tuple[Ints, Ints] | None = None
) -> tuple[FilePairs, dict[int, Problem]]:
    """Pair graph k of one file with graph k of the other.

    With ``on_error="zero"`` a graph of `left` that cannot be read is the empty graph. If a graph
    of `right` cannot be read, the pair is missing even then, since this is not an error of the
    parser.

    Args:
        on_error: ``stop``, or ``nan`` or ``zero`` if graphs may be unreadable.
        index: the position of the graph of each side for each pair; None to pair graph k with
            graph k.

    Returns:
        the pairs, None where one is missing, and the problems by position.
    """
    count = len(left) if index is None else len(index[0])
    left_problems, right_problems = (
        graphs.problems if index is None else _assign_problems(graphs.problems, index[side])
        for side, graphs in enumerate((left, right))
    )
    missing = np.zeros(count, np.bool_)
    missing[[*right_problems]] = True
    if on_error == "zero":
        listed = {
            k: why if k in right_problems else why._replace(counted_as="empty")
            for k, why in left_problems.items()
        }
        problems = {**listed, **right_problems}
    else:
        missing[[*left_problems]] = True
        problems = {**right_problems, **left_problems}
    src, tgt = left.graphs, right.graphs
    if isinstance(src, Corpus) and isinstance(tgt, Corpus):
        every = np.arange(count)
        pairs: Sequence[Pair] = Pairs(src, tgt, *((every, every) if index is None else index))
    else:
        positions = (range(count), range(count)) if index is None else index
        pairs = [
            Pair(tgt[b].make_empty_parse() if k in left_problems else src[a], tgt[b])
            for k, (a, b) in enumerate(zip(*positions, strict=True))
        ]
    return FilePairs(pairs, missing), dict(sorted(problems.items()))


def _assign_problems(problems: Mapping[int, Problem], index: Ints) -> dict[int, Problem]:
    """Return the problems of graphs by the position of the pair, given the graph of each pair."""
    if not problems:
        return {}
    affected = np.flatnonzero(np.isin(index, [*problems]))
    return {k: problems[int(index[k])] for k in affected.tolist()}


def list_texts(pair: Pair | None) -> tuple[str, str]:
    """Return the sentences of a pair, "" where there is none."""
    if pair is None:
        return "", ""
    src, tgt = ("" if graph.sentence in NO_SENTENCE else graph.sentence for graph in pair)
    return src, tgt
