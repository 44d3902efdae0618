"""Metrics on cells: scored once, held against the ratings, written down."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from harness import Command, UserFolder, amr
from scipy import stats

from bamboo.cli.session import Session, known_protocols
from bamboo.config.jobs import compose_metrics
from bamboo.config.request import read_request
from bamboo.running.cache import Cache
from bamboo.running.runner import CacheUse, Settings, run
from metrics.version import VERSION

SIZES, RATINGS = [1, 2, 3, 5], [0, 0.5, 0.25, 1]

Refused = Callable[..., str]


def the_run(home: Path) -> Path:
    """The folder of the only run."""
    (folder,) = [path for path in (home / "runs").iterdir() if path.name != "cache"]
    return folder


def scores(folder: Path) -> list[dict[str, str]]:
    with (folder / "scores.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def without_seconds(result: Any) -> Any:
    """A result without what differs from run to run."""
    for row in result["rows"]:
        for cell in row["cells"]:
            assert cell.pop("seconds") >= 0
    return result


def test_a_cell_by_hand(cli: Command, user: UserFolder, tiny: Path) -> None:
    found = cli("run", "metric=size", "data=tiny", "report=json", user.option).json
    (row,) = found["rows"]
    (cell,) = row["cells"]
    assert cell["value"] == pytest.approx(100 * stats.pearsonr(SIZES, RATINGS).statistic)
    assert (cell["dataset"], cell["partition"], cell["split"]) == ("tiny", "main", "test")
    assert (cell["statistic"], cell["n"], cell["missing"]) == ("pearson", 4, 0)
    assert cell["published"] is None
    assert (row["metric"], row["amean"], row["hmean"]) == ("size", None, None)
    assert found["protocol"] == "paper"
    assert found["problems"] == []


def test_the_files_that_a_run_writes(
    cli: Command, user: UserFolder, tiny: Path, home: Path
) -> None:
    outcome = cli("run", "metric=size", "data=tiny", "report=json", user.option)
    folder = the_run(home)
    assert re.fullmatch("run-size-tiny-main-[0-9a-f]{8}", folder.name)
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.yaml",
        "result.json",
        "scores.csv",
    ]
    written = json.loads((folder / "result.json").read_text())
    provenance = written.pop("provenance")
    assert written == outcome.json
    assert provenance["command"].startswith("python -m bamboo run metric=size data=tiny")
    assert provenance["version"] == VERSION
    assert {"numpy", "penman"} < set(provenance["packages"])
    assert list(provenance["data"]) == ["tiny main test"]
    assert datetime.fromisoformat(provenance["date"]).tzinfo is not None
    config = yaml.safe_load((folder / "config.yaml").read_text())
    assert config["metric"] == {"size": {"_target_": "harness_plugins.Size", "factor": 1.0}}
    assert config["data"]["tiny"]["root"] == str(tiny)
    assert (config["split"], config["protocol"]["name"]) == ("test", "paper")
    assert (folder / "scores.csv").read_text() == (
        "metric,dataset,partition,split,pair,score,rating\n"
        "size,tiny,main,test,0,1.0,0.0\n"
        "size,tiny,main,test,1,2.0,0.5\n"
        "size,tiny,main,test,2,3.0,0.25\n"
        "size,tiny,main,test,3,5.0,1.0\n"
    )


def test_alignment_metrics_write_bounds_and_optimality(cli: Command, home: Path) -> None:
    # Without search some of the sample's pairs stay open.
    arguments = ["run", "data=sample", "solver.node_limit=0", "solver.root_rounds=1"]
    outcome = cli(*arguments)
    rows = scores(the_run(home))
    assert list(rows[0])[-3:] == ["matches", "upper_bound", "optimal"]
    assert {row["optimal"] for row in rows} == {"True", "False"}
    for row in rows:
        matches, bound = float(row["matches"]), float(row["upper_bound"])
        assert (matches == bound) if row["optimal"] == "True" else (matches < bound)
    unproven = sum(row["optimal"] == "False" for row in rows)
    assert f"{unproven} of 64 alignments are NOT proven optimal" in outcome.out
    cell = cli(*arguments, "report=json").json["rows"][0]["cells"][0]
    assert cell["unproven"] == unproven
    assert "all 64 alignments are proven optimal" in cli("run", "data=sample").out


def test_rows_of_a_sweep(cli: Command) -> None:
    found = cli("run", "data=sample", "metric.root=concept,none", "report=json").json
    first, second = found["rows"]
    assert first["metric"] == "smatch"
    assert second["metric"] == "smatch root=none"
    assert "root=concept" in first["signature"]
    assert "root=none" in second["signature"]
    plain = cli("run", "data=sample", "report=json").json["rows"][0]
    assert first["signature"] == plain["signature"]
    # Its scores are found again under their signature.
    assert (first["cells"][0].pop("cached"), plain["cells"][0].pop("cached")) == (False, True)
    assert first["cells"] == plain["cells"]
    assert second["cells"][0]["value"] != first["cells"][0]["value"]


def test_several_metrics_and_data_sets(cli: Command, user: UserFolder, tiny: Path) -> None:
    user.data("other", [2, 1, 3], [1, 0, 1], ("main", "syno"))
    found = cli(
        *("run", "metric=[smatch,size]", "data=[other,tiny]", "report=json", user.option)
    ).json
    assert [row["metric"] for row in found["rows"]] == ["smatch", "size"]
    for row in found["rows"]:
        places = [(cell["dataset"], cell["partition"]) for cell in row["cells"]]
        assert places == [("other", "main"), ("tiny", "main")]


def test_partitions(cli: Command, refused: Refused, user: UserFolder) -> None:
    user.data("other", [2, 1, 3], [1, 0, 1], ("main", "syno"))
    arguments = ("run", "metric=size", "data=other", "report=json", user.option)
    found = cli(*arguments, "partition=[syno,main]").json
    assert [cell["partition"] for cell in found["rows"][0]["cells"]] == ["main", "syno"]
    assert "unknown partition of other 'reify'" in refused(*arguments, "partition=reify")
    found = cli(*arguments, "partition=all").json  # all there are
    assert [cell["partition"] for cell in found["rows"][0]["cells"]] == ["main", "syno"]


def test_options_by_data_set(cli: Command, user: UserFolder, tiny: Path, home: Path) -> None:
    user.data("other", [2, 1, 3], [1, 0, 1])
    user.metric("two", "Size", by_data={"other": {"factor": 10.0}})
    found = cli("run", "metric=two", "data=[tiny,other]", "report=json", user.option).json
    assert [row["score"] for row in scores(the_run(home))] == [
        *("1.0", "2.0", "3.0", "5.0"),
        *("20.0", "10.0", "30.0"),
    ]
    signature = found["rows"][0]["signature"]
    assert "factor=1.0" in signature
    assert "factor=10.0" in signature


class TestCache:
    @pytest.fixture
    def log(self, user: UserFolder, tiny: Path, home: Path) -> Path:
        """``metric=logged``, and the file in which it leaves a line for each cell it scores."""
        files = {"log": str(home / "log"), "fuse": str(home / "fuse")}
        user.metric("logged", "Logged", factor=1.0, **files)
        return home / "log"

    def test_a_cell_is_scored_only_once(self, cli: Command, user: UserFolder, log: Path) -> None:
        arguments = ["run", "metric=logged", "data=tiny", "report=json", user.option]
        first = cli(*arguments)
        second = cli(*arguments)
        assert log.read_text() == "4\n"
        assert second.result == first.result  # seconds and all
        assert first.json["cache"] == {"cells": 1, "from_cache": 0}
        assert second.json["cache"] == {"cells": 1, "from_cache": 1}
        cli(*arguments, "cache=refresh")
        assert log.read_text() == "4\n" * 2
        cli(*arguments, "cache=off")
        assert log.read_text() == "4\n" * 3
        cli(*arguments)
        assert log.read_text() == "4\n" * 3

    @pytest.mark.parametrize("use", ["off", "refresh", "use"])
    def test_equal_metrics_are_scored_once_in_a_command(
        self,
        user: UserFolder,
        log: Path,
        tiny: Path,
        home: Path,
        monkeypatch: pytest.MonkeyPatch,
        use: CacheUse,
    ) -> None:
        monkeypatch.syspath_prepend(user.path)
        arguments = ["metric=logged", "data=tiny"]
        session = Session(read_request("run", arguments, str(user.path)))
        options = [("one", 1.0), ("two", 1.0), ("three", 2.0)]
        rows = [(name, "logged", {"factor": factor}) for name, factor in options]
        jobs = compose_metrics(rows, str(user.path))
        cache, settings = Cache(home / "cache"), Settings(cache=use)
        for some in (jobs, jobs[1:]):
            result, scored = run(
                some, session.cells("main", "test"), known_protocols()[0], cache, settings
            )
            assert [row.metric for row in result.rows] == [job.name for job in some]
            assert [name for name, _ in scored] == [job.name for job in some]
        assert log.read_text() == "4\n" * 2

    def test_off_writes_nothing(self, cli: Command, home: Path) -> None:
        assert cli("run", "data=sample", "cache=off").status == 0
        assert not (home / "runs/cache").exists()

    def test_other_options_or_data_are_scored_again(
        self, cli: Command, user: UserFolder, log: Path, tiny: Path
    ) -> None:
        arguments = ["run", "metric=logged", "data=tiny", user.option]
        cli(*arguments)
        cli(*arguments, "metric.factor=2")
        assert log.read_text() == "4\n" * 2
        cli(*arguments, "protocol=spearman", "ci=true")  # the same scores, read differently
        assert log.read_text() == "4\n" * 2
        (tiny / "test.y").write_text("1\n0\n0\n0\n")
        cli(*arguments)
        assert log.read_text() == "4\n" * 3

    def test_ctrl_c_keeps_completed_cells(
        self, cli: Command, user: UserFolder, log: Path, home: Path
    ) -> None:
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
        again = cli(*arguments, "report=json")
        assert log.read_text() == "4\n3\n"
        assert [cell["n"] for cell in again.json["rows"][0]["cells"]] == [4, 3]

    def test_ctrl_c_without_a_cache_does_not_mention_it(
        self, cli: Command, user: UserFolder, log: Path, home: Path
    ) -> None:
        (home / "fuse").write_text("0")
        outcome = cli("run", "metric=logged", "data=tiny", "cache=off", user.option)
        assert outcome.status == 130
        assert outcome.err == "interrupted: 0 of 1 cells are scored\n"

    def test_a_cache_that_cannot_be_written_to(
        self, refused: Refused, user: UserFolder, log: Path, home: Path
    ) -> None:
        (home / "runs").mkdir()
        (home / "runs/cache").write_text("a file where a folder is needed")
        error = refused("run", "metric=logged", "data=tiny", user.option)
        assert f"cannot cache results in {home}/runs/cache" in error


class TestEngines:
    def test_loky_equals_serial(
        self, cli: Command, user: UserFolder, tiny: Path, home: Path
    ) -> None:
        for k in range(3):
            user.data(f"other{k}", [2, 1, 3 + k], [1, 0, 1])
        arguments = ("run", "metric=[smatch,size]", "data=[tiny,other0,other1,other2]")
        found = {}
        for engine in ("serial", "loky"):
            outcome = cli(
                *(*arguments, f"engine={engine}", "report=json", user.option),
                *(f"out={engine}", "cache=off", "ci=true", "resamples=20"),
            )
            assert outcome.status == 0, outcome.err
            found[engine] = without_seconds(outcome.json)
        assert found["loky"] == found["serial"]
        tables = [(home / engine / "scores.csv").read_bytes() for engine in ("serial", "loky")]
        assert tables[0] == tables[1]

    def test_an_error_in_a_worker_process_is_reported_as_usual(
        self, refused: Refused, user: UserFolder, tiny: Path
    ) -> None:
        user.metric("refusing", "Refusing")
        arguments = ("run", "metric=refusing", "data=tiny", user.option)
        serial = refused(*arguments)
        assert serial == "refusing on tiny main test: pair 0: one node is too few"
        assert refused(*arguments, "engine=loky") == serial


class TestMissing:
    def test_a_pair_that_cannot_be_scored_is_named_by_its_benchmark_number(
        self, refused: Refused, user: UserFolder
    ) -> None:
        user.metric("refusing", "Refusing")
        root = user.data("headed", [3, 2, 1, 4], [0, 0, 1, 0], header=["h", "h"])
        for side in ("src", "tgt"):
            path = root / f"main/{side}.test.amr"
            path.write_text(f"# ::snt h\n{path.read_text()}")
        error = refused(
            *("run", "metric=refusing", "data=headed", user.option),
            "data.partitions.main.pairs.test=3",
        )
        assert error == "refusing on headed main test: pair 2: one node is too few"

    def test_missing_pairs_are_counted_listed_and_reported(
        self, cli: Command, user: UserFolder, tiny: Path, home: Path
    ) -> None:
        user.metric("refusing", "Refusing")
        path = tiny / "main/src.test.amr"
        path.write_text(path.read_text().replace(amr(3), amr(3).replace(")))", "))")))
        arguments = ("run", "metric=refusing", "data=tiny", "on_error=nan", user.option)
        outcome = cli(*arguments)
        note = "refusing tiny main: 2 pairs are missing, and pearson is computed from the other 2; "
        assert f"\n{note}result.json lists them." in outcome.out
        assert f"warning: {note}" in outcome.err
        found = cli(*arguments, "report=json").json
        (cell,) = found["rows"][0]["cells"]
        assert (cell["n"], cell["missing"]) == (2, 2)
        assert cell["value"] == pytest.approx(100)  # two pairs always correlate
        first, second = found["problems"]
        assert (first["pair"], first["reason"]) == (0, "one node is too few")
        assert (second["pair"], second["metric"], second["split"]) == (2, "refusing", "test")
        assert (second["file"], second["line"]) == (str(path), 5)
        assert second["reason"].startswith("unbalanced")
        assert {first["counted_as"], second["counted_as"]} == {"missing"}

    def test_with_zero_they_score_zero_and_are_counted(
        self, cli: Command, user: UserFolder, tiny: Path, home: Path
    ) -> None:
        user.metric("refusing", "Refusing")
        path = tiny / "main/src.test.amr"
        path.write_text(path.read_text().replace(amr(3), amr(3).replace(")))", "))")))
        arguments = ("run", "metric=refusing", "data=tiny", "on_error=zero", user.option)
        outcome = cli(*arguments)
        note = "refusing tiny main: 2 pairs are counted as 0 because of graphs that could not"
        assert f"\n{note}" in outcome.out
        assert f"warning: {note}" in outcome.err
        assert [row["score"] for row in scores(the_run(home))] == ["0.0", "2.0", "0.0", "5.0"]
        for _ in range(2):  # computed, and from the cache
            found = cli(*arguments, "report=json").json
            (cell,) = found["rows"][0]["cells"]
            assert (cell["n"], cell["missing"], cell["empty"]) == (4, 0, 2)
            expected = stats.pearsonr([0, 2, 0, 5], RATINGS).statistic
            assert cell["value"] == pytest.approx(100 * expected)
            assert [one["counted_as"] for one in found["problems"]] == ["empty", "empty"]
            assert found["problems"][1]["line"] == 5

    def test_with_zero_a_pair_without_gold_graph_is_missing(
        self, cli: Command, tiny: Path, user: UserFolder
    ) -> None:
        path = tiny / "main/tgt.test.amr"
        path.write_text(path.read_text().replace(")", "", 1))
        found = cli(
            *("run", "metric=smatch", "data=tiny", "on_error=zero", "report=json", user.option)
        ).json
        (cell,) = found["rows"][0]["cells"]
        assert (cell["n"], cell["missing"]) == (3, 1)
        assert "empty" not in cell
        assert [one["counted_as"] for one in found["problems"]] == ["missing"]

    def test_missing_pairs_are_nan_in_the_scores(
        self, cli: Command, user: UserFolder, tiny: Path, home: Path
    ) -> None:
        user.metric("refusing", "Refusing")
        cli("run", "metric=refusing", "data=tiny", "on_error=nan", user.option)
        assert [row["score"] for row in scores(the_run(home))] == ["nan", "2.0", "3.0", "5.0"]

    def test_pair_accuracy_needs_the_scores_of_both_pairs(
        self, cli: Command, user: UserFolder
    ) -> None:
        user.metric("refusing", "Refusing")
        # Couples: refused and fine; right; tie.
        user.data("pairs", [1, 5, 2, 3, 4, 4], [0], ("arg",))
        found = cli(
            *("run", "metric=refusing", "data=pairs", "partition=arg", "protocol=v0.2"),
            *("on_error=nan", "report=json", user.option),
        ).json
        (cell,) = found["rows"][0]["cells"]
        assert (cell["statistic"], cell["value"]) == ("pair_accuracy", 100 * 1 / 2)
        assert (cell["n"], cell["missing"]) == (4, 1)

    def test_no_scores_left(self, cli: Command, user: UserFolder) -> None:
        user.metric("refusing", "Refusing")
        user.data("ones", [1, 1, 1], [0, 0.5, 1])
        arguments = ("run", "metric=refusing", "data=ones", "on_error=nan", "ci=true", user.option)
        (cell,) = cli(*arguments, "report=json").json["rows"][0]["cells"]
        assert (cell["value"], cell["n"], cell["missing"]) == (None, 0, 3)
        assert "interval" not in cell
        assert "no pearson: fewer than two pairs" in cli(*arguments).out


def test_constant_scores_have_no_correlation(cli: Command, user: UserFolder, tiny: Path) -> None:
    user.metric("constant", "Constant")
    arguments = ("run", "metric=constant", "data=tiny", "ci=true", user.option)
    outcome = cli(*arguments, "report=json")
    assert "NaN" not in outcome.out
    (cell,) = outcome.json["rows"][0]["cells"]
    assert cell["value"] is None
    assert "interval" not in cell
    assert "no pearson: scores or ratings are all the same" in cli(*arguments).out


class TestIntervals:
    def test_they_are_seeded(self, cli: Command) -> None:
        def interval(*more: str) -> list[float]:
            outcome = cli("run", "data=sample", "ci=true", "resamples=200", "report=json", *more)
            (cell,) = outcome.json["rows"][0]["cells"]
            low, high = cell["interval"]
            assert low < cell["value"] < high
            return [low, high]

        assert interval() == interval("cache=refresh") == interval("seed=0")
        assert interval() != interval("seed=1")
        assert interval() != interval("protocol=spearman")

    def test_they_are_in_the_table_when_asked_for(self, cli: Command) -> None:
        assert "95 %" not in cli("run", "data=sample").out
        text = cli("run", "data=sample", "ci=true", "resamples=50").out
        assert "95 %" in text
        assert " .. " in text

    def test_of_pair_accuracy(self, cli: Command, user: UserFolder) -> None:
        user.data("pairs", [1, 2, 2, 1, 1, 3, 2, 2], [0], ("arg",))
        (cell,) = cli(
            *("run", "metric=size", "data=pairs", "partition=arg", "protocol=v0.2"),
            *("ci=true", "report=json", user.option),
        ).json["rows"][0]["cells"]
        assert cell["value"] == 100 * 2 / 4  # right, wrong, right, tie
        low, high = cell["interval"]
        assert {low, high} <= {0.0, 25.0, 50.0, 75.0, 100.0}
        assert low < 50 < high


class TestFolders:
    def test_the_same_command_replaces_its_folder(self, cli: Command, home: Path) -> None:
        for cache in ("use", "use", "off"):
            assert cli("run", "data=sample", f"cache={cache}").status == 0
        assert cli("run", "data=sample", "metric.root=none").status == 0
        names = sorted(path.name for path in (home / "runs").iterdir() if path.name != "cache")
        assert [name.rpartition("-")[0] for name in names] == [
            "run-smatch-sample-main",
            "run-smatch_root-none-sample-main",
        ]

    def test_other_numbers_do_not_replace_a_folder(
        self, cli: Command, user: UserFolder, tiny: Path, home: Path
    ) -> None:
        command = ("run", "metric=size", "data=tiny", user.option)
        assert cli(*command).status == 0
        first = the_run(home)
        before = (first / "result.json").read_text()
        (tiny / "test.y").write_text("1\n0.5\n0.25\n0\n")
        assert f"written: {first}-2" in cli(*command).err
        assert (first / "result.json").read_text() == before
        assert f"written: {first}-2" in cli(*command).err  # and not a third one

    def test_names_are_safe_for_shells(self, cli: Command, home: Path) -> None:
        options = ("metric.standardize=[unquote,fold_domain]", "metric.root=concept,none")
        assert cli("run", "data=sample", *options).status == 0
        assert re.fullmatch(r"[A-Za-z0-9._-]+", the_run(home).name)

    def test_a_failed_run_leaves_no_folder(self, refused: Refused, home: Path) -> None:
        refused("run", "data=sample", "data.scale=[1,2]")
        assert [path.name for path in (home / "runs").iterdir()] == []

    @pytest.mark.parametrize("name", ["some where/else", "${x}", "${", "a=b,c"])
    def test_an_own_folder_of_judgements(self, cli: Command, home: Path, name: str) -> None:
        assert cli("run", "data=sample", f"out={name}").status == 0
        assert (home / name / "result.json").is_file()
        assert yaml.safe_load((home / name / "config.yaml").read_text())["out"] == name

    @pytest.mark.parametrize("option", ["out=file/x", "out=file", "paths.runs=file"])
    def test_a_folder_that_cannot_be_written_to(
        self, refused: Refused, home: Path, option: str
    ) -> None:
        (home / "file").write_text("a file where a folder is needed")
        error = refused("run", "data=sample", option)
        assert "cannot write to file" in error
        assert "out=FOLDER" in error

    def test_a_full_disk_at_the_start_leaves_nothing(
        self, refused: Refused, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(path: Path, text: str) -> None:
            raise OSError(28, "No space left on device", str(path))

        monkeypatch.setattr("bamboo.running.run_folder.write_text", full)
        error = refused("run", "data=sample")
        assert re.search(r"cannot write to .*config\.yaml: No space left on device", error)
        assert list((home / "runs").iterdir()) == []

    def test_a_file_that_cannot_be_written_at_the_end(self, refused: Refused, home: Path) -> None:
        (home / "x/result.json").mkdir(parents=True)
        assert "Is a directory: 'x/result.json'" in refused("run", "data=sample", "out=x")


@pytest.mark.parametrize("report", ["table", "csv", "markdown", "latex"])
def test_the_same_command_gives_the_same_bytes(cli: Command, report: str) -> None:
    arguments = ("run", "data=sample", f"report={report}", "ci=true", "resamples=20")
    first = cli(*arguments)
    assert first.status == 0
    assert first.numbers == cli(*arguments).numbers
    assert first.out == cli(*arguments, "cache=off").out


BAD = [
    ("metric=smacth", "unknown metric 'smacth': did you mean 'smatch'?"),
    ("data=smaple", "unknown data 'smaple': did you mean 'sample'?"),
    ("partition=mian", "unknown partition of sample 'mian': did you mean 'main'?"),
    ("split=tset", "unknown split of sample main 'tset': did you mean 'test'?"),
    ("report=tabel", "unknown report 'tabel': did you mean 'table'?"),
    ("protocol=papr", "unknown protocol 'papr': did you mean 'paper'?"),
    ("solver=exat", "unknown solver 'exat': did you mean 'exact'?"),
    ("engine=lok", "unknown engine 'lok': did you mean 'loky'?"),
    ("cache=us", "unknown cache 'us': did you mean 'use'?"),
    ("on_error=stp", "unknown on_error 'stp': did you mean 'stop'?"),
    ("metric.rot=none", "unknown option of metric 'rot': did you mean 'root'?"),
    ("metric.root=conept", "unknown root 'conept': did you mean 'concept'?"),
    ("sede=1", "unknown option 'sede': did you mean 'seed'?"),
    ("+sede=1", "unknown option 'sede': did you mean 'seed'?"),
    ("ci=maybe", 'ci="maybe": expected true or false'),
    ("resamples=0", "resamples=0: use 1 or more"),
    ("resamples=abc", 'resamples="abc": expected an integer'),
    ("seed=-1", "seed=-1: use 0 or more"),
    ("seed=null", "seed=null: expected an integer"),
    ("engine.jobs=0", "engine.jobs=0: use 1 or more, or -1"),
    ("engine.jobs=two", 'engine.jobs="two": expected an integer'),
    ("partition=5", "partition=5: expected a string or a list"),
    ("resamples=10,20", "write a list as resamples=[10,20]"),
    ("split=[test,dev]", 'split=["test", "dev"]: expected a string'),
    ("solver.node_limit=abc", 'solver.node_limit="abc": expected an integer'),
    ("metric.solver.node_limit=9", "set solver.node_limit=..."),
    ("metric.solver=foo", 'solver="foo": expected the options of Solver'),
    ("data.root=[a]", 'data.root=["a"]: expected a path'),
    ("data.root=/no/where", "/no/where/main/src.test.amr: No such file"),
    ("data.root=/dev/null", "/dev/null/main/src.test.amr: Not a directory"),
    ("data.scale=5", "data.scale=5: expected a list"),
    ("data.scale=[1,2]", "test.y, pair 0, line 1: 0.6 is not on the scale from 1 to 2"),
    ("data.partitions.main.pairs.test=3", "sample main test has 64 pairs, expected 3"),
    ("data.header=[a,b]", "src.test.amr, graph 0: expected the graph of 'a'"),
    ("data.trailer=x", "src.test.amr, graph 63: expected the graph of 'x'"),
    ("data.registry=none.txt", "none.txt"),
    ("protocol.statistic.main=pearsn", "unknown statistic 'pearsn': did you mean 'pearson'?"),
    ("protocol.statistic.main=pair_accuracy", "sample main test has no such pairs"),
    ("protocol.published.file=none.csv", "unknown file of published values 'none.csv'"),
    ("protocol.published=table4.csv", 'protocol.published="table4.csv": expected the options of'),
    ("paths=3", "`paths` is not a container"),
    ("data", "'data' is not of the form key=value: see run --help"),
]


@pytest.mark.parametrize(("argument", "message"), BAD)
def test_bad_requests(refused: Refused, argument: str, message: str) -> None:
    assert message in refused("run", "data=sample", argument)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("main/src.test.amr", b"", "contains no graph"),
        ("main/src.test.amr", b"\xff\xfe(\0a\0", "is UTF-16, not UTF-8"),
        ("main/tgt.test.amr", b"(a / b)\n\n(a / \xff)\n", "line 3: byte 0xff is not UTF-8"),
        ("main/tgt.test.amr", b"(a / b)\n", "has 1: pair 1 has only one side"),
        ("main/tgt.test.amr", b"(a / b)\n\n(a / b\n", "graph 1, line 3: unbalanced parentheses"),
        ("test.y", b"0\n1\n0\n", "has 3 ratings for 4 pairs"),
        ("test.y", b"0\n1\nx\n0\n", "pair 2, line 3: 'x' is not a number"),
        ("test.y", b"0\n1\n1.5\n0\n", "pair 2, line 3: 1.5 is not on the scale"),
    ],
)
def test_bad_files(
    refused: Refused, user: UserFolder, tiny: Path, file: str, content: bytes, message: str
) -> None:
    (tiny / file).write_bytes(content)
    error = refused("run", "metric=size", "data=tiny", user.option)
    assert str(tiny / file) in error
    assert message in error


def test_a_metric_that_breaks_its_contract(refused: Refused, user: UserFolder, tiny: Path) -> None:
    user.metric("listed", "Listed")
    error = refused("run", "metric=listed", "data=tiny", user.option)
    assert error.startswith("listed on tiny main test: expected a one-dimensional float")


class TestBenchmark:
    """The real data; figures of exact Smatch, each pair proven."""

    def test_sts(self, cli: Command, mirror: Path) -> None:
        found = cli("run", "metric=smatch", "data=sts", "report=json").json
        (row,) = found["rows"]
        (cell,) = row["cells"]
        assert cell["value"] == pytest.approx(58.52, abs=0.05)
        assert cell["published"] == 58.45
        assert (cell["n"], cell["missing"], cell["unproven"]) == (1379, 0, 0)
        # Published means belong to complete rows.
        assert (row["published_amean"], row["published_hmean"]) == (None, None)
        assert row["amean"] is None

    def test_role_confusion(self, cli: Command, mirror: Path) -> None:
        arguments = ("run", "data=[sts,sick]", "partition=arg", "report=json")
        by_accuracy = cli(*arguments, "protocol=v0.2").json["rows"][0]["cells"]
        assert [cell["value"] for cell in by_accuracy] == pytest.approx([89.87, 98.32], abs=0.05)
        by_pearson = cli(*arguments).json["rows"][0]["cells"]
        assert [cell["value"] for cell in by_pearson] == pytest.approx([48.05, 70.54], abs=0.05)
        assert [cell["n"] for cell in by_pearson] == [158, 238]

    def test_nothing_is_published_of_other_splits(self, cli: Command, mirror: Path) -> None:
        found = cli("run", "data=sts", "partition=arg", "split=dev", "report=json").json
        (row,) = found["rows"]
        assert row["cells"][0]["published"] is None
        assert (row["published_amean"], row["published_hmean"]) == (None, None)

    @pytest.mark.slow
    def test_all_twelve_cells(self, cli: Command, mirror: Path) -> None:
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
            found = cli(
                "run", "data=all", "partition=all", f"protocol={protocol}", "report=json"
            ).json
            (row,) = found["rows"]
            assert [cell["value"] for cell in row["cells"]] == pytest.approx(values, abs=0.05)
            assert all(cell["unproven"] == 0 for cell in row["cells"])
            assert row["amean"] == pytest.approx(means[protocol], abs=0.05)
            if protocol == "paper":
                assert row["hmean"] == pytest.approx(47.51, abs=0.05)
