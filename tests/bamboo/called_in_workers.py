"""Functions that the tests of engines call in workers."""

import os
import signal
import time
from pathlib import Path

import numpy as np
from joblib.externals.loky import process_executor

from amr_metrics.errors import PairError

GROWN = []


def twice(number):
    return 2 * number


def process_of(number, seconds=0.05):
    time.sleep(seconds)
    return number, os.getpid()


def grows(number):
    """Grow by 320 MB in the second call: loky compares the size with that after the first one."""
    process_executor._MEMORY_LEAK_CHECK_DELAY = 0  # s; look after each call
    GROWN.append(np.ones(40_000_000 if len(GROWN) == 1 else 0))
    return process_of(number)


def logged(number, folder):
    """Leave a file for each call, with its process."""
    (folder / f"{number}.{os.getpid()}.{time.monotonic_ns()}").touch()
    time.sleep(0.5)
    return number


def refuses(number):
    if number == 3:
        raise PairError("no such pair", pair=number)
    return number


def killed(number):
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def text_of(path):
    return Path(path).read_text()
