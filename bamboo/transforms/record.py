"""The result of a transform: the new graph and a record of the changes."""

from __future__ import annotations

from typing import NamedTuple

import penman


class Operation(NamedTuple):
    """One change at one node of the original graph.

    Attributes:
        node: the variable.
        before, after: the replaced element and its replacement.
    """

    node: str
    before: str
    after: str


class Transformed(NamedTuple):
    """A transformed graph and its operations, in the order of the triples."""

    graph: penman.Graph
    operations: tuple[Operation, ...]
