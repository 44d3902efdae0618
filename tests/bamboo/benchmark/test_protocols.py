"""Statistics of a cell and means over cells."""

import math
import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from bamboo.benchmark.protocols import Protocol
from bamboo.config.options import read_options
from bamboo.errors import ConfigError, StatisticsError
from bamboo.statistics.ratings import (
    accuracy_with_ties,
    amean,
    calibrate_ties,
    hmean,
    kendall,
    original_is_higher,
    pair_accuracy,
    pearson,
    ranks,
    spearman,
    statistic_named,
)
from tests.configured import configured

# Few distinct values, so that ties are common.
columns = st.integers(2, 30).flatmap(
    lambda n: st.tuples(
        *[st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.9]), min_size=n, max_size=n)] * 2
    )
)


def array(*values):
    return np.array(values, dtype=np.float64)


def test_pearson_by_hand():
    # Means 2 and 3: deviations -1 0 1 and -2 1 1.
    assert pearson(array(1, 2, 3), array(1, 4, 4)) == pytest.approx(
        (-1 * -2 + 0 * 1 + 1 * 1) / math.sqrt((1 + 0 + 1) * (4 + 1 + 1))
    )


def test_spearman_by_hand_with_a_tie():
    # Ranks 1 2 3 and 1 2.5 2.5: deviations -1 0 1 and -1 .5 .5.
    assert spearman(array(1, 2, 30), array(1, 4, 4)) == pytest.approx(
        (-1 * -1 + 0 * 0.5 + 1 * 0.5) / math.sqrt((1 + 0 + 1) * (1 + 0.25 + 0.25))
    )


@given(columns)
def test_correlations_equal_scipy(both):
    x, y = map(np.array, both)
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


def test_kendall_by_hand_with_a_tie():
    # Pairs of positions: 3 concordant of (12 13 23) without the tie of 2 and 3 in y, so 2 - 0;
    # tau-b divides by sqrt(3 * (3 - 1)).
    assert kendall(array(1, 2, 3), array(1, 2, 2)) == pytest.approx(2 / math.sqrt(3 * 2))
    assert kendall(array(1, 2, 3), array(3, 2, 1)) == -1


@given(columns)
def test_kendall_equals_a_count_of_pairs(both):
    x, y = map(np.array, both)
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    i, j = np.triu_indices(len(x), 1)
    dx, dy = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
    expected = (dx * dy).sum() / math.sqrt((dx != 0).sum() * (dy != 0).sum())
    assert kendall(x, y) == pytest.approx(expected, abs=1e-12)


@given(columns)
def test_ranks_are_mean_positions_among_the_sorted_values(both):
    values = both[0]
    ordered = sorted(values)
    expected = [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]
    assert ranks(np.array(values)).tolist() == expected


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=12))
def test_the_harmonic_mean_equals_scipys(values):
    assert hmean(values) == pytest.approx(stats.hmean(values), rel=1e-14)


@pytest.mark.parametrize("statistic", [pearson, spearman, kendall])
@pytest.mark.parametrize(
    ("x", "y"),
    [([], []), ([1.0], [1.0]), ([0.1] * 7, [*range(7)]), ([*range(7)], [0.1] * 7)],
)
def test_a_correlation_that_does_not_exist_is_nan(statistic, x, y):
    assert math.isnan(statistic(np.array(x, float), np.array(y, float)))


# Multiples of 1/8 far from constant: scaling by a power of ten rounds them by one part in 10^16.
grids = st.integers(3, 20).flatmap(
    lambda n: st.tuples(
        *[st.lists(st.integers(-40, 40).map(lambda k: k / 8), min_size=n, max_size=n)] * 2
    )
)
powers = st.integers(-300, 300)


@pytest.mark.parametrize("statistic", [pearson, spearman])
@given(both=grids, a=powers, b=powers)
def test_correlations_do_not_depend_on_the_scale(statistic, both, a, b):
    x, y = map(np.array, both)
    expected = statistic(x, y)
    with np.errstate(all="raise", under="ignore"):
        scaled = statistic(x * 10.0**a, y * 10.0**b)
    assert scaled == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert math.isnan(scaled) or -1 <= scaled <= 1


@given(st.lists(st.floats(allow_nan=True), min_size=0, max_size=8), st.integers(0, 10**6))
def test_any_numbers_give_a_correlation_or_nan(values, seed):
    x = np.array(values)
    y = np.random.default_rng(seed).normal(size=len(x))
    with np.errstate(all="raise", under="ignore"):
        for value in (pearson(x, y), pearson(y, x), pearson(x, x)):
            assert math.isnan(value) or -1 <= value <= 1


