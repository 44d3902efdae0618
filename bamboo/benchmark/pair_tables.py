"""Read pairs and ratings: from parallel files, a table, or with a user's function."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from amr_metrics.building import OF_HYDRA
from amr_metrics.errors import GraphError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.decoding import GraphStream, read_bytes
from amr_metrics.reading.scanner import scan_amr
from amr_metrics.types import Floats
from amr_metrics.utils.decoding import load_text
from amr_metrics.utils.text import decimal, format_count, split_lines
from amr_metrics.utils.user_code import describe_error, guard_user_code, import_user_code
from bamboo.benchmark.partition import Ids, TableColumns
from bamboo.errors import ConfigError, DataError, FileNote, describe_unknown
from bamboo.files import csv_rows
from bamboo.log import warn
from bamboo.scoring.checks import check_positions
from bamboo.scoring.field_paths import NoFieldError, find_value
from bamboo.scoring.file_pairs import FilePairs, lengths_differ, pair_graphs
from bamboo.scoring.id_matches import match_ids
from bamboo.scoring.notation import PENMAN, Graphs
from bamboo.scoring.problems import OnError, Problem
from bamboo.scoring.row_answers import SENTENCES, list_fields
from bamboo.scoring.rows import find_row_format, read_rows

JSON = ("jsonl", "json")  # formats whose rows are objects


class WrittenRating(NamedTuple):
    """A rating as it is written.

    Attributes:
        text: empty if the rater gave none.
        source: the name of the file in messages.
        pair, line: the position; no line outside of files.
        column: the rater's column of a table, if there are several.
    """

    text: str
    source: str
    pair: int
    line: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        line = "" if self.line is None else f", line {self.line}"
        column = "" if self.column is None else f", column {self.column}"
        return f"{self.source}, pair {self.pair}{line}{column}"


WrittenRatings = Sequence[Sequence[WrittenRating]]  # those of the raters of each pair


@dataclass(frozen=True, eq=False)
class RatedPairs:
    """What a table or loader contains.

    Attributes:
        pairs: the pairs, None for one that cannot be read.
        problems: why, by position.
        ratings: their ratings; none if altered and original pairs alternate.
    """

    pairs: FilePairs
    problems: dict[int, Problem]
    ratings: WrittenRatings = ()


def read_pairs(
    src: Path, tgt: Path, ids: Ids | None = None, on_error: OnError = "stop"
) -> tuple[FilePairs, dict[int, Problem]]:
    """Pair the graphs of two files; see `pair_graphs`.

    Args:
        ids: as in `Partition`. With ``match``, graphs of `tgt` whose id `src` does not have are
            left out, and pairs without a graph of `tgt` are missing, unless `on_error` is ``stop``.
        on_error: ``stop``, or ``nan`` or ``zero`` to list graphs that cannot be read.

    Returns:
        the pairs, None where one is missing, and the problems by position.

    Raises:
        DataError: files with different numbers of graphs, the same ids at other positions, or ids
            that cannot be matched.
        GraphError: a graph (``on_error="stop"``) or file that cannot be read.
    """
    left, right = (PENMAN.parse(read_bytes(path), str(path), on_error) for path in (src, tgt))
    index = None
    if ids == "match":
        right, (of_tgt, of_src), note = match_ids(right, left, tgt, src, on_error)
        index = of_src, of_tgt
        warn([] if note is None else [note], FileNote)
    elif len(left) != len(right):
        raise lengths_differ(str(src), left.ids, str(tgt), right.ids)
    elif ids is None:
        check_positions(str(src), left.ids, str(tgt), right.ids)
    return pair_graphs(left, right, on_error, index)


def read_records(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line of each row of a table, and its cells by column: CSV, TSV or JSON Lines.

    The file's extension says which. In TSV, quotation marks are characters like any others. Blank
    lines are ignored.

    Args:
        columns: names in the header row, or paths in the objects of JSON
            (`bamboo.scoring.field_paths`), which every row must have. Rows may have others.

    Raises:
        DataError: a file that cannot be read, a column that is missing or occurs twice, or a row
            without a cell; the message names the line.
        GraphError: a file that is not JSON.
    """
    if (format := find_row_format(path)) in JSON:
        with GraphStream.open(path, is_json=True) as stream:
            for value, line in read_rows(stream, str(path), format):
                yield line or 0, _read_object(f"{path}, line {line}", value, columns)
        return
    try:
        lines = split_lines(load_text(path))
    except (OSError, GraphError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path} cannot be read: {reason}") from None
    if format == "tsv":
        rows = csv_rows(path, lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    else:
        rows = csv_rows(path, (f"{line}\n" for line in lines), strict=True)
    filled = ((line, cells) for line, cells in rows if any(cell.strip() for cell in cells))
    line, header = next(filled, (1, []))
    if missing := [column for column in columns if column not in header]:
        raise DataError(f"{path}, line {line}: {describe_unknown('column', missing[0], header)}")
    if repeated := [column for column in columns if header.count(column) > 1]:
        raise DataError(f"{path}, line {line}: two columns are called {repeated[0]!r}")
    needed = max(header.index(column) for column in columns) + 1
    hint = ". In TSV, quotation marks have no meaning: quoted cells need CSV"
    for line, cells in filled:
        if len(cells) < needed:
            raise DataError(
                f"{path}, line {line}: expected at least {format_count(needed, 'column')}, "
                f"got {len(cells)}{hint if format == 'tsv' else ''}"
            )
        yield line, dict(zip(header, cells, strict=False))


def _read_object(where: str, value: Any, columns: Sequence[str]) -> dict[str, str]:
    """Return the text of the fields of a row of JSON, by name or path; "" for null.

    Raises:
        DataError: a row that is no object, lacks a field, or has something else in it.
    """
    if not isinstance(value, Mapping):
        raise DataError(f"{where}: expected an object with the fields {', '.join(columns)}")
    cells = list_fields(value)
    for column in columns:
        try:
            cell = find_value(value, column)
        except NoFieldError as error:
            raise DataError(f"{where}: {error}. It has: {', '.join(map(str, value))}") from None
        if isinstance(cell, Mapping | list | bool):
            raise DataError(f"{where}: the field {column} is neither a text nor a number")
        cells[column] = "" if cell is None else str(cell)
    return cells


def read_table(
    path: Path, columns: TableColumns, on_error: OnError = "stop", rated: bool = True
) -> RatedPairs:
    """Return the pairs of a table.

    Args:
        on_error: ``stop``, or ``nan`` or ``zero`` to list pairs with a graph that cannot be read.
            With ``zero`` a src graph that cannot be read is the empty graph.
        rated: whether the table has a column of ratings.

    Raises:
        DataError: see `read_records`; a table without pairs.
        GraphError: a cell that is not one graph (``on_error="stop"``).
    """
    sentences = (columns.src_sentence, columns.tgt_sentence)
    graphs = (columns.src, columns.tgt)
    raters = columns.raters if rated else ()
    names = [*graphs, *raters, *[n for n in (*sentences, columns.id) if n is not None]]
    numbered = list(read_records(path, names))
    if not numbered:
        raise DataError(f"{path} contains no pairs")
    lines, rows = zip(*numbered, strict=True)
    others = [_list_metadata(row, names, columns.id) for row in rows]
    sides = []
    for column, sentence in zip(graphs, sentences, strict=True):
        texts = [row[column] for row in rows]
        where = [f"{path}, line {line}, column {column}" for line in lines]
        read = _read_graphs(texts, where, on_error, f"{path}, column {column}", lines)
        snts = [{} if sentence is None else {"snt": row[sentence].rstrip()} for row in rows]
        of_side = [other | snt for other, snt in zip(others, snts, strict=True)]
        sides.append(replace(read, graphs=_attach_metadata(read.graphs, of_side)))
    ratings = [
        [
            WrittenRating(row[name], str(path), k, line, name if len(raters) > 1 else None)
            for name in raters
        ]
        for k, (line, row) in enumerate(numbered if rated else [])
    ]
    src, tgt = sides
    return RatedPairs(*pair_graphs(src, tgt, on_error), ratings)


def read_loaded(
    paths: Sequence[Path], loader: Mapping[str, Any], on_error: OnError = "stop"
) -> RatedPairs:
    """Return the pairs that a loader returns.

    Args:
        paths: the files it reads.
        loader: the function, as ``_target_``, and its options.
        on_error: as for `read_table`.

    Raises:
        ConfigError: a function that cannot be imported.
        DataError: a file that does not exist, an error of the loader, or a row that is not
            (src, tgt, rating).
        GraphError: a graph that cannot be read (``on_error="stop"``).
    """
    name = str(loader["_target_"])
    if missing := [path for path in paths if not path.is_file()]:
        raise DataError(f"{missing[0]} does not exist")
    try:
        function: Callable[..., Iterable[Any]] = import_user_code(name)
    except Exception as error:  # importing a module may raise anything
        raise ConfigError(f"loader {name}: {error}") from None
    options = {key: value for key, value in loader.items() if key not in OF_HYDRA}
    try:
        with guard_user_code():
            rows = [tuple(row) for row in function(list(paths), **options)]
    except Exception as error:  # a user's function may raise anything
        raise DataError(f"loader {name}: {describe_error(error)}") from None
    for k, row in enumerate(rows):
        if len(row) != 3 or not all(isinstance(graph, str | Graph) for graph in row[:2]):
            raise DataError(
                f"loader {name}, pair {k}: expected two graphs (or their Penman notation) and a "
                "rating"
            )
    if not rows:
        raise DataError(f"loader {name} returned no pairs")
    positions = [f"loader {name}, pair {k}" for k in range(len(rows))]
    src, tgt = (
        _read_graphs(
            [row[side] for row in rows], [f"{pair}, {what}" for pair in positions], on_error
        )
        for side, what in enumerate(("src", "tgt"))
    )
    ratings = [[WrittenRating(str(row[2]), f"loader {name}", k)] for k, row in enumerate(rows)]
    return RatedPairs(*pair_graphs(src, tgt, on_error), ratings)


def _read_graphs(
    texts: Sequence[str | Graph],
    where: Sequence[str],
    on_error: OnError,
    file: str | None = None,
    lines: Sequence[int] | None = None,
) -> Graphs:
    """Read one graph from each text; graphs that cannot be read are empty.

    Args:
        where: the position of each text, for errors.
        file, lines: the file and the line of each text, for the list of problems.

    Raises:
        GraphError: a text that is not one graph (``on_error="stop"``).
    """
    parts, problems = [], {}
    for k, text in enumerate(texts):
        try:
            parts.append(Corpus.of([text]) if isinstance(text, Graph) else _read_single_graph(text))
        except GraphError as error:
            if on_error == "stop":
                raise GraphError(error.problem, source=where[k]) from None
            problems[k] = Problem(error.problem, file, k, None if lines is None else lines[k])
            parts.append(Corpus.of([Graph.empty()]))
    return Graphs(Corpus.concatenate(parts), problems)


def _list_metadata(
    row: Mapping[str, str], names: Sequence[str], id_column: str | None
) -> dict[str, str]:
    """Return the id and the further columns of a pair, which may be names of groups.

    Args:
        names: of the columns that are something else.
        id_column: None for ``id``, if there is such a column.
    """
    fields = {
        name: text
        for name, text in list_fields(row).items()
        if name not in names and name not in SENTENCES
    }
    return fields if id_column is None else fields | {"id": row[id_column]}


def _attach_metadata(graphs: Sequence[Graph], entries: Sequence[Mapping[str, str]]) -> Corpus:
    """Return graphs with values that take the place of those in their metadata."""
    if not any(entries):
        return Corpus.of(graphs)
    corpus = Corpus.of(graphs)
    both = zip(corpus.metadata, entries, strict=True)
    return replace(corpus, metadata=tuple([{**own, **added} for own, added in both]))


def _read_single_graph(text: str) -> Corpus:
    corpus = scan_amr(text)
    if len(corpus) != 1:
        raise GraphError(f"expected one graph, got {len(corpus)}")
    return corpus


def read_ratings(paths: Sequence[Path], count: int) -> WrittenRatings:
    """Read a file of ratings for each rater: line k + 1 contains the rating of pair k.

    Blank lines at the end of a file, after the last pair's line, are ignored.

    Args:
        count: how many lines there must be, one per pair.

    Raises:
        DataError: a file that cannot be read or has a different number of lines.
    """
    raters = [_read_rating_lines(path, count) for path in paths]
    return [*zip(*raters, strict=True)]


def _read_rating_lines(path: Path, count: int) -> list[WrittenRating]:
    try:
        lines = split_lines(load_text(path))
    except (OSError, GraphError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None
    while len(lines) > count and not lines[-1].strip():
        lines.pop()
    if len(lines) != count:
        raise DataError(
            f"{path} has {format_count(len(lines), 'rating')} for {format_count(count, 'pair')}: "
            "expected "
            "one per line"
        )
    return [WrittenRating(text, str(path), k, k + 1) for k, text in enumerate(lines)]


def rescale_ratings(
    ratings: WrittenRatings, scale: tuple[float, float] | None, on_error: OnError = "stop"
) -> tuple[Floats, dict[int, Problem]]:
    """Return ratings in 0..1: (pairs, raters), NaN where a rater gave none.

    Args:
        scale: the lowest and the highest rating possible, which become 0 and 1; None for those that
            occur.
        on_error: ``stop``, or ``nan`` or ``zero`` to list pairs without a rating, which are
            missing.

    Returns:
        the ratings, and the problems by position.

    Raises:
        DataError: a rating that is not a number or not on the scale, a pair without a rating
            (``on_error="stop"``), or a rater without ratings.
    """
    numbers = np.array([[_parse_rating(rating) for rating in of_pair] for of_pair in ratings])
    is_rated = ~np.isnan(numbers)
    problems = {}
    for k in np.flatnonzero(~is_rated.any(axis=1)).tolist():
        first = ratings[k][0]._replace(column=None)
        if on_error == "stop":
            raise DataError(f"{first}: there is no rating: remove the pair, or set on_error=nan")
        problems[k] = Problem("there is no rating", first.source, k, first.line)
    if (is_empty := ~is_rated.any(axis=0)).any():
        first = ratings[0][int(np.argmax(is_empty))]
        raise DataError(f"{first}: this rater has no ratings: leave out the rater")
    low, high = scale or (float(np.nanmin(numbers)), float(np.nanmax(numbers)))
    off_scale = is_rated & ~((low <= numbers) & (numbers <= high))
    for k, rater in np.argwhere(off_scale).tolist():
        raise DataError(
            f"{ratings[k][rater]}: {numbers[k, rater]:g} is not on the scale from {low:g} to "
            f"{high:g} (set scale of the data set)"
        )
    return (numbers - low) / (high - low if high > low else 1.0), problems


def _parse_rating(rating: WrittenRating) -> float:
    """Return a rating as a number, NaN for an empty text.

    Raises:
        DataError: another text that is not a finite number.
    """
    if not rating.text.strip():
        return np.nan
    try:
        number = decimal(rating.text)
    except ValueError:
        problem = f"the rating {rating.text!r} is not a number. Leave it empty if there is none"
        raise DataError(f"{rating}: {problem}") from None
    if not np.isfinite(number):
        raise DataError(f"{rating}: the rating {rating.text!r} is not a finite number")
    return number
