"""The training loop and grid search, by hand and on problems whose answer is known."""

from dataclasses import dataclass

import numpy as np
import pytest

from amr_metrics import Pair, parse_graph
from amr_metrics.base import Scores
from amr_metrics.parameters import Parameters, Parametric, PreparedPairs
from bamboo.errors import ConfigError
from bamboo.statistics.ratings import pearson
from bamboo.training.loop import Grid, Schedule, TrainingError, search, train
from bamboo.training.spsa import SPSA
from bamboo.training.steps import Examples

ROLES = (":ARG0", ":ARG1", ":mod")
TRUTH = {":ARG0": 1.0, ":ARG1": 0.2, ":mod": 0.0}


@dataclass(frozen=True, kw_only=True)
class SharedRoles(Parametric):
    """The summed weight of the roles that both graphs use."""

    weights: tuple[float, ...] = (0.3, 0.3, 0.3)

    @property
    def parameters(self):
        return Parameters(ROLES, np.array(self.weights), np.full(3, -9.0), np.full(3, 9.0))

    def with_parameters(self, values):
        return SharedRoles(weights=tuple(self.parameters.checked(values)))

    def evaluate(self, pairs):
        return Scores(np.array([uses(pair) @ np.array(self.weights) for pair in pairs]))


def uses(pair):
    roles = [{relation.role for relation in graph.relations} for graph in pair]
    return np.array([float(role in roles[0] and role in roles[1]) for role in ROLES])


def examples(rng, count):
    pairs = []
    for _ in range(count):
        texts = []
        for _ in range(2):
            edges = [f"{r} (x{k} / x)" for k, r in enumerate(ROLES) if rng.random() < 0.6]
            texts.append(parse_graph(f"(t / t {' '.join(edges)})"))
        pairs.append(Pair(*texts))
    ratings = np.array([uses(pair) @ np.array(list(TRUTH.values())) for pair in pairs])
    return Examples(SharedRoles().prepare(pairs), ratings)


@pytest.fixture(scope="module")
def task():
    rng = np.random.default_rng(7)
    return examples(rng, 80), examples(rng, 40)


SHORT = Schedule(interval=40, evaluations=10)
FAST = SPSA(clip=0.1, by_use=False)


def fit(task, seed=0, **options):
    return train(
        SharedRoles().parameters,
        *task,
        options.pop("optimiser", FAST),
        options.pop("schedule", SHORT),
        np.random.default_rng(seed),
        **options,
    )


def test_training_recovers_the_weights_behind_the_ratings(task):
    values, history = fit(task, schedule=Schedule(interval=100, evaluations=15))
    assert history[0].dev < 0.9 < 0.995 < history[-1].best
    ratio = values / values[0]
    assert ratio == pytest.approx([1.0, 0.2, 0.0], abs=0.12)


def test_a_constant_dev_split_is_an_error(task):
    dev = Examples(task[1].pairs, np.ones(len(task[1].ratings)))
    with pytest.raises(TrainingError, match="dev split cannot be used"):
        fit((task[0], dev))


def test_constant_batches_are_skipped_and_counted(task):
    constant = Examples(task[0].pairs, np.ones(len(task[0].ratings)))
    values, history = fit((constant, task[1]))
    assert values.tolist() == list(SharedRoles().weights)
    assert [line.skipped for line in history[1:]] == [SHORT.interval] * SHORT.evaluations


def test_patience_stops_early_and_averages_are_kept(task):
    _, history = fit(task, schedule=Schedule(interval=20, evaluations=200, patience=3))
    assert len(history) < 200
    assert history[-1].best == history[-4].best
    _, averaged = fit(task, schedule=Schedule(interval=40, evaluations=10, average=True))
    assert averaged[-1].best > 0.98


def test_grid_search_takes_the_best_point(task):
    grid = Grid(axes={":ARG1": [0.0, 0.06, 0.5], ":mod": [0.0, 0.3]})
    values, history = search(SharedRoles().parameters, task[1], grid)
    assert values.tolist() == [0.3, 0.06, 0.0]  # 1 : .2 : 0, as in the truth
    assert len(history) == 3 * 2
    with pytest.raises(ConfigError, match="did you mean ':mod'"):
        search(SharedRoles().parameters, task[1], Grid(axes={":mood": [1.0]}))


class Script:
    """Steps to the values 1, 2, 3 ... with given losses."""

    batch = 2

    def __init__(self, losses, values=None):
        self.losses, self.values = losses, values or {}

    def step(self, t, values, loss, usage, rng):
        assert values[0] == t - 1
        return np.array([self.values.get(t, float(t))]), self.losses[t - 1]


class Reached:
    """The correlation on dev for each value."""

    def __init__(self, by_value):
        self.by_value = by_value

    def correlation(self, values):
        return self.by_value[float(values[0])]


def run_script(schedule, dev, losses=(0.5,) * 8, values=None, progress=lambda *_: None):
    parameters = Parameters(("a",), np.zeros(1), np.full(1, -99.0), np.full(1, 99.0))
    pairs = Examples(PreparedPairs(SharedRoles(), (0, 1, 2)), np.arange(3.0))
    optimiser, rng = Script(losses, values), np.random.default_rng(0)
    return train(parameters, pairs, Reached(dev), optimiser, schedule, rng, progress)


DEV = {0.0: 0.1, 2.0: 0.3, 4.0: 0.3, 6.0: 0.2, 8.0: 0.5}


