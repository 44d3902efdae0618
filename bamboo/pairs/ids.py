"""The ``::id`` lines of graphs: check that two files match, or pair the graphs with the same id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.types import Ints
from amr_metrics.utils.text import counted
from bamboo.errors import DataError
from bamboo.pairs.notation import Graphs
from bamboo.pairs.problems import OnError, Problem

Ids = Literal["warn", "check", "match", "ignore"]

SHOWN = 3  # ids that a message lists


def pair_ids(src_ids: Sequence[str | None], tgt_ids: Sequence[str | None]) -> list[str | None]:
    """Return the id of each pair: that of the source graph, else of the target, else None.

    >>> pair_ids(["a", None, None], ["x", "y", None])
    ['a', 'y', None]
    """
    both = zip(src_ids, tgt_ids, strict=True)
    return [src if src is not None else tgt for src, tgt in both]


class IdCheck:
    """Compares the ids of both sides, chunk by chunk.

    Two different ids in one pair are an error. Ids that occur twice, and pairs in which only one
    graph has an id, are an error if `strict`, else `warnings` counts them. A pair in which neither
    graph has an id is accepted.

    Args:
        src, tgt: the names of both sides, for messages.
    """

    def __init__(self, src: str, tgt: str, strict: bool) -> None:
        self._names = src, tgt
        self._strict = strict
        self._ids: tuple[list[str | None], list[str | None]] = [], []
        # If `strict`, the position of each id. Else repeated ids are looked for at the end, since
        # these take more memory than the ids.
        self._seen: tuple[dict[str, int], dict[str, int]] = {}, {}
        self._alone: tuple[list[int], list[int]] = [], []  # pairs in which one side has an id

    def add(
        self,
        src_ids: Sequence[str | None],
        tgt_ids: Sequence[str | None],
        unread: Container[int] = (),
    ) -> None:
        """Check the next pairs.

        Args:
            unread: positions of pairs with a graph that could not be read, whose id may be unknown.

        Raises:
            DataError: ids that differ, and if `strict`, ids that occur twice or only on one side.
        """
        src, tgt = self._names
        start = len(self._ids[0])
        for side, ids in enumerate((src_ids, tgt_ids)):
            self._ids[side].extend(ids)
            if not self._strict:
                continue
            for k, graph_id in enumerate(ids, start):
                if graph_id is None:
                    continue
                if (first := self._seen[side].setdefault(graph_id, k)) != k:
                    raise DataError(
                        f"{self._names[side]}: graphs {first} and {k} have the same ::id "
                        f"{graph_id}. Remove one of them, or set ids=warn or ids=ignore"
                    )
        for position, (src_id, tgt_id) in enumerate(zip(src_ids, tgt_ids, strict=True)):
            if src_id == tgt_id:
                continue
            k = start + position
            if src_id is not None and tgt_id is not None:
                raise DataError(
                    f"pair {k}: {src} has ::id {src_id} but {tgt} has ::id {tgt_id}. Are these "
                    "parses of the same sentences in the same order? ids=match pairs graphs by "
                    "their ::id, ids=ignore only by their position"
                )
            if position in unread:
                continue
            side = 0 if tgt_id is None else 1
            if self._strict:
                raise DataError(
                    f"pair {k}: {self._names[side]} has ::id {src_id or tgt_id} but "
                    f"{self._names[1 - side]} has no ::id. Add it, or set ids=warn or ids=ignore"
                )
            self._alone[side].append(k)

    def warnings(self) -> list[str]:
        """Return warnings about ids that occur twice or only on one side."""
        texts = []
        for ids, alone, name, other in zip(
            self._ids, self._alone, self._names, self._names[::-1], strict=True
        ):
            present = [graph_id for graph_id in ids if graph_id is not None]
            if count := len(present) - len(set(present)):
                first, second, graph_id = _repeated(ids)
                have = counted(count, "graph has", "graphs have")
                texts.append(
                    f"{name}: {have} the ::id of an earlier graph (the first: "
                    f"graphs {first} and {second} have ::id {graph_id}); ids=check makes this an "
                    "error"
                )
            if alone:
                have = "has" if len(alone) == 1 else "have"
                texts.append(
                    f"{len(alone):,} of {counted(len(ids), 'pair')} {have} an ::id in {name} but "
                    f"none in {other} (the first: pair {alone[0]}), so that they are paired by "
                    "position; ids=check makes this an error"
                )
        return texts


def _repeated(ids: Sequence[str | None]) -> tuple[int, int, str]:
    seen: dict[str, int] = {}
    for k, graph_id in enumerate(ids):
        if graph_id is not None and seen.setdefault(graph_id, k) != k:
            return seen[graph_id], k, graph_id
    raise ValueError("no id occurs twice")


def graph_ids(graphs: Graphs) -> list[str | None]:
    """Return the ``::id`` of each graph, None without one."""
    if isinstance(graphs.graphs, Corpus):
        return graphs.graphs.metadata_values("id")
    return [graph.metadata.get("id") for graph in graphs.graphs]


def matching_ids(
    left: Graphs, right: Graphs, src: Path, tgt: Path, on_error: OnError
) -> tuple[Graphs, tuple[Ints, Ints], str | None]:
    """Pair the graphs with the same ``::id``, in the order of `right`.

    So pair k of every parser has the same reference graph, as significance tests require.

    Args:
        on_error: with ``nan`` or ``zero``, graphs of one side alone are not an error. A graph of
            `right` is paired with a graph that could not be read; a graph of `left` is left out.

    Returns:
        the graphs of `left`, and an empty graph with a problem for each missing one; the positions
        of the graphs of each pair; a note on graphs of `left` that are left out.

    Raises:
        DataError: an id that is missing, occurs twice on a side, or only on one side; the message
            lists the first such ids and gives their number.
    """
    sides = []
    for graphs, name in ((left, src), (right, tgt)):
        ids = graph_ids(graphs)
        without = [k for k, graph_id in enumerate(ids) if graph_id is None]
        if without:
            are = "has" if len(without) == 1 else "have"
            raise DataError(
                f"{name}: {len(without)} of {counted(len(ids), 'graph')} {are} no ::id "
                f"(graph {_listed(without)}): ids=match needs one for each graph"
            )
        twice = [graph_id for graph_id, count in Counter(ids).items() if count > 1]
        if twice:
            occur = counted(len(twice), "::id occurs", "::ids occur")
            raise DataError(
                f"{name}: {occur} more than once ({_listed(twice)}): ids=match needs "
                "ids that are unique. Remove the duplicates"
            )
        sides.append({graph_id: k for k, graph_id in enumerate(ids)})
    only_src = [graph_id for graph_id in sides[0] if graph_id not in sides[1]]
    only_tgt = [graph_id for graph_id in sides[1] if graph_id not in sides[0]]
    parts = [
        f"{len(only):,} of {counted(len(side), '::id')} of {name} "
        f"{'is' if len(only) == 1 else 'are'} not in {other} ({_listed(only)})"
        for only, side, name, other in (
            (only_src, sides[0], src, tgt),
            (only_tgt, sides[1], tgt, src),
        )
        if only
    ]
    if parts and on_error == "stop":
        raise DataError(
            f"{'; '.join(parts)}. Remove these graphs, add their counterparts, or set on_error=nan "
            "to leave them out, on_error=zero to count parses that are not there as empty"
        )
    if only_tgt:
        problems = {
            k: Problem(f"no graph has the ::id {graph_id}", str(src))
            for k, graph_id in enumerate(only_tgt)
        }
        empty = Corpus.of([Graph.empty()] * len(only_tgt))
        sides[0] |= {graph_id: len(left) + k for k, graph_id in enumerate(only_tgt)}
        left = Graphs.concatenate([left, Graphs(empty, problems)])
    order = [sides[0][graph_id] for graph_id in sides[1]]
    index = np.array(order, np.int64), np.arange(len(order))
    return left, index, f"{parts[0]}: left out" if only_src else None


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values[:SHOWN])) + (", ..." if len(values) > SHOWN else "")
