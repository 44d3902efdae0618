"""The cosine of the vectors of two sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from amr_metrics.errors import OptionError
from amr_metrics.text.text_metric import TextMetric
from amr_metrics.types import Floats
from amr_metrics.vectors.wordllama import WordLlama


@dataclass(frozen=True, kw_only=True)
class TextCosine(TextMetric):
    """Cosine of the vectors of two sentences, in -1..1. The graphs are ignored.

    The vector of a sentence is the mean of WordLlama's vectors of its tokens.

    Attributes:
        vectors: ``wordllama``. Other word vectors cannot be used: they have no tokenizer.

    Raises:
        OptionError: for other word vectors.
    """

    reference: ClassVar[str] = (
        "Miller (2024), WordLlama: recycled token embeddings from large language models"
        " (code: https://github.com/dleemiller/WordLlama)"
    )

    vectors: WordLlama = field(default_factory=WordLlama)

    def __post_init__(self) -> None:
        if not isinstance(self.vectors, WordLlama):
            raise OptionError(
                "vectors: the vector of a sentence is that of its tokens, and only wordllama has a "
                "tokenizer: use vectors=wordllama"
            )

    @property
    def range(self) -> tuple[float, float]:
        """-1..1."""
        return -1.0, 1.0

    @property
    def signature(self) -> str:
        """The metric, its vectors and the version."""
        return f"{super().signature}|vectors={self.vectors.digest}"

    def warm_up(self) -> None:
        """Load the vectors."""
        self.evaluate([])

    def similarities(self, src: Sequence[str], tgt: Sequence[str]) -> Floats:
        """Return the cosine of each pair; 0 if one of the sentences is empty."""
        sides = [self.vectors.means(sentences) for sentences in (src, tgt)]
        lengths = [np.linalg.norm(vectors, axis=1) for vectors in sides]
        products = lengths[0] * lengths[1]
        inner = (sides[0] * sides[1]).sum(axis=1)
        cosines = np.divide(inner, products, out=np.zeros(len(inner)), where=products > 0)
        return np.asarray(np.clip(cosines, -1.0, 1.0))
