"""Defects of files: each a clear error that names file, sentence and line, or the right graph."""

import pytest

from amr_metrics import Pair, pair_up, parse_graph
from amr_metrics.alignment import triple_match
from amr_metrics.camr import (
    AlignSmatch,
    CamrSmatch,
    ConceptSmatch,
    parse_camr,
    read_camr,
    subscores,
)
from amr_metrics.camr.draft import Sentence
from amr_metrics.camr.graph import make_camr_graph
from amr_metrics.camr.reading import load_camr
from amr_metrics.camr.text import parse_text
from amr_metrics.camr.tuples import parse_tuples
from amr_metrics.errors import GraphError, PairError

GOLD = [
    "x0 root - :top - - x2 买-01 -",
    "x2 买-01 - :arg0 - - x1 妈妈 -",
    "x2 买-01 - :arg1 - - x4 蛋糕 -",
    "x2 买-01 - :aspect x3 了 x5 完成 -",
]
METRICS = [m(mode=mode) for m in (CamrSmatch, AlignSmatch) for mode in ("paper", "camrp2022")]
every_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.signature)


def tuples(rows, sid="9", end="\n\n"):
    """The text of a sentence, from rows with blanks for tabs."""
    return "\n".join("\t".join([sid, *row.split(" ")]) for row in rows) + end


def gold_with(*rows):
    return tuples([*GOLD, *rows])


def text(graph):
    words = "# ::wid x1_妈妈 x2_买 x3_了 x4_蛋糕 x5_。"
    return f"# ::id export_amr.9 ::2024-01-01 00:00:00\n{words}\n{graph}\n"


NINE, EIGHT = tuples(GOLD), tuples(GOLD, "8")


@pytest.fixture
def reading(tmp_path):
    """Write a file, and a file of lengths, and read it."""

    def read(content, lengths="9\t5\n8\t5\n", **options):
        path, length_path = tmp_path / "graphs.txt", tmp_path / "len.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        length_path.write_text(lengths, "utf-8")
        return read_camr(path, lengths=length_path, **options)

    return read


# What is read


@pytest.mark.parametrize(
    ("content", "plain"),
    [
        *((tuples(GOLD, end=end), NINE) for end in ("", "\n", "\r\n\r\n\r\n")),
        ("\ufeff" + NINE, NINE),
        (NINE.replace("\n", "\r\n", 2), NINE),
        (tuples(GOLD[1:] + GOLD[:1]), NINE),
    ],
    ids=["no end", "one end", "many ends", "byte order mark", "mixed line ends", "late top"],
)
def test_other_forms_of_a_file(reading, content, plain):
    assert reading(content) == reading(plain)
    assert reading(content)[0].top == "x2"


def test_a_byte_order_mark_of_the_length_file_is_skipped(reading):
    assert reading(NINE, lengths="\ufeff9\t5\n") == reading(NINE, lengths="9\t5\n")


def test_byte_order_marks_of_joined_files_are_skipped(reading):
    for files in ([NINE, EIGHT], [text("(x1 / 他)") + "\n", text("(x1 / 他)")]):
        assert reading("\ufeff".join(["", *files])) == reading("".join(files))


@every_metric
def test_repeated_rows_count_once(reading, metric):
    (once,) = reading(NINE)
    (twice,) = reading(tuples([row for row in GOLD for _ in range(2)]))
    for pair in (Pair(twice, once), Pair(once, twice), Pair(twice, twice)):
        assert metric.score([pair]).tolist() == [1.0]
    assert subscores([Pair(twice, once)]).corpus["RA"]["f1"] == 1.0


def test_an_id_with_two_concepts_may_be_split(reading):
    content = gold_with("x2 买-01 - :quant - - x1 一 -")
    with pytest.raises(GraphError, match="read with split=True") as caught:
        reading(content)
    assert caught.value.argument == "split"
    (graph,) = reading(content, split=True)
    assert graph.variables == ("x2", "x1", "x4", "x5", "x1#2")
    for parse, refused in ((parse_tuples, content), (parse_text, text("(x2 / 买 :a() (x2 / 一))"))):
        with pytest.raises(GraphError, match=r"node x\d has two concepts"):
            parse(refused)
        assert len(parse(refused, split=True)) == 1


# Errors


def check_error(reading, content, graph, line, expected):
    with pytest.raises(GraphError) as error:
        reading(content)
    where = f"graphs.txt, graph {graph}, line {line}: " if graph is not None else "graphs.txt"
    assert where in str(error.value)
    assert expected in str(error.value)


MARK = "the invisible character U+FEFF in column 1: remove it"
THIRD = MARK.replace("1", "3")
BEYOND = "x6 refers to word 6, but the sentence has 5 words"
ROW = ["9", "x2", "买-01", "-", ":arg0", "-", "-", "x1", "妈", "-", "-"]
TWO = "sentence 9: node x1 has two concepts, '妈妈' and '一'"


