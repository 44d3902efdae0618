"""Sentences without blanks between words, which metrics of words take for single words."""

from __future__ import annotations

import re

from bamboo.scoring.file_pairs import FilePairs

# Two letters of a script that is written without blanks: Thai, Lao, Burmese, Khmer, kana, Han.
UNDIVIDED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]{2}"
)
SHARE = 0.1  # of the sentences that have no blanks, at least: others are mentioned in no note


class BlankCount:
    """Counts the sentences without blanks between words, chunk by chunk.

    Args:
        src, tgt: the names of both sides, for messages.
    """

    def __init__(self, src: str, tgt: str) -> None:
        self._names = src, tgt
        self._sentences = self._undivided = 0

    def add(self, pairs: FilePairs) -> None:
        """Count the sentences of the next pairs."""
        for side in (0, 1):
            sentences = [text for text in pairs.sentences(side) if text]
            self._sentences += len(sentences)
            self._undivided += sum(map(is_undivided, sentences))

    def notes(self) -> list[str]:
        """Return a note if many sentences have no blanks."""
        if not self._undivided or self._undivided < SHARE * self._sentences:
            return []
        return [
            f"{self._undivided / self._sentences:.0%} of the sentences of "
            f"{' and '.join(sorted({*self._names}))} have no blanks between words, so that "
            "metrics of words take them for single words: use metric=text_chrf, or "
            "metric=text_bleu metric.text_bleu.tokenize=char, zh (Chinese) or ja-mecab (Japanese)"
        ]


def is_undivided(sentence: str) -> bool:
    """Check that a sentence has no blanks, in a script that is written without them.

    >>> [is_undivided(text) for text in ("今日は雨だ。", "今日 は 雨 だ 。", "Hello!", "雨")]
    [True, False, False, False]
    """
    return UNDIVIDED.search(sentence) is not None and len(sentence.split()) == 1
