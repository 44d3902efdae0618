"""Steps of SPSA in one kernel are those of `SPSA.step`, to the last bit."""

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
from bamboo.training.steps import BLOCK, Examples, correlate_rows, take_steps
from tests.bamboo.statistics.samples import assert_uniform

VECTORS = WordVectors.of({"cat": [1, 0, 0], "dog": [0.8, 0.6, 0], "sleep-01": [0, 1, 0.5]})


class InPython(SPSA):
    """The same steps; only those of `SPSA` itself are taken by a kernel."""


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(0)
    return [Pair(*(random_graph(rng, 8) for _ in range(2))) for _ in range(60)]


@pytest.fixture
def both(pairs):
    """The steps in one kernel and in Python, with a function for comparison."""
    metric = WWLKTheta(vectors=VECTORS).initialised(pairs)
    parameters = metric.parameters

    def steps(ratings, optimiser, bound=np.inf, count=50):
        bounds = np.full((2, len(parameters.names)), bound) * [[-1], [1]]
        limited = Parameters(parameters.names, parameters.values, *bounds)
        taken = []
        for used in (optimiser, InPython(**vars(optimiser))):
            examples = Examples(metric.prepare(pairs), ratings)
            rng = np.random.default_rng(1)
            taken.append(take_steps(used, 3, count, parameters.values, limited, examples, rng))
            taken.append(rng.integers(2**62))
        assert taken[0].values.tobytes() == taken[2].values.tobytes()
        assert np.array_equal(taken[0].losses, taken[2].losses, equal_nan=True)
        if len(taken[0].values) == count:
            assert taken[1] == taken[3]  # the generators are in the same state
        return taken[0]

    return steps


@pytest.mark.parametrize("by_use", [True, False])
@pytest.mark.parametrize("batch", [2, 4, 33, 128, 129])
def test_they_are_the_same(both, batch, by_use):
    ratings = np.random.default_rng(2).random(60)
    steps = both(ratings, SPSA(batch=batch, by_use=by_use, rate=0.1, clip=1.0))
    assert steps.values.shape == (50, 9)
    assert np.isfinite(steps.losses).sum() > 40
    assert (steps.values[0] != steps.values[-1]).any()


def test_bounds(both):
    ratings = np.random.default_rng(2).random(60)
    steps = both(ratings, SPSA(batch=4, by_use=False, clip=4.0), bound=0.3)
    assert (np.abs(steps.values) <= 0.3).all()
    assert (np.abs(steps.values) == 0.3).any()


def test_batches_with_equal_ratings_are_skipped(both):
    ratings = np.repeat([1.0, 2.0], [50, 10])
    steps = both(ratings, SPSA(batch=3))
    skipped = np.isnan(steps.losses)
    assert 0 < skipped.sum() < 50
    for k in np.flatnonzero(skipped[1:]) + 1:
        assert steps.values[k].tolist() == steps.values[k - 1].tolist()


def test_steps_end_at_the_first_values_that_are_not_finite(both):
    """Parameters move by 1.7e308 times their slopes, of which few are larger than 1."""
    ratings = np.random.default_rng(2).random(60)
    far = SPSA(batch=3, rate=1.7e308, rate_decay=0.0, clip=99.0)
    steps = both(ratings, far, bound=0.3, count=200)
    assert len(steps.values) < 200
    assert np.isfinite(steps.values[:-1]).all()
    assert set(np.isfinite(steps.values[-1]).tolist()) == {True, False}


def test_an_optimiser_of_a_user_takes_steps_in_python(pairs):
    class Careful(SPSA):
        def step(self, t, values, loss, usage, rng):
            return values + 1, loss(values)

    metric = WWLKTheta(vectors=VECTORS).initialised(pairs)
    examples = Examples(metric.prepare(pairs), np.arange(60.0))
    values = metric.parameters.values
    rng = np.random.default_rng(0)
    steps = take_steps(Careful(batch=4), 1, 3, values, metric.parameters, examples, rng)
    assert steps.values.tolist() == [(values + k).tolist() for k in (1, 2, 3)]


class TestLosses:
    @settings(derandomize=True)
    @given(
        st.integers(2, 40).flatmap(
            lambda count: st.tuples(
                arrays(np.float64, (2, count), elements=st.floats(-1e3, 1e3)),
                arrays(np.float64, count, elements=st.sampled_from([0, 0.2, 0.4, 1])),
            )
        )
    )
    def test_correlations_are_pearson_of_each_row(self, data):
        scores, ratings = data
        expected = [pearson(row, ratings) for row in scores]
        np.testing.assert_array_equal(correlate_rows(scores, ratings), expected)

    @pytest.mark.parametrize("count", [4, 16, 32, 33, BLOCK])
    def test_batches_of_any_size(self, count):
        rng = np.random.default_rng(count)
        scores, ratings = rng.normal(size=(3, count)), rng.random(count)
        scores[1] = 0.1  # a constant
        scores[2, 0] = np.inf
        expected = [pearson(scores[0], ratings), np.nan, np.nan]
        np.testing.assert_array_equal(correlate_rows(scores, ratings), expected)
        assert np.isnan(correlate_rows(scores, np.full(count, 0.3))).all()


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


def test_steps_in_python_by_hand():
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
