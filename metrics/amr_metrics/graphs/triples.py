"""The edges of many graphs in one list, and what they lead to."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.rows import list_groups, per_row
from amr_metrics.graphs.selection import match_symbols, select_rows
from amr_metrics.types import Bools, Ints


@dataclass(frozen=True, eq=False)
class Triples:
    """The attributes of all graphs of a corpus, then their relations; and sets of these as masks.

    Nodes are the rows of the corpus. ``targets`` of attributes are -1, which no node has.
    """

    corpus: Corpus

    @cached_property
    def graphs(self) -> Ints:
        """The graph of each edge."""
        starts = self.corpus.attribute_start, self.corpus.relation_start
        return np.concatenate([*map(list_groups, starts)])

    @cached_property
    def roles(self) -> Ints:
        """The symbol of each edge's role."""
        return np.concatenate([self.corpus.attribute_roles, self.corpus.relation_roles])

    @cached_property
    def sources(self) -> Ints:
        """The node that each edge leaves."""
        ends = np.concatenate([self.corpus.holders, self.corpus.sources])
        return np.asarray(ends + self.corpus.node_start[self.graphs])

    @cached_property
    def targets(self) -> Ints:
        """The node that each edge leads to."""
        constants = np.full(len(self.corpus.constants), -1, np.int64)
        first = per_row(self.corpus.node_start[:-1], self.corpus.relation_start)
        return np.concatenate([constants, self.corpus.targets + first])

    @cached_property
    def values(self) -> Ints:
        """The symbol of the constant, or of the target's concept, of each edge."""
        concepts = self.corpus.concepts[self.targets[len(self.corpus.constants) :]]
        return np.concatenate([self.corpus.constants, concepts])

    @cached_property
    def entering(self) -> Ints:
        """The number of relations that lead to each node."""
        return np.bincount(self.targets[self.targets >= 0], minlength=len(self.corpus.concepts))

    @cached_property
    def leaving(self) -> Ints:
        """The number of edges that leave each node."""
        return np.bincount(self.sources, minlength=len(self.corpus.concepts))

    @property
    def no_nodes(self) -> Bools:
        """An empty set of nodes."""
        return np.zeros(len(self.corpus.concepts), np.bool_)

    @property
    def no_edges(self) -> Bools:
        """An empty set of edges."""
        return np.zeros(len(self.roles), np.bool_)

    def with_roles(self, roles: Container[str]) -> Bools:
        """Return the edges with some roles."""
        return match_symbols(self.corpus, self.roles, roles.__contains__)

    def with_concepts(self, concepts: Container[str]) -> Bools:
        """Return the nodes with some concepts."""
        return match_symbols(self.corpus, self.corpus.concepts, concepts.__contains__)

    def leading_to(self, nodes: Bools) -> Bools:
        """Return the relations that lead to some nodes."""
        return np.append(nodes, False)[self.targets]

    def sources_of(self, edges: Bools) -> Bools:
        """Return the nodes that some edges leave."""
        return self._nodes(self.sources[edges])

    def targets_of(self, edges: Bools) -> Bools:
        """Return the nodes that some edges lead to."""
        return self._nodes(self.targets[edges])

    def _nodes(self, rows: Ints) -> Bools:
        nodes = np.zeros(len(self.corpus.concepts) + 1, np.bool_)
        nodes[rows] = True
        return nodes[:-1]

    def part(self, nodes: Bools, edges: Bools) -> Corpus:
        """Return the sub-graphs of some nodes, some edges and the nodes at their ends.

        They have no metadata, and no memory of how relations were written.
        """
        corpus, as_written = self.corpus, np.zeros(len(self.corpus.sources), np.bool_)
        bare = replace(
            corpus.without_metadata(), aligned={}, inverted=as_written, forward=as_written
        )
        return select_rows(
            bare,
            nodes=nodes | self.sources_of(edges) | self.targets_of(edges),
            attributes=edges[: len(corpus.constants)],
            relations=edges[len(corpus.constants) :],
        )
