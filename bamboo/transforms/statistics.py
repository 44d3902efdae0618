"""Statistics of data sets and of transforms, as in Tables 1 and 3 of the paper.

The paper does not define how it counts; for PARA and SICK the definitions here reproduce its
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from amr_metrics.base import Pair
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.types import Ints
from amr_metrics.utils.text import counted
from bamboo.transforms.errors import BuildError


def data_statistics(splits: Mapping[str, Sequence[Pair]]) -> dict[str, float]:
    """Return the statistics of a data set's Main in Table 1, by name.

    ``train``, ``dev`` and ``test`` are numbers of pairs. The others are means and medians over the
    graphs of both sides and all splits: ``sentence_length``, in words separated by white space;
    ``nodes`` (`triple_graph_nodes`) and ``density`` (`density`).

    Args:
        splits: the pairs of train, dev and test; splits may be missing.

    Raises:
        BuildError: there is no pair at all.
    """
    graphs = [graph for pairs in splits.values() for pair in pairs for graph in pair]
    if not graphs:
        raise BuildError("no pairs to compute statistics of")
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
        BuildError: an unknown partition; a partition whose number of pairs differs from Main;
            no graphs.
    """
    if partition not in COUNTS:
        raise BuildError(f"partition {partition!r}: use one of {', '.join(COUNTS)}")
    counts: list[tuple[int, int]] = []
    for main, pairs in splits:
        counts += COUNTS[partition](main, pairs)
    if not counts:
        raise BuildError(f"{partition}: no graphs to compute statistics of")
    operations, added = zip(*counts, strict=True)
    quartiles = {f"q{q}": float(np.percentile(operations, q)) for q in (25, 50, 75)}
    mean, added_mean = float(np.mean(operations)), float(np.mean(added))
    return {"graphs": len(operations), "mean": mean, **quartiles, "added_mean": added_mean}


Counts = Iterable[tuple[int, int]]


def _reify_counts(main: Sequence[Pair], pairs: Sequence[Pair]) -> Counts:
    """Count operations by the added nodes: reification adds one per edge."""
    _check_lengths("reify", main, pairs)
    added = (_node_counts(pairs) - _node_counts(main)).tolist()
    return zip(added, added, strict=True)


def _syno_counts(main: Sequence[Pair], pairs: Sequence[Pair]) -> Counts:
    _check_lengths("syno", main, pairs)
    for before_pair, after_pair in zip(main, pairs, strict=True):
        for before, after in zip(before_pair, after_pair, strict=True):
            yield replaced_concepts(before, after), _added_nodes(before, after)


def _arg_counts(_: Sequence[Pair], pairs: Sequence[Pair]) -> Counts:
    """Yield the counts of the altered side of each pair; an original follows its altered pair."""
    for altered, original in zip(pairs[::2], pairs[1::2], strict=True):
        sides = zip(original, altered, strict=True)
        yield max(
            [(confused_nodes(*side), _added_nodes(*side)) for side in sides],
            key=lambda counts: counts[0],
        )


# By partition, the number of operations and of added nodes of each graph that was transformed,
# from the pairs of Main and those of the partition.
COUNTS: Mapping[str, Callable[[Sequence[Pair], Sequence[Pair]], Counts]] = {
    "reify": _reify_counts,
    "syno": _syno_counts,
    "arg": _arg_counts,
}


def _check_lengths(partition: str, main: Sequence[Pair], pairs: Sequence[Pair]) -> None:
    if len(main) != len(pairs):
        raise BuildError(f"{partition} has {counted(len(pairs), 'pair')} but Main has {len(main)}")


def _node_counts(pairs: Sequence[Pair]) -> Ints:
    arrays = Pairs.of(pairs)
    sides = arrays.src.sizes[arrays.src_index], arrays.tgt.sizes[arrays.tgt_index]
    return np.stack(sides, axis=1).ravel()


def _added_nodes(before: Graph, after: Graph) -> int:
    return len(after.variables) - len(before.variables)


def replaced_concepts(before: Graph, after: Graph) -> int:
    """Return the number of nodes whose concept changed or that have a new modifier.

    >>> from amr_metrics import parse_graph
    >>> man, tennis = parse_graph("(m / man)"), parse_graph("(t / tennis)")
    >>> replaced_concepts(man, parse_graph("(m / male :mod (n / adult))"))
    1
    >>> replaced_concepts(tennis, parse_graph("(t / tennis :mod (n / lawn))"))
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


def confused_nodes(before: Graph, after: Graph) -> int:
    """Return the number of nodes whose outgoing edges have changed roles.

    >>> from amr_metrics import parse_graph
    >>> confused_nodes(parse_graph("(b / bite-01 :ARG0 (d / dog) :ARG1 (m / man))"),
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
