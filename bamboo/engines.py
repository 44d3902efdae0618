"""Engines: where calls are made, in this process, in several processes or on several machines."""

from __future__ import annotations

import atexit
import math
import os
import pickle
import struct
import sys
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    wait,
)
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, starmap
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeVar

from amr_metrics.errors import MetricError
from amr_metrics.utils.extras import describe_lacking
from amr_metrics.utils.user_code import guard_user_code
from bamboo.errors import BambooError, ConfigError, EngineError
from bamboo.log import note
from bamboo.user_code import forget_user_modules, user_code_error

T = TypeVar("T")

TICK = 1.0  # seconds between two looks at the workers
IDLE = 300  # seconds after which a process of loky without calls ends
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
OWN_PATH = tuple(sys.path)
ONE_AT_A_TIME = Lock()  # metrics are not written for several threads


def call(caller: tuple[str, str, tuple[str, ...]], pickled: bytes) -> Any:
    """Call a function in a worker, which may have worked for another caller before.

    Args:
        caller: an identifier, its working directory, and its search path for modules.
        pickled: the function and its arguments.
    """
    with ONE_AT_A_TIME:
        _set_up_worker(*caller)
        try:
            with guard_user_code():
                function, arguments = _unpickle(pickled)
                return function(*arguments)
        except (BambooError, MetricError):
            raise
        except Exception as error:
            # The traceback of a process does not reach the one that reports the error.
            located = user_code_error(error)
            if located is None:
                raise
            raise located from None


def _unpickle(pickled: bytes) -> Any:
    """Return a function and its arguments.

    Raises:
        EngineError: this worker lacks their code.
    """
    try:
        return pickle.loads(pickled)
    except (ImportError, AttributeError) as error:
        raise EngineError(
            f"a worker cannot import the code of a call ({error}): all machines need the same "
            "packages, and your own code at the same path"
        ) from None


@lru_cache(maxsize=1)
def _set_up_worker(caller: str, folder: str, path: tuple[str, ...]) -> None:
    """Use a caller's working directory and modules, as far as they exist on this machine."""
    with suppress(OSError):
        os.chdir(folder)
    existing = [entry for entry in path if not entry or Path(entry).exists()]
    sys.path[:] = [*existing, *(entry for entry in OWN_PATH if entry not in existing)]
    forget_user_modules()


class Engine(ABC):
    """Makes calls in a `concurrent.futures.Executor`, which a subclass provides.

    The result of a call must not depend on where it is made, nor on other calls: every engine
    returns the same results.
    """

    name: str

    def map(
        self,
        function: Callable[..., T],
        arguments: Iterable[tuple[object, ...]],
        *,
        ordered: bool = True,
        waiting: Callable[[], None] = lambda: None,
    ) -> Iterator[T]:
        """Call a function with each tuple of arguments and yield the results.

        The arguments are read while calls are made, not all at once. `joblib.Parallel` is not used:
        with Dask it waits forever for a call that ended its workers (joblib 1.6).

        Args:
            ordered: yield in the order of the arguments; otherwise as the calls finish.
            waiting: called about every second while calls are made in other processes.

        Raises:
            EngineError: the calls cannot be made, or not to the end; raised while iterating.
        """
        if self.in_process:
            return starmap(function, arguments)
        return self._elsewhere(function, iter(arguments), ordered, waiting)

    def _elsewhere(
        self,
        function: Callable[..., T],
        tasks: Iterator[tuple[object, ...]],
        ordered: bool,
        waiting: Callable[[], None],
    ) -> Iterator[T]:
        from cloudpickle import dumps

        caller = os.urandom(16).hex(), os.getcwd(), tuple(sys.path)
        capacity, next_look = 0, -math.inf
        pending: list[Future[T]] = []
        try:
            executor = self._executor()
            while True:
                if time.monotonic() > next_look:
                    capacity, next_look = 2 * self._count_workers(), time.monotonic() + TICK
                pending.extend(
                    # Bytes are part of the call: Dask can make it again when a worker is lost.
                    executor.submit(call, caller, dumps((function, task)))
                    for task in islice(tasks, max(0, capacity - len(pending)))
                )
                if not pending:
                    return
                finished, _ = wait(pending[:1] if ordered else pending, TICK, FIRST_COMPLETED)
                waiting()
                for future in finished:
                    pending.remove(future)
                    yield future.result()
        except self._lost() as error:
            raise self._error(error) from None
        finally:
            if pending:
                self._abandon(executor, pending)

    @property
    def in_process(self) -> bool:
        """Whether calls are made in this process, one after the other."""
        return False

    @abstractmethod
    def _executor(self) -> Executor:
        """Return the executor, started or connected."""

    @abstractmethod
    def _count_workers(self) -> int:
        """Return the number of processes that make calls, at least 1."""

    @abstractmethod
    def _lost(self) -> tuple[type[BaseException], ...]:
        """Return the errors of a call whose worker ended."""

    @abstractmethod
    def _abandon(self, executor: Any, pending: list[Future[Any]]) -> None:
        """Give up the calls that are not finished."""

    def _error(self, error: BaseException) -> EngineError:
        """Return the error to report for one of a library, with its reason."""
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        origin = error
        while cause := origin.__cause__ or origin.__context__:
            origin = cause
        if isinstance(origin, OSError) and origin.strerror and not isinstance(error, OSError):
            reason += f" ({origin.strerror})"
        return EngineError(f"engine={self.name}: {reason}. What was finished is cached")


