"""Metrics on cells: scored once, compared with the ratings; cache, engines and intervals."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from harness import written_scores
from scipy import stats

import bamboo
from amr_metrics.errors import MetricError
from bamboo.api.data import resolve_datasets, resolve_protocol
from bamboo.benchmark.cells import chosen_cells
from bamboo.benchmark.protocols import Protocol
from bamboo.config.requests import build_named_row
from bamboo.errors import BambooError, ConfigError
from bamboo.progress import Progress
from bamboo.results.cache import Cache
from bamboo.results.evaluate import find_published_values, run
from bamboo.results.results import Results
from bamboo.results.score_cells import Settings, train_rows

SIZES, RATINGS = [1, 2, 3, 5], [0, 0.5, 0.25, 1]

PAPER = Protocol("paper", {"main": "pearson"}, None)


def without_seconds(result):
    """A result without what differs from run to run."""
    for row in result["rows"]:
        for cell in row["cells"]:
            assert cell.pop("seconds") >= 0
    return result


def test_a_cell_by_hand(user, tiny):
    results = user.run("size")
    assert results.board.scores[0][:7] == ("", "cell", "main_tiny", "size", 4, 0, "pearson")
    document = results.to_json()
    (row,) = document["rows"]
    (cell,) = row["cells"]
    assert cell["value"] == pytest.approx(100 * stats.pearsonr(SIZES, RATINGS).statistic)
    assert (cell["dataset"], cell["partition"], cell["split"]) == ("tiny", "main", "test")
    assert (cell["statistic"], cell["n"], cell["missing"]) == ("pearson", 4, 0)
    assert cell["published"] is None
    assert (row["metric"], row["amean"], row["hmean"]) == ("size", None, None)
    assert document["protocol"] == "paper"
    assert document["problems"] == []


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_alignment_metrics_write_bounds_and_optimality(home):
    # Without search some of the sample's pairs stay open.
    solver = {"node_limit": 0, "root_rounds": 1}
    results = bamboo.run(data="sample", options={"solver": solver})
    rows = written_scores(results.folder)
    assert list(rows[0])[-3:] == ["matches", "upper_bound", "optimal"]
    assert {row["optimal"] for row in rows} == {"True", "False"}
    for row in rows:
        matches, bound = float(row["matches"]), float(row["upper_bound"])
        assert (matches == bound) if row["optimal"] == "True" else (matches < bound)
    assert [str(optimal) for optimal in results.pair_scores()["optimal"]] == [
        row["optimal"] for row in rows
    ]
    unproven = sum(row["optimal"] == "False" for row in rows)
    assert f"{unproven} of 64 alignments are NOT proven optimal" in str(results)
    assert results.to_json()["rows"][0]["cells"][0]["unproven"] == unproven
    assert "all 64 alignments are proven optimal" in str(bamboo.run(data="sample"))


def test_rows_of_a_sweep(cli):
    document = cli("run", "data=sample", "metric.smatch.root=[concept,none]", "report=json").json
    first, second = document["rows"]
    assert first["metric"] == "smatch"
    assert second["metric"] == "smatch root=none"
    assert "root=concept" in first["signature"]
    assert "root=none" in second["signature"]
    (plain,) = bamboo.run(data="sample").to_json()["rows"]
    assert first["signature"] == plain["signature"]
    # Its scores are found again under their signature.
    assert (first["cells"][0].pop("cached"), plain["cells"][0].pop("cached")) == (False, True)
    assert first["cells"] == plain["cells"]
    assert second["cells"][0]["value"] != first["cells"][0]["value"]


def test_several_metrics_and_data_sets(user, tiny):
    user.data("other", [2, 1, 3], [1, 0, 1], ("main", "syno"))
    document = user.run(["smatch", "size"], ["other", "tiny"]).to_json()
    assert [row["metric"] for row in document["rows"]] == ["smatch", "size"]
    for row in document["rows"]:
        places = [(cell["dataset"], cell["partition"]) for cell in row["cells"]]
        assert places == [("other", "main"), ("tiny", "main")]


@pytest.mark.parametrize("partition", [("syno", "main"), "all"])  # all there are
def test_partitions(user, partition):
    user.data("other", [2, 1, 3], [1, 0, 1], ("main", "syno"))
    results = user.run("size", "other", partition=partition)
    assert [row.part for row in results.board.scores][:2] == ["main_other", "syno_other"]
    with pytest.raises(ConfigError, match="unknown partition of other 'reify'"):
        user.run("size", "other", partition="reify")


def test_options_by_data_set(user, tiny):
    user.data("other", [2, 1, 3], [1, 0, 1])
    user.metric("two", "Size", by_data={"other": {"factor": 10.0}})
    results = user.run("two", ["tiny", "other"])
    assert [row["score"] for row in written_scores(results.folder)] == [
        *("1.0", "2.0", "3.0", "5.0"),
        *("20.0", "10.0", "30.0"),
    ]
    signature = results.signatures["two"]
    assert "factor=1.0" in signature
    assert "factor=10.0" in signature


def test_what_a_metric_prints_is_no_part_of_the_report(cli, user, tiny):
    (user.path / "talking.py").write_text(
        "print('imported')\ndef score(a, b):\n    print('scored')\n    return 1.0\n"
    )
    user.yaml(
        "metric/talking.yaml",
        {"_target_": "amr_metrics.external.FunctionMetric", "function": "talking.score"},
    )
    words = "run", "metric=talking", "data=tiny", "report=json", "on_error=nan", user.option
    outcome = cli(*words)
    assert outcome.json["rows"][0]["metric"] == "talking"
    assert "imported" in outcome.err
    assert "scored" in outcome.err


class TestCache:
    @pytest.fixture
    def log(self, user, tiny, home):
        """``metric=logged``, and the file in which it leaves a line for each cell it scores."""
        files = {"log": str(home / "log"), "fuse": str(home / "fuse")}
        user.metric("logged", "Logged", factor=1.0, **files)
        return home / "log"

    def test_a_cell_is_scored_only_once(self, user, log):
        first, second = (user.run("logged").to_json() for _ in range(2))
        assert log.read_text() == "4\n"
        assert first.pop("cache") == {"cells": 1, "from_cache": 0}
        assert second.pop("cache") == {"cells": 1, "from_cache": 1}
        cached = [document["rows"][0]["cells"][0].pop("cached") for document in (first, second)]
        assert cached == [False, True]
        assert second == first  # seconds and all
        for cache, times in (("refresh", 2), ("off", 3), ("use", 3)):
            user.run("logged", cache=cache)
            assert log.read_text() == "4\n" * times

    @pytest.mark.parametrize("use", ["off", "refresh", "use"])
    def test_equal_metrics_are_scored_once_in_a_command(
        self, user, log, tiny, home, monkeypatch, use
    ):
        monkeypatch.syspath_prepend(user.path)
        cells = chosen_cells(resolve_datasets("tiny", config_dir=user.path), "main", "test", None)
        options = [("one", 1.0), ("two", 1.0), ("three", 2.0)]
        rows = [(name, "logged", {"factor": factor}) for name, factor in options]
        jobs = [build_named_row(*row, config_dir=user.path) for row in rows]
        cache, settings = Cache(home / "cache"), Settings(cache=use)
        for some in (jobs, jobs[1:]):
            results, scored = run(some, cells, PAPER, cache, settings)
            assert list(results.signatures) == [job.name for job in some]
            assert [name for name, _ in scored] == [job.name for job in some]
        assert log.read_text() == "4\n" * 2

    def test_off_writes_nothing(self, home):
        bamboo.run(data="sample", cache="off")
        assert not (home / "runs/cache").exists()

    def test_other_options_or_data_are_scored_again(self, user, log, tiny):
        user.run("logged")
        user.run("logged", options={"factor": 2.0})
        assert log.read_text() == "4\n" * 2
        user.run("logged", protocol="spearman", ci=True)  # the same scores, read differently
        assert log.read_text() == "4\n" * 2
        (tiny / "test.y").write_text("1\n0\n0\n0\n")
        user.run("logged")
        assert log.read_text() == "4\n" * 3

    def test_ctrl_c_keeps_completed_cells(self, cli, user, log, home):
        user.data("other", [2, 1, 3], [1, 0, 1])
        (home / "fuse").write_text("1")  # the second cell is interrupted
        arguments = ["run", "metric=logged", "data=[tiny,other]", user.option]
        outcome = cli(*arguments)
        assert (outcome.status, outcome.out) == (130, "")
        assert outcome.err == (
            "interrupted: 1 of 2 cells are scored and cached; "
            "run the same command again to continue\n"
        )
        assert log.read_text() == "4\n"
        (home / "fuse").unlink()
        again = user.run("logged", ["tiny", "other"])
        assert log.read_text() == "4\n3\n"
        assert [row.pairs for row in again.board.scores] == [4, 3, 7]

    def test_ctrl_c_without_a_cache_does_not_mention_it(self, cli, user, log, home):
        (home / "fuse").write_text("0")
        outcome = cli("run", "metric=logged", "data=tiny", "cache=off", user.option)
        assert outcome.status == 130
        assert outcome.err == "interrupted: 0 of 1 cells are scored\n"

    def test_a_cache_that_cannot_be_written_to(self, user, log, home):
        (home / "runs").mkdir()
        (home / "runs/cache").write_text("a file where a folder is needed")
        error = rf"cannot cache results in {home}/runs/cache.*Set BAMBOO_RUNS_DIR"
        with pytest.raises(BambooError, match=error):
            user.run("logged")


def test_jobs_of_a_seed_follow_each_other(home):
    """They share random numbers; the rows are in the order of the jobs."""
    vectors = {"_target_": "amr_metrics.vectors.WordVectors.of", "vectors": {"cat": [1, 0]}}
    rows = [
        (f"K={depth} seed={seed}", "wwlk", {"K": depth, "seed": seed, "vectors": vectors})
        for depth in (0, 1)
        for seed in (0, 1)
    ]
    jobs, steps = [build_named_row(*row) for row in rows], list[str]()
    cells, protocol = chosen_cells(resolve_datasets("sample"), "main", "test", None), PAPER

    def scored(names):
        selected = [job for job in jobs if job.name in names]
        results, _ = run(
            *(selected, cells, protocol, Cache(home), Settings(cache="off")),
            progress=lambda what, total: steps.append(what),
        )
        assert list(results.signatures) == names
        return results.to_frame()["value"].tolist()

    names = [name for name, _, _ in rows]
    together = scored(names)
    assert [step for step in steps if step.startswith("K=")] == [
        f"{names[k]} sample main test" for k in (0, 2, 1, 3)
    ]
    assert together == [value for name in names for value in scored([name])]


class Reached(Progress):
    """Keeps what was reached."""

    def __init__(self):
        super().__init__()
        self.all = []

    def reach(self, count, amount):
        super().reach(count, amount)
        self.all.append((count, amount))


def test_pairs_are_counted_for_each_metric(home, monkeypatch):
    monkeypatch.setattr("bamboo.scoring.pipeline.FIRST", 10)
    rows = [build_named_row(name, name) for name in ("smatch", "sema")]
    cells, progress = chosen_cells(resolve_datasets("sample"), "main,arg", "test", None), Reached()
    settings = Settings(cache="off")
    results, _ = run(rows, cells, PAPER, Cache(home), settings, progress=progress)
    # Main has 64 pairs: 10, until the speed is known, and 54. Arg has 26.
    counts = [0, 10, 20, 74, 128, 154, 180]
    assert progress.all == [(count, 180) for count in counts]
    monkeypatch.setattr("bamboo.scoring.pipeline.SECONDS", 0)
    slow = Reached()
    pair_by_pair, _ = run(rows, cells, PAPER, Cache(home), settings, progress=slow)
    assert slow.all == [(count, 180) for count in (0, 10, *range(20, 181))]
    values = [frame.to_frame()["value"].tolist() for frame in (results, pair_by_pair)]
    assert values[0] == values[1]


def test_the_number_of_pairs_may_be_known_only_when_they_are_read(user, home):
    for name in ("first", "second"):
        root = user.data(name, SIZES, RATINGS)
        (home / "my conf" / "data" / f"{name}.yaml").write_text(
            f"{name}:\n  root: {root}\n  scale: [0, 1]\n  partitions: {{main: {{folder: main}}}}\n"
        )
    datasets = resolve_datasets(["first", "second"], None, home / "my conf")
    cells, progress = chosen_cells(datasets, "main", "test", None), Reached()
    assert [cell.count for cell in cells] == [None, None]
    run(
        *(
            [build_named_row("sema", "sema")],
            cells,
            PAPER,
            Cache(home),
            Settings(cache="off"),
        ),
        progress=progress,
    )
    assert progress.all == [(0, None), (4, None), (8, 8)]


def test_a_limit_counts_pairs_of_altered_and_original(home):
    cells = chosen_cells(resolve_datasets("sample"), "main,arg", "test", 5)
    assert [cell.count for cell in cells] == [5, 6]
    assert [len(cell.load().numbers) for cell in cells] == [5, 6]


def test_rows_that_need_training_are_trained(home, word_vectors, monkeypatch):
    (sample,) = resolve_datasets("sample")
    reify = replace(sample.partitions["reify"], pairs={"dev": 24, "test": 64})
    sample = replace(sample, partitions={**sample.partitions, "reify": reify})
    cells, weights = chosen_cells([sample], "main,reify", "test", 2), {":arg0": 0.5}
    monkeypatch.setattr(
        "bamboo.training.fit.learn",
        lambda trainings, *_: dict.fromkeys(trainings, SimpleNamespace(values=weights)),
    )
    rows = [build_named_row("smatch", "smatch"), build_named_row("theta", "wwlk_theta")]
    trained = train_rows(rows, cells, Cache(home), Settings())
    assert [trained["smatch", cell] for cell in cells] == [rows[0]] * 2
    assert [trained["theta", cell].learned for cell in cells] == [weights] * 2
    protocol = Protocol("paper", {"main": "pearson", "reify": "pearson"}, None)
    results, _ = run(rows, cells, protocol, Cache(home), Settings())
    assert "sample reify has no released train split: trained on that of main." in results.notes


def test_published_values_are_of_the_released_files(tmp_path):
    """Correlations of Smatch on STS as in the paper's Table 4."""
    (dataset,) = resolve_datasets("sts")
    arg = tmp_path / "sts" / dataset.partitions["arg"].folder
    arg.mkdir(parents=True)
    (arg / "src.test.amr").touch()
    row, paper = build_named_row("smatch", "smatch"), resolve_protocol("paper", None)
    lines = [
        find_published_values(row, chosen_cells([some], "main,arg", "test"), paper)
        for some in (dataset, dataset.with_built(tmp_path, ["arg"], "test"))
    ]
    assert [line.values for line in lines] == [
        {"main_sts": 58.45, "arg_sts": 48.05},
        {"main_sts": 58.45},
    ]
    assert "the released partition" in " ".join(lines[1].notes)


