"""Files of ratings, as every command reads them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo.benchmark.pair_tables import read_ratings, rescale_ratings
from bamboo.errors import DataError
from bamboo.scoring.problems import Problem


def write(folder, text):
    path = folder / "ratings.txt"
    path.write_text(text, "utf-8")
    return path


def test_lines_of_other_pairs_may_hold_anything(tmp_path):
    path = write(tmp_path, "score\n3\n4\n\n")
    ratings, problems = rescale_ratings(read_ratings([path], 4)[1:3], (0, 4))
    assert (ratings.tolist(), problems) == ([[0.75], [1.0]], {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n", "has 1 rating for 2 pairs: expected one per line"),
        ("1\n\n", "pair 1, line 2: there is no rating: remove the pair, or set on_error=nan"),
        ("\n1\n2\n", "has 3 ratings for 2 pairs"),
        ("1\nnan\n", "pair 1, line 2: the rating 'nan' is not a finite number"),
        ("1\n5.5\n", "pair 1, line 2: 5.5 is not on the scale from 0 to 5 (set scale"),
    ],
)
def test_ratings_that_do_not_match_the_pairs(tmp_path, text, message):
    with pytest.raises(DataError) as caught:
        rescale_ratings(read_ratings([write(tmp_path, text)], 2), (0, 5))
    assert str(caught.value).startswith(str(tmp_path))
    assert message in str(caught.value)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=20))
def test_written_ratings_can_be_read(tmp_path_factory, values):
    path = write(tmp_path_factory.mktemp("ratings"), "".join(f"{value!r}\n" for value in values))
    ratings, _ = rescale_ratings(read_ratings([path], len(values)), (-5, 5))
    assert ratings.tolist() == [[(value + 5) / 10] for value in values]


@pytest.mark.parametrize("number", ["1_0", "0_1", "\u0663", "\uff11", "0x1", "1e", "1,5", "1 2"])
def test_only_plain_decimals_are_numbers(tmp_path, number):
    with pytest.raises(DataError, match=r"pair 1, line 2: .* is not a number"):
        rescale_ratings(read_ratings([write(tmp_path, f"0.5\n{number}\n")], 2), (0, 1))
    path = write(tmp_path, " .5 \n+1.e-1\t\n")
    assert rescale_ratings(read_ratings([path], 2), (0, 1))[0].tolist() == [[0.5], [0.1]]


@pytest.mark.parametrize("on_error", ["nan", "zero"])
def test_pairs_without_a_rating_are_missing(tmp_path, on_error):
    written = read_ratings([write(tmp_path, "4\n \n2\n")], 3)
    ratings, problems = rescale_ratings(written, (0, 4), on_error)
    assert ratings.T.tolist() == [pytest.approx([1, np.nan, 0.5], nan_ok=True)]
    file = str(tmp_path / "ratings.txt")
    assert problems == {1: Problem("there is no rating", file, 1, 2)}


def test_without_a_scale_ratings_extend_from_0_to_1(tmp_path):
    for name, text in (("a.txt", "3\n\n1\n"), ("b.txt", "\n5\n2\n")):
        (tmp_path / name).write_text(text)
    written = read_ratings([tmp_path / "a.txt", tmp_path / "b.txt"], 3)
    ratings, _ = rescale_ratings(written, None)
    expected = [[0.5, np.nan, 0.0], [np.nan, 1.0, 0.25]]
    np.testing.assert_array_equal(ratings.T, expected)
    same, _ = rescale_ratings(read_ratings([write(tmp_path, "7\n7\n")], 2), None)
    assert same.tolist() == [[0.0], [0.0]]
