"""The comparison of metrics: columns, means, marks and the command."""

import json

import numpy as np
import pytest
from harness import scored_cell

from bamboo.app.main import main
from bamboo.benchmark.cells import chosen_cells
from bamboo.benchmark.datasets import Dataset, Partition
from bamboo.benchmark.protocols import Protocol
from bamboo.results import comparison
from bamboo.results.comparison import compare_samples
from bamboo.results.comparison_table import rank_systems
from bamboo.results.evaluate import evaluate
from bamboo.statistics import Sample
from bamboo.statistics.ratings import STATISTICS
from bamboo.statistics.resampling import Significance

PAPER = Protocol("paper", dict.fromkeys(("main", "reify", "syno", "arg"), "pearson"), None)
V02 = Protocol("v0.2", {**PAPER.statistic, "arg": "pair_accuracy"}, None)
QUICK = Significance(resamples=200, permutations=199)


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
        partitions=parts,
    )


def cell_scores(scores, ratings):
    return scored_cell(scores, ratings)


def benchmark(tmp_path, noises, pairs=80):
    """Metrics on all twelve cells, each the rating with noise of its own strength."""
    rng = np.random.default_rng(0)
    cells = chosen_cells([dataset(d, tmp_path) for d in ("sts", "sick", "para")], "all", "test")
    scored = {}
    for cell in cells:
        ratings = np.tile([0.0, 1.0], pairs // 2) if cell.unit == 2 else rng.random(pairs)
        for name, noise in noises.items():
            scored[name, cell] = cell_scores(ratings + noise * rng.normal(size=pairs), ratings)
    return cells, scored


def compare(names, cells, scored, protocol, settings, **options):
    results = evaluate({name: f"{name}()" for name in names}, cells, protocol, None, scored, {})
    return comparison.compare(results, cells, scored, protocol, settings, **options)


def values(compared, part):
    return [row.value for row in compared.parts[part].scores]


def difference(compared, part, first, second):
    rows = compared.board.select(part=part).differences
    return next(row for row in rows if (row.first, row.second) == (first, second))


def ranks(compared, part):
    return rank_systems(compared.parts[part], compared.level)


def test_values_are_the_statistics_and_their_mean(tmp_path):
    cells, scored = benchmark(tmp_path, {"good": 0.2, "bad": 2.0})
    order = ["good", "bad"]
    compared = compare(order, cells, scored, V02, QUICK)
    assert [*compared.parts][:4] == [*("main_sts", "main_sick", "main_para", "reify_sts")]
    assert compared.ranking == "amean"
    expected = []
    for cell in cells:
        kept = scored["bad", cell]
        statistic = STATISTICS[V02.statistic[cell.partition]]
        expected.append(100 * statistic(kept.scores.values, kept.pairs.ratings))
        assert values(compared, cell.column)[1] == pytest.approx(expected[-1], abs=1e-9)
    assert values(compared, "amean")[1] == pytest.approx(sum(expected) / 12, abs=1e-9)
    there, back = (difference(compared, "amean", *names) for names in (order, order[::-1]))
    assert there.p == 1 / 200
    assert there.value == pytest.approx(-back.value)
    assert there.interval == pytest.approx((-back.high, -back.low))
    assert ranks(compared, "amean") == {"good": (1, 1), "bad": (2, 2)}
    assert set(compared.best().values()) == {("good",)}
    without = compare(["good", "bad"], cells, scored, V02, QUICK, with_intervals=False)
    assert without.best() == compared.best()
    assert without.board.scores[0].interval is None


def test_a_comparison_has_scores_and_differences(tmp_path):
    cells, scored = benchmark(tmp_path, {"good": 0.2, "bad": 2.0})
    compared = compare(["good", "bad"], cells, scored, V02, QUICK)
    scores, differences = compared.to_frame(), compared.differences()
    assert len(scores) == 2 * len(cells)
    assert (scores["low"] <= scores["value"]).all()
    assert len(differences) == len(cells) + 1
    assert differences.iloc[0][["column", "a", "b"]].tolist() == ["main_sts", "good", "bad"]
    where = scores[(scores["partition"] == "main") & (scores["dataset"] == "sts")]
    assert where["value"].tolist() == differences.iloc[0][["value_a", "value_b"]].tolist()
    assert "Ranking by amean" in repr(compared)
    assert " 0.0050 " in repr(compared)  # 1 / 200, with four digits
    assert "(5 % level, corrected for all pairs)" in repr(compared)
    assert compared.tables()[0].rules[:12] == (*range(1, 13),)  # a line between columns
    clusters = {cell: np.arange(80) // 2 for cell in cells if cell.dataset.name == "sts"}
    alone = compare(["good"], cells, scored, V02, QUICK, clusters=clusters)
    assert alone.differences().empty
    assert [*alone.parts] == [*compared.parts]
    assert (compared.is_clustered, alone.is_clustered) == (False, True)


@pytest.mark.parametrize("copies", [2, 5, 12])
def test_copies_of_a_metric_share_their_ranks(tmp_path, copies):
    """Their differences are 0, not rounding errors, on every processor."""
    cells, scored = benchmark(tmp_path, {"0": 1.0})
    names = [str(k) for k in range(copies)]
    scored |= {(name, cell): scored["0", cell] for cell in cells for name in names}
    compared = compare(names, cells, scored, PAPER, QUICK)
    assert len(compared.parts) > len(cells)
    found = {(row.value, row.interval, row.p_adjusted) for row in compared.board.differences}
    assert found == {(0, (0, 0), 1)}
    for column in compared.parts:
        assert ranks(compared, column) == dict.fromkeys(names, (1, copies))
    assert set(compared.best().values()) == {tuple(names)}


def test_the_order_of_metrics_does_not_matter(tmp_path):
    """Two of them have the same values up to rounding."""
    cells, scored = benchmark(tmp_path, {"one": 1.0, "three": 1.2, "four": 1.6})
    for cell in cells:
        kept = scored["one", cell]
        scored["two", cell] = cell_scores(3 * kept.scores.values + 0.1, kept.pairs.ratings)
    names = ["one", "two", "three", "four"]
    forward, reverse = (compare(order, cells, scored, V02, QUICK) for order in (names, names[::-1]))
    for column in forward.parts:
        assert ranks(forward, column) == ranks(reverse, column)
        assert sorted(forward.best()[column]) == sorted(reverse.best()[column])


def test_fewer_than_twelve_cells_are_ranked_by_their_mean(tmp_path):
    """Not by the first cell, in which `one` is better."""
    cells = chosen_cells([dataset("sts", tmp_path, ("main", "arg"))], "all", "test")
    ratings = [np.tile([0.0, 1.0], 20), np.tile([0.0, 1.0], 20)]
    reverse = 1 - ratings[1]
    slightly_worse = np.concatenate([reverse[:2], ratings[0][2:]])
    scored = {
        ("one", cells[0]): cell_scores(ratings[0], ratings[0]),  # r = 1
        ("one", cells[1]): cell_scores(reverse, ratings[1]),  # no pair is right
        ("two", cells[0]): cell_scores(slightly_worse, ratings[0]),  # r = .9: 1 of 20 exchanged
        ("two", cells[1]): cell_scores(ratings[1], ratings[1]),
    }
    compared = compare(["one", "two"], cells, scored, V02, QUICK)
    assert [*compared.parts] == ["main_sts", "arg_sts", "mean of 2 cells"]
    assert values(compared, "main_sts") == pytest.approx([100, 90])
    assert values(compared, "arg_sts") == pytest.approx([0, 100])
    mean = compared.ranking
    row = difference(compared, mean, "two", "one")
    assert (mean, row.score, row.pairs) == ("mean of 2 cells", "mean of 2 cells", 80)
    assert values(compared, mean) == pytest.approx([50, 95])
    assert row.value == pytest.approx(45)
    assert row.p_adjusted == row.p < 0.05
    assert compared.best()["mean of 2 cells"] == ("two",)
    _, ranking = compared.tables()
    assert ranking.title == "Ranking by mean of 2 cells"
    assert [row[:2] for row in ranking.rows] == [("two", "1"), ("one", "2")]
    assert compare(["one", "two"], cells[:1], scored, V02, QUICK).ranking == "main_sts"


def test_constant_scores_have_no_value(tmp_path):
    cells, scored = benchmark(tmp_path, {"one": 1.0, "flat": 1.0})
    first = cells[0]
    scored["flat", first] = cell_scores(np.ones(80), scored["flat", first].pairs.ratings)
    compared = compare(["one", "flat"], cells, scored, PAPER, QUICK)
    assert ranks(compared, "main_sts") == {"one": (1, 1), "flat": (0, 0)}
    document = json.loads(json.dumps(compared.to_json(), allow_nan=False))
    column = document["columns"][0]
    for name, of_itself in (("p", 1), ("p_adjusted", 1), ("differences", 0), ("detectable", 0)):
        assert column[name] == [[of_itself, None], [None, None]]
    assert column["bounds"] == [[[0, 0], [None, None]], [[None, None], [None, None]]]
    assert compared.tables()[0].rows[0][4:7] == (None, None, None)
    ranking = compared.tables()[1].rows
    assert ranking[1:] == (("flat", None, None, None),)


def gappy(scored, cells, name, kept=3):
    """The ratings themselves on the first pairs of each cell, and nothing elsewhere."""
    for cell in cells:
        ratings = scored["one", cell].pairs.ratings
        values = np.where(np.arange(len(ratings)) < kept, ratings, np.nan)
        scored[name, cell] = cell_scores(values, ratings)


@pytest.mark.parametrize("kept", [0, 1, 79])
def test_missing_pairs_of_a_metric_do_not_affect_others(tmp_path, kept):
    cells, scored = benchmark(tmp_path, {"one": 1.0, "two": 1.5})
    alone = compare(["one", "two"], cells, scored, V02, QUICK)
    gappy(scored, cells, "gaps", kept)
    names = ["gaps", "one", "two"]
    compared = compare(names, cells, scored, V02, QUICK)
    assert compared.incomplete["gaps"]["arg_para"] == 80 - kept
    assert set(compared.incomplete) == {"gaps"}
    assert compared.to_json() | {"incomplete": {}} == alone.to_json()
    assert compared.best() == alone.best()
    tables = compared.tables()
    expected = alone.tables()
    assert tables[0].rows == expected[0].rows
    assert tables[1] == expected[1]
    assert f"gaps: {12 * (80 - kept):,}." in tables[0].notes[-1]
    (column, *_) = compare(["gaps"], cells, scored, V02, QUICK).to_json()["columns"]
    assert (column["name"], column["pairs"], column["values"]) == ("main_sts", kept, [])


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_metrics_stay_comparable_despite_a_malformed_graph(user):
    user.metric("refusing", "Refusing")
    root = user.data("toy", [1, 2, 3, 4, 5, 6, 7, 8], [0, 0.1, 0.4, 0.3, 0.8, 1, 0.7, 0.6])
    path = root / "main" / "src.test.amr"
    graphs = path.read_text().split("\n\n")
    path.write_text("\n\n".join([*graphs[:3], "(a / b :c (", *graphs[4:]]))
    document = user.compare(["smatch", "sema", "refusing"], "toy", on_error="nan").to_json()
    assert document["metrics"] == ["smatch", "sema"]
    assert document["incomplete"] == {"refusing": {"main_toy": 1}}
    assert document["columns"][0]["pairs"] == 7


def test_the_command_compares_two_metrics_on_the_sample(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    assert main(["compare", "metric=smatch", "data=sample"]) == 1
    assert "requires at least two metrics" in capsys.readouterr().err
    command = ["compare", "metric=smatch", "metric.smatch.root=[concept,none]", "data=sample"]
    assert main([*command, f"out={tmp_path / 'out'}", "report=json", "permutations=99"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == json.loads((tmp_path / "out" / "comparison.json").read_text())
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert document["columns"][0]["values"] == pytest.approx(
        [row["cells"][0]["value"] for row in result["rows"]], abs=1e-9
    )


def test_the_detectable_difference_is_that_found_in_four_of_five_samples():
    rng = np.random.default_rng(6)
    differences, tested = [], []
    for k in range(150):
        ratings = rng.normal(size=100)
        scores = ratings + np.array([[0.8], [1.35]]) * rng.normal(size=(2, 100))
        samples = {"main_sts": Sample("pearson", scores, ratings)}
        row, _ = compare_samples("ab", samples, Significance(100, k, 199)).differences
        differences.append(row.detectable)
        tested.append(row.p < 0.05)
    truth = 100 * (1 / np.hypot(1, 0.8) - 1 / np.hypot(1, 1.35))
    assert np.mean(differences) == pytest.approx(truth, rel=0.15)
    assert 0.72 < np.mean(tested) < 0.92  # the standard deviation is .033
