"""The graphs of several annotators, sentence by sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.text import format_count
from bamboo.errors import ConfigError, DataError
from bamboo.scoring.chunks import Ids, Reading
from bamboo.scoring.extracted import Extracted
from bamboo.scoring.file_pairs import lengths_differ
from bamboo.scoring.id_matches import index_ids
from bamboo.scoring.inputs import STDIN, find_path, input_files
from bamboo.scoring.notation import Graphs
from bamboo.scoring.problems import Problem
from bamboo.scoring.repaired import Repaired
from bamboo.scoring.sides import GraphSource

if TYPE_CHECKING:
    from bamboo.scoring.sides import Side


@dataclass(frozen=True, eq=False)
class Annotated:
    """The graphs of annotators: graph k of each is that of sentence k.

    Attributes:
        sources: by annotator, in memory; a sentence without a graph is a problem.
        ids: of the sentences, None without one.
        is_matched: whether graphs are matched by their ids, otherwise by their position.
        notes: on the files.
    """

    sources: Mapping[str, GraphSource]
    ids: Sequence[str | None]
    is_matched: bool
    notes: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def graphs_of(self, annotator: str) -> Graphs:
        """Return the graphs of an annotator."""
        return self.sources[annotator].whole()

    def choose(self, annotators: Ints) -> GraphSource:
        """Return one graph of each sentence.

        Args:
            annotators: the position of an annotator for each sentence; -1 for none.
        """
        whole = Graphs.concatenate([self.graphs_of(name) for name in self.sources])
        positions = np.where(
            annotators < 0, len(whole), annotators * len(self) + np.arange(len(self))
        )
        problem = Problem("there are not two graphs of this sentence")
        problems = dict.fromkeys(np.flatnonzero(annotators < 0).tolist(), problem)
        graphs = Graphs(_take(whole.graphs, positions.tolist()), problems)
        return GraphSource(Path("the central graphs"), graphs=graphs)

    def describe_missing(self) -> list[str]:
        """Say of how many sentences each annotator has no graph."""
        problems = {name: self.graphs_of(name).problems for name in self.sources}
        return [
            f"{name}: no graph of {len(missing):,} of {format_count(len(self), 'sentence')}: left "
            f"out of its couples; the first: {next(iter(missing.values()))}"
            for name, missing in problems.items()
            if missing
        ]

    def count_nodes(self) -> Ints:
        """Return the mean number of nodes of the graphs of each sentence; -1 without graphs."""
        columns = []
        for name in self.sources:
            of_annotator = self.graphs_of(name)
            column = np.array([len(graph.variables) for graph in of_annotator.graphs], np.float64)
            column[[*of_annotator.problems]] = np.nan
            columns.append(column)
        means = average(columns)
        return np.where(np.isnan(means), -1, np.rint(np.nan_to_num(means))).astype(np.int64)


def average(values: Floats | Sequence[Floats]) -> Floats:
    """Return the means over the first axis of what is not NaN; NaN where all is.

    >>> average(np.array([[1.0, np.nan], [2.0, np.nan]])).tolist()
    [1.5, nan]
    """
    values = np.asarray(values)
    present = ~np.isnan(values)
    counts = present.sum(axis=0)
    sums = np.where(present, values, 0.0).sum(axis=0)
    means = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def read_annotators(
    files: Mapping[str, Side], reading: Reading, ids: Ids | None = None
) -> Annotated:
    """Read the graphs of each annotator once, and arrange them by sentence.

    Args:
        files: by annotator.
        ids: ``match``: a sentence is what has the same ``::id``; None: if every graph has one;
            otherwise graph k of each annotator is that of sentence k. Documents in folders have
            the names of their files as ids.

    Raises:
        ConfigError: fewer than two annotators, or standard input twice.
        DataError: ids that cannot be matched, or different numbers of graphs without ids.
        GraphError: a file or graph that cannot be read.
    """
    if len(files) < 2:
        raise ConfigError(
            f"agreement needs two annotators or more: {', '.join(files) or 'none'} given. "
            "To compare with a gold standard: score"
        )
    if [*map(find_path, files.values())].count(STDIN) > 1:
        raise ConfigError("-: standard input can be read once only")
    sources = {name: reading.build_source(side, name) for name, side in files.items()}
    reading.check_rows(sources.values())
    if ids != "ignore" and any(source.has_rows for source in sources.values()):
        from bamboo.scoring.row_ids import find_shared_ids  # imports modules for temporary files

        find_shared_ids([*sources.values()])
    graphs = {name: _read(source) for name, source in sources.items()}
    is_matched = ids == "match" or (
        ids is None and all(_has_ids(of_annotator) for of_annotator in graphs.values())
    )
    if is_matched:
        names = {name: sources[name].name for name in sources}
        aligned, sentence_ids = _match_ids(graphs, names)
    else:
        _check_lengths(graphs, sources)
        aligned = graphs
        rows = zip(*(of_annotator.ids for of_annotator in graphs.values()), strict=True)
        sentence_ids = [next((name for name in row if name is not None), None) for row in rows]
    if reading.limit is not None:
        sentence_ids = sentence_ids[: reading.limit]
        aligned = {name: part.part(0, reading.limit) for name, part in aligned.items()}
    notes = dict.fromkeys(note for source in sources.values() for note in source.list_notes())
    for name, source in sources.items() if reading.extract is not None else ():
        extracted = Extracted.total(source.extracted)
        notes[f"extract={reading.extract}: {name}: {extracted.describe(reading.extract)}"] = None
    for name, source in sources.items() if reading.repair else ():
        repaired = Repaired.total(source.repaired).describe()
        notes[f"repair={','.join(reading.repair)}: {name}: {repaired}"] = None
    in_memory = {
        name: GraphSource(
            source.name,
            source.notation,
            source.on_error,
            graphs=replace(aligned[name], notes=()),
            warnings=source.warnings,
        )
        for name, source in sources.items()
    }
    return Annotated(in_memory, sentence_ids, is_matched, [*notes])


def _read(source: GraphSource) -> Graphs:
    """Return the graphs of a side; documents in a folder with the names of their files as ids."""
    if not (source.is_folder and source.notation.documents):
        return source.whole()
    files, source.notes = input_files(source.name, source.notation.format)
    parts = []
    for file in files:
        of_file = replace(source.select_file(file), notes=[])
        part = of_file.whole()
        source.notes += of_file.notes
        name = file.name.removesuffix(".gz")
        ids = [name] if len(part) == 1 else [f"{name}.{k}" for k in range(len(part))]
        named = [
            replace(graph, metadata={**graph.metadata, "id": graph_id})
            for graph, graph_id in zip(part.graphs, ids, strict=True)
        ]
        parts.append(replace(part, graphs=named))
    return Graphs.concatenate(parts)


def _has_ids(graphs: Graphs) -> bool:
    """Return whether every graph that can be read has an id, and there is one."""
    ids = graphs.ids
    missing = [k for k, graph_id in enumerate(ids) if graph_id is None]
    return len(missing) < len(ids) and all(k in graphs.problems for k in missing)


def _check_lengths(graphs: Mapping[str, Graphs], sources: Mapping[str, GraphSource]) -> None:
    """Check that annotators without ids have the same number of graphs."""
    (first, of_first), *others = graphs.items()
    for name, of_other in others:
        if len(of_first) != len(of_other):
            names = str(sources[first].name), str(sources[name].name)
            raise lengths_differ(names[0], of_first.ids, names[1], of_other.ids)


def _match_ids(
    graphs: Mapping[str, Graphs], names: Mapping[str, Path]
) -> tuple[dict[str, Graphs], list[str | None]]:
    """Arrange the graphs of each annotator by the ids of all of them.

    Returns:
        the graphs, with a problem for each id that an annotator lacks; and the ids, in the order
        of the first annotator, followed by those that only others have.

    Raises:
        DataError: a readable graph without an id, an id that occurs twice, or no id in two files.
    """
    named = {name: _drop_unnamed(of_annotator) for name, of_annotator in graphs.items()}
    indexes = {name: index_ids(part, names[name]) for name, part in named.items()}
    ids = [*dict.fromkeys(graph_id for index in indexes.values() for graph_id in index)]
    if len(ids) == sum(map(len, indexes.values())):
        raise DataError(
            f"no ::id is in two of {', '.join(map(str, names.values()))}: are these graphs of the "
            "same sentences? ids=ignore takes graph k of each for the same sentence"
        )
    aligned = {}
    for name, index in indexes.items():
        of_annotator = named[name]
        if [*index] == ids:
            aligned[name] = of_annotator
            continue
        empty = len(of_annotator)  # the position of the empty graph that is added
        positions = [index.get(graph_id, empty) for graph_id in ids]
        problems = {
            k: of_annotator.problems.get(
                at, Problem(f"no graph has the ::id {ids[k]}", str(names[name]))
            )
            for k, at in enumerate(positions)
            if at == empty or at in of_annotator.problems
        }
        aligned[name] = Graphs(_take(of_annotator.graphs, positions), problems)
    return aligned, [*ids]


def _drop_unnamed(graphs: Graphs) -> Graphs:
    """Return the graphs without those that could not be read and have no id."""
    ids = graphs.ids
    kept = [k for k in range(len(graphs)) if ids[k] is not None or k not in graphs.problems]
    if len(kept) == len(graphs):
        return graphs
    problems = {k: graphs.problems[at] for k, at in enumerate(kept) if at in graphs.problems}
    return Graphs(_take(graphs.graphs, kept), problems)


def _take(graphs: Sequence[Graph], positions: Sequence[int]) -> Sequence[Graph]:
    """Return the graphs at some positions; the position behind the last is an empty graph."""
    if isinstance(graphs, Corpus):
        extended = Corpus.concatenate([graphs, Corpus.of([Graph.empty()])])
        return extended.take(np.array(positions, np.int64))
    return [Graph.empty() if k == len(graphs) else graphs[k] for k in positions]
