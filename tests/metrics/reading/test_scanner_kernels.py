"""What the scanner reads itself, and what it leaves to its caller, by hand."""

import numpy as np
import pytest

from amr_metrics.reading import scanner_kernels
from amr_metrics.reading.scanner_kernels import NOTHING, UNFINISHED, UNSURE, scan


def scan_all(text, whole=False, complete=None):
    complete = len(text) if complete is None else complete
    return scan(text.encode(), np.array([[0, len(text)]]), whole, complete)


def read_parts(scanned, text):
    """The text of each graph from its comments to the next one, and its number of nodes."""
    sizes = np.diff(scanned.node_start).tolist()
    return [(text[begin:end], n) for (begin, end), n in zip(scanned.spans, sizes, strict=True)]


@pytest.mark.parametrize("concept", ["b", '"b c"', "b~e.1", '"b"~2', "1.5"])
@pytest.mark.parametrize("target", ["c", '"c"', "c~1,2", "a", "(c / d)", '(c / "d")', "~e.1 c"])
def test_each_kind_of_token_is_read(concept, target):
    text = f"# ::id 1\n(a / {concept} :d {target} :e-of~3 f)"
    scanned = scan_all(text)
    assert (scanned.status, scanned.position) == (NOTHING, len(text))
    assert read_parts(scanned, text) == [("# ::id 1\n", 2 if "/" in target else 1)]


def test_a_graph_that_is_not_certain_is_left_out():
    text = "(a / b) (c) (d / e)"
    scanned = scan_all(text)
    assert read_parts(scanned, text) == [("", 1), (" (c)", 0), ("", 1)]
    assert scanned.comments == b"\n" * 3  # what is left out has none
    assert (scanned.status, scanned.position) == (NOTHING, len(text))


def test_a_graph_is_left_out_if_its_line_is_complete():
    text = "(a / b) (c) (d / e)"
    end = text.index(")", 8) + 1
    for complete, graphs, position in ((end, 3, len(text)), (end - 1, 1, 7)):
        scanned = scan_all(text, complete=complete)
        assert (len(scanned.spans), scanned.position) == (graphs, position)
    assert scanned.status == UNSURE


@pytest.mark.parametrize("text", ["(a / b", "(a / b :c", '(a / b :c (d / "e")', "(a / b\n\n"])
def test_an_unfinished_graph_is_not_left_out(text):
    scanned = scan_all(text)
    assert (scanned.status, scanned.position, len(scanned.spans)) == (UNFINISHED, 0, 0)


@pytest.mark.parametrize("text", ["(a (b) ", "(a (b", "(a (b))) (c", "(a :c b", "a", ") (a)", "~"])
def test_without_its_end_nothing_is_left_out(text):
    complete = len(text)
    scanned = scan_all(text, complete=complete if "))" not in text else 6)
    assert (scanned.status, scanned.position, len(scanned.spans)) == (UNSURE, 0, 0)


def test_the_end_of_a_graph_is_in_its_region():
    text = b"(a (b))"
    for stop, left_out in ((7, 1), (6, 0)):
        scanned = scan(text, np.array([[0, stop]]), whole=False, complete=7)
        assert len(scanned.spans) == left_out


def test_a_region_that_cannot_be_read_is_left_out_as_a_whole():
    text = "(a / b) (c) (d / e)"
    scanned = scan(text.encode(), np.array([[0, 11], [11, 19]]), whole=True, complete=19)
    assert read_parts(scanned, text) == [("(a / b) (c)", 0), ("", 1)]
    assert scanned.status == NOTHING


def test_symbols_have_fnv_1a_codes(monkeypatch):
    """As tests with names that are made to collide rely on."""
    tables = []
    read_graphs = scanner_kernels._read_graphs

    def note_table(*arguments):
        read_graphs(*arguments)
        tables.append(arguments[-3])

    monkeypatch.setattr(scanner_kernels, "_read_graphs", note_table)
    scanned = scan_all("(a / boy :mod boy)")
    names = scanned.symbols.decode().split()
    assert names == ["a", "boy", ":mod"]
    for name, code in zip(names, tables[-1][:, 0].tolist(), strict=False):
        expected = 0x811C9DC5
        for byte in name.encode():
            expected = (expected ^ byte) * 0x01000193 % 2**32
        assert code == expected
