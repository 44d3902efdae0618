"""Lists of earlier runs and of cached files, and the removal of old ones."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from harness import Command

from bamboo.results.history import DAY, cache_table, runs_table


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of runs with three cached files, of which one is 40 days old."""
    for name, days in {"cache/a1/new.npz": 0, "cache/b2/old.npz": 40, "weights/w.json": 1}.items():
        path = tmp_path / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 500_000)
        os.utime(path, (time.time() - days * DAY,) * 2)
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    return tmp_path / "runs"


def test_runs_are_listed_newest_first_with_their_command_and_scores(
    cli: Command, runs: Path
) -> None:
    cli("run", "metric=smatch,sema", "data=sample")
    (folder,) = runs.glob("run-*")
    os.utime(folder, (0, 0))
    broken = runs / "broken"
    broken.mkdir()
    (broken / "config.yaml").write_text("[")
    newest, oldest = runs_table(runs).rows
    assert newest[1].startswith("cannot be read: ")
    assert oldest[0].startswith(("1970-01-01", "1969-12-31"))
    assert oldest[1:] == (*("run metric=smatch,sema data=sample", oldest[2], folder.name),)
    smatch, sema = oldest[2].split(", ")
    assert smatch.startswith("smatch ")
    assert sema.startswith("sema ")
    assert "run metric=smatch,sema data=sample" in cli("list", "runs").out


def test_without_runs_the_list_is_empty(tmp_path: Path) -> None:
    assert runs_table(tmp_path / "none").rows == ()
    assert [row[2] for row in cache_table(tmp_path / "none").rows] == [0, 0, 0]


def test_old_files_are_removed_and_new_ones_kept(cli: Command, runs: Path) -> None:
    assert [row[2:4] for row in cache_table(runs).rows] == [(2, 1.0), (1, 0.5), (0, 0.0)]
    assert cli("clean").out.splitlines()[0] == (
        f"scores: removed 1 file (0.5 MB) from {runs / 'cache'}, 1 left"
    )
    cli("clean", "cache=weights", "older=0")
    assert [row[2] for row in cache_table(runs).rows] == [1, 0, 0]


def test_a_negative_age_is_refused(cli: Command) -> None:
    outcome = cli("clean", "older=-1")
    assert (outcome.status, outcome.err) == (1, "error: older=-1: expected 0 or more days\n")
