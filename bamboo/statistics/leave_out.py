"""Intervals from leaving out one cluster at a time, for data with few clusters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from amr_metrics.types import Floats, Ints
from bamboo.statistics.sample import BLOCK, Sample, effective_clusters

ValueFunction = Callable[[Mapping[str, Floats]], Floats]


def jackknife(samples: Mapping[str, Sample], function: ValueFunction) -> tuple[Floats, Floats]:
    """Return intervals from Student's t, and the jackknife's standard errors.

    Samples of one group are left out together, and groups are independent strata. A stratum has as
    many degrees of freedom as it has effective clusters, less one; those of several strata are
    combined as by Welch and Satterthwaite.

    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 11; Satterthwaite
    (1946), An approximate distribution of estimates of variance components.

    Args:
        samples: those that the function uses.
        function: from the values of each sample, (draws, metrics), to those of interest,
            (draws, ...).

    Returns:
        95 % intervals (..., 2), and standard errors (...); NaN where they are not known.

    >>> cell = Sample("pearson", np.eye(3)[:1], np.arange(3.0), np.zeros(3, np.int64))
    >>> jackknife({"": cell}, lambda values: values[""])[0].tolist()  # there is one cluster
    [[nan, nan]]
    """
    from scipy.special import stdtrit

    whole = {name: sample.values[None] for name, sample in samples.items()}
    groups: dict[str, list[str]] = {}
    for name, sample in samples.items():
        groups.setdefault(sample.group or name, []).append(name)
    value = function(whole)[0]
    variance, squares = np.zeros(value.shape), np.zeros(value.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        for names in groups.values():
            sizes = sum((samples[name].sizes for name in names), np.zeros(1))
            left = np.flatnonzero(sizes)
            repeated = {name: np.repeat(v, len(left), axis=0) for name, v in whole.items()}
            draws = function(repeated | {name: _leave_out(samples[name], left) for name in names})
            # Of k clusters, the variance is (k - 1) / k times the sum of the squared deviations of
            # the k values without one cluster from their mean.
            deviations = draws - draws.mean(axis=0)
            part = (len(left) - 1) / len(left) * np.square(deviations).sum(axis=0)
            variance += part
            squares += np.square(part) / np.float64(effective_clusters(sizes) - 1)
        error = np.sqrt(variance)
        # Welch and Satterthwaite: (sum of v)² / sum of v² / d degrees of freedom, for strata with
        # the variance v and d degrees of freedom.
        half = np.where(error == 0, 0.0, stdtrit(np.square(variance) / squares, 0.975) * error)
    return np.stack([value - half, value + half], axis=-1), error


def _leave_out(sample: Sample, clusters: Ints) -> Floats:
    """Return the statistics without each of some clusters: (clusters, metrics)."""
    if len(clusters) < 2:
        return np.full((len(clusters), len(sample.scores)), np.nan)
    blocks = np.split(clusters, range(BLOCK, len(clusters), BLOCK))
    others = (np.arange(sample.n_clusters) != block[:, None] for block in blocks)
    return np.concatenate([sample.weighted(kept.astype(np.float64)) for kept in others])
