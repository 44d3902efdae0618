"""The triples of all graphs of a corpus as facts, encoded in one pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from amr_metrics.alignment.facts import EdgeFacts, FactTable, NodeFacts
from amr_metrics.compiled import compiled
from amr_metrics.graphs.corpus import Corpus, starts
from amr_metrics.graphs.symbols import Labels, Symbols
from amr_metrics.types import Floats, Ints

Root = Literal["concept", "constant", "none"]
ROOTS = ("concept", "constant", "none")


Weights = list[Floats]  # a weight per triple: of instances, attributes, tops and relations


@dataclass(frozen=True, eq=False)
class Triples:
    """The triples of the graphs of a corpus; their labels are (kind, value).

    Attributes:
        corpus: the graphs.
        instances: ``instance(v, concept)``, with the labels ``("instance", concept)``.
        attributes: ``role(v, constant)``: ``("attribute", (role, constant))``.
        tops: ``TOP(root, value)``: ``("TOP", value)``.
        relations: ``role(v, w)``: ``("relation", role)``.
    """

    corpus: Corpus
    instances: NodeFacts
    attributes: NodeFacts
    tops: NodeFacts
    relations: EdgeFacts

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        labels: Labels,
        root: Root,
        fold: Callable[[str], str],
        *,
        grounded: bool = False,
    ) -> Triples:
        """Number the triples of all graphs.

        Args:
            labels: where labels are numbered.
            root: the value of TOP: the root's concept, always the same, or no TOP.
            fold: normalises concepts, roles and constants.
            grounded: whether the last node of each graph has no concept and cannot be the root
                (see `amr_metrics.alignment.compression`).
        """
        symbols, sizes = corpus.symbols, corpus.sizes
        positions = np.arange(len(corpus.concepts)) - np.repeat(corpus.node_start[:-1], sizes)
        nodes, concepts, counts = positions, corpus.concepts, sizes
        if grounded:
            counts = sizes - 1
            has_concept = positions < np.repeat(counts, sizes)
            nodes, concepts = positions[has_concept], concepts[has_concept]
        has_top = (corpus.tops >= 0) & (corpus.tops < counts) & (root != "none")
        tops = corpus.tops[has_top]
        if root == "concept":
            values = corpus.concepts[corpus.node_start[:-1][has_top] + tops]
            top_labels = numbered(labels, "TOP", symbols, values, fold)
        else:
            top_labels = np.full(len(tops), labels.number(("TOP", "top")) if len(tops) else 0)
        return cls(
            corpus,
            NodeFacts(starts(counts), nodes, numbered(labels, "instance", symbols, concepts, fold)),
            NodeFacts(corpus.attribute_start, corpus.holders, _attributes(corpus, labels, fold)),
            NodeFacts(starts(has_top), tops, top_labels),
            EdgeFacts(
                corpus.relation_start,
                corpus.sources,
                corpus.targets,
                numbered(labels, "relation", symbols, corpus.relation_roles, fold),
            ),
        )

    def weighted(self, weights: Weights) -> Triples:
        """Return the triples with weights."""
        instances, attributes, tops, relations = weights
        return replace(
            self,
            instances=self.instances._replace(weights=instances),
            attributes=self.attributes._replace(weights=attributes),
            tops=self.tops._replace(weights=tops),
            relations=self.relations._replace(weights=relations),
        )

    def table(self, *, counted: bool = False) -> FactTable:
        """Return the facts of each graph: concepts, attributes, then the root; and relations.

        Args:
            counted: count repeated triples, see `FactTable`.
        """
        kinds = [self.instances, self.attributes, self.tops]
        return FactTable.of(self.corpus.sizes, kinds, self.relations, counted=counted)

    def role_weights(self, weight: Callable[[str, str], float]) -> Weights:
        """Return the weights of the triples by role and kind.

        Args:
            weight: computes the weight for a role (``:instance`` and ``:root`` for triples without
                one) and a kind: ``instance``, ``attribute``, ``relation`` or ``root``.
        """
        corpus = self.corpus

        def by_role(kind: str, roles: Ints) -> Floats:
            distinct, rows = np.unique(roles, return_inverse=True)
            texts = corpus.symbols.texts
            return np.array([weight(texts[role], kind) for role in distinct.tolist()], float)[rows]

        return [
            np.full(len(self.instances.labels), weight(":instance", "instance")),
            by_role("attribute", corpus.attribute_roles),
            np.full(len(self.tops.labels), weight(":root", "root")),
            by_role("relation", corpus.relation_roles),
        ]

    def level_weights(self, weight: Callable[[int], float]) -> Weights:
        """Return the weights of the triples by distance from the root.

        A concept has the weight of its node, an attribute that of a node one level below its
        holder, a relation the smaller of the weights at its ends.

        Args:
            weight: computes the weight of a node from its level, which is -1 if no path joins it
                to the root; must not increase with the level.
        """
        corpus = self.corpus
        level = levels(corpus)
        by_level = np.array([weight(k) for k in range(-1, int(level.max(initial=0)) + 2)], float)
        # by_level[0] is the weight of level -1, hence the index level + 1.
        at_node, below = by_level[level + 1], by_level[np.where(level < 0, 0, level + 2)]
        holders = corpus.holders + _first_nodes(corpus, corpus.attribute_start)
        first = _first_nodes(corpus, corpus.relation_start)
        return [
            at_node,
            below[holders],
            np.full(len(self.tops.labels), weight(0)),
            np.minimum(at_node[corpus.sources + first], at_node[corpus.targets + first]),
        ]


def numbered(
    labels: Labels, kind: str, symbols: Symbols, used: Ints, fold: Callable[[str], str]
) -> Ints:
    """Return the numbers of the labels ``(kind, fold(text))`` of some symbols.

    >>> labels = Labels()
    >>> numbered(labels, "instance", Symbols(("Dog", "dog")), np.array([0, 1]), str.lower).tolist()
    [0, 0]
    >>> labels.values
    [('instance', 'dog')]
    """
    return labels.of(symbols, used, lambda text: (kind, fold(text)))[used]


def _attributes(corpus: Corpus, labels: Labels, fold: Callable[[str], str]) -> Ints:
    count, texts = len(corpus.symbols), corpus.symbols.texts
    keys = corpus.attribute_roles.astype(np.int64) * count + corpus.constants
    distinct, rows = np.unique(keys, return_inverse=True)  # fold each combination once
    roles, constants = np.divmod(distinct, max(count, 1))
    folded: Mapping[int, str] = {k: fold(texts[k]) for k in {*roles.tolist(), *constants.tolist()}}
    numbers = [
        labels.number(("attribute", (folded[role], folded[constant])))
        for role, constant in zip(roles.tolist(), constants.tolist(), strict=True)
    ]
    return np.array(numbers, np.int64)[rows]


def _first_nodes(corpus: Corpus, start: Ints) -> Ints:
    """Return the first node of the graph to which each row of ``start[g]:start[g + 1]`` belongs."""
    return np.repeat(corpus.node_start[:-1], np.diff(start))


def levels(corpus: Corpus) -> Ints:
    """Return each node's distance from the root along edges of either direction, or -1.

    >>> from amr_metrics import parse_graph
    >>> graph = parse_graph("(s / sleep-01 :ARG0 (c / cat :ARG0-of (p / purr-01)))")
    >>> levels(Corpus.of([graph, graph])).tolist()
    [0, 1, 2, 0, 1, 2]
    """
    level = np.full(len(corpus.concepts), -1, np.int64)
    _levels(
        corpus.node_start,
        corpus.tops,
        corpus.relation_start,
        corpus.sources,
        corpus.targets,
        np.empty(corpus.sizes.max(initial=0) + 2, np.int64),
        np.empty(2 * np.diff(corpus.relation_start).max(initial=0), np.int64),
        np.empty(corpus.sizes.max(initial=0), np.int64),
        level,
    )
    return level


@compiled
def _levels(
    node_start: Ints,
    tops: Ints,
    relation_start: Ints,
    sources: Ints,
    targets: Ints,
    start: Ints,
    near: Ints,
    queue: Ints,
    level: Ints,
) -> None:
    """Search each graph in breadth from its root.

    Args:
        start, near: scratch for the neighbours of each node, ``near[start[v]:start[v + 1]]``.
        queue: scratch, as long as the largest graph has nodes.
        level: out; -1 throughout.
    """
    for g in range(tops.size):
        if tops[g] < 0:
            continue
        first, size = node_start[g], node_start[g + 1] - node_start[g]
        # Counted two places ahead, so that filling `near` moves each start to its place.
        start[: size + 2] = 0
        for r in range(relation_start[g], relation_start[g + 1]):
            start[sources[r] + 2] += 1
            start[targets[r] + 2] += 1
        for v in range(size):
            start[v + 2] += start[v + 1]
        for r in range(relation_start[g], relation_start[g + 1]):
            near[start[sources[r] + 1]] = targets[r]
            start[sources[r] + 1] += 1
            near[start[targets[r] + 1]] = sources[r]
            start[targets[r] + 1] += 1
        level[first + tops[g]] = 0
        queue[0], head, tail = tops[g], 0, 1
        while head < tail:
            v = queue[head]
            head += 1
            for k in range(start[v], start[v + 1]):
                if level[first + near[k]] < 0:
                    level[first + near[k]] = level[first + v] + 1
                    queue[tail] = near[k]
                    tail += 1
