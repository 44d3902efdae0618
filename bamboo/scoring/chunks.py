"""The pairs of two sides, some at a time: memory does not grow with the number of pairs.

If graphs are paired by their ids, or with several others, all graphs are kept in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from amr_metrics.errors import GraphError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pair
from amr_metrics.standardize.standardizer import DROP_ROLE, Standardizer
from amr_metrics.standardize.steps import both_directions
from amr_metrics.types import Bools, Ints
from bamboo.errors import ConfigError, describe_unknown
from bamboo.scoring.answers import Answers
from bamboo.scoring.checks import count_roles
from bamboo.scoring.extracted import Extract
from bamboo.scoring.file_pairs import FilePairs, divisions, lengths_differ, pair_graphs
from bamboo.scoring.id_matches import match_ids
from bamboo.scoring.inputs import STDIN
from bamboo.scoring.notation import PENMAN, Graphs, Notation
from bamboo.scoring.problems import OnError, Problem
from bamboo.scoring.rows import InputFormat
from bamboo.scoring.scored import PairColumns
from bamboo.scoring.sides import CHUNK, GraphSource, build_source

if TYPE_CHECKING:
    from amr_metrics.validity import Flag
    from bamboo.scoring.folders import FilePair
    from bamboo.scoring.sides import Side

Ids = Literal["warn", "check", "match", "ignore"]

DROPPED = ("wiki", "senses", "alignments", "roles")  # parts of graphs that can be dropped by name
HOW_DIVIDED = (
    "extract: in a file, blank lines separate answers, unless each begins with a line "
    "# ::id; in JSON Lines an answer may have blank lines"
)
ROWS_ARE = (
    "no side has them. Files of rows end in .jsonl, .ndjson, .json, .csv or .tsv (also with .gz); "
    "for standard input, set input_format; in Python, rows are dictionaries"
)

NO_PAIRS = np.zeros(0, np.bool_)
Flagged = Mapping[int, Sequence["Flag"]]  # the flags of graphs, by position
# Returns prepared pairs with what is found in the pairs as they were read, which come first.
Look = Callable[["PairChunk", "PairChunk"], "PairChunk"]


@dataclass(frozen=True, eq=False)
class PairChunk:
    """Some consecutive pairs.

    Attributes:
        first: the position of the first of them.
        pairs: the pairs, None where one is missing.
        problems: which graphs could not be read, by position in the chunk.
        src_ids, tgt_ids: the ``::id`` of each graph, None without one or if the pair is missing.
        tgt_count: if every graph is paired with every graph, the number of those of tgt; else 0.
        dropped: the roles that were removed from some graph, as `Reading.drop` names them.
        file: the file of the gold graphs, if the files of two folders are paired by name.
        unread: for both sides, of which pairs the graph could not be read or is not there.
        repaired: the pairs whose parse was repaired, by position in the chunk.
        flags: for both sides, the flags of graphs by position in the chunk; None if they were not
            looked for.
        bucket_name, buckets: see `PairColumns`.
    """

    first: int
    pairs: FilePairs
    problems: dict[int, Problem]
    src_ids: list[str | None]
    tgt_ids: list[str | None]
    tgt_count: int = 0
    dropped: frozenset[str] = frozenset()
    file: Path | None = None
    unread: tuple[Bools, Bools] = (NO_PAIRS, NO_PAIRS)
    flags: tuple[Flagged, Flagged] | None = None
    repaired: frozenset[int] = frozenset()
    bucket_name: str = ""
    buckets: Any = ()

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def columns(self) -> PairColumns:
        """What describes the pairs."""
        numbers = range(self.first, self.first + len(self))
        if self.tgt_count:
            return PairColumns(numbers, self.src_ids, self.tgt_ids, self.tgt_count)
        ids = pair_ids(self.src_ids, self.tgt_ids)
        if self.file is not None:
            ids = [self.file.name if name is None else name for name in ids]
        columns = PairColumns(numbers, ids, ids, 0, self.bucket_name, self.buckets)
        if self.flags is None:
            return columns
        src_flags, tgt_flags = (format_flags(flags, len(self)) for flags in self.flags)
        return replace(columns, src_flags=src_flags, tgt_flags=tgt_flags)

    def divided(self, size: Callable[[], int]) -> Iterator[PairChunk]:
        """Yield the pairs in parts, of the size that is asked for before each one."""
        for part in divisions(len(self), size):
            yield self if part == slice(0, len(self)) else self.part(part)

    def choose(self, k: int) -> Pair:
        """Return a pair.

        Raises:
            GraphError: it could not be read.
        """
        if k in self.problems:
            reason, file, graph, line, _ = self.problems[k]
            raise GraphError(reason, source=file, graph=graph, line=line)
        pair = self.pairs[k]
        assert pair is not None  # only a problem makes it missing
        return pair

    def part(self, part: slice) -> PairChunk:
        """Return the chunk with some consecutive pairs only."""
        return PairChunk(
            self.first + part.start,
            self.pairs[part],
            {
                k - part.start: problem
                for k, problem in self.problems.items()
                if part.start <= k < part.stop
            },
            self.src_ids[part],
            self.tgt_ids[part],
            self.tgt_count,
            self.dropped,
            self.file,
            (self.unread[0][part], self.unread[1][part]),
            None
            if self.flags is None
            else (_choose(self.flags[0], part), _choose(self.flags[1], part)),
            frozenset(k - part.start for k in self.repaired if part.start <= k < part.stop),
            self.bucket_name,
            self.buckets[part],
        )


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the graphs of two sides are read and paired.

    Attributes:
        notation: the notation of both sides.
        on_error: how to treat a graph that cannot be read, and a pair that cannot be scored.
            ``stop``: raise an error; ``nan``: the pair is missing; ``zero``: it counts as an empty
            parse (see `pair_graphs` and `bamboo.scoring.pipeline.score_accepted`).
        ids: ``warn`` or ``check`` that both graphs of a pair have the same ``::id`` and, without
            ids, that sentences are in the same order (`bamboo.scoring.checks`); ``match``: pair the
            graphs with the same id; ``ignore`` ids and sentences.
        pairs: ``all``: pair every graph of the first side with every graph of the second; None:
            graph k with graph k.
        limit: only so many of the first pairs; None for all.
        drop: what is removed from all graphs before they are scored: names of `DROPPED`, and roles.
        fields: the paths in rows to the graphs of the first and of the second side.
        id_fields: likewise to the ids.
        input_format: of the rows of standard input.
        paired_by: the fields by whose ids rows were paired, when this is known.
        extract: how the graphs of the first side are taken out of text; see `Answers`.
        repair: the rules by which graphs of the first side that cannot be read are repaired.
    """

    notation: Notation = PENMAN
    on_error: OnError = "stop"
    ids: Ids = "warn"
    pairs: Literal["all"] | None = None
    limit: int | None = None
    drop: tuple[str, ...] = ()
    fields: tuple[str | None, str | None] = (None, None)
    id_fields: tuple[str | None, str | None] = (None, None)
    input_format: InputFormat | None = None
    paired_by: tuple[str, ...] = ()
    extract: Extract | None = None
    repair: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.drop:
            _ = self.standardizer
        for option, value in (("extract", self.extract), ("repair", ",".join(self.repair))):
            if value and self.notation.format != "penman":
                raise ConfigError(
                    f"{option}={value} is for AMR: leave out format={self.notation.format}"
                )

    @cached_property
    def standardizer(self) -> Standardizer:
        """The steps that remove what is not to be compared.

        Raises:
            ConfigError: an unknown name in `drop`.
        """
        names = sorted(self.drop, key=lambda name: name == "roles")  # other steps need the roles
        steps = [step for name in names for step in _drop_steps(name)]
        return Standardizer(tuple(steps))

    def build_source(
        self, side: Side, name: str, is_gold: bool = False, ids: Iterable[Any] | None = None
    ) -> GraphSource:
        """Return the graphs of a parser, or the gold graphs; see `build_source`."""
        extract = None if is_gold else self.extract
        answers = Answers(
            field=self.fields[is_gold],
            id_field=self.id_fields[is_gold],
            input_format=self.input_format,
            extract=extract,
            repair=() if is_gold else self.repair,
            is_gold=is_gold,
        )
        return build_source(side, name, self.notation, self.on_error, answers, ids)

    def check_rows(self, sides: Iterable[GraphSource]) -> None:
        """Check that options for rows go with some side.

        Raises:
            ConfigError: no side has rows, or no side is standard input.
        """
        has_rows, has_input = False, False
        for side in sides:
            has_rows, has_input = has_rows or side.has_rows, has_input or side.path == STDIN
        if self.input_format is not None and not has_input:
            raise ConfigError(
                f"input_format={self.input_format} is for standard input: the names of files say "
                "what they are"
            )
        for option, paths in (("field", self.fields), ("id_field", self.id_fields)):
            if paths != (None, None) and not has_rows:
                names = ",".join(dict.fromkeys(map(str, paths)))
                raise ConfigError(f"{option}={names} is for rows: {ROWS_ARE}")

    def chunks(self, src: GraphSource, tgt: GraphSource, size: int) -> Iterator[PairChunk]:
        """Return the pairs, `size` at a time, also those after `limit`; see `pair_chunks`."""
        return pair_chunks(src, tgt, self.pairs == "all", self.ids, size)

    def prepare(self, chunk: PairChunk, look: Look) -> PairChunk:
        """Return the pairs up to `limit`, with what `look` finds and without what is dropped."""
        if self.limit is not None and chunk.first + len(chunk) > self.limit:
            chunk = chunk.part(slice(0, self.limit - chunk.first))
        read = chunk
        if self.drop:
            pairs = chunk.pairs.mapped(self.standardizer.pairs)
            chunk = replace(chunk, pairs=pairs, dropped=self._roles_to_drop(chunk.pairs))
        return look(read, chunk)

    def is_last(self, chunk: PairChunk) -> bool:
        """Return whether all pairs up to `limit` are in a chunk or before it."""
        return self.limit is not None and chunk.first + len(chunk) >= self.limit

    @property
    def dropped_roles(self) -> tuple[str, ...]:
        """The roles among what is removed."""
        return tuple(name for name in self.drop if name.startswith(":"))

    def describe_unused_roles(self, dropped: Container[str]) -> list[str]:
        """Say which roles to be removed are in no graph.

        Args:
            dropped: the roles that are in some graph.
        """
        return [
            f"drop={role} changes nothing: no graph has this role. Roles are written as in the "
            "graphs, such as :op1, one by one"
            for role in self.dropped_roles
            if role not in dropped
        ]

    def _roles_to_drop(self, pairs: FilePairs) -> frozenset[str]:
        """Return which of the roles to be removed occur in some pairs."""
        if not self.dropped_roles:
            return frozenset()
        present = {role.lower() for side in (0, 1) for role in count_roles(pairs, side)}
        return frozenset(
            r for r in self.dropped_roles if not present.isdisjoint(both_directions(r))
        )


