"""`Engine`: makes many calls of a function in an executor and returns the results."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, TypeVar

from bamboo.engines.calls import call_from
from bamboo.errors import EngineError

T = TypeVar("T")

TICK = 1.0  # seconds between two looks at the executor while no call finishes


@dataclass(frozen=True, kw_only=True)
class Engine(ABC):
    """Makes calls in this process, in other processes, or on other machines.

    The result of a call must not depend on where it is made, nor on other calls: every engine
    returns the same results. A subclass provides a `concurrent.futures.Executor`.
    """

    @property
    def in_process(self) -> bool:
        """Whether calls are made in this process, one after the other."""
        return False

    def map(
        self,
        function: Callable[..., T],
        arguments: Iterable[tuple[object, ...]],
        *,
        ordered: bool = True,
        ahead: int = 1,
    ) -> Iterator[T]:
        """Call a function with each tuple of arguments and yield the results.

        The arguments are read while calls are made, not all at once.

        Args:
            function: a function of a module, so that other processes can import it.
            ordered: yield in the order of the arguments; otherwise as the calls finish.
            ahead: how many calls wait for each process.

        Raises:
            EngineError: the calls cannot be made, or not to the end; raised while iterating.
        """
        executor = self.executor()
        tasks = iter(arguments)
        task = next(tasks, None)
        pending: list[Future[Any]] = []
        try:
            while pending or task is not None:
                while task is not None and len(pending) < self.count_workers() * (1 + ahead):
                    pending.append(self.submit(executor, function, task))
                    task = next(tasks, None)
                finished, _ = wait(pending[:1] if ordered else pending, TICK, FIRST_COMPLETED)
                self.count_workers()
                for future in finished:
                    pending.remove(future)
                    yield self.result(future)
        except BrokenProcessPool:
            raise EngineError(
                "a worker process was stopped from outside, for instance for lack of memory: run "
                "the command again, with engine=serial or a smaller engine.jobs if it needs less "
                "memory"
            ) from None
        finally:
            if pending:
                self.abandon(executor, pending)

    @abstractmethod
    def executor(self) -> Executor:
        """Return the executor, started or connected.

        Raises:
            EngineError: it cannot be started or reached.
        """

    @abstractmethod
    def count_workers(self) -> int:
        """Return the number of processes that make calls, at least 1.

        Raises:
            EngineError: the executor is lost, or has had no processes for too long.
        """

    def submit(
        self, executor: Executor, function: Callable[..., Any], arguments: tuple[object, ...]
    ) -> Future[Any]:
        """Submit a call."""
        return executor.submit(call_from, os.getcwd(), tuple(sys.path), function, arguments)

    def result(self, future: Future[Any]) -> Any:
        """Return the result of a call that is finished, or raise its error."""
        return future.result()

    def abandon(self, executor: Executor, pending: list[Future[Any]]) -> None:
        """Give up the calls that are not finished."""
        for future in pending:
            future.cancel()
