"""Parallel processing with joblib."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from bamboo.errors import BambooError, EngineError
from bamboo.own_code import own_code_error
from metrics.errors import MetricError

T = TypeVar("T")


def in_processes(
    function: Callable[..., T],
    arguments: Iterable[tuple[object, ...]],
    jobs: int,
    ordered: bool,
    ahead: int = 1,
) -> Iterator[T]:
    """Call a function with each tuple of arguments and yield the results.

    Args:
        jobs: number of processes; -1 for one per core, 1 for the current process.
        ordered: yield in the order of the arguments; otherwise as they finish.
        ahead: how many calls wait for each process.

    Raises:
        EngineError: a process that was killed; raised while iterating.
    """
    if jobs == 1:
        return (function(*argument_tuple) for argument_tuple in arguments)
    from joblib import Parallel, delayed

    order = "generator" if ordered else "generator_unordered"
    parallel = Parallel(n_jobs=jobs, return_as=order, pre_dispatch=f"{1 + ahead} * n_jobs")
    # Worker processes are reused: they may lack folders with code that the user's YAML refers to.
    calls = (
        delayed(_with_path)(tuple(sys.path), function, argument_tuple)
        for argument_tuple in arguments
    )
    return _checked(lambda: parallel(calls))


def _checked(start: Callable[[], Iterator[T]]) -> Iterator[T]:
    """Start the calls and yield their results; a process that was killed raises an `EngineError`.

    A process can be killed while the first calls are still being sent, so starting is checked too.
    """
    try:
        yield from start()
    except BrokenProcessPool:
        raise EngineError(
            "a worker process was stopped from outside, for instance for lack of memory: run the "
            "command again, with engine=serial or a smaller engine.jobs if it needs less memory"
        ) from None


def _with_path(
    path: tuple[str, ...], function: Callable[..., T], arguments: tuple[object, ...]
) -> T:
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
