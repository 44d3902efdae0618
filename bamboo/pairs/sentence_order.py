"""Check that two files have the same order, by the ``::snt`` lines of graphs without ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from amr_metrics.utils.text import counted
from bamboo.errors import DataError
from bamboo.pairs.file_pairs import FilePairs

IN_BOTH = 0.9  # the share of sentences that files of the same sentences have in common, at least
FEWEST = 5  # pairs; fewer pairs of different sentences can have the same sentences by chance
SHOWN = 60  # characters of a sentence that a message shows


class SentenceCheck:
    """Compares the ``::snt`` of pairs in which not both graphs have an id, chunk by chunk.

    A sentence that differs from that of its partner is no error by itself: a parser may have cut it
    off, and pairs of similar sentences differ on purpose. It is an error if both sides have nearly
    the same sentences, some of them at other positions. Only letters and digits are compared, in
    lower case, because parsers write sentences with other tokens.

    Args:
        src, tgt: the names of both sides, for messages.
    """

    def __init__(self, src: str, tgt: str) -> None:
        self._names = src, tgt
        self._pairs = 0  # in which both graphs have a sentence
        self._same = 0
        # How often a sentence without its counterpart occurs in src, minus how often in tgt; by
        # its hash, because sentences take much memory.
        self._unmatched: Counter[int] = Counter()
        self._moved = 0  # sentences with a counterpart at another position
        self._example = ""

    def add(
        self,
        first: int,
        pairs: FilePairs,
        src_ids: Sequence[str | None],
        tgt_ids: Sequence[str | None],
    ) -> None:
        """Check the next pairs.

        Args:
            first: the position of the first of them.

        Raises:
            DataError: the sentences of both sides are in different orders.
        """
        without = [k for k, ids in enumerate(zip(src_ids, tgt_ids, strict=True)) if None in ids]
        if not without:
            return
        src_sentences, tgt_sentences = pairs.sentences(0), pairs.sentences(1)
        for k in without:
            src, tgt = src_sentences[k], tgt_sentences[k]
            if src is None or tgt is None:
                continue
            self._pairs += 1
            if src == tgt or _letters(src) == _letters(tgt):
                self._same += 1
                continue
            moved = self._is_unmatched(src, 1) + self._is_unmatched(tgt, -1)
            self._moved += moved
            if moved and not self._example:
                names = zip(self._names, (src, tgt), strict=True)
                both = " but ".join(f"{name} has ::snt {_shown(text)}" for name, text in names)
                self._example = f"pair {first + k}: {both}"
        in_both = self._same + self._moved
        if self._pairs >= FEWEST and self._moved > 1 and in_both >= IN_BOTH * self._pairs:
            raise DataError(
                f"{self._example}, and {self._moved:,} of {counted(self._pairs, 'sentence')} occur "
                "on both sides at different positions. Bring both sides into the same order. "
                "ids=ignore pairs graphs by their position, whatever their sentences"
            )

    def _is_unmatched(self, sentence: str, step: Literal[1, -1]) -> bool:
        """Count a sentence; check if the other side has it without its counterpart."""
        letters = _letters(sentence)
        if not letters:
            return False
        key = hash(letters)
        self._unmatched[key] += step
        return self._unmatched[key] * step <= 0


def _letters(sentence: str) -> str:
    return re.sub(r"[\W_]+", "", sentence.lower())


def _shown(sentence: str) -> str:
    return repr(sentence if len(sentence) <= SHOWN else f"{sentence[:SHOWN]}...")
