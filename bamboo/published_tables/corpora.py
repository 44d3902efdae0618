"""The corpora of tables: parses against gold, and graphs against other forms of themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from amr_metrics.base import Pair
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.standardize import Standardizer
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.sembleu import Parses, read_parses
from bamboo.errors import ConfigError, describe_unknown
from bamboo.scoring.file_pairs import FilePairs

Corpora = Mapping[str, Pairs]  # by name
GOLD = "gold"
FORMS: Mapping[str, tuple[str, ...]] = {
    "": (),
    "reified": ("reify:guidelines",),
    "dereified": ("dereify:guidelines",),
}


def find_release(data: Mapping[str, Any]) -> Cell:
    """Return the cell of a release of parses, such as ``data=sembleu``."""
    return Cell(Dataset.from_config(data), "main", "test")


def load_parses(data: Mapping[str, Any], parsers: Sequence[str] = ()) -> Parses:
    """Read a release of parses, downloaded if missing.

    Args:
        data: the YAML of the data set.
        parsers: the systems, in this order; empty for all, sorted by name.

    Raises:
        ConfigError: an unknown parser.
        DownloadError, DataError, GraphError: data that cannot be fetched or read.
    """
    references, systems = read_parses(find_release(data).fetch())
    if unknown := [name for name in parsers if name not in systems]:
        raise ConfigError(describe_unknown("parser", unknown[0], systems))
    return Parses(references, {name: systems[name] for name in parsers or sorted(systems)})


def pair_with_gold(parses: Parses) -> Corpora:
    """Pair each system's parses with the references."""
    return {name: _zip(graphs, parses.references) for name, graphs in parses.systems.items()}


def pair_forms(parses: Parses, forms: Mapping[str, Sequence[str]]) -> Corpora:
    """Pair graphs with other forms of themselves, or parses with other forms of the references.

    Args:
        forms: for each corpus, what is src and what is tgt: ``gold`` or a system, followed by the
            form if the graphs are changed (`FORMS`), such as ``gold reified``.

    Raises:
        ConfigError: an unknown system or form.
    """
    graphs = {GOLD: parses.references, **parses.systems}

    def change(text: str) -> Sequence[Graph]:
        name, _, form = text.partition(" ")
        for kind, value, known in (("parser", name, graphs), ("form", form, FORMS)):
            if value not in known:
                raise ConfigError(describe_unknown(kind, value, known))
        return [*map(Standardizer.of(FORMS[form]), graphs[name])]

    return {name: _zip(*map(change, sides)) for name, sides in forms.items()}


def pair_partitions(datasets: Sequence[Dataset]) -> Corpora:
    """Pair each graph of Reify with the graph of Main that it was made from."""
    corpora = {}
    for dataset in datasets:
        main, reify = (load_test_pairs(dataset, name) for name in ("main", "reify"))
        sides = [[graph for pair in pairs for graph in pair] for pairs in (reify, main)]
        corpora[dataset.name] = _zip(*sides)
    return corpora


def load_test_pairs(dataset: Dataset, partition: str = "main") -> Pairs:
    """Return the pairs of the test split of a partition."""
    pairs = FilePairs.of(Cell(dataset, partition, "test").load().pairs)
    return Pairs.of(pairs.select(pairs.present))


def _zip(src: Sequence[Graph], tgt: Sequence[Graph]) -> Pairs:
    return Pairs.of([Pair(*pair) for pair in zip(src, tgt, strict=True)])
