"""Smatch, Concept-Smatch and Align-Smatch of Chinese AMR (Xiao et al. 2022).

All three align the nodes one to one and count equal tuples. Concept-Smatch adds a tuple for each
node's anchor to Smatch; Align-Smatch also adds one for the function words of each aligned relation.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, cast

from amr_metrics.alignment.facts import GraphFacts, PairFacts
from amr_metrics.alignment.triple_match import TripleMatch
from amr_metrics.base import Pair, Scores
from amr_metrics.camr.facts import Mode, list_tuples
from amr_metrics.camr.graph import CamrGraph, camr_pair
from amr_metrics.camr.subscoring import subscores
from amr_metrics.graphs.corpus import Labels
from amr_metrics.graphs.graph import Graph

Fix = Literal["none", "relations", "all"]
TOP = "TOP"


class EdgeLabel(NamedTuple):
    """The label of a tuple with two nodes; with FIX it contains their concepts, else ""."""

    name: str
    source: str
    target: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, kw_only=True)
class CamrSmatch(TripleMatch):
    """Smatch F1 of Chinese AMR, in 0..1; repeated tuples count once.

    Tuples: instance(n, concept), role(s, t), opN(n, string) and other constants, TOP(n, top).

    Attributes:
        fix: ``relations``: a relation (or aligned function word) matches only if the concepts at
            both its ends are equal as well; ``all``: so does the top, whose concept must be
            equal; ``none``: Smatch's own rule, labels alone.
        mode: ``paper``, or ``camrp2022`` for the tuples of the released tool,
            with its names, senses, inverse roles and coreference.

    Raises:
        OptionError: if `fix` or `mode` is unknown.

    >>> from amr_metrics.camr import parse_camr
    >>> eat = parse_camr("(x2 / 买-01 :arg0() (x1 / 妈妈) :arg1() (x3 / 蛋糕))")
    >>> hope = parse_camr("(x2 / 希望-01 :arg0() (x1 / 女孩) :arg1() (x3 / 离开-01))")
    >>> pair = Pair(eat[0], hope[0])
    >>> CamrSmatch().score([pair]).tolist()  # the top and two roles of 6 tuples
    [0.5]
    >>> CamrSmatch(fix="all").score([pair]).tolist()
    [0.0]
    """

    reference: ClassVar[str] = (
        "Xiao et al. (2022), Align-smatch: a novel evaluation method for Chinese Abstract Meaning "
        "Representation parsing based on alignment of concept and relation, LREC"
    )

    graph_format: ClassVar[str] = "camr"
    subscore_names: ClassVar[Sequence[str]] = ("CA", "RA", "IC")

    fix: Fix = "none"
    mode: Mode = "paper"

    anchored: ClassVar[bool] = False
    aligned: ClassVar[bool] = False

    def view(self, pair: Pair) -> Pair:
        """Return the pair, checked to be Chinese AMR of one sentence.

        Raises:
            PairError: for two graphs of different sentences, a graph that is not a `CamrGraph`,
                or one without the anchors that the metric compares.
        """
        return Pair(*camr_pair(pair, anchored=self.anchored))

    def node_names(self, graph: Graph) -> Sequence[str]:
        """Return the variables with the concepts, as in ``x1/妈妈``."""
        return [f"{v}/{c}" for v, c in zip(graph.variables, graph.concepts, strict=True)]

    def encode(self, pairs: Sequence[Pair]) -> PairFacts:
        """Encode the tuples, graph by graph: a `CamrGraph` is more than a `Corpus` holds."""
        return PairFacts.one_by_one(pairs, self.graph_facts)

    def score_subscores(self, pairs: Sequence[Pair]) -> Mapping[str, Scores]:
        """Compute the F1 of concept alignment, relation alignment and implicit concepts."""
        return subscores(pairs, self.mode).sentences

    def graph_facts(self, any_graph: Graph, labels: Labels) -> GraphFacts:
        """Encode the tuples; under FIX the labels of tuples with two nodes hold the concepts."""
        graph = cast(CamrGraph, any_graph)  # checked by `view`
        tuples = list_tuples(graph, self.mode)
        unary: list[tuple[int, Hashable]]
        unary = [(node, ("instance", concept)) for node, concept in enumerate(tuples.concepts)]
        unary += [(node, ("attribute", attribute)) for node, attribute in tuples.attributes]
        if graph.variables:
            top = graph.positions[graph.top]
            unary.append((top, (TOP, tuples.concepts[top] if self.fix == "all" else "top")))
        if self.anchored and graph.anchors is not None:
            with_anchor = [(node, anchor) for node, anchor in enumerate(graph.anchors) if anchor]
            unary += [(node, ("anchor", anchor)) for node, anchor in with_anchor]
        # Two edges match if their labels are equal and both ends are aligned. With FIX, the
        # concepts at the ends are part of the label, so that they must be equal too.
        ends = tuples.ends if self.fix != "none" else [""] * len(graph.variables)
        edges = [
            (s, t, ("relation", EdgeLabel(r, ends[s], ends[t]))) for s, r, t in tuples.relations
        ]
        if self.aligned:
            edges += [
                (s, t, ("words", EdgeLabel(w, ends[s], ends[t]))) for s, w, t in tuples.alignments
            ]
        return (
            len(graph.variables),
            [(node, labels.number(label)) for node, label in unary],
            [(source, target, labels.number(label)) for source, target, label in edges],
        )


@dataclass(frozen=True, kw_only=True)
class ConceptSmatch(CamrSmatch):
    """Smatch with an anchor(n, words) tuple for each node that represents words."""

    anchored: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class AlignSmatch(ConceptSmatch):
    """Concept-Smatch with a (function words, s, t) tuple for each aligned relation.

    With ``fix=all`` and ``mode=camrp2022`` it is the main score of the CAMRP shared tasks.
    """

    aligned: ClassVar[bool] = True
