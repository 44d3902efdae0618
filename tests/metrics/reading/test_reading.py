import bz2
import codecs
import contextlib
import gzip
import lzma
import pickle
from pathlib import Path

import penman
import pytest
from penman.models.amr import model as amr_model

from amr_metrics import (
    Corpus,
    Graph,
    Pairs,
    pair_up,
    parse_amr,
    parse_graph,
    read_graphs,
)
from amr_metrics.errors import GraphError
from amr_metrics.graphs.graph import Attribute, Relation
from amr_metrics.reading.decoding import GraphStream
from amr_metrics.reading.scanner import scan_amr, scan_stream

TWO = """# ::id 1
# ::snt The cat sleeps.
(s / sleep-01
    :ARG0 (c / cat))

# ::snt Dogs bark.
(b / bark-01 :ARG0 (d / dog))
"""


def failure(text, parse=parse_amr):
    with pytest.raises(GraphError) as caught:
        parse(text, "some.amr")
    return caught.value


# What is read


def test_graphs_come_in_order_with_their_metadata():
    first, second = parse_amr(TWO)
    assert first.metadata == {"id": "1", "snt": "The cat sleeps."}
    assert second.sentence == "Dogs bark."
    assert second == Graph(("b", "d"), ("bark-01", "dog"), (), (Relation("b", ":ARG0", "d"),), "b")


def test_inverse_roles_are_turned_round_in_place():
    graph = parse_graph("(c / cat :ARG0-of (s / sleep-01 :time (n / now)) :mod (b / big))")
    assert graph.relations == (
        Relation("s", ":ARG0", "c"),
        Relation("s", ":time", "n"),
        Relation("c", ":mod", "b"),
    )
    assert graph.top == "c"


def test_an_inverse_role_of_a_constant_stays():
    assert parse_graph("(c / cat :quant-of 3)").attributes == (Attribute("c", ":quant-of", "3"),)


def test_surface_alignments_are_taken_off():
    graph = parse_graph(
        '(s / sleep-01~e.2 :ARG0~e.1 (c / cat~e.1,3) :polarity~e.4 -~e.4 :li "a~b")'
    )
    assert graph.concepts == ("sleep-01", "cat")
    assert graph.relations == (Relation("s", ":ARG0", "c"),)
    assert graph.attributes == (Attribute("s", ":polarity", "-"), Attribute("s", ":li", '"a~b"'))


def test_windows_line_ends(tmp_path):
    (tmp_path / "a.amr").write_bytes(TWO.replace("\n", "\r\n").encode())
    assert read_graphs(tmp_path / "a.amr") == parse_amr(TWO)


# What cannot be read: the message names the file, the graph and the line


@pytest.mark.parametrize(
    ("text", "graph", "line", "problem"),
    [
        ("(s / sleep-01\n  :ARG0 (c / cat)\n", 0, 1, "unbalanced parentheses"),
        (TWO + "\n(x / xylophone\n", 2, 9, "unbalanced parentheses"),
        ("(s / sleep-01))\n", 0, 1, "closing parenthesis"),
        ("(a / b)\n\n(s / sleep-01))\n\n(c / cat)\n", 1, 3, "closing parenthesis"),
        ("", None, None, "no graph"),
        ("# ::snt Nothing.\n", None, None, "no graph"),
        ("(s / sleep-01 :ARG0 (c))", 0, 1, "'c' has no concept"),
        ("(a / b)\n\n(s :ARG0 (c / cat))", 1, 3, "'s' has no concept"),
        ("(s / )", 0, 1, "'s' has no concept"),
        ("(s / sleep-01 :ARG0 (s / cat))", 0, 1, "'s' is defined twice: each node needs a"),
        (TWO + "\n(d / dog :ARG0-of\n  (d / bark-01))\n", 2, 9, "'d' is defined twice"),
        ("(s / sleep-01 / cat)", 0, 1, "expected here: a role, such as"),
        ("(s / sleep-01 :ARG0)", 0, 1, ":ARG0 of 's' has no target"),
        ("(s / sleep-01 :ARG0 :ARG1 (c / cat))", 0, 1, ":ARG0 of 's' has no target"),
        ("some words\n(s / sleep-01)\n", 0, 1, "outside of any graph"),
        ("(s / sleep-01)\nsome words\n", 0, 2, "outside of any graph"),
        ("(a / b)\n\nsome words\n\n(c / d)\n", 0, 3, "outside of any graph"),
        ("( / cat)", 0, 1, "expected here: a variable, as in (x / concept)"),
        ("(s / sleep-01 :ARG0 / cat)", 0, 1, "expected here: a variable, a constant or a node"),
        ("(a / b)\n# ::id 2\n)", 1, 3, "expected here: an opening parenthesis"),
    ],
)
def test_malformed_text(text, graph, line, problem):
    error = failure(text)
    assert (error.source, error.graph, error.line) == ("some.amr", graph, line)
    assert problem in str(error)
    where = ["some.amr", *([f"graph {graph}", f"line {line}"] if graph is not None else [])]
    assert str(error).startswith(", ".join(where) + ": ")


