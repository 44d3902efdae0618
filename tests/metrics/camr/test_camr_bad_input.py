"""Defects of files: each a clear error that names file, sentence and line, or the right score."""

import pytest

from metrics import Pair, pair_up, parse_graph
from metrics.alignment import triple_match
from metrics.camr import (
    AlignSmatch,
    CamrSmatch,
    ConceptSmatch,
    parse_camr,
    read_camr,
    subscores,
)
from metrics.camr.draft import Sentence
from metrics.errors import GraphError, PairError

GOLD = [
    "x0 root - :top - - x2 买-01 -",
    "x2 买-01 - :arg0 - - x1 妈妈 -",
    "x2 买-01 - :arg1 - - x4 蛋糕 -",
    "x2 买-01 - :aspect x3 了 x5 完成 -",
]
METRICS = [m(mode=mode) for m in (CamrSmatch, AlignSmatch) for mode in ("paper", "camrp2022")]


def tuples(*sentences, end="\n\n"):
    """The text of sentences given as (id, rows with blanks for tabs)."""
    blocks = [
        "\n".join("\t".join([sid, *row.split(" ")]) for row in rows) for sid, rows in sentences
    ]
    return "\n\n".join(blocks) + end


@pytest.fixture
def reading(tmp_path):
    """Write a file, and a file of lengths, and read it."""

    def read(content, lengths="9\t5\n8\t5\n", **options):
        path, length_path = tmp_path / "graphs.txt", tmp_path / "len.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        length_path.write_text(lengths, "utf-8")
        return read_camr(path, lengths=length_path, **options)

    return read


@pytest.fixture
def message(reading):
    """The message of the error that reading a file raises."""

    def message_of(content, **options):
        with pytest.raises(GraphError) as error:
            reading(content, **options)
        return str(error.value)

    return message_of


# --- the seven defects of the released tool -------------------------------------------------


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n\r\n\r\n"])
def test_the_last_sentence_needs_no_blank_line(reading, end):
    graphs = reading(tuples(("9", GOLD), ("8", GOLD), end=end))
    assert [graph.sentence_id for graph in graphs] == ["9", "8"]
    assert graphs[1].relations == graphs[0].relations


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.signature)
def test_repeated_rows_count_once(reading, metric):
    (once,) = reading(tuples(("9", GOLD)))
    (twice,) = reading(tuples(("9", [row for row in GOLD for _ in range(2)])))
    for pair in (Pair(twice, once), Pair(once, twice), Pair(twice, twice)):
        assert metric.score([pair]).tolist() == [1.0]
    assert subscores([Pair(twice, once)]).corpus["RA"]["f1"] == 1.0


def test_different_sentences_are_not_scored(reading):
    src = reading(tuples(("9", GOLD), ("8", GOLD)))
    pairs = pair_up(src, src[::-1])
    expected = "pair 0: src is sentence 9 but tgt is sentence 8"
    for metric in METRICS:
        with pytest.raises(PairError, match=expected):
            metric.evaluate(pairs)
        with pytest.raises(PairError, match=expected):
            metric.explain(pairs[0])
    with pytest.raises(PairError, match=expected):
        subscores(pairs)


def test_a_missing_sentence_is_not_scored(reading):
    src = reading(tuples(("9", GOLD), ("8", GOLD)))
    with pytest.raises(PairError, match="src has 2 graphs but tgt has 1"):
        pair_up(src, src[:1])


def test_a_byte_order_mark_is_skipped(reading):
    assert reading("\ufeff" + tuples(("9", GOLD))) == reading(tuples(("9", GOLD)))


def test_a_byte_order_mark_of_the_length_file_is_skipped(reading):
    text = tuples(("9", GOLD))
    assert reading(text, lengths="\ufeff9\t5\n") == reading(text, lengths="9\t5\n")


