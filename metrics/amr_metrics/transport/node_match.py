"""Best matches between the nodes of two graphs, and other similarities of their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.errors import shift_pairs
from amr_metrics.graphs.pairs import Pair, Pairs
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.limits import MOST_ITERATIONS, check_count
from amr_metrics.transport.embedding import add_distances, check_limits, level0
from amr_metrics.transport.encoding import EncodedPairs, encode
from amr_metrics.transport.flow import CostBatch, assign_masses, least_costs, node_starts
from amr_metrics.transport.labels import LabelVectors
from amr_metrics.transport.propagation import Grams
from amr_metrics.transport.wwlk import CHUNK, NODE_PAIRS, Mass
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.arrays import scale_rows
from amr_metrics.vectors.sif import SIF
from amr_metrics.vectors.sources import Vectors, VectorSource
from amr_metrics.vectors.with_vectors import WithVectors

ROOTS = ("root", "src_root", "tgt_root")
EDGE_WEIGHT = 0.3  # of all edges in the WL iterations
# Three columns, each for src and then for tgt.
MATCHES = ("precision", "recall", "src_least", "tgt_least", "src_unmatched", "tgt_unmatched")


@dataclass(frozen=True, kw_only=True)
class NodeMatch(WithVectors):
    """Mean similarity of each node to the most similar node of the other graph, in -1..1.

    The similarity of two nodes is the cosine of their vectors. Nodes start with the vectors of
    their labels, scaled to length 1, and are updated in K WL iterations as in WWLK, with one weight
    for all edges. Nodes are weighted by `mass`. The score is the mean of precision (over the nodes
    of src) and recall (over those of tgt). This is BERTScore (Zhang et al. 2020) with nodes in
    place of tokens.

    The columns describe the same vectors in more ways (see `evaluate`).

    Attributes:
        K: number of WL iterations, 1 to 100.
        mass: weights of nodes: ``sif``: a / (a + p), where p is the share of graphs with the label;
            ``uniform``: all equal.
        sif: the weights of labels.
        vectors: the word vectors.

    Raises:
        OptionError: if an option has an invalid value.

    >>> from amr_metrics import parse_graph
    >>> from amr_metrics.vectors.sources import WordVectors
    >>> vectors = WordVectors.of({"cat": [1, 0], "dog": [0.6, 0.8]})
    >>> pair = Pair(parse_graph("(c / cat)"), parse_graph("(d / dog :mod (c / cat))"))
    >>> NodeMatch(vectors=vectors, K=1, mass="uniform").evaluate([pair]).details["recall_0"]
    array([0.8])
    """

    reference: ClassVar[str] = (
        "Zhang et al. (2020), BERTScore: evaluating text generation with BERT, section 3, "
        "with nodes in place of tokens, https://arxiv.org/abs/1904.09675"
    )

    K: int = 2
    mass: Mass = "sif"
    sif: SIF = field(default_factory=SIF)
    vectors: Vectors = field(default_factory=VectorSource)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("K", self.K, 1, MOST_ITERATIONS)

    @property
    def range(self) -> tuple[float, float]:
        """-1..1."""
        return -1.0, 1.0

    @property
    def _frequencies(self) -> SIF:
        return self.sif

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the score of each pair; two empty graphs score 1, an empty and a non-empty one 0.

        Columns, at level L = 0 (labels only) and L = K:

        - ``precision_L``, ``recall_L``: mean similarity of the nodes of src (tgt) to the most
          similar node of the other graph.
        - ``src_least_L``, ``tgt_least_L``: the similarity of the node with the least similar match.
        - ``src_unmatched_L``, ``tgt_unmatched_L``: the sum over nodes of weight times (1 -
          similarity); 0 or more.
        - ``transport_L``: 1 - cost of the optimal transport, as in WWLK.

        and of labels: ``cosine_sif``, ``cosine_uniform``, ``cosine_sif_unscaled`` and
        ``cosine_uniform_unscaled``, cosines of mean vectors by weights of nodes and whether vectors
        are scaled to length 1 first; ``root``: similarity of the roots; ``src_root``, ``tgt_root``:
        that of a root to the most similar node of the other graph.

        An empty graph has all similarities 0; two empty graphs are alike.

        Raises:
            PairError: for a pair that needs more memory or steps than `amr_metrics.limits` allows.
        """
        scores: list[Scores] = []
        for at, chunk in Pairs.of(self.views(pairs)).chunks(CHUNK):
            encoded = encode(chunk)
            with shift_pairs(at):
                check_limits(encoded, self.K, 1)
            vectors = LabelVectors.of(encoded.labels, self.vectors)
            sif = encoded.weigh_labels(self.sif)
            first = at
            for part in encoded.parts(NODE_PAIRS):
                with shift_pairs(first):
                    scores.append(self._scores(part, vectors, sif))
                first += len(part)
        return Scores.concatenate(scores)

    def _scores(self, encoded: EncodedPairs, vectors: LabelVectors, sif: Floats) -> Scores:
        unit, lengths = scale_rows(vectors.draw(0))
        grams = level0(encoded, unit)
        labels, sizes = encoded.node_labels, encoded.sizes
        start = node_starts(sizes)
        node_sif, node_lengths = sif[labels], lengths[labels]
        ones = np.ones(len(labels))
        node_weights = node_sif if self.mass == "sif" else ones
        masses = assign_masses(node_weights, sizes)
        # `grams` has vectors of length 1: weighted by their lengths, they are as long as they were.
        cosine_weights = {
            "cosine_sif": node_sif,
            "cosine_uniform": ones,
            "cosine_sif_unscaled": node_sif * node_lengths,
            "cosine_uniform_unscaled": node_lengths,
        }
        details: dict[str, Floats | Ints] = {
            name: _measure_mean_cosines(grams, encoded, weights, start)
            for name, weights in cosine_weights.items()
        }
        tops = np.stack([encoded.graphs.tops[side] for side in (encoded.src, encoded.tgt)], axis=1)
        for level in (0, self.K):
            batch = self._distances(encoded, grams, level)
            columns = _measure_matches(batch, node_weights, start)
            details |= {f"{name}_{level}": columns[k] for k, name in enumerate(MATCHES)}
            details[f"transport_{level}"] = 1.0 - least_costs(batch, masses=masses)
            if level == 0:
                roots = _root_similarities(batch, tops)
                details |= {name: roots[k] for k, name in enumerate(ROOTS)}
        precision, recall = (details[f"{name}_{self.K}"] for name in ("precision", "recall"))
        return Scores((precision + recall) / 2, details)

    def _distances(self, encoded: EncodedPairs, grams: Grams, level: int) -> CostBatch:
        """Return the Euclidean distances of the nodes' vectors, scaled to length 1."""
        # Of vectors of length 1, |x - y|^2 = 2 - 2 cos: the kernels compute similarities from
        # distances.
        out = np.zeros(len(grams.cross))
        weights = np.full(len(encoded.roles), EDGE_WEIGHT)
        add_distances(encoded, grams, weights, level, out)
        return CostBatch(encoded.sizes, out, grams.cross_start)


def _measure_mean_cosines(
    grams: Grams, encoded: EncodedPairs, weights: Floats, start: Ints
) -> Floats:
    """Return the cosine of the weighted means of the level-0 vectors of each pair."""
    cosines = np.empty(len(encoded))
    _compare_weighted_means(
        *(len(encoded), len(weights), grams, encoded.src, encoded.tgt, encoded.sizes, weights),
        *(start, cosines),
    )
    return cosines


_compare_weighted_means = declare_kernel("compare_weighted_means")


def _measure_matches(batch: CostBatch, weights: Floats, start: Ints) -> Floats:
    """Return the columns `MATCHES` of each pair, as rows."""
    pairs = len(batch.sizes)
    columns, nearest = np.empty((len(MATCHES), pairs)), np.empty(len(weights))
    _match_nodes(pairs, len(weights), batch, weights, start, nearest, columns)
    return columns


_match_nodes = declare_kernel("match_nodes")


def _root_similarities(batch: CostBatch, tops: Ints) -> Floats:
    """Return the columns `ROOTS` of each pair, as rows."""
    columns = np.empty((len(ROOTS), len(batch.sizes)))
    _match_roots(len(batch.sizes), batch, tops, columns)
    return columns


_match_roots = declare_kernel("match_roots")
