"""Build the library of the kernels with a C compiler.

``hatch_build.py`` builds it for ``pip install``, a checkout builds it at first use. The build hook
runs this module without the package and without NumPy: it uses only the standard library.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FOLDER = Path(__file__).resolve().parent  # of the sources and of the library
SUFFIXES = (".so", ".dylib", ".dll")  # of libraries
# Scores are equal on all x86-64 processors, to the last bit: no fused operations and no fast-math.
FLAGS = ("-O3", "-std=c11", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden")
INSTALL_COMPILER = "install a C compiler (gcc or clang), or run: pip install ziglang"


class BuildError(Exception):
    """A library that cannot be built."""


def name_machine() -> str:
    """Return for which system, processor and width of addresses this Python needs a library."""
    machine = os.uname().machine if hasattr(os, "uname") else os.environ["PROCESSOR_ARCHITECTURE"]
    return f"{sys.platform}-{machine.lower()}-{64 if sys.maxsize > 2**32 else 32}"


def is_checkout(folder: Path = FOLDER) -> bool:
    """Check that the folder is in a checkout, where sources may change, not in an installed wheel.

    An installed wheel has the sources as well, since keys of cached scores depend on them.
    """
    return (folder.parents[2] / "hatch_build.py").is_file()


def find_compiler() -> list[str] | None:
    """Return the command of a C compiler: ``CC``, gcc, clang or the package ziglang, or None.

    Raises:
        BuildError: the quotes in ``CC`` are not closed.
    """
    import importlib.util
    import shlex
    import shutil

    variable = os.environ.get("CC", "")
    try:
        command = shlex.split(variable)
    except ValueError as error:
        raise BuildError(f"CC={variable} is no command ({error}): correct or unset it") from None
    if command:
        return command
    for name in ("cc", "gcc", "clang"):
        if path := shutil.which(name):
            return [path]
    if importlib.util.find_spec("ziglang"):
        # By default zig builds for the processor of this machine only.
        return [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline"]
    return None


def find_libraries(folder: Path = FOLDER, check_content: bool = True) -> Iterator[Path]:
    """Yield the libraries of this machine that were built from the present sources.

    Names are ``kernels.MACHINE.SOURCES.CONTENT.so``, with digests of the sources and of the file.

    Args:
        check_content: leave out files that have changed since they were built. Libraries that are
            installed may have been signed, which changes them.
    """
    for path in _list_libraries(folder, f"{name_machine()}.{compute_digest(folder)}"):
        with suppress(OSError):  # it may be removed, or belong to another user
            if not check_content or f".{_digest(path.read_bytes())}." in path.name:
                yield path


def remove_older(library: Path) -> None:
    """Remove the libraries of the same machine that were built from other sources."""
    _, machine, sources, *_ = library.name.split(".")
    for path in _list_libraries(library.parent, machine):
        if path.name.split(".")[2] != sources:
            with suppress(OSError):  # in Windows, another process may use it
                path.unlink()


def _list_libraries(folder: Path, beginning: str) -> list[Path]:
    names = sorted(name for name in os.listdir(folder) if name.endswith(SUFFIXES))
    return [folder / name for name in names if name.startswith(f"kernels.{beginning}.")]


def compute_digest(folder: Path = FOLDER) -> str:
    """Return a digest of the sources and of the compiler's flags."""
    parts = [f"{path.name} {_digest(path.read_bytes())}" for path in list_sources(folder)]
    return _digest(" ".join([*FLAGS, *parts]).encode())


def _digest(content: bytes) -> str:
    import hashlib

    return hashlib.sha256(content).hexdigest()[:16]


def build_library(
    folder: Path = FOLDER, *flags: str, into: Path | None = None, machine: str | None = None
) -> Path:
    """Build the library under a temporary name and rename it, so that processes may do so at once.

    Args:
        folder: of the sources.
        flags: further flags of the compiler.
        into: the folder of the library; by default that of the sources.
        machine: on which it runs, as `name_machine` writes it; by default this one.

    Returns:
        the path of the library.

    Raises:
        BuildError: there is no compiler, ``CC`` is not a command, the compiler fails, or nothing
            can be written to the folder.
    """
    import subprocess

    compiler = find_compiler()
    if compiler is None:
        raise BuildError(f"the kernels of amr_metrics must be compiled: {INSTALL_COMPILER}")
    into, machine = into or folder, machine or name_machine()
    suffix = {"darwin": ".dylib", "win32": ".dll"}.get(machine.partition("-")[0], ".so")
    digest, temporary = compute_digest(folder), into / f"kernels.{os.getpid()}{suffix}"
    sources = [str(path) for path in list_sources(folder) if path.suffix == ".c"]
    try:
        temporary.touch()
    except OSError as error:
        raise BuildError(
            f"the kernels must be compiled, but {into} cannot be written ({error.strerror}): run a "
            "command once as a user who may write there, or install a copy with pip install ."
        ) from None
    try:
        done = subprocess.run(
            [*compiler, *FLAGS, *flags, *sources, "-lm", "-o", str(temporary)],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise BuildError(f"{compiler[0]} cannot compile the kernels:\n{done.stderr.strip()}")
        content = _digest(temporary.read_bytes())
        return temporary.replace(into / f"kernels.{machine}.{digest}.{content}{suffix}")
    except OSError as error:
        raise BuildError(f"the kernels cannot be built with {compiler[0]}: {error}") from None
    finally:
        temporary.unlink(missing_ok=True)


def list_sources(folder: Path = FOLDER) -> list[Path]:
    """Return the C files and headers, which an installed wheel has as well."""
    names = sorted(name for name in os.listdir(folder) if name.endswith((".c", ".h")))
    return [folder / name for name in names]
