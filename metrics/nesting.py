"""Deeply nested graphs: penman's functions recurse, two calls for each level of parentheses."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from metrics.errors import GraphError

READABLE = 10_000  # levels: far beyond any sentence, and a parse tree of a few megabytes
# Levels that can be written. Indentation makes the text of a graph grow with the square of its
# depth, and the time that penman takes with the cube.
WRITABLE = 1_000

CALLS = 2  # of penman's functions for each level
SPARE = 1_000  # calls for everything else
STACK = 256 * 1024 * 1024  # bytes of address space; only what is used takes memory

Result = TypeVar("Result")
_lock = threading.Lock()


class NestingError(GraphError):
    """A graph that is nested too deeply to be read or written."""


def with_deep_stack(function: Callable[[], Result], levels: int = READABLE) -> Result:
    """Call a function; if it raises `NestingError`, once more with room for more levels.

    Python's default limit of 1,000 calls is enough for penman to read about 490 levels, more
    than any sentence has. Only beyond that does the second call run, in a thread with a large
    stack and under a raised recursion limit.

    Args:
        function: raises `NestingError` where it runs into a `RecursionError`.
        levels: that the second call has room for.

    Raises:
        NestingError: if the second call raises it too.

    >>> def depth(levels):
    ...     return 1 + depth(levels - 1) if levels else 0
    >>> def measured():
    ...     try:
    ...         return depth(5_000)
    ...     except RecursionError:
    ...         raise NestingError("too deep") from None
    >>> with_deep_stack(measured)
    5000
    """
    try:
        return function()
    except NestingError:
        pass
    # The recursion limit and the stack size of new threads belong to the whole process.
    with _lock:
        limit, stack = sys.getrecursionlimit(), threading.stack_size()
        try:
            sys.setrecursionlimit(max(limit, CALLS * levels + SPARE))
            threading.stack_size(STACK)
            with ThreadPoolExecutor(1) as thread:
                return thread.submit(function).result()
        finally:
            threading.stack_size(stack)
            sys.setrecursionlimit(limit)
