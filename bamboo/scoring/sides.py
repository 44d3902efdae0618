"""The graphs of one side: files, standard input, text, or graphs in memory.

Graphs in Penman notation are read while the pairs are scored: memory does not grow with their
number. Files of other formats are read one at a time.
"""

from __future__ import annotations

import glob
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from amr_metrics.errors import GraphError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.decoding import GraphStream
from amr_metrics.reading.scanner import make_unread, scan_stream
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.text import format_count
from bamboo.errors import ConfigError
from bamboo.log import escape_name
from bamboo.scoring.answers import (
    Answer,
    Answers,
    can_be_extracted,
    encode,
    is_graph,
    is_json_lines,
    read_answer,
    read_json_lines,
    split_answers,
)
from bamboo.scoring.extracted import Extracted
from bamboo.scoring.notation import PENMAN, Graphs, Notation
from bamboo.scoring.problems import OnError, Problem

if TYPE_CHECKING:
    import penman

    Side = str | PathLike[str] | Graph | penman.Graph | Sequence[str | Graph | penman.Graph]

KINDS = "the path of a file, text, a graph, or a list of texts or graphs"
CHUNK = 10_000  # graphs that are read at a time
STDIN = Path("-")
STDIN_NAME = "standard input"
EXTRACT = "extract=last takes the graph out of each text"
ONE_GRAPH = Answers()  # a text is its graph
# How the names of the files in a folder end, each also followed by .gz.
ENDINGS = {
    "penman": (".amr", ".penman", ".txt"),
    "camr": (".camr", ".amr", ".txt", ".tsv"),
    "umr": (".umr", ".txt"),
}


@dataclass
class GraphSource:
    """The graphs of one side: of files, or in memory.

    Attributes:
        name: a file, a folder, a pattern, or ``-`` (see `input_files`); of graphs in memory, their
            name in messages.
        notation: the format of the files.
        on_error: how to treat graphs that cannot be read.
        answers: how texts with one graph each become graphs.
        graphs: the graphs, if they are in memory.
        notes: for readers of the scores; complete when all graphs are read.
        extracted: what stood around the graphs; complete when all graphs are read.
    """

    name: Path
    notation: Notation = PENMAN
    on_error: OnError = "stop"
    answers: Answers = ONE_GRAPH
    graphs: Graphs | None = None
    notes: list[str] = field(default_factory=list)
    extracted: list[Extracted] = field(default_factory=list)
    _has_ids: bool = False  # of the texts that were read

    @property
    def is_anonymous(self) -> bool:
        """Whether the graphs are in memory or in JSON Lines, and none of them has an ``::id``."""
        if self.graphs is None:
            return is_json_lines(self.name) and not self._has_ids
        return not any("id" in graph.metadata for graph in self.graphs.graphs)

    @property
    def path(self) -> Path | None:
        """The path of the files; None for graphs in memory."""
        return self.name if self.graphs is None else None

    @property
    def is_folder(self) -> bool:
        """Whether the graphs are those of the files of a folder."""
        return self.graphs is None and self.name.is_dir()

    def chunks(self, size: int) -> Iterator[Graphs]:
        """Yield the graphs, in order; `size` at a time, the last time possibly fewer.

        Raises:
            GraphError: a graph (``on_error="stop"``) or file that cannot be read.
        """
        waiting: list[Graphs] = []
        count = 0
        for part in self.read():
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
        return Graphs.concatenate([*self.read()])

    def read(self) -> Iterator[Graphs]:
        """Yield the graphs, in order; as many at a time as are read at once.

        Raises:
            GraphError: as `chunks`.
        """
        files: Sequence[Path] = ()
        if self.graphs is not None:
            self.notes += self.graphs.notes
            yield self.graphs
        else:
            files, notes = input_files(self.name, self.notation.format)
            self.notes += notes
        for file in files:
            is_json, name = is_json_lines(file), source_name(file)
            if not is_json and self.answers.extract is None and self.notation.format == "penman":
                is_valid = self.on_error == "stop" or (can_be_read_twice(file) and _is_valid(file))
                with open_input(file) as stream:
                    for corpus, errors in scan_stream(stream, name, by_block=not is_valid):
                        problems = {k: Problem.of(error) for k, error in errors.items()}
                        yield Graphs(corpus, problems)
                continue
            with open_input(file) as stream:
                data = stream.read()
            rows = read_json_lines(data, name, self.answers) if is_json else None
            graphs = self.read_text(data, name) if rows is None else self.read_answers(rows, name)
            self.notes += graphs.notes
            yield graphs

    def read_text(self, data: bytes, name: str) -> Graphs:
        """Return the graphs of a text, such as the content of a file.

        Args:
            name: of the text, in messages.
        """
        if self.answers.extract is None:
            return self.notation.parse(data, name, self.on_error)
        return self.read_answers(split_answers(data, name), name)

    def read_answers(self, answers: Iterable[Answer], name: str) -> Graphs:
        """Return the graphs of texts with one graph each."""
        graphs: list[Graph] = []
        problems: dict[int, Problem] = {}
        around: list[Extracted] = []
        surrounded = 0
        for k, answer in enumerate(answers):
            try:
                graph = read_answer(answer.text, name, k, self.notation, self.answers, around)
            except GraphError as error:
                line = answer.locate(error.line)
                error = GraphError(error.problem, source=name, graph=k, line=line)
                text = answer.text if isinstance(answer.text, str) else ""
                if can_be_extracted(text, self.notation, self.answers):
                    surrounded += 1
                    error.add_note(f"the text around the graph can be dropped: {EXTRACT}")
                if self.on_error == "stop":
                    raise error from None
                graph = make_unread(text.encode(errors="replace"))
                problems[k] = Problem.of(error)
            graphs.append(graph)
            self._has_ids = self._has_ids or "id" in graph.metadata
        if not graphs:
            raise GraphError("there is no graph", source=name)
        if surrounded:
            texts = format_count(surrounded, "text with a graph", "texts with a graph")
            self.notes.append(
                f"{name}: {texts} cannot be read because of other text around it: {EXTRACT}"
            )
        self.extracted.append(Extracted.total(around)._replace(texts=len(graphs)))
        no_subclass = all(type(graph) is Graph for graph in graphs)  # a corpus drops its fields
        return Graphs(Corpus.of(graphs) if no_subclass else graphs, problems)


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


