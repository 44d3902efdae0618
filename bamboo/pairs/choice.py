"""Which graphs are paired: those with the same ``::id``, or those that a file lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bamboo.errors import DataError
from bamboo.pairs.notation import Graphs
from bamboo.pairs.problems import OnError, Problem
from metrics.graphs.corpus import Corpus
from metrics.graphs.graph import Graph
from metrics.reading import read_text
from metrics.types import Ints
from metrics.utils.text import counted, split_lines

EVERY = Path("all")  # as the name of a file: every graph of one side with every graph of the other
HEADINGS = {("src", "tgt"): False, ("src_id", "tgt_id"): True}
SHOWN = 3  # ids that a message lists


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


@dataclass(frozen=True, eq=False)
class PairFile:
    """A file that lists pairs, one per line: two columns, separated by a tab.

    The columns are the positions of the graphs, counted from 1, or their ids. They are positions if
    all of them are whole numbers; the headings ``src_id`` and ``tgt_id`` make them ids anyway, and
    ``src`` and ``tgt`` positions.

    Attributes:
        path: the file.
        columns: the two columns.
        lines: the number of each row's line.
        are_ids: whether they are ids.
    """

    path: Path
    columns: tuple[list[str], list[str]]
    lines: list[int]
    are_ids: bool

    @classmethod
    def read(cls, path: Path) -> PairFile:
        """Read a file; empty lines are skipped.

        Raises:
            DataError: a line without two columns, or no line.
            GraphError: the file cannot be read.
        """
        src: list[str] = []
        tgt: list[str] = []
        numbers: list[int] = []
        are_ids = None
        for number, line in enumerate(split_lines(read_text(path)), 1):
            if not line.strip():
                continue
            cells = tuple(cell.strip() for cell in line.split("\t"))
            if len(cells) != 2 or not all(cells):
                raise DataError(
                    f"{path}, line {number}: expected two columns separated by a tab: the "
                    "positions of the graphs in src and tgt, counted from 1, or their ids"
                )
            if not src and are_ids is None and cells in HEADINGS:
                are_ids = HEADINGS[cells]
                continue
            src.append(cells[0])
            tgt.append(cells[1])
            numbers.append(number)
        if not src:
            raise DataError(f"{path}: lists no pair: expected two columns separated by a tab")
        if are_ids is None:
            are_ids = not all(cell.isdecimal() for column in (src, tgt) for cell in column)
        return cls(path, (src, tgt), numbers, are_ids)


def pairs_in_file(
    listed: PairFile, left: Graphs, right: Graphs, src: Path, tgt: Path
) -> tuple[Ints, Ints]:
    """Return the positions, counted from 0, of the graphs of the pairs that a file lists.

    Raises:
        DataError: a graph that does not exist, or an id that several graphs have; the message
            names the file and the line.
    """
    sides = zip(listed.columns, (left, right), (src, tgt), strict=True)
    first, second = (
        _positions_of_ids(listed, column, graphs, name)
        if listed.are_ids
        else _positions(listed, column, graphs, name)
        for column, graphs, name in sides
    )
    return first, second


def _positions(listed: PairFile, column: list[str], graphs: Graphs, name: Path) -> Ints:
    count = len(graphs)
    digits = len(str(count))
    for line, cell in zip(listed.lines, column, strict=True):
        number = int(cell) if cell.isdecimal() and len(cell) <= digits + 1 else -1
        if not 1 <= number <= count:
            raise DataError(
                f"{listed.path}, line {line}: {name} has no graph {cell[:20]}: it has "
                f"{counted(count, 'graph')}, and pairs=FILE counts from 1"
            )
    return np.array([int(cell) for cell in column], np.int64) - 1


def _positions_of_ids(listed: PairFile, column: list[str], graphs: Graphs, name: Path) -> Ints:
    ids = graph_ids(graphs)
    counts = Counter(ids)
    position = {graph_id: k for k, graph_id in enumerate(ids)}
    for line, cell in zip(listed.lines, column, strict=True):
        if counts[cell] != 1:
            problem = "has no graph with" if not counts[cell] else "has several graphs with"
            raise DataError(f"{listed.path}, line {line}: {name} {problem} ::id {cell}")
    return np.array([position[cell] for cell in column], np.int64)
