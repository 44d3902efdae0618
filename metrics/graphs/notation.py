"""Penman notation of triples, also of deeply nested graphs.

penman's functions recurse, two calls for each level of parentheses.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from metrics.errors import GraphError

if TYPE_CHECKING:
    import penman

LEVELS = 1_000  # of parentheses that can be read and written: far beyond any sentence

CALLS = 3 * LEVELS  # the recursion limit for them: penman makes two calls for each level

Node = tuple[Any, list[tuple[str, Any]]]
Result = TypeVar("Result")


class NestingError(GraphError):
    """A graph that is nested too deeply to be read or written.

    Besides penman's calls, the indentation sets a limit: the text of a graph grows with the
    square of its depth, and the time that penman takes to write it with the cube.
    """


def is_too_deep(node: Node) -> bool:
    """Whether a node of a `penman.Tree` has more than `LEVELS` levels, itself included."""
    level = [node]
    for _ in range(LEVELS):
        level = [target for _, edges in level for _, target in edges if isinstance(target, tuple)]
        if not level:
            return False
    return True


def with_high_limit(function: Callable[[], Result]) -> Result:
    """Call a function; if it raises `NestingError`, once more with Python's recursion limit raised.

    Python's default limit of 1,000 calls is enough for penman to read about 490 levels. The limit
    of the process is raised only for graphs deeper than that. It is not lowered again, since
    another thread may be deeper by then.

    Args:
        function: raises `NestingError` where it runs into a `RecursionError`.

    Raises:
        NestingError: the function raises it again.
    """
    try:
        return function()
    except NestingError:
        if sys.getrecursionlimit() >= CALLS:
            raise
        sys.setrecursionlimit(CALLS)
        return function()


def format_triples(
    triples: Sequence[tuple[str, str, str]],
    top: str,
    metadata: Mapping[str, str] | None = None,
    indent: int | None = -1,
) -> str:
    """Format the triples of a graph, ``:instance`` triples included.

    Args:
        indent: as for `encode`.

    Raises:
        GraphError: if the graph is empty, not connected, or nested more than 1,000 levels deep.
    """
    import penman

    if not triples:
        raise GraphError("the empty graph has no Penman notation")
    return encode(penman.Graph(triples, top=top, metadata=dict(metadata or {})), indent)


def encode(graph: penman.Graph, indent: int | None = -1) -> str:
    """Format a `penman.Graph` in Penman notation.

    Args:
        indent: as for `penman.format`: spaces per level, -1 to align with the parent, or None for
            a single line.

    Raises:
        GraphError: if the graph is not connected, or nested more than 1,000 levels deep.
    """
    import penman
    from penman.models.amr import model as amr_model

    def encoded() -> str:
        try:
            tree = penman.configure(graph, model=amr_model)
            if is_too_deep(tree.node):
                raise RecursionError
            return str(penman.format(tree, indent=indent))
        except penman.PenmanError as error:
            raise GraphError(f"cannot be written in Penman notation: {error}") from None
        except RecursionError:
            raise NestingError(
                "cannot be written in Penman notation: "
                f"it is nested more than {LEVELS:,} levels deep"
            ) from None

    return with_high_limit(encoded)
