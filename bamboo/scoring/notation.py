"""The formats of graph files, and reading a file of any of them graph by graph."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.formats import READERS, GraphFormat
from amr_metrics.types import Bools
from bamboo.errors import ConfigError
from bamboo.scoring.problems import OnError, Problem


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

    def parse(self, data: bytes, source: str, on_error: OnError) -> Graphs:
        """Return the graphs of a file's content.

        Args:
            source: the name of the file in messages.
            on_error: ``stop``, or ``nan`` or ``zero`` to list graphs that cannot be read.

        Raises:
            GraphError: a graph (``on_error="stop"``) or file that cannot be read.
        """
        is_document = self.format == "umr" and self.documents
        read = pkgutil.resolve_name(READERS["documents" if is_document else self.format])
        options = {"lengths": self.lengths, "split": self.split} if self.format == "camr" else {}
        graphs, errors, notes = read(data, source, on_error, **options)
        return Graphs(graphs, {k: Problem.of(error) for k, error in errors.items()}, notes)


PENMAN = Notation()


@dataclass(frozen=True, eq=False)
class Graphs:
    """The graphs of a file, or some of them.

    Attributes:
        graphs: the graphs, the empty graph where one cannot be read; a `Corpus` unless they are
            Chinese AMR.
        problems: why graphs cannot be read, by position in `graphs`.
        notes: on the file, for readers of the scores.
        repaired: the positions of graphs that were repaired.
    """

    graphs: Sequence[Graph]
    problems: Mapping[int, Problem] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    repaired: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.graphs)

    @property
    def ids(self) -> list[str | None]:
        """The ``::id`` of each graph, None without one."""
        if isinstance(self.graphs, Corpus):
            return self.graphs.metadata_values("id")
        return [graph.metadata.get("id") for graph in self.graphs]

    @property
    def unread(self) -> Bools:
        """Which graphs could not be read."""
        unread = np.zeros(len(self), np.bool_)
        unread[[*self.problems]] = True
        return unread

    def part(self, begin: int, end: int) -> Graphs:
        """Return the graphs from position `begin` to `end`, without the notes."""
        if begin == 0 and end >= len(self):
            return Graphs(self.graphs, self.problems, repaired=self.repaired)
        problems = {k - begin: why for k, why in self.problems.items() if begin <= k < end}
        repaired = frozenset(k - begin for k in self.repaired if begin <= k < end)
        return Graphs(self.graphs[begin:end], problems, repaired=repaired)

    @classmethod
    def concatenate(cls, parts: Sequence[Graphs]) -> Graphs:
        """Return the graphs of several parts, in order."""
        if len(parts) == 1:
            return parts[0]
        problems: dict[int, Problem] = {}
        repaired: list[int] = []
        count = 0
        for part in parts:
            repaired += [count + k for k in part.repaired]
            problems |= {count + k: why for k, why in part.problems.items()}
            count += len(part)
        corpora = [part.graphs for part in parts if isinstance(part.graphs, Corpus)]
        graphs: Sequence[Graph] = (
            Corpus.concatenate(corpora)
            if len(corpora) == len(parts)
            else [graph for part in parts for graph in part.graphs]
        )
        notes = tuple(note for part in parts for note in part.notes)
        return cls(graphs, problems, notes, frozenset(repaired))
