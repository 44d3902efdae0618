"""WWLK (Opitz, Daza and Frank 2021): optimal transport between contextualised nodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from amr_metrics.base import HOW, Pair, Scores
from amr_metrics.errors import shift_pairs
from amr_metrics.explanation import Explanation, Link
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.limits import MOST_DRAWS, MOST_ITERATIONS, MOST_SEED, check_count
from amr_metrics.transport.embedding import check_limits, mean_distances
from amr_metrics.transport.encoding import Direction, EncodedPairs, Variant, encode, node_names
from amr_metrics.transport.flow import (
    CostBatch,
    assign_masses,
    flow,
    least_costs,
    node_starts,
    uniform_masses,
)
from amr_metrics.transport.labels import LabelVectors
from amr_metrics.transport.weights import Init, drawn_weights
from amr_metrics.types import Floats, Ints
from amr_metrics.vectors.sif import SIF
from amr_metrics.vectors.sources import Vectors, VectorSource
from amr_metrics.vectors.with_vectors import WithVectors

Mass = Literal["uniform", "sif"]
# Limits that keep the arrays small: of pairs encoded at a time, and of pairs of their nodes
# embedded at a time. The more pairs, the fewer graphs that occur in many pairs are repeated.
CHUNK = 1 << 15
NODE_PAIRS = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Wasserstein(WithVectors):
    """1 - the cost of optimal transport between the nodes of two graphs, in -1..1.

    A node starts with the vector of its label, which is updated in K WL iterations:
    x' = x + mean over neighbours of (edge weight times neighbour). A node is represented by the
    concatenation of its K + 1 vectors, scaled to length 1. The masses of the nodes of a graph sum
    to 1 and are equal unless `mass` says otherwise; moving a mass between two nodes costs the mass
    times their Euclidean distance. A pair that needs more memory or steps than `amr_metrics.limits`
    allows is refused.

    The form of the graphs and the label vectors are those of the authors' tools, see `variant`. In
    the paper's equation 4 the update is halved, x' = 1/2 (x + ...): each level then counts half as
    much as the one before. The tools do not halve it, nor do the published values.

    Attributes:
        K: number of WL iterations; 0 compares only labels. At most 100.
        direction: direction of messages. ``undirected``: both directions; ``top_down``: from
            source to target; ``bottom_up``: from target to source; ``two_way``: both directions,
            where the reverse direction has its own role and therefore its own weight.
        variant: the authors' tool of ``2023``, or that of ``2021``; ``definition``: equation 4, on
            graphs with a node per constant, with the label vectors and weights of ``2021``.
        mass: masses of the nodes of a graph: ``uniform`` (as published), or ``sif``: in proportion
            to the weights that `sif` gives to their labels.
        sif: the weights of labels, used with ``mass="sif"``.
        seed: seed of all random vectors and weights.
        vectors: the word vectors.

    Raises:
        OptionError: if an option has an invalid value.
    """

    reference: ClassVar[str] = (
        "Opitz, Daza and Frank (2021), Weisfeiler-Leman in the BAMBOO: novel AMR graph metrics and "
        "a benchmark for AMR graph similarity, the Wasserstein WL kernel, "
        "https://doi.org/10.1162/tacl_a_00435"
        " (code: https://github.com/flipz357/weisfeiler-leman-amr-metrics)"
    )

    K: int = 2
    direction: Direction = "undirected"
    variant: Variant = "2023"
    mass: Mass = "uniform"
    sif: SIF = field(default_factory=SIF)
    seed: int = field(default=0, metadata=HOW)
    vectors: Vectors = field(default_factory=VectorSource)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("K", self.K, 0, MOST_ITERATIONS)
        check_count("seed", self.seed, 0, MOST_SEED - 1)

    @property
    def range(self) -> tuple[float, float]:
        """-1..1."""
        return -1.0, 1.0

    @property
    def _frequencies(self) -> SIF | None:
        return self.sif if self.mass == "sif" else None

    @abstractmethod
    def weights_of(self, roles: Sequence[str]) -> Floats:
        """Return the weights of roles, draws x roles; the distances are averaged over the draws."""

    def encode(self, pairs: Sequence[Pair]) -> EncodedPairs:
        """Return the pairs as arrays."""
        return encode(pairs, self.variant, self.direction)

    def label_vectors(self, encoded: EncodedPairs, draws: int) -> LabelVectors:
        """Return the initial vectors of the nodes."""
        return LabelVectors.of(encoded.labels, self.vectors, self.variant, self.seed, draws)

    def label_weights(self, encoded: EncodedPairs) -> Floats | None:
        """Return the weight of each label; None if all nodes of a graph have equal masses."""
        return None if self.mass == "uniform" else encoded.weigh_labels(self.sif)

    def masses(self, encoded: EncodedPairs, weights: Floats | None) -> Ints:
        """Return the masses of the nodes of each pair, src then tgt, in integer units.

        Args:
            weights: those of the labels, see `label_weights`.
        """
        if weights is None:
            return uniform_masses(encoded.sizes)
        return assign_masses(weights[encoded.node_labels], encoded.sizes)

    def _parts(self, views: Sequence[Pair]) -> Iterator[tuple[CostBatch, Ints]]:
        """Iterate over distances and masses, chunk by chunk."""
        for at, pairs in Pairs.of(views).chunks(CHUNK):
            encoded = self.encode(pairs)
            weights = self.weights_of(encoded.roles)
            with shift_pairs(at):
                check_limits(encoded, self.K, len(weights))
            vectors = self.label_vectors(encoded, len(weights))
            label_weights = self.label_weights(encoded)
            for part in encoded.parts(NODE_PAIRS):
                costs = mean_distances(part, vectors, weights, self.K)
                yield costs, self.masses(part, label_weights)

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return 1 - the transport cost of each pair.

        Two empty graphs score 1, an empty and a non-empty one 0.

        Raises:
            PairError: for a pair that needs more memory or steps than `amr_metrics.limits` allows.
        """
        scores: list[Scores] = []
        first = 0
        for costs, masses in self._parts(self.views(pairs)):
            with shift_pairs(first):
                least = least_costs(costs, masses)
            # Two vectors of length 1 are at most 2 apart, so that scores are in -1..1.
            scores.append(Scores(1.0 - least))
            first += len(least)
        return Scores.concatenate(scores)

    def explain(self, pair: Pair) -> Explanation:
        """Return the optimal flow between the nodes, with their distances.

        A constant is named by its triple; the score is 1 - the sum of weight times cost.
        """
        return self.explanations([pair])[0]

    def explanations(self, pairs: Sequence[Pair]) -> list[Explanation]:
        """Return the explanation of each pair, the same as `explain` returns."""
        views = self.views(pairs)
        explanations: list[Explanation] = []
        for batch, masses in self._parts(views):
            first, start = len(explanations), node_starts(batch.sizes)
            with shift_pairs(first):
                scores = 1.0 - least_costs(batch, masses)
            for p, score in enumerate(scores.tolist()):
                pair = views[first + p]
                with shift_pairs(first + p):
                    node_masses = masses[start[p] : start[p + 1]]
                    links = self._flow_links(pair, batch, node_masses, p)
                explanations.append(
                    Explanation(score, links, upper_bound=score, optimal=True, pair=pair)
                )
        return explanations

    def _flow_links(self, pair: Pair, batch: CostBatch, masses: Ints, p: int) -> tuple[Link, ...]:
        """Return the optimal flow between the nodes of pair `p` of a batch."""
        if not batch.sizes[p].all():
            return ()
        cost = batch.costs[batch.start[p] : batch.start[p + 1]].reshape(batch.sizes[p])
        moved = flow(cost, masses)
        names = [node_names(graph, self.variant) for graph in pair]
        return tuple(
            Link(names[0][i], names[1][j], float(moved[i, j]), float(cost[i, j]))
            for i, j in np.argwhere(moved > 0)
        )


