"""The one way kernels are compiled here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def compiled(kernel: Kernel) -> Kernel:
    """Compile a pure function on arrays; the machine code is kept on disk for the next process.

    The plain function stays reachable as ``kernel.py_func``: tests hold the two against each other.
    """
    return cast(Kernel, njit(cache=True)(kernel))
