"""chrF of two sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from metrics.text.with_sacrebleu import WithSacrebleu


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
