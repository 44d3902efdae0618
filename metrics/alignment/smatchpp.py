"""Smatch++ (Opitz 2023): standardised graphs, optimal alignment, weighted and graded matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from metrics.alignment.compression import GROUND, compress
from metrics.alignment.facts import Encoder, Facts, FactTable, GradedMatches, Vocabulary
from metrics.alignment.smatch import ROOTS, Root
from metrics.alignment.triple_match import TripleMatch
from metrics.alignment.wsmatch import levels
from metrics.base import Pair
from metrics.errors import OptionError
from metrics.graph import Graph
from metrics.options import one_of
from metrics.standardize.standardizer import Standardizer

KINDS = ("instance", "attribute", "relation", "root")
CONCEPT_ROOT = ("amr", "amr-reify", "bamboo")


class Similarity(Protocol):
    """Computes partial matches of concepts, as `metrics.alignment.s2match.S2match` does."""

    def graded(
        self, src: FactTable, tgt: FactTable, vocabulary: Vocabulary
    ) -> GradedMatches | None:
        """The matches of facts about one node whose labels differ."""

    @property
    def signature(self) -> str:
        """A description of the similarity: equal signatures mean equal matches."""


@dataclass(frozen=True, kw_only=True)
class SmatchPP(TripleMatch):
    """Smatch++ F1: the F1 of the best alignment of two standardised graphs, in 0..1.

    Triples are those of Smatch; labels are compared after standardisation. The weight of a match
    is the smaller of the weights of both triples; precision and recall are fractions of the sums
    of weights. With `levels` this is WSmatch on standardised graphs, with `similarity` it is
    S2match, and with neither and no standardisation it is Smatch.

    Attributes:
        standardize: a preset (``amr``, ``generic``, ``none``, ...) or a list of steps; see
            `metrics.standardize.Standardizer`.
        root: the value of the root's triple: its ``concept``, a ``constant``, ``none`` for no
            such triple, or that of the ``preset``: the concept for AMR's presets, otherwise
            the constant.
        compression: replace each node whose concept occurs at most once in either graph by its
            concept. The problem becomes smaller, but the score changes and is usually lower: such
            nodes match only if their concepts are equal.
        weights: the weights of triples by role (``:polarity``) or kind (``instance``,
            ``attribute``, ``relation``, ``root``); the role takes precedence.
        levels: the number of levels from the root with more than the minimum weight, as in
            `WSmatch`: the weight of a node at level l and of its concept is ``max(levels - l, 1)``,
            that of an edge is the smaller of the weights at its ends. Multiplied by `weights`.
        similarity: a metric whose graded matches of concepts count, such as an `S2match`.

    Raises:
        OptionError: if `root`, a kind or a step is unknown, a weight is not positive, or `levels`
            is negative or combined with `compression`.

    >>> from metrics import parse_graph
    >>> pair = Pair(parse_graph("(s / small :domain (d / dog) :polarity -)"),
    ...             parse_graph("(s / Small :mod-of (d / dog))"))
    >>> SmatchPP().score([pair]).tolist()  # 4 triples of 5 and 4
    [0.8888888888888888]
    >>> # without the negation, that counts twice: 4 of 6 and 4
    >>> SmatchPP(weights={":polarity": 2}).score([pair]).tolist()
    [0.8]
    """

    reference: ClassVar[str] = (
        "Opitz (2023), Smatch++: standardized and extended evaluation of semantic graphs"
    )

    standardize: str | Sequence[str] | None = "amr"
    root: Root | Literal["preset"] = "preset"
    compression: bool = False
    weights: Mapping[str, float] = field(default_factory=dict)
    levels: int = 0
    similarity: Similarity | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _ = self.standardizer
        if self.levels < 0 or (self.levels and self.compression):
            raise OptionError("levels must be at least 0, and cannot be combined with compression")
        if self.similarity is not None and not hasattr(self.similarity, "graded"):
            raise OptionError("similarity: expected a metric with graded matches, such as S2match")
        one_of("root", self.root, ("preset", *ROOTS))
        for key, weight in self.weights.items():
            if not (key in KINDS or key.startswith(":")):
                raise OptionError(
                    f"weights: {key!r} is neither a role nor one of {', '.join(KINDS)}"
                )
            if not 0 < weight < float("inf"):
                raise OptionError(f"weights: {key}={weight} must be positive and finite")

    @cached_property
    def standardizer(self) -> Standardizer:
        """The standardisation applied to every graph first."""
        return Standardizer.of(self.standardize)

    @property
    def root_kind(self) -> Root:
        """The value of the root's triple: `root`, or that of the preset."""
        if self.root != "preset":
            return self.root
        return "concept" if self.standardize in CONCEPT_ROOT else "constant"

    def view(self, pair: Pair) -> Pair:
        """The standardised pair, compressed if `compression` is set."""
        pair = self.standardizer.pair(pair)
        if not self.compression:
            return pair
        return compress(pair, rooted=self.root_kind != "none")

    @property
    def signature(self) -> str:
        """As for every metric, with the steps of standardisation by name."""
        graded = "" if self.similarity is None else f"|similarity={self.similarity.signature}"
        return f"{super().signature}|standardize={self.standardizer.name}{graded}"

    @property
    def definition(self) -> str:
        """As for every metric, with the steps of standardisation by name."""
        return f"{super().definition}|standardize={self.standardizer.name}"

    def graded(
        self, src: FactTable, tgt: FactTable, vocabulary: Vocabulary
    ) -> GradedMatches | None:
        """The graded matches of `similarity`."""
        return None if self.similarity is None else self.similarity.graded(src, tgt, vocabulary)

    def further_columns(
        self, src: FactTable, tgt: FactTable, vocabulary: Vocabulary
    ) -> Mapping[str, np.ndarray[Any, Any]]:
        """The columns of `similarity`, if it is a metric of this family."""
        if not isinstance(self.similarity, TripleMatch):
            return {}
        return self.similarity.further_columns(src, tgt, vocabulary)

    @property
    def vector_file(self) -> str | None:
        """The file of the word vectors of `similarity`; None if it uses none."""
        return self.similarity.vector_file if isinstance(self.similarity, TripleMatch) else None

    def encoder(self, vocabulary: Vocabulary) -> Encoder:
        """Encode a weighted fact per instance, attribute and relation, and one for the root."""
        concepts = vocabulary.space("instance", str)
        roles = vocabulary.space("relation", str)
        attributes = vocabulary.space("attribute", lambda attribute: attribute)
        root = self.root_kind
        tops = vocabulary.space("TOP", str if root == "concept" else _constant)
        weighted = bool(self.weights) or self.levels > 0

        def encode(graph: Graph) -> Facts:
            # `GROUND` in a compressed graph is not a node of the original: it has no concept.
            count = len(graph.variables) - self.compression
            nodes = [*range(count), *graph.holders]
            labels = [concepts[concept] for concept in graph.concepts[:count]]
            labels += [attributes[a[1:]] for a in graph.attributes]
            edge_labels = [roles[r[1]] for r in graph.relations]
            if root != "none" and graph.top not in ("", GROUND):
                top = graph.positions[graph.top]
                nodes.append(top)
                labels.append(tops[graph.concepts[top]])
            facts = Facts(
                len(graph.variables), nodes, labels, graph.sources, graph.targets, edge_labels
            )
            return self._weighted(facts, graph, count) if weighted else facts

        return encode

    def _weighted(self, facts: Facts, graph: Graph, count: int) -> Facts:
        """The facts with their weights: instances, attributes, then the root."""
        at_node, at_constant = self._level_weights(graph)
        weights = [self._weight(":instance", "instance") * at_node[k] for k in range(count)]
        weights += [
            self._weight(role, "attribute") * at_constant[holder]
            for holder, (_, role, _) in zip(graph.holders, graph.attributes, strict=True)
        ]
        if len(facts.labels) > len(weights):
            weights.append(self._weight(":root", "root") * at_node[facts.nodes[-1]])
        edge_weights = [
            self._weight(role, "relation") * min(at_node[s], at_node[t])
            for s, t, (_, role, _) in zip(
                graph.sources, graph.targets, graph.relations, strict=True
            )
        ]
        return facts._replace(weights=weights, edge_weights=edge_weights)

    def _level_weights(self, graph: Graph) -> tuple[list[float], list[float]]:
        """The weight of each node by its level, and that of a constant one level below it."""
        if not self.levels:
            even = [1.0] * len(graph.variables)
            return even, even
        depths = [level if level >= 0 else self.levels for level in levels(graph)]
        at_node = [float(max(self.levels - level, 1)) for level in depths]
        return at_node, [float(max(self.levels - level - 1, 1)) for level in depths]

    def _weight(self, role: str, kind: str) -> float:
        kind = "root" if role == ":root" else kind
        return float(self.weights.get(role, self.weights.get(kind, 1.0)))


def _constant(_: str) -> str:
    return "top"
