"""`Engine`: makes many calls of a function and returns the results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Engine(ABC):
    """Makes calls in this process, in other processes, or on other machines.

    The result of a call must not depend on where it is made, nor on other calls: every engine
    returns the same results.
    """

    @property
    def in_process(self) -> bool:
        """Whether calls are made in this process, one after the other."""
        return False

    @abstractmethod
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
