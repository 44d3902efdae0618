"""Calls in this process, or in several processes of this machine with loky."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from bamboo.engines.base import TICK, Engine
from bamboo.errors import ConfigError

T = TypeVar("T")

IDLE = 300  # seconds after which a process without calls ends
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


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
            return (function(*task) for task in arguments)
        return super().map(function, arguments, ordered=ordered, ahead=ahead)

    def executor(self) -> Executor:
        """See `Engine.executor`."""
        from joblib.externals.loky import get_reusable_executor

        # A process that has grown by 300 MB is replaced; no call is lost.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given")
        threads = {name: os.environ.get(name, "1") for name in THREADS}
        executor: Executor = get_reusable_executor(self.count_workers(), timeout=IDLE, env=threads)
        return executor

    def count_workers(self) -> int:
        """See `Engine.count_workers`."""
        return processes(self.jobs)

    def abandon(self, executor: Any, pending: list[Future[Any]]) -> None:
        """See `Engine.abandon`: end the processes, since a call cannot be interrupted."""
        # loky must have seen that calls are cancelled before it ends its processes.
        wait([future for future in pending if future.cancel()], timeout=TICK)
        executor.shutdown(kill_workers=True)


def check_jobs(jobs: int) -> None:
    """Check a number of processes.

    Raises:
        ConfigError: it is neither positive nor -1.
    """
    if not (jobs >= 1 or jobs == -1):
        raise ConfigError(f"engine.jobs={jobs}: use 1 or more, or -1 for one per core")


def processes(jobs: int) -> int:
    """Return the number of processes that `jobs` stands for."""
    from joblib import cpu_count

    return int(cpu_count()) if jobs == -1 else jobs
