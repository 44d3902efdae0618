"""What describes pairs, and their mistakes: joined from chunks as in one piece."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bamboo.scoring.mistake_rows import DIRECTIONS, ROW, ParserMistakes
from bamboo.scoring.scored import PairColumns

CONSTRUCTIONS = 3


def test_pairs_of_graph_k_with_graph_k_have_one_list_of_ids():
    ids = ["a", None], ["c"]
    joined = PairColumns.concatenate(
        [PairColumns(range(2), ids[0], ids[0]), PairColumns(range(2, 3), ids[1], ids[1])]
    )
    assert joined.to_columns() == {"pair": range(3), "id": ["a", None, "c"]}
    assert joined.tgt_ids is joined.src_ids is joined.ids


def test_pairs_of_every_graph_with_every_graph_are_numbered():
    same = ["b"]
    parts = [
        PairColumns(range(2), ["a", "a"], ["x", None], 3),
        PairColumns(range(2, 4), ["a", None], ["z", "x"], 3),
        PairColumns(range(4, 5), same, same, 3),
    ]
    joined = PairColumns.concatenate(parts)
    columns = {name: [*column] for name, column in joined.to_columns().items()}
    assert columns == {
        "pair": [0, 1, 2, 3, 4],
        "src": [1, 1, 1, 2, 2],
        "tgt": [1, 2, 3, 1, 2],
        "src_id": ["a", "a", "a", None, "b"],
        "tgt_id": ["x", None, "z", "x", "b"],
    }
    assert joined.ids == ["a / x", "a", "a / z", "x", "b / b"]


def test_ratings_and_buckets_are_joined():
    numbers, ratings = np.arange(4, 7), np.array([0.0, 0.5, np.nan])
    cell = [PairColumns(numbers[k:], ratings=ratings[k:]) for k in (0, 2)]
    joined = PairColumns.concatenate(cell)
    assert np.asarray(joined.numbers).tolist() == [4, 5, 6, 6]
    assert np.array_equal(joined.ratings, ratings[[0, 1, 2, 2]], equal_nan=True)
    grouped = [PairColumns(range(k, k + 1), [None], [None], 0, "genre", ["b"]) for k in (0, 1)]
    assert PairColumns.concatenate(grouped).to_columns()["genre"] == ["b", "b"]


def table(pairs, present):
    """Return the table of mistakes, given for each pair."""
    rows = [(k, *mistake, None) for k, mistakes in enumerate(pairs) for mistake in mistakes]
    totals = np.where(np.array(present, bool)[:, None], 1.0, np.nan)
    items = np.repeat(totals, CONSTRUCTIONS, 1)
    return ParserMistakes(np.array(rows, ROW), items, items, np.repeat(totals, 3, 1))


weights = st.floats(0, 10)
row = st.tuples(st.integers(0, CONSTRUCTIONS - 1), st.integers(0, 2), weights, weights)
pair = st.tuples(st.booleans(), st.lists(row, max_size=4)).map(lambda p: (p[0], p[1] * p[0]))


@given(st.lists(pair, min_size=1, max_size=6), st.integers(0, 6))
def test_mistakes_are_summed_in_their_order_and_do_not_depend_on_chunks(pairs, cut):
    present, mistakes = map(list, zip(*pairs, strict=True))
    chunks = [slice(0, cut), slice(cut, None)]
    parts = [table(mistakes[c], present[c]) for c in chunks if mistakes[c]]
    joined = pickle.loads(pickle.dumps(ParserMistakes.concatenate(parts)))
    assert joined.rows.tolist() == table(mistakes, present).rows.tolist()
    assert joined.present.tolist() == present
    expected = np.zeros((3, len(pairs), CONSTRUCTIONS, len(DIRECTIONS)))
    for k, rows in enumerate(mistakes):
        for construction, direction, *weights_of_row in rows:
            expected[:, k, construction, direction] += 1, *weights_of_row
    expected[:, ~np.array(present)] = np.nan
    sums = joined.counts, joined.src_weights, joined.tgt_weights
    assert np.array_equal(sums, expected, equal_nan=True)
