"""Best matches between the relations of two graphs, by the vectors of their ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from amr_metrics import limits
from amr_metrics.base import Scores
from amr_metrics.errors import shift_pairs
from amr_metrics.features.bag_metric import largest_sizes
from amr_metrics.features.label_overlap import weigh_relations
from amr_metrics.graphs.pairs import Pair, Pairs
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.transport.embedding import check_limits, level0
from amr_metrics.transport.encoding import EncodedPairs, encode
from amr_metrics.transport.labels import LabelVectors
from amr_metrics.transport.propagation import Grams
from amr_metrics.transport.wwlk import CHUNK, NODE_PAIRS
from amr_metrics.types import Floats
from amr_metrics.utils.arrays import scale_rows
from amr_metrics.vectors.sif import SIF, information_digest
from amr_metrics.vectors.sources import Vectors, VectorSource
from amr_metrics.vectors.with_vectors import WithVectors


@dataclass(frozen=True, kw_only=True)
class RelationMatch(WithVectors):
    """Mean similarity of each relation to the most similar relation of the other graph, in 0..1.

    The similarity of two relations with the same role is the product of the cosines of their
    sources and of their targets, where a negative cosine counts as 0; with different roles it is
    0. Nodes have the vectors of their labels, as in WWLK. The score is the mean of precision (over
    the relations of src) and recall (over those of tgt), where a relation weighs the product of
    the `sif` weights of its ends. It is `NodeMatch` with relations in place of nodes.

    Attributes:
        sif: the weights of labels.
        vectors: the word vectors.

    >>> from amr_metrics import parse_graph
    >>> from amr_metrics.vectors.sources import WordVectors
    >>> vectors = WordVectors.of({"sleep": [1, 1], "cat": [1, 0], "dog": [0.6, 0.8]})
    >>> a, b = (parse_graph(f"(s / sleep-01 :ARG0 (c / {x}))") for x in ("cat", "dog"))
    >>> RelationMatch(vectors=vectors).score([Pair(a, b)]).round(6).tolist()
    [0.6]
    """

    reference: ClassVar[str] = (
        "Zhang et al. (2020), BERTScore: evaluating text generation with BERT, section 3, "
        "with relations in place of tokens, https://arxiv.org/abs/1904.09675"
    )

    sif: SIF = field(default_factory=SIF)
    vectors: Vectors = field(default_factory=VectorSource)

    @property
    def _frequencies(self) -> SIF:
        return self.sif

    @property
    def signature(self) -> str:
        """The metric, all its options, the word vectors, the frequencies and the version."""
        return f"{super().signature},{information_digest()}"

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the score of each pair.

        Two graphs without relations score 1; a graph with relations and one without score 0.

        Columns: ``precision_W`` and ``recall_W`` for three weights W of relations: ``uniform``,
        ``sif`` as in the score, and ``information`` as in `LabelOverlap`.

        Raises:
            PairError: for a pair that needs more memory or steps than `amr_metrics.limits` allows.
        """
        scores: list[Scores] = []
        for at, chunk in Pairs.of(self.views(pairs)).chunks(CHUNK):
            encoded = encode(chunk)
            with shift_pairs(at):
                check_limits(encoded, 0, 1)
                # Each relation is compared with each of the other graph.
                edges = np.diff(encoded.graphs.edge_start).astype(np.float64)
                over = edges[encoded.src] * edges[encoded.tgt] > limits.TRANSPORT_WORK
                limits.check_work(over, limits.TRANSPORT_WORK, encoded.sizes)
            vectors = LabelVectors.of(encoded.labels, self.vectors)
            unit, _ = scale_rows(vectors.draw(0))
            weights = self._weights(encoded)
            columns = np.stack([*weights.values()])
            for part in encoded.parts(NODE_PAIRS):
                grams = level0(part, unit)
                shares = match_relations(part, grams, columns)
                details = {
                    f"{side}_{name}": shares[k, s]
                    for k, name in enumerate(weights)
                    for s, side in enumerate(("precision", "recall"))
                }
                score = (details["precision_sif"] + details["recall_sif"]) / 2
                scores.append(Scores(score, details))
        return Scores.concatenate(scores)

    def _weights(self, encoded: EncodedPairs) -> dict[str, Floats]:
        """Return the weights of all relations."""
        graphs = encoded.graphs
        sif = encoded.weigh_labels(self.sif)
        sources, targets = graphs.end_labels()
        return {
            "uniform": np.ones(len(graphs.roles)),
            "sif": sif[sources] * sif[targets],
            "information": weigh_relations(encoded).weights,
        }


def match_relations(part: EncodedPairs, grams: Grams, weights: Floats) -> Floats:
    """Return precision and recall with each weight, 3 x 2 x pairs.

    Args:
        grams: the cosines of the nodes of each pair.
        weights: 3 x relations, three weights of all relations.
    """
    graphs, src, tgt = part.graphs, part.src, part.tgt
    _, edges = largest_sizes(graphs, src, tgt)
    shares = np.empty((3, 2, len(src)))
    _match_relations(
        *(len(src), len(graphs.roles), edges, graphs, src, tgt),
        *(grams.cross, grams.cross_start, weights, np.empty((2, edges)), shares),
    )
    return shares


_match_relations = declare_kernel("match_relations")
