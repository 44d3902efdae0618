"""The highest mean correlation of linear scores, on problems whose answer is known."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, check_grad

from amr_metrics.parameters import LinearPairs, PreparedPairs
from bamboo.errors import ConfigError
from bamboo.training.correlation import (
    CellExamples,
    Correlation,
    Cosine,
    DamagedRows,
    LinearTerms,
    fit_correlation,
)
from bamboo.training.loop import TrainingError
from bamboo.training.steps import Examples

START = np.full(3, 0.1)
FREE = Correlation(penalty=0.0)
TRUTH = np.array([0.3, -0.2, 0.0])


class Rows(LinearPairs):
    """Pairs with the given terms."""

    def __init__(self, terms, offset=0.5):
        super().__init__(None, tuple(range(len(terms))))
        object.__setattr__(self, "given", (np.asarray(terms, float), offset))

    @property
    def offset(self):
        return self.given[1]

    def terms(self):
        return self.given[0]

    def score(self, values, indices=None):
        return self.offset + self.terms() @ values


def split(train, dev, name="mine", unit=1):
    return CellExamples(
        name, Examples(Rows(train[0]), train[1]), Examples(Rows(dev[0]), dev[1]), unit
    )


def rated(seed, count, truth=TRUTH, noise=0.0):
    rng = np.random.default_rng(seed)
    terms = rng.normal(size=(count, len(truth)))
    return terms, 0.5 + terms @ truth + noise * rng.normal(size=count)


def fitted(cells, damage=None, options=FREE, start=START):
    return fit_correlation(cells, damage, start, options)


def test_one_cell_has_the_values_of_linear_regression():
    # Pearson's correlation with the ratings is highest for the least-squares prediction.
    train, dev = rated(1, 60, noise=0.2), rated(2, 40, noise=0.2)
    values, (line,) = fitted([split(train, dev)], options=Correlation(penalty=0.0, use_dev=False))
    terms, ratings = train
    columns = np.column_stack([terms, np.ones(len(terms))])
    direction = np.linalg.lstsq(columns, ratings, rcond=None)[0][:3]
    assert values / np.linalg.norm(values) == pytest.approx(
        direction / np.linalg.norm(direction), abs=1e-3
    )
    assert 1 - line.loss == pytest.approx(np.corrcoef(terms @ direction, ratings)[0, 1], abs=1e-6)
    assert line.dev == line.best == pytest.approx(np.corrcoef(dev[0] @ values, dev[1])[0, 1])


def test_the_scale_is_that_of_least_squares():
    values, _ = fitted([split(rated(3, 60), rated(4, 40))])
    assert values == pytest.approx(TRUTH, abs=1e-3)  # exact ratings


def test_dev_is_used_unless_it_is_left_out():
    train, dev = rated(5, 30, noise=0.4), rated(6, 80, noise=0.4)
    both = tuple(np.concatenate(parts) for parts in zip(train, dev, strict=True))
    values, _ = fitted([split(train, dev)])
    alone = Correlation(penalty=0.0, use_dev=False)
    assert values == pytest.approx(fitted([split(both, dev)], options=alone)[0], abs=1e-3)


def test_the_gradient_of_a_cosine():
    rng = np.random.default_rng(0)
    rows, targets = rng.normal(size=(30, 4)), rng.normal(size=30)
    cosine = Cosine.of(0.7, rows, targets)
    values = rng.normal(size=4)
    expected = rows @ values @ targets / np.linalg.norm(rows @ values) / np.linalg.norm(targets)
    assert cosine.value_and_gradient(values)[0] == pytest.approx(0.7 * expected)
    error = check_grad(
        lambda w: cosine.value_and_gradient(w)[0], lambda w: cosine.value_and_gradient(w)[1], values
    )
    assert error < 1e-6


def altered(seed, count, direction):
    """Altered and original pairs; the original is higher along `direction`, with noise."""
    rng = np.random.default_rng(seed)
    low = rng.normal(size=(count, 3))
    high = low + direction + 0.1 * rng.normal(size=(count, 3))
    return np.stack([low, high], 1).reshape(-1, 3), np.arange(2 * count) % 2.0


def test_altered_pairs_have_their_weight():
    # Ratings depend on the first term alone, alterations on the last.
    rating = split(rated(7, 200, np.array([1.0, 0, 0])), rated(8, 50, np.array([1.0, 0, 0])))
    change = np.array([0, 0, 1.0])
    arg = split(altered(9, 100, change), altered(10, 30, change), "arg", unit=2)
    shares = [
        abs(values[2] / values[0])
        for weight in (0.0, 0.3, 3.0)
        for values, _ in [fitted([rating, arg], options=Correlation(arg_weight=weight))]
    ]
    assert shares[0] < 0.01 < shares[1] < shares[2]


def test_scores_fall_with_damage():
    rating = split(rated(11, 200, np.array([1.0, 0, 0])), rated(12, 50, np.array([1.0, 0, 0])))
    rng = np.random.default_rng(1)
    damage = np.cumsum(rng.uniform(0.1, 0.5, (40, 5)), axis=1).ravel()
    terms = np.column_stack([rng.normal(size=200), np.zeros(200), -damage])
    rows = DamagedRows.of(terms, damage, 5)
    assert rows.damage.reshape(40, 5)[:, 0] == pytest.approx(damage[::5])
    assert rows.terms[:, 2] == pytest.approx(-rows.damage)
    assert rows.terms[5:7, 0] == pytest.approx([terms[5, 0], terms[6, 0] - terms[5, 0]])
    assert abs(fitted([rating])[0][2]) < 0.01
    # With a larger weight the ratings, which depend on another term, would no longer count.
    options = Correlation(damage_weight=1.0, penalty=0.0)
    assert fitted([rating], rows, options)[0][2] > 0.1


def test_the_penalty_shares_the_weight_of_equal_terms():
    terms, ratings = rated(13, 100, np.array([1.0, 0, 0]))
    terms[:, 1] = terms[:, 0]
    cell = split((terms, ratings), (terms, ratings))
    start = np.array([1.0, 0.0, 0.0])
    unpenalised, both = (
        fitted([cell], None, Correlation(penalty=p), start)[0] for p in (0.0, 1e-2)
    )
    assert unpenalised[0] - unpenalised[1] > 0.9
    assert both[0] == pytest.approx(both[1], abs=0.05)


def test_labels_of_arg_alone_are_not_ratings():
    arg = split(altered(14, 20, TRUTH), altered(15, 20, TRUTH), unit=2)
    with pytest.raises(TrainingError, match="needs a partition with ratings, besides Arg"):
        fitted([arg])


@pytest.mark.parametrize("name", ["train", "dev"])
def test_ratings_without_variance(name):
    good, constant = rated(16, 20), (rated(17, 20)[0], np.full(20, 0.5))
    cell = split(constant, good) if name == "train" else split(good, constant)
    message = f"the {name} split of mine cannot be used: its ratings"
    with pytest.raises(TrainingError, match=message):
        fitted([cell])


def test_a_metric_that_is_not_linear():
    terms, ratings = rated(18, 9)
    pairs = PreparedPairs(None, tuple(range(9)))
    cell = CellExamples("mine", Examples(pairs, ratings), Examples(Rows(terms), ratings), 1)
    with pytest.raises(TrainingError, match="linear in its parameters, such as blend"):
        fitted([cell])


@pytest.mark.parametrize("option", ["arg_weight", "damage_weight", "penalty"])
def test_invalid_options(option):
    with pytest.raises(ConfigError, match=f"trainer.correlation.{option}=-1.0: use 0 or more"):
        Correlation(**{option: -1.0})


def growth(rows, chain_length):
    before = np.concatenate([rows[:1] * 0, rows[:-1]])
    before[::chain_length] = 0
    return rows - before


def objective(values, cells, damaged, options):
    """What is maximised, as the docstring of `Correlation` words it."""
    total, covariances = 0.0, []
    for terms, ratings, unit in cells:
        if unit == 2:
            d = (terms[1::2] - terms[::2]) @ values
            total += options.arg_weight * d.mean() / np.sqrt((d**2).mean()) / len(cells)
        else:
            total += np.corrcoef(terms @ values, ratings)[0, 1] / len(cells)
            covariances.append(np.cov(terms.T, bias=True))
    if damaged is not None:
        falls, damage = -growth(damaged[0], 5) @ values, growth(damaged[1], 5)
        cosine = falls @ damage / np.linalg.norm(falls) / np.linalg.norm(damage)
        total += options.damage_weight * cosine
    return total - options.penalty * values @ values / (values @ np.mean(covariances, 0) @ values)


@pytest.mark.parametrize("has_damage", [True, False])
@pytest.mark.parametrize("use_dev", [True, False])
def test_the_objective_is_maximal_and_the_scale_that_of_least_squares(has_damage, use_dev):
    rng = np.random.default_rng(3)
    options = Correlation(arg_weight=0.4, damage_weight=0.7, penalty=0.05, use_dev=use_dev)
    parts = [
        (rated(1, 30, TRUTH, 0.3), rated(2, 20, TRUTH, 0.3), 1),
        (rated(3, 40, TRUTH[::-1], 0.5), rated(4, 10, TRUTH[::-1], 0.5), 1),
        (altered(5, 25, np.array([0.5, 1, 0])), altered(6, 15, np.array([0.5, 1, 0])), 2),
    ]
    damaged = rng.normal(size=(60, 3)), rng.random(60)
    damaged[0][:, 1] -= 3 * damaged[1]
    rows = DamagedRows.of(*damaged, 5) if has_damage else None
    cells = [split(train, dev, "mine", unit) for train, dev, unit in parts]
    values, (line,) = fitted(cells, rows, options)
    used = [
        (
            *(
                np.concatenate(both) if use_dev else both[0]
                for both in zip(train, dev, strict=True)
            ),
            k,
        )
        for train, dev, k in parts
    ]
    slope = approx_fprime(
        values, lambda v: objective(v, used, damaged if has_damage else None, options), 1e-6
    )
    assert np.abs(slope).max() * np.linalg.norm(values) < 1e-3
    sums = [(terms @ values, ratings - 0.5) for terms, ratings, unit in used if unit == 1]
    # The factor of least squares, with the same weight for both cells, is 1.
    products = sum((added * ratings).mean() for added, ratings in sums)
    assert products / sum((added**2).mean() for added, _ in sums) == pytest.approx(1)
    alone, _ = fitted(cells, rows, Correlation(**{**vars(options), "use_dev": False}))
    of_train, of_dev = (
        np.mean([np.corrcoef(part[k][0] @ alone, part[k][1])[0, 1] for part in parts])
        for k in (0, 1)
    )
    assert (line.loss, line.dev) == pytest.approx((1 - of_train, of_dev))
    assert (line.best, line.skipped) == (line.dev, 0)
    assert line.step > 0


def test_the_search_ends_after_the_largest_number_of_steps(monkeypatch):
    cells = [split(rated(5, 30, noise=0.4), rated(6, 20))]
    options = Correlation(penalty=0.0, use_dev=False)
    _, (line,) = fitted(cells, options=options)
    assert line.step > 2
    monkeypatch.setattr("bamboo.training.correlation.MOST_STEPS", 2)
    _, (line,) = fitted(cells, options=options)
    assert line.step == 2


def test_options_that_are_used_without_a_choice():
    chosen = Correlation(arg_weight=0.3, damage_weight=2.0, penalty=1e-5, use_dev=True)
    assert Correlation() == chosen
    Correlation(arg_weight=0.0, damage_weight=0.0, penalty=0.0)
    with pytest.raises(ConfigError, match="penalty=inf: use 0 or more"):
        Correlation(penalty=np.inf)


def test_ratings_that_differ_by_rounding_are_the_same():
    terms, good = rated(19, 8), rated(20, 8)
    for spread, is_constant in ((0.9e-9, True), (1.5e-9, False)):
        cell = split((terms[0], np.arange(8) % 2 * spread), good)
        if is_constant:
            with pytest.raises(TrainingError, match="its ratings are all the same"):
                cell.check()
        else:
            cell.check()
    with pytest.raises(TrainingError, match="the dev split of mine cannot be used"):
        split(good, (np.empty((0, 3)), np.empty(0))).check()


def test_rows_of_both_splits_follow_each_other():
    first, second = (np.arange(6.0).reshape(2, 3), np.ones(2)), (np.full((1, 3), 7.0), np.zeros(1))
    rows = LinearTerms.of(*(Examples(Rows(*part[:1], 0.25), part[1]) for part in (first, second)))
    assert rows.terms.tolist() == [[0, 1, 2], [3, 4, 5], [7, 7, 7]]
    assert (rows.ratings.tolist(), rows.offset) == ([1, 1, 0], 0.25)
