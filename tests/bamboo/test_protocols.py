"""Statistics of a cell and means over cells."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from bamboo.config import read_request
from bamboo.errors import ConfigError
from bamboo.options import read_options
from bamboo.protocols import (
    STATISTICS,
    Protocol,
    amean,
    hmean,
    pair_accuracy,
    pearson,
    spearman,
)
from metrics.types import Floats

# Few distinct values, so that ties are common.
columns = st.integers(2, 30).flatmap(
    lambda n: st.tuples(
        *[st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.9]), min_size=n, max_size=n)] * 2
    )
)


def array(*values: float) -> Floats:
    return np.array(values, dtype=np.float64)


def test_pearson_by_hand() -> None:
    # Means 2 and 3: deviations -1 0 1 and -2 1 1.
    assert pearson(array(1, 2, 3), array(1, 4, 4)) == pytest.approx(
        (-1 * -2 + 0 * 1 + 1 * 1) / math.sqrt((1 + 0 + 1) * (4 + 1 + 1))
    )


def test_spearman_by_hand_with_a_tie() -> None:
    # Ranks 1 2 3 and 1 2.5 2.5: deviations -1 0 1 and -1 .5 .5.
    assert spearman(array(1, 2, 30), array(1, 4, 4)) == pytest.approx(
        (-1 * -1 + 0 * 0.5 + 1 * 0.5) / math.sqrt((1 + 0 + 1) * (1 + 0.25 + 0.25))
    )


@given(columns)
def test_correlations_equal_scipy(both: tuple[list[float], list[float]]) -> None:
    x, y = map(np.array, both)
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("statistic", [pearson, spearman])
@pytest.mark.parametrize(
    ("x", "y"),
    [([], []), ([1.0], [1.0]), ([0.1] * 7, [*range(7)]), ([*range(7)], [0.1] * 7)],
)
def test_a_correlation_that_does_not_exist_is_nan(
    statistic: type, x: list[float], y: list[float]
) -> None:
    assert math.isnan(statistic(np.array(x, float), np.array(y, float)))


def test_pair_accuracy_by_hand() -> None:
    # (altered, original): right, tie (wrong), wrong, right.
    scores = array(0.1, 0.2, 0.5, 0.5, 0.9, 0.8, 0.0, 1.0)
    assert pair_accuracy(scores, array(*[0, 1] * 4)) == 2 / 4
    assert math.isnan(pair_accuracy(array(), array()))


def test_a_tie_is_wrong_and_rounding_is_not_smoothed() -> None:
    ratings = array(0, 1)
    assert pair_accuracy(array(0.3, 0.1 + 0.2), ratings) == 1  # 0.1 + 0.2 > 0.3 in floats
    assert pair_accuracy(array(0.3, 0.3), ratings) == 0


def test_means_by_hand() -> None:
    assert amean([50, 60, 40]) == (50 + 60 + 40) / 3
    assert hmean([50, 60, 40]) == pytest.approx(3 / (1 / 50 + 1 / 60 + 1 / 40))
    assert math.isnan(hmean([50, 0, 40]))
    assert math.isnan(hmean([50, -1, 40]))


@pytest.mark.parametrize(
    ("name", "arg", "elsewhere"),
    [
        ("paper", "pearson", "pearson"),
        ("v0.2", "pair_accuracy", "pearson"),
        ("spearman", "spearman", "spearman"),
    ],
)
def test_the_protocols_there_are(name: str, arg: str, elsewhere: str) -> None:
    options = read_request("run", [f"protocol={name}"]).options["protocol"]
    protocol = read_options(Protocol, options, "protocol")
    assert protocol.name == name
    assert protocol.of("arg") == arg
    assert [protocol.of(p) for p in ("main", "reify", "syno")] == [elsewhere] * 3
    assert protocol.of("one-of-a-users") == elsewhere


def test_a_protocol_with_an_unknown_statistic_or_without_main() -> None:
    with pytest.raises(ConfigError, match="unknown statistic 'pearsson': did you mean 'pearson'"):
        Protocol("p", {"main": "pearsson"}, None)
    with pytest.raises(ConfigError, match=r"statistic\.main"):
        Protocol("p", {"arg": "pearson"}, None)


def test_every_statistic_takes_scores_and_ratings() -> None:
    x, y = array(0.1, 0.2, 0.4, 0.3), array(0, 1, 0, 1)
    found = {name: statistic(x, y) for name, statistic in STATISTICS.items()}
    assert found["pair_accuracy"] == 1 / 2
    assert found["pearson"] == pytest.approx(stats.pearsonr(x, y).statistic)
    assert found["spearman"] == pytest.approx(stats.spearmanr(x, y).statistic)
