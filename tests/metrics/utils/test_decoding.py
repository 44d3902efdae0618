"""Text files of users: byte order marks, and files in other encodings."""

import gzip

import pytest

from amr_metrics.errors import GraphError
from amr_metrics.utils.decoding import encode, load_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\ufeffa\tb\n", "a\tb\n"),
        ("\ufeff\ufeffa\r\n\ufeffb\r\ufeff", "a\r\nb\r"),
        ("(a / b)\ufeff# ::id 2\n(a / b)\ufeff(c / d)", "(a / b)# ::id 2\n(a / b)(c / d)"),
        ("a\ufeff\n \ufeffb)\ufeff c", "a\ufeff\n \ufeffb)\ufeff c"),  # within a line
        ("", ""),
    ],
)
def test_byte_order_marks_are_skipped(tmp_path, text, expected):
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode())
    assert load_text(path) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("é\n".encode("utf-16"), r"^line 1: is UTF-16, not UTF-8: .*\(iconv -f UTF-16 -t UTF-8\)"),
        ("ab\n".encode("utf-16-le"), r"iconv -f UTF-16LE -t UTF-8"),
        ("ab\n".encode("utf-32"), "is UTF-32, not UTF-8"),
        ("a\né\n".encode("latin1"), r"^line 2: byte 0xe9 is not UTF-8: .*iconv -f LATIN1 -t UTF-8"),
        ("é\né".encode()[:-1], "^line 2: ends in the middle of a character: it is cut off"),
        (
            "a\n\ud83d".encode(errors="surrogatepass"),
            r"^line 2: '\\ud83d' is half of a surrogate pair, not a character: write the whole",
        ),
        (gzip.compress(b"a", mtime=0), r"^is compressed with gzip: decompress it first \(gunzip\)"),
    ],
)
def test_other_files_are_refused(tmp_path, data, message):
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with pytest.raises(GraphError, match=message):
        load_text(path)


def test_half_of_a_surrogate_pair_is_not_encoded():
    assert encode("\ufeffa\U0001f600") == "a\U0001f600".encode()
    with pytest.raises(GraphError, match=r"^a\.txt, line 2: '\\ude00' is half of a surrogate pair"):
        encode("a\r\nb\ude00c\ud83d\n", "a.txt")
