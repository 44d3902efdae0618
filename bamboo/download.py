"""The released data, from the first source that has it, checked against its SHA-256.

Sources, in turn: ``BAMBOO_SOURCE`` (a folder or an address), then upstream at a fixed commit.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from bamboo.errors import DownloadError
from bamboo.paths import resource

UPSTREAM = (
    "https://raw.githubusercontent.com/flipz357/bamboo-amr-benchmark/"
    "df6943cb2aececd4784611fd9bf34b277646bafe"
)
SOURCE_VARIABLE = "BAMBOO_SOURCE"
TIMEOUT = 30  # seconds without an answer


def read_registry(name: str) -> dict[str, str]:
    """File names and their SHA-256, from ``data/registry``.

    >>> len(read_registry("bamboo-amr-benchmark.txt"))
    88
    """
    lines = (resource("data") / "registry" / name).read_text("utf-8").splitlines()
    rows = (line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))
    return dict(rows)


def sources() -> list[str]:
    """Folders and addresses to try, in turn."""
    own = os.environ.get(SOURCE_VARIABLE)
    return [own, UPSTREAM] if own else [UPSTREAM]


def ensure(
    registry: dict[str, str],
    names: Iterable[str],
    folder: Path,
    report: Callable[[str, int], None] = lambda name, total: None,
) -> list[Path]:
    """Make sure that files are there and are the released ones; fetch those that are missing.

    Args:
        registry: every file's SHA-256.
        names: the files wanted.
        folder: where they belong.
        report: called with each name once its file is there, and the number of files.

    Raises:
        DownloadError: a file that no source has, or whose content is not the released one.
    """
    paths = []
    wanted = list(names)
    for name in wanted:
        path = folder / name
        if path.is_file():
            _check(path, name, registry[name], f"delete {path} and fetch it again")
        else:
            _fetch(name, registry[name], path)
        report(name, len(wanted))
        paths.append(path)
    return paths


def _fetch(name: str, sha256: str, path: Path) -> None:
    """Get one file into place, whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
    except OSError as error:
        raise DownloadError(
            f"cannot write to {path.parent}: {error.strerror}. "
            "Set BAMBOO_DATA_DIR to a folder you can write to"
        ) from None
    failures = []
    try:
        for source in sources():
            try:
                _copy(source, name, Path(partial))
            except (OSError, ValueError) as error:
                failures.append(f"  {source}: {_reason(error)}")
                continue
            _check(Path(partial), name, sha256, f"the copy at {source} is not the released one")
            os.chmod(partial, 0o644)
            os.replace(partial, path)
            return
    finally:
        Path(partial).unlink(missing_ok=True)
    raise DownloadError(
        f"{name} cannot be had from any source:\n"
        + "\n".join(failures)
        + f"\nGo online, or set {SOURCE_VARIABLE} to a folder or address that holds a copy of "
        "bamboo-amr-benchmark"
    )


def _copy(source: str, name: str, target: Path) -> None:
    if "://" not in source:
        shutil.copyfile(Path(source).expanduser() / name, target)
        return
    import pooch

    pooch.HTTPDownloader(timeout=TIMEOUT)(f"{source.rstrip('/')}/{name}", str(target), None)


def _check(path: Path, name: str, expected: str, remedy: str) -> None:
    import pooch

    found = pooch.file_hash(str(path))
    if found != expected:
        raise DownloadError(
            f"{name} has another content than the released file: {remedy}\n"
            f"  expected SHA-256 {expected}\n  found            {found}"
        )


def _reason(error: Exception) -> str:
    """Why a source failed, in one line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if type(error).__name__ == "ConnectionError":
        return "no connection"
    return str(error).splitlines()[0]