@pytest.mark.parametrize(
    ("text", "graph", "line", "word", "before"),
    [
        ("(a / b)\n\n(l / leave-11 :time 9:45)", 1, 3, "9:45", "(l / leave-11 :time 9"),
        ("(l / leave-11\n  :time 9:45\n  :ARG0 (h / he))", 0, 2, "9:45", "  :time 9"),
        ("# ::id 1\n\n(l / leave-11\n  :time 9:45)", 0, 4, "9:45", "  :time 9"),
        (
            "(l / leave-11 :time 9:45:10~e.3 :ARG0 (h / he))",
            0,
            1,
            "9:45:10",
            "(l / leave-11 :time 9",
        ),
        ("(u / ftp://a.b/c)", 0, 1, "ftp://a.b/c", "(u / ftp"),
        (
            '(s / say-01 :op "7:15" :ARG1 (x / so:called))',
            0,
            1,
            "so:called",
            '(s / say-01 :op "7:15" :ARG1 (x / so',
        ),
        ("# ::snt At 7:15: go.\n(s / a:b :mod (c / d))", 0, 2, "a:b", "(s / a"),
    ],
)
def test_a_colon_that_needs_quotes(text, graph, line, word, before):
    error = failure(text)
    assert (error.graph, error.line) == (graph, line)
    assert error.problem == f'a colon begins a role: {word} needs quotes, "{word}"'
    column = len(before)
    assert error.offset == column
    assert str(error).endswith("\n    " + " " * column + "^")
    assert len(parse_amr(text.replace(word, f'"{word}"'))) == graph + 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('(n / name :op1 "An"n)', r'a closing parenthesis (in a string, " is written \")'),
        ('(n / name :op1 "Ann" "B")', r'a closing parenthesis (in a string, " is written \")'),
        ('(n / name :op1 Ann "B")', "a closing parenthesis"),
        ('(n / name :op1 "Ann)', "this quotation mark has no partner in its line"),
        (r'(n / name :op1 "Ann\")', "this quotation mark has no partner in its line"),
        ("(n / name :op1 ~Ann)", "a variable, a constant or a node"),
    ],
)
def test_quotation_marks(text, problem):
    assert failure(text).problem.endswith(problem)


def test_an_escaped_quotation_mark_is_part_of_a_string():
    [graph] = parse_amr(r'(n / name :op1 "An\"n")')
    assert graph.attributes[0].constant == r'"An\"n"'


