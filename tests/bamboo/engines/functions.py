"""Functions that are called in workers."""

import errno
import os
import signal
import time
from pathlib import Path

import numpy as np

from metrics import Smatch
from metrics.errors import PairError
from metrics.features.sembleu import SemBleu


def twice(number):
    return 2 * number


def process_of(number):
    time.sleep(0.05)
    return number, os.getpid()


def logged(number, folder, seconds):
    """A call that leaves a file with the process that makes it."""
    name = folder / f"{number}.{os.getpid()}.{time.monotonic_ns()}"
    name.write_text("")
    time.sleep(seconds)
    return number


def refuses(number):
    if number == 3:
        raise PairError("no such pair", pair=number)
    return number


def without_file(number):
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "/no/such/file")


def fills_a_disk(number):
    with open("/dev/full", "w") as file:
        file.write("x")
    return number


def kills_itself(number):
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def takes_memory(number):
    if number == 2:
        kept = []
        while True:
            kept.append(np.ones(4_000_000))
            time.sleep(0.02)
    return number


def scored(pairs):
    """The scores of two metrics, to the last bit."""
    return [metric.score(pairs).tobytes() for metric in (Smatch(), SemBleu())]


def variable(name):
    return os.environ.get(name)


def drawn(seed):
    return float(np.random.default_rng(seed).random())


def text_of(path):
    return Path(path).read_text()
