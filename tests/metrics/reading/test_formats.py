"""The functions of each format, and files of one format that are read as another."""

import pkgutil

import pytest

from amr_metrics import get, names, parse_amr, parse_graph, read_graphs
from amr_metrics.errors import GraphError
from amr_metrics.reading.formats import CHAINS, CONVERTERS, READERS, find_other_format
from amr_metrics.reading.scanner import scan_amr_with_errors

UMR = """# :: snt1
Words: Dogs bark

# sentence level graph:
(s1b / bark-01 :actor (s1d / dog))

# alignment:
s1b: 2-2

# document level annotation:
(s1s0 / sentence :modal ((root :modal author)))
"""
TEXT = "# ::wid x1_他 x2_看\n(x2 / 看-01\n   :arg0() (x1 / 他)\n   :time(x3_x4/在里) (x5 / 家))\n"
ROW = "7\tx0\troot\t-\t:top\t-\t-\tx2\t看-01\t-\n"
TUPLES = f"sid\tnid1\tconcept1\tcoref1\trel\trid\tralign\tnid2\tconcept2\tcoref2\n\n{ROW}"
OTHERS = {
    "umr": (UMR, "is a UMR file: use format=umr"),
    "text": (TEXT, "is Chinese AMR: use format=camr"),
    "function words": ("(x2 / 看-01 :time(x3/在) (x5 / 家))", "is Chinese AMR: use format=camr"),
    "tuples": (TUPLES, "is Chinese AMR: use format=camr"),
    "no header": (ROW, "is Chinese AMR: use format=camr"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_files_that_are_not_in_penman_notation(tmp_path, name):
    text, problem = OTHERS[name]
    path = tmp_path / "a.txt"
    for content in (text, f"# a comment\n\n{text}\n"):
        path.write_text(content, "utf-8")
        for read in (
            lambda: read_graphs(path),
            lambda: parse_amr(path.read_text("utf-8"), str(path)),
            lambda: scan_amr_with_errors(path.read_bytes(), str(path)),
        ):
            with pytest.raises(GraphError, match=f"a.txt: {problem}") as caught:
                read()
            # It is not an error of one graph, which could be left out.
            assert caught.value.graph is None


@pytest.mark.parametrize(
    "text",
    [
        "(d / dog",
        "(d / dog :mod(b / big)",
        "(x2 / see-01 :arg0(x3 / dog)",
        "(s / see-01 :arg0() (d / dog))",
        '# ::snt What is "f :arg0() x" ?\n(d / dog',
        "# ::wid x1_dog\n(x1 / dog",
        "# sentence level graph of a dog\n(d / dog",
        "a\tb\tc\td\te\tf\tg\th\ti\tj",
    ],
)
def test_errors_of_amr_stay_errors_of_a_graph(text):
    with pytest.raises(GraphError) as caught:
        parse_amr(text)
    assert caught.value.graph == 0


def test_comments_of_umr_are_comments_of_a_file_that_can_be_read():
    assert len(parse_amr("# sentence level graph:\n(s1d / dog)")) == 1


def test_amr_that_is_read_as_chinese_amr():
    amr = "# ::id 1\n(d / dog :mod (b / big))\n"
    assert "is AMR in Penman notation" in str(find_other_format(amr, "a", "camr"))
    for text in (TEXT.replace("x1 /", "y /"), TUPLES, "\uff08x1 / 他)", "(x1 / 走-01"):
        assert find_other_format(text, "a", "camr") is None


@pytest.mark.parametrize(
    ("format", "text", "notes"),
    [
        ("penman", "(d / dog)\n\n(c / cat\n", 0),
        ("umr", f"{UMR}\n{UMR.replace('(s1d / dog)', '(s1d / dog')}", 1),
        ("documents", f"{UMR}\n{UMR.replace('(s1d / dog)', '(s1d / dog')}", 1),
        ("camr", "(x1 / 走-01)\n\n(x1 / 来-01\n", 0),
    ],
)
def test_readers_list_what_cannot_be_read(format, text, notes):
    read = pkgutil.resolve_name(READERS[format])
    file_graphs = read(text.encode(), "a.txt", "nan")
    assert (len(file_graphs.graphs), [*file_graphs.errors], len(file_graphs.notes)) == (
        2,
        [1],
        notes,
    )
    assert str(file_graphs.errors[1]).startswith("a.txt, graph 1, line ")
    with pytest.raises(GraphError, match=r"a\.txt, graph 1, line "):
        read(text.encode(), "a.txt", "stop")


@pytest.mark.parametrize("format", CONVERTERS)
def test_graphs_of_a_format_are_unchanged(format):
    convert = pkgutil.resolve_name(CONVERTERS[format])
    graph = convert(parse_graph("(d / dog)"))
    assert graph.concepts[-1] == "dog"
    assert convert(graph) is graph


def test_formats_of_metrics():
    assert {get(name).graph_format for name in names()} == {"penman", *CONVERTERS}


def test_chains_of_a_document():
    graph = parse_graph("(d / document :snt1 (b / dog) :snt2 (h / it :same-as b))")
    assert pkgutil.resolve_name(CHAINS)(graph) == {"cc": ["h", "b"]}
