from typing import get_args

import numpy as np
import pytest

from amr_metrics.errors import VectorError
from amr_metrics.transport.labels import NEGATION, LabelVectors, spell
from amr_metrics.transport.weights import Init, drawn_weights
from amr_metrics.vectors import VectorSource, WordVectors

VECTORS = WordVectors.of(
    {
        "ice": [1, 5],
        "cream": [3, 1],
        "cat": [7, 7],
        "1": [2, 4],
        "5": [8, 0],
        "not": [1, 1],
        "untrue": [3, 5],
    }
)


def vector(label, variant="2023"):
    made = LabelVectors.of([label], VECTORS, variant, seed=0, draws=1)
    return None if made.unknown[0] else made.draw(0)[0].tolist()


@pytest.mark.parametrize(
    ("label", "mean", "largest"),
    [
        ("cat", [7, 7], [7, 7]),
        ("Cat-01", [7, 7], [7, 7]),
        ('"Cat"', [7, 7], [7, 7]),
        ("ice-cream-02", [(1 + 3) / 2, (5 + 1) / 2], [3, 5]),
        ("ice-unicorn", [1, 5], [1, 5]),
        ("ice_cat", [(1 + 7) / 2, (5 + 7) / 2], None),
        (":cat", [7, 7], None),
        ("15", [(2 + 8 / 2) / 2, (4 + 0 / 2) / 2], None),
        ("1", [2, 4], [2, 4]),
        ("-", [(1 + 3) / 2, (1 + 5) / 2], None),  # false is not among these vectors
        ("unicorn", None, None),
    ],
)
def test_a_label_has_its_words_vectors(label, mean, largest):
    assert vector(label, "2023") == mean
    assert vector(label, "2021") == largest


def test_negation_is_spelled_out():
    assert spell("-", "2023") == [[(word, 1.0) for word in NEGATION.split("-")]]
    assert spell("-", "2021") == [[("", 1.0), ("", 1.0)]]


class TestRandomVectors:
    def make(self, labels, variant="2023", seed=0, draws=3):
        return LabelVectors.of(labels, VECTORS, variant, seed, draws)

    def test_they_depend_on_label_seed_and_draw_alone(self):
        first = self.make(["unicorn", "cat", "dragon"])
        second = self.make(["elf", "dragon", "unicorn"])
        for draw in range(3):
            assert first.draw(draw)[0].tolist() == second.draw(draw)[2].tolist()
            assert first.draw(draw)[2].tolist() == second.draw(draw)[1].tolist()
            assert first.draw(draw)[1].tolist() == [7, 7]
        more = self.make(["unicorn"], draws=9)
        assert more.draw(2).tolist() == first.draw(2)[:1].tolist()
        everything = [
            first.draw(0)[0],
            first.draw(1)[0],
            first.draw(0)[2],
            self.make(["unicorn"], seed=1).draw(0)[0],
        ]
        assert len({v.tobytes() for v in everything}) == 4

    @pytest.mark.parametrize(
        ("variant", "low", "high"), [("2023", -0.05, 0.05), ("2021", 0.0, 1.0)]
    )
    def test_they_are_uniform_in_the_range_of_the_variant(self, variant, low, high):
        drawn = self.make([f"x{k}" for k in range(400)], variant).drawn
        assert low <= drawn.min() < drawn.max() <= high
        assert drawn.mean() == pytest.approx((low + high) / 2, abs=0.02 * (high - low))
        assert drawn.std() == pytest.approx((high - low) / 12**0.5, rel=0.03)


def test_a_file_is_looked_up_again_when_it_changes(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text("cat 7 7\nice 1 5\n")
    source = VectorSource(file=file, dimension=2, cache=tmp_path)
    assert LabelVectors.of(["cat"], source, "2023", 0, 1).word_vectors.tolist() == [[7, 7]]
    file.write_text("cat 9 9\nice 1 5 \n")
    assert LabelVectors.of(["cat"], source, "2023", 0, 1).word_vectors.tolist() == [[9, 9]]
    wrong = VectorSource(file=file, dimension=3, cache=tmp_path)
    with pytest.raises(VectorError, match="2 dimensions, not 3"):
        LabelVectors.of(["cat"], wrong, "2023", 0, 1)


class TestWeights:
    def test_they_depend_on_role_and_seed_alone(self):
        first = drawn_weights([":a", ":b"], "2023", "uniform", 0, 4)
        second = drawn_weights([":c", ":b"], "2023", "uniform", 0, 9)
        assert first[:, 1].tolist() == second[:4, 1].tolist()
        assert len({*first.ravel(), *drawn_weights([":a"], "2023", "uniform", 1, 4).ravel()}) == 12
        assert drawn_weights([], "2023", "uniform", 0, 4).shape == (4, 0)

    @pytest.mark.parametrize(("variant", "low", "high"), [("2023", 0.2, 0.35), ("2021", 0.0, 1.0)])
    def test_the_least_of_ten_lies_an_eleventh_up(self, variant, low, high):
        roles = [f":{k}" for k in range(300)]
        uniform = drawn_weights(roles, variant, "uniform", 0, 10)
        least = drawn_weights(roles, variant, "min_entropy", 0, 10)
        for drawn, share in ((uniform, 1 / 2), (least, 1 / 11)):
            assert low <= drawn.min() < drawn.max() <= high
            expected = low + share * (high - low)
            assert drawn.mean() == pytest.approx(expected, abs=0.02 * (high - low))

    def test_arg1_is_uniform_because_it_usually_comes_first_in_the_tool(self):
        for role in (":arg1", ":ARG1"):
            drawn = [drawn_weights([role], "2023", init, 0, 1000) for init in get_args(Init)]
            assert drawn[0].tolist() == drawn[1].tolist()
            assert drawn[0].mean() == pytest.approx((0.2 + 0.35) / 2, abs=0.01)

    def test_the_constant_weight_of_all_roles(self):
        assert drawn_weights([":a", ":b"], "2021", "constant", 0, 2).tolist() == [[0.2] * 2] * 2


def test_the_same_numbers_in_every_process():
    """The first of each, written down: a change of them changes every score."""
    assert drawn_weights([":arg0"], "2023", "uniform", 0)[0, 0] == pytest.approx(FIRST_WEIGHT)
    drawn = LabelVectors.of(["unicorn"], VECTORS, "2023", 0, 1).draw(0)[0]
    assert drawn == pytest.approx(np.array(FIRST_VECTOR))


FIRST_WEIGHT = 0.2715081533246599
FIRST_VECTOR = [0.0017614686731678639, 0.028387783949125694]


@pytest.mark.parametrize(("variant", "low", "high"), [("2021", 0.0, 1.0), ("2023", -0.05, 0.05)])
def test_the_range_of_random_vectors(variant, low, high):
    drawn = LabelVectors.of(["unheard-of"], VECTORS, variant, seed=0, draws=200).drawn
    assert low <= drawn.min() < low + (high - low) / 20
    assert high - (high - low) / 20 < drawn.max() <= high
