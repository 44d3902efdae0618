"""Scores that grow chunk by chunk: the same as those of all pairs at once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics.base import Scores
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pair
from bamboo.scoring.problems import Problem
from bamboo.scoring.scored import (
    GrowingColumn,
    GrowingScored,
    GrowingScores,
    PairColumns,
    Scored,
)


def columns(types):
    values = st.tuples(st.sampled_from(types), st.lists(st.integers(0, 99), max_size=20))
    column = values.map(lambda drawn: np.array(drawn[1], drawn[0]))
    return st.lists(column, min_size=1, max_size=9)


NAN = np.nan


def grow(parts):
    whole = GrowingScores()
    for values, details in parts:
        whole.add(Scores(np.array(values, float), details))
    return whole.finish()


@given(columns([np.bool_, np.int64, np.float64]) | columns(["U1", "U3"]) | columns([object]))
def test_a_column_is_that_of_joined_parts(parts):
    column = GrowingColumn(parts[0])
    for part in parts[1:]:
        column.add(part)
    joined, expected = column.finish(), np.concatenate(parts)
    assert joined.dtype == expected.dtype
    assert joined.tolist() == expected.tolist()


def test_the_first_part_is_not_changed():
    first = np.zeros(3)
    column = GrowingColumn(first)
    column.add(np.ones(2))
    assert column.finish().tolist() == [0, 0, 0, 1, 1]
    assert first.tolist() == [0, 0, 0]


def test_chunks_without_scores_lack_columns():
    scored = {"matches": np.array([3]), "optimal": np.array([True])}
    scores = grow([([NAN, NAN], {}), ([0.5], scored), ([NAN], {})])
    assert np.array_equal(scores.values, [NAN, NAN, 0.5, NAN], equal_nan=True)
    assert np.array_equal(scores.details["matches"], [NAN, NAN, 3, NAN], equal_nan=True)
    assert scores.details["optimal"].tolist() == [False, False, True, False]


def test_no_pair_has_a_score():
    scores = grow([([NAN], {"matches": np.array([NAN])}), ([NAN], {})])
    assert np.isnan(scores.values).tolist() == [True, True]
    assert np.isnan(scores.details["matches"]).tolist() == [True, True]


def test_parts_problems_and_lowest_pairs_have_positions_among_all():
    pairs = [Pair(Graph.empty(), Graph.empty()) for _ in range(4)]
    whole = GrowingScored(lowest=2)
    whole.add(
        Scored(Scores(np.array([0.5, NAN])), problems={1: Problem("broken")}, lowest={0: pairs[0]})
    )
    whole.add(
        Scored(
            Scores(np.array([0.25, 0.5])),
            parts={"ner": Scores(np.array([1.0, 0.0]))},
            lowest={0: pairs[2], 1: pairs[3]},
            seconds=2.0,
        )
    )
    scored = whole.finish(PairColumns(range(4)))
    assert len(scored) == 4
    assert scored.pairs.numbers == range(4)
    assert [*scored.problems] == [1]
    assert np.array_equal(scored.parts["ner"].values, [NAN, NAN, 1, 0], equal_nan=True)
    assert [*scored.lowest] == [2, 0]
    assert scored.lowest[0] is pairs[0]
    assert scored.seconds == 2
