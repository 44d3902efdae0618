"""Write triples in Penman notation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from metrics.errors import GraphError
from metrics.graphs.nesting import LEVELS, NestingError, is_too_deep, with_deep_stack

if TYPE_CHECKING:
    import penman


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

    return with_deep_stack(encoded)
