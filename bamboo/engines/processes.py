"""Calls in this process, or in several processes of this machine with joblib."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Literal, TypeVar

from bamboo.engines.base import Engine
from bamboo.engines.calls import call_with_path
from bamboo.errors import ConfigError, EngineError

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Processes(Engine):
    """The options in ``conf/engine/serial.yaml`` and ``loky.yaml``.

    Attributes:
        name: its name.
        jobs: number of processes; -1 for one per core, 1 for the current process.

    Raises:
        ConfigError: another number of processes.

    >>> list(Processes().map(divmod, [(7, 3), (9, 3)]))
    [(2, 1), (3, 0)]
    """

    name: Literal["serial", "loky"] = "serial"
    jobs: int = 1

    def __post_init__(self) -> None:
        check_jobs(self.jobs)

    @property
    def in_process(self) -> bool:
        """Whether calls are made in this process, one after the other."""
        return self.jobs == 1

    def map(
        self,
        function: Callable[..., T],
        arguments: Iterable[tuple[object, ...]],
        *,
        ordered: bool = True,
        ahead: int = 1,
    ) -> Iterator[T]:
        """See `Engine.map`; a single call is made in this process."""
        single = isinstance(arguments, Sized) and len(arguments) == 1
        if self.in_process or single:
            return (function(*argument_tuple) for argument_tuple in arguments)
        from joblib import Parallel, delayed

        # joblib replaces a process that has grown by 300 MB; no call is lost.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given")
        order = "generator" if ordered else "generator_unordered"
        parallel = Parallel(n_jobs=self.jobs, return_as=order, pre_dispatch=f"{1 + ahead} * n_jobs")
        calls = (
            delayed(call_with_path)(tuple(sys.path), function, argument_tuple)
            for argument_tuple in arguments
        )
        return _checked(lambda: parallel(calls))


def check_jobs(jobs: int) -> None:
    """Check a number of processes.

    Raises:
        ConfigError: it is neither positive nor -1.
    """
    if not (jobs >= 1 or jobs == -1):
        raise ConfigError(f"engine.jobs={jobs}: use 1 or more, or -1 for one per core")


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
