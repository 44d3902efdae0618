"""Work on several cores, through joblib."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def in_processes(
    function: Callable[..., T], arguments: Iterable[tuple[object, ...]], jobs: int, ordered: bool
) -> Iterator[T]:
    """The results of a function called with each tuple of arguments, as they come.

    Args:
        jobs: processes; -1 for one a core, 1 for this one.
        ordered: in the order of the arguments; else as they are finished.
    """
    if jobs == 1:
        return (function(*each) for each in arguments)
    from joblib import Parallel, delayed

    order = "generator" if ordered else "generator_unordered"
    parallel = Parallel(n_jobs=jobs, return_as=order)
    # Processes outlive a call, and code named in a user's YAML may lie in a folder they don't know.
    found: Iterator[T] = parallel(
        delayed(_with_path)(tuple(sys.path), function, each) for each in arguments
    )
    return found


def _with_path(
    path: tuple[str, ...], function: Callable[..., T], arguments: tuple[object, ...]
) -> T:
    sys.path[:] = path
    return function(*arguments)
