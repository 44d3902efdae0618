"""The comparison of metrics: columns, means, marks and the command."""

import json

import numpy as np
import pytest

from bamboo.cache import CellScores
from bamboo.cli import main
from bamboo.compare import Draws, best_of_columns, compare, comparison_tables
from bamboo.datasets import Dataset, Partition
from bamboo.errors import ConfigError
from bamboo.protocols import STATISTICS, Protocol
from bamboo.run import chosen_places
from metrics.base import Scores

PAPER = Protocol("paper", dict.fromkeys(("main", "reify", "syno", "arg"), "pearson"), None)
V02 = Protocol("v0.2", {**PAPER.statistic, "arg": "pair_accuracy"}, None)
QUICK = Draws(resamples=200, permutations=199)


def dataset(name, folder, partitions=("main", "reify", "syno", "arg")):
    parts = {
        p: Partition(
            folder=p, ratings="alternating" if p == "arg" else "files", pairs={"test": None}
        )
        for p in partitions
    }
    return Dataset(
        name=name,
        title=name,
        registry=None,
        root=folder,
        scale=(0, 1),
        header=None,
        trailer=None,
        partitions=parts,
    )


def cell(scores, ratings):
    return CellScores(Scores(scores), ratings, np.arange(len(ratings)), {}, 1.0)


def benchmark(tmp_path, noises, pairs=80):
    """Metrics on all twelve cells, each the rating with noise of its own strength."""
    rng = np.random.default_rng(0)
    places = chosen_places([dataset(d, tmp_path) for d in ("sts", "sick", "para")], "all", "test")
    scored = {}
    for place in places:
        ratings = np.tile([0.0, 1.0], pairs // 2) if place.unit == 2 else rng.random(pairs)
        for name, noise in noises.items():
            scored[name, place] = cell(ratings + noise * rng.normal(size=pairs), ratings)
    return places, scored


def test_values_are_the_statistics_and_the_mean_is_theirs(tmp_path):
    places, scored = benchmark(tmp_path, {"good": 0.2, "bad": 2.0})
    found = compare(["good", "bad"], places, scored, V02, QUICK)
    assert [column.name for column in found.columns][:4] == [
        *("main_sts", "main_sick", "main_para", "reify_sts")
    ]
    assert found.ranking.name == "amean"
    values = []
    for place in places:
        kept = scored["bad", place]
        statistic = STATISTICS[V02.statistic[place.partition]]
        values.append(100 * statistic(kept.scores.values, kept.ratings))
        column = found[f"{place.partition}_{place.dataset.name}"]
        assert column.values[1] == pytest.approx(values[-1], abs=1e-9)
    assert found["amean"].values[1] == pytest.approx(sum(values) / 12, abs=1e-9)
    assert found["amean"].p[0, 1] == 1 / 200
    assert found["amean"].cluster.tolist() == [1, 2]
    assert set(found.best().values()) == {("good",)}
    assert best_of_columns(["good", "bad"], places, scored, V02, QUICK) == found.best()


def test_a_metric_beside_itself_shares_its_cluster(tmp_path):
    places, scored = benchmark(tmp_path, {"one": 1.0})
    scored |= {("two", place): scored["one", place] for place in places}
    found = compare(["one", "two"], places, scored, PAPER, QUICK)
    for column in found.columns:
        assert column.p_holm[0, 1] == 1
        assert column.bounds[0, 1].tolist() == [0, 0]
        assert column.cluster.tolist() == [1, 1]


def test_metrics_that_are_linear_in_the_ratings_are_compared(tmp_path):
    places, scored = benchmark(tmp_path, {"one": 1.0}, pairs=8)
    for k, place in enumerate(places):
        kept = scored["one", place]
        scored["same", place] = cell((0.3 + k / 50) * kept.ratings + 0.1, kept.ratings)
        scored["less", place] = cell(7 - kept.ratings / 3, kept.ratings)
    found = compare(["same", "less"], places, scored, PAPER, QUICK)
    assert found["amean"].values == pytest.approx([100, -100])
    assert np.abs(found["amean"].intervals).max() <= 100


def test_without_all_twelve_cells_there_is_no_mean(tmp_path):
    places, scored = benchmark(tmp_path, {"one": 1.0, "two": 1.0})
    found = compare(["one", "two"], places[:5], scored, PAPER, QUICK)
    assert [column.name for column in found.columns][-1] == "reify_sick"


def test_missing_and_constant_scores(tmp_path):
    places, scored = benchmark(tmp_path, {"one": 1.0, "flat": 1.0})
    first = places[0]
    kept = scored["flat", first]
    scored["flat", first] = cell(np.ones(80), kept.ratings)
    scored["one", first].scores.values[3] = np.nan
    found = compare(["one", "flat"], places, scored, PAPER, QUICK)
    assert found["main_sts"].pairs == 79
    assert found["main_sts"].cluster.tolist() == [1, 0]
    document = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert document["columns"][0]["p"] == [[1.0, None], [None, None]]
    assert "–" in comparison_tables(found)[0].rows[0]


@pytest.mark.parametrize("options", [{"resamples": 3}, {"permutations": 1}, {"level": 1.0}])
def test_bad_draws_are_refused(options):
    with pytest.raises(ConfigError):
        Draws(**options)


def test_the_command_compares_two_metrics_on_the_sample(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    assert main(["compare", "metric=smatch", "data=sample"]) == 1
    assert "two metrics or more" in capsys.readouterr().err
    command = ["compare", "metric=smatch", "metric.root=concept,none", "data=sample"]
    assert main([*command, f"out={tmp_path / 'out'}", "report=json", "permutations=99"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == json.loads((tmp_path / "out" / "comparison.json").read_text())
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert document["columns"][0]["values"] == pytest.approx(
        [row["cells"][0]["value"] for row in result["rows"]], abs=1e-9
    )
