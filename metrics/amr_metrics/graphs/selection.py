"""Select nodes and edges of many graphs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from amr_metrics.graphs.corpus import GROUPS, Corpus
from amr_metrics.graphs.rows import per_row, starts_of_kept
from amr_metrics.types import Bools, Ints


def select_rows(
    corpus: Corpus,
    *,
    nodes: Bools | None = None,
    attributes: Bools | None = None,
    relations: Bools | None = None,
) -> Corpus:
    """Return the graphs with some of their nodes and edges.

    If the top of a graph is not selected, its first node takes its place.

    Args:
        nodes, attributes, relations: whether each is selected; by default all are. The ends of
            selected edges must be selected.

    >>> from amr_metrics import parse_graph
    >>> corpus = Corpus.of([parse_graph("(s / sleep-01 :polarity - :ARG0 (c / cat))")])
    >>> select_rows(corpus, attributes=np.array([False]))[0].attributes
    ()
    """
    columns: dict[str, Any] = {}
    for group, mask in zip(GROUPS, (nodes, attributes, relations), strict=True):
        if mask is not None:
            start = f"{group}_start"
            columns[start] = starts_of_kept(mask, getattr(corpus, start))
            columns |= {name: getattr(corpus, name)[mask] for name in GROUPS[group]}
    selected = replace(corpus, **columns)
    if nodes is None:
        return selected
    # The row of a node among the selected ones is the number of these before it; its position in
    # its graph is that minus the first row of the graph.
    first = corpus.node_start[:-1]
    kept = np.cumsum(nodes) - 1
    positions = (kept - per_row(selected.node_start[:-1], corpus.node_start)).astype(np.int32)
    tops = np.where(selected.sizes > 0, 0, -1)
    has_top = corpus.tops >= 0
    has_top[has_top] = nodes[(first + corpus.tops)[has_top]]
    tops[has_top] = positions[(first + corpus.tops)[has_top]]

    def moved(ends: Ints, start: Ints) -> Ints:
        return np.asarray(positions[ends + per_row(first, start)])

    return replace(
        selected,
        tops=tops,
        holders=moved(selected.holders, selected.attribute_start),
        sources=moved(selected.sources, selected.relation_start),
        targets=moved(selected.targets, selected.relation_start),
    )


def reverse_relations(corpus: Corpus, relations: Bools) -> Corpus:
    """Return the graphs with some relations reversed, under the same roles.

    Args:
        relations: of each relation, whether to reverse it.
    """
    return replace(
        corpus,
        sources=np.where(relations, corpus.targets, corpus.sources),
        targets=np.where(relations, corpus.sources, corpus.targets),
    )


def first_rows(*columns: Ints) -> Bools:
    """Check whether each row is the first of its equals.

    >>> first_rows(np.array([0, 0, 1]), np.array([5, 5, 5])).tolist()
    [True, False, True]
    """
    # A stable sort: of equal rows, which are adjacent then, the first comes first.
    order = np.lexsort(columns[::-1])
    first = np.ones(len(order), np.bool_)
    equal = [column[order][1:] == column[order][:-1] for column in columns]
    first[order[1:][np.logical_and.reduce(equal)]] = False
    return first


def match_symbols(corpus: Corpus, column: Ints, test: Callable[[str], object]) -> Bools:
    """Check whether the strings of a column of symbols pass a test, once per distinct string.

    >>> from amr_metrics import parse_graph
    >>> corpus = Corpus.of([parse_graph("(s / sleep-01 :ARG0 (c / cat))")])
    >>> match_symbols(corpus, corpus.concepts, lambda concept: concept.endswith("-01")).tolist()
    [True, False]
    """
    symbols, passed = corpus.symbols, np.zeros(len(corpus.symbols), np.bool_)
    used = symbols.used(column)
    passed[used] = [bool(test(symbols.texts[symbol])) for symbol in used.tolist()]
    return passed[column]
