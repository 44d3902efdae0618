"""WSmatch (Cai and Lam 2019): Smatch with larger weights for triples near the root."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from metrics.alignment.facts import Encoder, Facts, Vocabulary
from metrics.alignment.smatch import Smatch
from metrics.errors import OptionError
from metrics.graph import Graph
from metrics.options import one_of

Weighting = Literal["linear", "core"]
WEIGHTINGS = ("linear", "core")


@dataclass(frozen=True, kw_only=True)
class WSmatch(Smatch):
    """F1 of matching triples, with larger weights near the root, in 0..1.

    The weight of a node at level l, its distance from the root along edges in either direction,
    is ``max(depth - l, 1)``; a constant is a node one level below the node that has it; a node
    that is not connected to the root has weight 1. A concept has the weight of its node, TOP that
    of the root, and a relation or attribute the smaller of the weights at its ends. The weight of
    a match is the smaller of the weights of both triples; precision and recall are fractions of
    the sums of weights.

    Attributes:
        weighting: ``linear`` as above; ``core``: 1 within the first `depth` levels, 0
            elsewhere.
        depth: the number of levels with more than the minimum weight (``core``: with weight 1).

    Raises:
        OptionError: if `weighting` or `root` is unknown, or the depth is below 1.

    >>> from metrics import Pair, parse_graph
    >>> cat = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
    >>> dog = parse_graph("(s / sleep-01 :ARG0 (d / dog))")
    >>> # of TOP 5, sleep-01 5, cat 4 and ARG0 4, all but the cat: (5 + 5 + 4) / 18
    >>> WSmatch().score([Pair(cat, dog)]).tolist() == [14 / 18]
    True
    """

    reference: ClassVar[str] = (
        "Cai and Lam (2019), Core semantic first: a top-down approach for AMR parsing, the "
        "weighted and the core variant of Smatch; the published BAMBOO row takes a depth of 5"
    )

    weighting: Weighting = "linear"
    depth: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("weighting", self.weighting, WEIGHTINGS)
        if self.depth < 1:
            raise OptionError(f"depth={self.depth}: must be at least 1, the level of the root")

    def encoder(self, vocabulary: Vocabulary) -> Encoder:
        """Encode the facts of Smatch with weights; facts of weight 0 are left out."""
        plain = super().encoder(vocabulary)

        def encode(graph: Graph) -> Facts:
            facts = plain(graph)
            level = levels(graph)
            count, holders = len(graph.variables), graph.holders
            weights = [self._weight(k) for k in level]
            weights += [self._weight(level[h] + 1 if level[h] >= 0 else -1) for h in holders]
            weights += [self._weight(0)] * (len(facts.labels) - count - len(holders))
            edge_weights = [
                min(weights[s], weights[t])
                for s, t in zip(facts.sources, facts.targets, strict=True)
            ]
            return _weighted(facts, weights, edge_weights)

        return encode

    def _weight(self, level: int) -> float:
        """The weight of a node at a level; level -1 means not connected to the root."""
        if self.weighting == "core":
            return 1.0 if 0 <= level < self.depth else 0.0
        return float(max(self.depth - level, 1)) if level >= 0 else 1.0


def levels(graph: Graph) -> list[int]:
    """Each node's distance from the root along edges of either direction; -1 if there is no path.

    >>> from metrics import parse_graph
    >>> levels(parse_graph("(s / sleep-01 :ARG0 (c / cat :ARG0-of (p / purr-01)))"))
    [0, 1, 2]
    """
    level = [-1] * len(graph.variables)
    if not level:
        return level
    near: list[list[int]] = [[] for _ in level]
    for s, t in zip(graph.sources, graph.targets, strict=True):
        near[s].append(t)
        near[t].append(s)
    top = graph.positions[graph.top]
    level[top] = 0
    queue = [top]
    for node in queue:
        for other in near[node]:
            if level[other] < 0:
                level[other] = level[node] + 1
                queue.append(other)
    return level


def _weighted(facts: Facts, weights: list[float], edge_weights: list[float]) -> Facts:
    nonzero = [k for k, weight in enumerate(weights) if weight]
    nonzero_edges = [k for k, weight in enumerate(edge_weights) if weight]
    return Facts(
        facts.size,
        [facts.nodes[k] for k in nonzero],
        [facts.labels[k] for k in nonzero],
        [facts.sources[k] for k in nonzero_edges],
        [facts.targets[k] for k in nonzero_edges],
        [facts.edge_labels[k] for k in nonzero_edges],
        [weights[k] for k in nonzero],
        [edge_weights[k] for k in nonzero_edges],
    )
