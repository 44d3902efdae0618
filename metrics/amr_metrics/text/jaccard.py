"""The Jaccard coefficient of the words of two sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amr_metrics.text.text_metric import TextMetric
from amr_metrics.types import Floats

WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class TextJaccard(TextMetric):
    r"""Jaccard coefficient of the words of two sentences, in 0..1: shared words / all words.

    A word is a sequence of letters, digits and underscores; case does not matter, nor does the
    number of times that a word occurs. In texts without blanks between words, such as Japanese and
    Chinese, whole clauses are words: use ``text_chrf``. The graphs are ignored.

    >>> from amr_metrics import Pair, parse_graph
    >>> a, b = (parse_graph(f"# ::snt The {x} sleeps.\n(s / sleep-01)") for x in ("cat", "dog"))
    >>> TextJaccard().score([Pair(a, b)]).tolist()  # 2 of 4 words
    [0.5]
    """

    reference: ClassVar[str] = "Jaccard (1901), Étude comparative de la distribution florale"

    @property
    def splits_at_blanks(self) -> bool:
        """True."""
        return True

    def similarities(self, src: Sequence[str], tgt: Sequence[str]) -> Floats:
        """Return the coefficient of each pair; 1 if neither sentence has words."""
        words = zip(map(_split_words, src), map(_split_words, tgt), strict=True)
        return np.array([_measure_jaccard(a, b) for a, b in words], np.float64)


def _split_words(sentence: str) -> set[str]:
    return set(WORD.findall(sentence.lower()))


def _measure_jaccard(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 1.0
