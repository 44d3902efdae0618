"""``score shards=FOLDER``: many files with one result."""

import csv
import json
import os
import shutil
from pathlib import Path

import pytest

from bamboo.engines.dask import close_connections
from bamboo.scoring.cache import Cache

SAMPLE = Path(__file__).parents[3] / "data" / "sample" / "main"
COUNTS = (12, 1, 9, 20)


@pytest.fixture
def shards(home):
    """The sample in four shards; gives the names."""
    for side in ("src", "tgt"):
        graphs = (SAMPLE / f"{side}.test.amr").read_text("utf-8").strip().split("\n\n")
        (home / side).mkdir()
        for k, count in enumerate(COUNTS):
            part, graphs = graphs[:count], graphs[count:]
            (home / side / f"part{k}.amr").write_text("\n\n".join(part) + "\n", "utf-8")
    return [f"00000{k}-part{k}.amr" for k in range(4)]


@pytest.fixture
def score(cli, home):
    def command(*options, status=0):
        outcome = cli("score", "src", "tgt", "shards=out", *options)
        assert outcome.status == status, outcome.err
        return outcome

    return command


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_result_is_that_of_all_pairs(shards, score, cli, home):
    found = score("report=json").json
    whole = cli("score", "src", "tgt", "report=json").json
    assert found["pairs"] == found["scored"] == sum(COUNTS)
    assert found["shards"] == 4
    for name, value in whole["corpus"].items():
        assert found["corpus"][name] == value
    rows = []
    for name in shards:
        with (home / "out" / f"{name}.csv").open(encoding="utf-8") as file:
            rows += list(csv.DictReader(file))
    assert [float(row["score"]) for row in rows] == whole["scores"]
    assert json.loads((home / "out" / "result.json").read_text())["corpus"] == found["corpus"]


def test_intervals_are_those_of_score(shards, score, cli):
    options = ("ci=true", "resamples=30", "report=json")
    assert (
        score(*options).json["intervals"] == cli("score", "src", "tgt", *options).json["intervals"]
    )


def test_only_what_is_not_finished_is_scored(shards, score, home):
    first = score("ci=true", "resamples=30")
    assert "0 of 4 shards were finished before" in first.err
    before = files(home / "out")
    again = score("ci=true", "resamples=30")
    assert "4 of 4 shards were finished before" in again.err
    assert (again.out, files(home / "out")) == (first.out, before)
    # Other intervals need no other scores.
    assert "4 of 4 shards were finished before" in score("ci=true", "resamples=20").err
    (home / "out" / f"{shards[1]}.csv").unlink()
    damaged = next((home / "runs/cache").rglob("*.npz"))
    damaged.write_bytes(damaged.read_bytes()[:-40])
    again = score("ci=true", "resamples=30")
    assert "3 of 4 shards were finished before" in again.err
    assert "are damaged" in again.err
    assert (again.out, files(home / "out")) == (first.out, before)


def test_other_data_and_other_options_are_scored_again(shards, score, home):
    score()
    file = home / "src" / "part3.amr"
    text = file.read_text("utf-8")
    file.write_text(text.replace(":ARG0", ":ARG1"), "utf-8")
    assert "3 of 4 shards were finished before" in score().err
    assert "0 of 4 shards were finished before" in score("metric=sema").err
    assert "0 of 4 shards were finished before" in score("metric=sema", "ids=ignore").err
    changed = files(home / "out")
    score("metric=sema", "on_error=nan")
    assert "4 of 4 shards were finished before" in score().err  # those of the first metric
    assert files(home / "out") != changed


def test_an_interrupted_command_goes_on(shards, score, home, monkeypatch):
    score()
    expected = files(home / "out")
    shutil.rmtree(home / "out")
    shutil.rmtree(home / "runs")
    left = [2]

    def interrupted(cache, *arguments):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        store(cache, *arguments)

    store = Cache.store
    with monkeypatch.context() as patch:
        patch.setattr(Cache, "store", interrupted)
        score(status=130)
    assert "2 of 4 shards were finished before" in score().err
    assert files(home / "out") == expected


