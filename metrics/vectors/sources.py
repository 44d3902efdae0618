"""Word vectors in memory and in files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from metrics.compiled import compiled
from metrics.errors import OptionError, VectorError
from metrics.types import Bools, Floats, Ints
from metrics.utils.array_files import read_arrays, write_arrays
from metrics.utils.digests import file_digest
from metrics.utils.text import counted
from metrics.vectors.files import check_gensim, downloaded, read_keyed_vectors

DEFAULT_MODEL = "glove-wiki-gigaword-100"

# Columns of `Scores.details` that every metric with word vectors has: the number of nodes of both
# graphs of a pair that it looks up, and the number of these that have a vector.
NODES, WITH_VECTOR = "nodes", "nodes_with_vector"


class Vectors(Protocol):
    """Vectors of words: given, in a file, or in a package."""

    @property
    def origin(self) -> str | None:
        """The file of the vectors, for messages; None if it is not known.

        Raises:
            VectorError: the file cannot be found.
        """
        ...

    @property
    def digest(self) -> str:
        """A hash of everything the vectors depend on.

        Raises:
            VectorError: a file cannot be found or read.
        """
        ...

    def select(self, words: Iterable[str]) -> WordVectors:
        """Look up words; words without a vector are left out of the result.

        Raises:
            VectorError: a file is missing or damaged.
        """
        ...


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and their vectors.

    Attributes:
        words: the words, without duplicates.
        matrix: words x dimension, one row per word, finite.

    Raises:
        VectorError: if the numbers of rows and words differ, a word is given twice, or a vector
            contains NaN or infinity.

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
                f"{counted(len(self.words), 'word')} but vectors of shape {matrix.shape}: "
                "give one row per word"
            )
        if len(self.rows) != len(self.words):
            raise VectorError("a word has two vectors: give each word once")
        finite = np.isfinite(matrix).all(axis=1)
        if not finite.all():
            word = self.words[int(np.argmin(finite))]
            raise VectorError(f"the vector of {word!r} contains NaN or infinity")

    @classmethod
    def of(cls, vectors: Mapping[str, Sequence[float]]) -> WordVectors:
        """Create word vectors from a mapping.

        Raises:
            VectorError: if there are no words, or the dimensions of the vectors differ.
        """
        dimensions = {len(vector) for vector in vectors.values()}
        if len(dimensions) != 1:
            raise VectorError(f"expected vectors of one dimension, got {sorted(dimensions)}")
        return cls(tuple(vectors), np.array(list(vectors.values()), np.float64))

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each word in `matrix`."""
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def digest(self) -> str:
        """A hash of the words and the vectors."""
        content = hashlib.sha256(json.dumps([self.words, str(self.matrix.dtype)]).encode())
        content.update(np.ascontiguousarray(self.matrix).tobytes())
        return content.hexdigest()

    @property
    def origin(self) -> str | None:
        """The file of the vectors, for messages: None, since it is not known."""
        return None

    @property
    def dimension(self) -> int:
        """The dimension of the vectors."""
        return int(self.matrix.shape[1])

    def get(self, word: str) -> Floats | None:
        """A word's vector, or None."""
        row = self.rows.get(word)
        return None if row is None else self.matrix[row].astype(np.float64)

    def select(self, words: Iterable[str]) -> WordVectors:
        """Vectors in which these words can be looked up: the object itself."""
        return self


