"""The decorators that compile kernels: pure functions on arrays, of three kinds.

With ``NUMBA_DISABLE_JIT=1`` in the environment all kernels run as plain Python functions, and
``kernel.py_func`` is the plain function of one kernel, which tests compare with the compiled one.
Division by zero gives infinity or NaN, as in NumPy, instead of an exception.

Machine code is cached on disk (see `metrics.kernel_cache`). A kernel is compiled again when its own
code changes, that of a kernel it calls, or a constant that one of them uses.

Kernels of the second and third kind save compile time: no entry point is generated for uses that
they do not have, and no reference counting of their arguments. That matters, since a kernel is
optimised again within each kernel that calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit
from numba.core.dispatcher import Dispatcher

from metrics.kernel_cache import KernelCache

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function that Python and kernels can call."""
    return _compile(kernel)


def inner(kernel: Kernel) -> Kernel:
    """Compile a function that only kernels call, and that allocates no arrays.

    The arrays it works on are kept alive by the kernel that calls it. Without Numba's run-time
    system (NRT) none of them is counted, which makes it cheap to pass a named tuple of many.
    """
    return _compile(kernel, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(kernel: Kernel) -> Kernel:
    """Compile a function into the one kernel that calls it, as if its body stood there."""
    return _compile(kernel, inline="always")


def _compile(kernel: Kernel, **options: Any) -> Kernel:
    dispatcher = njit(error_model="numpy", **options)(kernel)
    if isinstance(dispatcher, Dispatcher):  # not with NUMBA_DISABLE_JIT
        dispatcher._cache = KernelCache(dispatcher)
    return cast(Kernel, dispatcher)