@pytest.mark.parametrize(
    "text",
    [
        "(s / sleep-01:ARG0 (c / cat)",  # a parenthesis is missing; the role has a target
        "(s / say-01 :ARG1 (c / cat)\n\n(l / leave-11 :time 9:45)",
        '(s / say-01 :op1 "9:45" :ARG0)',
    ],
)
def test_a_colon_that_is_not_the_problem(text):
    assert "colon" not in str(failure(text))


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        ("(s / sleep-01\n \u00a0:ARG0 (c / cat))", 2, "U+00A0 (no-break space)"),
        ("(s / sleep-01)\n\u3000\n(s / sleep-01)", 2, "U+3000 (ideographic space)"),
        ("(s / sleep-01 \u200b)", 1, "U+200B (zero width space)"),
        ("\u0085(s / sleep-01)", 1, "U+0085 (a control character)"),
    ],
)
def test_characters_that_cannot_be_seen(text, line, name):
    error = failure(text)
    assert error.line == line
    assert error.problem.endswith(f". {name} is no blank in a graph: replace it")
    visible = "".join(c if c.isprintable() or c == "\n" else "x" for c in text)
    assert "U+" not in str(failure(visible))


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (b"(c / cat)\n\n(e / \xe9l\xe8ve)\n", 3, "0xe9 is not UTF-8"),
        ("(c / cat)".encode("utf-16"), 1, "not UTF-8"),
        (codecs.BOM_UTF16_BE + "(c / cat)".encode("utf-16-be"), 1, r"iconv -f UTF-16 -t UTF-8"),
        ("(c / cat)".encode("utf-16-le"), 1, r"iconv -f UTF-16LE -t UTF-8"),
        ("(c / cat)".encode("utf-16-be"), 1, r"iconv -f UTF-16BE -t UTF-8"),
        ("(c / cat)".encode("utf-32"), 1, "is UTF-32, not UTF-8"),
        (b"PK\x03\x04(c / cat)", None, "is a zip archive: extract"),
        (b'{"amr": "(c / cat)"}\n', None, "is JSON: write the graphs"),
        (codecs.BOM_UTF8 + b'[\n  ["(c / cat)"]]\n', None, "is JSON: write the graphs"),
        (pickle.dumps(["(c / cat)"]), None, "is a pickle of Python objects"),
        (pickle.dumps({"amr": "(c / cat)"}, protocol=2), None, "is a pickle of Python objects"),
        (b"PAR1(c / cat)", None, "is a Parquet file"),
        (b"\r\n<!doctype HTML>\n<p>(a / b)", None, "is an HTML page"),
        (gzip.compress(b"<html lang='de'>(a / b)", mtime=0), None, "is an HTML page"),
        (b'<?xml version="1.0"?>\n<amrs>(a / b)</amrs>', None, "is XML"),
        (b"<!-- (a / b) -->\n(c / d)", None, "is XML"),
        (b"<graphs>\n<amr>\n(c / cat)\n</amr></graphs>", None, "is XML"),
        (gzip.compress(b"(c / cat)", mtime=0)[:-9], None, "ends in the middle of its compressed"),
        (gzip.compress(b"(c / cat)", mtime=0)[:-8] + b"?" * 8, None, "damaged compressed content"),
        (gzip.compress(gzip.compress(b"(c / cat)", mtime=0), mtime=0), 1, "0x8b is not UTF-8"),
        (bz2.compress(b"(c / cat)"), 1, "not UTF-8.* decompress it if it is an archive"),
        (lzma.compress(b"(c / cat)"), 1, "0xfd is not UTF-8"),
        (codecs.BOM_UTF8 + b"(c / cat)\n\n(\xe9", 3, "0xe9 is not UTF-8: .* cut off .*iconv"),
        ("(é / cat)\n\n(è".encode()[:-1], 3, "ends in the middle of a character: it is cut off"),
        (b"", None, "no graph"),
    ],
)
def test_files_of_other_bytes(tmp_path, content, line, problem):
    path = tmp_path / "some file, of = signs.amr"
    path.write_bytes(content)
    with pytest.raises(GraphError, match=problem) as caught:
        read_graphs(path)
    assert (caught.value.source, caught.value.line) == (str(path), line)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("end", ["\n", "\r\n\r\n", "", "\n\n\ufeff"])
def test_byte_order_marks_of_joined_files_are_skipped(tmp_path, end):
    path = tmp_path / "joined.amr"
    files = [f"\ufeff# ::id {k} ::snt a\ufeff\n(a{k} / b){end}" for k in range(3)]
    path.write_bytes("".join([*files, f"\ufeff(d / e){end}"]).encode())
    graphs = read_graphs(path)
    assert [graph.top for graph in graphs] == ["a0", "a1", "a2", "d"]
    assert graphs.metadata_values("id") == ["0", "1", "2", None]
    assert graphs[1].sentence == "a\ufeff"
    assert parse_amr(path.read_text("utf-8")) == graphs
    for size in (1, 2, 3, 5, 11):
        with GraphStream.open(path) as stream:
            parts = [part for part, _ in scan_stream(stream, "a", read=size)]
        assert Corpus.concatenate(parts) == graphs


def test_gzip_is_recognised_by_its_content(tmp_path):
    text = b"(c / cat)\n"
    path = tmp_path / "compressed.amr"  # the name does not matter
    path.write_bytes(gzip.compress(text, mtime=0) + gzip.compress(b"\n" + text, mtime=0))
    assert [graph.concepts for graph in read_graphs(path)] == [("cat",), ("cat",)]


