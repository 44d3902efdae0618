"""The facts of pairs as triples with the names of their nodes, and which of them match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from amr_metrics.alignment.facts import Facts, FactTable
from amr_metrics.alignment.matches import Matches
from amr_metrics.alignment.problem import AlignmentBatch
from amr_metrics.base import Pair
from amr_metrics.explanation import ExplainedTriple, Link
from amr_metrics.graphs.rows import list_groups
from amr_metrics.types import Floats, Ints


class PairTriples(NamedTuple):
    """The triples of a pair, as in `Explanation`."""

    matched: tuple[tuple[ExplainedTriple, ExplainedTriple, float], ...]
    unmatched_src: tuple[ExplainedTriple, ...]
    unmatched_tgt: tuple[ExplainedTriple, ...]
    weights: tuple[dict[ExplainedTriple, float], dict[ExplainedTriple, float]]


def pair_links(
    pairs: Sequence[Pair], answer: AlignmentBatch, worth: Floats
) -> Iterator[tuple[Link, ...]]:
    """Yield the links of each pair.

    Args:
        worth: the weight of the matches at each node of src.
    """
    columns = zip(answer.mapping.tolist(), worth.tolist(), strict=True)
    for pair, nodes in zip(pairs, _split([*columns], answer.start), strict=True):
        src, tgt = pair.src.variables, pair.tgt.variables
        yield tuple([Link(src[i], tgt[j], w, 0.0) for i, (j, w) in enumerate(nodes) if j >= 0])


def pair_triples(
    src: FactTable,
    tgt: FactTable,
    matched: tuple[Matches, Matches],
    names: Sequence[Sequence[str]],
    labels: Sequence[Any],
) -> Iterator[PairTriples]:
    """Yield the triples of graph k of `src` and of `tgt`, for each k.

    Args:
        matched: see `amr_metrics.alignment.matches.matches`.
        names: of the nodes of all graphs of both tables.
        labels: what the labels of facts stand for.
    """
    facts = (src.facts, tgt.facts), (src.edges, tgt.edges)
    kinds = zip(facts, zip(src.nodes, tgt.nodes, strict=True), matched, strict=True)
    of_kinds = [_collect_triples(*kind, names, labels) for kind in kinds]
    for nodes, edges in zip(*of_kinds, strict=True):
        yield PairTriples(
            nodes.matched + edges.matched,
            nodes.unmatched_src + edges.unmatched_src,
            nodes.unmatched_tgt + edges.unmatched_tgt,
            (nodes.weights[0] | edges.weights[0], nodes.weights[1] | edges.weights[1]),
        )


def _collect_triples(
    facts: tuple[Facts, Facts],
    nodes: tuple[Ints, Ints],
    rows: Matches,
    names: Sequence[Sequence[str]],
    labels: Sequence[Any],
) -> Iterator[PairTriples]:
    """Yield the triples of each pair that are about one node, or those about two."""
    src, tgt = (_list_triples(*side, labels) for side in zip(facts, nodes, names, strict=True))
    columns = rows.src.tolist(), rows.tgt.tolist(), rows.weights.tolist()
    matched = [(src[a], tgt[b], weight) for a, b, weight in zip(*columns, strict=True)]
    pairs = list_groups(facts[0].start)[rows.src]
    start = np.searchsorted(pairs, np.arange(len(facts[0].start)))
    for parts in zip(
        _split(matched, start),
        _list_unmatched(src, facts[0].start, rows.src),
        _list_unmatched(tgt, facts[1].start, rows.tgt),
        zip(_list_weights(src, facts[0]), _list_weights(tgt, facts[1]), strict=True),
        strict=True,
    ):
        yield PairTriples(*parts)


def _list_triples(
    facts: Facts, nodes: Ints, names: Sequence[str], labels: Sequence[Any]
) -> list[ExplainedTriple]:
    """Return the facts of all graphs as triples."""
    ends = [[names[k] for k in column.tolist()] for column in nodes.T]
    values = [labels[k] for k in facts.labels.tolist()]
    if len(ends) == 2:
        return [
            ExplainedTriple(kind, str(role), source, target)
            for (kind, role), source, target in zip(values, *ends, strict=True)
        ]
    triples = []
    for (kind, value), node in zip(values, ends[0], strict=True):
        role, target = value if isinstance(value, tuple) else (kind, value)
        triples.append(ExplainedTriple(kind, role, node, target))
    return triples


def _split(rows: Sequence[Any], start: Ints) -> list[tuple[Any, ...]]:
    """Return the rows of each group."""
    return [tuple(rows[a:b]) for a, b in pairwise(start.tolist())]


def _list_unmatched(
    triples: Sequence[ExplainedTriple], start: Ints, matched: Ints
) -> list[tuple[ExplainedTriple, ...]]:
    """Return the triples of each graph that are not in `matched`."""
    alone = np.ones(len(triples), np.bool_)
    alone[matched] = False
    rows = np.flatnonzero(alone)
    return _split([triples[k] for k in rows.tolist()], np.searchsorted(rows, start))


def _list_weights(
    triples: Sequence[ExplainedTriple], facts: Facts
) -> list[dict[ExplainedTriple, float]]:
    """Return the weights other than 1 of each graph."""
    rows = np.flatnonzero(facts.weights != 1)
    weighted = [(triples[k], float(facts.weights[k])) for k in rows.tolist()]
    return [*map(dict, _split(weighted, np.searchsorted(rows, facts.start)))]