@pytest.mark.parametrize(
    ("content", "graph", "line", "expected"),
    [
        (NINE.encode("utf-16"), None, None, ", line 1: is UTF-16"),
        ("妈妈".encode("gbk"), None, None, ", line 1: byte 0xc2 is not UTF-8"),
        ("\n \n", None, None, ": contains no graph"),
        ("# a note\n", None, None, ": contains no graph"),
        (NINE + EIGHT.replace("\t", "\t\ufeff", 1), 1, 6, THIRD),
        ((NINE + EIGHT.replace("\t", "\t\ufeff", 1)).replace("\n", "\r\n"), 1, 6, THIRD),
        (text("(x1 / 他)") + "\n \ufeff# ::id export_amr.8\n(x1 / 他)\n", 1, 5, MARK),
        (NINE + tuples(GOLD, "77"), 1, 6, "sentence 77: the file of sentence lengths"),
        (
            "# ::id export_amr.77 ::x\n(x1 / 他)\n",
            0,
            1,
            "sentence 77: the file of sentence lengths",
        ),
        *(
            (tuples(GOLD, end="\n") + "\t".join(ROW[:count]) + "\n", 0, 5, message)
            for count in (1, 2, 9, 11)
            for message in (f"expected 10 tab-separated columns, not {count}: sid, ",)
        ),
        (gold_with("x2 买-01 - :quant - - x1 一 -"), 0, 5, TWO),
        (text("(x2 / 买-01 :arg0() (x1 / 妈妈)\n :quant() (x1 / 一))"), 0, 4, TWO),
        (gold_with("x2 买-01 - :time x6 在 x1 妈妈 -"), 0, 5, BEYOND),
        (text("(x2 / 买-01\n  :time(x6/在) (x1 / 晚上))\n"), 0, 4, BEYOND),
        (gold_with("x2 买-01 - :time x3 - x1 妈妈 -"), 0, 5, "rid is 'x3' but ralign is '-'"),
        (tuples(GOLD[:1], end="\t-\n"), 0, 1, "sentence 9: expected 10 tab-separated columns"),
        # rows
        (tuples(GOLD[1:]), 0, 1, "has no :top row"),
        (gold_with("x0 root - :top - - x1 妈妈 -"), 0, 5, "two tops, x2 and x1"),
        (gold_with("x2 买-01 - :top - - x1 妈妈 -"), 0, 5, "the source of :top must be 'x0 root'"),
        (gold_with("x2 买-01 - arg2 - - x1 妈妈 -"), 0, 5, "'arg2' does not start with a colon"),
        (gold_with("x2 买-01 - : - - x1 妈妈 -"), 0, 5, "':' does not start with a colon"),
        (gold_with("x2  - :arg2 - - x1 妈妈 -"), 0, 5, "the column concept1 is empty"),
        (gold_with("x2 买-01 - :arg2 - - x1 妈妈 x9"), 0, 5, "no node has the id x9"),
        (gold_with("x2 买-01 x1 :arg2 - - x1 妈妈 x2"), 0, 1, "coreference: x2 -> x1 -> x2"),
        (gold_with("x2 买-01 - :arg2 - - x1 妈妈 x1"), 0, 1, "circular coreference: x1 -> x1"),
        (
            gold_with("x2 买-01 x1 :arg2 - - x1 妈妈 -", "x2 买-01 x4 :arg2 - - x1 妈妈 -"),
            *(0, 6, "x2 refers to both x1 and x4"),
        ),
        (tuples(GOLD, end="\n") + EIGHT, 0, 5, "is followed by sentence 8: put a blank line"),
        (tuples(GOLD[:2]) + tuples(GOLD[2:]), 1, 4, "sentence 9: has no :top row"),
        # words
        ("# ::id 9\n# ::wid 妈妈\n(x2 / 买)\n", 0, 1, "'妈妈' in # ::wid is not x1_word"),
        ("# ::id 9\n# ::wid x1妈妈\n(x2 / 买)\n", 0, 1, "'x1妈妈' in # ::wid is not x1_word"),
        ("# ::id 9\n# ::wid x１_妈\n(x2 / 买)\n", 0, 1, "'x１_妈' in # ::wid is not x1_word"),
        ("# ::id 9\n(x2 / 买\n :a() (x1 / x2))\n", 0, 3, "x1 refers to another node"),
        ("# ::id 9\n(x2 / 买\n :a() (x1 / x2))\n", 0, 3, "add the sentence's # ::wid line"),
    ],
)
def test_malformed_files(reading, content, graph, line, expected):
    check_error(reading, content, graph, line, expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x5_x6", "x5_x6 refers to word 6, but the sentence has 5 words"),
        ("x6_1", "x6_1 refers to word 6, but the sentence has 5 words"),
        ("x0", "'x0' is not a node id"),
        ("x04", "'x04' is not a node id"),
        ("y4", "'y4' is not a node id"),
        ("x4__1", "'x4__1' is not a node id"),
        ("x" + "9" * 5_000, "is not a node id"),
        ("x４", "replace the full-width '４' by '4'"),
        ("ｘ4", "replace the full-width 'ｘ' by 'x'"),
        ("x4＿x5", "replace the full-width '＿' by '_'"),
        ("x4！", "replace the full-width '！' by '!'"),  # the first full-width character
        ("x4～", "replace the full-width '～' by '~'"),  # the last one
    ],
)
def test_malformed_ids(reading, name, expected):
    rows = [*GOLD[:2], f"x2 买-01 - :arg1 - - {name} 蛋糕 -"]
    for content in (tuples(rows), f"# ::id 9\n(x2 / 买-01\n  :arg1() ({name} / 蛋糕))\n"):
        check_error(reading, content, 0, 3, expected)


