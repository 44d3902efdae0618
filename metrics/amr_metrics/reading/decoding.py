"""Read and decode graph files, which are in UTF-8 and may be compressed with gzip."""

from __future__ import annotations

import gzip
import re
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from pathlib import Path
from typing import Protocol, Self

from amr_metrics import limits
from amr_metrics.errors import GraphError
from amr_metrics.utils.text import split_lines

GZIP = b"\x1f\x8b"  # the first bytes of a gzip file
# UTF-32 first: its little-endian mark starts like that of UTF-16.
OTHER_ENCODINGS = (
    (BOM_UTF32_LE, "UTF-32"),
    (BOM_UTF32_BE, "UTF-32"),
    (BOM_UTF16_LE, "UTF-16"),
    (BOM_UTF16_BE, "UTF-16"),
)

# How files begin that users mistake for files of graphs, and what to do with them.
OTHER_FILES = (
    (re.compile(rb"PK(\x03\x04|\x05\x06)"), "a zip archive: extract the files first (unzip)"),
    (
        re.compile(rb"\s*(\{\s*\"|\[\s*[\[{\"])"),
        "JSON: write the graphs that it contains to a file of their own, as text with a blank line "
        "after each graph",
    ),
)

HEAD = 64  # bytes by which other kinds of files are recognised
UTF16_HEAD = 8  # and UTF-16 without a byte order mark


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Read at most `size` bytes; none at the end."""


class GraphStream:
    """The bytes of a file of graphs, decompressed if the file is compressed with gzip.

    A byte order mark at the start is skipped. A context manager: it closes the file.

    Raises:
        GraphError: the file cannot be read, its compressed content is damaged or incomplete, or it
            is in UTF-16 or UTF-32, a zip archive or JSON. `read` raises the same, and if a whole
            compressed file has more than `limits.TEXT`.
    """

    def __init__(self, file: Readable, source: str) -> None:
        self._file, self._source = file, source
        self._stream: Readable = file  # from which `read` reads
        head = self._head(len(GZIP))
        self._stream = _Prefixed(head, file)
        self._is_compressed = head == GZIP
        if self._is_compressed:
            self._stream = gzip.GzipFile(fileobj=self._stream)  # type: ignore[call-overload]
        head = self._head(HEAD)
        self._stream = _Prefixed(head[bom_length(head, source) :], self._stream)

    def _head(self, size: int) -> bytes:
        """Read the first bytes; fewer if the file is shorter."""
        head = b""
        while len(head) < size and (more := self.read(size - len(head))):
            head += more
        return head

    @classmethod
    def open(cls, path: str | Path) -> GraphStream:
        """Open a file."""
        try:
            file = Path(path).open("rb")  # noqa: SIM115  (closed by `__exit__`)
        except OSError as error:
            raise _unreadable(error, str(path)) from None
        try:
            return cls(file, str(path))
        except GraphError:
            file.close()
            raise

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes, or everything; none at the end."""
        bounded = size < 0 and self._is_compressed
        try:
            data = self._stream.read(limits.TEXT + 1 if bounded else size)
        except EOFError:
            problem = (
                "ends in the middle of its compressed content (gzip): it is incomplete. "
                "Copy or create it again"
            )
            raise GraphError(problem, source=self._source) from None
        except (gzip.BadGzipFile, zlib.error) as error:
            problem = f"has damaged compressed content (gzip): {error}. Copy or create it again"
            raise GraphError(problem, source=self._source) from None
        except OSError as error:
            raise _unreadable(error, self._source) from None
        if bounded and len(data) > limits.TEXT:
            most = limits.readable(limits.TEXT)
            problem = f"has more than {most} of compressed content: decompress it first"
            raise GraphError(problem, source=self._source)
        return data

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if (close := getattr(self._file, "close", None)) is not None:
            close()


class _Prefixed:
    """A stream that returns the bytes that were already read from another one, then the rest."""

    def __init__(self, head: bytes, stream: Readable) -> None:
        self._head, self._stream = head, stream

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes, but at least the first ones; everything if it is negative."""
        head, self._head = self._head, b""
        return head + self._stream.read(max(size - len(head), 0) if size >= 0 else size)


def _unreadable(error: OSError, source: str) -> GraphError:
    return GraphError(f"cannot be read: {error.strerror}. Check the path", source=source)


def read_bytes(path: str | Path) -> bytes:
    """Return the content of a file, decompressed and without a byte order mark.

    Raises:
        GraphError: as for `GraphStream`.
    """
    with GraphStream.open(path) as stream:
        return stream.read()


def bom_length(data: bytes, source: str) -> int:
    """Return the length of UTF-8's byte order mark (BOM) at the start of a file: 3 or 0 bytes.

    Raises:
        GraphError: the file starts like one in UTF-16 or UTF-32, a zip archive or JSON.
    """
    for mark, encoding in OTHER_ENCODINGS:
        if data.startswith(mark):
            raise _other_encoding(encoding, encoding, source)
    head = data[:UTF16_HEAD]
    for encoding, zeros, others in (
        ("UTF-16BE", head[::2], head[1::2]),
        ("UTF-16LE", head[1::2], head[::2]),
    ):
        # ASCII characters in UTF-16: of each two bytes one is zero and the other is not.
        if len(head) > 1 and not any(zeros) and all(others):
            raise _other_encoding("UTF-16", encoding, source)
    length = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    for beginning, what in OTHER_FILES:
        if beginning.match(data, length):
            raise GraphError(f"is {what}", source=source)
    return length


def _other_encoding(name: str, encoding: str, source: str) -> GraphError:
    return GraphError(
        f"is {name}, not UTF-8: convert the file first (iconv -f {encoding} -t UTF-8)",
        source=source,
        line=1,
    )


def decode(data: bytes, source: str, line: int = 1) -> str:
    """Decode UTF-8.

    Args:
        data: part of a file, without a byte order mark.
        line: the number of its first line.

    Raises:
        GraphError: it is not valid UTF-8. The message names the line.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise GraphError(
            f"byte 0x{data[error.start]:02x} is not UTF-8: convert the file first "
            "(iconv -f LATIN1 -t UTF-8), or decompress it if it is an archive other than gzip",
            source=source,
            line=line + len(split_lines(before + ".")) - 1,
        ) from None
