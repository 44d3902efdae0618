"""The first graph of a text, such as the answer of a language model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from amr_metrics import parse_graph
from amr_metrics.errors import GraphError
from amr_metrics.reading.extraction import extract_first
from amr_metrics.reading.writing import format_graph

CAT = "(s / sleep-01 :ARG0 (c / cat))"


@pytest.mark.parametrize(
    ("text", "is_surrounded", "has_several"),
    [
        (CAT, False, False),
        (f"\n  {CAT}\n\n", False, False),
        (f"# ::id 1\n# ::snt He (c / cat) sleeps\n{CAT}\n# ::end (a / b)\n", False, False),
        (f"```amr\n{CAT}\n```", True, False),
        (f"```\n{CAT}", True, False),  # a fence that is never closed
        (f"The sentence (in English) means (see below):\n{CAT} (as I think)", True, False),
        (f'{{"parse": "{CAT}"}}', True, False),
        (f"{CAT} {CAT}", True, True),
        (f"{CAT}\n\nor (\n s\n /sleep-02", True, True),
    ],
)
def test_the_first_graph(text, is_surrounded, has_several):
    extracted = extract_first(text)
    assert extracted[1:] == (is_surrounded, has_several)
    assert parse_graph(extracted.text).concepts == ("sleep-01", "cat")
    assert ("id" in parse_graph(extracted.text).metadata) == ("::id" in text)
    assert extracted.text.endswith(CAT)


@pytest.mark.parametrize(
    "graph",
    [
        '(n / name :op1 "(x / y" :op2 ")")',
        r'(n / name :op1 "a \") (" :op2 "\\")',
        "(c / cat\n# (a comment\n :mod (b / big))",
        "( c/cat :mod(b/big))",
        "(c\n/\ncat)",
    ],
)
def test_parentheses_in_strings_and_comments_do_not_count(graph):
    extracted = extract_first(f"So: {graph}) and more (of this)")
    assert extracted.text == graph


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ("", "there is no graph: the text is empty", None),
        (" \n\t", "there is no graph: the text is empty", None),
        ("I cannot parse this.", "there is no graph in 'I cannot parse this.'", None),
        ("b / bark-01", "there is no graph in 'b / bark-01'", None),
        ("(in (English) only)", "there is no graph in '(in (English) only)'", None),
        ("x" * 100, f"there is no graph in '{'x' * 60}...'", None),
        ("So:\n(b / bark-01", "the first graph has no end: 1 parenthesis is not closed", 2),
        ("(b / bark-01 :ARG0 (d / dog", "the first graph has no end: 2 parentheses are not", 1),
        ('(n / name :op1 "A)\n', "the first graph has no end: 1 parenthesis is not closed", 1),
    ],
)
def test_what_has_no_graph(text, problem, line):
    with pytest.raises(GraphError) as raised:
        extract_first(text)
    assert raised.value.problem.startswith(problem)
    assert raised.value.line == line


def test_lines_are_those_of_the_text():
    text = "# ::id 1\nHere:\n\n```\n(c / cat\n :mod (b / big))\n```"
    text_of_graph = extract_first(text).text
    assert text_of_graph.splitlines()[4] == "(c / cat"
    assert parse_graph(text_of_graph).metadata == {"id": "1"}


PROSE = st.text(alphabet="ab (\n`.,?'", max_size=30)  # without a slash there is no graph


@given(graphs(), PROSE, PROSE)
def test_a_graph_in_prose(graph, before, after):
    extracted = extract_first(before + format_graph(graph) + after)
    assert parse_graph(extracted.text) == parse_graph(format_graph(graph))
    assert extracted.is_surrounded == bool((before + after).strip())
    assert not extracted.has_several


@pytest.mark.parametrize("piece", ["a", "a b ", "(", "( ", "(a ", '"', '\\"', "# a\n", "\n", "`"])
@pytest.mark.parametrize("head", ["", "(a / b "])
def test_long_texts(piece, head):
    with pytest.raises(GraphError, match=r"there is no graph|the first graph has no end"):
        extract_first(head + piece * 1_000_000)
