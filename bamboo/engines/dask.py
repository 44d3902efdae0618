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
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from importlib import import_module
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar
from uuid import uuid4

from bamboo.engines.base import Engine
from bamboo.engines.calls import Call
from bamboo.engines.processes import check_jobs
from bamboo.errors import ConfigError, EngineError
from bamboo.log import note
from metrics.utils.extras import lacking

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")

TICK = 1.0  # seconds between two looks at the scheduler while no call finishes
AGAIN = "run the command again to continue: what was finished is cached"


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
    def connect(self) -> Connection:
        """Connect to the scheduler.

        Raises:
            EngineError: it cannot be reached or started.
        """

    def map(
        self,
        function: Callable[..., T],
        arguments: Iterable[tuple[object, ...]],
        *,
        ordered: bool = True,
        ahead: int = 1,
    ) -> Iterator[T]:
        """See `Engine.map`.

        Raises:
            EngineError: no scheduler or no worker within the time limit, a scheduler that is
                lost, workers with other versions, a call that stopped several workers.
        """
        return _Calls(_connection(self), self, function, ordered, ahead).results(arguments)


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

    def connect(self) -> Connection:
        """See `Cluster.connect`."""
        if self.address is not None:
            return Connection.to(self.address, self.wait)
        distributed = import_module("distributed")
        from joblib import cpu_count

        try:
            cluster = distributed.LocalCluster(
                n_workers=cpu_count() if self.jobs == -1 else self.jobs,
                threads_per_worker=1,
                memory_limit="auto" if self.memory is None else self.memory,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError, TimeoutError) as error:
            raise EngineError(f"the workers cannot be started: {first_line(error)}") from None
        return Connection.to(cluster, self.wait)


@dataclass(eq=False)
class Connection:
    """A connection to a scheduler, and the cluster if it was started here.

    Attributes:
        address: of the scheduler, for messages.
    """

    client: Client
    address: str
    cluster: Any = None

    @classmethod
    def to(cls, scheduler: Any, wait: float) -> Connection:
        """Connect to the scheduler at an address or of a cluster.

        Raises:
            EngineError: nothing answers within `wait` seconds.
        """
        distributed = import_module("distributed")
        for name in list(logging.root.manager.loggerDict):
            if name.partition(".")[0] == "distributed":  # what matters is raised as an error
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
    """The connection of an engine; a new one if there is none or it is lost."""
    known = _CONNECTIONS.get(engine)
    if known is not None and known.alive:
        return known
    if not _CONNECTIONS:
        atexit.register(close_connections)
    if known is not None:
        _CONNECTIONS.pop(engine).close()
    _CONNECTIONS[engine] = engine.connect()
    return _CONNECTIONS[engine]


def close_connections() -> None:
    """Disconnect from all schedulers, and stop the workers that were started here."""
    while _CONNECTIONS:
        _CONNECTIONS.popitem()[1].close()


@dataclass(eq=False)
class _Calls:
    """The calls of one `Engine.map` that are sent and not finished."""

    connection: Connection
    engine: Cluster
    function: Callable[..., Any]
    ordered: bool
    ahead: int
    pending: dict[str, tuple[int, Future]] = field(default_factory=dict)
    finished: SimpleQueue[str] = field(default_factory=SimpleQueue)
    workers: int = 0
    last_seen: float = 0.0  # when there was a worker
    last_look: float = -math.inf  # when the number of workers was asked for

    def results(self, arguments: Iterable[tuple[object, ...]]) -> Iterator[Any]:
        waiting = enumerate(arguments)
        early: dict[int, Any] = {}  # results that others come before
        following = 0
        more = True
        self.last_seen = time.monotonic()
        try:
            while True:
                self._look()
                while more and len(self.pending) + len(early) < self._most():
                    entry = next(waiting, None)
                    more = entry is not None
                    if entry is not None:
                        self._send(*entry)
                if not self.pending:
                    return
                position, result = self._next()
                if not self.ordered:
                    yield result
                    continue
                early[position] = result
                while following in early:
                    yield early.pop(following)
                    following += 1
        finally:
            self._cancel()

    def _most(self) -> int:
        return max(1, self.workers) * (1 + self.ahead)

    def _send(self, position: int, arguments: tuple[object, ...]) -> None:
        key = f"bamboo-{self.function.__name__}-{uuid4().hex}"
        with warnings.catch_warnings():
            # Data are part of the call, so that it can be made again if its worker is lost.
            warnings.filterwarnings("ignore", message="Sending large graph")
            future = self.connection.client.submit(
                pickle.loads,
                pickle.dumps(Call(self.function, arguments), protocol=5),
                key=key,
                pure=False,
            )
        self.pending[key] = position, future
        future.add_done_callback(lambda done: self.finished.put(done.key))

    def _next(self) -> tuple[int, Any]:
        """The position and the result of the next call that finishes."""
        while True:
            try:
                key = self.finished.get(timeout=TICK)
                break
            except Empty:
                self._look()
        from distributed import KilledWorker

        position, future = self.pending.pop(key)
        try:
            return position, pickle.loads(future.result(timeout=self.engine.wait))
        except (CancelledError, TimeoutError, OSError) as error:
            if future.status == "error":  # raised by the function
                raise
            raise self._lost() from error
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
        finally:
            future.release()

    def _lost(self) -> EngineError:
        _CONNECTIONS.pop(self.engine, self.connection).close()
        return EngineError(f"the Dask scheduler at {self.connection.address} was lost: {AGAIN}")

    def _look(self) -> None:
        """Check, from time to time, that there is a scheduler and that it has workers."""
        now = time.monotonic()
        if now - self.last_look < TICK:
            return
        self.last_look = now
        if not self.connection.alive:
            raise self._lost()
        try:
            self.workers = len(self.connection.client.nthreads())
        except (OSError, TimeoutError, CancelledError):
            raise self._lost() from None
        if self.workers:
            self.last_seen = now
        elif now - self.last_seen > self.engine.wait:
            raise EngineError(
                f"the Dask scheduler at {self.connection.address} has had no workers for "
                f"{self.engine.wait:g} s (engine.wait): {self.engine.advice}"
            )

    def _cancel(self) -> None:
        futures = [future for _, future in self.pending.values()]
        self.pending.clear()
        if futures and self.connection.alive:
            self.connection.client.cancel(futures)


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
    """The first line of an error, or its type if it has no text."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
