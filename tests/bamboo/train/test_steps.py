"""Steps of SPSA in one kernel are those of `SPSA.step`, to the last bit."""

import numpy as np
import pytest

from amr_metrics import Pair
from amr_metrics.graphs.random_graphs import random_graph
from amr_metrics.parameters import Parameters
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors import WordVectors
from bamboo.train.spsa import SPSA
from bamboo.train.steps import Examples, take_steps

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