def format_flags(flagged: Flagged, count: int) -> list[str | None]:
    """Return the flags of each of some pairs as text; None for a graph without."""
    return ["; ".join(map(str, flagged[k])) if k in flagged else None for k in range(count)]


def _choose(flagged: Flagged, part: slice) -> Flagged:
    """Return the flags of some consecutive graphs, by their position among these."""
    places = range(part.start, part.stop)
    return {k - part.start: flags for k, flags in flagged.items() if k in places}


def _drop_steps(name: str) -> tuple[str, ...]:
    if name == "roles":
        return "unlabel", "distinct"
    if name in DROPPED:
        return (f"drop_{name}",)
    if name.startswith(":"):
        return (f"{DROP_ROLE}:{name}",)
    raise ConfigError(
        f"{describe_unknown('part of graphs', name, DROPPED)}, or a role such as :quant"
    )


def pair_chunks(
    src: GraphSource,
    tgt: GraphSource,
    every: bool = False,
    ids: Ids = "warn",
    size: int = CHUNK,
) -> Iterator[PairChunk]:
    """Return the pairs of two sides: graph k with graph k, unless chosen otherwise.

    Rows are paired by their ids (`pair_rows`), and the files of two folders by name (`pair_files`).

    Args:
        every: pair every graph of `src` with every graph of `tgt`, those of the first graph first.
        ids: see `Reading`. With ``match``, all graphs are paired by their ``::id``, in the order of
            `tgt`.
        size: the number of pairs of each chunk; the last may have fewer.

    Raises:
        ConfigError: both sides are standard input.
        DataError: sides or files with different numbers of graphs, ids that cannot be matched, or
            folders whose files cannot be paired.
        GraphError: a graph or file that cannot be read.
    """
    if src.name == tgt.name == STDIN:
        raise ConfigError("src=- tgt=-: only one side can be standard input")
    if not every and (src.has_rows or tgt.has_rows or len(src.files) > 1):
        from bamboo.scoring.row_ids import pair_rows  # imports modules for temporary files

        rows = pair_rows(src, tgt, is_strict=ids == "check", is_ignored=ids == "ignore")
        if rows is not None:
            return _pair_answers(src, tgt, rows, size)
    if every or ids == "match":
        return _pair_all(src, tgt, not every, size)
    files = None
    if src.is_folder and tgt.is_folder:
        from bamboo.scoring.folders import pair_files  # most sides are no folders

        files = pair_files(src, tgt)
    return _pair_in_order(src, tgt, size) if files is None else _pair_files(src, tgt, files, size)


