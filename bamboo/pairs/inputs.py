"""The files that one side of the pairs consists of: a file, many files, or standard input."""

from __future__ import annotations

import glob
import sys
from collections.abc import Sequence
from pathlib import Path

from amr_metrics.errors import GraphError
from amr_metrics.reading.decoding import GraphStream
from amr_metrics.utils.text import counted

STDIN = Path("-")
STDIN_NAME = "standard input"
# How the names of the files in a folder end, each also followed by .gz.
ENDINGS = {
    "penman": (".amr", ".penman", ".txt"),
    "camr": (".camr", ".amr", ".txt", ".tsv"),
    "umr": (".umr", ".txt"),
}


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
    if name.is_dir():
        return _files_in(name, format)
    if name == STDIN or name.exists() or not glob.has_magic(str(name)):
        return [name], []
    files: list[Path] = []
    notes: list[str] = []
    for match in sorted(map(Path, glob.glob(str(name), recursive=True))):
        more = _files_in(match, format) if match.is_dir() else ([match], [])
        files += more[0]
        notes += more[1]
    if not files:
        raise GraphError("no file matches this pattern: check it", source=str(name))
    return list(dict.fromkeys(files)), notes


def _files_in(folder: Path, format: str) -> tuple[list[Path], list[str]]:
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
        shown = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
        are = (
            "is not read, because its name does"
            if len(others) == 1
            else "are not read, because their names do"
        )
        count = counted(len(others), "other file")
        notes = [f"{folder}: {count} {are} not end in {listed}: {shown}"]
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
    return GraphStream.open(path)


class _Unclosed:
    """Standard input, which stays open."""

    def read(self, size: int = -1) -> bytes:
        return sys.stdin.buffer.read(size)


def can_be_read_twice(path: Path) -> bool:
    """Return whether a file can be opened again after it was read: not standard input or a pipe."""
    return path != STDIN and path.is_file()


def short_names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each input: that of the file, without extensions, if these are distinct.

    >>> short_names([Path("x/good.amr.gz"), Path("-")]), short_names([Path("a/x"), Path("b/x")])
    (['good', 'stdin'], ['a/x', 'b/x'])
    """
    names = [_short_name(path) for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def _short_name(path: Path) -> str:
    """Return the name of a file without its extensions; of a pattern, all of it."""
    if path == STDIN:
        return "stdin"
    if glob.has_magic(str(path)) and not path.exists():
        return str(path)
    return Path(path.name.removesuffix(".gz")).stem
