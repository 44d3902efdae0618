"""Read and decode graph files, which are in UTF-8."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path

from metrics.errors import GraphError
from metrics.lines import split_lines

GZIP = b"\x1f\x8b"


def read_bytes(path: str | Path) -> bytes:
    """The content of a file.

    Raises:
        GraphError: if the file cannot be read.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise GraphError(
            f"cannot be read: {error.strerror}. Check the path", source=str(path)
        ) from None


def after_mark(data: bytes, source: str) -> int:
    """The length of the byte order mark of UTF-8 at the start of a file: 3 or 0 bytes.

    Raises:
        GraphError: the file starts like a file in UTF-16 or one compressed with gzip.
    """
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise GraphError(
            "is UTF-16, not UTF-8: convert the file first (iconv -f UTF-16 -t UTF-8)",
            source=source,
            line=1,
        )
    if data.startswith(GZIP):
        raise GraphError(
            "is compressed with gzip: give it a name that ends in .gz, or decompress it first "
            "(gunzip)",
            source=source,
        )
    return len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0


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
            "(iconv -f LATIN1 -t UTF-8)",
            source=source,
            line=line + len(split_lines(before + ".")) - 1,
        ) from None
