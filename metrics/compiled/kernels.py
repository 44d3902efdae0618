"""The decorators that compile kernels: pure functions on arrays, of three kinds.

With ``NUMBA_DISABLE_JIT=1`` in the environment all kernels run as plain Python functions, and
``kernel.py_func`` is the plain function of one kernel, which tests compare with the compiled one.
Division by zero gives infinity or NaN, as in NumPy, instead of an exception.

Machine code is cached on disk (see `metrics.compiled.cache`).

Kernels of the second and third kind save compile time: no entry point is generated for uses that
they do not have, and no reference counting of their arguments. That matters, since a kernel is
optimised again within each kernel that calls it.

Numba is imported when the first kernel is called. That takes several tenths of a second, much
longer than a few small graphs take in plain Python: such work is done within `plain_if_quick`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, cast

import numpy as np

Function = TypeVar("Function", bound=Callable[..., object])

CACHED = ("metrics", "bamboo")  # packages whose changes the cache detects

# Microseconds that a process may still spend on plain kernels: a fraction of Numba's import.
plain_budget = 100_000.0
_plain = ContextVar("_plain", default=False)  # whether kernels are called as plain functions


def compiled(function: Function) -> Function:
    """Compile a function that Python and kernels can call."""
    return cast(Function, Kernel(function))


def inner(function: Function) -> Function:
    """Compile a function that only kernels call, and that allocates no arrays.

    The arrays it works on are kept alive by the kernel that calls it. Without Numba's run-time
    system (NRT) none of them is counted, which makes it cheap to pass a named tuple of many.
    """
    options = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(Function, Kernel(function, **options))


def hot(function: Function) -> Function:
    """Compile a function like `inner`, and into each kernel that calls it, whatever its length."""
    return cast(Function, Kernel(function, forceinline=True, _nrt=False))


def inlined(function: Function) -> Function:
    """Compile a function into the one kernel that calls it, as if its body stood there."""
    return cast(Function, Kernel(function, inline="always"))


class Kernel:
    """A function that Numba compiles, for each combination of argument types, when it is called.

    Args:
        function: the function in plain Python.
        options: options of Numba's compiler.

    Attributes:
        py_func: the plain function, by the name that Numba gives it.
    """

    def __init__(self, function: Callable[..., object], **options: object) -> None:
        self.py_func = function
        self._options = options
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function, or the plain one within `plain_if_quick`."""
        return (self.py_func if _plain.get() else self.target)(*arguments)

    def __reduce__(self) -> str:
        """Pickle a kernel by its name, like a function."""
        return self.py_func.__qualname__

    @functools.cached_property
    def target(self) -> Callable[..., Any]:
        """Numba's dispatcher, or the plain function with ``NUMBA_DISABLE_JIT``."""
        numba = load_numba()
        if "dot" in self.py_func.__code__.co_names:
            _check_blas()
        target = numba.njit(error_model="numpy", **self._options)(self.py_func)
        if target is not self.py_func and self.__module__.partition(".")[0] in CACHED:
            from metrics.compiled.cache import KernelCache, warn_uncached  # imports Numba

            try:
                target._cache = KernelCache(self.py_func)
            except RuntimeError as error:
                warn_uncached(str(error))
        return cast(Callable[..., Any], target)

    # How Numba treats this object where another kernel calls it.

    @property
    def _numba_type_(self) -> Any:
        return cast(Any, self.target)._numba_type_

    @property
    def targetoptions(self) -> Mapping[str, object]:
        """All options of the compiler."""
        return cast(Any, self.target).targetoptions  # type: ignore[no-any-return]

    @property
    def stats(self) -> Any:
        """Numba's count of compilations read from disk and of those that were not there."""
        return cast(Any, self.target).stats


@contextmanager
def plain_if_quick(microseconds: float) -> Iterator[None]:
    """Call kernels as plain functions if that takes less time than to import Numba.

    The estimates of a process add up, and the first that exceeds `plain_budget` imports Numba: two
    runs of a program call the same functions. Use it only for kernels whose plain functions give
    the same values to the last bit: without sums over arrays, whose terms NumPy adds in another
    order.

    Args:
        microseconds: an estimate for plain Python; infinity if kernels should be compiled.
    """
    global plain_budget
    if _plain.get() or microseconds > plain_budget:
        yield
        return
    plain_budget -= microseconds
    token = _plain.set(True)
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        _plain.reset(token)


def is_plain() -> bool:
    """Return whether kernels are called as plain functions."""
    return _plain.get()


def leave_plain() -> None:
    """Call compiled kernels in the rest of `plain_if_quick`, for more work than was estimated."""
    _plain.set(False)


@functools.cache
def load_numba() -> Any:
    """Import Numba without ``scipy.linalg``, which takes a quarter of the time of importing both.

    Numba's array functions import it to check that it is there and fits Numba. Here only kernels
    that need it, for ``np.dot``, make this check.
    """
    global plain_budget
    import numba
    from numba.np import linalg

    # `numba.np.arraymath` calls the check when it is imported; see `_check_blas`.
    check = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        import numba.np.arraymath
    finally:
        linalg.ensure_blas = check
    _report_compilations()
    plain_budget = 0.0
    return numba


def _check_blas() -> None:
    from numba.np import linalg

    cast(Any, linalg).ensure_blas()


_observers: list[Callable[[bool], None]] = []


@contextmanager
def compilation_observed(observer: Callable[[bool], None]) -> Iterator[None]:
    """Call a function with True when the compilation of kernels begins, with False when it ends.

    Only the innermost observer is called.
    """
    if "numba" in sys.modules:
        load_numba()
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


def _report_compilations() -> None:
    """Report compilations to the observer; a kernel's includes those of the kernels it calls."""
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]  # numba is not annotated
        """Counts the compilations that have begun and not ended."""

        running = 0

        def on_start(self, event: object) -> None:
            self.running += 1
            if self.running == 1:
                for observer in _observers[-1:]:
                    observer(True)

        def on_end(self, event: object) -> None:
            self.running -= 1
            if self.running == 0:
                for observer in _observers[-1:]:
                    observer(False)

    event.register("numba:compile", Listener())
