"""The training loop, SPSA and grid search, on problems whose answer is known."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from amr_metrics import Pair, parse_graph
from amr_metrics.base import Scores
from amr_metrics.parameters import Parameters, Parametric
from bamboo.benchmark.cells import PairSet
from bamboo.errors import ConfigError
from bamboo.scoring.file_pairs import FilePairs
from bamboo.statistics.ratings import pearson
from bamboo.train.fit import Split
from bamboo.train.loop import Grid, Schedule, TrainingError, search, train
from bamboo.train.spsa import SPSA
from bamboo.train.steps import BLOCK, Examples, correlate_rows

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
        assert correlate_rows(scores, ratings) == pytest.approx(expected, abs=1e-14, nan_ok=True)

    @pytest.mark.parametrize("count", [4, 16, 32, 33, BLOCK])
    def test_batches_of_any_size(self, count):
        rng = np.random.default_rng(count)
        scores, ratings = rng.normal(size=(3, count)), rng.random(count)
        scores[1] = 0.1  # a constant
        scores[2, 0] = np.inf
        expected = [pearson(scores[0], ratings), np.nan, np.nan]
        assert correlate_rows(scores, ratings) == pytest.approx(expected, nan_ok=True)
        assert np.isnan(correlate_rows(scores, np.full(count, 0.3))).all()


def test_a_metric_prepares_pairs_as_documented():
    class Documented:
        def prepare(self, pairs):
            return [*pairs, "prepared"]

    split = Split(["a"], np.ones(1), np.arange(1))
    assert split.prepare(Documented()).pairs == ["a", "prepared"]


def test_missing_pairs_have_no_ratings():
    cat, dog = (Pair(graph, graph) for graph in map(parse_graph, ("(c / cat)", "(d / dog)")))
    pairs = FilePairs.of([cat, None, dog])
    split = Split.of(PairSet(pairs, np.array([0.1, 0.5, 0.9]), np.array([7, 8, 9]), {}))
    assert [*split.pairs] == [cat, dog]
    assert (split.ratings.tolist(), split.numbers.tolist()) == ([0.1, 0.9], [7, 9])
