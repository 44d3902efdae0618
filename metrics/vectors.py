"""Word vectors: a frozen value, and the place it comes from."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.digests import file_digest
from metrics.errors import OptionError, VectorError
from metrics.types import Bools, Floats, Ints
from metrics.vector_files import downloaded, read_keyed_vectors

DEFAULT_MODEL = "glove-wiki-gigaword-100"

# Columns of `Scores.details` that every metric with word vectors has: how many nodes of both graphs
# of a pair it looks up, and how many of these have a vector.
NODES, WITH_VECTOR = "nodes", "nodes_with_vector"


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and their vectors.

    Attributes:
        words: the words, all different.
        matrix: words x dimension, one row a word, finite.

    Raises:
        VectorError: another number of rows than words, a word given twice, NaN or infinity.

    >>> vectors = WordVectors.of({"cat": [1, 0], "dog": [0.8, 0.6]})
    >>> vectors.get("dog"), vectors.get("unicorn")
    (array([0.8, 0.6]), None)
    """

    words: tuple[str, ...] = field(repr=False)
    matrix: NDArray[np.floating[Any]] = field(repr=False)

    def __post_init__(self) -> None:
        matrix = self.matrix
        if matrix.ndim != 2 or len(matrix) != len(self.words) or matrix.shape[1] < 1:
            raise VectorError(
                f"{len(self.words)} words but vectors of shape {matrix.shape}: give one row a word"
            )
        if len(self.rows) != len(self.words):
            raise VectorError("a word has two vectors: give each word once")
        finite = np.isfinite(matrix).all(axis=1)
        if not finite.all():
            word = self.words[int(np.argmin(finite))]
            raise VectorError(f"the vector of {word!r} holds NaN or infinity")

    @classmethod
    def of(cls, vectors: Mapping[str, Sequence[float]]) -> WordVectors:
        """Vectors from a mapping.

        Raises:
            VectorError: no words, or vectors of different dimensions.
        """
        dimensions = {len(vector) for vector in vectors.values()}
        if len(dimensions) != 1:
            raise VectorError(f"vectors of one dimension are needed, not of {sorted(dimensions)}")
        return cls(tuple(vectors), np.array(list(vectors.values()), np.float64))

    @cached_property
    def rows(self) -> dict[str, int]:
        """Each word's row in `matrix`."""
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def digest(self) -> str:
        """A hash of words and numbers."""
        content = hashlib.sha256(json.dumps([self.words, str(self.matrix.dtype)]).encode())
        content.update(np.ascontiguousarray(self.matrix).tobytes())
        return content.hexdigest()

    @property
    def origin(self) -> str | None:
        """The file they are from, for messages: none is known."""
        return None

    @property
    def dimension(self) -> int:
        """Length of the vectors."""
        return int(self.matrix.shape[1])

    def get(self, word: str) -> Floats | None:
        """A word's vector, or None."""
        row = self.rows.get(word)
        return None if row is None else self.matrix[row].astype(np.float64)

    def select(self, words: Iterable[str]) -> WordVectors:
        """Vectors in which at least these words can be looked up: these."""
        return self


@dataclass(frozen=True, kw_only=True)
class VectorSource:
    """A file of word vectors, opened only when words are asked for.

    The words asked for are kept in a small file of their own, so that later runs need neither
    gensim nor the whole of the vectors.

    Attributes:
        file: word2vec binary, word2vec text or GloVe text (``.gz`` too). None: `name`.
        name: a model of gensim's downloader, used when no file is given.
        dimension: the dimension the vectors must have; None allows any.
        cache: the folder for the words that were looked up. None: ``bamboo-amr`` in the user's
            cache folder.

    Raises:
        OptionError: a dimension below 1.
    """

    # Where vectors come from is no part of a metric's signature: their digest is.
    file: str | Path | None = field(default=None, repr=False)
    name: str = field(default=DEFAULT_MODEL, repr=False)
    dimension: int | None = 100
    cache: str | Path | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.dimension is not None and self.dimension < 1:
            raise OptionError(f"dimension={self.dimension}: vectors have at least one dimension")

    @property
    def path(self) -> Path:
        """The file of the vectors; downloads it if that is the only way.

        Raises:
            VectorError: there is no such file; the message says both ways to get one.
        """
        if not self.file:
            return downloaded(self.name)
        path = Path(self.file).expanduser()
        if not path.is_file():
            raise VectorError(
                f"{path}: no such file of word vectors. Correct it, or name no file to have gensim "
                f"download {self.name!r}",
                argument="file",
            )
        return path

    @property
    def origin(self) -> str | None:
        """The file's path, for messages.

        Raises:
            VectorError: as `path`.
        """
        return str(self.path)

    @property
    def digest(self) -> str:
        """The SHA-256 of the file.

        Raises:
            VectorError: there is no file, or it cannot be read.
        """
        return self._digest_of(self.path)

    def select(self, words: Iterable[str]) -> WordVectors:
        """The vectors of those of the words that have one.

        Raises:
            VectorError: the file is missing, damaged, or has vectors of another dimension.
        """
        path = self.path
        lexicon = _lexicon(path, self._digest_of(path), self._cache_folder())
        found = lexicon.look_up(words)
        if self.dimension is not None and found.dimension != self.dimension:
            raise VectorError(
                f"{path}: has vectors of {found.dimension} dimensions, not {self.dimension}. "
                "Use another file, or set dimension to what it has"
            )
        return found

    def _digest_of(self, path: Path) -> str:
        try:
            return file_digest(path, self._cache_folder())
        except OSError as error:
            raise VectorError(f"{path}: cannot be read: {error.strerror}") from None

    def _cache_folder(self) -> Path:
        if self.cache:
            return Path(self.cache).expanduser()
        import pooch

        return Path(pooch.os_cache("bamboo-amr"))


