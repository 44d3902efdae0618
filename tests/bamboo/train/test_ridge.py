"""Ridge regression on problems whose answer is known."""

import numpy as np
import pytest

from bamboo.config.weights import Evaluation
from bamboo.errors import ConfigError
from bamboo.train.linear import Split
from bamboo.train.loop import TrainingError
from bamboo.train.losses import Examples
from bamboo.train.ridge import Ridge, bootstrap_spread, fit_ridge
from metrics.parameters import PreparedPairs
from tests.bamboo.train.linear_problems import TRUTH, Rows, Wide, rated, split

LINE = Evaluation(1, 0.5, 0.5, 0.5, 0)
WEAK = Ridge(strengths=(1e-9,), folds=3)


def rng():
    return np.random.default_rng(0)


def test_exact_ratings_give_the_true_values():
    values, history = fit_ridge(split(rated(1, 40), rated(2, 20)), WEAK, rng())
    assert values == pytest.approx(TRUTH, abs=1e-6)
    assert [line.dev for line in history] == pytest.approx([1])


def test_the_solution_by_hand():
    terms, ratings = np.array([[1.0], [2.0], [0.0], [1.0]]), np.array([1.0, 2.5, 0.5, 1.5])
    options = Ridge(strengths=(0.5,), folds=2, use_dev=False)
    values, _ = fit_ridge(split((terms, ratings), (terms, ratings)), options, rng())
    # mean(x y) / (mean(x x) + strength), with y = rating - 0.5
    assert values == pytest.approx([(0.5 + 4.0 + 0 + 1.0) / 4 / (6 / 4 + 0.5)])


def test_the_best_strength_in_cross_validation_is_used():
    train, dev = rated(3, 30, np.full(25, 0.1), noise=1.0), rated(4, 20, np.full(25, 0.1))
    options = Ridge(strengths=(1e-6, 1.0, 1e6), folds=5, use_dev=False)
    values, history = fit_ridge(split(train, dev), options, rng())
    best = int(np.argmin([line.loss for line in history]))
    alone = Ridge(strengths=options.strengths[best : best + 1], use_dev=False)
    assert fit_ridge(split(train, dev), alone, rng())[0] == pytest.approx(values)
    assert history[-1].best == history[best].dev


def test_dev_is_used_once_the_strength_is_chosen():
    train, dev = rated(5, 30, noise=0.3), rated(6, 60, noise=0.3)
    both = tuple(np.concatenate(parts) for parts in zip(train, dev, strict=True))
    options = Ridge(strengths=(0.01,), folds=3)
    values, _ = fit_ridge(split(train, dev), options, rng())
    without = Ridge(strengths=(0.01,), folds=3, use_dev=False)
    assert fit_ridge(split(both, dev), without, rng())[0] == pytest.approx(values)
    assert fit_ridge(split(train, dev), without, rng())[0] != pytest.approx(values)


def test_the_same_seed_gives_the_same_values():
    cell = split(rated(13, 30, noise=0.5), rated(14, 20))
    first, again = (fit_ridge(cell, Ridge(), np.random.default_rng(3))[0] for _ in range(2))
    assert first.tolist() == again.tolist()


def test_spread_falls_with_the_number_of_pairs():
    few, many = (
        bootstrap_spread(split(rated(15, n, noise=1.0), rated(16, 20)), WEAK, [LINE], rng(), 30)
        for n in (30, 3000)
    )
    assert (many < few / 4).all()
    assert (many > 0).all()


def test_more_parameters_than_pairs():
    train, dev = rated(17, 12, np.full(40, 0.1)), rated(18, 12, np.full(40, 0.1))
    values, _ = fit_ridge(split(train, dev), Ridge(folds=3), rng())
    assert np.isfinite(values).all()


class TestBadInput:
    def test_ratings_without_variance(self):
        terms, _ = rated(19, 20)
        good = rated(20, 20)
        for name, cell in (
            ("train", split((terms, np.full(20, 0.5)), good)),
            ("dev", split(good, (terms, np.full(20, 0.5)))),
        ):
            with pytest.raises(
                TrainingError, match=f"the {name} split of mine cannot be used: its ratings"
            ):
                fit_ridge(cell, WEAK, rng())

    def test_fewer_pairs_than_folds(self):
        with pytest.raises(TrainingError, match="mine has 2 train examples, fewer than the 3"):
            fit_ridge(split(rated(21, 2), rated(22, 9)), WEAK, rng())

    def test_constant_scores(self):
        ratings = rated(23, 9)[1]
        cell = split((np.zeros((9, 2)), ratings), (np.zeros((9, 2)), ratings))
        with pytest.raises(TrainingError, match="scores on the held-out train pairs"):
            fit_ridge(cell, WEAK, rng())

    def test_a_metric_that_is_not_linear(self):
        terms, ratings = rated(24, 9)
        pairs = PreparedPairs(Wide(), tuple(range(9)))
        cell = Split("mine", Examples(pairs, ratings), Examples(Rows(terms), ratings), 1)
        with pytest.raises(TrainingError, match="linear in its parameters, such as blend"):
            fit_ridge(cell, WEAK, rng())

    @pytest.mark.parametrize(
        "options",
        [{"strengths": ()}, {"strengths": (0.0,)}, {"folds": 1}],
    )
    def test_invalid_options(self, options):
        with pytest.raises(ConfigError, match=f"trainer.ridge.{next(iter(options))}"):
            Ridge(**options)
