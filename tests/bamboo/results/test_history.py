"""Lists of earlier runs and of cached files, and the removal of old ones."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from harness import Command

from bamboo.results.history import runs_table


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of runs."""
    path = tmp_path / "runs"
    path.mkdir()
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(path))
    return path


def folder(runs: Path, name: str, config: str = "command: [run]", **files: object) -> None:
    (runs / name).mkdir()
    (runs / name / "config.yaml").write_text(config)
    for stem, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (runs / name / f"{stem}.json").write_text(text)
    os.utime(runs / name, (0, len(list(runs.iterdir()))))


def test_runs_are_listed_newest_first_with_their_command_and_scores(
    cli: Command, runs: Path
) -> None:
    cli("run", "metric=[smatch,sema]", "data=sample")
    (oldest,) = runs.glob("run/*")
    os.utime(oldest, (0, 0))
    low, high, undefined = {"value": 30}, {"value": 50}, {"value": None}
    cells = {"wlk": [high, undefined], "sema": [low], "smatch": [low, high]}
    metrics = [{"metric": name, "cells": values} for name, values in cells.items()]
    rows = {"rows": metrics, "provenance": {"command": "bamboo run"}}
    folder(runs, "means", result=rows)
    more = [*metrics, {"metric": "rematch", "cells": [{"value": 60}]}]
    folder(runs, "more", result={**rows, "rows": more})
    folder(runs, "tables", tables={"tables": [], "provenance": {"command": "bamboo tables"}})
    folder(runs, "training")
    folder(runs, ".partial-x")
    dates, *columns = zip(*runs_table(runs).rows, strict=True)
    assert dates[-1].startswith(("1970-01-01", "1969-12-31"))
    command = "run 'metric=[smatch,sema]' data=sample"
    assert columns[0] == (None, "bamboo tables", "bamboo run", "bamboo run", command)
    scores = columns[1]
    several = ("rematch 60.00, smatch 40.00, sema 30.00, and 1 more",)
    assert scores[:4] == (None, None, *several, "smatch 40.00, sema 30.00, wlk –")
    assert re.fullmatch(r"smatch \d\d\.\d\d, sema \d\d\.\d\d", scores[4])
    assert columns[2] == ("training", "tables", "more", "means", f"run/{oldest.name}")
    assert command in cli("list", "runs").out


@pytest.mark.parametrize(
    "result",
    [
        "[",
        [],
        {"rows": {}},
        {"rows": [1]},
        {"rows": [{"metric": "a", "cells": []}]},
        {"rows": [{"metric": [], "cells": [{"value": 1}]}]},
        {"rows": [{"metric": "a", "cells": [{"value": "1"}]}]},
        {"rows": [], "provenance": {"command": ["run"]}},
        {"rows": [], "provenance": None},
    ],
)
def test_a_damaged_result_is_one_line_of_the_list(cli: Command, runs: Path, result: object) -> None:
    folder(runs, "damaged", result=result)
    (row,) = runs_table(runs).rows
    assert str(row[1]).startswith("cannot be read: ")
    assert cli("list", "runs").status == 0


def test_the_configuration_of_a_run_is_not_parsed(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With merge keys (<<), a few hundred bytes of YAML can be billions of values.
    monkeypatch.delattr("yaml.safe_load")
    folder(runs, "hostile", "{x: {<<: {}}}", result={"rows": [], "provenance": {"command": "run"}})
    assert runs_table(runs).rows[0][1:] == ("run", None, "hostile")


def test_without_runs_the_list_is_empty(tmp_path: Path) -> None:
    assert runs_table(tmp_path / "none").rows == ()
