"""Tables 1 and 3 of the paper: statistics of the data sets and of the transforms.

The paper does not define how it counts; for PARA and SICK the definitions here reproduce its
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from amr_metrics.base import Pair
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.types import Ints
from amr_metrics.utils.text import format_count
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.partition import SPLITS
from bamboo.display.table import Table
from bamboo.errors import DataError
from bamboo.installation import resource
from bamboo.progress import progress_bar
from bamboo.published_tables.inputs import Inputs, ReproducedTable
from bamboo.scoring.file_pairs import FilePairs
from bamboo.transforms.build_partitions import FOLDERS

COLUMNS = ("data", "quantity", "measured", "published", "difference")


def reproduce_data(config: Mapping[str, Any], inputs: Inputs) -> ReproducedTable:
    """Return Table 1: sizes of the data sets and of their graphs."""
    published = read_published_statistics("table1.csv")
    rows: list[tuple[object, ...]] = []
    with progress_bar("reading data sets") as progress:
        computed = inputs.settings.engine.map(_count_dataset, [(data,) for data in inputs.datasets])
        for dataset, statistics in zip(inputs.datasets, computed, strict=True):
            progress(dataset.name, len(inputs.datasets))
            rows += beside_published(dataset.name, statistics, published.get(dataset.name, {}))
    notes = ("The paper has 1,275 pairs in PARA test.",)
    table = Table(config["title"], COLUMNS, tuple(rows), notes=notes)
    return table, table.to_json()


def _count_dataset(dataset: Dataset) -> dict[str, float]:
    pairs = {split: _load_pairs(dataset, "main", split) for split in _list_splits(dataset, "main")}
    return data_statistics(pairs)


def reproduce_transforms(config: Mapping[str, Any], inputs: Inputs) -> ReproducedTable:
    """Return Table 3: operations per graph of each transform."""
    published = read_published_statistics("table3.csv")
    tasks = [
        (partition, source, dataset, home)
        for partition in FOLDERS
        for dataset in inputs.datasets
        for source, home in _find_sources(dataset, partition, inputs.settings.built).items()
    ]
    rows: list[tuple[object, ...]] = []
    with progress_bar("counting operations") as progress:
        computed = inputs.settings.engine.map(
            _count_operations, [(partition, *sets) for partition, _, *sets in tasks]
        )
        for (partition, source, dataset, _), statistics in zip(tasks, computed, strict=True):
            progress(f"{partition} {dataset.name} {source}", len(tasks))
            lines = beside_published(
                dataset.name, statistics, published[partition], f"{dataset.name}_"
            )
            rows += [(partition, source, *line) for line in lines]
    table = Table(config["title"], ("transform", "source", *COLUMNS), tuple(rows))
    return table, table.to_json()


def _count_operations(partition: str, dataset: Dataset, home: Dataset) -> dict[str, float]:
    """Operations per graph of a partition in `home`, compared with Main."""
    splits = [s for s in _list_splits(home, partition) if s in _list_splits(dataset, "main")]
    changed = [
        (
            [] if partition == "arg" else _load_pairs(dataset, "main", split),
            _load_pairs(home, partition, split),
        )
        for split in splits
    ]
    return transform_statistics(partition, changed)


def _find_sources(dataset: Dataset, partition: str, built: Path | None) -> dict[str, Dataset]:
    """Return the released data set, and that with built partitions if the partition was built."""
    sources = {"released": dataset}
    folder = dataset.partitions[partition].folder
    if built is not None and (built / dataset.name / folder).is_dir():
        sources["built"] = dataset.with_built(built, [partition])
    return sources


def _list_splits(dataset: Dataset, partition: str) -> list[str]:
    return [split for split in SPLITS if split in dataset.partitions[partition].pairs]


def _load_pairs(dataset: Dataset, partition: str, split: str) -> Sequence[Pair]:
    pairs = FilePairs.of(Cell(dataset, partition, split).load().pairs)
    return pairs.select(pairs.present)


def beside_published(
    dataset: str,
    measured: Mapping[str, float],
    published: Mapping[str, float],
    prefix: str = "",
) -> Iterator[tuple[str, str, float, float | None, float | None]]:
    """Iterate over data set, quantity, measured and published value, and their difference.

    Counts are compared as integers.

    Args:
        prefix: of the names of the published values.
    """
    for name, value in measured.items():
        if (column := f"{prefix}{name}") not in published:
            yield dataset, name, value, None, None
        else:
            expected = type(value)(published[column])
            yield dataset, name, value, expected, value - expected


def read_published_statistics(file: str) -> dict[str, dict[str, float]]:
    """Return the published statistics in ``table1.csv`` or ``table3.csv``, by row and column."""
    import pandas as pd  # slow to import

    path = resource("data") / "published" / file
    table: Any = pd.read_csv(path, index_col=0)
    return table.to_dict("index")  # type: ignore[no-any-return]


def data_statistics(splits: Mapping[str, Sequence[Pair]]) -> dict[str, float]:
    """Return the statistics of a data set's Main in Table 1, by name.

    ``train``, ``dev`` and ``test`` are numbers of pairs. The others are means and medians over the
    graphs of both sides and all splits: ``sentence_length``, in words separated by white space;
    ``nodes`` (`triple_graph_nodes`) and ``density`` (`density`).

    Args:
        splits: the pairs of train, dev and test; splits may be missing.

    Raises:
        DataError: there is no pair at all.
    """
    graphs = [graph for pairs in splits.values() for pair in pairs for graph in pair]
    if not graphs:
        raise DataError("no pairs to compute statistics of")
    statistics: dict[str, float] = {
        name: len(splits.get(name, ())) for name in ("train", "dev", "test")
    }
    for name, values in (
        ("sentence_length", [len(graph.sentence.split()) for graph in graphs]),
        ("nodes", [triple_graph_nodes(graph) for graph in graphs]),
        ("density", [density(graph) for graph in graphs]),
    ):
        statistics[f"{name}_mean"] = float(np.mean(values))
        statistics[f"{name}_median"] = float(np.median(values))
    return statistics


def triple_graph_nodes(graph: Graph) -> int:
    """Count the nodes of the graph as a set of triples: variables, distinct concepts and constants.

    >>> from amr_metrics import parse_graph
    >>> triple_graph_nodes(parse_graph("(s / see-01 :ARG0 (b / boy) :ARG1 (c / boy))"))
    5
    """
    labels = {*graph.concepts, *(attribute.constant for attribute in graph.attributes)}
    return len(graph.variables) + len(labels)


def density(graph: Graph) -> float:
    """Divide the number of triples by n (n - 1), with n of `triple_graph_nodes`.

    This is the number of possible edges of a directed graph with n nodes.

    >>> from amr_metrics import parse_graph
    >>> density(parse_graph("(s / see-01 :ARG0 (b / boy))"))  # 3 / (4 * 3)
    0.25
    """
    nodes = triple_graph_nodes(graph)
    triples = len(graph.variables) + len(graph.attributes) + len(graph.relations)
    return triples / (nodes * (nodes - 1)) if nodes > 1 else 0.0


def transform_statistics(
    partition: str, splits: Iterable[tuple[Sequence[Pair], Sequence[Pair]]]
) -> dict[str, float]:
    """Count the operations that turned Main into a partition, released or built.

    Args:
        partition: ``reify``, ``syno`` or ``arg``.
        splits: (pairs of Main, pairs of the partition) of each split. Arg contains
            the original pairs itself and is compared with them; its Main may be empty.

    Returns:
        the statistics in Table 3, by name: the number of ``graphs``; ``mean`` and quartiles
        (``q25``, ``q50``, ``q75``) of their operations; ``added_mean``, the mean number of nodes
        added to a graph.

    Raises:
        DataError: a partition whose number of pairs differs from Main, or no graphs.
    """
    counts: list[tuple[int, int]] = []
    for main, pairs in splits:
        counts += COUNTS[partition](main, pairs)
    if not counts:
        raise DataError(f"{partition}: no graphs to compute statistics of")
    operations, added = zip(*counts, strict=True)
    quartiles = {f"q{q}": float(np.percentile(operations, q)) for q in (25, 50, 75)}
    mean, added_mean = float(np.mean(operations)), float(np.mean(added))
    return {"graphs": len(operations), "mean": mean, **quartiles, "added_mean": added_mean}


Counts = Iterable[tuple[int, int]]


def _count_reify(main: Sequence[Pair], pairs: Sequence[Pair]) -> Counts:
    """Count operations by the added nodes: reification adds one per edge."""
    _check_lengths("reify", main, pairs)
    added = (_count_nodes(pairs) - _count_nodes(main)).tolist()
    return zip(added, added, strict=True)


def _count_syno(main: Sequence[Pair], pairs: Sequence[Pair]) -> Counts:
    _check_lengths("syno", main, pairs)
    for before_pair, after_pair in zip(main, pairs, strict=True):
        for before, after in zip(before_pair, after_pair, strict=True):
            yield count_replaced_concepts(before, after), _count_added_nodes(before, after)


def _count_arg(_: Sequence[Pair], pairs: Sequence[Pair]) -> Counts:
    """Yield the counts of the altered side of each pair; an original follows its altered pair."""
    for altered, original in zip(pairs[::2], pairs[1::2], strict=True):
        sides = zip(original, altered, strict=True)
        yield max(
            [(count_confused_nodes(*side), _count_added_nodes(*side)) for side in sides],
            key=lambda counts: counts[0],
        )


# By partition, the number of operations and of added nodes of each graph that was transformed,
# from the pairs of Main and those of the partition.
COUNTS: Mapping[str, Callable[[Sequence[Pair], Sequence[Pair]], Counts]] = {
    "reify": _count_reify,
    "syno": _count_syno,
    "arg": _count_arg,
}


def _check_lengths(partition: str, main: Sequence[Pair], pairs: Sequence[Pair]) -> None:
    if len(main) != len(pairs):
        raise DataError(
            f"{partition} has {format_count(len(pairs), 'pair')} but Main has {len(main)}"
        )


def _count_nodes(pairs: Sequence[Pair]) -> Ints:
    arrays = Pairs.of(pairs)
    sides = arrays.src.sizes[arrays.src_index], arrays.tgt.sizes[arrays.tgt_index]
    return np.stack(sides, axis=1).ravel()


def _count_added_nodes(before: Graph, after: Graph) -> int:
    return len(after.variables) - len(before.variables)


def count_replaced_concepts(before: Graph, after: Graph) -> int:
    """Return the number of nodes whose concept changed or that have a new modifier.

    >>> from amr_metrics import parse_graph
    >>> man, tennis = parse_graph("(m / man)"), parse_graph("(t / tennis)")
    >>> count_replaced_concepts(man, parse_graph("(m / male :mod (n / adult))"))
    1
    >>> count_replaced_concepts(tennis, parse_graph("(t / tennis :mod (n / lawn))"))
    1
    """
    concepts = dict(zip(after.variables, after.concepts, strict=True))
    modified = {
        source
        for source, role, target in after.relations
        if role == ":mod" and target not in before.positions
    }
    return sum(
        concepts.get(node) != concept or node in modified
        for node, concept in zip(before.variables, before.concepts, strict=True)
    )


def count_confused_nodes(before: Graph, after: Graph) -> int:
    """Return the number of nodes whose outgoing edges have changed roles.

    >>> from amr_metrics import parse_graph
    >>> count_confused_nodes(parse_graph("(b / bite-01 :ARG0 (d / dog) :ARG1 (m / man))"),
    ...                parse_graph("(b / bite-01 :ARG1 (d / dog) :ARG0 (m / man))"))
    1
    """

    def outgoing(graph: Graph) -> dict[str, list[tuple[str, str]]]:
        edges: dict[str, list[tuple[str, str]]] = {node: [] for node in graph.variables}
        for source, role, target in (*graph.relations, *graph.attributes):
            edges[source].append((role, target))
        return {node: sorted(ends) for node, ends in edges.items()}

    old, new = outgoing(before), outgoing(after)
    return sum(new.get(node) != ends for node, ends in old.items())
