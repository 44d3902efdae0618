"""A call in a worker process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from bamboo.errors import BambooError
from bamboo.own_code import own_code_error
from metrics.errors import MetricError

T = TypeVar("T")


def call_with_path(
    path: Sequence[str], function: Callable[..., T], arguments: tuple[object, ...]
) -> T:
    """Call a function, with a search path for modules.

    Worker processes are reused: they may lack folders with code that the user's YAML refers to.
    """
    sys.path[:] = path
    try:
        return function(*arguments)
    except (BambooError, MetricError):
        raise
    except Exception as error:
        # The traceback of a process does not reach the one that reports the error.
        own = own_code_error(error)
        if own is None:
            raise
        raise own from None
