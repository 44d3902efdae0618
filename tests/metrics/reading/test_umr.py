"""The sentence graphs of UMR files."""

import pytest

from amr_metrics import Graph, parse_amr, read_graphs
from amr_metrics.errors import GraphError
from amr_metrics.reading.decoding import read_bytes
from amr_metrics.reading.umr import parse_umr
from amr_metrics.reading.umr_parts import read_annotation

LINE = "#" * 80
FIRST = """# meta-info :: sent_id = story.1
# :: snt1
Index: 1    2     3
Words: The  dog   barks

# sentence level graph:
(s1b / bark-01
    :ARG0 (s1d / dog
        :refer-number singular)
    :aspect activity
    :modal-strength full-affirmative)

# alignment:
s1b: 3-3
s1d: 2-2

# document level annotation:
(s1s0 / sentence
    :temporal ((document-creation-time :before s1b))
    :modal ((root :modal author) (author :full-affirmative s1b)))
"""
SECOND = """# :: snt2\tIt sleeps .

# sentence level graph:
# an annotator's note
(s2s / sleep-01 :ARG0 (s2i / it) :ARG1-of (s2x / cause-01 :ARG0 (s2i)))

# alignment:

# document level annotation:
"""


def written(*sentences, before=""):
    return (before + "\n\n".join(f"{LINE}\n{sentence}" for sentence in sentences)).encode()


def test_sentence_graphs_are_read_and_the_other_parts_counted(tmp_path):
    path = tmp_path / "story.umr"
    path.write_bytes(b"\xef\xbb\xbf" + written(FIRST, SECOND, before="# a story\n\n"))
    umr = parse_umr(read_bytes(path))
    assert read_graphs(path, "umr") == list(umr.graphs)
    assert (len(umr.graphs), umr.alignments, umr.documents) == (2, 1, 1)
    first, second = umr.graphs
    assert first == parse_amr(FIRST.partition("graph:")[2].partition("# alignment")[0])[0]
    assert first.metadata == {"id": "story.1", "snt": "The dog barks"}
    assert second.metadata == {"id": "snt2", "snt": "It sleeps ."}
    assert [second.concept(v) for v in second.variables] == ["sleep-01", "it", "cause-01"]
    assert second.relations[2:] == (("s2x", ":ARG0", "s2i"),)


def test_sentences_without_numbers_are_counted():
    text = written(FIRST, SECOND, FIRST).replace(b":: snt1", b"", 1).replace(b":: snt2", b"")
    sentences = parse_umr(text, with_parts=True).sentences
    assert [sentence.number for sentence in sentences] == [1, 2, 1]


def test_a_fault_of_an_annotation_has_its_line():
    rows = [(7, "(s1s0 / sentence"), (8, ":because"), (9, "((s1a :before s1b)))")]
    assert str(read_annotation(rows)[2]).startswith("line 8: :because is not one of :temporal,")


@pytest.mark.parametrize("end", ["\n", "\n\n"])
def test_byte_order_marks_of_joined_files_are_skipped(tmp_path, end):
    path = tmp_path / "joined.umr"
    text = f"{LINE}\n{FIRST.rstrip()}{end}\ufeff{LINE}\n{SECOND}"
    path.write_text(text, "utf-8-sig")
    expected = parse_umr(text.replace("\ufeff", "").encode()).graphs
    assert read_graphs(path, format="umr") == expected
    assert len(expected) == 2


def test_concepts_that_begin_with_a_hash_sign():
    text = """(s1b / bark-01 :ARG0 (s1f
        /  #Forn :mod (s1p / #Percnt) :op1 "a / #b")
    :ARG1 (s1r /#Rcp :mod s1x) :ARG2 (s1x))"""
    sentence = FIRST.partition("(s1b")[0] + text.replace("(s1x)", "(s1x / #X)")
    (graph,) = parse_umr(written(sentence)).graphs
    assert graph.concepts == ("bark-01", "#Forn", "#Percnt", "#Rcp", "#X")
    assert graph.attributes == (("s1f", ":op1", '"a / #b"'),)
    with_mention = text.replace(":mod s1x", ":mod (s1x / #X)")  # it is read by penman
    (reread,) = parse_umr(written(FIRST.partition("(s1b")[0] + with_mention)).graphs
    assert (reread.concepts, reread.attributes) == (graph.concepts, graph.attributes)


