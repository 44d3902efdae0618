"""Scores kept on disk."""

import json
import os
import random
import shutil

import numpy as np
import pytest
from harness import scored_cell

from amr_metrics.base import Scores
from bamboo.display.table import render
from bamboo.errors import BambooWarning
from bamboo.log import Messages, print_messages, warnings_printed
from bamboo.results.cache import Cache
from bamboo.scoring.problems import Problem


def cell(n=40):
    rng = np.random.default_rng(0)
    values = rng.random(n)
    values[3] = np.nan
    details = {"matches": rng.random(n), "optimal": rng.random(n) > 0.5}
    problems = {4: Problem("why", "src.amr", 4, 9, "empty")}
    return scored_cell(Scores(values, details), rng.random(n), np.arange(1, n + 1), problems, 0.25)


def same(a, b):
    return (
        np.array_equal(a.scores.values, b.scores.values, equal_nan=True)
        and list(a.scores.details) == list(b.scores.details)
        and all(np.array_equal(a.scores.details[d], b.scores.details[d]) for d in a.scores.details)
        and np.array_equal(a.pairs.ratings, b.pairs.ratings)
        and np.array_equal(a.pairs.numbers, b.pairs.numbers)
        and (a.problems, a.seconds) == (b.problems, b.seconds)
    )


@pytest.fixture
def kept(tmp_path):
    cache = Cache(tmp_path / "cache")
    cache.store("data", "metric", cell())
    return cache


def load(cache):
    scored = cache.load("data", "metric")
    assert scored is not None
    return scored


def test_stored_scores_are_loaded_unchanged(kept):
    assert same(load(kept), cell())
    assert load(kept).scores.details["optimal"].dtype == bool


def test_the_key_depends_on_metric_and_data(kept):
    assert kept.load("data", "metric2") is None
    assert kept.load("data2", "metric") is None
    kept.store("data2", "metric", cell(7))
    assert same(load(kept), cell())


def test_storing_again_replaces(kept):
    kept.store("data", "metric", cell(9))
    assert same(load(kept), cell(9))
    assert [p.suffix for p in kept.folder.rglob("*") if p.is_file()] == [".npz"]


def damaged(cache, capsys, data="data"):
    """Whether the entry is not used, with a warning that names it."""
    capsys.readouterr()
    with print_messages(Messages()), warnings_printed():
        if cache.load(data, "metric") is not None:
            return False
    err = capsys.readouterr().err
    assert err.startswith(f"warning: the cached scores in {cache.path(data, 'metric')} are damaged")
    assert err.endswith("computed again\n")
    assert err.count("\n") == 1
    return True


def test_a_truncated_entry_at_any_length(kept, capsys):
    path = kept.path("data", "metric")
    whole = path.read_bytes()
    for length in range(0, len(whole), 13):
        path.write_bytes(whole[:length])
        assert damaged(kept, capsys)


def test_a_flipped_byte_is_detected_or_harmless(kept, capsys):
    path = kept.path("data", "metric")
    whole = path.read_bytes()
    rng = random.Random(0)
    refused = 0
    for at in rng.sample(range(len(whole)), 100):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ rng.randrange(1, 256)]) + whole[at + 1 :])
        if damaged(kept, capsys):
            refused += 1
            continue
        assert same(load(kept), cell())
    assert refused > 60


@pytest.mark.parametrize("garbage", [b"", b"garbage", b"PK\x03\x04", b"\x93NUMPY\x01\x00", b"\x80"])
def test_garbage(kept, garbage, capsys):
    kept.path("data", "metric").write_bytes(garbage)
    assert damaged(kept, capsys)


def test_the_entry_of_another_key(kept):
    kept.path("data2", "metric").parent.mkdir(exist_ok=True, parents=True)
    shutil.copy(kept.path("data", "metric"), kept.path("data2", "metric"))
    with pytest.warns(BambooWarning, match="belongs to other data or another metric"):
        assert kept.load("data2", "metric") is None


@pytest.mark.parametrize(
    "arrays", [{"about": np.array("[]")}, {"values": np.zeros(3)}, {"about": np.array("[" * 9999)}]
)
def test_an_entry_with_missing_parts(kept, capsys, arrays):
    with kept.path("data", "metric").open("wb") as file:
        np.savez_compressed(file, **arrays)
    assert damaged(kept, capsys)


def test_an_interrupted_write_to_the_cache_leaves_no_files(tmp_path, monkeypatch):
    def interrupted(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Cache(tmp_path).store("data", "metric", cell())
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_a_damaged_entry_is_computed_again_with_a_warning(user, tiny, home):
    first = str(user.run("size"))
    (entry,) = (home / "runs/cache").rglob("*.npz")
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-1])
    with pytest.warns(BambooWarning, match=f"^the cached scores in {entry} are damaged"):
        assert str(user.run("size")) == first
    again = str(user.run("size"))
    assert again == first.replace("0 of 1 cells from cache", "1 of 1 cells from cache")


class TestShare:
    """Every command that scores says how many cells come from the cache."""

    def test_run(self, user, tiny, home):
        user.data("own", [1, 2], [0, 1], ("main", "arg"))
        results = user.run("size", "own", partition="main,arg")
        assert "\n0 of 2 cells from cache." in str(results)
        assert "\n% 0 of 2 cells from cache." in results.to_latex()
        assert "from cache" not in render(results.tables(), "csv")
        more = user.run("size", ["own", "tiny"], out=home / "x").to_json()
        assert more["cache"] == {"cells": 2, "from_cache": 1}
        assert [cell["cached"] for cell in more["rows"][0]["cells"]] == [True, False]
        assert json.loads((home / "x/result.json").read_text())["cache"] == more["cache"]

    def test_compare(self, user, tiny):
        user.run("smatch")
        assert str(user.compare()).rstrip().endswith("\n1 of 2 cells from cache.")
        assert user.compare().to_json()["cache"] == {"cells": 2, "from_cache": 2}