def test_a_compressed_file_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("amr_metrics.limits.TEXT", 1 << 20)
    path = tmp_path / "spaces.amr"
    path.write_bytes(gzip.compress(b"(c / cat)" + b" " * (1 << 20)))
    with pytest.raises(GraphError, match=r"spaces.amr: has more than 1 MB .* decompress it first"):
        read_graphs(path)
    path.write_bytes(b"(c / cat)" + b" " * (1 << 20))
    assert len(read_graphs(path)) == 1


def test_a_file_is_a_corpus_equal_to_the_list_of_its_graphs(tmp_path):
    path = tmp_path / "a.amr"
    path.write_text(TWO)
    graphs = read_graphs(path)
    assert isinstance(graphs, Corpus)
    assert isinstance(pair_up(graphs, graphs), Pairs)
    assert parse_amr(TWO) == graphs == read_graphs(path)
    assert graphs != parse_amr(TWO)[1:]
    assert graphs[1:] == [graphs[-1]]


@pytest.mark.parametrize("data", [b"(\0c / cat)", b"\0(c / cat)"])
def test_a_zero_byte_does_not_make_it_utf_16(data):
    with contextlib.suppress(GraphError):
        assert scan_amr(data)[0].variables == ("\0c",)
    with pytest.raises(GraphError) as caught:
        scan_amr(data + b")")
    assert "UTF-16" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(GraphError, match=r"nowhere\.amr: cannot be read"):
        read_graphs(tmp_path / "nowhere.amr")
    with pytest.raises(GraphError, match="cannot be read"):
        read_graphs(tmp_path)


def test_an_unknown_format(tmp_path):
    (tmp_path / "a.amr").write_text("(c / cat)")
    with pytest.raises(GraphError, match="penman, umr"):
        read_graphs(tmp_path / "a.amr", "xml")


# The released data


@pytest.mark.parametrize("dataset", ["sts", "sick", "para"])
@pytest.mark.parametrize("partition", ["main", "reify", "role_confusion"])
def test_the_triples_are_those_of_penman(shared, dataset, partition):
    path = shared / "bamboo-amr-benchmark" / dataset / partition / "src.test.amr"
    ours = read_graphs(path)
    text = "\n\n".join(path.read_text("utf-8").split("\n\n")[:250])
    theirs = list(penman.iterdecode(text, model=amr_model))
    assert len(theirs) >= 100
    for graph, reference in zip(ours, theirs, strict=False):
        assert graph.top == reference.top
        assert sorted(
            [(v, ":instance", c) for v, c in zip(graph.variables, graph.concepts, strict=True)]
            + [tuple(a) for a in graph.attributes]
            + [tuple(r) for r in graph.relations]
        ) == sorted(reference.triples)
        assert graph.metadata == reference.metadata


def test_a_file_that_cannot_be_read_is_closed(tmp_path, monkeypatch):
    path = tmp_path / "broken.amr"
    path.write_text("(a / b)")
    file = path.open("rb")

    class Broken:
        close = file.close

        def read(self, size):
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", lambda *arguments: Broken())
    with pytest.raises(GraphError, match="cannot be read: Input/output error"):
        GraphStream.open(path)
    assert file.closed


@pytest.mark.parametrize("end", [")", "\n  :mod (b / b))"])
def test_a_concept_with_a_hash_sign_needs_quotes(end):
    text = f"# a / #b\n(a / and\n  :op1 (x / #Forn{end})\n"
    with pytest.raises(GraphError, match=r'A # begins a comment: .* quotes, \(x / "#\.\.\."\)'):
        parse_amr(text)
    assert parse_amr(text.replace("#Forn", '"#Forn"'))[0].concepts[1] == '"#Forn"'
    with pytest.raises(GraphError) as caught:
        parse_amr("# a / #b\n(a / b))")
    assert "comment" not in str(caught.value)


# What a graph remembers of how its relations were written


def test_a_node_named_before_it_is_described_is_a_forward_mention():
    graph = parse_graph(
        "(f / foolish :condition (d / do-02 :ARG0 i :ARG1-of k) :domain (i / i :mod (k / kind)"
        " :ARG2 f) :polarity -)"
    )
    assert [graph.relations[k] for k in graph.forward] == [("d", ":ARG0", "i"), ("k", ":ARG1", "d")]
    assert graph.inverted == (2,)
