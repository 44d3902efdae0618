"""The graphs of one side: a file, text, or graphs in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bamboo.errors import ConfigError, DataError
from bamboo.pairs.file_pairs import FilePairs
from bamboo.pairs.problems import OnError, Problem
from bamboo.pairs.reading import Notation, empty_parse
from metrics.base import Pair
from metrics.camr.reading import parse_camr, read_lengths
from metrics.corpus import Corpus
from metrics.decoding import after_mark, decode, read_bytes
from metrics.errors import GraphError
from metrics.graph import Graph
from metrics.pairs import Pairs
from metrics.reading import from_penman, parse_graph, parse_tsv
from metrics.scanner import scan_amr, scan_amr_with_errors

if TYPE_CHECKING:
    import penman

    Side = str | PathLike[str] | Graph | penman.Graph | Sequence[str | Graph | penman.Graph]

KINDS = "the path of a file, text, a graph, or a list of texts or graphs"


def as_path(side: Any) -> Path | None:
    r"""The path that a side is; None for text and graphs.

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


def read_side(
    side: Any, name: str, notation: Notation, on_error: OnError
) -> tuple[Sequence[Graph], dict[int, Problem]]:
    """The graphs of a side, the empty graph where one cannot be read, and the problems.

    Args:
        name: the name of the side in messages, unless it is a file.
        on_error: ``stop``, or ``nan`` or ``zero`` to list graphs that cannot be read. Chinese AMR
            and triples always stop: only a file of them is read graph by graph.

    Raises:
        GraphError: a graph (``on_error="stop"``) or file that cannot be read.
        ConfigError: a side of another type.
    """
    path = as_path(side)
    if path is not None:
        return _parse(read_bytes(path), str(path), notation, on_error)
    if isinstance(side, str):
        try:
            return _parse(side.encode(), name, notation, on_error)
        except UnicodeEncodeError:
            raise GraphError("the text contains half of a surrogate pair", source=name) from None
    if isinstance(side, Corpus):
        return side, {}
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
    plain = all(type(graph) is Graph for graph in graphs)
    return (Corpus.of(graphs) if plain else graphs), problems


def pair_sides(
    src: Any, tgt: Any, names: tuple[str, str], notation: Notation, on_error: OnError
) -> tuple[FilePairs, dict[int, Problem]]:
    """Pair graph k of one side with graph k of the other; see `bamboo.pairs.reading.read_pairs`.

    Args:
        names: of the sides, for messages.

    Raises:
        DataError: sides with different numbers of graphs.
        GraphError, ConfigError: see `read_side`.
    """
    (left, unread), (right, unread_gold) = (
        read_side(side, name, notation, on_error)
        for side, name in zip((src, tgt), names, strict=True)
    )
    if len(left) != len(right):
        raise DataError(
            f"{names[0]} has {len(left)} graphs but {names[1]} has {len(right)}: "
            f"pair {min(len(left), len(right))} has only one side"
        )
    if isinstance(left, Corpus) and isinstance(right, Corpus) and not (unread or unread_gold):
        return FilePairs.of(Pairs.aligned(left, right)), {}
    pairs: list[Pair | None] = []
    problems: dict[int, Problem] = {}
    for k, (a, b) in enumerate(zip(left, right, strict=True)):
        is_empty = k in unread and k not in unread_gold and on_error == "zero"
        if is_empty:
            problems[k] = unread[k]._replace(counted_as="empty")
            pairs.append(Pair(empty_parse(b), b))
        elif k in unread or k in unread_gold:
            problems[k] = unread_gold.get(k) or unread[k]
            pairs.append(None)
        else:
            pairs.append(Pair(a, b))
    return FilePairs.of(pairs), problems


def _is_graph(value: Any) -> bool:
    """Whether a value is one graph, of this project or of penman (which is a sequence, too)."""
    return isinstance(value, Graph) or (
        type(value).__module__.partition(".")[0] == "penman" and hasattr(value, "triples")
    )


def _listed(side: Any, name: str) -> list[Any]:
    """The entries of a side that is a list."""
    if isinstance(side, bytes | dict) or not isinstance(side, Iterable):
        raise ConfigError(f"{name}: {type(side).__name__} is not a side: expected {KINDS}")
    return list(side)


def _graph(entry: Any, name: str, position: int, notation: Notation) -> Graph:
    """One entry of a list: a text with one graph, or a graph."""
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
    graphs, _ = _parse(entry.encode(), name, notation, "stop")
    if len(graphs) != 1:
        raise GraphError(f"expected one graph, found {len(graphs)}")
    return graphs[0]


def _parse(
    data: bytes, source: str, notation: Notation, on_error: OnError
) -> tuple[Sequence[Graph], dict[int, Problem]]:
    """The graphs of a text."""
    if notation.format == "penman" and on_error != "stop":
        corpus, errors = scan_amr_with_errors(data, source)
        return corpus, {k: Problem.of(error) for k, error in errors.items()}
    if notation.format == "penman":
        return scan_amr(data, source), {}
    text = decode(data[after_mark(data, source) :], source)
    if notation.format == "tsv":
        return Corpus.of(parse_tsv(text, source)), {}
    lengths = None if notation.lengths is None else read_lengths(notation.lengths)
    return list(parse_camr(text, lengths=lengths, split=notation.split, source=source)), {}
