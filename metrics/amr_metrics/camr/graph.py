"""`CamrGraph`: a Chinese AMR, whose nodes and relations are aligned to words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from amr_metrics.errors import GraphError, PairError
from amr_metrics.graphs.graph import Graph, Relation
from amr_metrics.graphs.pairs import Pair


class Arc(NamedTuple):
    """How a relation was written.

    Attributes:
        rid: the id of the function words it is aligned to (``x5_x7``), or "".
        word: these words (``在里``), or "".
        inverse: it was written from its target, as ``role-of``.
    """

    rid: str = ""
    word: str = ""
    inverse: bool = False


class Coreference(NamedTuple):
    """`node` has the same referent as `antecedent`; both are variables."""

    node: str
    antecedent: str


@dataclass(frozen=True, repr=False)
class CamrGraph(Graph):
    """A Chinese AMR graph: a `Graph` with anchors and relation alignments.

    A name is a node of the concept ``name`` with its strings as ``:op1``, ``:op2`` ...
    attributes. An anaphor, a node that refers to another one, has the words of its id as its
    concept. Constants and concepts are without quotes.

    Attributes:
        sentence_id: the sentence's number in its corpus, or "".
        anchors: for each variable the words it represents (see `amr_metrics.camr.ids.anchor`), ""
            for an implicit concept; None if the sentence's length is not known.
        arcs: how each relation was written, in the order of `relations`.
        coreferences: the anaphors with the nodes that they refer to.

    Raises:
        GraphError: as for `Graph`, and for a number of anchors or arcs that differs from that of
            variables or relations, and for circular coreference or coreference to a missing node.
    """

    sentence_id: str = ""
    anchors: tuple[str, ...] | None = None
    arcs: tuple[Arc, ...] = ()
    coreferences: tuple[Coreference, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.anchors is not None and len(self.anchors) != len(self.variables):
            raise GraphError(f"{len(self.variables)} variables but {len(self.anchors)} anchors")
        if len(self.arcs) != len(self.relations):
            raise GraphError(f"{len(self.relations)} relations but {len(self.arcs)} arcs")
        for node, antecedent in self.coreferences:
            for variable in (node, antecedent):
                if variable not in self.positions:
                    raise GraphError(
                        f"{node} refers to {antecedent}, but no node has the id {variable}"
                    )
        if len(self.antecedents) != len(self.coreferences):
            raise GraphError("a node refers to two others: a node has at most one antecedent")
        check_acyclic(self.antecedents)

    @cached_property
    def antecedents(self) -> dict[str, str]:
        """The antecedent of each anaphor."""
        return dict(self.coreferences)

    @cached_property
    def written(self) -> tuple[Relation, ...]:
        """The relations with the direction and role with which they were written."""
        return tuple(
            Relation(target, f"{role}-of", source)
            if arc.inverse
            else Relation(source, role, target)
            for (source, role, target), arc in zip(self.relations, self.arcs, strict=True)
        )

    def make_empty_parse(self) -> CamrGraph:
        """Return the empty graph as a parse of the sentence of this graph."""
        return CamrGraph.of(Graph.empty(), (), self.sentence_id)

    @classmethod
    def of(
        cls, graph: Graph, anchors: Sequence[str] | None = None, sentence_id: str = ""
    ) -> CamrGraph:
        """Create a graph with anchors, one per variable, and without relation alignments.

        Raises:
            GraphError: if the numbers of anchors and variables differ.
        """
        return cls(
            graph.variables,
            graph.concepts,
            graph.attributes,
            graph.relations,
            graph.top,
            graph.metadata,
            sentence_id=sentence_id,
            anchors=None if anchors is None else tuple(anchors),
            arcs=(Arc(),) * len(graph.relations),
        )


def make_camr_graph(graph: Graph) -> CamrGraph:
    """Return a plain graph with empty anchors; a graph of Chinese AMR unchanged."""
    if isinstance(graph, CamrGraph):
        return graph
    return CamrGraph.of(graph, anchors=[""] * len(graph.variables))


def camr_pair(pair: Pair, *, anchored: bool = False) -> tuple[CamrGraph, CamrGraph]:
    """Return a pair of graphs of Chinese AMR for one sentence.

    Raises:
        PairError: for a graph that is not a `CamrGraph`, two graphs with different sentence ids,
            or one without anchors if `anchored` is set.
    """
    src, tgt = pair
    if not isinstance(src, CamrGraph) or not isinstance(tgt, CamrGraph):
        raise PairError("not Chinese AMR: read both sides with read_camr", argument="format")
    if src.sentence_id != tgt.sentence_id:
        raise PairError(
            f"src is sentence {src.sentence_id or '(without id)'} but tgt is sentence "
            f"{tgt.sentence_id or '(without id)'}: both sides must have the same sentences "
            "in the same order"
        )
    if anchored and (src.anchors is None or tgt.anchors is None):
        raise PairError(
            f"sentence {src.sentence_id or '(without id)'}: its length is not known, so nodes "
            "have no anchors: pass the file of lengths to read_camr",
            argument="lengths",
        )
    return src, tgt


def deinvert_role(role: str) -> str | None:
    """Return the role that a role is the inverse of, or None; ``consist-of`` is not inverse.

    >>> deinvert_role(":arg0-of"), deinvert_role(":consist-of"), deinvert_role(":arg0")
    (':arg0', None, None)
    """
    return role[:-3] if role.endswith("-of") and role != ":consist-of" else None


def check_acyclic(antecedents: Mapping[str, str]) -> None:
    """Check that there is no circular coreference.

    Raises:
        GraphError: if there is; the message shows the circle.
    """
    # Each node has at most one antecedent: a path from a node either ends, or meets itself, or
    # joins a path that was followed before.
    settled: set[str] = set()
    for start in antecedents:
        path: list[str] = []
        node = start
        while node in antecedents and node not in settled:
            if node in path:
                circle = " -> ".join([*path[path.index(node) :], node])
                raise GraphError(f"circular coreference: {circle}")
            path.append(node)
            node = antecedents[node]
        settled.update(path)
