"""Steps between two evaluations: batches, losses, bounds, and the values after each step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from amr_metrics import Pair
from amr_metrics.graphs.random_graphs import random_graph
from amr_metrics.parameters import Parameters, PreparedPairs
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors import WordVectors
from bamboo.statistics.ratings import pearson
from bamboo.training.spsa import SPSA
from bamboo.training.steps import Examples, correlate, take_steps
from tests.bamboo.statistics.samples import assert_uniform

VECTORS = WordVectors.of({"cat": [1, 0, 0], "dog": [0.8, 0.6, 0], "sleep-01": [0, 1, 0.5]})


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(0)
    return [Pair(*(random_graph(rng, 8) for _ in range(2))) for _ in range(60)]


@pytest.fixture
def take(pairs):
    """Steps of WWLK-theta with the same batches, from step 3."""
    metric = WWLKTheta(vectors=VECTORS).initialised(pairs)
    parameters = metric.parameters

    def take(ratings, optimiser, bound=np.inf, count=50):
        bounds = np.full((2, len(parameters.names)), bound) * [[-1], [1]]
        limited = Parameters(parameters.names, parameters.values, *bounds)
        examples = Examples(metric.prepare(pairs), ratings)
        rng = np.random.default_rng(1)
        return take_steps(optimiser, 3, count, parameters.values, limited, examples, rng)

    return take


@pytest.mark.parametrize("by_use", [True, False])
@pytest.mark.parametrize("batch", [4, 33, 129])
def test_steps_by_the_equations(pairs, take, batch, by_use):
    """The equations of Spall with Python's numbers, from the scores of the whole metric."""
    ratings = np.random.default_rng(2).random(60)
    taken = take(ratings, SPSA(batch=batch, by_use=by_use, rate=0.1, clip=1.0), count=5)
    metric = WWLKTheta(vectors=VECTORS).initialised(pairs)
    prepared, rng = metric.prepare(pairs), np.random.default_rng(1)
    names, values = metric.parameters.names, metric.parameters.values.tolist()
    for t, after, loss in zip(range(3, 8), *taken, strict=True):
        drawn = rng.integers(0, 60, batch)
        signs = [2 * int(bit) - 1 for bit in rng.integers(0, 2, len(names))]
        size, rate = 0.01 / t**0.05, 0.1 / (t + 2) ** 0.5
        losses = []
        for side in (size, -size):
            moved = [v + side * sign for v, sign in zip(values, signs, strict=True)]
            scores = metric.with_parameters(np.array(moved)).score([pairs[k] for k in drawn])
            losses.append(1 - np.corrcoef(scores, ratings[drawn])[0, 1])
        uses = prepared.usage(drawn).tolist()
        for k, sign in enumerate(signs):
            slope = (losses[0] - losses[1]) / (2 * size * sign)
            slope *= uses[k] / sum(uses) if by_use else 1
            values[k] -= rate * max(-1.0, min(1.0, slope))
        assert after == pytest.approx(values, abs=1e-8)
        assert loss == pytest.approx(sum(losses) / 2, abs=1e-8)
        values = after.tolist()


def test_bounds(take):
    ratings = np.random.default_rng(2).random(60)
    steps = take(ratings, SPSA(batch=4, by_use=False, clip=4.0), bound=0.3)
    assert (np.abs(steps.values) <= 0.3).all()
    assert (np.abs(steps.values) == 0.3).any()


def test_batches_with_equal_ratings_are_skipped(take):
    ratings = np.repeat([1.0, 2.0], [50, 10])
    steps = take(ratings, SPSA(batch=3))
    skipped = np.isnan(steps.losses)
    assert 0 < skipped.sum() < 50
    for k in np.flatnonzero(skipped[1:]) + 1:
        assert steps.values[k].tolist() == steps.values[k - 1].tolist()


def test_steps_end_at_the_first_values_that_are_not_finite(take):
    """Parameters move by 1.7e308 times their slopes, of which few are larger than 1."""
    ratings = np.random.default_rng(2).random(60)
    far = SPSA(batch=3, rate=1.7e308, rate_decay=0.0, clip=99.0)
    steps = take(ratings, far, bound=0.3, count=200)
    assert len(steps.values) < 200
    assert np.isfinite(steps.values[:-1]).all()
    assert set(np.isfinite(steps.values[-1]).tolist()) == {True, False}


