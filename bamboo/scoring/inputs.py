"""The files that the name of a side stands for: how they are found, sorted and opened."""

from __future__ import annotations

import glob
import sys
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from amr_metrics.errors import GraphError
from amr_metrics.reading.decoding import GraphStream
from amr_metrics.utils.text import format_count
from bamboo.errors import ConfigError
from bamboo.log import escape_name
from bamboo.scoring.answers import is_json_lines

KINDS = "the path of a file, text, a graph, or a list of texts or graphs"
STDIN = Path("-")
STDIN_NAME = "standard input"
# How the names of the files in a folder end, each also followed by .gz.
ENDINGS = {
    "penman": (".amr", ".penman", ".txt"),
    "camr": (".camr", ".amr", ".txt", ".tsv"),
    "umr": (".umr", ".txt"),
}


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
            ``-`` for standard input. The files of folders and patterns are sorted by name. A name
            with ``*``, ``?`` or ``[`` is a pattern only if there is no such file.
        format: the format of the files, which determines how the names of graph files end.

    Raises:
        GraphError: a folder without graph files, or a pattern that matches no file.
    """
    files: list[Path] = []
    notes: list[str] = []
    for match in list_matches(name):
        more = _list_files(match, format) if match.is_dir() else ([match], [])
        files += more[0]
        notes += more[1]
    return list(dict.fromkeys(files)), notes


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
    """Return the files and folders that match a pattern, sorted; other names as they are.

    Raises:
        GraphError: a pattern that matches nothing.
    """
    if name == STDIN or name.exists() or not glob.has_magic(str(name)):
        return [name]
    if not (matches := sorted(map(Path, glob.glob(str(name), recursive=True)))):
        raise GraphError("no file matches this pattern: check it", source=str(name))
    return matches


def _list_files(folder: Path, format: str) -> tuple[list[Path], list[str]]:
    """Return the graph files in a folder, and a note on the other files."""
    endings = ENDINGS[format]
    try:
        names = sorted(path.name for path in folder.iterdir() if not path.is_dir())
    except OSError as error:
        raise GraphError(
            f"cannot be read: {error.strerror}. Check the path", source=str(folder)
        ) from None
    visible = [name for name in names if not name.startswith(".")]
    graph_files = [name for name in visible if name.lower().removesuffix(".gz").endswith(endings)]
    listed = f"{', '.join(endings[:-1])} or {endings[-1]}" if len(endings) > 1 else endings[0]
    if not graph_files:
        raise GraphError(
            f"contains no file whose name ends in {listed} (or these with .gz): is it the right "
            f"folder? A pattern such as '{folder}/*' chooses files with other names",
            source=str(folder),
        )
    others = sorted({*visible} - {*graph_files})
    notes = []
    if others:
        examples = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
        are = (
            "is not read, because its name does"
            if len(others) == 1
            else "are not read, because their names do"
        )
        count = format_count(len(others), "other file")
        notes = [f"{folder}: {count} {are} not end in {listed}: {examples}"]
    return [folder / name for name in graph_files], notes


def source_name(path: Path) -> str:
    """Return the name of a file in messages."""
    return STDIN_NAME if path == STDIN else str(path)


def open_input(path: Path) -> GraphStream:
    """Open a file, or standard input.

    Raises:
        GraphError: it cannot be read.
    """
    if path == STDIN:
        return GraphStream(_Unclosed(), STDIN_NAME)
    return GraphStream.open(path, is_json=is_json_lines(path))


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
    names = [_strip_extensions(path) for path in paths]
    names = names if len(set(names)) == len(names) else [str(path) for path in paths]
    return [escape_name(name) for name in names]


def _strip_extensions(path: Path) -> str:
    """Return the name of a file without its extensions; of a pattern, all of it."""
    if path == STDIN:
        return "stdin"
    if glob.has_magic(str(path)) and not path.exists():
        return str(path)
    return Path(path.name.removesuffix(".gz")).stem
