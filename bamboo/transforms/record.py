"""What a transform returns: the new graph and what was done to the old one."""

from __future__ import annotations

from typing import NamedTuple

import penman


class Operation(NamedTuple):
    """One change at one node of the original graph.

    Attributes:
        node: the variable.
        before, after: what was there and what took its place.
    """

    node: str
    before: str
    after: str


class Transformed(NamedTuple):
    """A transformed graph, with one record an operation, in the order of its triples."""

    graph: penman.Graph
    operations: tuple[Operation, ...]
