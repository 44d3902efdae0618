"""The word vectors of WordLlama, read from the files of the installed package."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amr_metrics.errors import VectorError
from amr_metrics.graphs.rows import starts
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.extras import describe_lacking, installation
from amr_metrics.vectors.sources import KEPT, WordVectors, group_means

WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"


@dataclass(frozen=True, kw_only=True)
class WordLlama:
    """256-dimensional vectors trained for the similarity of sentences (Miller 2024, WordLlama).

    The vector of a word is the mean of the vectors of its tokens, so that every word has one. The
    vectors and the tokenizer are files of the Python package ``wordllama`` and are read without
    network access. The package is not imported: doing so would configure logging and load
    modules that are not needed.
    """

    @property
    def digest(self) -> str:
        """The SHA-256 of the digests of the vectors and of the tokenizer.

        Raises:
            VectorError: if the package is not installed or lacks a file.
        """
        digests = [file_digest(_find_file(name)) for name in (WEIGHTS, TOKENIZER)]
        return hashlib.sha256("".join(digests).encode()).hexdigest()

    def select(self, words: Iterable[str]) -> WordVectors:
        """Return the vectors of words; an empty string, which has no tokens, is left out.

        Raises:
            VectorError: as `origin`, or if a file cannot be read.
        """
        return _load_model().look_up(list(dict.fromkeys(words)))

    def means(self, texts: Sequence[str]) -> Floats:
        """Return the mean of the vectors of each text's tokens, zeros for an empty text.

        Raises:
            VectorError: as `select`.
        """
        return _load_model().means(texts)[0]


class Model:
    """The vectors of the tokens, the tokenizer, and the vectors of words looked up so far.

    This is the only class here with mutable state: a word is not split into tokens again, unless
    there are more than `KEPT` words.
    """

    def __init__(self, tokens: NDArray[np.float32], tokenizer: Any) -> None:
        self._tokens, self._tokenizer = tokens, tokenizer
        self._rows: dict[str, int | None] = {}  # None: a word without tokens
        self._vectors = np.empty((0, tokens.shape[1]), np.float32)

    def look_up(self, words: Sequence[str]) -> WordVectors:
        """Return the vectors of different words; words without tokens are left out."""
        new = [word for word in words if word not in self._rows]
        if len(self._rows) + len(new) > KEPT:
            self._rows.clear()
            self._vectors = np.empty((0, self._tokens.shape[1]), np.float32)
            new = [*words]
        if new:
            self._add(new)
        rows = {word: row for word in words if (row := self._rows[word]) is not None}
        return WordVectors(tuple(rows), self._vectors[np.array([*rows.values()], np.int64)])

    def means(self, texts: Sequence[str]) -> tuple[Floats, Ints]:
        """Return the mean vector of each text's tokens, and the number of tokens."""
        encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        ids = [encoding.ids for encoding in encodings]
        start = starts(map(len, ids))
        rows = np.fromiter(chain.from_iterable(ids), np.int64, start[-1])
        return group_means(self._tokens, rows, np.ones(len(rows)), start), np.diff(start)

    def _add(self, words: Sequence[str]) -> None:
        means, counts = self.means(words)
        for k, (word, count) in enumerate(zip(words, counts, strict=True), len(self._vectors)):
            self._rows[word] = k if count else None
        self._vectors = np.concatenate([self._vectors, means.astype(np.float32)])


def _find_file(name: str) -> Path:
    """Return a file of the installed package.

    Raises:
        VectorError: if one of the packages is missing, or the file.
    """
    if (problem := describe_lacking("wordllama", "the vectors of WordLlama")) is not None:
        raise VectorError(problem)
    spec = importlib.util.find_spec("wordllama")
    folders = (spec and spec.submodule_search_locations) or ()
    for folder in folders:
        if (path := Path(folder) / name).is_file():
            return path
    raise VectorError(
        f"the installed package wordllama has no file {name}. "
        f"Install a version that has it: {installation('wordllama')}"
    )


@cache
def _load_model() -> Model:
    """Return the vectors and the tokenizer of the installed package."""
    weights, tokenizer = _find_file(WEIGHTS), _find_file(TOKENIZER)
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    try:
        (tokens,) = load_file(weights).values()
        loaded = Tokenizer.from_file(str(tokenizer))
    except Exception as error:  # the packages raise their own errors and plain ones
        raise VectorError(
            f"{weights.parent.parent}: the files of wordllama cannot be read ({error}). "
            "Install the package again"
        ) from None
    loaded.no_padding()
    loaded.no_truncation()
    return Model(tokens.astype(np.float32), loaded)
