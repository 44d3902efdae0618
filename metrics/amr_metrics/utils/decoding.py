"""Decode and encode text in UTF-8, and say how files in other encodings are converted."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from pathlib import Path

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
UTF16_HEAD = 8  # bytes by which UTF-16 without a byte order mark is recognised
ENCODED_HALF = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")  # of a surrogate pair

# Files that were joined have a mark where each of them starts: at the start of a line, or behind
# the last parenthesis of a file without a line end.
MARKS = re.compile(rb"(?:\A|(?<=[\r\n])|(?<=\))(?=\xef\xbb\xbf[#(]))(?:\xef\xbb\xbf)+")


def load_text(path: str | Path) -> str:
    """Read a file of text that a user gives, such as a table or a lexicon.

    Byte order marks are skipped, see `strip_marks`.

    Raises:
        OSError: the file cannot be read.
        GraphError: it is not in UTF-8. The message names the line, but not the file.
    """
    data = Path(path).read_bytes()
    if data.startswith(GZIP):
        raise GraphError("is compressed with gzip: decompress it first (gunzip)")
    check_encoding(data)
    return decode(strip_marks(data))


def strip_marks(data: bytes) -> bytes:
    r"""Remove byte order marks at the start of a text, and at the start of files joined in it.

    >>> strip_marks("\ufeffa\ufeffb\n\ufeffc\n".encode()).decode()
    'a\ufeffb\nc\n'
    """
    # The search for one byte is ten times as fast as that for three.
    return MARKS.sub(b"", data) if BOM_UTF8[:1] in data and BOM_UTF8 in data else data


def check_encoding(data: bytes, source: str | None = None) -> None:
    """Check that a text does not start like one in UTF-16 or UTF-32.

    Args:
        data: its first bytes, or all of it.
        source: the name of the file in messages.

    Raises:
        GraphError: it does; the message says how to convert it.
    """
    for mark, encoding in OTHER_ENCODINGS:
        if data.startswith(mark):
            raise _report_other_encoding(encoding, encoding, source)
    head = data[:UTF16_HEAD]
    for encoding, zeros, others in (
        ("UTF-16BE", head[::2], head[1::2]),
        ("UTF-16LE", head[1::2], head[::2]),
    ):
        # ASCII characters in UTF-16: of each two bytes one is zero and the other is not.
        if len(head) > 1 and not any(zeros) and all(others):
            raise _report_other_encoding("UTF-16", encoding, source)


def _report_other_encoding(name: str, encoding: str, source: str | None) -> GraphError:
    return GraphError(
        f"is {name}, not UTF-8: convert the file first (iconv -f {encoding} -t UTF-8)",
        source=source,
        line=1,
    )


def decode(data: bytes, source: str | None = None, line: int = 1) -> str:
    """Decode UTF-8.

    Args:
        data: part of a file.
        source: the name of the file in messages.
        line: the number of its first line.

    Raises:
        GraphError: it is not valid UTF-8. The message names the line.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        half = ENCODED_HALF.match(data, error.start)
        byte = f"byte 0x{data[error.start]:02x} is not UTF-8"
        is_cut = error.reason == "unexpected end of data"
        if half is not None:
            problem = describe_half(half[0].decode("utf-8", "surrogatepass"))
        elif is_cut and not before.isascii():
            problem = "ends in the middle of a character: it is cut off. Copy or create it again"
        elif is_cut:  # or its last character, the first that is not ASCII, is in another encoding
            problem = (
                f"{byte}: copy or create the file again if it is cut off in the middle of a "
                "character, or else convert it (iconv -f LATIN1 -t UTF-8)"
            )
        else:
            problem = (
                f"{byte}: convert the file first (iconv -f LATIN1 -t UTF-8), or decompress it if "
                "it is an archive other than gzip"
            )
        raise GraphError(
            problem, source=source, line=line + len(split_lines(before + ".")) - 1
        ) from None


def encode(text: str, source: str | None = None) -> bytes:
    """Encode a text that is not that of a file; byte order marks are skipped, see `strip_marks`.

    Args:
        source: the name of the text in messages.

    Raises:
        GraphError: it contains half of a surrogate pair. The message names the line.
    """
    try:
        return strip_marks(text.encode())
    except UnicodeEncodeError as error:
        line = len(split_lines(text[: error.start] + "."))
        half = text[error.start]
        raise GraphError(describe_half(half), source=source, line=line) from None


def describe_half(half: str) -> str:
    r"""Say that half of a surrogate pair is not a character, and what to do.

    JSON can contain one where a text was cut between both halves.

    >>> print(describe_half("\ud83d"))
    '\ud83d' is half of a surrogate pair, not a character: write the whole character, or remove it
    """
    return (
        f"{half!r} is half of a surrogate pair, not a character: write the whole character, or "
        "remove it"
    )