def _pair_all(src: GraphSource, tgt: GraphSource, match: bool, size: int) -> Iterator[PairChunk]:
    """Yield every graph with every graph; with `match` those with the same ``::id``."""
    left, right = src.whole(), tgt.whole()
    index: tuple[Ints, Ints] | None = None
    if match:
        left, index, note = match_ids(left, right, src.name, tgt.name, src.on_error)
        src.notes += [] if note is None else [note]
    total = len(left) * len(right) if index is None else len(index[0])
    for first in range(0, total, size):
        chunk = np.arange(first, min(first + size, total))
        rows, columns = (
            np.divmod(chunk, len(right)) if index is None else (index[0][chunk], index[1][chunk])
        )
        yield _chunk(first, left, right, src.on_error, (rows, columns), 0 if match else len(right))


def _pair_answers(src: GraphSource, tgt: GraphSource, rows: Ints, size: int) -> Iterator[PairChunk]:
    """Yield each graph of `tgt` with the row whose position is given; -1: there is none."""
    first = 0
    for right in tgt.chunks(size):
        places = rows[first : first + len(right)].tolist()
        answers = map(src.find_answer, places, right.ids)
        yield _chunk(first, src.read_answers(answers), right, src.on_error)
        first += len(right)


def _pair_files(
    src: GraphSource, tgt: GraphSource, files: Sequence[FilePair], size: int
) -> Iterator[PairChunk]:
    """Yield graph k with graph k of the files with the same name."""
    first = 0
    for src_file, tgt_file in files:
        of_tgt = tgt.select_file(tgt_file)
        if src_file is None:
            chunks = _pair_with_empty_parses(src.name / tgt_file.name, of_tgt, size)
        else:
            chunks = _pair_in_order(src.select_file(src_file), of_tgt, size)
        last = first
        for chunk in chunks:
            yield replace(chunk, first=first + chunk.first, file=tgt_file)
            last = first + chunk.first + len(chunk)
        first = last


