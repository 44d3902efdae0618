"""Base class of metrics that sacrebleu computes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from metrics.base import Scores
from metrics.errors import MetricError
from metrics.graphs.pairs import Pair
from metrics.text.text_metric import TextMetric
from metrics.types import Floats
from metrics.utils.extras import lacking


class WithSacrebleu(TextMetric):
    """A metric of sacrebleu. Its version is part of the signature."""

    @property
    def symmetric(self) -> bool:
        """False: the sentence of tgt is the reference."""
        return False

    @property
    def signature(self) -> str:
        """The metric, the version of this project and that of sacrebleu.

        Raises:
            MetricError: if sacrebleu is not installed.
        """
        _check_installed()
        return f"{super().signature}|sacrebleu={version('sacrebleu')}"

    @abstractmethod
    def scorer(self) -> Any:
        """Return the metric of sacrebleu."""

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """See `TextMetric.evaluate`.

        Raises:
            MetricError: if sacrebleu is not installed.
        """
        _check_installed()
        return super().evaluate(pairs)

    def similarities(self, src: Sequence[str], tgt: Sequence[str]) -> Floats:
        """Return the score of each pair, divided by 100."""
        scorer = self.scorer()
        scores = [scorer.sentence_score(a, [b]).score for a, b in zip(src, tgt, strict=True)]
        return np.minimum(np.array(scores, np.float64) / 100, 1.0)  # 100 may be 100.00000000000004


def _check_installed() -> None:
    if (problem := lacking("text", "text_bleu and text_chrf")) is not None:
        raise MetricError(problem)
