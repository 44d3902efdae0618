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


def step_down(observed, draws, scale):
    """Corrected p-values by definition: each test is compared with the largest of what is left."""
    ratios, reached = np.abs(draws) / scale, np.abs(observed) / scale
    p, before, left = np.empty(len(observed)), 0.0, np.argsort(-reached).tolist()
    while left:
        largest = ratios[:, left].max(axis=1)
        count = (largest >= reached[left[0]] * (1 - 1e-9)).sum()
        p[left[0]] = before = max(before, (count + 1) / (len(draws) + 1))
        left = left[1:]
    return p


def assert_uniform(counts, expected):
    """Check counts of equally likely outcomes: chi-squared is far below its .9999 quantile."""
    degrees = len(counts) - 1
    chi = ((np.asarray(counts) - expected) ** 2 / expected).sum()
    assert chi < degrees + 4 * np.sqrt(2 * degrees) + 4
