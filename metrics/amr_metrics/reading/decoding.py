"""Read graph files, which may be compressed with gzip."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path
from typing import NamedTuple, Protocol, Self

from amr_metrics import limits
from amr_metrics.errors import GraphError
from amr_metrics.utils.decoding import GZIP, check_encoding, strip_marks

AS_TEXT = (
    "write the graphs that it contains to a file of their own, as text with a blank line after "
    "each graph"
)


class OtherFile(NamedTuple):
    """A kind of file that users mistake for files of graphs.

    Attributes:
        beginning: how it begins.
        what: what it is, and what to do with it.
        argument: the argument of `GraphStream` that accepts it, if any.
    """

    beginning: re.Pattern[bytes]
    what: str
    argument: str | None = None


OTHER_FILES = (
    OtherFile(
        re.compile(rb"PK(\x03\x04|\x05\x06)"), "a zip archive: extract the files first (unzip)"
    ),
    OtherFile(
        re.compile(rb"PAR1"),
        "a Parquet file: read it in Python (pandas.read_parquet), and score its rows there: "
        "bamboo.score(rows, gold, field=NAME, id_field=NAME)",
    ),
    OtherFile(
        re.compile(rb"\x80[\x02-\x05]"),
        f"a pickle of Python objects: in Python, {AS_TEXT}",
    ),
    OtherFile(
        re.compile(rb"\s*<(!doctype\s+html|html|head|body)\b", re.IGNORECASE),
        "an HTML page: download the file itself, such as the raw file instead of the page about it",
    ),
    OtherFile(re.compile(rb"\s*<[?!]"), f"XML or HTML: {AS_TEXT}"),
    OtherFile(re.compile(rb"\s*<[A-Za-z]"), f"XML or HTML: {AS_TEXT}", "is_prose"),
    OtherFile(re.compile(rb"\s*(\{\s*\"|\[\s*[\[{\"])"), f"JSON: {AS_TEXT}", "is_json"),
)

HEAD = 64  # bytes by which other kinds of files are recognised


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Read at most `size` bytes; none at the end."""


class GraphStream:
    """The bytes of a file of graphs, decompressed if the file is compressed with gzip.

    A byte order mark at the start is skipped, and if everything is read at once, those of files
    that were joined as well (`strip_marks`). A context manager: it closes the file.

    Args:
        is_json: whether it may be JSON.
        is_prose: whether it may begin with a tag, as answers of language models do.

    Raises:
        GraphError: the file cannot be read, its compressed content is damaged or incomplete, or it
            is in UTF-16 or UTF-32, or one of `OTHER_FILES`. `read` raises the same, and if a whole
            compressed file has more than `limits.TEXT`.
    """

    def __init__(
        self, file: Readable, source: str, *, is_json: bool = False, is_prose: bool = False
    ) -> None:
        self._file, self._source = file, source
        self._stream: Readable = file  # from which `read` reads
        head = self._head(len(GZIP))
        self._stream = _Prefixed(head, file)
        self._is_compressed = head == GZIP
        if self._is_compressed:
            self._stream = gzip.GzipFile(fileobj=self._stream)  # type: ignore[call-overload]
        head = self._head(HEAD)
        check_encoding(head, source)
        head = strip_marks(head)
        accepted = {"is_json": is_json, "is_prose": is_prose}
        for beginning, what, argument in OTHER_FILES:
            if beginning.match(head) and not accepted.get(argument or ""):
                raise GraphError(f"is {what}", source=source, argument=argument)
        self._stream = _Prefixed(head, self._stream)

    def _head(self, size: int) -> bytes:
        """Read the first bytes; fewer if the file is shorter."""
        head = b""
        while len(head) < size and (more := self.read(size - len(head))):
            head += more
        return head

    @classmethod
    def open(
        cls, path: str | Path, *, is_json: bool = False, is_prose: bool = False
    ) -> GraphStream:
        """Open a file; see the class."""
        try:
            file = Path(path).open("rb")  # noqa: SIM115  (closed by `__exit__`)
        except OSError as error:
            raise _report_unreadable(error, str(path)) from None
        try:
            return cls(file, str(path), is_json=is_json, is_prose=is_prose)
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
            raise _report_unreadable(error, self._source) from None
        if bounded and len(data) > limits.TEXT:
            most = limits.readable(limits.TEXT)
            problem = f"has more than {most} of compressed content: decompress it first"
            raise GraphError(problem, source=self._source)
        return strip_marks(data) if size < 0 else data

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


def _report_unreadable(error: OSError, source: str) -> GraphError:
    return GraphError(f"cannot be read: {error.strerror}. Check the path", source=source)


def read_bytes(path: str | Path) -> bytes:
    """Return the content of a file, decompressed and without byte order marks.

    Raises:
        GraphError: as for `GraphStream`.
    """
    with GraphStream.open(path) as stream:
        return stream.read()
