"""What differs between a parse and the gold graph, by line of the gold graph's outline."""

import pytest

import amr_metrics
from amr_metrics import parse_graph
from bamboo.explanation.mistakes import mistakes
from bamboo.parsers.report.differences import MISSING, WRONG, Differences, Lines, differences


@pytest.mark.parametrize(
    ("parse", "gold", "expected"),
    [
        (  # what is below the dog stands below the cat
            "(s / sleep-01 :ARG0 (d / dog :mod (b / big :degree (v / very))))",
            "(s / sleep-01 :ARG0 (c / cat))",
            Differences(
                [(1, WRONG, 2, "dog")],
                [(1, 1, 2, 0, ":mod big"), (1, 2, 3, 1, ":degree very")],
                [2, 3, 3],
            ),
        ),
        (  # an edge in the other direction makes its ends no counterparts of each other
            "(s / see-01 :ARG0 (c / cat) :quant 3)",
            "(s / see-01 :ARG0-of (c / cat))",
            Differences([(1, WRONG, 1, ":ARG0")], [(0, 1, 1, 0, ":quant 3")], [1]),
        ),
        (  # re-entrant edges come after the lines
            "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02))",
            "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))",
            Differences([(3, MISSING, 0, "")], [], []),
        ),
        (  # and so do those that only the parse has
            "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))",
            "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02))",
            Differences([], [(2, 1, 3, 0, ":ARG0 boy ↩")], [3]),
        ),
    ],
)
def test_marks_and_lines_by_hand(parse, gold, expected):
    pair = parse_graph(parse), parse_graph(gold)
    (explanation,) = amr_metrics.get("smatch_1.0").explanations([amr_metrics.Pair(*pair)])
    found = differences(*map(Lines, pair), explanation, mistakes(explanation))
    assert found == expected