@pytest.mark.parametrize(
    ("graph", "line", "expected"),
    [
        ("(x2 / 买-01\n  :arg0() (x1 / 妈妈)", 4, "ends where a closing parenthesis or a relation"),
        ("(x2 / 买-01\n  :arg0() (x1 / 妈妈)))", 4, "')' follows the end of the graph"),
        ("(x2 / 买-01)\n(x1 / 妈妈)", 4, "'(' follows the end of the graph"),
        ("x2 / 买-01", 3, "expected '(', not 'x2'"),
        ("（x2 / 买-01)", 3, "replace the full-width '（' by '('"),
        ("(x2 ／ 买-01)", 3, "replace the full-width '／' by '/'"),
        ("(x2 / 买-01\n  :arg0（） (x1 / 妈妈))", 4, "replace the full-width '（'"),
        ("(x2 / 买-01\n  ：arg0() (x1 / 妈妈))", 4, "replace the full-width '：'"),
        ("(x2 / 买-01\n  :arg0(x3／对) (x1 / 妈妈))", 4, "full-width '／'"),
        ("(x2 / 买-01\n  :arg0())", 4, "follows :arg0, which has no target"),
        ("(x2 / 买-01\n  :arg0(x1/妈妈))", 4, "if (x1/妈妈) is a node, write :arg0() before it"),
        ("(x2 / 买-01\n  :arg0(x1/妈妈 :mod() x2))", 4, "expected ')', not ':mod'"),
        ("(x2 / 买-01\n  :arg0(x3/的) -)", 4, "'-' is a constant"),
        ("(x2 / 买-01\n  :arg0 x1/妈妈)", 4, "'x1' with a slash is allowed only for"),
        ("(x2 / 买-01\n  :arg0() x9)", 4, "no node has the id x9"),
        ("(x2 / 买-01\n  :arg0() (x1 / x9))", 4, "no node has the id x9"),
        ("(x2 / 买-01\n  :arg0() (x1 / ))", 4, "expected the concept of x1, not "),
        ('(x2 / 买-01\n  :arg0() (x1 / ""))', 4, "expected the concept of x1, not "),
        (
            "(x2 / 买-01\n  :arg0() (x1))",
            4,
            "expected '/', not ')': a node is written (x1 / concept)",
        ),
        ("(x2 / 买-01\n  :time() (x1 / 12:30))", 4, "':30' is not a role: quote a concept"),
        ('(x2 / 买-01\n  :time() (x1 / "12:30))', 4, "is not closed"),
        ("(x2 / 买-01\n  :name() (x1 / name :op1 x1/ ))", 4, "the string of a name, not ')'"),
        ("(x2 / 买-01 / 走)", 3, "or a closing parenthesis, not '/'"),
        ("(x2 / 买-01\n  :arg0() (x1 / 妈 妈))", 4, "or a closing parenthesis, not '妈'"),
        ("(x2 / 买\n  :a() (x1 / x4)\n  :b() (x4 / x1))", 1, "coreference: x1 -> x4 -> x1"),
        ("(x2 / 买-01\n  :arg0() (x1 / x1))", 1, "circular coreference: x1 -> x1"),
        ("(x2 / 买-01\n  :arg0() (x1_7 / x2))", 4, "x1_7 refers to character 7 of '妈妈'"),
        ("(x2 / 买-01\n  :arg0() (x1 / 妈\u200b妈))", 4, "the invisible character U+200B"),
        ("(x2 / 买-01\n# ::id export_amr.8", 4, "metadata in the middle of a graph"),
        ("", 1, "has no graph"),
    ],
)
def test_malformed_text(reading, graph, line, expected):
    def as_text(content):
        return reading(content, format="text")

    check_error(as_text, text(graph), 0, line, expected)
    check_error(as_text, text(graph), 0, line, "sentence 9: ")


