"""Files of rows: JSON Lines, a list in JSON, and tables in CSV and TSV with a header."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from amr_metrics.errors import GraphError
from amr_metrics.reading.decoding import GraphStream
from amr_metrics.utils.decoding import decode, strip_marks
from amr_metrics.utils.text import format_count
from bamboo.files import csv_rows

InputFormat = Literal["jsonl", "csv", "tsv"]  # of rows that come through a pipe

# How names of files of rows end, each also followed by .gz. Opening a Parquet file says what to do.
ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
READ = 1 << 20  # bytes to read at a time
BLANKS = re.compile(r"[ \t\r\n]*+")  # between the values of JSON


class Row(NamedTuple):
    """A row.

    Attributes:
        value: an object, or in JSON a text.
        line: the number of its first line; None in memory.
    """

    value: Any
    line: int | None


def find_row_format(path: Path, notation: str = "penman") -> str | None:
    """Return the format of a file of rows, by its name; None for another file.

    Args:
        notation: of the graphs; those of Chinese AMR have tables of their own in TSV.
    """
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    return None if (notation, suffix) == ("camr", ".tsv") else ENDINGS.get(suffix)


def read_rows(stream: GraphStream, source: str, format: str) -> Iterator[Row]:
    """Return the rows of a file, which is read line by line, or if it is a list in JSON, whole.

    Args:
        source: its name in messages.
        format: ``jsonl``, ``json``, ``csv`` or ``tsv``.

    Raises:
        GraphError, DataError: a file that is not in UTF-8, or not in this format; the message names
            the line.
    """
    if format == "jsonl":
        return _read_json_lines(stream, source)
    if format == "json":
        return _read_json_list(stream, source)
    return _read_table(stream, source, "\t" if format == "tsv" else ",")


def _read_json_lines(stream: GraphStream, source: str) -> Iterator[Row]:
    for line, content in enumerate(_read_lines(stream), 1):
        if not content.isspace():
            value = _parse_line(content, source, line)
            del content  # a line may be large: one copy of it is enough
            yield Row(value, line)


def _parse_line(content: bytes, source: str, line: int) -> Any:
    try:
        value = json.loads(decode(content, source, line))
    except (ValueError, RecursionError) as error:
        problem = f"is not valid JSON ({error}): a file of JSON Lines has one object in each line"
        raise GraphError(problem, source=source, line=line) from None
    return value


def _read_lines(stream: GraphStream) -> Iterator[bytes]:
    """Yield the lines of a stream with their ends, without byte order marks."""
    pieces: list[bytes] = []  # of the line that is read
    while data := stream.read(READ):
        for piece in data.splitlines(keepends=True):
            # A line ends at \n only: as in \r\n, and because tables have \r in cells.
            pieces.append(piece)
            if piece.endswith(b"\n"):
                yield _take_line(pieces)
    if pieces:
        yield _take_line(pieces)


def _take_line(pieces: list[bytes]) -> bytes:
    """Join the pieces of a line, and remove them from the list: a line may be large."""
    line = strip_marks(b"".join(pieces))
    pieces.clear()
    return line


def _read_json_list(stream: GraphStream, source: str) -> Iterator[Row]:
    """Yield the elements of a list one by one: only its text is in memory, not all its values."""
    text = decode(stream.read(), source)
    decoder = json.JSONDecoder()
    begin = _skip_blanks(text, 0)
    if not text.startswith("[", begin):
        raise _report_no_list(text, source)
    line, counted = 1, 0  # lines up to a position
    begin = _skip_blanks(text, begin + 1)
    while not text.startswith("]", begin):
        line, counted = line + text.count("\n", counted, begin), begin
        try:
            value, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError) as error:
            raise _report_json(error, source, getattr(error, "lineno", line)) from None
        yield Row(value, line)
        del value
        begin = _skip_blanks(text, end)
        mark = text[begin : begin + 1]
        if mark == ",":
            begin = _skip_blanks(text, begin + 1)
        elif mark != "]":
            line += text.count("\n", counted, begin)
            found = repr(mark) if mark else "the end of the file"
            raise _report_json(f"expected a comma or ] instead of {found}", source, line)
    end = _skip_blanks(text, begin + 1)
    if end < len(text):
        line += text.count("\n", counted, end)
        raise _report_json("there is more after the list", source, line)


def _skip_blanks(text: str, position: int) -> int:
    match = BLANKS.match(text, position)
    assert match is not None  # it may be empty
    return match.end()


def _report_json(problem: object, source: str, line: int) -> GraphError:
    return GraphError(f"is not valid JSON ({problem})", source=source, line=line)


def _report_no_list(text: str, source: str) -> GraphError:
    """Return the error for a file of JSON that is no list; it names the lists of an object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _report_json(error, source, getattr(error, "lineno", 1))
    if not isinstance(value, dict):
        return GraphError("is JSON, but no list of objects or texts", source=source)
    lists = [key for key, item in value.items() if isinstance(item, list)]
    names = f", with the lists {', '.join(lists)}" if lists else ""
    key = lists[0] if lists else "KEY"
    return GraphError(
        f"has an object at the top{names}: field cannot choose one. Write the rows to a file of "
        f"their own, such as with jq -c '.{key}[]' FILE > rows.jsonl",
        source=source,
    )


def _read_table(stream: GraphStream, source: str, delimiter: str) -> Iterator[Row]:
    lines = (decode(line, source, k) for k, line in enumerate(_read_lines(stream), 1))
    rows = csv_rows(source, lines, delimiter=delimiter, strict=True)
    filled = ((line, cells) for line, cells in rows if cells)
    line, header = next(filled, (1, []))
    if repeated := [name for name, count in Counter(header).items() if count > 1]:
        raise GraphError(f"two columns are called {repeated[0]!r}", source=source, line=line)
    for line, cells in filled:
        if len(cells) != len(header):
            raise GraphError(
                f"has {format_count(len(cells), 'cell')}, but the header has {len(header)}",
                source=source,
                line=line,
            )
        yield Row(dict(zip(header, cells, strict=True)), line)
