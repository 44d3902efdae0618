"""What describes pairs: joined from chunks as in one piece."""

import numpy as np

from bamboo.scoring.scored import PairColumns


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