class TestEngines:
    def test_loky_equals_serial(self, user, tiny, home):
        data = [f"other{k}" for k in range(3)]
        for k, name in enumerate(data):
            user.data(name, [2, 1, 3 + k], [1, 0, 1])
        options = {"cache": "off", "ci": True}
        by_engine = [
            user.run(
                ["smatch", "size"], ["tiny", *data], engine=engine, out=home / engine, **options
            )
            for engine in ("serial", "loky")
        ]
        serial, loky = (without_seconds(results.to_json()) for results in by_engine)
        assert loky == serial
        tables = [(home / engine / "scores.csv").read_bytes() for engine in ("serial", "loky")]
        assert tables[0] == tables[1]

    @pytest.mark.parametrize("engine", ["serial", "loky"])
    def test_an_error_in_a_worker_process_is_reported_as_usual(self, user, tiny, engine):
        user.metric("refusing", "Refusing")
        error = "^refusing on tiny main test: pair 0: one node is too few$"
        with pytest.raises(MetricError, match=error):
            user.run("refusing", engine=engine)


class TestIntervals:
    def test_they_are_seeded(self, home, monkeypatch):
        monkeypatch.setattr("bamboo.statistics.sample.FEW", 2)  # bootstrap, not jackknife

        def interval(**more):
            results = bamboo.run("sema", "sample", ci=True, resamples=200, **more)
            (row,) = results.board.scores
            assert row.low < row.value < row.high
            return row.interval

        assert interval() == interval(cache="refresh") == interval(seed=0)
        assert interval() != interval(seed=1)
        assert interval() != interval(protocol="spearman")

    def test_they_are_in_the_table_when_asked_for(self, user, tiny):
        assert "95 %" not in str(user.run("size"))
        text = str(user.run("size", ci=True))
        assert "95 %" in text
        assert " .. " in text

    def test_by_hand(self, user):
        sizes, ratings = range(1, 11), [0.4, 0.9, 0.1, 0.6, 0.3, 0.8, 0.2, 0.5, 0.7, 0.3]
        user.data("noise", sizes, ratings)
        (row,) = user.run("size", "noise", ci=True).board.scores
        pairs = np.array([sizes, ratings])
        others = [stats.pearsonr(*np.delete(pairs, k, 1)).statistic for k in range(10)]
        half = stats.t.ppf(0.975, 9) * np.sqrt(9 * np.var(others))
        value = stats.pearsonr(*pairs).statistic
        assert row.interval == pytest.approx((100 * (value - half), 100 * (value + half)))

    def test_of_pair_accuracy(self, user, monkeypatch):
        monkeypatch.setattr("bamboo.statistics.sample.FEW", 2)  # bootstrap, not jackknife
        user.data("pairs", [1, 2, 2, 1, 1, 3, 2, 2], [0], ("arg",))
        options = {"partition": "arg", "protocol": "v0.2", "ci": True, "resample": "pairs"}
        (row,) = user.run("size", "pairs", **options).board.scores
        assert row.value == 100 * 2 / 4  # right, wrong, right, tie
        assert {row.low, row.high} <= {0.0, 25.0, 50.0, 75.0, 100.0}
        assert row.low < 50 < row.high


