"""Line ends: those of files that penman opens, whatever else a text holds."""

import io

import penman
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo.pairs.reading import read_pairs
from bamboo.transforms.layout import read_layouts
from metrics import parse_tsv, read_graphs
from metrics.camr import parse_camr
from metrics.errors import GraphError
from metrics.utils.text import split_lines

# All that `str.splitlines` takes for line ends, and other characters that mark an end.
OTHERS = ("\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\x00", "\x1a", "\x7f")

THREE = "(a / b)\n\n# ::id 2\r(c / d)\n\n(e / f)"


@given(st.text(st.sampled_from(["a", " ", "\n", "\r", *OTHERS])))
def test_lines_are_those_of_a_file_that_python_opens(text):
    opened = io.StringIO(text, newline=None)
    assert split_lines(text) == [line.removesuffix("\n") for line in opened]


def written(path, text):
    path.write_bytes(text.encode())
    return path


def test_a_lone_carriage_return_ends_a_line(tmp_path):
    path = written(tmp_path / "three.amr", THREE)
    graphs = read_graphs(path)
    assert [graph.concepts for graph in graphs] == [("b",), ("d",), ("f",)]
    assert graphs[1].metadata == {"id": "2"}
    assert len(penman.load(path, encoding="utf-8")) == 3
    assert len(read_layouts(path)) == 3
    # The last graph's fault is on line 6, with the carriage return as the end of line 3.
    written(path, THREE.removesuffix(")"))
    with pytest.raises(GraphError, match="graph 2, line 6: unbalanced"):
        read_graphs(path)


def test_a_carriage_return_ends_a_line_of_triples_and_of_chinese_amr():
    assert parse_tsv("a\tb\t:instance\rc\td\t:instance\ra\tc\t:mod")[0].concepts == ("b", "d")
    assert len(parse_camr("# ::id 1\r(x1 / 走-01)\r\r# ::id 2\r(x1 / 走-01)")) == 2


def test_bytes_that_are_not_utf8_are_reported_on_their_line(tmp_path):
    (tmp_path / "a.amr").write_bytes(b"# ::id 1\r(a / b)\r\n\r(c / \xff)")
    with pytest.raises(GraphError, match=r"a\.amr, line 4: byte 0xff"):
        read_graphs(tmp_path / "a.amr")


@pytest.mark.parametrize("character", ["\x85", "\u2028"])
def test_other_separators_do_not_end_a_comment(tmp_path, character):
    text = f"# ::snt A dog.{character}(c / cat)\n(d / dog)\n\n(b / bird)\n"
    path = written(tmp_path / "two.amr", text)
    for graphs in (read_graphs(path), read_layouts(path), penman.load(path, encoding="utf-8")):
        assert len(graphs) == 2
    assert read_graphs(path)[0].sentence == f"A dog.{character}(c / cat)"


@pytest.mark.parametrize("name", ["the-end", "last"])
@pytest.mark.parametrize("before", ["", "(a / b)\n\n"])
@pytest.mark.parametrize("after", ["", "\n\n# ::id 3"])
def test_a_last_graph_with_any_variable_is_read(tmp_path, name, before, after):
    path = written(tmp_path / "a.amr", f"{before}({name} / {name}){after}")
    graphs = read_graphs(path)
    assert (graphs[-1].top, len(graphs)) == (name, 1 + bool(before))
    assert [graph.top for graph in read_layouts(path)][-1] == name
    broken = written(tmp_path / "b.amr", f"(x / y\n\n{path.read_text()}")
    pairs, problems = read_pairs(broken, broken, on_error="nan")
    assert [pair and pair.src.top for pair in pairs] == [None, *["a"] * bool(before), name]
    assert list(problems) == [0]
