"""Lists of earlier runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness import Command

from bamboo.results.history import runs_table


def test_runs_are_listed_newest_first_with_their_command_and_scores(
    cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = tmp_path / "runs"
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(runs))
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