def test_another_encoding(message):
    assert "graphs.txt, line 1: is UTF-16" in message(tuples(("9", GOLD)).encode("utf-16"))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_concatenated_files_with_byte_order_marks(message, newline):
    content = (tuples(("9", GOLD)) + "\ufeff" + tuples(("8", GOLD))).replace("\n", newline)
    error = message(content)
    assert "graphs.txt, graph 1, line 6" in error
    assert "the invisible character U+FEFF in column 1: remove it" in error


def test_a_byte_order_mark_inside_a_text_file(message):
    error = message("# ::id export_amr.9\n(x1 / 他)\n\n\ufeff# ::id export_amr.8\n(x1 / 他)\n")
    assert "graphs.txt, graph 1, line 4: the invisible character U+FEFF" in error


def test_mixed_line_endings_are_read(reading):
    lines = tuples(("9", GOLD), ("8", GOLD)).split("\n")
    mixed = "".join(line + ("\r\n" if k % 2 else "\n") for k, line in enumerate(lines))
    assert reading(mixed) == reading("\n".join(lines))


def test_a_sentence_missing_from_the_length_file(message):
    error = message(tuples(("9", GOLD), ("77", GOLD)))
    assert "graphs.txt, graph 1, line 6: sentence 77: the file of sentence lengths" in error
    error = message("# ::id export_amr.77 ::x\n# ::wid x1_他\n(x1 / 他)\n")
    assert "graphs.txt, graph 0, line 1: sentence 77: the file of sentence lengths" in error


@pytest.mark.parametrize("columns", [1, 2, 9, 11])
def test_a_row_with_a_wrong_number_of_columns(message, columns):
    row = "\t".join(["9", "x2", "买-01", "-", ":arg0", "-", "-", "x1", "妈", "-", "-"][:columns])
    error = message(tuples(("9", GOLD), end="\n") + row + "\n")
    where = "graphs.txt, graph 0, line 5: " + ("sentence 9: " if columns > 1 else "")
    assert where + f"expected 10 tab-separated columns, not {columns}: sid, " in error


def test_an_id_with_two_concepts(reading, message):
    content = tuples(("9", [*GOLD, "x2 买-01 - :quant - - x1 一 -"]))
    error = message(content)
    assert "line 5: sentence 9: node x1 has two concepts, '妈妈' and '一'" in error
    with pytest.raises(GraphError, match="read with split=True") as caught:
        reading(content)
    assert caught.value.argument == "split"
    (graph,) = reading(content, split=True)
    assert graph.variables == ("x2", "x1", "x4", "x5", "x1#2")
    error = message("# ::id export_amr.9\n(x2 / 买-01 :arg0() (x1 / 妈妈)\n :quant() (x1 / 一))")
    assert "line 3: sentence 9: node x1 has two concepts, '妈妈' and '一'" in error


def test_rows_before_the_top(reading):
    (plain,), (late,) = (reading(tuples(("9", rows))) for rows in (GOLD, GOLD[1:] + GOLD[:1]))
    assert late == plain
    assert late.top == "x2"
    assert AlignSmatch(fix="all").score([Pair(late, plain)]).tolist() == [1.0]


# --- ids ------------------------------------------------------------------------------------


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
    ],
)
def test_malformed_ids(message, name, expected):
    rows = [*GOLD[:2], f"x2 买-01 - :arg1 - - {name} 蛋糕 -"]
    where = "graphs.txt, graph 0, line 3: sentence 9: "
    assert where in message(tuples(("9", rows)))
    assert expected in message(tuples(("9", rows)))
    error = message(f"# ::id export_amr.9\n(x2 / 买-01\n  :arg1() ({name} / 蛋糕))\n")
    assert where in error
    assert expected in error


