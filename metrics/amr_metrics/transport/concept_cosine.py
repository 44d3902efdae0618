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
from amr_metrics.graphs.rows import merge_rows
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
    labels without a word vector have a random one, which depends only on the label. A vector of
    zeros stays as it is. The mean is weighted by smooth inverse frequency unless `mass` says
    otherwise. Relations do not count.

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
        """The weights of labels, which `WithVectors` adds to the signature; None: all are equal."""
        return self.sif if self.mass == "sif" else None

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the cosine of each pair.

        Two empty graphs score 1, an empty and a non-empty one 0. A graph whose vectors sum to zero
        scores 0, also with itself.
        """
        pairs, labels = Pairs.of(self.views(pairs)), Labels()
        src, tgt = (_collect_labels(corpus, labels) for corpus in (pairs.src, pairs.tgt))
        matrix = LabelVectors.of(labels.values, self.vectors).draw(0)  # there is one draw
        lengths = np.sqrt(np.einsum("ld,ld->l", matrix, matrix))
        frequencies = self._frequencies
        weights = (
            np.ones(len(matrix)) if frequencies is None else frequencies.weights(labels.values)
        )
        # The mean is the sum of w x / |x| over the labels, divided by their number, which does not
        # change the cosine: sums are compared, and each label has one factor w / |x|.
        factors = np.divide(weights, lengths, out=np.zeros(len(matrix)), where=lengths > 0)
        cosines = np.empty(len(pairs))
        _compare_means(
            *(len(pairs), len(src.sizes), len(tgt.sizes), matrix.shape[1]),
            src=_sum_vectors(src, matrix, factors),
            src_index=pairs.src_index,
            src_sizes=src.sizes,
            tgt=_sum_vectors(tgt, matrix, factors),
            tgt_index=pairs.tgt_index,
            tgt_sizes=tgt.sizes,
            cosines=cosines,
        )
        return Scores(cosines)


class _GraphLabels(NamedTuple):
    """The labels of the concepts and constants of a corpus of g graphs.

    Attributes:
        labels: int64, the numbers of the labels, graph by graph.
        start: int64 g + 1, those of graph k are ``labels[start[k]:start[k + 1]]``.
    """

    labels: Ints
    start: Ints

    @property
    def sizes(self) -> Ints:
        """int64 g, the number of labels of each graph."""
        return np.diff(self.start)


def _collect_labels(corpus: Corpus, labels: Labels) -> _GraphLabels:
    """Return the numbers of the labels of each graph, its concepts first.

    Args:
        labels: numbers the labels of both sides; those that are new are added.
    """
    symbols = np.concatenate([corpus.concepts, corpus.constants])
    numbers = labels.of(corpus.symbols, symbols, lower_without_quotes)
    start, rows = merge_rows(corpus.node_start, corpus.attribute_start)
    return _GraphLabels(numbers[symbols[rows]], start)


def _sum_vectors(part: _GraphLabels, matrix: Floats, factors: Floats) -> Floats:
    """Return the sum of the vectors of each graph's labels, times their factors: g x d.

    Args:
        matrix: labels x d.
        factors: float64, one per label.
    """
    sums = np.empty((len(part.sizes), matrix.shape[1]))
    _sum_label_vectors(len(sums), *matrix.shape, part.start, part.labels, matrix, factors, sums)
    return sums


_sum_label_vectors = declare_kernel("sum_label_vectors")
_compare_means = declare_kernel("compare_means")
