"""The graphs of one side: files, standard input, text, or graphs in memory.

Graphs in Penman notation and rows are read while the pairs are scored: memory does not grow with
their number. Files of other formats are read one at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_metrics.errors import GraphError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.scanner import make_unread, scan_stream
from amr_metrics.utils.decoding import encode
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.text import format_count
from bamboo.errors import ConfigError
from bamboo.scoring.answers import (
    Answer,
    Answers,
    can_be_extracted,
    find_comments,
    is_graph,
    list_metadata,
    read_answer,
    split_answers,
)
from bamboo.scoring.extracted import Extracted
from bamboo.scoring.field_paths import list_json_paths
from bamboo.scoring.inputs import (
    KINDS,
    STDIN,
    InputFile,
    can_be_read_twice,
    find_path,
    input_files,
    open_input,
    source_name,
)
from bamboo.scoring.notation import PENMAN, Graphs, Notation
from bamboo.scoring.problems import OnError, Problem
from bamboo.scoring.repaired import Repaired
from bamboo.scoring.row_answers import read_row_answers
from bamboo.scoring.rows import Row, find_row_format, read_rows

if TYPE_CHECKING:
    import penman

    Side = str | PathLike[str] | Graph | penman.Graph | Sequence[str | Graph | penman.Graph]

CHUNK = 10_000  # graphs that are read at a time
EXTRACT = "extract=last takes the graph out of each text"
SKIP = "on_error=zero to count it as an empty parse, on_error=nan to leave it out"
ONE_GRAPH = Answers()  # a text is its graph


@dataclass
class GraphSource:
    """The graphs of one side: of files, or in memory.

    Attributes:
        name: a file, a folder, a pattern, or ``-`` (see `input_files`); of graphs in memory, their
            name in messages.
        notation: the format of the files.
        on_error: how to treat graphs that cannot be read.
        answers: how texts with one graph each become graphs.
        is_file: whether `name` is a file.
        graphs: the graphs, if they are in memory.
        kept: the graphs of files that can be read once only, if they are needed again.
        stored: the answers of rows, if they are in memory or their files were read.
        paired_by: the field of the rows by whose ids they are paired; None if they are not.
        notes: on the files.
        warnings: on ids by which no pairs were found.
        extracted: what stood around the graphs; complete when all graphs are read.
        repaired: how graphs were repaired; complete likewise.
        counts: of texts, by what is to be said of them; complete likewise.
    """

    name: Path
    notation: Notation = PENMAN
    on_error: OnError = "stop"
    answers: Answers = ONE_GRAPH
    is_file: bool = True
    graphs: Graphs | None = None
    kept: Graphs | None = None
    stored: Sequence[Answer] | None = None
    paired_by: str | None = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    extracted: list[Extracted] = field(default_factory=list)
    repaired: list[Repaired] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    _ids: list[str | None] | None = None
    _files: tuple[list[Path], list[str]] | None = None

    @property
    def is_anonymous(self) -> bool:
        """Whether the graphs are in memory or in rows, and none of them has an ``::id``."""
        if self.graphs is None:
            return self.has_rows and not self.counts["with id"]
        return not any("id" in graph.metadata for graph in self.graphs.graphs)

    @property
    def path(self) -> Path | None:
        """The path of the files; None for graphs in memory."""
        return self.name if self.is_file and self.graphs is None else None

    @property
    def label(self) -> str:
        """The name in messages."""
        return source_name(self.name)

    @property
    def files(self) -> list[Path]:
        """The files; none for graphs in memory."""
        return self._list_files()[0]

    @property
    def is_folder(self) -> bool:
        """Whether the graphs are those of the files of a folder."""
        return self.path is not None and self.path.is_dir()

    @property
    def has_rows(self) -> bool:
        """Whether the graphs are in rows, which may have ids."""
        return self.stored is not None or any(map(self._find_row_format, self.files))

    def _list_files(self) -> tuple[list[Path], list[str]]:
        """Return the files, and notes on those that are left out; folders are listed once."""
        if self._files is None:
            path = self.path
            self._files = ([], []) if path is None else input_files(path, self.notation.format)
        return self._files

    def _find_row_format(self, file: Path) -> str | None:
        if file == STDIN:
            return self.answers.input_format
        return find_row_format(file, self.notation.format)

    def list_notes(self) -> list[str]:
        """Return what is to be said of the files and texts; complete when all graphs are read."""
        notes = [*self.notes]
        if count := self.counts["with other text"]:
            texts = format_count(count, "text with a graph", "texts with a graph")
            notes.append(
                f"{self.label}: {texts} cannot be read because of other text around it: {EXTRACT}"
            )
        if count := self.counts["with another id"]:
            texts = format_count(count, "text has", "texts have")
            notes.append(f"{self.label}: {texts} another ::id than the row, whose id is used")
        return notes

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
        if self.graphs is not None:
            self.notes += self.graphs.notes
            yield self.graphs
        elif self.kept is not None:
            yield self.kept
        elif self.has_rows:
            yield from self._read_rows()
        else:
            files, notes = self._list_files()
            self.notes += notes
            for file in files:
                yield from self._read_file(file)

    def _read_file(self, file: Path) -> Iterator[Graphs]:
        name = source_name(file)
        has_answers = self.answers.extract is not None or self.answers.repair
        if not has_answers and self.notation.format == "penman":
            is_valid = self.on_error == "stop" or (can_be_read_twice(file) and _is_valid(file))
            with open_input(file) as stream:
                for corpus, errors in scan_stream(stream, name, by_block=not is_valid):
                    problems = {k: Problem.of(error) for k, error in errors.items()}
                    yield Graphs(corpus, problems)
            return
        with open_input(file, is_prose=self.answers.extract is not None) as stream:
            data = stream.read()
        graphs = self.read_text(data, name)
        self.notes += graphs.notes
        yield graphs

    def _read_rows(self) -> Iterator[Graphs]:
        answers = self.list_answers()
        while len(graphs := self.read_answers(islice(answers, CHUNK))):
            yield graphs

    def list_answers(self) -> Iterator[Answer]:
        """Yield the answers of rows; see `read_row_answers`.

        Raises:
            GraphError: also if there is no row.
        """
        if self.stored is not None:
            yield from self.stored
            return
        files, notes = self._list_files()
        self.notes += notes
        is_empty = True
        for answer in read_row_answers(map(self._open_rows, files), self.answers):
            is_empty = False
            yield answer
        if is_empty:
            raise GraphError("there is no graph", source=self.label)

    def _open_rows(self, file: Path) -> tuple[str, Iterator[Row]]:
        return source_name(file), self._read_rows_of(file)

    def _read_rows_of(self, file: Path) -> Iterator[Row]:
        format = self._find_row_format(file)
        assert format is not None  # files have either rows or graphs
        with open_input(file, is_json=True) as stream:
            yield from read_rows(stream, source_name(file), format)

    def read_text(self, data: bytes, name: str) -> Graphs:
        """Return the graphs of a text, such as the content of a file.

        Args:
            name: of the text, in messages.
        """
        if self.answers.extract is None:
            if not self.answers.repair:
                return self.notation.parse(data, name, self.on_error)
            try:
                graphs = self.notation.parse(data, name, "stop")
            except GraphError as error:
                if error.graph is None:
                    raise
            else:
                self.repaired.append(Repaired(len(graphs)))
                return graphs
        graphs = self.read_answers(split_answers(data, name))
        if not len(graphs):
            raise GraphError("there is no graph", source=name)
        return graphs

    def read_answers(self, answers: Iterable[Answer]) -> Graphs:
        """Return the graphs of texts with one graph each."""
        graphs: list[Graph] = []
        problems: dict[int, Problem] = {}
        around: list[Extracted] = []
        done: list[Repaired] = []
        repaired: list[int] = []
        for answer in answers:
            error, count = None, len(done)
            try:
                graph = read_answer(answer, self.notation, self.answers, around, done)
            except GraphError as raised:
                error = raised.with_traceback(None)  # which has copies of the text
            if error is not None:
                error = self._explain(error, answer)
                if self.on_error == "stop":
                    raise error
                graph = make_unread(find_comments(answer.text))
                problems[len(graphs)] = Problem.of(error)
            elif len(done) > count:
                repaired.append(len(graphs))
            graphs.append(self._describe(graph, answer))
        self.extracted.append(Extracted.total(around))
        self.repaired.append(Repaired.total([*done, Repaired(len(graphs))]))
        no_subclass = all(type(graph) is Graph for graph in graphs)  # a corpus drops its fields
        corpus = Corpus.of(graphs) if no_subclass else graphs
        return Graphs(corpus, problems, repaired=frozenset(repaired))

    def _explain(self, error: GraphError, answer: Answer) -> GraphError:
        """Return the error for an answer that cannot be read, with its place and what may help."""
        text = answer.text if isinstance(answer.text, str) else ""
        line = answer.locate(error.line)
        problem = error.problem
        if paths := list_json_paths(text, self.answers.field or ""):
            problem = f"the text is JSON, with a graph in {', '.join(paths)} (field=PATH)"
        error = GraphError(problem, source=answer.source, graph=answer.position, line=line)
        if can_be_extracted(text, self.notation, self.answers):
            self.counts["with other text"] += 1
            error.add_note(f"the text around the graph can be dropped: {EXTRACT}")
        return error

    def _describe(self, graph: Graph, answer: Answer) -> Graph:
        """Return a graph with the id and the metadata of its row."""
        row_id = self.find_id(answer)
        if row_id is not None and graph.metadata.get("id", row_id) != row_id:
            self.counts["with another id"] += 1
        metadata = list_metadata(answer.fields) | ({} if row_id is None else {"id": row_id})
        if metadata:
            graph = replace(graph, metadata={**graph.metadata, **metadata})
        self.counts["with id"] += "id" in graph.metadata
        return graph

    def find_id(self, answer: Answer) -> str | None:
        """Return the id of an answer, if it is known."""
        if answer.id is not None or self.answers.id_field is None:
            return answer.id
        return answer.fields.get(self.answers.id_field)

    def find_answer(self, row: int, graph_id: str | None) -> Answer:
        """Return the answer of a stored row; of position -1, one that is not there.

        Args:
            graph_id: of the gold graph.
        """
        assert self.stored is not None
        if row >= 0:
            return self.stored[row]
        reason = f"there is no answer for the ::id {graph_id}"
        if self.on_error == "stop":
            reason += f": add it, or set {SKIP}"
        return Answer(None, self.label, None, reason=reason)

    def list_ids(self) -> list[str | None]:
        """Return the ``::id`` of each graph, None without one.

        Files are read for this; graphs that can be read once only are kept.
        """
        if self._ids is None:
            if self.stored is None and not all(map(can_be_read_twice, self.files)):
                self.kept = self.whole()
            parts = self.without_counts().read()
            self._ids = [graph_id for part in parts for graph_id in part.ids]
        return self._ids

    def select_file(self, file: Path) -> GraphSource:
        """Return the source of one of several files; its notes and counts are those of all."""
        return replace(self, name=file, stored=None, kept=None, _ids=None, _files=None)

    def without_counts(self) -> GraphSource:
        """Return the same source, for a look at the graphs that leaves no trace in this one."""
        return replace(self, notes=[], warnings=[], extracted=[], repaired=[], counts=Counter())


def _is_valid(file: Path) -> bool:
    """Return whether every graph of a file can be read.

    If not, it is divided into blocks of one graph each, as by `Notation.parse`.

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
    side: Any,
    name: str,
    notation: Notation,
    on_error: OnError,
    answers: Answers = ONE_GRAPH,
    ids: Iterable[Any] | None = None,
) -> GraphSource:
    """Return the source of a side's graphs: a file, text, graphs or rows in memory, or a source.

    A string in a list is a text with one graph, whatever it looks like.

    Args:
        name: the name of the side in messages, unless it is a path.
        on_error: ``stop``, or ``nan`` or ``zero`` to list graphs that cannot be read.
        answers: how texts with one graph each become graphs.
        ids: of the texts or graphs of a list.

    Raises:
        GraphError: a graph that cannot be read (``on_error="stop"``), or a row.
        ConfigError: a side of another type, or that does not go with ids.
    """
    if isinstance(side, GraphSource):
        return side
    path = find_path(side) if ids is None else None
    source = GraphSource(Path(name) if path is None else path, notation, on_error, answers)
    if path is not None:
        return source
    from bamboo.scoring import memory_rows  # most sides are files

    source.is_file = False
    if ids is not None:
        source.answers = replace(answers, id_field=memory_rows.SRC_IDS)
        source.stored = memory_rows.list_named_answers(side, name, ids)
    elif isinstance(side, str):
        source.graphs = source.read_text(encode(side, name), name)
    elif isinstance(side, Corpus):
        source.graphs = Graphs(side)
    elif is_list(side) or is_graph(side):
        listed = [side] if is_graph(side) else memory_rows.list_elements(side)
        if not listed:
            raise GraphError("there is no graph: the list is empty", source=name)
        source.stored = memory_rows.list_answers(side, listed, name, answers)
        if source.stored is None:
            source.graphs = source.read_answers(Answer(g, name, k) for k, g in enumerate(listed))
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


def list_files(source: GraphSource) -> list[InputFile]:
    """Return the files of a side; none for graphs in memory, standard input and pipes."""
    return [
        InputFile(str(file), file.stat().st_size, file_digest(file))
        for file in source.files
        if can_be_read_twice(file)
    ]