def test_a_slash_may_be_a_concept():
    text = '(s1b / bark-01 :ARG0 (s1x / /)\n:ARG1 (s1y /\t/\n :op1 "a / /") :ARG2 (s1z //))'
    (graph,) = parse_umr(written(FIRST.partition("(s1b")[0] + text)).graphs
    assert graph.concepts == ("bark-01", "/", "/", "/")
    assert graph.attributes == (("s1y", ":op1", '"a / /"'),)
    with pytest.raises(GraphError, match=r"\(s1x / / /\)"):  # as it is written
        parse_umr(written(FIRST.partition("(s1b")[0] + text.replace("/ /)", "/ / /)")))


def test_a_colon_before_a_digit_is_part_of_a_value():
    sentence = """# :: snt1
# sentence level graph:
# at 0:00
(s1d / date-entity:time 0:00 :op1 12:30:15 :op2 "1:2" :ARG1-of (s1x / 7:1))
"""
    (graph,) = parse_umr(written(sentence)).graphs
    assert graph.concepts == ("date-entity", "7:1")
    assert [(role, value) for _, role, value in graph.attributes] == [
        (":time", "0:00"),
        (":op1", "12:30:15"),
        (":op2", '"1:2"'),
    ]
    with pytest.raises(GraphError, match=r"line 5: .*\n.*:time 0:00 :op1"):
        parse_umr(written(sentence.replace("))", ")) 12:00")))


def test_empty_sentence_graphs():
    empty = SECOND.partition("(s2s")[0] + "\n\n# alignment:\n"
    first, second, third = parse_umr(written(empty, FIRST, empty)).graphs
    assert [first, third] == [Graph.empty()] * 2
    assert first.metadata == {"id": "snt2", "snt": "It sleeps ."}
    assert second == parse_umr(written(FIRST)).graphs[0]


@pytest.mark.parametrize(
    "text",
    [
        f"{LINE}\n# a comment\n{LINE}\n{FIRST}\n{LINE}\n{SECOND}\n{LINE}\n",
        f"# a story\n{FIRST}\n{LINE}\n{SECOND}",
        f"{FIRST}\n\n{SECOND}",
    ],
    ids=["repeated", "not before the first sentence", "none"],
)
def test_lines_of_hash_signs_need_not_be_exactly_between_sentences(text):
    graphs = parse_umr(text.encode()).graphs
    assert list(graphs) == list(parse_umr(written(FIRST, SECOND)).graphs)
    assert [graph.metadata["id"] for graph in graphs] == ["story.1", "snt2"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "some.umr: contains no sentence graph (# sentence level graph:): is it a UMR file"),
        (b"(a / \xff)", "some.umr, line 1: byte 0xff is not UTF-8"),
        (
            written(FIRST, SECOND.replace("(s2x /", "(s2s /")),
            "some.umr, graph 1, line 28: variable 's2s' is defined twice",
        ),
        (
            written(SECOND, FIRST.replace("\n# alignment", "(s1x / y)\n# alignment")),
            "some.umr, graph 1, line 20: expected one graph, found 2",
        ),
        (
            written(FIRST, SECOND.replace("(s2x /", "(s2x / #Forn (s2y /")),
            "some.umr, graph 1, line 29: expected here: a role, such as :ARG0, or a closing "
            "parenthesis\n"
            "    (s2s / sleep-01 :ARG0 (s2i / it) :ARG1-of (s2x / #Forn (s2y / cause-01",
        ),
        (
            written(FIRST, before="# :: snt1\nWords: a\n"),
            "some.umr, graph 0, line 1: expected one graph, found 0",
        ),
        (
            written(FIRST + "# sentence level graph:\n(a / b)\n"),
            "some.umr, line 22: a second graph of one sentence",
        ),
    ],
)
def test_what_cannot_be_read(data, message):
    with pytest.raises(GraphError) as caught:
        parse_umr(data, "some.umr")
    assert str(caught.value).startswith(message)


def test_errors_are_listed_by_sentence():
    empty = SECOND.partition("(s2s")[0] + "\n\n# alignment:\n"
    broken = FIRST.replace("full-affirmative)\n\n", "full-affirmative\n\n", 1)
    twice = FIRST.replace("\n# alignment", "(s1x / y)\n# alignment")
    umr = parse_umr(written(empty, broken, FIRST, twice), "some.umr", list_errors=True)
    assert [graph.top for graph in umr.graphs] == ["", "", "s1b", ""]
    assert [graph.metadata["id"] for graph in umr.graphs] == ["snt2", *["story.1"] * 3]
    assert {k: (error.graph, error.problem.split(":")[0]) for k, error in umr.errors.items()} == {
        1: (1, "unbalanced parentheses"),
        3: (3, "expected one graph, found 2"),
    }
