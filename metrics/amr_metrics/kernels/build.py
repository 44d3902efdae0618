"""Build the library of the kernels with a C compiler.

``hatch_build.py`` builds it for ``pip install``, a checkout builds it at first use. The build hook
runs this module without the package and without NumPy: it uses only the standard library.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

FOLDER = Path(__file__).resolve().parent  # of the sources and of the library
SUFFIXES = (".so", ".dylib", ".dll")  # of libraries
# Scores are equal on all x86-64 processors, to the last bit: no fused operations and no fast-math.
FLAGS = ("-O3", "-std=c11", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden")
INSTALL_COMPILER = "install a C compiler (gcc or clang), or run: pip install ziglang"


class BuildError(Exception):
    """A library that cannot be built."""


def library_path(folder: Path = FOLDER, platform: str = sys.platform) -> Path:
    """Return the path of the library, beside its sources.

    Its name has a second dot, since Python takes ``kernels.so`` for a module.

    Args:
        platform: the `sys.platform` on which it runs.
    """
    suffix = {"darwin": ".dylib", "win32": ".dll"}.get(platform, ".so")
    return folder / f"kernels.{platform}{suffix}"


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


def is_current(folder: Path = FOLDER) -> bool:
    """Check that the library was built from the present sources.

    Nothing is read if neither a source nor the folder has changed since. A file that replaces
    another one may have an old modification time, but not an old time of status change.
    """
    library = library_path(folder)
    try:
        built = library.stat().st_mtime_ns
    except FileNotFoundError:
        return False
    changes = [path.stat() for path in (folder, *list_sources(folder))]
    if all(max(change.st_mtime_ns, change.st_ctime_ns) < built for change in changes):
        return True
    checked = time.time_ns()
    if compute_digest(folder).encode() not in library.read_bytes():
        return False
    with suppress(OSError):  # the library may belong to another user
        os.utime(library, ns=(checked, checked))
    return True


def compute_digest(folder: Path = FOLDER) -> str:
    """Return a digest of the sources and of the compiler's flags."""
    import hashlib

    digest = hashlib.sha256(" ".join(FLAGS).encode())
    for path in list_sources(folder):
        digest.update(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}".encode())
    return f"sources_{digest.hexdigest()}"


def build_library(folder: Path = FOLDER, *flags: str, library: Path | None = None) -> Path:
    """Build the library under a temporary name and rename it, so that processes may do so at once.

    Args:
        folder: of the sources.
        flags: further flags of the compiler.
        library: the path of the library; by default beside the sources.

    Returns:
        the path of the library.

    Raises:
        BuildError: there is no compiler, ``CC`` is not a command, or the compiler fails.
    """
    import subprocess

    compiler = find_compiler()
    if compiler is None:
        raise BuildError(f"the kernels of amr_metrics must be compiled: {INSTALL_COMPILER}")
    library = library or library_path(folder)
    started = time.time_ns()  # a source that changes from now on is newer than the library
    temporary = library.with_name(f"kernels.{os.getpid()}{library.suffix}")
    sources = [str(path) for path in list_sources(folder) if path.suffix == ".c"]
    command = [*compiler, *FLAGS, *flags, f"-DKERNELS_DIGEST={compute_digest(folder)}", *sources]
    try:
        done = subprocess.run(
            [*command, "-lm", "-o", str(temporary)], capture_output=True, text=True
        )
        if done.returncode:
            raise BuildError(f"{compiler[0]} cannot compile the kernels:\n{done.stderr.strip()}")
        os.utime(temporary, ns=(started, started))
        temporary.replace(library)
    except OSError as error:
        raise BuildError(f"the kernels cannot be built with {compiler[0]}: {error}") from None
    finally:
        temporary.unlink(missing_ok=True)
    return library


def list_sources(folder: Path = FOLDER) -> list[Path]:
    """Return the C files and headers, which an installed wheel has as well."""
    names = sorted(name for name in os.listdir(folder) if name.endswith((".c", ".h")))
    return [folder / name for name in names]
