"""Clusters of pairs that share sentences, which are drawn together (``resample=sentences``)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence

import numpy as np

from amr_metrics.base import Pair
from amr_metrics.types import Ints
from amr_metrics.utils.text import format_count
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.sentences import content, sentences
from bamboo.log import warn
from bamboo.scoring.problems import OnError
from bamboo.statistics.resampling import Resample

Clusters = Mapping[Cell, Ints]  # the number of each pair's cluster, for each cell


def find_clusters(cells: Sequence[Cell], resample: Resample, on_error: OnError) -> Clusters:
    """Return the clusters of pairs that are drawn together; none with ``resample="pairs"``.

    A cluster of sentences is a connected component: its pairs share a sentence, directly or
    through other pairs. An altered pair and its original are always in the same cluster. Cells
    with the same pairs (Main, Reify and Syno) have the same clusters. In a cell without sentences,
    graphs take their place. Cells in which no two pairs share any have no clusters.

    Args:
        on_error: how to treat pairs that cannot be read.

    Raises:
        DataError, GraphError: see `Cell.load`.
    """
    if resample == "pairs":
        return {}
    groups: dict[str, dict[Cell, list[set[Hashable]]]] = {}
    for cell in cells:
        pair_set = cell.load(on_error)
        texts = _list_sentences(cell, pair_set.pairs, on_error)
        groups.setdefault(cell.group(pair_set.numbers), {})[cell] = texts
    clusters: dict[Cell, Ints] = {}
    for by_cell in groups.values():
        of_group = connect_items(
            [set().union(*texts) for texts in zip(*by_cell.values(), strict=True)]
        )
        count = len(set(of_group.tolist()))
        if count == len(of_group):
            continue
        clusters |= {cell: np.repeat(of_group, cell.unit) for cell in by_cell}
        if count == 1:
            warn(
                f"{cell}: all pairs share sentences, directly or through other pairs, so there are "
                "no intervals and p-values. resample=pairs treats pairs as independent"
                for cell in by_cell
            )
    return clusters


def _list_sentences(
    cell: Cell, pairs: Sequence[Pair | None], on_error: OnError
) -> list[set[Hashable]]:
    """Return the sentences, or graphs, of each pair, or of each altered pair with its original."""
    texts = sentences(cell, pairs, on_error).texts
    of_pairs: list[Collection[Hashable]] = [
        {text.strip() for text in both} - {""} for both in texts
    ]
    lacking = sum(
        pair is not None and not all(text.strip() for text in both)
        for pair, both in zip(pairs, texts, strict=True)
    )
    if not any(of_pairs):
        of_pairs = [set(map(content, pair or ())) for pair in pairs]
    elif lacking:
        which = format_count(lacking, "pair lacks", "pairs lack")
        warn([f"{cell}: {which} a sentence, by which it might share a cluster with others"])
    return [set().union(*of_pairs[k : k + cell.unit]) for k in range(0, len(texts), cell.unit)]


def connect_items(items: Sequence[Collection[Hashable]]) -> Ints:
    """Return the cluster of each item: items with a common member are in the same one.

    Clusters are numbered in the order of their first items.

    >>> connect_items([{"a", "b"}, {"c"}, {"d", "e"}, {"b", "d"}, set()]).tolist()
    [0, 1, 0, 0, 2]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    numbers: dict[Hashable, int] = {}
    edges = [
        (k, numbers.setdefault(member, len(items) + len(numbers)))
        for k, members in enumerate(items)
        for member in members
    ]
    size = len(items) + len(numbers)
    ends = np.array(edges, np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(edges)), (ends[0], ends[1])), shape=(size, size))
    labels = connected_components(graph, directed=False)[1][: len(items)]
    return np.asarray(labels, np.int64)
