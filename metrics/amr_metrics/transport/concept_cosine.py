"""The cosine of the mean vectors of two graphs' concepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.compiled import compiled
from amr_metrics.graphs.corpus import Corpus, Labels
from amr_metrics.graphs.folding import lower_without_quotes
from amr_metrics.graphs.pairs import Pair, Pairs
from amr_metrics.options import one_of
from amr_metrics.transport.labels import LabelVectors
from amr_metrics.transport.wwlk import MASSES, Mass
from amr_metrics.types import Floats, Ints
from amr_metrics.vectors.sif import SIF
from amr_metrics.vectors.sources import Vectors, VectorSource
from amr_metrics.vectors.with_vectors import WithVectors


@dataclass(frozen=True, kw_only=True)
class ConceptCosine(WithVectors):
    """Cosine of the mean vectors of the concepts and constants of two graphs, in -1..1.

    Each concept and constant has the vector that WWLK gives to its label, scaled to length 1;
    labels without a word vector have a random one, which depends only on the label. The mean is
    weighted by smooth inverse frequency unless `mass` says otherwise. Relations do not count.

    Attributes:
        mass: weights of nodes: ``sif``: a / (a + p), where p is the share of graphs with the label;
            ``uniform``: all equal.
        sif: the weights of labels, used with ``mass="sif"``.
        vectors: the word vectors.

    Raises:
        OptionError: if `mass` is unknown.

    >>> from amr_metrics import parse_graph
    >>> from amr_metrics.vectors.sources import WordVectors
    >>> vectors = WordVectors.of({"cat": [1, 0], "dog": [0.6, 0.8]})
    >>> pair = Pair(parse_graph("(c / cat)"), parse_graph("(d / dog)"))
    >>> ConceptCosine(vectors=vectors).score([pair]).round(6).tolist()
    [0.6]
    """

    reference: ClassVar[str] = (
        "Arora, Liang and Ma (2017), A simple but tough-to-beat baseline for sentence embeddings, "
        "the weighted mean (without the removal of a common component), on concepts, "
        "https://openreview.net/forum?id=SyK00v5xx"
    )

    mass: Mass = "sif"
    sif: SIF = field(default_factory=SIF)
    vectors: Vectors = field(default_factory=VectorSource)

    def __post_init__(self) -> None:
        one_of("mass", self.mass, MASSES)

    @property
    def range(self) -> tuple[float, float]:
        """-1..1."""
        return -1.0, 1.0

    @property
    def _frequencies(self) -> SIF | None:
        return self.sif if self.mass == "sif" else None

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the cosine of each pair.

        Two empty graphs score 1, an empty and a non-empty one 0.
        """
        pairs = Pairs.of(self.views(pairs))
        labels = Labels()
        src, tgt = (_labels_of(corpus, labels) for corpus in (pairs.src, pairs.tgt))
        vectors = LabelVectors.of(labels.values, self.vectors)
        matrix = vectors.draw(0)
        lengths = np.sqrt(np.einsum("ld,ld->l", matrix, matrix))
        weights = (
            np.ones(len(matrix)) if self.mass == "uniform" else self.sif.weights(labels.values)
        )
        factors = np.divide(weights, lengths, out=np.zeros(len(matrix)), where=lengths > 0)
        means = [_sums(part.labels, part.start, matrix, factors) for part in (src, tgt)]
        index = pairs.src_index, pairs.tgt_index
        return Scores(_cosines(means[0], index[0], src.sizes, means[1], index[1], tgt.sizes))


class _GraphLabels(NamedTuple):
    """The labels of each graph's concepts and constants.

    Attributes:
        labels: int64, those of graph g are ``labels[start[g]:start[g + 1]]``.
        start: int64.
        sizes: int64, their number.
    """

    labels: Ints
    start: Ints
    sizes: Ints


def _labels_of(corpus: Corpus, labels: Labels) -> _GraphLabels:
    used = np.concatenate([corpus.concepts, corpus.constants])
    number = labels.of(corpus.symbols, used, lower_without_quotes)
    start = corpus.node_start + corpus.attribute_start
    merged = np.empty(start[-1], np.int64)
    # Within each graph, the concepts come first.
    for column, column_start, before in (
        (corpus.concepts, corpus.node_start, corpus.attribute_start[:-1]),
        (corpus.constants, corpus.attribute_start, corpus.node_start[1:]),
    ):
        rows = np.arange(len(column)) + np.repeat(before, np.diff(column_start))
        merged[rows] = number[column]
    return _GraphLabels(merged, start, np.diff(start))


@compiled
def _sums(labels: Ints, start: Ints, matrix: Floats, factors: Floats) -> Floats:
    count, dimension = start.size - 1, matrix.shape[1]
    out = np.zeros((count, dimension))
    for g in range(count):
        for k in range(start[g], start[g + 1]):
            label = labels[k]
            for d in range(dimension):
                out[g, d] += factors[label] * matrix[label, d]
    return out


@compiled
def _cosines(
    src: Floats, src_index: Ints, src_sizes: Ints, tgt: Floats, tgt_index: Ints, tgt_sizes: Ints
) -> Floats:
    out = np.empty(src_index.size)
    for p in range(out.size):
        i, j = src_index[p], tgt_index[p]
        if src_sizes[i] == 0 or tgt_sizes[j] == 0:
            out[p] = 1.0 if src_sizes[i] == tgt_sizes[j] else 0.0
            continue
        inner, xx, yy = 0.0, 0.0, 0.0
        for d in range(src.shape[1]):
            inner += src[i, d] * tgt[j, d]
            xx += src[i, d] * src[i, d]
            yy += tgt[j, d] * tgt[j, d]
        squares = xx * yy
        out[p] = max(-1.0, min(1.0, inner / np.sqrt(squares))) if squares > 0 else 0.0
    return out
