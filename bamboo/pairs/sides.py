"""The graphs of one side: a file, text, or graphs in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_metrics.base import Pair
from amr_metrics.errors import GraphError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading import from_penman, parse_graph
from bamboo.errors import ConfigError
from bamboo.pairs.chunks import GraphSource, pair_at, pair_with_id
from bamboo.pairs.notation import Graphs, Notation
from bamboo.pairs.problems import OnError, Problem

if TYPE_CHECKING:
    import penman

    Side = str | PathLike[str] | Graph | penman.Graph | Sequence[str | Graph | penman.Graph]

KINDS = "the path of a file, text, a graph, or a list of texts or graphs"


def as_path(side: Any) -> Path | None:
    r"""Return the path of a side that is a file; None for text and graphs.

    A string is text if it contains a line break or starts with ``(`` or ``#``, as Penman notation
    does; any other string is a path.

    >>> as_path("gold.amr"), as_path(" (c / cat)"), as_path("a b :x\n")
    (PosixPath('gold.amr'), None, None)
    """
    if isinstance(side, PathLike):
        return Path(side)
    if not isinstance(side, str) or "\n" in side or side.lstrip()[:1] in ("(", "#"):
        return None
    if not side.strip():
        raise ConfigError(f"{side!r}: expected {KINDS}")
    return Path(side)


def side_of(side: Any, name: str, notation: Notation, on_error: OnError) -> GraphSource:
    """Return the source of a side's graphs: a file, a text, or graphs in memory.

    Args:
        name: the name of the side in messages, unless it is a path.
        on_error: ``stop``, or ``nan`` or ``zero`` to list graphs that cannot be read.

    Raises:
        GraphError: a graph that cannot be read (``on_error="stop"``).
        ConfigError: a side of another type.
    """
    path = as_path(side)
    if path is not None:
        return GraphSource(path, notation, on_error)
    return GraphSource(Path(name), notation, on_error, _graphs(side, name, notation, on_error))


def shown(side: Any, name: str) -> str:
    """Return a side as messages name it: its path, or its name."""
    path = as_path(side)
    return name if path is None else str(path)


def pair_of_sides(
    src: Any, tgt: Any, notation: Notation, pair: int | str
) -> tuple[Pair, Sequence[str]]:
    """Return a pair of graphs, one of each side, and notes on the files.

    Args:
        pair: its position on both sides, from 0, or its ``::id``.

    Raises:
        ConfigError: there is no such pair.
        DataError, GraphError: see `pair_at` and `pair_with_id`.
    """
    left, right = side_of(src, "src", notation, "stop"), side_of(tgt, "tgt", notation, "stop")
    if isinstance(pair, str):
        graphs = pair_with_id(left, right, pair)
    else:
        graphs = pair_at(left, right, pair)
    return graphs, list(dict.fromkeys([*left.notes, *right.notes]))  # notes are complete only now


def _graphs(side: Any, name: str, notation: Notation, on_error: OnError) -> Graphs:
    if isinstance(side, str):
        return notation.parse(_encoded(side, name), name, on_error)
    if isinstance(side, Corpus):
        return Graphs(side)
    listed = [side] if _is_graph(side) else _listed(side, name)
    graphs: list[Graph] = []
    problems: dict[int, Problem] = {}
    for k, entry in enumerate(listed):
        try:
            graphs.append(_graph(entry, name, k, notation))
        except GraphError as error:
            # A text has one graph: its position is that in the list.
            error = GraphError(error.problem, source=name, graph=k, line=error.line)
            if on_error == "stop":
                raise error from None
            problems[k] = Problem.of(error)
            graphs.append(Graph.empty())
    if not graphs:
        raise GraphError("there is no graph: the list is empty", source=name)
    no_subclass = all(type(graph) is Graph for graph in graphs)  # a corpus drops its fields
    return Graphs(Corpus.of(graphs) if no_subclass else graphs, problems)


def _encoded(text: str, name: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise GraphError("the text contains half of a surrogate pair", source=name) from None


def _is_graph(value: Any) -> bool:
    """Check that a value is one graph, of this project or of penman (also a sequence)."""
    return isinstance(value, Graph) or (
        type(value).__module__.partition(".")[0] == "penman" and hasattr(value, "triples")
    )


def _listed(side: Any, name: str) -> list[Any]:
    if isinstance(side, bytes | dict) or not isinstance(side, Iterable):
        raise ConfigError(f"{name}: {type(side).__name__} is not a side: expected {KINDS}")
    return list(side)


def _graph(entry: Any, name: str, position: int, notation: Notation) -> Graph:
    """Return one entry of a list: a text with one graph, or a graph."""
    if isinstance(entry, Graph):
        return entry
    if _is_graph(entry):
        return from_penman(entry)
    if not isinstance(entry, str):
        raise ConfigError(
            f"{name}[{position}]: {type(entry).__name__} is not a graph: expected a text or a graph"
        )
    if as_path(entry) is not None:
        raise ConfigError(
            f"{name}[{position}]: {entry!r} is not a graph in Penman notation. A file is given by "
            "its path, without a list; several parsers are compared by compare"
        )
    if notation.format == "penman":
        return parse_graph(entry)
    graphs = notation.parse(_encoded(entry, name), name, "stop").graphs
    if len(graphs) != 1:
        raise GraphError(f"expected one graph, found {len(graphs)}")
    return graphs[0]
