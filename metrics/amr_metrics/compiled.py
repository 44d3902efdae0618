"""Kernels: pure functions on arrays that Numba compiles.

`compiled` functions are called from Python and from kernels. `inner`, `hot` and `inlined` ones are
called from kernels; they save compile time, since a kernel is optimised again within each kernel
that calls it. Division by zero gives infinity or NaN, as in NumPy, instead of an exception. With
``NUMBA_DISABLE_JIT=1`` in the environment all kernels run as plain Python functions.

Importing Numba takes several tenths of a second, much longer than a few small graphs take in plain
Python: it is imported when the first kernel is called outside of `plain_if_quick`.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from amr_metrics.errors import is_interrupt

Function = TypeVar("Function", bound=Callable[..., object])

CACHED = ("amr_metrics", "bamboo")  # packages whose changes the cache detects
MARK = b"amr_metrics.compiled import"  # in modules with kernels, which also define their constants

# Microseconds that a process may still spend on plain kernels: a fraction of Numba's import.
plain_budget = 100_000.0
_plain = ContextVar("_plain", default=False)  # whether kernels are called as plain functions
# Called when the compilation of a kernel begins.
on_compilation: Callable[[], None] = lambda: None  # noqa: E731


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
    """A function that Numba compiles when it is called, for each combination of argument types.

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
        try:
            return (self.plain if _plain.get() else self.target)(*arguments)
        except SystemError as error:
            if is_interrupt(error):
                raise KeyboardInterrupt from error
            raise

    @functools.cached_property
    def plain(self) -> Callable[..., Any]:
        """The plain function, which calls other kernels as plain functions."""
        function = cast(FunctionType, self.py_func)
        names = _plain_names(function.__globals__)
        plain = FunctionType(function.__code__, names, closure=function.__closure__)
        plain.__defaults__ = function.__defaults__
        return plain

    def __reduce__(self) -> str:
        """Pickle a kernel by its name, like a function."""
        return self.py_func.__qualname__

    @functools.cached_property
    def target(self) -> Any:
        """Numba's dispatcher, or the plain function with ``NUMBA_DISABLE_JIT``."""
        numba = load_numba()
        if "dot" in self.py_func.__code__.co_names:
            numba.np.linalg.ensure_blas()
        target = numba.njit(error_model="numpy", **self._options)(self.py_func)
        package = self.__module__.partition(".")[0]
        if target is not self.py_func and package in CACHED:
            _cache(target, Path(sys.modules[package].__path__[0]))
        return target

    # What Numba asks of this object where another kernel calls it.

    @property
    def _numba_type_(self) -> Any:
        return self.target._numba_type_

    @property
    def targetoptions(self) -> Any:
        """All options of the compiler."""
        return self.target.targetoptions


_plain_modules: dict[str, dict[str, Any]] = {}


def _plain_names(module: dict[str, Any]) -> dict[str, Any]:
    """Return the names of a module with plain functions in the place of kernels."""
    name = module["__name__"]
    if name not in _plain_modules:
        names = _plain_modules[name] = dict(module)  # stored first: its kernels ask for it
        kernels = {key: value for key, value in module.items() if isinstance(value, Kernel)}
        names.update({key: kernel.plain for key, kernel in kernels.items()})
    return _plain_modules[name]


def _cache(target: Any, package: Path) -> None:
    """Cache the machine code of a kernel on disk, in a folder for this state of all kernels."""
    from numba.core import config

    folder = cache_folder() / f"kernels-{kernel_digest(package)}"
    previous, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):  # Numba would choose another folder
            raise PermissionError(f"{folder} cannot be written to")
        target._cache = _checked_cache()(target.py_func)
    except (OSError, RuntimeError) as error:
        warnings.warn(
            f"compiled kernels cannot be cached, so that each process compiles them again: {error};"
            " set NUMBA_CACHE_DIR to a folder that can be written to",
            RuntimeWarning,
            stacklevel=2,
        )
    finally:
        config.CACHE_DIR = previous


def cache_folder() -> Path:
    """Return the folder of compiled kernels: ``NUMBA_CACHE_DIR``, or the user's cache folder."""
    import platformdirs

    folder = os.environ.get("NUMBA_CACHE_DIR")
    return Path(folder) if folder else platformdirs.user_cache_path("bamboo-amr", appauthor=False)


@functools.cache
def kernel_digest(package: Path) -> str:
    """Return a digest of all modules with kernels and of the versions of Numba and NumPy.

    By itself Numba compiles a kernel again only if the file of that kernel has changed: it misses
    changes of the kernels that it calls and of their constants in other files.

    Args:
        package: the package whose kernels are compiled; they may call kernels of this library.
    """
    import numba

    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}".encode())
    for folder in dict.fromkeys((Path(__file__).parent, package)):
        for path in sorted(folder.rglob("*.py")):
            if MARK in (content := path.read_bytes()):  # also this module
                digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:16]


@functools.cache
def _checked_cache() -> type:
    from numba.core.caching import FunctionCache
    from numba.core.runtime import rtsys

    class CheckedCache(FunctionCache):  # type: ignore[misc]  # numba is not annotated
        """Checks the types of what it loads.

        Processes that compile a kernel for different types at once may mix up their files.
        """

        def load_overload(self, sig: tuple[Any, ...], target_context: Any) -> Any:
            rtsys.initialize(target_context)  # all that machine code needs of the slow `refresh`
            found = self._load_overload(sig, target_context)
            return found if found is not None and found.signature.args == sig else None

    return CheckedCache


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
    from numba.core import event
    from numba.np import linalg

    check = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        import numba.np.arraymath
    finally:
        linalg.ensure_blas = check

    class Listener(event.Listener):  # type: ignore[misc]  # numba is not annotated
        def on_start(self, event: object) -> None:
            on_compilation()

        def on_end(self, event: object) -> None:
            pass

    event.register("numba:compile", Listener())
    plain_budget = 0.0
    return numba