class Lexicon:
    """The words of one file of vectors that were asked for so far, kept in a cache file.

    This is the one place with state: the whole file is read once a process at most, and not at
    all when every word was asked for before.
    """

    def __init__(self, source: Path, digest: str, folder: Path) -> None:
        self._source, self._digest = source, digest
        self._file = folder / f"vectors-{digest[:16]}.npz"
        self._rows: dict[str, NDArray[np.float32] | None] = {}
        self._dimension = 0
        self._keyed: Any = None
        self._recall()

    def look_up(self, words: Iterable[str]) -> WordVectors:
        """The vectors of those of the words that have one, in order of first mention."""
        asked = list(dict.fromkeys(words))
        new = [word for word in asked if word not in self._rows]
        if new or not self._dimension:
            self._learn(new)
        found = {word: row for word in asked if (row := self._rows[word]) is not None}
        matrix = np.array(list(found.values()), np.float32).reshape(len(found), self._dimension)
        return WordVectors(tuple(found), matrix)

    def _learn(self, words: Sequence[str]) -> None:
        if self._keyed is None:
            self._keyed = read_keyed_vectors(self._source)
            self._dimension = int(self._keyed.vector_size)
        self._recall()  # what another process has kept meanwhile
        for word in words:
            row = self._keyed.key_to_index.get(word)
            self._rows[word] = None if row is None else self._keyed.vectors[row]
        self._keep()

    def _recall(self) -> None:
        """Take over the cache file; one that is missing or damaged is written anew later."""
        try:
            with self._file.open("rb") as file, np.load(file) as kept:
                words = json.loads(kept["words"].tobytes())
                missing = json.loads(kept["missing"].tobytes())
                matrix = np.asarray(kept["matrix"], np.float32)
                whole = str(kept["source"]) == self._digest and len(matrix) == len(words)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return
        if whole:
            self._dimension = int(matrix.shape[1])
            self._rows |= dict.fromkeys(missing, None)
            self._rows |= zip(words, matrix, strict=True)

    def _keep(self) -> None:
        found = {word: row for word, row in self._rows.items() if row is not None}
        missing = [word for word, row in self._rows.items() if row is None]
        matrix = np.array(list(found.values()), np.float32).reshape(len(found), self._dimension)
        # Written beside and moved into place: no process ever sees half a file.
        beside = self._file.with_suffix(f".{os.getpid()}.npz")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(
                beside,
                source=np.array(self._digest),
                words=np.frombuffer(json.dumps(list(found)).encode(), np.uint8),
                missing=np.frombuffer(json.dumps(missing).encode(), np.uint8),
                matrix=matrix,
            )
            os.replace(beside, self._file)
        except OSError as error:
            raise VectorError(
                f"{self._file.parent}: word vectors cannot be cached there ({error.strerror}). "
                "Use a folder that can be written to",
                argument="cache",
            ) from None
        finally:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)


@cache
def _lexicon(path: Path, digest: str, folder: Path) -> Lexicon:
    return Lexicon(path, digest, folder)


def sums(flags: Bools, start: Ints) -> Ints:
    """How many flags are set in each part; part k goes from ``start[k]`` to ``start[k + 1]``.

    >>> sums(np.array([True, False, True]), np.array([0, 0, 3])).tolist()
    [0, 2]
    """
    return np.asarray(np.diff(np.concatenate([[0], np.cumsum(flags)])[start]))
