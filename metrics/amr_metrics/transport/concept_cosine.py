"""The cosine of the mean vectors of two graphs' concepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.graphs.corpus import Corpus, Labels
from amr_metrics.graphs.folding import lower_without_quotes
from amr_metrics.graphs.pairs import Pair, Pairs
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.transport.labels import LabelVectors
from amr_metrics.transport.wwlk import Mass
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
        src, tgt = (_collect_labels(corpus, labels) for corpus in (pairs.src, pairs.tgt))
        vectors = LabelVectors.of(labels.values, self.vectors)
        matrix = vectors.draw(0)
        # The mean of a graph is the sum of w x / |x| over its labels, divided by their number,
        # which does not change the cosine: each label has one factor w / |x|.
        lengths = np.sqrt(np.einsum("ld,ld->l", matrix, matrix))
        weights = (
            np.ones(len(matrix)) if self.mass == "uniform" else self.sif.weights(labels.values)
        )
        factors = np.divide(weights, lengths, out=np.zeros(len(matrix)), where=lengths > 0)
        means = [_sum_vectors(part, matrix, factors) for part in (src, tgt)]
        cosines = np.empty(len(pairs))
        _compare_means(
            *(len(pairs), len(src.sizes), len(tgt.sizes), matrix.shape[1]),
            *(means[0], pairs.src_index, src.sizes, means[1], pairs.tgt_index, tgt.sizes, cosines),
        )
        return Scores(cosines)


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


def _collect_labels(corpus: Corpus, labels: Labels) -> _GraphLabels:
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


def _sum_vectors(part: _GraphLabels, matrix: Floats, factors: Floats) -> Floats:
    """Sum the vectors of the labels of each graph, times their factors."""
    sums = np.empty((len(part.sizes), matrix.shape[1]))
    _sum_label_vectors(len(sums), *matrix.shape, part.start, part.labels, matrix, factors, sums)
    return sums


_sum_label_vectors = declare_kernel("sum_label_vectors")
_compare_means = declare_kernel("compare_means")
