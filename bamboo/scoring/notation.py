"""The formats of graph files, and reading a file of any of them graph by graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from amr_metrics.errors import GraphError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.decoding import read_bytes
from amr_metrics.reading.formats import find_other_format
from amr_metrics.reading.scanner import scan_amr, scan_amr_with_errors
from amr_metrics.reading.umr import UmrFile, parse_umr
from amr_metrics.utils.decoding import decode
from amr_metrics.utils.text import counted
from bamboo.errors import ConfigError
from bamboo.scoring.problems import OnError, Problem

GraphFormat = Literal["penman", "camr", "umr"]


@dataclass(frozen=True, kw_only=True)
class Notation:
    """The format of graph files.

    Attributes:
        format: ``penman``, ``umr`` (the sentence graphs of UMR files, see
            `amr_metrics.reading.umr`) or ``camr``: Chinese AMR, in text or tuple form (see
            `amr_metrics.camr.read_camr`).
        lengths: for ``camr``, a file of sentence lengths.
        split: for ``camr``, whether an id with two concepts is two nodes.
        documents: for ``umr``, whether a graph is a document, with its relations between sentences
            (see `amr_metrics.documents.umr_document`), not a sentence.

    Raises:
        ConfigError: `lengths` or `split` for another format.
    """

    format: GraphFormat = "penman"
    lengths: Path | None = None
    split: bool = False
    documents: bool = False

    def __post_init__(self) -> None:
        if self.format != "camr" and (self.lengths is not None or self.split):
            raise ConfigError("lengths and split go with format=camr")

    def read(self, path: Path) -> Sequence[Graph]:
        """Return the graphs of a file; a `Corpus` unless they are Chinese AMR.

        Raises:
            GraphError: a graph or file that cannot be read.
        """
        return self.parse(read_bytes(path), str(path), "stop").graphs

    def parse(self, data: bytes, source: str, on_error: OnError) -> Graphs:
        """Return the graphs of a file's content.

        Args:
            source: the name of the file in messages.
            on_error: ``stop``, or ``nan`` or ``zero`` to list graphs that cannot be read.

        Raises:
            GraphError: a graph (``on_error="stop"``) or file that cannot be read.
        """
        if self.format == "umr" and self.documents:
            return _umr_documents(data, source, on_error)
        if self.format == "umr":
            return _umr(data, source, on_error)
        if self.format == "penman":
            if on_error == "stop":
                return Graphs(scan_amr(data, source))
            corpus, errors = scan_amr_with_errors(data, source)
            return Graphs(corpus, _problems(errors))
        # Imported here because most commands read no Chinese AMR.
        from amr_metrics.camr.reading import camr_blocks, parse_camr, read_lengths

        text = decode(data, source)
        lengths = None if self.lengths is None else read_lengths(self.lengths)

        def parse(block: str, form: Literal["auto", "text", "tuples"]) -> Sequence[Graph]:
            return parse_camr(block, form, lengths, self.split, source)

        try:
            return Graphs(list(parse(text, "auto")))
        except GraphError as error:
            if (other := find_other_format(text, source, "camr")) is not None:
                raise other from None
            if on_error == "stop" or error.graph is None:
                raise
        form, blocks = camr_blocks(text)
        return Graphs(*_by_block(lambda block: parse(block, form), blocks, source))


PENMAN = Notation()


@dataclass(frozen=True, eq=False)
class Graphs:
    """The graphs of a file, or some of them.

    Attributes:
        graphs: the graphs, the empty graph where one cannot be read; a `Corpus` unless they are
            Chinese AMR.
        problems: why graphs cannot be read, by position in `graphs`.
        notes: on the file, for readers of the scores.
    """

    graphs: Sequence[Graph]
    problems: Mapping[int, Problem] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.graphs)

    @property
    def ids(self) -> list[str | None]:
        """The ``::id`` of each graph, None without one."""
        if isinstance(self.graphs, Corpus):
            return self.graphs.metadata_values("id")
        return [graph.metadata.get("id") for graph in self.graphs]

    def part(self, begin: int, end: int) -> Graphs:
        """Return the graphs from position `begin` to `end`, without the notes."""
        if begin == 0 and end >= len(self):
            return Graphs(self.graphs, self.problems)
        problems = {k - begin: why for k, why in self.problems.items() if begin <= k < end}
        return Graphs(self.graphs[begin:end], problems)

    @classmethod
    def concatenate(cls, parts: Sequence[Graphs]) -> Graphs:
        """Return the graphs of several parts, in order."""
        if len(parts) == 1:
            return parts[0]
        problems: dict[int, Problem] = {}
        count = 0
        for part in parts:
            problems |= {count + k: why for k, why in part.problems.items()}
            count += len(part)
        corpora = [part.graphs for part in parts if isinstance(part.graphs, Corpus)]
        graphs: Sequence[Graph] = (
            Corpus.concatenate(corpora)
            if len(corpora) == len(parts)
            else [graph for part in parts for graph in part.graphs]
        )
        return cls(graphs, problems, tuple(note for part in parts for note in part.notes))


def _problems(errors: Mapping[int, GraphError]) -> dict[int, Problem]:
    return {k: Problem.of(error) for k, error in errors.items()}


def _umr(data: bytes, source: str, on_error: OnError) -> Graphs:
    file = parse_umr(data, source, list_errors=on_error != "stop")
    return Graphs(file.graphs, _problems(file.errors), _skipped(file, source))


def _umr_documents(data: bytes, source: str, on_error: OnError) -> Graphs:
    """Read documents; with ``zero``, what cannot be read of them counts as empty, and is noted."""
    from amr_metrics.documents.umr_document import parse_umr_documents  # slow to import

    documents, errors = parse_umr_documents(data, source, list_errors=on_error != "stop")
    sentences = [sentence for document in documents for sentence in document.sentences]
    notes = [
        f"{source}: {counted(len(documents), 'document')}, {counted(len(sentences), 'sentence')}"
    ]
    if not any(sentence.triples for sentence in sentences):
        notes.append(f"{source}: no document level annotation: only sentences are compared")
    if ranges := [row for sentence in sentences for row in sentence.dropped.ranges]:
        line, text = ranges[0]
        have = counted(len(ranges), "alignment has", "alignments have")
        notes.append(
            f"{source}: {have} a range without words (the first in line {line}: {text!r}), which "
            "counts as none"
        )
    if errors and on_error == "zero":
        notes += [
            f"{error}; what cannot be read counts as empty"
            for each in errors.values()
            for error in each
        ]
        relations = sum(sentence.dropped.relations for sentence in sentences)
        nodes = sum(sentence.dropped.nodes for sentence in sentences)
        notes.append(
            f"{source}: {counted(relations, 'relation')} and {counted(nodes, 'node')} are dropped; "
            "complete graphs, and the relations before a fault, are kept"
        )
        errors = {}
    problems = {k: Problem.of(each[0]) for k, each in errors.items()}
    return Graphs(documents, problems, tuple(notes))


def _skipped(file: UmrFile, source: str) -> tuple[str, ...]:
    counts = (
        (file.alignments, "the alignment"),
        (file.documents, "the document level annotation"),
    )
    parts = [f"{part} of {counted(count, 'sentence')}" for count, part in counts if count]
    if not parts:
        return ()
    return (f"{source}: only sentence graphs are read: {' and '.join(parts)} skipped",)


def _by_block(
    parse: Callable[[str], Sequence[Graph]], blocks: Iterator[tuple[int, str]], source: str
) -> tuple[list[Graph], dict[int, Problem]]:
    """Return the graphs of a file that is read block by block, because some graph is malformed."""
    graphs: list[Graph] = []
    problems = {}
    for line, block in blocks:
        try:
            graphs += parse(block)
        except GraphError as error:
            at = len(graphs)
            problems[at] = Problem(error.problem, source, at, line + (error.line or 1) - 1)
            graphs.append(Graph.empty())
    return graphs, problems
