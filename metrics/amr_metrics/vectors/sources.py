"""Word vectors in memory and in files."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from amr_metrics.errors import OptionError, VectorError
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.files import replace_file
from amr_metrics.utils.text import format_count
from amr_metrics.vectors.vector_files import check_gensim, download_model, read_keyed_vectors

DEFAULT_MODEL = "glove-wiki-gigaword-100"
VARIABLES = {"file": "BAMBOO_VECTORS", "cache": "BAMBOO_CACHE_DIR"}  # for options not given

WORDS, MATRIX = ".words.txt", ".matrix.npy"  # endings of the files of converted vectors
# Lengths of vectors, roughly: products of four of them neither overflow nor vanish, also after WL
# iterations. Files have numbers of four bytes, all of which are within.
SMALLEST, LARGEST = 1e-45, 1e45

KEPT = 1 << 17  # words that are kept when they were looked up, of each source of vectors


class Vectors(Protocol):
    """Vectors of words: given, in a file, or in a package."""

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
            contains NaN or infinity, or has a length outside `SMALLEST` to `LARGEST` that is not 0.

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
                f"{format_count(len(self.words), 'word')} but vectors of shape {matrix.shape}: "
                "give one row per word"
            )
        if len(self.rows) != len(self.words):
            raise VectorError("a word has two vectors: give each word once")
        largest = np.abs(matrix).max(axis=1).astype(np.float64)  # NaN if there is one
        good = (largest == 0) | ((largest >= SMALLEST) & (largest <= LARGEST))
        if not good.all():
            row = int(np.argmin(good))
            problem = "contains NaN or infinity"
            if np.isfinite(largest[row]):
                problem = (
                    f"has the length {largest[row]:.0e}, with which cosines cannot be computed: "
                    f"scale all vectors to lengths between {SMALLEST:g} and {LARGEST:g}, or 0"
                )
            raise VectorError(f"the vector of {self.words[row]!r} {problem}")

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
    def dimension(self) -> int:
        """The dimension of the vectors."""
        return int(self.matrix.shape[1])

    def get(self, word: str) -> Floats | None:
        """Return a word's vector, or None."""
        row = self.rows.get(word)
        return None if row is None else self.matrix[row].astype(np.float64)

    def select(self, words: Iterable[str]) -> WordVectors:
        """Return the object itself, in which the words can be looked up."""
        return self