def is_umr(side: Any) -> bool:
    """Return whether a side is a file, or the files of a folder or pattern, ending in ``.umr``.

    A folder may have other files, but none ending in ``.amr`` or ``.penman``.
    """
    path = find_path(side)
    if path is None:
        return False
    try:
        files = [*path.iterdir()] if path.is_dir() else input_files(path, "umr")[0]
    except (OSError, GraphError):
        return False  # reading the side reports it
    names = [file.name.lower().removesuffix(".gz") for file in files]
    is_amr = any(name.endswith((".amr", ".penman")) for name in names)
    return any(name.endswith(".umr") for name in names) and not is_amr


def build_source(
    side: Any, name: str, notation: Notation, on_error: OnError, answers: Answers = ONE_GRAPH
) -> GraphSource:
    """Return the source of a side's graphs: a file, a text, graphs in memory, or a source.

    A string in a list is a text with one graph, whatever it looks like.

    Args:
        name: the name of the side in messages, unless it is a path.
        on_error: ``stop``, or ``nan`` or ``zero`` to list graphs that cannot be read.
        answers: how texts with one graph each become graphs.

    Raises:
        GraphError: a graph that cannot be read (``on_error="stop"``).
        ConfigError: a side of another type.
    """
    if isinstance(side, GraphSource):
        return side
    path = find_path(side)
    source = GraphSource(Path(name) if path is None else path, notation, on_error, answers)
    if path is not None:
        return source
    if isinstance(side, str):
        source.graphs = source.read_text(encode(side, name), name)
    elif isinstance(side, Corpus):
        source.graphs = Graphs(side)
    elif is_list(side) or is_graph(side):
        listed = [side] if is_graph(side) else [*side]
        if not listed:
            raise GraphError("there is no graph: the list is empty", source=name)
        source.graphs = source.read_answers(map(Answer, listed), name)
    else:
        raise ConfigError(f"{name}: {type(side).__name__} is not a side: expected {KINDS}")
    return source


def name_side(side: Any, name: str) -> str:
    """Return a side as messages name it: its path, or its name."""
    path = find_path(side)
    return name if path is None else str(path)


def is_list(side: Any) -> bool:
    """Check that a side is a list of texts or graphs: neither a path, one text nor one graph."""
    is_one = isinstance(side, str | bytes | Mapping | PathLike) or is_graph(side)
    return isinstance(side, Iterable) and not is_one


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


def list_files(source: GraphSource) -> list[InputFile]:
    """Return the files of a side; none for graphs in memory, standard input and pipes."""
    files = []
    if source.path is not None:
        files = input_files(source.path, source.notation.format)[0]
    return [
        InputFile(str(file), file.stat().st_size, file_digest(file))
        for file in files
        if can_be_read_twice(file)
    ]


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
