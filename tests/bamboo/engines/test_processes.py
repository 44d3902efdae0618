"""Work in several processes."""

from __future__ import annotations

import os
import signal
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from bamboo.engines import Processes
from bamboo.errors import EngineError
from tests.bamboo.engines import functions

KILLED = pytest.mark.filterwarnings(
    "ignore::UserWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def twice(number):
    return 2 * number


GROWN = []


def grows(number, seconds):
    GROWN.append(np.ones(12_000_000))  # 96 MB
    time.sleep(seconds)
    return number, os.getpid()


def killed(number):
    os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("ahead", [0, 1])
def test_results_in_order(jobs, ahead):
    tasks = [(k,) for k in range(5)]
    assert list(Processes(jobs=jobs).map(twice, tasks, ahead=ahead)) == [0, 2, 4, 6, 8]


def test_a_process_that_grows_is_replaced_without_a_warning():
    tasks = [(k, 0.3) for k in range(16)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = list(Processes(jobs=2).map(grows, tasks, ordered=False))
    assert sorted(number for number, _ in results) == [*range(16)]
    assert len({process for _, process in results}) > 2
    assert not caught


def test_relative_paths_are_those_of_the_caller(tmp_path, monkeypatch):
    for text in ("first", "second"):
        (tmp_path / text).mkdir()
        monkeypatch.chdir(tmp_path / text)
        Path("file").write_text(text)
        assert set(Processes(jobs=2).map(functions.text_of, [("file",)] * 4)) == {text}


@KILLED
def test_a_process_that_is_killed():
    for ordered in (True, False):
        with pytest.raises(EngineError, match="a worker process was stopped from outside"):
            list(Processes(jobs=2).map(killed, [(k,) for k in range(4)], ordered=ordered))
    assert list(Processes(jobs=2).map(twice, [(4,), (5,)])) == [8, 10]


@KILLED
@pytest.mark.parametrize("ordered", [True, False])
def test_a_process_killed_while_calls_are_still_sent(ordered):
    def slow_tasks():
        yield from [(0,), (1,)]
        time.sleep(3)
        yield from [(2,), (3,)]

    with pytest.raises(EngineError, match="a worker process was stopped from outside"):
        list(Processes(jobs=2).map(killed, slow_tasks(), ordered=ordered))


@KILLED
def test_a_killed_process_ends_a_command_with_one_line(refused, user, tiny):
    (user.path / "killed.py").write_text(
        "import os, signal\n"
        "from dataclasses import dataclass\n"
        "from metrics.base import Metric\n"
        "@dataclass(frozen=True, kw_only=True)\n"
        "class Killed(Metric):\n"
        "    def evaluate(self, pairs):\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    user.yaml("metric/killed.yaml", {"_target_": "killed.Killed"})
    message = refused("run", "metric=killed", "data=tiny", "engine=loky", user.option)
    assert "a worker process was stopped from outside" in message
    assert "\n" not in message


@pytest.mark.parametrize("error", ["GeneratorExit", "SystemExit"])
@pytest.mark.parametrize("engine", ["serial", "loky", "dask"])
def test_a_metric_that_exits(refused, user, tiny, engine, error):
    if engine == "dask":
        pytest.importorskip("distributed", reason="needs the extra dask: pip install -e '.[dask]'")
    module = f"raises_{error}"  # an imported module is not imported again
    (user.path / f"{module}.py").write_text(
        "from dataclasses import dataclass\n"
        "from metrics import Metric, Scores\n"
        "@dataclass(frozen=True, kw_only=True)\n"
        "class Exits(Metric):\n"
        "    def evaluate(self, pairs):\n"
        f"        raise {error}('enough')\n"
    )
    user.yaml("metric/exits.yaml", {"_target_": f"{module}.Exits"})
    options = ["metric=exits,smatch", "data=tiny", f"engine={engine}", "quiet=true", user.option]
    text = refused("run", *options)
    assert text.startswith("exits on tiny main test: ")
    assert f"{module}.py, line 6, in evaluate: {error}: enough" in text
