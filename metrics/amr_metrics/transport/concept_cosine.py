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

LABELS = 1 << 14  # whose vectors are in memory, for each side of the pairs, if there are many


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
        # The mean is the sum of w x / |x| over the labels, divided by their number, which does not
        # change the cosine: sums are compared, and each label has one factor w / |x|.
        src_sums, tgt_sums = self._sum_vectors((src, tgt), labels.values)
        cosines = np.empty(len(pairs))
        _compare_means(
            *(len(pairs), len(src.sizes), len(tgt.sizes), src_sums.shape[1]),
            src=src_sums,
            src_index=pairs.src_index,
            src_sizes=src.sizes,
            tgt=tgt_sums,
            tgt_index=pairs.tgt_index,
            tgt_sizes=tgt.sizes,
            cosines=cosines,
        )
        return Scores(cosines)

    def _sum_vectors(self, sides: Sequence[_GraphLabels], labels: Sequence[str]) -> list[Floats]:
        """Return the sums of the vectors of each graph's labels, times their factors.

        Args:
            labels: the labels that the numbers of both sides refer to.

        Returns:
            for each side, g x d.
        """
        longest = max(len(side.labels) for side in sides)
        # A large graph may have more labels than there is memory for their vectors. They are added
        # in the same order then, but only some of both sides at a time.
        size = longest if len(labels) <= 2 * LABELS else LABELS
        sums: list[Floats] = []
        for at in range(0, max(longest, 1), max(size, 1)):
            parts = [side.take(at, at + size) for side in sides]
            is_used = np.zeros(len(labels), np.bool_)
            for part in parts:
                is_used[part.labels] = True
            used = np.flatnonzero(is_used).tolist()
            matrix, factors = self._find_vectors([labels[number] for number in used])
            rows = np.cumsum(is_used) - 1
            sums = sums or [np.empty((len(side.sizes), matrix.shape[1])) for side in sides]
            for part, total in zip(parts, sums, strict=True):
                _sum_label_vectors(
                    *(len(total), *matrix.shape, part.start, rows[part.labels]),
                    *(matrix, factors, at > 0, total),
                )
        return sums

    def _find_vectors(self, labels: Sequence[str]) -> tuple[Floats, Floats]:
        """Return the vectors of labels, l x d, and the weight of each, divided by its length."""
        matrix = LabelVectors.of(labels, self.vectors).draw(0)  # there is one draw
        lengths = np.sqrt(np.einsum("ld,ld->l", matrix, matrix))
        frequencies = self._frequencies
        weights = np.ones(len(matrix)) if frequencies is None else frequencies.weights(labels)
        factors = np.divide(weights, lengths, out=np.zeros(len(matrix)), where=lengths > 0)
        return matrix, factors


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

    def take(self, first: int, last: int) -> _GraphLabels:
        """Return the labels in a range of positions; graphs outside of it have none."""
        return _GraphLabels(self.labels[first:last], np.clip(self.start, first, last) - first)


def _collect_labels(corpus: Corpus, labels: Labels) -> _GraphLabels:
    """Return the numbers of the labels of each graph, its concepts first.

    Args:
        labels: numbers the labels of both sides; those that are new are added.
    """
    symbols = np.concatenate([corpus.concepts, corpus.constants])
    numbers = labels.of(corpus.symbols, symbols, lower_without_quotes)
    start, rows = merge_rows(corpus.node_start, corpus.attribute_start)
    return _GraphLabels(numbers[symbols[rows]], start)


_sum_label_vectors = declare_kernel("sum_label_vectors")
_compare_means = declare_kernel("compare_means")
