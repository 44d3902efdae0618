"""The initial vectors of nodes: word vectors of their labels, or seeded random vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from metrics.graphs.corpus import starts
from metrics.graphs.folding import without_numbers
from metrics.transport.encoding import Variant
from metrics.types import Bools, Floats
from metrics.vectors.sources import Vectors, WordVectors, group_means

NEGATION = "false-not-untrue"  # what the constant "-" is looked up as
UNKNOWN_RANGE = {"2021": (0.0, 1.0), "2023": (-0.05, 0.05)}

# Alternative decompositions of a label into weighted words, in order of preference.
Spelling = list[list[tuple[str, float]]]


@dataclass(frozen=True, eq=False)
class LabelVectors:
    """The vectors of labels, with several draws of the random vectors.

    Attributes:
        known: float64 labels x d; zeros for labels without a word vector.
        unknown: bool, whether a label has none.
        drawn: float64 draws x unknown labels x d.
    """

    known: Floats
    unknown: Bools
    drawn: Floats

    def draw(self, number: int) -> Floats:
        """The vectors of all labels in one draw."""
        vectors = self.known.copy()
        vectors[self.unknown] = self.drawn[number]
        return vectors

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        vectors: Vectors,
        variant: Variant,
        seed: int,
        draws: int,
    ) -> LabelVectors:
        """The vectors of `labels`.

        A label without a word vector gets one drawn uniformly, which depends on the label and the
        seed alone: it is the same in every call, whatever the other labels are.
        """
        spelled = [spell(label, variant) for label in labels]
        words = vectors.select(word for spelling in spelled for way in spelling for word, _ in way)
        chosen = [_known_words(spelling, words) for spelling in spelled]
        unknown = np.array([not own for own in chosen], np.bool_)
        low, high = UNKNOWN_RANGE[variant]
        drawn = [
            generator(seed, "node", labels[k]).uniform(low, high, (draws, words.dimension))
            for k in np.flatnonzero(unknown).tolist()
        ]
        stacked = np.array(drawn).reshape(-1, draws, words.dimension)
        return cls(
            _combined(chosen, words, variant),
            unknown,
            np.ascontiguousarray(stacked.transpose(1, 0, 2)),
        )


@lru_cache(maxsize=1 << 16)
def spell(text: str, variant: Variant) -> Spelling:
    """The words whose vectors are combined into the vector of a label.

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
    text = without_numbers(text.replace('"', "").replace("'", "").lower())
    if variant == "2023":
        text = text.replace(":", "")
    words = text.split("-")
    if variant == "2023" and "_" in text:
        words += text.split("_")
    ways = [[(word, 1.0) for word in words]]
    if variant == "2023" and text.isnumeric():
        ways.append([(digit, 1 / (1 + k)) for k, digit in enumerate(text)])
    return ways


def generator(seed: int, *key: str) -> np.random.Generator:
    """A random generator that depends on seed and key only, in every process.

    >>> generator(0, "edge", ":arg0").uniform() == generator(0, "edge", ":arg0").uniform()
    True
    """
    text = "\x1f".join([str(seed), *key])
    digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))


def _known_words(spelling: Spelling, words: WordVectors) -> list[tuple[int, float]]:
    """The rows and shares of the words that have a vector, of the first way that has any."""
    for way in spelling:
        known = [(row, share) for word, share in way if (row := words.rows.get(word)) is not None]
        if known:
            return known
    return []


def _combined(
    chosen: Sequence[Sequence[tuple[int, float]]], words: WordVectors, variant: Variant
) -> Floats:
    """The mean (2021: maximum) of the vectors of each label's words; zeros if there are none."""
    start = starts(map(len, chosen))
    flat = np.array([word for own in chosen for word in own]).reshape(-1, 2)
    rows, shares = flat[:, 0].astype(np.int64), np.ascontiguousarray(flat[:, 1])
    if variant == "2023":
        return group_means(words.matrix, rows, shares, start)
    out = np.zeros((len(chosen), words.dimension))
    some = np.diff(start) > 0
    if some.any():
        out[some] = np.maximum.reduceat(words.matrix[rows].astype(np.float64), start[:-1][some])
    return out
