"""Functions that are called in workers."""

from __future__ import annotations

import errno
import os
import signal
import time
from pathlib import Path

import numpy as np

from metrics import Pair, Pairs, Smatch
from metrics.errors import PairError
from metrics.features.sembleu import SemBleu


def twice(number: int) -> int:
    return 2 * number


def process_of(number: int) -> tuple[int, int]:
    time.sleep(0.05)
    return number, os.getpid()


def logged(number: int, folder: Path, seconds: float) -> int:
    """A call that leaves a file with the process that makes it."""
    name = folder / f"{number}.{os.getpid()}.{time.monotonic_ns()}"
    name.write_text("")
    time.sleep(seconds)
    return number


def refuses(number: int) -> int:
    if number == 3:
        raise PairError("no such pair", pair=number)
    return number


def without_file(number: int) -> int:
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "/no/such/file")


def fills_a_disk(number: int) -> int:
    with open("/dev/full", "w") as file:
        file.write("x")
    return number


def kills_itself(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def takes_memory(number: int) -> int:
    if number == 2:
        kept = []
        while True:
            kept.append(np.ones(4_000_000))
            time.sleep(0.02)
    return number


def scored(pairs: Pairs | list[Pair]) -> list[bytes]:
    """The scores of two metrics, to the last bit."""
    return [metric.score(pairs).tobytes() for metric in (Smatch(), SemBleu())]


def variable(name: str) -> str | None:
    return os.environ.get(name)


def drawn(seed: int) -> float:
    return float(np.random.default_rng(seed).random())


def text_of(path: str) -> str:
    return Path(path).read_text()