@dataclass(frozen=True, kw_only=True)
class WWLK(Wasserstein):
    """WWLK with random edge weights: distances are averaged over several draws.

    Labels without a word vector have random vectors, which are also redrawn. Each number
    depends on its role or label, the seed and the draw: no pair's score depends on another pair.

    Attributes:
        stability: number of draws in addition to the first, at most 99. The public leaderboard
            uses 15; the paper uses a single draw (0).
        init: edge weights: ``min_entropy`` (the minimum of ten draws, not for :arg1), ``uniform``,
            or ``constant`` (0.2 for all roles; only random vectors are then drawn).

    Raises:
        OptionError: if an option has an invalid value.

    >>> from amr_metrics import Pair, parse_graph
    >>> from amr_metrics.vectors.sources import WordVectors
    >>> vectors = WordVectors.of({"cat": [1, 0], "dog": [0, 1], "sleep": [0.6, 0.8]})
    >>> cat, dog = parse_graph("(c / cat)"), parse_graph("(d / dog)")
    >>> WWLK(vectors=vectors).score([Pair(cat, cat)]).tolist()
    [1.0]
    >>> WWLK(vectors=vectors).score([Pair(cat, dog)]).round(6).tolist()  # 1 - the root of 2
    [-0.414214]
    """

    stability: int = 15
    init: Init = "min_entropy"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("stability", self.stability, 0, MOST_DRAWS - 1)

    def weights_of(self, roles: Sequence[str]) -> Floats:
        """Return the weights of each draw, (stability + 1) x roles."""
        return drawn_weights(roles, self.variant, self.init, self.seed, self.stability + 1)
