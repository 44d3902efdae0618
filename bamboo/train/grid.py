"""Grid search: every combination of a few values, held against dev."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bamboo.errors import ConfigError, unknown
from bamboo.train.loop import Evaluation, Examples, TrainingError
from metrics.parameters import Parameters
from metrics.types import Floats


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The values to try of each parameter, by name; parameters not named stay as they are."""

    axes: Mapping[str, Sequence[float]]

    def points(self, parameters: Parameters) -> list[Floats]:
        """All combinations, in order.

        Raises:
            ConfigError: a parameter there is none of.
        """
        for name in self.axes:
            if name not in parameters.names:
                raise ConfigError(unknown("parameter", name, parameters.names))
        places = [parameters.names.index(name) for name in self.axes]
        points = []
        for combination in itertools.product(*self.axes.values()):
            values = parameters.values.copy()
            values[places] = combination
            points.append(values)
        return points


def search(
    parameters: Parameters,
    dev: Examples,
    grid: Grid,
    progress: Callable[[Evaluation, int], None] = lambda evaluation, total: None,
) -> tuple[Floats, list[Evaluation]]:
    """The point with the highest Pearson on dev (the first of several), and all that were tried.

    Raises:
        TrainingError: if no point gives a correlation.
    """
    points = grid.points(parameters)
    best, best_values, history = -np.inf, parameters.values, []
    for number, values in enumerate(points, 1):
        reached = dev.correlation(values)
        if reached > best:
            best, best_values = reached, values
        history.append(Evaluation(number, 1 - reached, reached, best, 0))
        progress(history[-1], len(points))
    if not np.isfinite(best):
        raise TrainingError("the dev split tells nothing: its ratings or scores are all the same")
    return best_values, history
