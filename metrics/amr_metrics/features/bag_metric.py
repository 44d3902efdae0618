"""Base class of metrics that compare bags of features without aligning the graphs.

A subclass defines how graphs are encoded (`BagMetric.label`), how encoded graphs are compared
(`BagMetric.compare`), and which features two graphs have (`BagMetric.list_features`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from amr_metrics import limits
from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.errors import shift_pairs
from amr_metrics.explanation import Feature, FeatureExplanation
from amr_metrics.features.listing import ListedGraph
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.encoding import GraphTable, LabelledGraphs, collect_graphs
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.types import Floats, Ints

CHUNK = 10_000  # pairs compared at a time: keeps the arrays small
FEATURE_BYTES = 160  # of a hash table entry, its counts, and what is needed to find the feature

SideName = Literal["src", "tgt"]
SIDES = get_args(SideName)


@dataclass(frozen=True, kw_only=True)
class BagMetric(Metric):
    """Encodes each graph once, even if it occurs in several pairs, and compares the pairs."""

    @abstractmethod
    def label(self, corpus: Corpus) -> LabelledGraphs:
        """Encode graphs, with the texts of labels and roles."""

    def encode(self, corpus: Corpus) -> GraphTable:
        """Encode graphs; labels are comparable within the table."""
        return self.label(corpus).table

    @abstractmethod
    def compare(self, graphs: GraphTable, src: Ints, tgt: Ints, features: int) -> Scores:
        """Compare graph ``src[p]`` with graph ``tgt[p]``, for every pair ``p``.

        Args:
            features: an upper bound of the number of features of both graphs of a pair.
        """

    @abstractmethod
    def list_features(
        self, src: ListedGraph, tgt: ListedGraph, score: float
    ) -> tuple[Iterable[Feature], Sequence[str]]:
        """Return the features of two graphs, and how their score is computed from them."""

    def explain_features(self, pair: Pair) -> FeatureExplanation:
        """Return the features of a pair; their effects add up to the score.

        Raises:
            PairError: for a pair that needs more memory or steps than `amr_metrics.limits` allows.
        """
        (score,) = self.score([pair]).tolist()
        view = self.view(pair)
        graphs = self.label(Corpus.of(view).without_metadata())
        src, tgt = (ListedGraph.of(graphs, k) for k in (0, 1))
        features, formula = self.list_features(src, tgt, score)
        return FeatureExplanation(score, tuple(features), tuple(formula), view)

    def features(self, graphs: GraphTable) -> Floats:
        """Return an upper bound of the number of features of each graph; by default its size.

        A pair whose features need more than `amr_metrics.limits.MEMORY` is refused.
        """
        return (np.diff(graphs.node_start) + np.diff(graphs.edge_start)).astype(np.float64)

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Score the pairs; two empty graphs score 1, an empty and a non-empty graph 0.

        Raises:
            PairError: for a pair that needs more memory or steps than `amr_metrics.limits` allows.
        """
        views = self.views(pairs)
        corpus, src, tgt = collect_graphs(Pairs.of(views))
        graphs = self.encode(corpus)
        # What a pair needs is bounded by its number of features, before any are counted.
        by_graph = self.features(graphs)
        features = by_graph[src] + by_graph[tgt]
        needed = features * FEATURE_BYTES
        if needed.max(initial=0) > limits.MEMORY:
            pair = int(np.flatnonzero(needed > limits.MEMORY)[0])
            graph_sizes = np.diff(graphs.node_start)
            nodes = int(graph_sizes[src[pair]]), int(graph_sizes[tgt[pair]])
            raise limits.too_large(float(needed[pair]), nodes, pair)
        scores = []
        for at in range(0, max(len(src), 1), CHUNK):
            chunk = slice(at, at + CHUNK)
            most = int(features[chunk].max(initial=0))
            with shift_pairs(at):
                scores.append(self.compare(graphs, src[chunk], tgt[chunk], most))
        return Scores.concatenate(scores)


def largest_sizes(graphs: GraphTable, src: Ints, tgt: Ints) -> tuple[int, int]:
    """Return the largest numbers of nodes and of edges of some graphs, to allocate memory."""
    used = np.concatenate([src, tgt])
    nodes, edges = (
        int((start[used + 1] - start[used]).max(initial=0))
        for start in (graphs.node_start, graphs.edge_start)
    )
    return nodes, edges
