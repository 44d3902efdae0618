"""Scores and differences as rows: selection, the best systems, ties and values that are missing."""

import numpy as np
import pytest

from bamboo.board import (
    CORPUS,
    MISTAKE,
    WHOLE,
    Board,
    Difference,
    Score,
    count_needed,
    find_detectable,
    find_highest,
)
from bamboo.ties import TIE

NAN = float("nan")


def rows(metric, kind, part, score="f1", **values):
    """The scores of systems on a part, and the differences of each two of them."""
    scores = [Score(metric, kind, part, name, 9, 1, score, v) for name, v in values.items()]
    names = [*values]
    differences = [
        Difference(metric, kind, part, a, b, 9, score, values[a] - values[b], p=0.5, p_adjusted=0.6)
        for k, a in enumerate(names)
        for b in names[k + 1 :]
    ]
    return Board(tuple(scores), tuple(differences))


BOARD = Board.join(
    [
        rows("smatch", CORPUS, WHOLE, a=0.75, b=0.5),
        rows("smatch", CORPUS, WHOLE, "recall", a=0.25, b=0.5),
        rows("smatch", "aspect", "ner", a=0.5, b=1.0),
        rows("wlk", CORPUS, WHOLE, "mean", a=0.25, b=0.5),
    ]
)


def test_joined_boards_keep_the_order_of_their_rows():
    assert [row.score for row in BOARD.scores] == [
        *("f1", "f1", "recall", "recall"),
        *("f1", "f1", "mean", "mean"),
    ]
    assert [(row.metric, row.part, row.score) for row in BOARD.differences] == [
        ("smatch", WHOLE, "f1"),
        ("smatch", WHOLE, "recall"),
        ("smatch", "ner", "f1"),
        ("wlk", WHOLE, "mean"),
    ]
    assert Board.join([]) == Board()
    assert Board.join(iter([BOARD, Board()])) == BOARD


@pytest.mark.parametrize(
    ("wanted", "scores", "differences"),
    [
        ({}, 8, 4),
        ({"metric": "smatch"}, 6, 3),
        ({"kind": CORPUS}, 6, 3),
        ({"kind": CORPUS, "score": "f1"}, 2, 1),
        ({"part": WHOLE, "metric": "wlk"}, 2, 1),
        ({"part": "ner"}, 2, 1),
        ({"system": "a"}, 4, 0),
        ({"system": "a", "part": "ner"}, 1, 0),
        ({"kind": MISTAKE}, 0, 0),
        ({"system": "c"}, 0, 0),
    ],
)
def test_selected_rows(wanted, scores, differences):
    selected = BOARD.select(**wanted)
    assert (len(selected.scores), len(selected.differences)) == (scores, differences)
    for row in selected.scores:
        assert {name: getattr(row, name) for name in wanted} == wanted
    assert {*selected.scores} <= {*BOARD.scores}


def test_names_values_and_the_score_that_ranks():
    assert BOARD.list_names("system") == ["a", "b"]
    assert BOARD.list_names("metric") == ["smatch", "wlk"]
    assert BOARD.value("b", "recall") == 0.5
    assert np.isnan(BOARD.value("b", "precision"))
    assert np.isnan(BOARD.value("c", "f1"))
    assert BOARD.main_scores == {
        ("smatch", CORPUS): "f1",
        ("smatch", "aspect"): "f1",
        ("wlk", CORPUS): "mean",
    }
    assert (BOARD.main, BOARD.select(metric="wlk").main, Board().main) == ("f1", "mean", "f1")


def test_scores_by_part_and_system():
    assert [*BOARD.rows] == [
        ("smatch", CORPUS, WHOLE, "a"),
        ("smatch", CORPUS, WHOLE, "b"),
        ("smatch", "aspect", "ner", "a"),
        ("smatch", "aspect", "ner", "b"),
        ("wlk", CORPUS, WHOLE, "a"),
        ("wlk", CORPUS, WHOLE, "b"),
    ]
    scores = BOARD.rows["smatch", CORPUS, WHOLE, "a"]
    assert {name: row.value for name, row in scores.items()} == {"f1": 0.75, "recall": 0.25}


