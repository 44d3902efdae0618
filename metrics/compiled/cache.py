"""Numba's cache of compiled kernels on disk, valid until a module with kernels changes.

By itself Numba compiles a kernel again only if the file of that kernel has changed: it misses
changes of the kernels that it calls and of their constants in other files.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from glob import escape, glob
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import caching, config
from numba.core.runtime import rtsys
from numba.misc.appdirs import AppDirs

HERE = Path(__file__).parent
LIBRARY = HERE.parent
MARK = b"metrics.compiled import"  # in modules with kernels, which also define their constants


@functools.cache
def kernel_stamp(package: Path = LIBRARY) -> str:
    """Return a digest of all modules with kernels and of the versions of Numba and NumPy.

    Args:
        package: the folder of the package whose kernels are compiled; they may call kernels of
            this library, which the digest of another package therefore covers too.
    """
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}".encode())
    if package != LIBRARY:
        digest.update(kernel_stamp().encode())
    for path in sorted(package.rglob("*.py")):
        if MARK in (content := path.read_bytes()) or path.parent == HERE:
            digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:16]


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Where the files of a kernel are; `kernel_stamp` is in their names, so versions share none."""

    def __init__(self, folder: str, py_file: str, stamp: str) -> None:
        self._folder, self._py_file, self._stamp = folder, py_file, stamp

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return self._stamp

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> _Locator | None:
        """Choose the first folder that can be written to or has the kernel."""
        package = sys.modules[py_func.__module__.partition(".")[0]]
        stamp = kernel_stamp(Path(package.__path__[0]))
        subfolder = cls.get_suitable_cache_subpath(py_file)
        user = AppDirs(appname="numba", appauthor=False).user_cache_dir
        folders = [
            os.path.join(os.path.dirname(py_file), "__pycache__"),
            os.path.join(user, subfolder),
        ]
        if config.CACHE_DIR:
            folders.insert(0, os.path.join(config.CACHE_DIR, subfolder))
        for folder in folders:
            locator = cls(folder, py_file, stamp)
            try:
                locator.ensure_cache_path()
            except OSError:
                if not glob(f"{escape(folder)}/*.{py_func.__qualname__}-{stamp}.*.nbi"):
                    continue
            return locator
        return None


class _Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """The cache of one kernel.

    Raises:
        RuntimeError: no folder can be written to.
    """

    _impl_class = _Implementation

    def load_overload(self, sig: tuple[Any, ...], target_context: Any) -> Any:
        """Return the compilation for some argument types; None if it is not on disk."""
        rtsys.initialize(target_context)  # all that machine code needs of `target_context.refresh`
        try:
            compiled = self._load_overload(sig, target_context)
        except Exception:  # whatever damaged files raise
            with suppress(OSError):
                self.flush()
            return None
        # Processes that compile a kernel for different types at once may mix up their files.
        return compiled if compiled is not None and compiled.signature.args == sig else None

    def save_overload(self, sig: tuple[Any, ...], data: Any) -> None:
        """Write a compilation to disk, if the folder can still be written to."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warn_uncached(str(error))


def warn_uncached(reason: str) -> None:
    """Warn that kernels are not cached."""
    warnings.warn(
        f"compiled kernels cannot be cached, so that each process compiles them again: {reason}; "
        "set NUMBA_CACHE_DIR to a folder that can be written to",
        RuntimeWarning,
        stacklevel=2,
    )