def test_function_words_outside_the_sentence(message):
    error = message(tuples(("9", [*GOLD, "x2 买-01 - :time x6 在 x1 妈妈 -"])))
    assert "line 5: sentence 9: x6 refers to word 6, but the sentence has 5 words" in error
    error = message("# ::id export_amr.9\n(x2 / 买-01\n  :time(x6/在) (x1 / 晚上))\n")
    assert "line 3: sentence 9: x6 refers to word 6, but the sentence has 5 words" in error


def test_incomplete_relation_alignment(message):
    error = message(tuples(("9", [*GOLD, "x2 买-01 - :time x3 - x1 妈妈 -"])))
    assert "line 5: sentence 9: rid is 'x3' but ralign is '-'" in error


# --- tuple rows -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "line", "expected"),
    [
        (GOLD[1:], 1, "has no :top row"),
        ([*GOLD, "x0 root - :top - - x1 妈妈 -"], 5, "two tops, x2 and x1"),
        ([*GOLD, "x2 买-01 - :top - - x1 妈妈 -"], 5, "the source of :top must be 'x0 root'"),
        ([*GOLD, "x2 买-01 - arg2 - - x1 妈妈 -"], 5, "'arg2' does not start with a colon"),
        ([*GOLD, "x2 买-01 - : - - x1 妈妈 -"], 5, "':' does not start with a colon"),
        ([*GOLD, "x2  - :arg2 - - x1 妈妈 -"], 5, "the column concept1 is empty"),
        ([*GOLD, "x2 买-01 - :arg2 - - x1 妈妈 x9"], 5, "no node has the id x9"),
        ([*GOLD, "x2 买-01 x1 :arg2 - - x1 妈妈 x2"], 1, "circular coreference: x2 -> x1 -> x2"),
        ([*GOLD, "x2 买-01 - :arg2 - - x1 妈妈 x1"], 1, "circular coreference: x1 -> x1"),
        (
            [*GOLD, "x2 买-01 x1 :arg2 - - x1 妈妈 -", "x2 买-01 x4 :arg2 - - x1 妈妈 -"],
            6,
            "x2 refers to both x1 and x4",
        ),
    ],
)
def test_malformed_rows(message, rows, line, expected):
    error = message(tuples(("9", rows)))
    assert f"graphs.txt, graph 0, line {line}: sentence 9: " in error
    assert expected in error


def test_two_sentences_without_a_blank_line(message):
    error = message(tuples(("9", GOLD), end="\n") + tuples(("8", GOLD)))
    assert "line 5: sentence 9: is followed by sentence 8: put a blank line" in error


def test_a_blank_line_inside_a_sentence(message):
    error = message(tuples(("9", GOLD[:2]), ("9", GOLD[2:])))
    assert "graph 1, line 4: sentence 9: has no :top row" in error


# --- text -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("graph", "line", "expected"),
    [
        (
            "(x2 / 买-01\n  :arg0() (x1 / 妈妈)",
            4,
            "ends where a closing parenthesis or a relation was",
        ),
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
        ("(x2 / 买-01\n  :arg0() (x1))", 4, "expected '/', not ')'"),
        ("(x2 / 买-01\n  :time() (x1 / 12:30))", 4, "':30' is not a role: quote a concept"),
        ('(x2 / 买-01\n  :time() (x1 / "12:30))', 4, "is not closed"),
        ("(x2 / 买-01\n  :arg0() (x1 / 妈 妈))", 4, "or a closing parenthesis, not '妈'"),
        (
            "(x2 / 买-01\n  :arg0() (x1 / x4)\n  :arg1() (x4 / x1))",
            1,
            "coreference: x1 -> x4 -> x1",
        ),
        ("(x2 / 买-01\n  :arg0() (x1 / x1))", 1, "circular coreference: x1 -> x1"),
        ("(x2 / 买-01\n  :arg0() (x1_7 / x2))", 4, "x1_7 refers to character 7 of '妈妈'"),
        ("(x2 / 买-01\n  :arg0() (x1 / 妈\u200b妈))", 4, "the invisible character U+200B"),
        ("(x2 / 买-01\n# ::id export_amr.8", 4, "metadata in the middle of a graph"),
        ("", 1, "has no graph"),
    ],
)
def test_malformed_text(message, graph, line, expected):
    words = "# ::wid x1_妈妈 x2_买 x3_了 x4_蛋糕 x5_。"
    error = message(f"# ::id export_amr.9 ::2024-01-01 00:00:00\n{words}\n{graph}\n", format="text")
    assert f"graphs.txt, graph 0, line {line}: " in error
    assert expected in error
    assert "sentence 9: " in error


