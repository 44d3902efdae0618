"""Compiled kernels on disk, for the next process.

Numba's own cache compiles a kernel again if and only if the kernel's file has changed: it misses
changes of called kernels in other files, and compiles again after any edit of the file. Here the
name of a file on disk contains `kernel_digest`, which covers the kernel, the kernels it calls and
the constants they use. A file with a given name always has the same meaning, so that several
processes and several versions of the source can share a folder. Files of former versions stay until
someone deletes them, which is always safe.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import warnings
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from numba.core import config
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

from metrics.compiled.kernel_digest import (
    describe_argument,
    kernel_digest,
    qualified_name,
    short_digest,
)
from metrics.utils.files import replacing

FORM = "checksum"  # of the files: other versions of this module read files of other names
CHECKSUM = hashlib.sha256().digest_size  # bytes at the start of each file
Signature = tuple[Any, ...]  # the Numba types of the arguments


class KernelCache:
    """The cache of one kernel, with the methods that Numba calls.

    A compilation is read from the first folder that has it, and written to the first that can be
    written to: ``NUMBA_CACHE_DIR`` if it is set, the ``__pycache__`` next to the kernel's module,
    the user's cache folder. If none can be, there is a warning, and each process compiles it again.

    Args:
        kernel: the kernel.
    """

    def __init__(self, kernel: Dispatcher) -> None:
        self._kernel = kernel
        self._name = qualified_name(kernel.py_func).replace(".<locals>", "")  # a file name anywhere
        self._folders = list(_folders(kernel.py_func.__code__.co_filename))

    @property
    def cache_path(self) -> str:
        """The preferred folder."""
        return str(self._folders[0])

    def load_overload(self, signature: Signature, target: Any) -> CompileResult | None:
        """The compilation for arguments of certain types; None if it is not on disk."""
        rtsys.initialize(target)  # what machine code needs of `target.refresh`
        key = signature, target.codegen().magic_tuple()
        name = self._file_name(*key)
        for folder in self._folders:
            try:
                content = (folder / name).read_bytes()
            except OSError:
                continue
            checksum, content = content[:CHECKSUM], content[CHECKSUM:]
            if hashlib.sha256(content).digest() != checksum:
                continue  # damaged machine code could do anything: it is compiled and written again
            try:
                stored_key, compilation = pickle.loads(content)
            except (EOFError, pickle.UnpicklingError):
                continue
            if stored_key == key:
                return CompileResult._rebuild(target, *compilation)
        return None

    def save_overload(self, signature: Signature, compilation: CompileResult) -> None:
        """Write a compilation to disk."""
        if compilation.library.has_dynamic_globals or compilation.lifted:
            raise TypeError(f"{self._name} uses a value that cannot be written to disk")
        key = signature, compilation.codegen.magic_tuple()
        content = dumps((key, compilation._reduce()))
        for folder in self._folders:
            try:
                with replacing(folder / self._file_name(*key)) as file:
                    file.write(hashlib.sha256(content).digest() + content)
            except OSError:
                continue
            return
        warnings.warn(
            "compiled kernels cannot be cached, so that each process compiles them again: none of "
            f"{', '.join(map(str, self._folders))} can be written to; set NUMBA_CACHE_DIR to a "
            "folder that can",
            RuntimeWarning,
            stacklevel=2,
        )

    def flush(self) -> None:
        """Delete the compilations of the kernel's present version."""
        for folder in self._folders:
            for path in folder.glob(f"{self._name}-{kernel_digest(self._kernel)}-*.nbc"):
                path.unlink(missing_ok=True)

    def _file_name(self, signature: Signature, machine: tuple[str, ...]) -> str:
        arguments = [describe_argument(argument) for argument in signature]
        version = kernel_digest(self._kernel)
        return f"{self._name}-{version}-{short_digest((FORM, arguments, machine))}.nbc"


def _folders(source: str) -> Iterator[Path]:
    """Where the compilations of a module's kernels can be, in order of preference."""
    pycache = Path(cache_from_source(os.path.abspath(source))).parent
    module_folder = f"{pycache.parent.name}-{short_digest(str(pycache))}"
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR) / module_folder
    yield pycache
    yield Path(AppDirs(appname="numba", appauthor=False).user_cache_dir) / module_folder
