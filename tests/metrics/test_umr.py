"""The sentence graphs of UMR files."""

import pytest

from metrics import parse_amr, read_graphs
from metrics.errors import GraphError
from metrics.umr import parse_umr, read_umr

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
    umr = read_umr(path)
    assert read_graphs(path, "umr") == list(umr.graphs)
    assert (len(umr.graphs), umr.alignments, umr.documents) == (2, 1, 1)
    first, second = umr.graphs
    assert first == parse_amr(FIRST.partition("graph:")[2].partition("# alignment")[0])[0]
    assert first.metadata == {"id": "story.1", "snt": "The dog barks"}
    assert second.metadata == {"id": "snt2", "snt": "It sleeps ."}
    assert [second.concept(v) for v in second.variables] == ["sleep-01", "it", "cause-01"]
    assert second.relations[2:] == (("s2x", ":ARG0", "s2i"),)


def test_windows_line_ends():
    graphs = parse_umr(written(FIRST, SECOND).replace(b"\n", b"\r\n")).graphs
    assert list(graphs) == list(parse_umr(written(FIRST, SECOND)).graphs)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "some.umr: contains no sentence: is it a UMR file"),
        (b"\n(a / b)\n", "some.umr, line 2: expected a line of hash signs"),
        (b"(a / \xff)", "some.umr, line 1: byte 0xff is not UTF-8"),
        ("x".encode("utf-16"), "some.umr, line 1: is UTF-16"),
        (
            written(FIRST, SECOND.replace("(s2x /", "(s2s /")),
            "some.umr, graph 1, line 28: variable 's2s' is defined twice",
        ),
        (
            written(FIRST.replace("full-affirmative)\n\n", "full-affirmative\n\n", 1), SECOND),
            "some.umr, graph 0, line 8: unbalanced parentheses",
        ),
        (
            written(FIRST, SECOND.replace("(s2i))", "(s2i)))")),
            "some.umr, graph 1, line 29: text outside of any graph",
        ),
        (
            written(SECOND, FIRST.replace("\n# alignment", "(s1x / y)\n# alignment")),
            "some.umr, graph 1, line 20: expected one graph, found 2",
        ),
        (
            written(SECOND.partition("(s2s")[0] + "\n\n# alignment:\n", FIRST),
            "some.umr, graph 0, line 5: expected one graph, found 0",
        ),
        (
            written(FIRST + "# sentence level graph:\n(a / b)\n"),
            "some.umr, line 22: a second graph of one sentence",
        ),
        (written(FIRST, "# :: snt2\nWords: a\n"), "some.umr, graph 1, line 25: expected one graph"),
    ],
)
def test_what_cannot_be_read(data, message):
    with pytest.raises(GraphError) as caught:
        parse_umr(data, "some.umr")
    assert str(caught.value).startswith(message)
