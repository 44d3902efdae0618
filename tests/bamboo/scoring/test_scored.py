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
    found = PairColumns.concatenate(
        [PairColumns(range(2), ids[0], ids[0]), PairColumns(range(2, 3), ids[1], ids[1])]
    )
    assert found.to_columns() == {"pair": range(3), "id": ["a", None, "c"]}
    assert found.tgt_ids is found.src_ids is found.ids


def test_pairs_of_every_graph_with_every_graph_are_numbered():
    parts = [
        PairColumns(range(2), ["a", "a"], ["x", None], 3),
        PairColumns(range(2, 4), ["a", None], ["z", "x"], 3),
    ]
    found = PairColumns.concatenate(parts)
    columns = {name: [*column] for name, column in found.to_columns().items()}
    assert columns == {
        "pair": [0, 1, 2, 3],
        "src": [1, 1, 1, 2],
        "tgt": [1, 2, 3, 1],
        "src_id": ["a", "a", "a", None],
        "tgt_id": ["x", None, "z", "x"],
    }
    assert found.ids == ["a / x", "a", "a / z", "x"]


def test_ratings_and_buckets_are_joined():
    numbers, ratings = np.arange(4, 7), np.array([0.0, 0.5, np.nan])
    cell = [PairColumns(numbers[k:], ratings=ratings[k:]) for k in (0, 2)]
    found = PairColumns.concatenate(cell)
    assert np.asarray(found.numbers).tolist() == [4, 5, 6, 6]
    assert np.array_equal(found.ratings, ratings[[0, 1, 2, 2]], equal_nan=True)
    grouped = [PairColumns(range(k, k + 1), [None], [None], 0, "genre", ["b"]) for k in (0, 1)]
    assert PairColumns.concatenate(grouped).to_columns()["genre"] == ["b", "b"]


def table(pairs, present):
    """Return the table of mistakes, given for each pair."""
    rows = [(k, *one, None) for k, found in enumerate(pairs) for one in found]
    totals = np.where(np.array(present, bool)[:, None], 1.0, np.nan)
    return ParserMistakes(
        np.array(rows, ROW), np.repeat(totals, CONSTRUCTIONS, 1), np.repeat(totals, 3, 1)
    )


weights = st.floats(0, 10)
row = st.tuples(st.integers(0, CONSTRUCTIONS - 1), st.integers(0, 2), weights, weights)
pair = st.tuples(st.booleans(), st.lists(row, max_size=4)).map(lambda p: (p[0], p[1] * p[0]))


@given(st.lists(pair, min_size=1, max_size=6), st.integers(0, 6))
def test_mistakes_are_summed_in_their_order_and_do_not_depend_on_chunks(pairs, cut):
    present, found = [one[0] for one in pairs], [one[1] for one in pairs]
    chunks = [slice(0, cut), slice(cut, None)]
    parts = [table(found[c], present[c]) for c in chunks if found[c]]
    joined = pickle.loads(pickle.dumps(ParserMistakes.concatenate(parts)))
    assert joined.rows.tolist() == table(found, present).rows.tolist()
    assert joined.present.tolist() == present
    expected = np.zeros((3, len(pairs), CONSTRUCTIONS, len(DIRECTIONS)))
    for k, rows in enumerate(found):
        for construction, direction, *weights_of_row in rows:
            expected[:, k, construction, direction] += 1, *weights_of_row
    expected[:, ~np.array(present)] = np.nan
    sums = joined.counts, joined.src_weights, joined.tgt_weights
    assert np.array_equal(sums, expected, equal_nan=True)
