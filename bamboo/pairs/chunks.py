"""The pairs of two sides, some at a time: memory does not grow with the number of pairs.

Graphs in Penman notation are read while the pairs are scored. Files of other formats are read one
at a time. If a graph is paired with several others, all graphs are kept in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from amr_metrics.errors import GraphError
from amr_metrics.graphs.pairs import Pair
from amr_metrics.reading.scanner import scan_stream
from amr_metrics.types import Ints
from bamboo.errors import ConfigError
from bamboo.pairs.file_pairs import FilePairs
from bamboo.pairs.ids import graph_ids, matching_ids
from bamboo.pairs.inputs import (
    STDIN,
    can_be_read_twice,
    input_files,
    open_input,
    source_name,
)
from bamboo.pairs.notation import PENMAN, Graphs, Notation
from bamboo.pairs.problems import OnError, Problem
from bamboo.pairs.reading import lengths_differ, pair_graphs

CHUNK = 10_000  # pairs that are read and scored at a time


@dataclass
class GraphSource:
    """The graphs of one side: of files, or in memory.

    Attributes:
        name: a file, a folder, a pattern, or ``-`` (see `input_files`); of graphs in memory, their
            name in messages.
        notation: the format of the files.
        on_error: how to treat graphs that cannot be read.
        graphs: the graphs, if they are in memory.
        notes: for readers of the scores; complete when all graphs are read.
    """

    name: Path
    notation: Notation = PENMAN
    on_error: OnError = "stop"
    graphs: Graphs | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def is_anonymous(self) -> bool:
        """Whether the graphs are in memory and none of them has an ``::id``."""
        return self.graphs is not None and not any(
            "id" in graph.metadata for graph in self.graphs.graphs
        )

    def chunks(self, size: int) -> Iterator[Graphs]:
        """Yield the graphs, in order; `size` at a time, the last time possibly fewer.

        Raises:
            GraphError: a graph (``on_error="stop"``) or file that cannot be read.
        """
        waiting: list[Graphs] = []
        count = 0
        for part in self._parts():
            self.notes += part.notes
            begin = 0
            while count + len(part) - begin >= size:
                end = begin + size - count
                yield Graphs.concatenate([*waiting, part.part(begin, end)])
                waiting, count, begin = [], 0, end
            if begin < len(part):
                waiting.append(part.part(begin, len(part)))
                count += len(part) - begin
        if waiting:
            yield Graphs.concatenate(waiting)

    def whole(self) -> Graphs:
        """Return all graphs.

        Raises:
            GraphError: as `chunks`.
        """
        size = CHUNK if self.graphs is None else len(self.graphs)
        return Graphs.concatenate(list(self.chunks(size)))

    def _parts(self) -> Iterator[Graphs]:
        if self.graphs is not None:
            yield self.graphs
            return
        files, notes = input_files(self.name, self.notation.format)
        self.notes += notes
        for file in files:
            yield from self._file_parts(file)

    def _file_parts(self, file: Path) -> Iterator[Graphs]:
        name = source_name(file)
        if self.notation.format != "penman":
            with open_input(file) as stream:
                yield self.notation.parse(stream.read(), name, self.on_error)
        else:
            is_valid = self.on_error == "stop" or (can_be_read_twice(file) and _is_valid(file))
            with open_input(file) as stream:
                for corpus, errors in scan_stream(stream, name, by_block=not is_valid):
                    problems = {k: Problem.of(error) for k, error in errors.items()}
                    yield Graphs(corpus, problems)


def _is_valid(file: Path) -> bool:
    """Return whether every graph of a file can be read.

    If not, it is divided into blocks of one graph each, as by `read_pairs`.

    Raises:
        GraphError: the file as a whole cannot be read.
    """
    with open_input(file) as stream:
        try:
            for _ in scan_stream(stream, str(file)):
                pass
        except GraphError as error:
            if error.graph is None:
                raise
            return False
    return True


@dataclass(frozen=True, eq=False)
class PairChunk:
    """Some consecutive pairs.

    Attributes:
        first: the position of the first of them.
        pairs: the pairs, None where one is missing.
        problems: which graphs could not be read, by position in the chunk.
        src_ids, tgt_ids: the ``::id`` of each graph, None without one or if the pair is missing.
        index: the positions of the graphs of both sides, counted from 0, if pair k is not
            necessarily graph k of both; else None.
    """

    first: int
    pairs: FilePairs
    problems: dict[int, Problem]
    src_ids: list[str | None]
    tgt_ids: list[str | None]
    index: tuple[Ints, Ints] | None = None

    def __len__(self) -> int:
        return len(self.pairs)

    def first_pairs(self, count: int) -> PairChunk:
        """Return the chunk with its first pairs only."""
        return PairChunk(
            self.first,
            self.pairs[:count],
            {k: problem for k, problem in self.problems.items() if k < count},
            self.src_ids[:count],
            self.tgt_ids[:count],
            None if self.index is None else (self.index[0][:count], self.index[1][:count]),
        )


def limited(chunks: Iterable[PairChunk], limit: int | None) -> Iterator[PairChunk]:
    """Yield the first `limit` pairs; all if it is None."""
    for chunk in chunks:
        if limit is not None and chunk.first + len(chunk) >= limit:
            yield chunk.first_pairs(limit - chunk.first)
            return
        yield chunk


def pair_chunks(
    src: GraphSource,
    tgt: GraphSource,
    every: bool = False,
    match: bool = False,
    size: int = CHUNK,
) -> Iterator[PairChunk]:
    """Yield the pairs of two sides: graph k with graph k, unless chosen otherwise.

    Args:
        every: pair every graph of `src` with every graph of `tgt`, those of the first graph first.
        match: pair the graphs with the same ``::id``, in the order of `tgt`.
        size: the number of pairs of each chunk; the last may have fewer.

    Raises:
        ConfigError: both sides are standard input.
        DataError: sides with different numbers of graphs, or ids that cannot be matched.
        GraphError: a graph or file that cannot be read.
    """
    if src.name == tgt.name == STDIN:
        raise ConfigError("src=- tgt=-: only one side can be standard input")
    if not (every or match):
        yield from _aligned(src, tgt, size)
        return
    left, right = src.whole(), tgt.whole()
    index: tuple[Ints, Ints] | None = None
    if match:
        left, index, note = matching_ids(left, right, src.name, tgt.name, src.on_error)
        src.notes += [] if note is None else [note]
    total = len(left) * len(right) if index is None else len(index[0])
    for first in range(0, total, size):
        chunk = np.arange(first, min(first + size, total))
        rows, columns = (
            np.divmod(chunk, len(right)) if index is None else (index[0][chunk], index[1][chunk])
        )
        yield _chunk(first, left, right, src.on_error, (rows, columns), numbered=not match)


def _aligned(src: GraphSource, tgt: GraphSource, size: int) -> Iterator[PairChunk]:
    left, right = src.chunks(size), tgt.chunks(size)
    first = 0
    while True:
        a, b = next(left, None), next(right, None)
        counts = 0 if a is None else len(a), 0 if b is None else len(b)
        if counts[0] != counts[1]:  # one side has ended
            totals = [
                first + count + sum(map(len, rest))
                for count, rest in zip(counts, (left, right), strict=True)
            ]
            have_ids = all(None not in graph_ids(part) for part in (a, b) if part is not None)
            raise lengths_differ(str(src.name), totals[0], str(tgt.name), totals[1], have_ids)
        if a is None or b is None:
            return
        yield _chunk(first, a, b, src.on_error)
        first += len(a)


def _chunk(
    first: int,
    left: Graphs,
    right: Graphs,
    on_error: OnError,
    index: tuple[Ints, Ints] | None = None,
    numbered: bool = False,
) -> PairChunk:
    pairs, problems = pair_graphs(left, right, on_error, index)
    src_ids = pairs.ids(0)
    # Equal ids are one string: of long files, ids take the most memory.
    tgt_ids = [a if a == b else b for a, b in zip(src_ids, pairs.ids(1), strict=True)]
    return PairChunk(first, pairs, problems, src_ids, tgt_ids, index if numbered else None)


def pair_at(src: GraphSource, tgt: GraphSource, position: int) -> Pair:
    """Return the pair of graph `position`, counted from 0, of both sides, which are read up to it.

    Raises:
        ConfigError: there is no such pair.
        DataError, GraphError: as `pair_chunks`.
    """
    count = 0
    for chunk in pair_chunks(src, tgt):
        count += len(chunk)
        if 0 <= position - chunk.first < len(chunk):
            pair = chunk.pairs[position - chunk.first]
            assert pair is not None  # a graph that cannot be read is an error
            return pair
    raise ConfigError(f"pair={position}: {src.name} against {tgt.name} has 0 to {count - 1}")


def pair_with_id(src: GraphSource, tgt: GraphSource, id: str) -> Pair:
    """Return the graphs of both sides with an ``::id``; if only one has it, those at its position.

    Raises:
        ConfigError: no graph has the id, or several of a side.
        DataError, GraphError: as `pair_chunks`.
    """
    found: tuple[dict[int, Pair], dict[int, Pair]] = {}, {}
    for chunk in pair_chunks(src, tgt):
        for of_side, ids in zip(found, (chunk.src_ids, chunk.tgt_ids), strict=True):
            for k in (k for k, other in enumerate(ids) if other == id):
                pair = chunk.pairs[k]
                assert pair is not None  # a graph that cannot be read is an error
                of_side[chunk.first + k] = pair
    for of_side, side in zip(found, (src, tgt), strict=True):
        if len(of_side) > 1:
            raise ConfigError(f"pair={id}: graphs {[*of_side]} of {side.name} have this ::id")
    pairs = [*found[0].values(), *found[1].values()]
    if not pairs:
        raise ConfigError(f"pair={id}: no graph of {src.name} or {tgt.name} has this ::id")
    return Pair(pairs[0].src, pairs[-1].tgt)