def _pair_with_empty_parses(file: Path, tgt: GraphSource, size: int) -> Iterator[PairChunk]:
    """Yield the graphs of `tgt` with empty parses, because the parser has no such file."""
    first = 0
    for right in tgt.chunks(size):
        problem = Problem("there is no such file", str(file))
        problems = dict.fromkeys(range(len(right)), problem)
        empty: Sequence[Graph] = [graph.make_empty_parse() for graph in right.graphs]
        if isinstance(right.graphs, Corpus):
            empty = Corpus.of(empty)
        yield _chunk(first, Graphs(empty, problems), right, "zero")
        first += len(right)


def _pair_in_order(src: GraphSource, tgt: GraphSource, size: int) -> Iterator[PairChunk]:
    """Yield graph k with graph k."""
    left, right = src.chunks(size), tgt.chunks(size)
    first = 0
    while True:
        a, b = next(left, None), next(right, None)
        counts = 0 if a is None else len(a), 0 if b is None else len(b)
        if counts[0] != counts[1]:  # one side has ended
            src_ids, tgt_ids = (
                [graph_id for part in (head, *rest) if part is not None for graph_id in part.ids]
                for head, rest in ((a, left), (b, right))
            )
            names = str(src.name), str(tgt.name)
            error = lengths_differ(names[0], src_ids, names[1], tgt_ids, first, can_match=True)
            if src.answers.extract is not None and src.graphs is None and not src.has_rows:
                error.add_note(HOW_DIVIDED)
            raise error
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
    tgt_count: int = 0,
) -> PairChunk:
    pairs, problems = pair_graphs(left, right, on_error, index)
    src_ids = pairs.metadata(0, "id")
    # Equal ids are one string: of long files, ids take the most memory.
    tgt_ids = [a if a == b else b for a, b in zip(src_ids, pairs.metadata(1, "id"), strict=True)]
    src_unread, tgt_unread = (graphs.unread for graphs in (left, right))
    repaired = left.repaired
    if index is not None:
        src_unread, tgt_unread = src_unread[index[0]], tgt_unread[index[1]]
        repaired = frozenset(k for k, row in enumerate(index[0].tolist()) if row in repaired)
    unread = src_unread, tgt_unread
    return PairChunk(
        first, pairs, problems, src_ids, tgt_ids, tgt_count, unread=unread, repaired=repaired
    )


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
            return chunk.choose(position - chunk.first)
    raise ConfigError(f"pair={position}: {src.name} against {tgt.name} has 0 to {count - 1}")


