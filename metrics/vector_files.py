"""Files of word vectors, read through gensim: word2vec binary, word2vec text and GloVe text."""

from __future__ import annotations

import contextlib
import gzip
import os
import sys
import warnings
import zlib
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np

from metrics.errors import VectorError

HEAD = 1 << 16  # bytes read to detect the format: more than any header and first vector need


class Layout(NamedTuple):
    """Format of a file of vectors: whether it has a ``count dimension`` header, and is binary."""

    header: bool
    binary: bool


def read_keyed_vectors(path: Path) -> Any:
    """Read a file of vectors as gensim ``KeyedVectors``; ``.gz`` files are decompressed.

    Raises:
        VectorError: if the file is missing, truncated, in an unknown format, or contains NaN.
    """
    layout = file_layout(path)
    from gensim.models import KeyedVectors

    keyed, damage = None, ""
    with warnings.catch_warnings():
        # Without a header gensim opens the file twice and forgets to close it once.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            keyed = KeyedVectors.load_word2vec_format(
                str(path), binary=layout.binary, no_header=not layout.header
            )
        except (EOFError, ValueError, IndexError, OSError, zlib.error) as error:
            damage = str(error)
    if keyed is None:
        raise _damaged(path, damage)
    finite = np.isfinite(keyed.vectors).all(axis=1)
    if not finite.all():
        word = keyed.index_to_key[int(np.argmin(finite))]
        raise VectorError(
            f"{path}: the vector of {word!r} contains NaN or infinity: download the file again"
        )
    return keyed


def file_layout(path: Path) -> Layout:
    """Detect the format of a file of vectors from its first bytes.

    Raises:
        VectorError: if the file cannot be opened, or is in none of the formats.
    """
    try:
        with _opened(path) as file:
            head = file.read(HEAD)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise _damaged(path, str(error)) from None
    except OSError as error:
        raise VectorError(f"{path}: cannot be read: {error.strerror}. Check the path") from None
    first, _, rest = head.partition(b"\n")
    cells = first.split()
    if len(cells) == 2 and all(cell.isdigit() for cell in cells):
        second = rest.partition(b"\n")[0]
        return Layout(header=True, binary=not _is_text(second, int(cells[1])))
    if len(cells) > 2 and _is_text(first, len(cells) - 1):
        return Layout(header=False, binary=False)
    raise VectorError(
        f"{path}: is not a file of word vectors. It should begin with `words dimension` (word2vec) "
        "or with a word and its numbers (GloVe)"
    )


def downloaded(name: str) -> Path:
    """The file of a model of gensim's downloader, downloaded if necessary.

    Raises:
        VectorError: if it cannot be downloaded; the message names the alternatives.
    """
    folder = Path(os.environ.get("GENSIM_DATA_DIR", "~/gensim-data")).expanduser()
    # gensim needs the network even for a model that was downloaded before: check first.
    path = folder / name / f"{name}.gz"
    if path.exists():
        return path
    import gensim.downloader

    try:
        with contextlib.redirect_stdout(sys.stderr):
            return Path(gensim.downloader.load(name, return_path=True))
    except Exception as error:  # gensim raises whatever urllib, json or its checksum give it
        raise VectorError(
            f"no word vectors: no file was given, and gensim could not download {name!r} "
            f"({error}). Either give a file of vectors (word2vec binary, word2vec text or GloVe "
            "text, such as glove.6B.100d.txt), or call "
            f"`gensim.downloader.load({name!r})` on a machine with network access",
            argument="file",
        ) from None


def _damaged(path: Path, damage: str) -> VectorError:
    return VectorError(
        f"{path}: the vectors cannot be read ({damage}). The file is truncated or damaged: "
        "download it again"
    )


def _opened(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _is_text(line: bytes, dimension: int) -> bool:
    """Whether a line is a word and `dimension` numbers."""
    cells = line.split()
    if len(cells) != dimension + 1:
        return False
    try:
        for cell in cells[1:]:
            float(cell)
    except ValueError:
        return False
    return True
