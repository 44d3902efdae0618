"""Deeply nested graphs: penman's functions recurse, two calls for each level of parentheses."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from metrics.errors import GraphError

LEVELS = 1_000  # of parentheses that can be read and written: far beyond any sentence

CALLS = 2  # of penman's functions for each level
SPARE = 1_000  # calls for everything else
STACK = 256 * 1024 * 1024  # bytes of address space; only what is used takes memory

Node = tuple[Any, list[tuple[str, Any]]]
Result = TypeVar("Result")
_lock = threading.Lock()


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


def with_deep_stack(function: Callable[[], Result]) -> Result:
    """Call a function; if it raises `NestingError`, once more with room for `LEVELS` levels.

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
    try:
        return function()
    except NestingError:
        pass
    # The recursion limit and the stack size of new threads belong to the whole process.
    with _lock:
        limit, stack = sys.getrecursionlimit(), threading.stack_size()
        try:
            sys.setrecursionlimit(max(limit, CALLS * LEVELS + SPARE))
            threading.stack_size(STACK)
            with ThreadPoolExecutor(1) as thread:
                return thread.submit(function).result()
        finally:
            threading.stack_size(stack)
            sys.setrecursionlimit(limit)
