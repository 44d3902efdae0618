"""Scores of several metrics, for tests."""

import numpy as np

from bamboo.statistics.sample import consecutive

TWOS = consecutive(80, 2)  # altered and original pairs


def correlated(seed, n=60, metrics=3, noise=1.0):
    """Scores of a few metrics that share a signal with the ratings."""
    rng = np.random.default_rng(seed)
    ratings = rng.normal(size=n)
    return ratings + noise * rng.normal(size=(metrics, n)), ratings


def couples(seed, n=40, metrics=3):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (metrics, 2 * n)).astype(float)
    return scores, np.tile([0.0, 1.0], n)
