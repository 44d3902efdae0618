"""Texts of graphs read by penman alone, which the compiled scanner is compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import takewhile
from typing import Any

from amr_metrics.errors import GraphError
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.penman_reading import interpret, parse_trees
from amr_metrics.reading.scanner import scan_amr, scan_amr_with_errors
from amr_metrics.utils.decoding import decode, strip_marks

FIELDS = ("variables", "concepts", "attributes", "relations", "top", "inverted", "forward")
NAME = "some.amr"  # of the text, in messages
Problems = dict[int, tuple[str, str | None, int | None, int | None]]


def with_penman(data: bytes) -> list[Graph]:
    """The graphs, read by penman alone."""
    return parse_trees(decode(strip_marks(data), NAME), interpret, NAME)


def listed(data: bytes) -> tuple[list[Graph], Problems]:
    """The graphs of a text and its problems, block by block, with penman alone."""
    text = decode(strip_marks(data), NAME)
    try:
        return with_penman(data), {}
    except GraphError as error:
        if error.graph is None:
            raise
    graphs: list[Graph] = []
    problems: Problems = {}
    block: list[str] = []
    rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, row in enumerate([*rows, "", "the end"], 1):
        if block and not block[-1].strip() and row[:1].strip():
            if any(line.strip() and not line.startswith("#") for line in block):
                try:
                    graphs += parse_trees("\n".join(block), interpret, NAME)
                except GraphError as error:
                    if error.graph is None:  # there is nothing but indented comments
                        block = []
                        continue
                    line = number - len(block) + (error.line or 1) - 1
                    problems[len(graphs)] = error.problem, NAME, len(graphs), line
                    # The comments before the graph are known all the same. For penman, a line of
                    # other whitespace than blanks and tabs is a symbol.
                    head = takewhile(lambda row: not row.strip() or row[0] == "#", block)
                    comments = [row if row.strip() else "" for row in head]
                    (head_alone,) = parse_trees("\n".join([*comments, "(x / y)"]), interpret, NAME)
                    graphs.append(replace(Graph.empty(), metadata=head_alone.metadata))
                block = []
        if block or row.strip():
            block.append(row)
    return graphs, problems


def outcome(read: Callable[..., Iterable[Graph]], *arguments: Any) -> list[Any] | tuple[Any, ...]:
    """Everything about the graphs that are read, or about the error."""
    try:
        graphs = read(*arguments)
    except GraphError as error:
        return type(error), str(error), error.source, error.graph, error.line
    return [
        [getattr(graph, field) for field in FIELDS] + [list(graph.metadata.items())]
        for graph in graphs
    ]


def both(data: bytes) -> tuple[Any, Any]:
    """The outcomes of `scan_amr` and of penman."""
    return outcome(scan_amr, data, NAME), outcome(with_penman, data)


def both_listed(data: bytes) -> tuple[Any, Any]:
    """The outcomes and problems of `scan_amr_with_errors` and of penman."""
    ours: Problems = {}
    theirs: Problems = {}

    def scanned() -> Iterable[Graph]:
        corpus, errors = scan_amr_with_errors(data, NAME)
        for k, error in errors.items():
            ours[k] = error.problem, error.source, error.graph, error.line
        return corpus

    def with_penman_listed() -> Iterable[Graph]:
        graphs, problems = listed(data)
        theirs.update(problems)
        return graphs

    outcomes = outcome(scanned), outcome(with_penman_listed)
    return (outcomes[0], list(ours.items())), (outcomes[1], list(theirs.items()))
