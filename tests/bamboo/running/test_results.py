"""Cells, rows and the file that holds them."""

from __future__ import annotations

import itertools
import json

import pytest

from bamboo.pairs.problems import Problem
from bamboo.results.coverage import Coverage
from bamboo.results.results import (
    CellResult,
    Result,
    Row,
    Unscored,
    in_order,
)
from metrics.version import VERSION

BENCHMARK = ("sts", "sick", "para")
PARTITIONS = ("main", "reify", "syno", "arg")
PLACES = [(d, p) for p in PARTITIONS for d in BENCHMARK]


def cell(
    dataset: str, partition: str, value: float | None, published: float | None = None
) -> CellResult:
    return CellResult(dataset, partition, "test", "pearson", value, 10, 0, 0.5, published)


def twelve(*values: float | None) -> tuple[CellResult, ...]:
    return tuple(
        cell(d, p, value) for (d, p), value in zip(PLACES, itertools.cycle(values), strict=False)
    )


def test_means_over_twelve_cells() -> None:
    row = Row("m", "s", twelve(20, 30, 60))
    assert row.amean == pytest.approx((20 + 30 + 60) * 4 / 12)
    assert row.hmean == pytest.approx(12 / (4 * (1 / 20 + 1 / 30 + 1 / 60)))


@pytest.mark.parametrize("left_out", range(12))
def test_no_means_without_all_twelve(left_out: int) -> None:
    cells = twelve(20, 30, 60)
    row = Row("m", "s", cells[:left_out] + cells[left_out + 1 :])
    assert (row.amean, row.hmean) == (None, None)
    without_value = [*cells]
    without_value[left_out] = cell(*PLACES[left_out], None)
    row = Row("m", "s", tuple(without_value))
    assert (row.amean, row.hmean) == (None, None)


def test_no_harmonic_mean_of_a_negative_cell() -> None:
    row = Row("m", "s", twelve(20, -30, 60))
    assert row.amean == pytest.approx((20 - 30 + 60) * 4 / 12)
    assert row.hmean is None


def test_other_cells_are_not_part_of_the_means() -> None:
    others = (cell("sample", "main", 99), cell("sts", "a-partition-of-mine", 99))
    assert (
        Row("m", "s", twelve(20, 30, 60) + others).amean == Row("m", "s", twelve(20, 30, 60)).amean
    )


def test_the_mean_over_other_cells_is_named_after_them() -> None:
    three = (cell("sts", "main", 20), cell("mine", "main", 30), cell("mine", "own", 70))
    (mean,) = Row("m", "s", three, intervals={"mean of 3 cells": (35, 45)}).means
    assert (mean.name, mean.value, mean.interval) == ("mean of 3 cells", 40, (35, 45))
    assert Row("m", "s", three[:1]).means == ()
    assert Row("m", "s", (*three[:2], cell("mine", "own", None))).means == ()


def test_the_twelve_cells_have_their_own_means() -> None:
    row = Row("m", "s", twelve(20, 30, 60), 51.0, 48.0, intervals={"amean": (30, 40)})
    amean, hmean = row.means
    assert (amean.name, hmean.name) == ("amean", "hmean")
    assert (amean.difference, hmean.published) == (pytest.approx(110 / 3 - 51), 48.0)
    assert (amean.interval, hmean.interval) == ((30, 40), None)
    with_another = Row("m", "s", (*twelve(20, 30, 60), cell("mine", "main", 80)))
    assert [mean.name for mean in with_another.means] == ["amean", "hmean", "mean of 13 cells"]
    assert with_another.means[2].value == pytest.approx((4 * 110 + 80) / 13)


def test_difference() -> None:
    assert cell("sts", "main", 58.52, 58.45).difference == 58.52 - 58.45
    assert cell("sts", "main", None, 58.45).difference is None
    assert cell("sts", "main", 58.52).difference is None


def test_cells_are_in_the_papers_order() -> None:
    others = [cell("sample", "main", 1), cell("sts", "mine", 1)]
    shuffled = [*reversed(twelve(1)), *others]
    ordered = [(c.dataset, c.partition) for c in in_order(shuffled)]
    expected = [*PLACES[:3], ("sample", "main"), *PLACES[3:], ("sts", "mine")]
    assert ordered == expected


def test_the_schema_of_a_result() -> None:
    full = CellResult(
        *("sts", "main", "test", "pearson", 58.5, 9, 1, 0.5, 58.45, (50.0, 60.0), 2),
        empty=3,
        coverage=Coverage(8, 6),
    )
    row = Row("smatch", "Smatch()", (full, cell("sick", "main", None)), 51.28, 47.5)
    problem = Problem("why", "src.amr", 7, 21, "empty")
    result = Result("paper", (row,), (Unscored("smatch", "sts", "main", "test", 7, problem),))
    plain = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert plain == {
        "schema": 1,
        "version": VERSION,
        "protocol": "paper",
        "rows": [
            {
                "metric": "smatch",
                "signature": "Smatch()",
                "cells": [
                    {
                        "dataset": "sts",
                        "partition": "main",
                        "split": "test",
                        "statistic": "pearson",
                        "value": 58.5,
                        "n": 9,
                        "missing": 1,
                        "seconds": 0.5,
                        "published": 58.45,
                        "source": "released",
                        "interval": [50.0, 60.0],
                        "unproven": 2,
                        "empty": 3,
                        "coverage": {"nodes": 8, "nodes_with_vector": 6, "share": 0.75},
                    },
                    {
                        "dataset": "sick",
                        "partition": "main",
                        "split": "test",
                        "statistic": "pearson",
                        "value": None,
                        "n": 10,
                        "missing": 0,
                        "seconds": 0.5,
                        "published": None,
                        "source": "released",
                    },
                ],
                "amean": None,
                "hmean": None,
                "published_amean": 51.28,
                "published_hmean": 47.5,
                "notes": [],
            }
        ],
        "problems": [
            {
                "metric": "smatch",
                "dataset": "sts",
                "partition": "main",
                "split": "test",
                "pair": 7,
                "file": "src.amr",
                "line": 21,
                "reason": "why",
                "counted_as": "empty",
            }
        ],
        "notes": [],
    }
