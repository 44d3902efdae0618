"""The files that the name of a side stands for: how they are found, sorted and opened."""

from __future__ import annotations

import glob
import re
import sys
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from amr_metrics.errors import GraphError
from amr_metrics.reading.decoding import GraphStream
from amr_metrics.utils.text import format_count
from bamboo.errors import ConfigError
from bamboo.log import escape_name
from bamboo.scoring.rows import find_row_format

KINDS = "the path of a file, text, a graph, or a list of texts, graphs or rows"
STDIN = Path("-")
STDIN_NAME = "standard input"
# How the names of graph files in a folder end, each also followed by .gz.
ENDINGS = {
    "penman": (".amr", ".penman", ".txt"),
    "camr": (".camr", ".amr", ".txt", ".tsv"),
    "umr": (".umr", ".txt"),
}
NUMBER = re.compile(r"([0-9]+)")
# Rows of a folder, if it has no graph files: what is in the second line is often written beside.
ROWS = ((".jsonl", ".ndjson"), (".json", ".csv", ".tsv"))


def find_path(side: Any) -> Path | None:
    r"""Return the path of a side that is a file; None for text and graphs.

    A string is text if it contains a line break or starts with ``(`` or ``#``, as Penman notation
    does; any other string is a path.

    >>> find_path("gold.amr"), find_path(" (c / cat)"), find_path("a b :x\n")
    (PosixPath('gold.amr'), None, None)
    """
    if isinstance(side, PathLike):
        return Path(side)
    if not isinstance(side, str) or "\n" in side or side.lstrip()[:1] in ("(", "#"):
        return None
    if not side.strip():
        raise ConfigError(f"{side!r}: expected {KINDS}")
    return Path(side)


def input_files(name: Path, format: str) -> tuple[list[Path], list[str]]:
    """Return the files of a name, in order, and notes on files that are left out.

    Args:
        name: a file; a folder, for the graph files in it; a pattern such as ``part*.amr``; or
            ``-`` for standard input. The files of folders and patterns are sorted by name, and
            numbers by their values. A name with ``*``, ``?`` or ``[`` is a pattern only if there
            is no such file.
        format: the format of the files, which determines how the names of graph files end.

    Raises:
        GraphError: a folder without graph files, a pattern that matches no file, or files of both
            rows and graphs.
    """
    files: list[Path] = []
    notes: list[str] = []
    matches = list_matches(name)
    for match in matches:
        more = _list_files(match, format) if match.is_dir() else ([match], [])
        files += more[0]
        notes += more[1]
    if len(matches) > 1:
        notes += _describe_order(name, matches)
    files = list(dict.fromkeys(files))
    _check_kind(name, files, format)
    return files, notes


def _check_kind(name: Path, files: Sequence[Path], format: str) -> None:
    """Check that files have either rows or graphs.

    Raises:
        GraphError: some have rows, and others graphs.
    """
    rows = [file for file in files if find_row_format(file, format) is not None]
    if rows and len(rows) < len(files):
        other = next(file for file in files if file not in rows)
        raise GraphError(
            f"has files of rows ({rows[0].name}) and of graphs ({other.name}): choose one kind "
            f"with a pattern, such as '*{rows[0].suffix}'",
            source=str(name),
        )


def check_output(option: str, file: Path, sides: Iterable[Any], format: str) -> None:
    """Check that a file that will be written is none of those that are read.

    Args:
        format: of the files that are read.

    Raises:
        ConfigError: it is one of them.
    """
    for path in filter(None, map(find_path, sides)):
        if path != STDIN and file.resolve() in map(Path.resolve, input_files(path, format)[0]):
            raise ConfigError(f"{option}={file} is also an input: choose another file")


def list_matches(name: Path) -> list[Path]:
    """Return the files and folders that match a pattern, sorted by name, and numbers by value.

    Other names are returned as they are.

    Raises:
        GraphError: a pattern that matches nothing.
    """
    if name == STDIN or name.exists() or not glob.has_magic(str(name)):
        return [name]
    if not (matches := glob.glob(str(name), recursive=True)):
        raise GraphError("no file matches this pattern: check it", source=str(name))
    return sort_by_number(map(Path, matches))


def sort_by_number(files: Iterable[Path]) -> list[Path]:
    """Sort files by their names, with numbers by their values.

    >>> [path.name for path in sort_by_number(map(Path, ["10.amr", "9.amr", "1.amr"]))]
    ['1.amr', '9.amr', '10.amr']
    """

    def split(part: str) -> tuple[str | int, ...]:
        pieces = NUMBER.split(part)  # text and numbers by turns, so that these are never compared
        return tuple(int(piece) if k % 2 else piece for k, piece in enumerate(pieces))

    return sorted(files, key=lambda path: ([split(part) for part in path.parts], path))


