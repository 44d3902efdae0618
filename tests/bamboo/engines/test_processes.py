"""Work in several processes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import UserFolder

from bamboo.engines import Processes
from bamboo.errors import EngineError

KILLED = pytest.mark.filterwarnings(
    "ignore::UserWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def twice(number: int) -> int:
    return 2 * number


def killed(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("ahead", [0, 1])
def test_results_in_order(jobs: int, ahead: int) -> None:
    tasks = [(k,) for k in range(5)]
    assert list(Processes(jobs=jobs).map(twice, tasks, ahead=ahead)) == [0, 2, 4, 6, 8]


@KILLED
def test_a_process_that_is_killed() -> None:
    for ordered in (True, False):
        with pytest.raises(EngineError, match="a worker process was stopped from outside"):
            list(Processes(jobs=2).map(killed, [(k,) for k in range(4)], ordered=ordered))
    assert list(Processes(jobs=2).map(twice, [(4,), (5,)])) == [8, 10]


@KILLED
@pytest.mark.parametrize("ordered", [True, False])
def test_a_process_killed_while_calls_are_still_sent(ordered: bool) -> None:
    def slow_tasks() -> Iterator[tuple[int]]:
        # joblib sends the calls in batches of two.
        yield from [(0,), (1,)]
        time.sleep(3)
        yield from [(2,), (3,)]

    with pytest.raises(EngineError, match="a worker process was stopped from outside"):
        list(Processes(jobs=2).map(killed, slow_tasks(), ordered=ordered))


@KILLED
def test_a_killed_process_ends_a_command_with_one_line(
    refused: Callable[..., str], user: UserFolder, tiny: Path
) -> None:
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