def test_values_whose_range_overflows():
    # Largest less smallest is no finite number. Deviations -1 1 0 and -1 0 1 give 1/2.
    assert pearson(array(-1e308, 1e308, 0), array(0, 1, 2)) == pytest.approx(1 / 2)


def test_values_that_differ_by_rounding_alone_are_constant():
    assert math.isnan(pearson(array(0.3, 0.1 + 0.2, 0.3), array(0, 1, 0)))
    assert math.isnan(pearson(array(0, 1, 0), 1e200 * array(0.3, 0.1 + 0.2, 0.3)))


def test_pair_accuracy_by_hand():
    # (altered, original): right, tie (wrong), wrong, right.
    scores = array(0.1, 0.2, 0.5, 0.5, 0.9, 0.8, 0.0, 1.0)
    assert pair_accuracy(scores, array(*[0, 1] * 4)) == 2 / 4
    assert math.isnan(pair_accuracy(array(), array()))


def test_accuracy_with_ties_by_hand():
    # In order, opposite, only people tie, only the metric does, both do.
    ratings = array(1, 0, 0, 1, 0.5, 0.5, 1, 0, 0.5, 0.5)
    scores = array(0.9, 0.1, 0.6, 0.4, 0.3, 0.25, 0.3, 0.1 + 0.2, 0.7, 0.7)
    assert accuracy_with_ties(scores, ratings) == 2 / 5
    assert accuracy_with_ties(scores, ratings, eps=0.06) == 3 / 5  # the third is a tie
    assert accuracy_with_ties(scores, ratings, eps=0.9) == 2 / 5
    assert calibrate_ties(scores, ratings) == 0.3 - 0.25
    assert math.isnan(accuracy_with_ties(array(), array()))
    with pytest.raises(StatisticsError, match="3 pairs cannot be grouped in twos"):
        accuracy_with_ties(scores[:3], ratings[:3])


def test_accuracy_with_ties_is_a_name_with_options():
    ratings, scores = array(1, 0, 0.5, 0.5), array(0.9, 0.1, 0.3, 0.2)
    assert statistic_named("accuracy_with_ties")(scores, ratings) == 1 / 2
    assert statistic_named("accuracy_with_ties(eps=0.15)")(scores, ratings) == 1
    with pytest.raises(ConfigError, match="accuracy_with_ties"):
        statistic_named("accuracy_with_ties(eps)")
    with pytest.raises(ConfigError, match=r"unknown statistic 'acuracy_with_ties\(eps=0.1\)'"):
        statistic_named("acuracy_with_ties(eps=0.1)")


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 2), st.integers(0, 2)),
        min_size=1,
        max_size=12,
    )
)
def test_no_other_tie_is_better_than_the_calibrated_one(couples):
    scores = np.array([couple[:2] for couple in couples], float).ravel()
    ratings = np.array([couple[2:] for couple in couples], float).ravel()
    best = calibrate_ties(scores, ratings)
    reached = accuracy_with_ties(scores, ratings, best)
    for eps in range(10):
        accuracy = accuracy_with_ties(scores, ratings, eps)
        assert accuracy <= reached
        assert (
            accuracy < reached or eps >= best or eps not in {0, *np.abs(scores[::2] - scores[1::2])}
        )


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=20))
def test_without_ties_of_people_it_is_the_pair_accuracy(couples):
    scores = np.array(couples, float).ravel()
    ratings = np.array([0.0, 1.0] * len(couples))
    assert accuracy_with_ties(scores, ratings) == pair_accuracy(scores, ratings)


def test_ties_do_not_depend_on_the_scale_of_scores():
    altered = np.array([0.2, 0.3, 0.3, 0.5, -0.5])
    original = np.array([0.4, 0.3, 0.1 + 0.2, 0.4, 0.5])
    scores = np.stack([altered, original], axis=1).ravel()
    for power in (-900, 0, 900):
        scaled = np.ldexp(scores, power)
        assert original_is_higher(scaled).tolist() == [True, False, False, False, True]
    assert original_is_higher(np.stack([scores, -scores])).shape == (2, 5)


def test_means_by_hand():
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
def test_the_known_protocols(name, arg, elsewhere):
    protocol = configured("run", [f"protocol={name}"]).options["protocol"]
    assert protocol.name == name
    assert protocol.of("arg") == arg
    assert [protocol.of(p) for p in ("main", "reify", "syno")] == [elsewhere] * 3
    assert protocol.of("one-of-a-users") == elsewhere


def test_a_protocol_with_an_unknown_statistic_or_without_main():
    with pytest.raises(ConfigError, match="unknown statistic 'pearsson': did you mean 'pearson'"):
        Protocol("p", {"main": "pearsson"}, None)
    with pytest.raises(ConfigError, match=r"statistic\.main"):
        Protocol("p", {"arg": "pearson"}, None)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pearsen", "did you mean 'pearson'.*module.function"),
        ("no_such_module.f", "statistic no_such_module.f: No module named 'no_such_module'"),
        ("math.pi", "expected a function, not a float"),
    ],
)
def test_a_statistic_that_cannot_be_used_is_an_error(name, message):
    with pytest.raises(ConfigError, match=message):
        Protocol("mine", {"main": name}, None)


