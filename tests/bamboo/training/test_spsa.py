"""SPSA: one step by hand."""

import numpy as np
import pytest

from bamboo.errors import ConfigError
from bamboo.training.spsa import SPSA
from tests.bamboo.statistics.samples import assert_uniform


def test_one_step_by_hand():
    class Up:
        def integers(self, low, high, count):
            return np.ones(count, int)  # the direction (+1, +1)

    optimiser = SPSA(rate=0.5, rate_offset=0, rate_decay=1, size=0.1, clip=10, by_use=True)
    values, loss = optimiser.step(
        2, np.array([1.0, 1.0]), lambda v: float(3 * v[0] + v[1]), np.array([1.0, 3.0]), Up()
    )
    slope = (3 + 1) * 2 / 2  # both move by c: J+ - J- = (3 + 1) 2 c, over 2 c
    assert values == pytest.approx([1 - 0.5 / 2 * slope * 1 / 4, 1 - 0.5 / 2 * slope * 3 / 4])
    assert loss == pytest.approx(4.0)


def test_sizes_and_lengths_of_steps_by_hand():
    optimiser = SPSA(rate=0.6, rate_offset=7.0, rate_decay=0.5, size=0.3, size_decay=0.25)
    assert optimiser.step_length(9) == pytest.approx(0.6 / 4)
    assert optimiser.perturbation(16) == pytest.approx(0.3 / 2)
    for t in (1, 2, 999, 1000, 1001, 8750, 8000**2):
        assert optimiser.step_length(t) == pytest.approx(0.6 / (t + 7) ** 0.5)
        assert optimiser.perturbation(t) == pytest.approx(0.3 / t**0.25)
    assert SPSA() == SPSA(
        batch=16,
        rate=0.75,
        rate_offset=2.0,
        rate_decay=0.5,
        size=0.01,
        size_decay=0.05,
        clip=0.01,
        by_use=True,
    )


def test_directions_are_equally_likely():
    moved = []

    def loss(values):
        moved.append(values)
        return 0.0

    rng = np.random.default_rng(0)
    for _ in range(800):
        SPSA(size=0.25, size_decay=0).step(1, np.array([1.0, 2, 3]), loss, np.ones(3), rng)
    above, below = (np.array(moved[k::2]) - [1, 2, 3] for k in (0, 1))
    assert np.array_equal(above, -below)
    assert (np.abs(above) == 0.25).all()
    assert_uniform(np.bincount((above > 0) @ [1, 2, 4], minlength=8), 100)


def test_a_seed_gives_the_directions_that_it_gave():
    moved, rng = [], np.random.default_rng(3)

    def note(values):
        moved.append(values.tolist())
        return 0.0

    for _ in range(3):
        SPSA(size=0.25, size_decay=0).step(1, np.zeros(3), note, np.ones(3), rng)
    assert moved[::2] == [[0.25, -0.25, -0.25], [-0.25, -0.25, 0.25], [0.25, 0.25, -0.25]]


@pytest.mark.parametrize("usage", [[0.0, 0.0], [5.0, 3.0]])
def test_slopes_are_not_weighted_without_uses(usage):
    """The loss is v0, so that the slope is 1, or -1 in opposite directions, of both."""
    values, loss = np.zeros(2), []
    optimiser = SPSA(rate=0.5, rate_offset=0, rate_decay=1, clip=10, by_use=not any(usage))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        new, of_batch = optimiser.step(1, values, lambda v: float(v[0]), np.array(usage), rng)
        loss.append(new.tolist())
        assert of_batch == 0
    assert sorted(set(map(tuple, np.round(loss, 12).tolist()))) == [(-0.5, -0.5), (-0.5, 0.5)]


@pytest.mark.parametrize("side", [1, -1])
def test_a_step_without_a_loss_is_not_taken(side):
    def loss(values):
        return np.nan if side * (values[0] - 1) > 0 else 1.0

    values, of_batch = SPSA().step(1, np.ones(1), loss, np.ones(1), np.random.default_rng(0))
    assert (values.tolist(), np.isnan(of_batch)) == ([1], True)


def test_bad_options():
    SPSA(batch=2)
    with pytest.raises(ConfigError, match="at least 2 pairs"):
        SPSA(batch=1)
    for name in ("rate", "size", "clip"):
        with pytest.raises(ConfigError, match=f"trainer.{name} must be positive"):
            SPSA(**{name: 0.0})
