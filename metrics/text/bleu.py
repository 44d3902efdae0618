"""BLEU of two sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from metrics.text.with_sacrebleu import WithSacrebleu


@dataclass(frozen=True, kw_only=True)
class TextBleu(WithSacrebleu):
    """BLEU of two sentences, in 0..1. The sentence of src is the hypothesis, tgt the reference.

    Computed by sacrebleu with its defaults for sentences: up to 4-grams, tokenization 13a, case
    matters, exponential smoothing, and orders for which the hypothesis has no n-grams are left
    out. The graphs are ignored.
    """

    reference: ClassVar[str] = (
        "Papineni, Roukos, Ward and Zhu (2002), BLEU: a method for automatic evaluation of machine "
        "translation, https://aclanthology.org/P02-1040; Post (2018), A call for clarity in "
        "reporting BLEU scores, https://aclanthology.org/W18-6319"
        " (code: https://github.com/mjpost/sacrebleu)"
    )

    def scorer(self) -> Any:
        """Return sacrebleu's BLEU, as `sacrebleu.sentence_bleu` uses it."""
        from sacrebleu.metrics.bleu import BLEU

        return BLEU(effective_order=True)
