"""Calls in the workers of a Dask cluster, on this machine or on several."""

from __future__ import annotations

import atexit
import contextlib
import logging
import math
import pickle
import time
import warnings
from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from bamboo.engines.base import TICK, Engine
from bamboo.engines.calls import Call
from bamboo.engines.processes import check_jobs, processes
from bamboo.errors import ConfigError, EngineError
from bamboo.log import note
from metrics.utils.extras import lacking

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True, kw_only=True)
class Cluster(Engine):
    """Calls in the workers of a Dask scheduler.

    A call whose worker is lost is made again elsewhere. A subclass starts or finds the scheduler.

    Attributes:
        name: the name of the engine.
        wait: seconds to wait for the scheduler, and for a worker if there is none.

    Raises:
        ConfigError: a time that is not above 0, or packages that are not installed.
    """

    name: str
    wait: float = 60.0

    advice: ClassVar[str] = ""  # what to do if there are no workers

    def __post_init__(self) -> None:
        if (problem := lacking("dask", f"the workers of engine={self.name}")) is not None:
            raise ConfigError(problem)
        if not 0 < self.wait < math.inf:
            raise ConfigError(f"engine.wait={self.wait}: use a number of seconds above 0")

    @abstractmethod
    def scheduler(self) -> Any:
        """Return the address of the scheduler, or a cluster that is started.

        Raises:
            EngineError: it cannot be started.
        """

    def executor(self) -> Executor:
        """See `Engine.executor`."""
        connection = _connection(self)
        connection.last_seen = time.monotonic()
        executor: Executor = connection.client.get_executor(pure=False)
        return executor

    def count_workers(self) -> int:
        """See `Engine.count_workers`; the scheduler is asked from time to time."""
        connection = _CONNECTIONS[self]
        now = time.monotonic()
        if now - connection.last_look >= TICK:
            connection.last_look = now
            try:
                connection.workers = len(connection.client.nthreads()) if connection.alive else -1
            except (OSError, TimeoutError, CancelledError):
                connection.workers = -1
        if connection.workers < 0:
            raise self._lost()
        if connection.workers:
            connection.last_seen = now
        elif now - connection.last_seen > self.wait:
            raise EngineError(
                f"the Dask scheduler at {connection.address} has had no workers for "
                f"{self.wait:g} s (engine.wait): {self.advice}"
            )
        return max(1, connection.workers)

    def submit(
        self, executor: Executor, function: Callable[..., Any], arguments: tuple[object, ...]
    ) -> Future[Any]:
        """See `Engine.submit`; data are part of the call: it can be made again elsewhere."""
        call = pickle.dumps(Call(function, arguments), protocol=5)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")
            return executor.submit(pickle.loads, call)

    def result(self, future: Future[Any]) -> Any:
        """See `Engine.result`."""
        from distributed import KilledWorker

        try:
            return pickle.loads(future.result())
        except CancelledError:
            raise self._lost() from None
        except ModuleNotFoundError as error:
            raise EngineError(
                f"a worker cannot import {error.name}: install this project, and the code that the "
                "configuration names, on all machines"
            ) from None
        except KilledWorker as error:
            raise EngineError(
                f"{error.allowed_failures + 1} workers ended one after the other during the same "
                f"call, the last one {error.last_worker.address}, probably for lack of memory: "
                "use workers with more memory"
            ) from None

    def _lost(self) -> EngineError:
        connection = _CONNECTIONS.pop(self)
        connection.close()
        return EngineError(
            f"the Dask scheduler at {connection.address} was lost: run the command again to "
            "continue: what was finished is cached"
        )