@pytest.mark.parametrize("wid", ["妈妈", "x1妈妈", "x１_妈妈"])
def test_a_malformed_wid(message, wid):
    error = message(f"# ::id export_amr.9\n# ::wid {wid}\n(x2 / 买-01)\n")
    assert f"sentence 9: {wid!r} in # ::wid is not x1_word" in error


def test_an_anaphor_without_words(message):
    error = message("# ::id export_amr.9\n(x2 / 买-01\n :arg0() (x1 / x2))\n")
    assert "line 3: sentence 9: x1 refers to another node" in error
    assert "add the sentence's # ::wid line" in error


# --- files ----------------------------------------------------------------------------------


def test_a_file_without_graphs(message):
    assert "graphs.txt: contains no graph" in message("\n \n")
    assert "graphs.txt: contains no graph" in message("# a note\n")


def test_missing_file(tmp_path):
    with pytest.raises(GraphError, match=r"none\.txt: cannot be read"):
        read_camr(tmp_path / "none.txt")


def test_bytes_that_are_not_utf8(message):
    assert "line 1: byte 0xc2 is not UTF-8" in message("妈妈".encode("gbk"))


def test_an_unknown_format(message):
    assert "unknown graph format 'penman'" in message("(x1 / 他)", format="penman")


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
        reading(tuples(("9", GOLD)), lengths=lengths)


# --- metrics --------------------------------------------------------------------------------


def test_anchors_need_a_length(tmp_path):
    path = tmp_path / "graphs.txt"
    path.write_text(tuples(("9", GOLD)), "utf-8")
    pairs = pair_up(read_camr(path), read_camr(path))
    assert CamrSmatch().score(pairs).tolist() == [1.0]
    for metric in (ConceptSmatch(), AlignSmatch()):
        with pytest.raises(PairError, match=r"pair 0: sentence 9: .* file of lengths") as caught:
            metric.score(pairs)
        assert (caught.value.pair, caught.value.argument) == (0, "lengths")
    with pytest.raises(PairError, match="the file of lengths"):
        subscores(pairs)


@pytest.mark.parametrize("method", ["evaluate", "align", "links"])
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.signature)
def test_graphs_that_are_not_chinese_amr(metric, method, monkeypatch):
    plain = parse_graph("(s / sleep-01)")
    (chinese,) = parse_camr("(x1 / 走-01)", lengths={"": Sentence(1)})
    monkeypatch.setattr(triple_match, "CHUNK", 2)
    pairs = [*[Pair(chinese, chinese)] * 3, Pair(chinese, plain)]
    with pytest.raises(PairError, match="pair 3: not Chinese AMR: read both sides") as caught:
        getattr(metric, method)(pairs)
    assert (caught.value.pair, caught.value.argument) == (3, "format")
    with pytest.raises(PairError, match="pair 0: not Chinese AMR"):
        metric.explain(Pair(plain, chinese))


def test_graphs_of_different_sentences():
    first, second = (
        parse_camr(f"# ::id {k}\n(x1 / 走-01)", lengths={k: Sentence(1)})[0] for k in ("1", "2")
    )
    with pytest.raises(PairError, match="src is sentence 1 but tgt is sentence 2") as caught:
        AlignSmatch().links([Pair(first, first), Pair(first, second)])
    assert caught.value.pair == 1
