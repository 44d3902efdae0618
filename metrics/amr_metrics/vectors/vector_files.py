"""Files of word vectors, read through gensim: word2vec binary, word2vec text and GloVe text."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import itertools
import os
import sys
import warnings
import zlib
from codecs import BOM_UTF8
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np

from amr_metrics.errors import VectorError
from amr_metrics.utils.extras import describe_lacking
from amr_metrics.utils.text import decimal, format_count

# Of the models of gensim's downloader that are used here by default.
SHA256 = {
    "glove-wiki-gigaword-100": "4934d4708bf3d65f28fc984dbbfa18af9cbd2505d166a7258a1a957808559b43"
}
DIGITS = 12  # of the numbers in a header
MOST_COMPRESSED = 1100  # no gzip file is smaller than its content by more than this factor
HEAD = 1 << 16  # bytes read to detect the format: more than any header and first vector need


class Layout(NamedTuple):
    """Format of a file of vectors: whether it has a ``count dimension`` header, and is binary."""

    header: bool
    binary: bool


def read_keyed_vectors(path: Path) -> Any:
    """Read a file of vectors as gensim ``KeyedVectors``; ``.gz`` files are decompressed.

    Raises:
        VectorError: if the file is missing, truncated, in an unknown format, or contains NaN, or
            gensim is not installed.
    """
    layout = file_layout(path)
    check_gensim()
    from gensim.models import KeyedVectors

    keyed, damage = None, ""
    with warnings.catch_warnings():
        # Without a header gensim opens the file twice and forgets to close it once.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            keyed = KeyedVectors.load_word2vec_format(
                str(path), binary=layout.binary, no_header=not layout.header
            )
            if layout.header:
                damage = _describe_rest(path, keyed, layout.binary)
        except Exception as error:  # of a damaged file gensim and its packages may raise anything
            damage = " ".join(str(error).split()) or type(error).__name__
    if keyed is None or damage:
        raise _report_damage(path, damage)
    finite = np.isfinite(keyed.vectors).all(axis=1)
    if not finite.all():
        word = keyed.index_to_key[int(np.argmin(finite))]
        raise VectorError(
            f"{path}: the vector of {word!r} contains NaN or infinity: download the file again"
        )
    return keyed


def _describe_rest(path: Path, keyed: Any, binary: bool) -> str:
    """Say what is wrong if a file goes on after the vectors its header announces, else "".

    gensim would leave out the rest without a message.
    """
    with _open_file(path) as file:
        first = file.readline()
        count = int(first.split()[0])
        if not binary:
            rest = any(line.strip() for line in itertools.islice(file, count, None))
        elif len(keyed.key_to_index) < count:  # a word occurs twice: its length is counted once
            rest = False
        else:
            words = sum(len(word.encode()) for word in keyed.key_to_index)
            size = len(first) + words + count * (1 + 4 * keyed.vector_size)
            while block := file.read(1 << 20):
                size -= len(block)
            # There may be a line feed after each vector.
            rest = len(first) - size > count
    return (
        f"there is more after the {format_count(count, 'vector')} that its first line announces"
        if rest
        else ""
    )


def file_layout(path: Path) -> Layout:
    """Detect the format of a file of vectors from its first bytes.

    Raises:
        VectorError: if the file cannot be opened, or is in none of the formats.
    """
    try:
        with _open_file(path) as file:
            head = file.read(HEAD)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise _report_damage(path, str(error)) from None
    except OSError as error:
        raise VectorError(f"{path}: cannot be read: {error.strerror}. Check the path") from None
    if head.startswith(BOM_UTF8):
        raise VectorError(
            f"{path}: starts with a byte order mark, which would be part of the first word: remove "
            f"it (tail -c +4 {path.name} > NEW_FILE)"
        )
    first, _, rest = head.partition(b"\n")
    cells = first.split()
    if len(cells) == 2 and all(cell.isdigit() for cell in cells):
        if max(map(len, cells)) > DIGITS:
            raise _report_damage(path, f"its first line is {_quote_line(first)}")
        count, dimension = map(int, cells)
        second = rest.partition(b"\n")[0]
        binary = not _is_text(second, dimension)
        _check_size(path, count, dimension, binary)
        return Layout(header=True, binary=binary)
    if len(cells) > 2 and _is_text(first, len(cells) - 1):
        return Layout(header=False, binary=False)
    raise VectorError(
        f"{path}: is not a file of word vectors. It should begin with `words dimension` (word2vec) "
        "or with a word and its numbers (GloVe)"
    )


def _check_size(path: Path, count: int, dimension: int, binary: bool) -> None:
    """Check that a file can hold as many numbers as its header says, before memory is allocated.

    Raises:
        VectorError: it cannot.
    """
    size = path.stat().st_size * (MOST_COMPRESSED if path.suffix == ".gz" else 1)
    # A word, a space, then numbers of four bytes; or of at least one digit and a space.
    needed = count * (2 + (4 if binary else 2) * dimension - (0 if binary else 1))
    if not dimension or needed > size:
        raise _report_damage(
            path,
            f"its first line announces {format_count(count, 'vector')} of "
            f"{format_count(dimension, 'number')}, for which it is too short",
        )


def check_gensim() -> None:
    """Check that gensim, which reads and downloads word vectors, is installed.

    Raises:
        VectorError: it is not; the message says how to install it.
    """
    if (problem := describe_lacking("vectors", "word vectors")) is not None:
        raise VectorError(problem)


def download_model(name: str) -> Path:
    """Return the file of a model of gensim's downloader, downloaded if necessary.

    Raises:
        VectorError: if it cannot be downloaded, or is not the known file; the message names the
            alternatives.
    """
    folder = Path(os.environ.get("GENSIM_DATA_DIR", "~/gensim-data")).expanduser()
    # gensim needs the network even for a model that was downloaded before: check first.
    path = folder / name / f"{name}.gz"
    if path.exists():
        return path
    check_gensim()
    import gensim.downloader

    try:
        with contextlib.redirect_stdout(sys.stderr):
            path = Path(gensim.downloader.load(name, return_path=True))
        _check_download(path, name)
        return path
    except VectorError:
        raise
    except Exception as error:  # gensim raises whatever urllib, json or its checksum give it
        raise VectorError(
            f"no word vectors: no file was given, and gensim could not download {name!r} "
            f"({error}). Either give a file of vectors (word2vec binary, word2vec text or GloVe "
            "text, such as glove.6B.100d.txt) with BAMBOO_VECTORS=FILE or in Python with "
            "vectors=VectorSource(file=FILE), or call "
            f"`gensim.downloader.load({name!r})` on a machine with network access",
            argument="file",
        ) from None


def _check_download(path: Path, name: str) -> None:
    """Check that a model that was just downloaded is the known one; any other file is removed.

    gensim compares it with a checksum that it downloads too, which does not protect against an
    altered source.

    Raises:
        VectorError: it is another file.
    """
    expected = SHA256.get(name)
    if expected is None:
        return
    with path.open("rb") as file:
        received = hashlib.file_digest(file, "sha256").hexdigest()
    if received != expected:
        path.unlink()
        raise VectorError(
            f"{path}: the file that gensim downloaded is not the known {name!r}, and was removed: "
            f"expected SHA-256 {expected}, received {received}. Give a file of vectors instead",
            argument="file",
        )


def _report_damage(path: Path, damage: str) -> VectorError:
    return VectorError(
        f"{path}: the vectors cannot be read ({damage}). The file is truncated or damaged: "
        "download it again"
    )


def _open_file(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _is_text(line: bytes, dimension: int) -> bool:
    """Check whether a line is a word and `dimension` numbers."""
    cells = line.split()
    if len(cells) != dimension + 1:
        return False
    try:
        for cell in cells[1:]:
            decimal(cell.decode("ascii"))
    except ValueError:
        return False
    return True


def _quote_line(line: bytes) -> str:
    return repr(line[:40].decode("utf-8", "backslashreplace"))