@dataclass(frozen=True, kw_only=True)
class Processes(Engine):
    """This process, or several on this machine; for the options see ``conf/engine/loky.yaml``.

    Raises:
        ConfigError: an invalid number of processes.

    >>> list(Processes().map(divmod, [(7, 3), (9, 3)]))
    [(2, 1), (3, 0)]
    """

    name: Literal["serial", "loky"] = "serial"
    jobs: int = 1

    def __post_init__(self) -> None:
        _count_processes(self.jobs)

    @property
    def in_process(self) -> bool:
        """See `Engine.in_process`."""
        return self.jobs == 1

    def _executor(self) -> Executor:
        from joblib.externals.loky import get_reusable_executor

        # A process that has grown by 300 MB is replaced; no call is lost.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given")
        threads = {name: os.environ.get(name, "1") for name in THREADS}
        count = self._count_workers()
        try:
            executor: Executor = get_reusable_executor(count, timeout=IDLE, env=threads)
        except OSError as error:
            raise EngineError(
                f"engine={self.name}: processes cannot share locks ({error.strerror}): they need a "
                "shared memory, /dev/shm on Linux, that is writable and not full. Repair it, or "
                "use engine=serial"
            ) from None
        return executor

    def _count_workers(self) -> int:
        return _count_processes(self.jobs)

    def _lost(self) -> tuple[type[BaseException], ...]:
        return (BrokenExecutor,)

    def _abandon(self, executor: Any, pending: list[Future[Any]]) -> None:
        # loky must have seen that calls are cancelled before it ends its processes, which it does
        # since a call cannot be interrupted.
        wait([future for future in pending if future.cancel()], timeout=TICK)
        executor.shutdown(kill_workers=True)