def test_differences_both_ways():
    row = Difference("m", CORPUS, WHOLE, "a", "b", 9, "f1", 0.25, 0.125, 0.5, 0.1, 0.2, 0.3, 0.4)
    board = Board((), (row,))
    assert board.by_systems["m", CORPUS, WHOLE, "a", "b", "f1"] is row
    back = board.by_systems["m", CORPUS, WHOLE, "b", "a", "f1"]
    assert (back.first, back.second, back.value, back.interval) == ("b", "a", -0.25, (-0.5, -0.125))
    assert back[10:] == row[10:]  # the p-values, and what can be detected
    assert back.reverse() == row
    assert row._replace(low=NAN, high=NAN).interval is None
    zero = row._replace(value=0.0, low=-0.5, high=0.0).reverse()
    assert [str(x) for x in (zero.value, zero.low, zero.high)] == ["0.0", "0.0", "0.5"]


def test_each_part_has_a_best_system():
    assert BOARD.best_systems == {
        ("smatch", CORPUS, WHOLE): ["a"],  # by F1, not by recall
        ("smatch", "aspect", "ner"): ["b"],
        ("wlk", CORPUS, WHOLE): ["b"],
    }
    best, row = BOARD.compare_with_best("smatch", CORPUS, WHOLE, "b")
    assert (best, row.first, row.second, row.score, row.value) == ("a", "b", "a", "f1", -0.25)
    assert BOARD.compare_with_best("smatch", CORPUS, WHOLE, "a") == ("a", None)
    best, row = BOARD.compare_with_best("wlk", CORPUS, WHOLE, "a")
    assert (best, row.score, row.value) == ("b", "mean", -0.25)


def test_a_system_alone_is_not_the_best():
    alone = rows("smatch", CORPUS, WHOLE, a=0.5)
    assert alone.best_systems == {}
    assert alone.compare_with_best("smatch", CORPUS, WHOLE, "a") == (None, None)
    assert BOARD.compare_with_best("smatch", "bucket", "news", "a") == (None, None)


@pytest.mark.parametrize("order", ["acb", "bca", "cab"])
def test_equal_systems_are_best_together(order):
    values = {"a": 0.3, "b": 0.25, "c": 0.1 + 0.2}  # which is .30000000000000004
    board = rows("m", CORPUS, WHOLE, **{name: values[name] for name in order})
    assert sorted(*board.best_systems.values()) == ["a", "c"]
    for name in "ac":
        assert board.compare_with_best("m", CORPUS, WHOLE, name) == (name, None)
    best, row = board.compare_with_best("m", CORPUS, WHOLE, "b")
    assert (best, row.first, row.second, row.value) == ("a", "b", "a", pytest.approx(-0.05))


def test_systems_without_a_value_are_never_best():
    board = rows("m", CORPUS, WHOLE, a=NAN, b=0.25)
    assert board.compare_with_best("m", CORPUS, WHOLE, "b") == ("b", None)
    best, row = board.compare_with_best("m", CORPUS, WHOLE, "a")
    assert (best, row.first) == ("b", "a")
    assert np.isnan(row.value)
    nothing = rows("m", CORPUS, WHOLE, a=NAN, b=NAN)
    assert nothing.best_systems == {("m", CORPUS, WHOLE): []}
    assert nothing.compare_with_best("m", CORPUS, WHOLE, "a") == (None, None)


def test_the_highest_values():
    assert find_highest({}) == []
    assert find_highest({"a": NAN}) == []
    assert find_highest({"a": -1.0, "b": NAN, "c": -2.0}) == ["a"]
    assert find_highest({"a": 0.5, "b": 0.5 + 1e-9}) == ["b"]
    assert find_highest({"a": 0.5, "b": 0.5 + 1e-11}) == ["a", "b"]
    assert find_highest({"b": 0.5, "a": 0.5 + 1e-14}) == ["b", "a"]


def test_detectable_differences():
    row = Difference("m", CORPUS, WHOLE, "a", "b", 9, "f1", 0.5)
    sizes = [row._replace(detectable=size) for size in (0.25, NAN, TIE, 0.5, 0.125)]
    assert find_detectable(sizes) == [0.125, 0.5]
    assert find_detectable(sizes[1:3]) == []
    # With 9 pairs at most 0.5 is detectable; half of that needs four times as many.
    assert count_needed(sizes, 0.25) == 9 * 4
    assert count_needed(sizes[1:3], 0.25) is None


def test_intervals():
    row = Score("m", CORPUS, WHOLE, "a", 9, 0, "f1", 0.5)
    assert row.interval is None
    assert row._replace(low=0.25, high=0.75).interval == (0.25, 0.75)
