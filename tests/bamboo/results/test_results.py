"""The results of cells, the means over them, and their JSON form."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from harness import results_of

from amr_metrics.version import VERSION
from bamboo.benchmark.columns import TWELVE
from bamboo.board import Board
from bamboo.files import plain
from bamboo.results.results import FRAME, parse_results


def cell(dataset, partition, value, **others):
    where = {"metric": "m", "dataset": dataset, "partition": partition, "split": "test"}
    return {**where, "source": "released", "seconds": 0.5, "value": value, **others}


def twelve(*values):
    return [cell(*place, value) for place, value in zip(TWELVE, itertools.cycle(values))]


def means(*cells):
    return {mean.part: mean.value for mean in results_of(cells).board.select(kind="mean").scores}


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
    assert means(*remaining, cell(*TWELVE[left_out], np.nan)) == {}


def test_the_mean_over_other_cells_is_named_after_them():
    three = cell("sts", "main", 20), cell("mine", "main", 30), cell("mine", "own", 70)
    assert means(*three) == {"mean of 3 cells": 40}
    assert means(three[0]) == {}
    assert means(*three[:2], cell("mine", "own", np.nan)) == {}
    by_name = means(*twelve(20, 30, 60), cell("mine", "main", 80))
    assert list(by_name) == ["amean", "hmean", "mean of 13 cells"]
    assert by_name["mean of 13 cells"] == pytest.approx((4 * 110 + 80) / 13)
    assert by_name["amean"] == pytest.approx(110 / 3)


def test_means_have_published_values():
    published = {("m", "amean"): 51.0, ("m", "hmean"): 48.0}
    whole = results_of(twelve(20, 30, 60), published=published)
    row, facts = whole.find_score("m", "amean")
    assert row.value - facts.published == pytest.approx(110 / 3 - 51)
    assert whole.find_score("m", "hmean")[1].published == 48.0
    assert np.isnan(whole.find_score("m", "mean of 12 cells")[0].value)


def test_an_empty_frame_has_the_same_columns_and_types():
    frame = results_of([cell("sts", "main", 1.0)]).to_frame()
    empty = results_of([]).to_frame()
    assert len(empty) == 0
    assert empty.dtypes.equals(frame.dtypes)
    assert tuple(frame) == tuple(FRAME)
    assert np.isnan(frame["published"][0])
    assert frame[["unproven", "cached", "resample"]].isna().all(axis=None)


def test_the_schema_of_a_result():
    full = cell(
        *("sts", "main", 58.5),
        **{"pairs": 9, "missing": 1, "published": 58.45, "low": 50.0, "high": 60.0},
        **{"unproven": 2, "empty": 3, "resample": "jackknife"},
    )
    document = results_of([full, cell("sick", "main", np.nan)]).to_json()
    (row,) = json.loads(json.dumps(document, allow_nan=False))["rows"]
    common = {"split": "test", "statistic": "pearson", "seconds": 0.5, "source": "released"}
    assert row == {
        "metric": "m",
        "signature": "m()",
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
    cells = [some, cell("sts", "arg", np.nan), *twelve(3.5)[1:4]]
    whole = results_of(cells, "v0.2")
    board = Board(tuple(row._replace(low=1.0, high=9.0) for row in whole.board.scores))
    notes = {"metric_notes": {"m": ("a note",)}, "problems": (problem,), "notes": ("all",)}
    whole = replace(whole, board=board, **notes)
    again = parse_results(json.loads(json.dumps(whole.to_json())))
    assert again == whole
    assert plain([*again.board.scores]) == plain([*whole.board.scores])
    assert plain(again.facts) == plain(whole.facts)
    assert again != results_of([some])


def test_means_are_read_back_from_json():
    whole = results_of(twelve(20, 30, 60), published={("m", "amean"): 3.0})
    rows = [row._replace(low=1.0, high=9.0) for row in whole.board.scores]
    whole = replace(whole, board=Board(tuple(rows)))
    again = parse_results(json.loads(json.dumps(whole.to_json())))
    assert again.board == whole.board
    assert plain(again.facts) == plain(whole.facts)
