"""The comparison of recorded results: what has changed, and what has only another name."""

import json
import math

from tests.freeze import values
from tests.freeze.entries import entries


def recorded(folder, document, csv="metric,dataset,score\nsmatch,sts,0.5\nsmatch,sts,\n"):
    found = {}
    values.read_output(json.dumps(document), "output", found)
    values.read_output(csv, "scores.csv", found)
    values.save(found, "run", folder / "entry")
    return found


def cell(value, **more):
    return {"dataset": "sts", "value": value, "seconds": 1, **more}


def test_names_of_entries_are_unique():
    names = [entry.name for entry in entries()]
    assert len(set(names)) == len(names)


def test_paths_name_metrics_and_cells(tmp_path):
    matrix = {"metrics": ["a", "b"], "p": [[1, 0.5], [0.5, 1]], "long": [None, *range(99)]}
    found = recorded(tmp_path, {"rows": [{"metric": "smatch", "cells": [cell(0.1)]}], "c": matrix})
    assert found["output.rows[smatch].cells[sts].value"] == 0.1
    assert "output.rows[smatch].cells[sts].seconds" not in found
    assert found["output.c.p[a][b]"] == 0.5
    assert math.isnan(found["output.c.long"][0])
    assert found["scores.csv[smatch,sts].score"][0] == 0.5


def test_a_change_is_told_from_another_name(tmp_path):
    old, same, new = (tmp_path / name for name in ("old", "same", "new"))
    before = {"rows": [{"metric": "smatch", "cells": [cell(0.1, n=3)], "mean": 0.1 + 0.2}]}
    recorded(old, before)
    recorded(same, before)
    assert list(values.differences("entry", old, same)) == []
    other = cell(0.1, metric="smatch")
    after = {"rows": [{"metric": "smatch", "mean": 0.3, "x": 7}], "cells": [other]}
    recorded(new, after, "metric,dataset,score\nsmatch,sts,0.25\nsmatch,sts,\n")
    assert list(values.differences("entry", old, new)) == [
        "changed: 2",
        "    output.rows[smatch].mean: 0.30000000000000004 -> 0.3 (-5.55e-17)",
        "    scores.csv[smatch,sts].score: 1 of 2 differ, by at most 0.25; first [0]: 0.5 -> 0.25",
        "missing: 1",
        "    output.rows[smatch].cells[sts].n = 3",
        "equal under another name: 2",
        "    output.rows[smatch].cells[sts].dataset is now output.cells[smatch,sts].dataset",
        "    output.rows[smatch].cells[sts].value is now output.cells[smatch,sts].value",
        "added: 2",
        "    output.cells[smatch,sts].metric = 'smatch'",
        "    output.rows[smatch].x = 7",
    ]


def test_a_value_of_another_metric_is_not_the_same(tmp_path):
    recorded(tmp_path / "old", {"rows": [{"metric": "smatch", "value": 0.1}]})
    recorded(tmp_path / "new", {"scores": [{"metric": "sema", "value": 0.1}]})
    found = list(values.differences("entry", tmp_path / "old", tmp_path / "new"))
    assert [line for line in found if line[0] != " "] == ["missing: 2", "added: 2"]