def test_a_statistic_of_ones_own_with_options(tmp_path, monkeypatch):
    (tmp_path / "own_statistic_module.py").write_text(
        "def above(scores, ratings, limit=0.5):\n    return float((scores > limit).mean())\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    above = {"_target_": "own_statistic_module.above", "limit": 0.75}
    config = {"name": "own", "statistic": {"main": above, "arg": "kendall"}, "published": None}
    protocol = read_options(Protocol, config)
    assert protocol.of("arg") == "kendall"
    assert protocol.of("mine") == protocol.of("main") == "own_statistic_module.above(limit=0.75)"
    statistic = statistic_named(protocol.of("main"))
    assert statistic(array(0.5, 0.7, 0.8, 0.9), array(0, 0, 0, 0)) == 0.5


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return 'high'", "returned 'high': expected a number, NaN where it is not defined"),
        ("return '0.5'", "returned '0.5': expected a number"),
        ("return None", "returned None: expected a number"),
        ("return scores", r"returned array\(.*\): expected a number"),
        ("return 1 / 0", r": ZeroDivisionError: division by zero \(.*failing_statistic.py, line 2"),
    ],
)
def test_what_a_statistic_of_ones_own_returns(tmp_path, monkeypatch, body, message):
    (tmp_path / "failing_statistic.py").write_text(f"def of(scores, ratings):\n    {body}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "failing_statistic", raising=False)
    statistic = statistic_named("failing_statistic.of")
    with pytest.raises(StatisticsError, match=f"^statistic failing_statistic.of ?{message}"):
        statistic(array(0.5, 0.7), array(0, 1))


@pytest.mark.parametrize(
    ("statistic", "message"),
    [
        ({"k": 1}, r"protocol own: statistic.main: expected a name, or a function as _target_"),
        ({"_target_": "math.dist", "k": {1}}, "math.dist: option 'k': expected a plain value"),
        ("math.dist(k", r"expected a function with options, such as module.function\(k=10\)"),
    ],
)
def test_a_statistic_of_ones_own_that_does_not_work(statistic, message):
    with pytest.raises(ConfigError, match=message):
        Protocol("own", {"main": statistic}, None)


def test_a_protocol_has_the_name_of_its_file_and_needs_no_published_values(user, cli, refused):
    user.yaml("protocol/ranks.yaml", {"statistic": {"main": "spearman"}})
    arguments = ("run", "metric=sema", "data=sample", user.option, "report=json")
    assert cli(*arguments, "protocol=ranks").json["protocol"] == "ranks"
    # The same where Hydra composes the options.
    (user.path / "protocol" / "hydra.yaml").write_text(
        "statistic: {main: '${oc.env:STAT,kendall}'}"
    )
    assert cli(*arguments, "protocol=hydra").json["protocol"] == "hydra"
    assert cli(*arguments, "protocol=ranks", "+protocol.name=mine").json["protocol"] == "mine"
    user.yaml("protocol/empty.yaml", {"name": "empty"})
    assert "statistic" in refused(*arguments, "protocol=empty")
    user.yaml("protocol/without.yaml", {"statistic": {"arg": "pair_accuracy"}})
    assert "statistic.main=... is required" in refused(*arguments, "protocol=without")


def test_the_site_and_tables_have_own_protocols(user, cli, refused):
    user.yaml("protocol/my ranks.yaml", {"statistic": {"main": "spearman", "arg": "pair_accuracy"}})
    arguments = (
        *("site", "metric=[sema,smatch]", "data=sample", "partition=[main,arg]", "out=site"),
        *("resamples=20", "permutations=20", "tables=off", user.option),
    )
    assert cli(*arguments, "protocols=my ranks,v0.2").status == 0
    page = (user.path.parent / "site" / "index.html").read_text("utf-8")
    assert "spearman on Main; pair_accuracy on Arg (x 100)." in page
    assert (user.path.parent / "site" / "data" / "result-my-ranks.json").is_file()
    assert not (user.path.parent / "site" / "data" / "result-paper.json").exists()
    message = refused(*arguments, "protocols=v0.2,v0.2")
    assert message == "protocols=v0.2,v0.2: give one or more, with different names"
    assert "unknown protocol 'ranks'" in refused(*arguments, "protocols=ranks")
    user.yaml("protocol/accuracy.yaml", {"statistic": {"main": "pair_accuracy"}})
    assert "compares altered with original pairs" in refused(*arguments, "protocols=accuracy")