@dataclass(frozen=True, kw_only=True)
class VectorSource:
    """A file of word vectors, opened only when words are looked up.

    The vectors that were looked up are cached in a small file, so that later runs need neither
    gensim nor the original file.

    Attributes:
        file: word2vec binary, word2vec text or GloVe text (also ``.gz``). None: use `name`.
        name: a model of gensim's downloader, used if no file is given.
        dimension: the required dimension of the vectors; None allows any.
        cache: the folder for cached vectors. None: ``bamboo-amr`` in the user's cache folder.

    Raises:
        OptionError: if the dimension is below 1.
    """

    # A metric's signature contains the digest of the vectors, not where they come from.
    file: str | Path | None = field(default=None, repr=False)
    name: str = field(default=DEFAULT_MODEL, repr=False)
    dimension: int | None = 100
    cache: str | Path | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.dimension is not None and self.dimension < 1:
            raise OptionError(f"dimension={self.dimension}: vectors have at least one dimension")

    @property
    def path(self) -> Path:
        """The file of the vectors; downloaded if no file is given and no copy exists.

        Raises:
            VectorError: if the file does not exist or cannot be downloaded.
        """
        if not self.file:
            return downloaded(self.name)
        path = Path(self.file).expanduser()
        if not path.is_file():
            raise VectorError(
                f"{path}: no such file of word vectors. Correct the path, or give no file to let "
                f"gensim download {self.name!r}",
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
            VectorError: if the file does not exist or cannot be read, also for lack of gensim.
        """
        digest = self._digest_of(self.path)
        if not lexicon_file(self._cache_folder(), digest).exists():
            check_gensim()  # before any work is done that will need it
        return digest

    def select(self, words: Iterable[str]) -> WordVectors:
        """Look up words; words without a vector are left out of the result.

        Raises:
            VectorError: if the file is missing or damaged, or has vectors of another dimension.
        """
        path = self.path
        lexicon = _lexicon(path, self._digest_of(path), self._cache_folder())
        vectors = lexicon.look_up(words)
        if self.dimension is not None and vectors.dimension != self.dimension:
            raise VectorError(
                f"{path}: has vectors of {vectors.dimension} dimensions, not {self.dimension}. "
                "Use another file, or set dimension to that of the file"
            )
        return vectors

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
    """The vectors of one file that were looked up so far, stored in a cache file.

    This is the only class here with mutable state: the original file is read at most once per
    process, and not at all if every word has been looked up before.
    """

    def __init__(self, source: Path, digest: str, folder: Path) -> None:
        self._source, self._digest = source, digest
        self._file = lexicon_file(folder, digest)
        self._rows: dict[str, NDArray[np.float32] | None] = {}
        self._dimension = 0
        self._keyed: Any = None
        self._read_cache()

    def look_up(self, words: Iterable[str]) -> WordVectors:
        """Look up words, in order of first mention; words without a vector are left out."""
        unique = list(dict.fromkeys(words))
        new = [word for word in unique if word not in self._rows]
        if new or not self._dimension:
            self._look_up_in_source(new)
        known = {word: row for word in unique if (row := self._rows[word]) is not None}
        matrix = np.array(list(known.values()), np.float32).reshape(len(known), self._dimension)
        return WordVectors(tuple(known), matrix)

    def _look_up_in_source(self, words: Sequence[str]) -> None:
        if self._keyed is None:
            self._keyed = read_keyed_vectors(self._source)
            self._dimension = int(self._keyed.vector_size)
        self._read_cache()  # another process may have added words
        for word in words:
            row = self._keyed.key_to_index.get(word)
            self._rows[word] = None if row is None else self._keyed.vectors[row]
        self._write_cache()

    def _read_cache(self) -> None:
        """Read the cache file; a damaged file is ignored with a warning, and written again."""
        try:
            arrays = read_arrays(self._file)
            words = json.loads(arrays["words"].tobytes())
            missing = json.loads(arrays["missing"].tobytes())
            matrix = np.asarray(arrays["matrix"], np.float32)
            if str(arrays["source"]) != self._digest or len(matrix) != len(words):
                raise ValueError("it belongs to another file of word vectors")
        except OSError:
            return
        except (ValueError, KeyError, TypeError) as error:
            warnings.warn(
                f"the cached word vectors in {self._file} are damaged ({error}): they are looked "
                f"up again in {self._source}",
                RuntimeWarning,
                stacklevel=2,
            )
            return
        self._dimension = int(matrix.shape[1])
        self._rows |= dict.fromkeys(missing, None)
        self._rows |= zip(words, matrix, strict=True)

    def _write_cache(self) -> None:
        known = {word: row for word, row in self._rows.items() if row is not None}
        missing = [word for word, row in self._rows.items() if row is None]
        matrix = np.array(list(known.values()), np.float32).reshape(len(known), self._dimension)
        arrays = {
            "source": np.array(self._digest),
            "words": np.frombuffer(json.dumps(list(known)).encode(), np.uint8),
            "missing": np.frombuffer(json.dumps(missing).encode(), np.uint8),
            "matrix": matrix,
        }
        # Written to a temporary file and renamed: no other process reads an incomplete file.
        temporary = self._file.with_suffix(f".{os.getpid()}.npz")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open("wb") as file:
                write_arrays(file, arrays, compress=False)
            os.replace(temporary, self._file)
        except OSError as error:
            raise VectorError(
                f"{self._file.parent}: word vectors cannot be cached there ({error.strerror}). "
                "Use a folder that can be written to",
                argument="cache",
            ) from None
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


def lexicon_file(folder: Path, digest: str) -> Path:
    """The file that caches the vectors looked up in the file with a digest."""
    return folder / f"vectors-{digest[:16]}.v2.npz"


@cache
def _lexicon(path: Path, digest: str, folder: Path) -> Lexicon:
    return Lexicon(path, digest, folder)


def sums(flags: Bools, start: Ints) -> Ints:
    """Count the flags set in each part; part k goes from ``start[k]`` to ``start[k + 1]``.

    >>> sums(np.array([True, False, True]), np.array([0, 0, 3])).tolist()
    [0, 2]
    """
    return np.asarray(np.diff(np.concatenate([[0], np.cumsum(flags)])[start]))


@compiled
def group_means(
    matrix: NDArray[np.floating[Any]], rows: Ints, shares: Floats, start: Ints
) -> Floats:
    """The mean of some rows of a matrix, times their shares, for each group; zeros if it is empty.

    Args:
        rows, shares: those of group g go from ``start[g]`` to ``start[g + 1]``.
    """
    out = np.zeros((start.size - 1, matrix.shape[1]))
    for g in range(start.size - 1):
        size = start[g + 1] - start[g]
        for k in range(start[g], start[g + 1]):
            row, share = rows[k], shares[k] / size
            for d in range(matrix.shape[1]):
                out[g, d] += share * matrix[row, d]
    return out