class TestCorrelations:
    @settings(derandomize=True)
    @given(
        st.integers(0, 40).flatmap(
            lambda count: st.tuples(
                arrays(np.float64, count, elements=st.floats(-1e3, 1e3)),
                arrays(np.float64, count, elements=st.sampled_from([0, 0.2, 0.4, 1])),
            )
        )
    )
    def test_they_are_pearson_to_the_last_bit(self, data):
        np.testing.assert_array_equal(correlate(*data), pearson(*data))

    @pytest.mark.parametrize("count", [4, 16, 32, 33, 128, 129, 143, 256, 300, 2001])
    def test_batches_of_any_size(self, count):
        rng = np.random.default_rng(count)
        scores, ratings = rng.normal(size=count), rng.random(count)
        assert correlate(scores, ratings) == pearson(scores, ratings)
        assert correlate(ratings, ratings) == pytest.approx(1)
        infinite = np.where(np.arange(count) == 1, np.inf, scores)
        for constant in (np.full(count, 0.1), infinite):
            assert np.isnan(correlate(constant, ratings))
            assert np.isnan(correlate(ratings, constant))


class Lines(PreparedPairs):
    """Pairs whose scores are the parameter times their positions squared."""

    def score(self, values, indices=None):
        return values[0] * np.arange(len(self))[slice(None) if indices is None else indices] ** 2.0

    def usage(self, indices=None):
        return np.array([len(indices)])


BOUNDS = Parameters(("a",), np.ones(1), np.full(1, -1.0), np.full(1, 2.0))


@pytest.mark.parametrize("repeats", [1, 43, 64])
def test_the_loss_of_a_batch_by_hand(repeats):
    """1 - r of the scores 0 1 9 with the ratings 0 2 1; parameters beyond bounds are limited."""
    ratings = np.array([0.0, 2, 7, 1])
    examples = Examples(Lines(None, (0, 1, 2, 3)), ratings)
    loss = examples.loss(np.tile([0, 1, 3], repeats), BOUNDS)
    r = np.corrcoef([0, 1, 9], [0, 2, 1])[0, 1]
    assert [loss(np.array([v])) for v in (0.5, 1.5, 7, -7)] == pytest.approx(
        [1 - r, 1 - r, 1 - r, 1 + r]
    )
    assert examples.correlation(np.ones(1)) == pytest.approx(
        np.corrcoef([0, 1, 4, 9], ratings)[0, 1]
    )
    limits = []
    recorded = Lines(None, (0, 1, 2, 3))
    object.__setattr__(recorded, "score", lambda v, _: limits.append(v[0]) or np.arange(3.0))
    loss = Examples(recorded, ratings).loss(np.array([0, 1, 3]), BOUNDS)
    for value in (-1.5, 0.3, 2.5):
        loss(np.array([value]))
    assert limits == [-1, 0.3, 2]


class Recorded:
    """Returns given values, and notes what each step receives."""

    batch = 3

    def __init__(self, values):
        self.values, self.received = iter(values), []

    def step(self, t, values, loss, usage, rng):
        self.received.append((t, values.tolist(), usage.tolist()))
        return np.array([next(self.values)]), float(t)


def test_what_an_optimiser_receives_and_returns():
    examples = Examples(Lines(None, (0, 1, 2, 3)), np.arange(4.0))
    optimiser, rng = Recorded([0.5, 9.0, -9.0]), np.random.default_rng(0)
    taken = take_steps(optimiser, 5, 3, np.zeros(1), BOUNDS, examples, rng)
    assert (taken.values.tolist(), taken.losses.tolist()) == ([[0.5], [2], [-1]], [5, 6, 7])
    assert optimiser.received == [(5, [0], [3]), (6, [0.5], [3]), (7, [2], [3])]
    optimiser = Recorded([0.5, np.inf, 0.5])
    taken = take_steps(optimiser, 1, 3, np.zeros(1), BOUNDS, examples, rng)
    assert (taken.values.tolist(), taken.losses.tolist()) == ([[0.5], [np.inf]], [1, 2])


def test_every_pair_is_drawn_equally_often():
    drawn = []

    class Noted(Lines):
        def usage(self, indices=None):
            drawn.extend(indices)
            return super().usage(indices)

    examples = Examples(Noted(None, (0, 1, 2, 3)), np.arange(4.0))
    optimiser = Recorded([0.5] * 1000)
    take_steps(optimiser, 1, 1000, np.zeros(1), BOUNDS, examples, np.random.default_rng(1))
    assert len(drawn) == 3000
    assert_uniform(np.bincount(drawn, minlength=4), 750)


def test_a_seed_gives_the_pairs_that_it_gave():
    drawn = []

    class Noted(Lines):
        def usage(self, indices=None):
            drawn.append(indices.tolist())
            return super().usage(indices)

    examples, rng = Examples(Noted(None, (0, 1, 2, 3)), np.arange(4.0)), np.random.default_rng(3)
    take_steps(Recorded([0.5] * 4), 1, 4, np.zeros(1), BOUNDS, examples, rng)
    assert drawn == [[3, 0, 0], [0, 0, 3], [3, 2, 0], [0, 1, 1]]
