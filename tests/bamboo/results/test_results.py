"""The results of cells, the means over them, and their JSON form."""

import itertools
import json

import numpy as np
import pytest

from amr_metrics.version import VERSION
from bamboo.benchmark.columns import TWELVE
from bamboo.results.cell_results import CellResult, compute_means, make_cells, make_frame
from bamboo.results.results import Results, from_json

NOTHING = {}


def cell(dataset, partition, value, **others):
    where = {"metric": "m", "dataset": dataset, "partition": partition, "split": "test"}
    counts = {"statistic": "pearson", "pairs": 10, "source": "released", "seconds": 0.5}
    return {**where, **counts, "value": value, **others}


def twelve(*values):
    return [cell(*place, value) for place, value in zip(TWELVE, itertools.cycle(values))]


def means(*cells):
    found = compute_means(make_cells(cells), NOTHING, NOTHING)
    return {mean.mean: mean.value for mean in found}


def results(*cells):
    made = make_cells(cells)
    names = dict.fromkeys((cell.metric for cell in made), "Signature()")
    return Results("paper", made, compute_means(made, NOTHING, NOTHING), names)


def test_means_over_twelve_cells():
    assert means(*twelve(20, 30, 60)) == {
        "amean": pytest.approx((20 + 30 + 60) * 4 / 12),
        "hmean": pytest.approx(12 / (4 * (1 / 20 + 1 / 30 + 1 / 60))),
    }


@pytest.mark.parametrize("left_out", range(12))
def test_no_amean_without_all_twelve(left_out):
    cells = twelve(20, 30, 60)
    remaining = [*cells[:left_out], *cells[left_out + 1 :]]
    assert list(means(*remaining)) == ["mean of 11 cells"]
    assert means(*remaining, cell(*TWELVE[left_out], None)) == {}


def test_the_mean_over_other_cells_is_named_after_them():
    three = cell("sts", "main", 20), cell("mine", "main", 30), cell("mine", "own", 70)
    assert means(*three) == {"mean of 3 cells": 40}
    assert means(three[0]) == {}
    assert means(*three[:2], cell("mine", "own", None)) == {}
    found = means(*twelve(20, 30, 60), cell("mine", "main", 80))
    assert list(found) == ["amean", "hmean", "mean of 13 cells"]
    assert found["mean of 13 cells"] == pytest.approx((4 * 110 + 80) / 13)
    assert found["amean"] == pytest.approx(110 / 3)


def test_means_have_published_values_and_intervals():
    cells = make_cells(twelve(20, 30, 60))
    published = {"m": {"amean": 51.0, "hmean": 48.0}}
    amean, hmean = compute_means(cells, published, {("m", "amean"): (30, 40)})
    assert (amean.difference, hmean.published) == (pytest.approx(110 / 3 - 51), 48.0)
    assert (amean.low, amean.high, hmean.low) == (30, 40, None)


def test_an_empty_frame_has_the_same_columns_and_types():
    empty, one = (make_frame(make_cells(c)) for c in ([], [cell("sts", "main", 1.0)]))
    assert len(empty) == 0
    assert empty.dtypes.equals(one.dtypes)
    assert tuple(one) == CellResult._fields
    assert compute_means([], NOTHING, NOTHING) == ()
    assert np.isnan(one["published"][0])
    assert one[["unproven", "cached", "resample"]].isna().all(axis=None)


def test_the_schema_of_a_result():
    full = cell(
        *("sts", "main", 58.5),
        **{"pairs": 9, "missing": 1, "published": 58.45, "low": 50.0, "high": 60.0},
        **{"unproven": 2, "empty": 3, "resample": "jackknife"},
    )
    document = results(full, cell("sick", "main", None)).to_json()
    (row,) = json.loads(json.dumps(document, allow_nan=False))["rows"]
    common = {"split": "test", "statistic": "pearson", "seconds": 0.5, "source": "released"}
    assert row == {
        "metric": "m",
        "signature": "Signature()",
        "cells": [
            {
                **common,
                **{"dataset": "sts", "partition": "main", "value": 58.5, "n": 9, "missing": 1},
                **{"published": 58.45, "interval": [50.0, 60.0], "unproven": 2, "empty": 3},
                "resample": "jackknife",
            },
            {
                **common,
                **{"dataset": "sick", "partition": "main", "value": None, "n": 10, "missing": 0},
                "published": None,
            },
        ],
        "amean": None,
        "hmean": None,
        "published_amean": None,
        "published_hmean": None,
        "notes": [],
    }
    del document["rows"]
    assert document == {
        **{"schema": 1, "version": VERSION, "protocol": "paper", "notes": [], "problems": []},
        "resample": "jackknife",
    }


def test_results_are_read_back_from_json():
    problem = {"metric": "m", "dataset": "sts", "pair": 7, "reason": "why"}
    some = cell("sts", "main", 0.1 + 0.2, low=-1.0, high=2.0, cached=False, unproven=0)
    cells = make_cells([some, cell("sts", "arg", None), *twelve(3.5)[1:]])
    found = compute_means(cells, {"m": {"amean": 3.0}}, {("m", "mean of 13 cells"): (1.0, 9.0)})
    whole = Results(*("v0.2", cells, found, {"m": "M()"}, {"m": ("a note",)}, (problem,), ("all",)))
    again = from_json(json.loads(json.dumps(whole.to_json())))
    assert again == whole
    assert again.cells == whole.cells
    assert again.means == whole.means
    assert again != results(some)
