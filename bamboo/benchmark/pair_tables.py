"""Read pairs from a table, or with a user's function."""

from __future__ import annotations

import csv
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from amr_metrics.errors import GraphError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.scanner import scan_amr
from amr_metrics.utils.text import counted, split_lines
from amr_metrics.utils.user_code import location
from bamboo.benchmark.partition import ColumnName, TableColumns
from bamboo.benchmark.ratings import rating_of
from bamboo.errors import ConfigError, DataError, unknown
from bamboo.files import csv_rows, load_text, read_json
from bamboo.pairs.file_pairs import FilePairs
from bamboo.pairs.notation import Graphs
from bamboo.pairs.problems import OnError, Problem
from bamboo.pairs.reading import pair_graphs

LARGEST = 1_000_000_000  # bytes of a table


class Row(NamedTuple):
    """One row of a table: the file's line number, and the cells of the requested columns."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RatedPairs:
    """What a table or loader contains.

    Attributes:
        pairs: the pairs, None for one that cannot be read.
        problems: why, by position.
        ratings: for each pair where it is written, for messages, and the rating as text.
    """

    pairs: FilePairs
    problems: dict[int, Problem]
    ratings: Sequence[tuple[str, str]]

    def rescaled(self, scale: tuple[float, float]) -> list[float]:
        """Return the ratings in 0..1.

        Raises:
            DataError: a rating that is not a number or not on the scale.
        """
        return [rating_of(where, text, scale, "data.scale") for where, text in self.ratings]


def read_rows(path: Path, columns: Sequence[ColumnName]) -> Iterator[Row]:
    """Yield the cells of some columns of a table: TSV, CSV or JSON lines, by the file's extension.

    In TSV, quotation marks are characters like any others. Blank lines are ignored.

    Args:
        columns: names in the header row (in JSON lines, keys), or numbers from 1 if there is none.

    Raises:
        DataError: a file that cannot be read, a missing column, or a row without a cell; the
            message names the line.
    """
    try:
        lines = split_lines(load_text(path, LARGEST))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path} cannot be read: {reason}") from None
    if path.suffix == ".jsonl":
        yield from _json_rows(path, lines, columns)
        return
    if path.suffix == ".tsv":
        rows = csv_rows(path, lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    else:
        rows = csv_rows(path, (f"{line}\n" for line in lines), strict=True)
    filled = ((line, cells) for line, cells in rows if any(cell.strip() for cell in cells))
    if any(isinstance(column, str) for column in columns):
        line, header = next(filled, (1, []))
        if missing := [column for column in columns if column not in header]:
            raise DataError(f"{path}, line {line}: {unknown('column', str(missing[0]), header)}")
        places = [header.index(str(column)) for column in columns]
    else:
        places = [int(column) - 1 for column in columns]
    for line, cells in filled:
        if len(cells) <= max(places):
            raise DataError(
                f"{path}, line {line}: expected at least {counted(max(places) + 1, 'column')}, "
                f"got {len(cells)}"
            )
        yield Row(line, tuple(cells[place] for place in places))


def _json_rows(path: Path, lines: Sequence[str], columns: Sequence[ColumnName]) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = read_json(line)
        except ValueError as error:
            raise DataError(f"{path}, line {number}: not JSON: {error}") from None
        if not isinstance(row, dict):
            raise DataError(f"{path}, line {number}: expected an object, such as {{...}}")
        if missing := [column for column in columns if column not in row]:
            raise DataError(f"{path}, line {number}: {unknown('key', str(missing[0]), row)}")
        yield Row(number, tuple(_text(path, number, str(name), row[name]) for name in columns))


def _text(path: Path, line: int, name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise DataError(f"{path}, line {line}: {name}: expected a string or a number")
    return str(value)


def read_table(
    path: Path, columns: TableColumns, on_error: OnError = "stop", rated: bool = True
) -> RatedPairs:
    """Return the pairs of a table.

    Args:
        on_error: ``stop``, or ``nan`` or ``zero`` to list pairs with a graph that cannot be read.
            With ``zero`` a src graph that cannot be read is the empty graph.
        rated: whether the table has a column of ratings.

    Raises:
        DataError: see `read_rows`; a table without pairs.
        GraphError: a cell that is not one graph (``on_error="stop"``).
    """
    sentences = (columns.src_sentence, columns.tgt_sentence)
    graphs = (columns.src, columns.tgt)
    ratings_column = [columns.rating] if rated else []
    names = [*graphs, *ratings_column, *[name for name in sentences if name is not None]]
    rows = list(read_rows(path, names))
    if not rows:
        raise DataError(f"{path} contains no pairs")
    lines = [row.line for row in rows]
    sides = []
    for side, (column, sentence) in enumerate(zip(graphs, sentences, strict=True)):
        texts = [row.cells[side] for row in rows]
        if sentence is not None:
            column_number = names.index(sentence)
            texts = [f"# ::snt {row.cells[column_number]}\n{row.cells[side]}" for row in rows]
        where = [f"{path}, line {line}, column {column}" for line in lines]
        sides.append(_graphs(texts, where, on_error, f"{path}, column {column}", lines))
    rated_rows = enumerate(rows if rated else [])
    ratings = [(f"{path}, pair {k}, line {row.line}", row.cells[2]) for k, row in rated_rows]
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
        function: Callable[..., Iterable[Any]] = pkgutil.resolve_name(name)
    except Exception as error:  # importing a module may raise anything
        raise ConfigError(f"loader {name}: {error}") from None
    options = {key: value for key, value in loader.items() if key != "_target_"}
    try:
        rows = [tuple(row) for row in function(list(paths), **options)]
    except Exception as error:  # a user's function may raise anything
        where = location(error)
        text = f"{type(error).__name__}: {error}" + (f" ({where})" if where else "")
        raise DataError(f"loader {name}: {text}") from None
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
        _graphs([row[side] for row in rows], [f"{pair}, {what}" for pair in positions], on_error)
        for side, what in enumerate(("src", "tgt"))
    )
    ratings = [(pair, str(row[2])) for pair, row in zip(positions, rows, strict=True)]
    return RatedPairs(*pair_graphs(src, tgt, on_error), ratings)


def _graphs(
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
            parts.append(Corpus.of([text]) if isinstance(text, Graph) else _one(text))
        except GraphError as error:
            if on_error == "stop":
                raise GraphError(error.problem, source=where[k]) from None
            problems[k] = Problem(error.problem, file, k, None if lines is None else lines[k])
            parts.append(Corpus.of([Graph.empty()]))
    return Graphs(Corpus.concatenate(parts), problems)


def _one(text: str) -> Corpus:
    corpus = scan_amr(text.encode())
    if len(corpus) != 1:
        raise GraphError(f"expected one graph, got {len(corpus)}")
    return corpus
