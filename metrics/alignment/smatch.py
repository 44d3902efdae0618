"""Smatch (Cai and Knight 2013): the F1 of matching triples under the best variable alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from metrics.alignment.facts import Encoder, Facts, Vocabulary
from metrics.alignment.triple_match import TripleMatch
from metrics.errors import OptionError
from metrics.graph import Graph

Root = Literal["concept", "constant", "none"]
ROOTS = ("concept", "constant", "none")


@dataclass(frozen=True, kw_only=True)
class Smatch(TripleMatch):
    """Smatch F1 in 0..1, with labels lower-cased and repeated triples counted once.

    Triples: instance(v, concept), role(v, constant), role(v, w) and TOP(root, value).
    Source: Cai and Knight (2013), Smatch: an evaluation metric for semantic feature structures,
    section 3. The paper's hill-climber is replaced by a solver; the default proves its optimum.

    Attributes:
        root: the value of TOP. ``concept``: the root's concept, as behind the published BAMBOO
            numbers; ``constant``: always the same, as in the smatch package; ``none``: no TOP.

    Raises:
        OptionError: an unknown `root`.

    >>> from metrics import Pair, parse_graph
    >>> cat = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
    >>> dog = parse_graph("(s / sleep-01 :ARG0 (d / dog))")
    >>> Smatch().score([Pair(cat, dog)]).tolist()  # 3 of 4 triples on each side
    [0.75]
    """

    root: Root = "concept"

    def __post_init__(self) -> None:
        if self.root not in ROOTS:
            raise OptionError(f"root={self.root!r}: use one of {', '.join(ROOTS)}")

    def encoder(self, vocabulary: Vocabulary) -> Encoder:
        """Facts: one an instance, attribute, relation and the root."""
        concepts = vocabulary.space("instance", str.lower)
        roles = vocabulary.space("relation", str.lower)
        attributes = vocabulary.space("attribute", fold_attribute)
        tops = vocabulary.space("TOP", str.lower if self.root == "concept" else constant_top)

        def encode(graph: Graph) -> Facts:
            nodes = [*range(len(graph.variables)), *graph.holders]
            labels = [concepts[concept] for concept in graph.concepts]
            labels += [attributes[a.role, a.constant] for a in graph.attributes]
            if self.root != "none" and graph.variables:
                top = graph.positions[graph.top]
                nodes.append(top)
                labels.append(tops[graph.concepts[top]])
            return Facts(
                len(graph.variables),
                nodes,
                labels,
                graph.sources,
                graph.targets,
                [roles[r[1]] for r in graph.relations],
            )

        return encode


def fold_attribute(attribute: tuple[str, str]) -> tuple[str, str]:
    """An attribute's role and constant in lower case."""
    return attribute[0].lower(), attribute[1].lower()


def constant_top(_: str) -> str:
    """The same value for every root."""
    return "top"
