"""The initial vectors of nodes: word vectors of their labels, or seeded random vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from amr_metrics.graphs.folding import drop_numbers
from amr_metrics.graphs.rows import starts
from amr_metrics.transport.encoding import Variant
from amr_metrics.types import Bools, Floats
from amr_metrics.vectors.sources import Vectors, WordVectors, group_means

NEGATION = "false-not-untrue"  # what the constant "-" is looked up as
UNKNOWN_RANGE = {"2021": (0.0, 1.0), "2023": (-0.05, 0.05), "definition": (0.0, 1.0)}

# A label as weighted words; several decompositions of it, in order of preference.
Decomposition = list[tuple[str, float]]


@dataclass(frozen=True, eq=False)
class LabelVectors:
    """The vectors of labels, with several draws of the random vectors.

    Attributes:
        word_vectors: float64 labels x d; zeros for labels without a word vector.
        unknown: bool, whether a label has no word vector.
        drawn: float64 draws x unknown labels x d.
    """

    word_vectors: Floats
    unknown: Bools
    drawn: Floats

    def draw(self, number: int) -> Floats:
        """Return the vectors of all labels in one draw."""
        vectors = self.word_vectors.copy()
        vectors[self.unknown] = self.drawn[number]
        return vectors

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        vectors: Vectors,
        variant: Variant = "2023",
        seed: int = 0,
        draws: int = 1,
    ) -> LabelVectors:
        """Return the vectors of `labels`.

        A label without a word vector gets one drawn uniformly, which depends on the label and the
        seed alone: it is the same in every call, whatever the other labels are.
        """
        # All words that any label may need are looked up at once: files of vectors are large.
        spellings = [spell(label, variant) for label in labels]
        words = vectors.select(
            word for spelling in spellings for decomposed in spelling for word, _ in decomposed
        )
        label_words = [_list_words_with_vector(spelling, words) for spelling in spellings]
        unknown = np.array([not shares for shares in label_words], np.bool_)
        low, high = UNKNOWN_RANGE[variant]
        drawn = [
            generator(seed, "node", labels[k]).uniform(low, high, (draws, words.dimension))
            for k in np.flatnonzero(unknown).tolist()
        ]
        stacked = np.array(drawn).reshape(-1, draws, words.dimension)
        return cls(
            _combine_vectors(label_words, words, variant),
            unknown,
            np.ascontiguousarray(stacked.transpose(1, 0, 2)),
        )


@lru_cache(maxsize=1 << 16)
def spell(text: str, variant: Variant) -> list[Decomposition]:
    """Return the words whose vectors are combined into the vector of a label.

    The sense is removed, and hyphenated labels are split. In 2023, labels are also split at
    underscores, negation is spelled out, and a number may be split into its digits, with
    decreasing weights.

    >>> spell("cut-up-08", "2023"), spell("-", "2023")
    ([[('cut', 1.0), ('up', 1.0)]], [[('false', 1.0), ('not', 1.0), ('untrue', 1.0)]])
    >>> spell("42", "2023")
    [[('42', 1.0)], [('4', 1.0), ('2', 0.5)]]
    """
    text = text.strip()
    if variant == "2023" and text == "-":
        text = NEGATION
    text = drop_numbers(text.replace('"', "").replace("'", "").lower())
    if variant == "2023":
        text = text.replace(":", "")
    words = text.split("-")
    if variant == "2023" and "_" in text:
        words += text.split("_")
    spelling = [[(word, 1.0) for word in words]]
    if variant == "2023" and text.isnumeric():
        spelling.append([(digit, 1 / (1 + k)) for k, digit in enumerate(text)])
    return spelling


def generator(seed: int, *key: str) -> np.random.Generator:
    """Return a random generator that depends on seed and key only, in every process.

    >>> generator(0, "edge", ":arg0").uniform() == generator(0, "edge", ":arg0").uniform()
    True
    """
    text = "\x1f".join([str(seed), *key])
    digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))


def _list_words_with_vector(
    spelling: Sequence[Decomposition], words: WordVectors
) -> list[tuple[int, float]]:
    """Return the rows and weights of the words that have a vector.

    They are from the first decomposition in which any word has one.
    """
    for decomposed in spelling:
        rows = [(words.rows[word], share) for word, share in decomposed if word in words.rows]
        if rows:
            return rows
    return []


def _combine_vectors(
    label_words: Sequence[Sequence[tuple[int, float]]], words: WordVectors, variant: Variant
) -> Floats:
    """Return the mean (2023) or maximum of the vectors of each label's words, or zeros."""
    start = starts(map(len, label_words))
    flat = np.array([word for shares in label_words for word in shares]).reshape(-1, 2)
    rows, shares = flat[:, 0].astype(np.int64), np.ascontiguousarray(flat[:, 1])
    if variant == "2023":
        return group_means(words.matrix, rows, shares, start)
    out = np.zeros((len(label_words), words.dimension))
    has_vector = np.diff(start) > 0
    if has_vector.any():
        vectors = words.matrix[rows].astype(np.float64)
        out[has_vector] = np.maximum.reduceat(vectors, start[:-1][has_vector])
    return out
