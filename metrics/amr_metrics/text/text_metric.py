"""Base class of metrics that compare sentences."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.errors import PairError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.pairs import Pair, Pairs
from amr_metrics.types import Floats, Ints


class TextMetric(Metric):
    """A metric that compares the sentences of two graphs and ignores the graphs.

    A graph's sentence is its line ``# ::snt``, or else ``# ::tok``, without white space at either
    end. A graph without nodes needs none: its sentence is empty.
    """

    @property
    def reads_sentences(self) -> bool:
        """True."""
        return True

    @abstractmethod
    def similarities(self, src: Sequence[str], tgt: Sequence[str]) -> Floats:
        """Return the similarity of sentence k of src and sentence k of tgt, for each k."""

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the similarity of the sentences of each pair.

        Equal sentences score 1, an empty and a non-empty one 0.

        Raises:
            PairError: for a graph without a sentence.
        """
        pairs = Pairs.of(pairs)
        src = _list_sentences(pairs.src, pairs.src_index, "src")
        tgt = _list_sentences(pairs.tgt, pairs.tgt_index, "tgt")
        equal = [a == b for a, b in zip(src, tgt, strict=True)]
        return Scores(np.where(equal, 1.0, self.similarities(src, tgt)))


def _list_sentences(corpus: Corpus, index: Ints, side: str) -> list[str]:
    """Return the sentence of each pair's graph on one side."""
    texts, sizes = corpus.sentences(), corpus.sizes
    sentences = []
    for pair, graph in enumerate(index.tolist()):
        if (text := texts[graph]) is None and sizes[graph]:
            raise PairError(
                f"the graph of {side} has no sentence: add the line '# ::snt SENTENCE' above it, "
                "or use a metric that compares graphs",
                pair=pair,
            )
        sentences.append((text or "").strip())
    return sentences