@dataclass(frozen=True, kw_only=True)
class Dask(Cluster):
    """The options in ``conf/engine/dask.yaml``.

    Attributes:
        name: its name.
        address: of a running scheduler, such as ``tcp://host:8786``; None to start workers on
            this machine.
        jobs: number of workers to start; -1 for one per core.
        memory: memory limit of each of these workers, such as ``4GB``; None for an equal share.

    Raises:
        ConfigError: an invalid option, or `jobs` or `memory` with an address.
    """

    name: Literal["dask"] = "dask"
    address: str | None = None
    jobs: int = -1
    memory: str | None = None

    advice: ClassVar[str] = (
        "start some on each machine (dask worker ADDRESS), or see why they ended"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_jobs(self.jobs)
        if self.address is not None and (self.jobs, self.memory) != (-1, None):
            raise ConfigError(
                "engine.jobs and engine.memory are for workers that are started: they cannot be "
                "used with engine.address"
            )
        if self.memory is not None:
            check_memory(self.memory)

    def scheduler(self) -> Any:
        """See `Cluster.scheduler`."""
        if self.address is not None:
            return self.address
        distributed = import_module("distributed")
        try:
            return distributed.LocalCluster(
                n_workers=processes(self.jobs),
                threads_per_worker=1,
                memory_limit="auto" if self.memory is None else self.memory,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError, TimeoutError) as error:
            raise EngineError(f"the workers cannot be started: {first_line(error)}") from None


@dataclass(eq=False)
class Connection:
    """A connection to a scheduler, and the cluster if it was started here.

    Attributes:
        address: of the scheduler, for messages.
    """

    client: Client
    address: str
    cluster: Any = None
    workers: int = 0
    last_seen: float = 0.0  # when there was a worker
    last_look: float = -math.inf  # when the number of workers was asked for

    @classmethod
    def to(cls, scheduler: Any, wait: float) -> Connection:
        """Connect to the scheduler at an address or of a cluster.

        Raises:
            EngineError: nothing answers within `wait` seconds.
        """
        distributed = import_module("distributed")
        for name in list(logging.root.manager.loggerDict):
            # What matters is raised as an error.
            if name.partition(".")[0] in ("distributed", "tornado"):
                logging.getLogger(name).setLevel(logging.CRITICAL)
        address = scheduler if isinstance(scheduler, str) else scheduler.scheduler_address
        with warnings.catch_warnings():
            # Versions are compared, more strictly, when a worker makes its first call.
            warnings.simplefilter("ignore", distributed.versions.VersionMismatchWarning)
            try:
                client = distributed.Client(scheduler, timeout=wait, set_as_default=False)
            except (OSError, TimeoutError) as error:
                raise EngineError(
                    f"no Dask scheduler answers at {address} within {wait:g} s "
                    f"(engine.wait): {first_line(error)}"
                ) from None
            except ValueError as error:
                raise ConfigError(
                    f"engine.address={address}: {first_line(error)}: expected an address such as "
                    "tcp://host:8786"
                ) from None
        note(f"Dask dashboard: {client.dashboard_link}")
        return cls(client, address, None if isinstance(scheduler, str) else scheduler)

    @property
    def alive(self) -> bool:
        """Whether the scheduler can be reached."""
        return bool(self.client.status == "running")

    def close(self) -> None:
        """Disconnect, and stop workers that were started here."""
        with contextlib.suppress(OSError, TimeoutError, CancelledError):  # from a lost scheduler
            self.client.close(timeout=5)
        if self.cluster is not None:
            self.cluster.close(timeout=10)


_CONNECTIONS: dict[Cluster, Connection] = {}  # one per engine, used until the process ends


def _connection(engine: Cluster) -> Connection:
    """Return the connection of an engine; a new one if there is none or it is lost."""
    connection = _CONNECTIONS.get(engine)
    if connection is not None and connection.alive:
        return connection
    if not _CONNECTIONS:
        atexit.register(close_connections)
    if connection is not None:
        _CONNECTIONS.pop(engine).close()
    scheduler = engine.scheduler()
    try:
        _CONNECTIONS[engine] = Connection.to(scheduler, engine.wait)
    except BaseException:
        if not isinstance(scheduler, str):
            scheduler.close(timeout=10)
        raise
    return _CONNECTIONS[engine]


def close_connections() -> None:
    """Disconnect from all schedulers, and stop the workers that were started here."""
    while _CONNECTIONS:
        _CONNECTIONS.popitem()[1].close()


def check_memory(memory: str) -> None:
    """Check an amount of memory.

    Raises:
        ConfigError: not an amount such as ``4GB``.
    """
    utils = import_module("dask.utils")
    try:
        valid = utils.parse_bytes(memory) > 0
    except ValueError:
        valid = False
    if not valid:
        raise ConfigError(f"engine.memory={memory}: expected an amount such as 4GB")


def first_line(error: BaseException) -> str:
    """Return the first line of an error, or its type if it has no text."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