def test_the_same_run_and_scores_of_the_cache_give_the_same_tables(user, tiny):
    first, again, cached = (user.run(ci=True, cache=use) for use in ("use", "refresh", "use"))
    for form in (str, Results.to_latex):
        text, second, third = map(form, (first, again, cached))
        assert "0 of 1 cells from cache" in text
        assert second == text
        assert third == text.replace("0 of 1 cells", "1 of 1 cells")


class TestBenchmark:
    """The real data; figures of exact Smatch, each pair proven."""

    def test_sts(self, cli, mirror):
        document = cli("run", "metric=smatch", "data=sts", "report=json").json
        (row,) = document["rows"]
        (cell,) = row["cells"]
        assert cell["value"] == pytest.approx(58.52, abs=0.05)
        assert cell["published"] == 58.45
        assert (cell["n"], cell["missing"], cell["unproven"]) == (1379, 0, 0)
        # Published means belong to complete rows.
        assert (row["published_amean"], row["published_hmean"]) == (None, None)
        assert row["amean"] is None

    def test_role_confusion(self, cli, mirror):
        arguments = ("run", "data=[sts,sick]", "partition=arg", "report=json")
        by_accuracy = cli(*arguments, "protocol=v0.2").json["rows"][0]["cells"]
        assert [cell["value"] for cell in by_accuracy] == pytest.approx([89.87, 98.32], abs=0.05)
        by_pearson = cli(*arguments).json["rows"][0]["cells"]
        assert [cell["value"] for cell in by_pearson] == pytest.approx([48.05, 70.54], abs=0.05)
        assert [cell["n"] for cell in by_pearson] == [158, 238]

    def test_nothing_is_published_of_other_splits(self, cli, mirror):
        document = cli("run", "data=sts", "partition=arg", "split=dev", "report=json").json
        (row,) = document["rows"]
        assert row["cells"][0]["published"] is None
        assert (row["published_amean"], row["published_hmean"]) == (None, None)

    @pytest.mark.slow
    def test_all_twelve_cells(self, cli, mirror):
        expected = {
            "paper": [
                *(58.52, 59.72, 41.36, 57.95, 61.80, 39.66),
                *(56.23, 57.38, 39.61, 48.05, 70.54, 24.72),
            ],
            "v0.2": [
                *(58.52, 59.72, 41.36, 57.95, 61.80, 39.66),
                *(56.23, 57.38, 39.61, 89.87, 98.32, 88.31),
            ],
        }
        means = {"paper": 51.30, "v0.2": 62.39}
        for protocol, values in expected.items():
            document = cli(
                "run", "data=all", "partition=all", f"protocol={protocol}", "report=json"
            ).json
            (row,) = document["rows"]
            assert [cell["value"] for cell in row["cells"]] == pytest.approx(values, abs=0.05)
            assert all(cell["unproven"] == 0 for cell in row["cells"])
            assert row["amean"] == pytest.approx(means[protocol], abs=0.05)
            if protocol == "paper":
                assert row["hmean"] == pytest.approx(47.51, abs=0.05)
