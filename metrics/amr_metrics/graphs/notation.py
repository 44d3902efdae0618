"""Penman notation of triples, written with penman."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from amr_metrics.errors import GraphError
from amr_metrics.utils.text import split_lines

if TYPE_CHECKING:
    import penman

# Levels of parentheses that can be read and written: far beyond any sentence. The text of a graph
# grows with the square of its depth, and the time that penman takes to write it with the cube.
LEVELS = 1_000
CALLS = 3 * LEVELS  # penman's functions call each other twice for each level

TreeNode = tuple[Any, list[tuple[str, Any]]]


def is_too_deep(node: TreeNode) -> bool:
    """Check whether a node of a `penman.Tree` has more than `LEVELS` levels, itself included."""
    level = [node]
    for _ in range(LEVELS):
        level = [target for _, edges in level for _, target in edges if isinstance(target, tuple)]
        if not level:
            return False
    return True


def allow_levels() -> None:
    """Raise Python's recursion limit, if necessary, so that penman can read and write `LEVELS`.

    The limit is not lowered again: another thread may be deeper by then.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), CALLS))


def format_triples(
    triples: Sequence[tuple[str, str, str]],
    top: str,
    metadata: Mapping[str, str] | None = None,
    indent: int | None = -1,
) -> str:
    """Format the triples of a graph, ``:instance`` triples included.

    Args:
        metadata: its ``# ::key value`` lines; line breaks in values become spaces.
        indent: as for `encode`.

    Raises:
        GraphError: if the graph is empty, not connected, or nested more than 1,000 levels deep.
    """
    import penman

    if not triples:
        raise GraphError("the empty graph has no Penman notation")
    # A comment is one line.
    lines = {key: " ".join(split_lines(value)) for key, value in (metadata or {}).items()}
    return encode(penman.Graph(triples, top=top, metadata=lines), indent)


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

    allow_levels()
    try:
        tree = penman.configure(graph, model=amr_model)
        if is_too_deep(tree.node):
            raise RecursionError
        return str(penman.format(tree, indent=indent))
    except penman.PenmanError as error:
        problem = str(error)
    except RecursionError:
        problem = f"it is nested more than {LEVELS:,} levels deep"
    raise GraphError(f"cannot be written in Penman notation: {problem}")
