"""The one way kernels are compiled here: pure functions on arrays, in three kinds.

With ``NUMBA_DISABLE_JIT=1`` in the environment all of them run as the plain functions they are,
and ``kernel.py_func`` is that of one: tests hold the two against each other. Division by zero gives
infinity or NaN, as in NumPy, instead of an exception.

Kernels of the second and third kind take no compile time for what they are not used for. That
matters, since a kernel is optimised again within each kernel above it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function; the machine code is kept on disk for the next process."""
    return _compile(kernel)


def inner(kernel: Kernel) -> Kernel:
    """Compile a function that only kernels call; Python cannot."""
    return _compile(kernel, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(kernel: Kernel) -> Kernel:
    """Compile a function into the one kernel that calls it, as if it stood there."""
    return _compile(kernel, inline="always")


def _compile(kernel: Kernel, **options: Any) -> Kernel:
    # Numba takes kept code for good as long as the kernel's own file is unchanged, whatever
    # became of the kernels that it calls: so its name on disk tells the state of them all.
    kernel.__qualname__ += f"-{SOURCES}"
    return cast(Kernel, njit(cache=True, error_model="numpy", **options)(kernel))


def _digest() -> str:
    """A digest of this package's sources."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


SOURCES = _digest()