def test_a_graph_may_have_its_top_alone(reading):
    assert reading(tuples(GOLD[:1]))[0].concepts == ("买-01",)


def test_segmented_sentences_give_the_words(reading):
    segmented, counted = reading(NINE, lengths="9\t妈妈 买 了 蛋糕 。\n"), reading(NINE)
    assert segmented[0].metadata["snt"] == "妈妈 买 了 蛋糕 。"
    assert segmented[0].metadata["wid"] == "x1_妈妈 x2_买 x3_了 x4_蛋糕 x5_。"
    assert "snt" not in counted[0].metadata


def test_errors_that_are_listed_have_the_line_in_the_file():
    bad = text("(x2 / 买-01\n  :arg0() x9)")
    file = load_camr((text("(x2 / 买-01)") + "\n" + bad).encode(), "graphs.txt", "nan")
    assert [len(graph.variables) for graph in file.graphs] == [1, 0]
    assert (file.errors[1].graph, file.errors[1].line) == (1, 4 + 4)


def test_a_plain_graph_becomes_one_without_anchors():
    graph = make_camr_graph(parse_graph("(b / buy-01 :ARG0 (m / mother))"))
    assert (graph.concepts, graph.anchors) == (("buy-01", "mother"), ("", ""))
    assert make_camr_graph(graph) is graph


def test_without_numbered_words_those_of_the_sentence_count_from_1():
    with pytest.raises(GraphError, match="x1_3 refers to character 3 of '妈妈'"):
        parse_camr("# ::id 9\n# ::snt 妈妈 买\n(x2 / 买\n :arg0() (x1_3 / x2))")


def test_missing_files_and_unknown_formats(tmp_path, reading):
    with pytest.raises(GraphError, match=r"none\.txt: cannot be read"):
        read_camr(tmp_path / "none.txt")
    with pytest.raises(GraphError, match="unknown graph format 'penman'"):
        reading("(x1 / 他)", format="penman")


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ("9 5\n", r"len\.txt, line 1: '9 5' is not a sentence id, a tab, and a length"),
        ("8\t5\n9\tfive\n", r"len\.txt, line 2: 'five' is not a number of words"),
        ("8\t5\n9\t１５\n", r"len\.txt, line 2: .*the full-width '１'"),
        ("9\t5\n9\t6\n", r"len\.txt, line 2: sentence 9 has two lengths"),
        ("8\t5\n9\t" + "9" * 5_000 + "\n", r"len\.txt, line 2: .* is not a number of words"),
    ],
)
def test_malformed_files_of_lengths(reading, lengths, expected):
    with pytest.raises(GraphError, match=expected):
        reading(NINE, lengths=lengths)


# Pairs that are not scored


def test_sentences_have_to_correspond(reading):
    src = reading(NINE + EIGHT)
    pairs = pair_up(src, src[::-1])
    expected = "pair 0: src is sentence 9 but tgt is sentence 8"
    cases = [(subscores, pairs)]
    cases += [case for m in METRICS for case in ((m.evaluate, pairs), (m.explain, pairs[0]))]
    for score, argument in cases:
        with pytest.raises(PairError, match=expected):
            score(argument)
    with pytest.raises(PairError, match="src has 2 graphs but tgt has 1"):
        pair_up(src, src[:1])
    with pytest.raises(PairError, match="pair 1: src is sentence 8 but tgt is sentence 9"):
        AlignSmatch().links([Pair(src[0], src[0]), Pair(src[1], src[0])])


def test_anchors_need_a_length(tmp_path):
    path = tmp_path / "graphs.txt"
    path.write_text(NINE, "utf-8")
    pairs = pair_up(read_camr(path), read_camr(path))
    assert CamrSmatch().score(pairs).tolist() == [1.0]
    for score in (ConceptSmatch().score, AlignSmatch().score, subscores):
        with pytest.raises(PairError, match=r"pair 0: sentence 9: .* file of lengths") as caught:
            score(pairs)
        assert (caught.value.pair, caught.value.argument) == (0, "lengths")


@every_metric
def test_graphs_that_are_not_chinese_amr(metric, monkeypatch):
    plain = parse_graph("(s / sleep-01)")
    (chinese,) = parse_camr("(x1 / 走-01)", lengths={"": Sentence(1)})
    monkeypatch.setattr(triple_match, "CHUNK", 2)
    pairs = [*[Pair(chinese, chinese)] * 3, Pair(chinese, plain)]
    for method in (metric.evaluate, metric.align, metric.links):
        with pytest.raises(PairError, match="pair 3: not Chinese AMR: read both sides") as caught:
            method(pairs)
        assert (caught.value.pair, caught.value.argument) == (3, "format")
    with pytest.raises(PairError, match="pair 0: not Chinese AMR"):
        metric.explain(Pair(plain, chinese))
