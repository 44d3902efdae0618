"""Penman notation of triples, also of deeply nested graphs.

penman's functions recurse, two calls for each level of parentheses.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from metrics.errors import GraphError

if TYPE_CHECKING:
    import penman

LEVELS = 1_000  # of parentheses that can be read and written: far beyond any sentence

CALLS = 2  # of penman's functions for each level
SPARE = 1_000  # calls for everything else
STACK = 256 * 1024 * 1024  # bytes of address space; only what is used takes memory

Node = tuple[Any, list[tuple[str, Any]]]
Result = TypeVar("Result")


class NestingError(GraphError):
    """A graph that is nested too deeply to be read or written.

    Besides penman's calls, the indentation sets a limit: the text of a graph grows with the
    square of its depth, and the time that penman takes to write it with the cube.
    """


def is_too_deep(node: Node) -> bool:
    """Whether a node of a `penman.Tree` has more than `LEVELS` levels, itself included."""
    level = [node]
    for _ in range(LEVELS):
        level = [target for _, edges in level for _, target in edges if isinstance(target, tuple)]
        if not level:
            return False
    return True


class _Calls:
    """The calls of `with_deep_stack` that are running in the threads of this process.

    The recursion limit belongs to the whole process: it is lowered again only after the last call
    has ended, since another thread may be deeper than the lower limit.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._limit: int | None = None  # before it was raised

    def __enter__(self) -> None:
        with self._lock:
            self._running += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._running -= 1
            if not self._running and self._limit is not None:
                sys.setrecursionlimit(self._limit)
                self._limit = None

    def raise_limit(self) -> None:
        with self._lock:
            if self._limit is None:
                self._limit = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._limit, CALLS * LEVELS + SPARE))

    def run(self, function: Callable[[], Result]) -> Result:
        """Call a function in a thread with a large stack."""
        with self._lock:  # the stack size of new threads belongs to the whole process
            stack = threading.stack_size(STACK)
            try:
                pool = ThreadPoolExecutor(1)
                answer = pool.submit(function)
            finally:
                threading.stack_size(stack)
        with pool:
            return answer.result()


_calls = _Calls()


def with_deep_stack(function: Callable[[], Result]) -> Result:
    """Call a function; if it raises `NestingError`, once more with a stack for `LEVELS` levels.

    Python's default limit of 1,000 calls is enough for penman to read about 490 levels. Only
    beyond that does the second call run, in a thread with a large stack and under a raised
    recursion limit.

    Args:
        function: raises `NestingError` where it runs into a `RecursionError`.

    Raises:
        NestingError: if the second call raises it too.

    >>> def depth(levels):
    ...     return 1 + depth(levels - 1) if levels else 0
    >>> def measured():
    ...     try:
    ...         return depth(2_000)
    ...     except RecursionError:
    ...         raise NestingError("too deep") from None
    >>> with_deep_stack(measured)
    2000
    """
    with _calls:
        try:
            return function()
        except NestingError:
            _calls.raise_limit()
        return _calls.run(function)


def format_triples(
    triples: Sequence[tuple[str, str, str]],
    top: str,
    metadata: Mapping[str, str] | None = None,
    indent: int | None = -1,
) -> str:
    """Format the triples of a graph, ``:instance`` triples included.

    Args:
        indent: as for `encode`.

    Raises:
        GraphError: if the graph is empty, not connected, or nested more than 1,000 levels deep.
    """
    import penman

    if not triples:
        raise GraphError("the empty graph has no Penman notation")
    return encode(penman.Graph(triples, top=top, metadata=dict(metadata or {})), indent)


def encode(graph: penman.Graph, indent: int | None = -1) -> str:
    """Format a `penman.Graph` in Penman notation.

    Args:
        indent: as for `penman.format`: spaces per level, -1 to align with the parent, or None for
            a single line.

    Raises:
        GraphError: if the graph is not connected, or nested more than 1,000 levels deep.
    """
    import penman
    from penman.models.amr import model as amr_model

    def encoded() -> str:
        try:
            tree = penman.configure(graph, model=amr_model)
            if is_too_deep(tree.node):
                raise RecursionError
            return str(penman.format(tree, indent=indent))
        except penman.PenmanError as error:
            raise GraphError(f"cannot be written in Penman notation: {error}") from None
        except RecursionError:
            raise NestingError(
                "cannot be written in Penman notation: "
                f"it is nested more than {LEVELS:,} levels deep"
            ) from None

    return with_deep_stack(encoded)