def test_the_history_by_hand():
    nan, seen = np.nan, []
    losses = (0.5, 0.7, nan, 0.4, nan, nan, 0.0, 1.0)
    schedule = Schedule(interval=2, evaluations=4)
    assert schedule.count_steps(3, 2) == 8
    values, history = run_script(schedule, DEV, losses, progress=lambda *line: seen.append(line))
    assert values.tolist() == [8]
    expected = [
        (0, nan, 0.1, 0.1, 0),
        (2, 0.6, 0.3, 0.3, 0),
        (4, 0.4, 0.3, 0.3, 1),
        (6, nan, 0.2, 0.3, 2),
        (8, 0.5, 0.5, 0.5, 0),
    ]
    lines = [(line.step, line.loss, line.dev, line.best, line.skipped) for line in history]
    assert np.array(lines) == pytest.approx(np.array(expected), nan_ok=True)
    assert seen == [(line, 4) for line in history[1:]]
    # Of equally good values the first are kept, and nothing has improved in two evaluations.
    values, history = run_script(Schedule(interval=2, evaluations=4, patience=2), DEV)
    assert (values.tolist(), [line.step for line in history]) == ([2], [0, 2, 4, 6])
    values, history = run_script(Schedule(interval=2, evaluations=4, patience=1), DEV)
    assert [line.step for line in history] == [0, 2, 4]
    assert len(run_script(Schedule(interval=2, evaluations=4, patience=3), DEV)[1]) == 5


def test_passes_by_hand():
    # 3 pairs in batches of 2: 4 passes are 6 steps; 4 evaluations are 2 steps apart, the fourth
    # would come after the end. 5 passes are 7 steps, and the last evaluation comes after one.
    _, history = run_script(Schedule(interval=9, evaluations=4, passes=4), DEV)
    assert [line.step for line in history] == [0, 2, 4, 6]
    dev = DEV | {7.0: 0.6}
    values, history = run_script(Schedule(evaluations=4, passes=5), dev)
    assert [line.step for line in history] == [0, 2, 4, 6, 7]
    assert values.tolist() == [7]
    dev = {0.0: 0.1, 2.0: 0.2, 3.0: 0.4}
    average = Schedule(evaluations=2, passes=2, average=True)  # of steps 1 to 2, and of step 3
    assert [line.dev for line in run_script(average, dev | {1.5: 0.3})[1]] == [0.1, 0.3, 0.4]
    assert Schedule(passes=0.1).count_steps(3, 2) == 1


@pytest.mark.parametrize("passes", [0, -1, np.inf, np.nan])
def test_passes_are_positive(passes):
    with pytest.raises(ConfigError, match="passes must be positive"):
        Schedule(passes=passes)


def test_averages_by_hand():
    dev = {0.0: 0.1, 1.5: 0.4, 3.5: 0.2}
    values, history = run_script(Schedule(interval=2, evaluations=2, average=True), dev)
    assert values.tolist() == [(1 + 2) / 2]
    assert [line.dev for line in history] == [0.1, 0.4, 0.2]


def test_values_that_are_not_finite_stop_the_training():
    message = (
        "diverged at step 3: lower trainer.rate. The last good values, of step 2, score 0.3000"
    )
    with pytest.raises(TrainingError, match=message):
        run_script(Schedule(interval=2, evaluations=4), DEV, values={3: np.inf})


def test_one_value_that_is_not_finite_is_enough(task):
    class Diverging:
        batch = 2

        def step(self, t, values, loss, usage, rng):
            return np.array([0.5, np.inf, 0.5]), 0.5

    with pytest.raises(TrainingError, match="diverged at step 1"):
        fit(task, optimiser=Diverging())


@pytest.mark.parametrize("name", ["interval", "evaluations", "patience"])
def test_a_schedule_has_at_least_one_of_each(name):
    assert Schedule() == Schedule(interval=350, evaluations=25, patience=None, average=False)
    Schedule(**{name: 1})
    with pytest.raises(ConfigError, match="at least 1"):
        Schedule(**{name: 0})


class Rows:
    """Pairs whose scores are a * (0, 1, 2) + b * (0, 2, 1)."""

    def each(self, rows):
        return (row[0] * np.array([0.0, 1, 2]) + row[1] * np.array([0.0, 2, 1]) for row in rows)


def test_the_first_of_the_best_points_is_taken():
    parameters = Parameters(("a", "b"), np.array([0.0, 1.0]), np.zeros(2), np.ones(2))
    dev, seen = Examples(Rows(), np.array([0.0, 2, 1])), []
    grid = Grid(axes={"b": [0.0, 1.0], "a": [0.0, 1.0]})
    values, history = search(parameters, dev, grid, lambda *line: seen.append(line))
    # In the order of the axes: scores 0, then 0 1 2, then the ratings, then 0 3 3.
    reached = [np.nan, 0.5, 1, pearson(np.array([0.0, 3, 3]), dev.ratings)]
    assert [line.dev for line in history] == pytest.approx(reached, nan_ok=True)
    assert values.tolist() == [0, 1]
    lines = [(line.step, line.loss, line.best, line.skipped) for line in history[1:]]
    expected = [(k + 2, 1 - r, max(reached[1 : k + 2]), 0) for k, r in enumerate(reached[1:])]
    assert np.array(lines) == pytest.approx(np.array(expected))
    assert seen == [(line, 4) for line in history]
    # Correlations do not depend on the scale: of .5 and 1 the first is kept.
    values, _ = search(parameters, dev, Grid(axes={"b": [0.5, 1.0]}))
    assert values.tolist() == [0, 0.5]
    with pytest.raises(TrainingError, match="dev split cannot be used"):
        search(parameters, dev, Grid(axes={"b": [0.0]}))
