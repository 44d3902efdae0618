"""Grid search: evaluate every combination of a few values on dev."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from amr_metrics.parameters import Parameters
from amr_metrics.types import Floats
from bamboo.benchmark.protocols import pearson
from bamboo.config.weights import Evaluation
from bamboo.errors import ConfigError, unknown
from bamboo.train.loop import TrainingError
from bamboo.train.losses import Examples


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The values to try for each parameter, by name; other parameters keep their values."""

    axes: Mapping[str, Sequence[float]]

    def points(self, parameters: Parameters) -> list[Floats]:
        """Return all combinations, in order.

        Raises:
            ConfigError: an unknown parameter.
        """
        for name in self.axes:
            if name not in parameters.names:
                raise ConfigError(unknown("parameter", name, parameters.names))
        positions = [parameters.names.index(name) for name in self.axes]
        points = []
        for combination in itertools.product(*self.axes.values()):
            values = parameters.values.copy()
            values[positions] = combination
            points.append(values)
        return points


def search(
    parameters: Parameters,
    dev: Examples,
    grid: Grid,
    progress: Callable[[Evaluation, int], None] = lambda evaluation, total: None,
) -> tuple[Floats, list[Evaluation]]:
    """Return the point with the highest Pearson correlation on dev, and the history of all points.

    Of several best points, the first is returned.

    Args:
        progress: called for each point in order, with the number of points.

    Raises:
        TrainingError: no point gives a correlation.
    """
    points = grid.points(parameters)
    best, best_values, history = -np.inf, parameters.values, []
    scores = dev.pairs.each(np.array(points))
    for number, (values, row) in enumerate(zip(points, scores, strict=True), 1):
        reached = pearson(row, dev.ratings)
        if reached > best:
            best, best_values = reached, values
        history.append(Evaluation(number, 1 - reached, reached, best, 0))
        progress(history[-1], len(points))
    if not np.isfinite(best):
        raise TrainingError("the dev split cannot be used: its ratings or scores are all the same")
    return best_values, history