@dataclass(frozen=True, kw_only=True)
class Dask(Engine):
    """The workers of a Dask scheduler; for the options see ``conf/engine/dask.yaml``.

    A call whose worker is lost is made again elsewhere.

    Raises:
        ConfigError: an invalid option, `jobs` or `memory` with an address, or packages that are not
            installed.
    """

    name: Literal["dask"] = "dask"
    address: str | None = None
    jobs: int = -1
    memory: str | None = None
    wait: float = 60.0

    def __post_init__(self) -> None:
        if (problem := describe_lacking("dask", f"the workers of engine={self.name}")) is not None:
            raise ConfigError(problem)
        if not 0 < self.wait < math.inf:
            raise ConfigError(f"engine.wait={self.wait}: use a number of seconds above 0")
        _count_processes(self.jobs)
        if self.address is not None and (self.jobs, self.memory) != (-1, None):
            raise ConfigError(
                "engine.jobs and engine.memory are for workers that are started: they cannot be "
                "used with engine.address"
            )

    def _check_answer(self, address: str) -> None:
        """Check that a scheduler answers within `wait`: a client would wait for it forever.

        Raises:
            OSError: nobody listens, or another program does.
        """
        import asyncio  # slow to import
        from concurrent.futures import ThreadPoolExecutor

        from distributed.comm import connect
        from distributed.security import Security

        async def greet() -> None:
            options = Security().get_connection_args("client")
            (await connect(address, timeout=self.wait, **options)).abort()

        def greet_in_time() -> None:
            # `connect` has a limit for the connection, but none for the answer.
            asyncio.run(asyncio.wait_for(greet(), self.wait + TICK))

        try:
            with ThreadPoolExecutor(1) as thread:  # a notebook runs a loop in this one
                thread.submit(greet_in_time).result()
        except (TimeoutError, MemoryError, struct.error):
            raise OSError(
                f"{address} does not answer as a Dask scheduler within engine.wait: use the "
                "address that `dask scheduler` prints, not that of its dashboard"
            ) from None

    def _scheduler(self) -> Any:
        """Return the address of the scheduler, or a cluster that is started."""
        if self.address is not None:
            self._check_answer(self.address)
            return self.address
        from distributed import LocalCluster

        return LocalCluster(
            n_workers=_count_processes(self.jobs),
            threads_per_worker=1,
            memory_limit=self.memory or "auto",
            dashboard_address="127.0.0.1:0",
            silence_logs="CRITICAL",
        )

    def _executor(self) -> Executor:
        """Return the executor of the connection, which is used until this process ends."""
        if self not in _CLIENTS or _CLIENTS[self].status != "running":
            from distributed import Client

            try:
                client = Client(self._scheduler(), timeout=self.wait, set_as_default=False)
            except (OSError, RuntimeError, ValueError) as error:
                raise self._error(error) from None
            note(f"Dask dashboard: {client.dashboard_link}")
            if not _CLIENTS:
                atexit.register(close_clients)
            _CLIENTS[self] = client
        executor: Executor = _CLIENTS[self].get_executor(pure=False)
        return executor

    def _count_workers(self) -> int:
        client = _CLIENTS[self]
        try:
            if not client.nthreads():
                client.wait_for_workers(1, self.wait)
            return max(1, len(client.nthreads()))
        except TimeoutError as error:
            raise self._error(TimeoutError(f"no worker within engine.wait: {error}")) from None
        except (OSError, RuntimeError, ValueError) as error:
            raise self._error(error) from None

    def _lost(self) -> tuple[type[BaseException], ...]:
        from distributed import CancelledError, KilledWorker

        return CancelledError, KilledWorker

    def _abandon(self, executor: Any, pending: list[Future[Any]]) -> None:
        for future in pending:
            future.cancel()


_CLIENTS: dict[Dask, Any] = {}


def close_clients() -> None:
    """Disconnect from all schedulers, and stop the workers that were started here."""
    while _CLIENTS:
        client = _CLIENTS.popitem()[1]
        cluster = client.cluster
        with suppress(Exception):  # the scheduler may be lost
            client.close(timeout=5)
        if cluster is not None:
            cluster.close(timeout=10)


AnyEngine = Processes | Dask


def _count_processes(jobs: int) -> int:
    """Return a number of processes, where -1 is one per core.

    Raises:
        ConfigError: it is neither positive nor -1.
    """
    if jobs >= 1:
        return jobs
    if jobs != -1:
        raise ConfigError(f"engine.jobs={jobs}: use 1 or more, or -1 for one per core")
    from joblib import cpu_count

    return int(cpu_count())


SERIAL = Processes()