def pair_with_id(src: GraphSource, tgt: GraphSource, id: str) -> Pair:
    """Return the graphs of both sides with an ``::id``; if only one has it, those at its position.

    Raises:
        ConfigError: no graph has the id, or several of a side.
        DataError, GraphError: as `pair_chunks`.
    """
    matches: tuple[dict[int, Pair], dict[int, Pair]] = {}, {}
    for chunk in pair_chunks(src, tgt):
        for of_side, ids in zip(matches, (chunk.src_ids, chunk.tgt_ids), strict=True):
            for k in (k for k, graph_id in enumerate(ids) if graph_id == id):
                of_side[chunk.first + k] = chunk.choose(k)
    for of_side, side in zip(matches, (src, tgt), strict=True):
        if len(of_side) > 1:
            raise ConfigError(f"pair={id}: graphs {[*of_side]} of {side.name} have this ::id")
    pairs = [*matches[0].values(), *matches[1].values()]
    if not pairs:
        raise ConfigError(f"pair={id}: no graph of {src.name} or {tgt.name} has this ::id")
    return Pair(pairs[0].src, pairs[-1].tgt)


def pair_of_sides(
    src: Any, tgt: Any, reading: Reading, pair: int | str
) -> tuple[Pair, list[str], list[str]]:
    """Return a pair of graphs, one of each side, notes on the files, and warnings about ids.

    Args:
        pair: its position on both sides, from 0, or its ``::id``.

    Raises:
        ConfigError: there is no such pair.
        DataError, GraphError: see `pair_at` and `pair_with_id`.
    """
    sides = reading.build_source(src, "src"), reading.build_source(tgt, "tgt", is_gold=True)
    reading.check_rows(sides)
    for side in sides:
        if side.has_rows:  # of answers some are often unreadable: only the pair itself has to be
            side.on_error = "zero"
    graphs = pair_with_id(*sides, pair) if isinstance(pair, str) else pair_at(*sides, pair)
    notes = dict.fromkeys(note for side in sides for note in side.list_notes())
    return graphs, [*notes], [text for side in sides for text in side.warnings]


def pair_ids(src_ids: Sequence[str | None], tgt_ids: Sequence[str | None]) -> list[str | None]:
    """Return the id of each pair: that of the source graph, else of the target, else None.

    >>> pair_ids(["a", None, None], ["x", "y", None])
    ['a', 'y', None]
    """
    both = zip(src_ids, tgt_ids, strict=True)
    return [src if src is not None else tgt for src, tgt in both]
