"""Line ends: those of files that penman opens, whatever else a text holds."""

import io
import random
from pathlib import Path

import penman
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import parse_amr, read_graphs
from amr_metrics.camr import parse_camr
from amr_metrics.errors import GraphError
from amr_metrics.utils.text import split_lines
from bamboo.benchmark.pair_tables import read_pairs
from bamboo.installation import resource
from bamboo.transforms.layout import read_layouts

# All that `str.splitlines` takes for line ends, and other characters that mark an end.
LINE_ENDS = ("\n", "\r", "\r\n")
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


def test_a_carriage_return_ends_a_line_of_chinese_amr():
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
@pytest.mark.parametrize("before", ["", "(a / b)\n\n", "the end\n"])
@pytest.mark.parametrize("after", ["", "\n", "\n\n# ::id 3"])
def test_a_last_graph_with_any_variable_is_read(tmp_path, name, before, after):
    path = written(tmp_path / "a.amr", f"{before}({name} / {name}){after}")
    if before == "the end\n":
        with pytest.raises(GraphError, match="outside of any graph"):
            read_graphs(path)
        return
    graphs = read_graphs(path)
    assert (graphs[-1].top, len(graphs)) == (name, 1 + bool(before))
    assert [graph.top for graph in read_layouts(path)][-1] == name
    broken = written(tmp_path / "b.amr", f"(x / y\n\n{path.read_text()}")
    pairs, problems = read_pairs(broken, broken, on_error="nan")
    assert [pair and pair.src.top for pair in pairs] == [None, *["a"] * bool(before), name]
    assert list(problems) == [0]


@pytest.mark.parametrize("text", ["(the-end / the-end) words", "(last / last))", "(last / last"])
def test_text_after_a_graph_with_that_variable_is_an_error(text):
    with pytest.raises(GraphError, match=r"outside of any graph|unbalanced"):
        parse_amr(text)


@pytest.fixture(params=["sample", "para"])
def blocks(request):
    """The graphs of a file, as text."""
    if request.param == "sample":
        folder = Path(str(resource("data"))) / "sample"
    else:
        folder = request.getfixturevalue("shared") / "bamboo-amr-benchmark" / request.param
    text = (folder / "main" / "src.test.amr").read_text("utf-8")
    return [block for block in text.split("\n\n") if block.strip()]


def penman_reads(path):
    """The trees that penman reads from a file, and whether it gets to the file's end.

    It stops without an error at text that opens no graph: then it does not read a graph put
    behind the text either.
    """
    with path.open(encoding="utf-8") as file:
        lines = [*file, "\n(x / x)"]
    try:
        trees = list(penman.iterparse(lines))
    except penman.DecodeError:
        return [], False
    return trees[:-1], trees[-1:] == [("x", [("/", "x")])]


def is_sound(tree):
    """Whether each node has a variable of its own and a concept, each role a target."""
    nodes = tree.nodes()
    return len({var for var, _ in nodes}) == len(nodes) and all(
        var is not None
        and [role for role, _ in edges][:1] == ["/"]
        and all(target is not None for _, target in edges)
        for var, edges in nodes
    )


def test_as_many_graphs_as_penman_reads_or_an_error(tmp_path, blocks):
    rng = random.Random(12)
    agreed, places = 0, []
    for round_ in range(300):
        sample = rng.sample(blocks, 4)
        text = "\n\n".join(sample)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice((*LINE_ENDS, *OTHERS)) + text[at:]
        path = written(tmp_path / "fuzzed.amr", text)
        trees, whole = penman_reads(path)
        try:
            graphs = read_graphs(path)
        except GraphError as error:
            assert not whole or not all(map(is_sound, trees)), round_
            places.append((error.source, error.line is None))
        else:
            assert whole, round_
            assert len(graphs) == len(trees) == len(read_layouts(path)), round_
            assert [graph.metadata for graph in graphs] == [tree.metadata for tree in trees]
            agreed += 1
    assert agreed > 50
    assert len(places) > 50
    assert set(places) == {(str(path), False)}