@dataclass(frozen=True, kw_only=True)
class VectorSource:
    """A file of word vectors, opened only when words are looked up.

    The file is converted once to arrays in the cache folder, which later processes map into memory:
    they need neither gensim nor time to read it.

    Attributes:
        file: word2vec binary, word2vec text or GloVe text (also ``.gz``). None: the file that the
            environment variable ``BAMBOO_VECTORS`` names, or else `name`.
        name: a model of gensim's downloader, used if no file is given.
        dimension: the required dimension of the vectors; None allows any.
        cache: the folder for converted vectors. None: the folder that ``BAMBOO_CACHE_DIR`` names,
            or else ``bamboo-amr`` in the user's cache folder.

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
        # Read here and not when words are looked up, which may be in a process on another machine.
        for option, variable in VARIABLES.items():
            if not getattr(self, option):
                object.__setattr__(self, option, os.environ.get(variable) or None)

    @property
    def path(self) -> Path:
        """The file of the vectors; downloaded if no file is given and no copy exists.

        Raises:
            VectorError: if the file does not exist or cannot be downloaded.
        """
        if not self.file:
            return download_model(self.name)
        path = Path(self.file).expanduser()
        if not path.is_file():
            raise VectorError(
                f"{path}: no such file of word vectors. Correct the path, or give no file to let "
                f"gensim download {self.name!r}",
                argument="file",
            )
        return path

    @property
    def digest(self) -> str:
        """The SHA-256 of the file.

        Raises:
            VectorError: if the file does not exist or cannot be read, also for lack of gensim.
        """
        digest = self._digest_of(self.path)
        if not locate_converted_file(self._cache_folder(), digest).exists():
            check_gensim()  # before any work is done that will need it
        return digest

    def select(self, words: Iterable[str]) -> WordVectors:
        """Look up words; words without a vector are left out of the result.

        Raises:
            VectorError: if the file is missing or damaged, or has vectors of another dimension.
        """
        path = self.path
        converted = _load_converted(path, self._digest_of(path), self._cache_folder())
        dimension = converted.matrix.shape[1]
        if self.dimension is not None and dimension != self.dimension:
            raise VectorError(
                f"{path}: has vectors of {dimension} dimensions, not {self.dimension}. "
                "Use another file, or set dimension to that of the file"
            )
        return converted.look_up(words)

    def _digest_of(self, path: Path) -> str:
        try:
            return file_digest(path)
        except OSError as error:
            raise VectorError(f"{path}: cannot be read: {error.strerror}") from None

    def _cache_folder(self) -> Path:
        if self.cache:
            return Path(self.cache).expanduser()
        import pooch

        return Path(pooch.os_cache("bamboo-amr"))


class MappedVectors:
    """Word vectors in arrays that are mapped into memory, sorted by the words' UTF-8.

    Attributes:
        matrix: float32, words x dimension.
    """

    def __init__(self, words: NDArray[np.uint8], matrix: NDArray[np.float32]) -> None:
        self.matrix = matrix
        self._bytes = words  # the UTF-8 of all words, each with a line feed behind it
        self._ends = np.flatnonzero(words == ord("\n"))
        self._rows: dict[str, int] = {}  # of the words that were looked up so far; -1: no vector

    def look_up(self, words: Iterable[str]) -> WordVectors:
        """Look up words, in order of first mention; words without a vector are left out."""
        if len(self._rows) > KEPT:
            self._rows.clear()
        rows = {}
        for word in words:
            if word not in self._rows:
                self._rows[word] = self._row(word.encode(errors="surrogatepass"))
            if self._rows[word] >= 0:
                rows[word] = self._rows[word]
        return WordVectors(tuple(rows), self.matrix[np.array([*rows.values()], np.int64)])

    def _row(self, word: bytes) -> int:
        row = bisect_left(range(len(self._ends)), word, key=self._word)
        return row if row < len(self._ends) and self._word(row) == word else -1

    def _word(self, row: int) -> bytes:
        begin = self._ends[row - 1] + 1 if row else 0
        return self._bytes[begin : self._ends[row]].tobytes()


@cache
def _load_converted(path: Path, digest: str, folder: Path) -> MappedVectors:
    """Map the vectors of a file into memory; convert the file if this was not done before."""
    file = locate_converted_file(folder, digest)
    try:
        return _map_files(file)
    except OSError:
        pass
    except Exception as error:  # of a damaged file json and NumPy may raise anything
        warnings.warn(
            f"the cached word vectors in {file} are damaged ({error}): {path} is read again",
            RuntimeWarning,
            stacklevel=2,
        )
    keyed = read_keyed_vectors(path)
    # A word that occurs twice has one number, and gensim leaves the last of its list empty.
    rows = {word.encode(): k for word, k in keyed.key_to_index.items() if "\n" not in word}
    order = sorted(rows)
    try:
        with replace_file(file.with_suffix(WORDS)) as out:
            out.writelines(word + b"\n" for word in order)
        with replace_file(file.with_suffix(MATRIX)) as out:
            np.save(out, keyed.vectors[[rows[word] for word in order]])
        with replace_file(file) as out:  # last: without it, the other two are not used
            out.write(json.dumps(_find_checksums(file)).encode())
        return _map_files(file)
    except OSError as error:
        raise VectorError(
            f"{folder}: word vectors cannot be cached there ({error.strerror}). "
            "Use a folder that can be written to",
            argument="cache",
        ) from None


def _map_files(file: Path) -> MappedVectors:
    if json.loads(file.read_bytes()) != _find_checksums(file):
        raise ValueError("their content does not match its checksum")
    matrix = np.load(file.with_suffix(MATRIX), mmap_mode="r")
    return MappedVectors(np.fromfile(file.with_suffix(WORDS), np.uint8), np.asarray(matrix))


def _find_checksums(file: Path) -> list[str]:
    """Return the SHA-256 of words and matrix, computed again only if the files change."""
    return [file_digest(file.with_suffix(suffix)) for suffix in (WORDS, MATRIX)]


def locate_converted_file(folder: Path, digest: str) -> Path:
    """Return the file of checksums of the conversion of a file with this digest."""
    return folder / f"vectors-{digest[:16]}.json"


def group_means(
    matrix: NDArray[np.floating[Any]], rows: Ints, shares: Floats, start: Ints
) -> Floats:
    """Average some rows of a matrix, times their shares, for each group; zeros if it is empty.

    Args:
        rows, shares: for each row of a group; group g has ``rows[start[g]:start[g + 1]]``.
    """
    is_single = matrix.dtype == np.float32
    matrix = np.ascontiguousarray(matrix, np.float32 if is_single else np.float64)
    means = np.empty((len(start) - 1, matrix.shape[1]))
    compute = _average_single_rows if is_single else _average_rows
    compute(len(means), len(rows), *matrix.shape, matrix, rows, shares, start, means)
    return means


_average_rows = declare_kernel("average_rows")
_average_single_rows = declare_kernel("average_single_rows")