def test_a_shard_that_cannot_be_read(shards, score, home):
    (home / "src" / "part1.amr").write_bytes(b"(a / \xff)\n")
    assert "src/part1.amr" in score(status=1).err
    outcome = score("on_error=nan", "report=json")
    assert "warning: the shard src/part1.amr is left out of every score" in outcome.err
    (failed,) = outcome.json["failed"]
    assert failed["src"] == "src/part1.amr"
    assert outcome.json["pairs"] == sum(COUNTS) - 1


def test_shards_of_different_lengths(shards, score, home):
    file = home / "tgt" / "part2.amr"
    file.write_text(file.read_text("utf-8") + "\n(d / dog)\n", "utf-8")
    error = score(status=1).err
    assert "src/part2.amr has 9 graphs but tgt/part2.amr has 10" in error
    assert score("on_error=zero", "report=json").json["failed"][0]["src"] == "src/part2.amr"


def test_different_numbers_of_files(shards, score, home):
    (home / "tgt" / "part2.amr").unlink()
    assert "src has 4 files but tgt has 3" in score(status=1).err


def test_parquet(shards, score, home):
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="needs the extra parquet: pip install -e '.[parquet]'"
    )
    (home / "src" / "part0.amr").write_text(
        (home / "src" / "part0.amr").read_text("utf-8").replace("(", "((", 1), "utf-8"
    )
    score("on_error=nan")
    score("on_error=nan", "shard_format=parquet")
    columns = set()
    for name in shards:
        table = parquet.read_table(home / "out" / f"{name}.parquet")
        columns.add(str(table.schema))
        with (home / "out" / f"{name}.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        expected = [None if not row["score"] else float(row["score"]) for row in rows]
        assert table["score"].to_pylist() == expected
        assert table["pair"].to_pylist() == [*range(len(rows))]
    assert len(columns) == 1


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ("worst=3", "shards=out cannot be combined with worst"),
        ("aspects=all", "shards=out cannot be combined with aspects"),
        ("per_pair=pairs.csv", "shards=out cannot be combined with per_pair"),
        ("pairs=all", "shards=out cannot be combined with pairs"),
        ("metric=[smatch,sema]", "shards: give exactly one metric"),
        ("shards=no/such/out", "there is no folder no/such"),
        ("shard_format=arrow", "shard_format"),
    ],
)
def test_options(shards, refused, option, error):
    options = [] if option.startswith("shards") else ["shards=out"]
    assert error in refused("score", "src", "tgt", *options, option)


@pytest.mark.slow
@pytest.mark.parametrize("engine", [["loky", "engine.jobs=2"], ["dask", "engine.jobs=2"]])
@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
def test_every_engine_writes_the_same_bytes(shards, score, home, engine):
    if engine[0] == "dask":
        pytest.importorskip("distributed", reason="needs the extra dask: pip install -e '.[dask]'")
    options = ["ci=true", "resamples=50", "report=json"]
    serial = score(*options)
    expected = files(home / "out")
    shutil.rmtree(home / "runs")
    os.rename(home / "out", home / "serial")
    found = score(*options, f"engine={engine[0]}", *engine[1:])
    close_connections()
    assert found.out == serial.out
    assert files(home / "out") == expected


def test_notes_on_files_are_printed(score, home):
    text = f"{'#' * 80}\n# :: snt1\tA cat.\n\n# sentence level graph:\n(s1c / cat)\n\n"
    for side in ("src", "tgt"):
        (home / side).mkdir()
        (home / side / "part1.umr").write_text(f"{text}# alignment:\ns1c: 1-1\n")
        (home / side / "README.md").write_text("not graphs\n")
    skipped = "only sentence graphs are read: the alignment of 1 sentence skipped"
    for _ in range(2):  # from the files of finished shards, too
        err = score("format=umr").err
        for side in ("src", "tgt"):
            assert f"{side}: 1 other file is not read, because its name does not end in" in err
            assert err.count(f"{side}/part1.umr: {skipped}") == 1
    assert "other file" not in score("format=umr", "quiet=true").err