def _describe_order(name: Path, files: Sequence[Path]) -> list[str]:
    """Return a note if the order by number is not that by name."""
    pairs = ((first, second) for first, second in pairwise(files) if second < first)
    return [
        f"{name}: files are sorted by number, {first.name} before {second.name}"
        for first, second in islice(pairs, 1)
    ]


def _list_files(folder: Path, format: str) -> tuple[list[Path], list[str]]:
    """Return the graph files in a folder, else its files of rows, and notes on these."""
    endings = ENDINGS[format]
    try:
        names = [path.name for path in folder.iterdir() if not path.is_dir()]
    except OSError as error:
        raise GraphError(
            f"cannot be read: {error.strerror}. Check the path", source=str(folder)
        ) from None
    visible = sort_by_number(Path(name) for name in names if not name.startswith("."))
    by_kind = {kind: [f for f in visible if has_ending(f, kind)] for kind in (endings, *ROWS)}
    kind = next((kind for kind, files in by_kind.items() if files), None)
    if kind is None:
        raise GraphError(
            f"contains no file whose name ends in {_join_endings(endings)}, or for rows in "
            f"{_join_endings([*ROWS[0], *ROWS[1]])} (or these with .gz): is it the right folder? "
            f"A pattern such as '{folder}/*' chooses files with other names",
            source=str(folder),
        )
    if kind == endings and by_kind[ROWS[0]]:
        _check_kind(folder, [*by_kind[endings], *by_kind[ROWS[0]]], format)
    files = [folder / file for file in by_kind[kind]]
    notes = _describe_order(folder, files)
    if others := sorted({*map(str, visible)} - {*map(str, by_kind[kind])}):
        examples = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
        are = (
            "is not read, because its name does"
            if len(others) == 1
            else "are not read, because their names do"
        )
        count = format_count(len(others), "other file")
        notes.append(f"{folder}: {count} {are} not end in {_join_endings(kind)}: {examples}")
    return files, notes


def has_ending(file: Path, endings: tuple[str, ...]) -> bool:
    """Check how the name of a file ends, without case and ``.gz``."""
    return file.name.lower().removesuffix(".gz").endswith(endings)


def _join_endings(endings: Sequence[str]) -> str:
    *others, last = endings
    return f"{', '.join(others)} or {last}" if others else last


def source_name(path: Path) -> str:
    """Return the name of a file in messages."""
    return STDIN_NAME if path == STDIN else str(path)


def open_input(path: Path, *, is_json: bool = False, is_prose: bool = False) -> GraphStream:
    """Open a file, or standard input; see `GraphStream`.

    Raises:
        GraphError: it cannot be read.
    """
    try:
        if path == STDIN:
            return GraphStream(_Unclosed(), STDIN_NAME, is_json=is_json, is_prose=is_prose)
        return GraphStream.open(path, is_json=is_json, is_prose=is_prose)
    except GraphError as error:
        if error.argument == "is_json":
            option = "set input_format=jsonl" if path == STDIN else "call it .jsonl or .json"
            error.add_note(f"if it has rows, {option}, and name the graphs (field=PATH)")
        if error.argument == "is_prose":
            error.add_note("if it has answers of a language model, set extract=last")
        raise


class _Unclosed:
    """Standard input, which stays open."""

    def read(self, size: int = -1) -> bytes:
        return sys.stdin.buffer.read(size)


def can_be_read_twice(path: Path) -> bool:
    """Return whether a file can be opened again after it was read: not standard input or a pipe."""
    return path != STDIN and path.is_file()


class InputFile(NamedTuple):
    """A file that was read.

    Attributes:
        path: its path.
        bytes: its size.
        sha256: the SHA-256 of its content, in hexadecimal.
    """

    path: str
    bytes: int
    sha256: str


def short_names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each input: that of the file, without extensions, if these are distinct.

    Control characters and bytes that are not UTF-8 become escapes (`escape_name`).

    >>> short_names([Path("x/good.amr.gz"), Path("-")]), short_names([Path("a/x"), Path("b/x")])
    (['good', 'stdin'], ['a/x', 'b/x'])
    """
    names = [strip_extensions(path) for path in paths]
    names = names if len(set(names)) == len(names) else [str(path) for path in paths]
    return [escape_name(name) for name in names]


def strip_extensions(path: Path) -> str:
    """Return the name of a file without its extensions; of a pattern, all of it."""
    if path == STDIN:
        return "stdin"
    if glob.has_magic(str(path)) and not path.exists():
        return str(path)
    return Path(path.name.removesuffix(".gz")).stem
