"""Read pairs and ratings: from parallel files, a table, or with a user's function."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from amr_metrics.building import OF_HYDRA
from amr_metrics.errors import GraphError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.decoding import read_bytes
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
from bamboo.scoring.file_pairs import FilePairs, lengths_differ, pair_graphs
from bamboo.scoring.id_matches import match_ids
from bamboo.scoring.notation import PENMAN, Graphs
from bamboo.scoring.problems import OnError, Problem

# For each pair, where the rating of each rater is written, for messages, and its text.
WrittenRatings = Sequence[Sequence[tuple[str, str]]]


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


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the line and the cells of some columns of each row of a table: TSV or CSV.

    The file's extension says which. In TSV, quotation marks are characters like any others. Blank
    lines are ignored.

    Args:
        columns: names in the header row.

    Raises:
        DataError: a file that cannot be read, a column that is missing or occurs twice, or a row
            without a cell; the message names the line.
    """
    try:
        lines = split_lines(load_text(path))
    except (OSError, GraphError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path} cannot be read: {reason}") from None
    if path.suffix == ".tsv":
        rows = csv_rows(path, lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    else:
        rows = csv_rows(path, (f"{line}\n" for line in lines), strict=True)
    filled = ((line, cells) for line, cells in rows if any(cell.strip() for cell in cells))
    line, header = next(filled, (1, []))
    if missing := [column for column in columns if column not in header]:
        raise DataError(f"{path}, line {line}: {describe_unknown('column', missing[0], header)}")
    if repeated := [column for column in columns if header.count(column) > 1]:
        raise DataError(f"{path}, line {line}: two columns are called {repeated[0]!r}")
    places = [header.index(column) for column in columns]
    for line, cells in filled:
        if len(cells) <= max(places):
            raise DataError(
                f"{path}, line {line}: expected at least "
                f"{format_count(max(places) + 1, 'column')}, "
                f"got {len(cells)}"
            )
        yield line, tuple(cells[place] for place in places)


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
    raters = columns.raters if rated else ()
    names = [*graphs, *raters, *[name for name in sentences if name is not None]]
    numbered = list(read_rows(path, names))
    if not numbered:
        raise DataError(f"{path} contains no pairs")
    lines, rows = zip(*numbered, strict=True)
    sides = []
    for side, (column, sentence) in enumerate(zip(graphs, sentences, strict=True)):
        texts = [cells[side] for cells in rows]
        where = [f"{path}, line {line}, column {column}" for line in lines]
        read = _read_graphs(texts, where, on_error, f"{path}, column {column}", lines)
        if sentence is not None:
            snts = [cells[names.index(sentence)] for cells in rows]
            read = replace(read, graphs=_attach_sentences(read.graphs, snts))
        sides.append(read)
    ratings = []
    for k, (line, cells) in enumerate(numbered if rated else []):
        pair = f"{path}, pair {k}, line {line}"
        places = [f"{pair}, column {name}" for name in raters] if len(raters) > 1 else [pair]
        ratings.append([*zip(places, cells[2:], strict=False)])
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
    ratings = [[(pair, str(row[2]))] for pair, row in zip(positions, rows, strict=True)]
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


def _attach_sentences(graphs: Sequence[Graph], sentences: Sequence[str]) -> Corpus:
    """Return graphs with sentences, which take the place of those in their metadata."""
    corpus = Corpus.of(graphs)
    both = zip(corpus.metadata, sentences, strict=True)
    return replace(
        corpus, metadata=tuple([{**entry, "snt": text.rstrip()} for entry, text in both])
    )


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


def _read_rating_lines(path: Path, count: int) -> list[tuple[str, str]]:
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
    return [(f"{path}, pair {k}, line {k + 1}", line) for k, line in enumerate(lines)]


def rescale_ratings(ratings: WrittenRatings, scale: tuple[float, float]) -> Floats:
    """Return ratings in 0..1: (pairs, raters), NaN where one of several raters gave none.

    Args:
        scale: the lowest and the highest rating possible, which become 0 and 1.

    Raises:
        DataError: a rating that is not a number or not on the scale, a pair that no rater rated, or
            a rater without ratings.
    """
    several = len(ratings[0]) > 1
    rows = []
    for of_pair in ratings:
        has_rating = [not several or text.strip() != "" for _, text in of_pair]
        if not any(has_rating):
            raise DataError(f"{of_pair[0][0]}: no rater rated this pair: leave it out")
        rows.append(
            [
                parse_rating(where, text, scale) if is_rated else np.nan
                for (where, text), is_rated in zip(of_pair, has_rating, strict=True)
            ]
        )
    rescaled = np.array(rows, np.float64)
    if (empty := np.isnan(rescaled).all(axis=0)).any():
        where = ratings[0][int(np.argmax(empty))][0]
        raise DataError(f"{where}: this rater has no ratings: leave out the rater")
    return rescaled


def parse_rating(where: str, text: str, scale: tuple[float, float]) -> float:
    """Return one rating in 0..1.

    Args:
        where: the file and the position in it, for messages.

    Raises:
        DataError: a text that is not a number on the scale.

    >>> parse_rating("ratings.txt, line 1", "4", (0, 5))
    0.8
    """
    try:
        rating = decimal(text)
    except ValueError:
        raise DataError(f"{where}: {text!r} is not a number") from None
    low, high = scale
    if not low <= rating <= high:
        raise DataError(
            f"{where}: {rating:g} is not on the scale from {low:g} to {high:g} (set data.scale)"
        )
    return (rating - low) / (high - low)
