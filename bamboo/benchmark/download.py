"""Download released data from the first source that has it, and verify its SHA-256.

Sources, in this order: ``BAMBOO_SOURCE`` (a folder or a URL), then the release's repository
at a fixed commit.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from bamboo.errors import DataError, DownloadError
from bamboo.paths import resource
from metrics.utils.digests import file_digest
from metrics.utils.files import replacing

HOST = "https://raw.githubusercontent.com"
SOURCE_VARIABLE = "BAMBOO_SOURCE"
TIMEOUT = 30  # seconds without a response
LARGEST = 1 << 30  # bytes of a file whose size is not listed


@dataclass(frozen=True)
class Registry:
    """The files of a release.

    Attributes:
        name: the release's name, which is that of its list in ``data/registry``.
        repository, commit: where it is published, as ``owner/name`` on GitHub.
        files: SHA-256 by file name.
        sizes: bytes by file name.
    """

    name: str
    repository: str
    commit: str
    files: Mapping[str, str]
    sizes: Mapping[str, int] = field(default_factory=dict)

    def sources(self) -> list[str]:
        """Folders and URLs to try, in this order.

        ``BAMBOO_SOURCE`` contains the release's files, or a folder with the release's name that
        contains them, so that one source can contain several releases.
        """
        upstream = f"{HOST}/{self.repository}/{self.commit}"
        own = os.environ.get(SOURCE_VARIABLE)
        return [own, f"{own.rstrip('/')}/{self.name}", upstream] if own else [upstream]


def read_registry(name: str) -> Registry:
    """Read the list of a release's files in ``data/registry``.

    The list has one line per file, with name, SHA-256 and size in bytes, and two lines for the
    place of publication: ``# repository: OWNER/NAME`` and ``# commit: HASH``.

    Raises:
        DataError: a file that is not such a list.

    >>> registry = read_registry("bamboo-amr-benchmark.txt")
    >>> registry.repository, len(registry.files)
    ('flipz357/bamboo-amr-benchmark', 88)
    """
    path = resource("data") / "registry" / name
    try:
        lines = path.read_text("utf-8").splitlines()
        comments = (line[1:].partition(":") for line in lines if line.startswith("#"))
        header = {key.strip(): value.strip() for key, _, value in comments}
        rows = [line.split() for line in lines if line and not line.startswith("#")]
        files = {name: sha256 for name, sha256, _ in rows}
        sizes = {name: int(size) for name, _, size in rows}
        return Registry(path.stem, header["repository"], header["commit"], files, sizes)
    except (ValueError, KeyError) as error:
        raise DataError(
            f"{path} is not the list of a release ({error}): expected # repository, # commit, and "
            "lines with name, SHA-256 and size"
        ) from None


def fetch_folder(
    registry: str,
    root: Path,
    paths: Iterable[Path] | None = None,
    report: Callable[[str, int], None] = lambda name, total: None,
) -> list[Path]:
    """Download missing files of one folder of a release and verify them; all files by default.

    Args:
        registry: the name of the release's list.
        root: the folder, with the same name as in the release.
        paths: files below `root`.

    Raises:
        DataError: a file that does not belong to the release.
        DownloadError: as `ensure`.
    """
    release = read_registry(registry)
    if paths is None:
        names = [name for name in release.files if name.startswith(f"{root.name}/")]
    else:
        names = [f"{root.name}/{path.relative_to(root).as_posix()}" for path in paths]
    if strange := [name for name in names if name not in release.files]:
        raise DataError(
            f"{strange[0]} is not a file of {release.name}. The folder of a release ({root}, "
            "data.root) must keep its name; for your own files set data.registry=null"
        )
    return ensure(release, names, root.parent, report)


def ensure(
    registry: Registry,
    names: Iterable[str],
    folder: Path,
    report: Callable[[str, int], None] = lambda name, total: None,
) -> list[Path]:
    """Download missing files and verify that all files are the released ones.

    Args:
        registry: the release.
        names: the requested files.
        folder: the folder they belong to.
        report: called with the name of each available file, and the number of files.

    Raises:
        DownloadError: a file that no source has, or whose content is not the released one.
    """
    paths = []
    requested = list(names)
    for name in requested:
        path = folder / name
        if path.is_file():
            _check(path, name, registry.files[name], f"delete {path} and fetch it again")
        else:
            _fetch(registry, name, path)
        report(name, len(requested))
        paths.append(path)
    return paths


def _fetch(registry: Registry, name: str, path: Path) -> None:
    """Download one file from the first source that has it."""
    try:
        with replacing(path) as file:
            _copy_from_sources(registry, name, file)
    except OSError as error:
        raise DownloadError(
            f"cannot write to {path.parent}: {error.strerror}. "
            "Set BAMBOO_DATA_DIR to a folder you can write to"
        ) from None


def _copy_from_sources(registry: Registry, name: str, file: IO[bytes]) -> None:
    """Copy a released file from the first source that has it, and check its content."""
    failures = []
    for source in registry.sources():
        try:
            _copy(source, name, _Limited(file, registry.sizes.get(name, LARGEST)))
            file.flush()
        except (OSError, ValueError) as error:
            failures.append(f"  {source}: {_reason(error)}")
            file.seek(0)
            file.truncate()
            continue
        remedy = f"the copy at {source} is not the released one"
        _check(Path(file.name), name, registry.files[name], remedy)
        return
    raise DownloadError(
        f"{name} cannot be downloaded from any source:\n"
        + "\n".join(failures)
        + f"\nGo online, or set {SOURCE_VARIABLE} to a folder or URL with a copy of "
        f"{registry.repository}"
    )


class _Writable(Protocol):
    """What a file is written to."""

    def write(self, block: bytes, /) -> object:
        """Write bytes."""
        ...

    def flush(self) -> object:
        """Write what is in memory."""
        ...


class _Limited:
    """A file to which only so many bytes can be written: a source may send data without end."""

    def __init__(self, file: _Writable, most: int) -> None:
        self._file, self._most, self._left = file, most, most
        self.flush = file.flush

    def write(self, block: bytes, /) -> None:
        """Write bytes.

        Raises:
            ValueError: more bytes than the file may have.
        """
        self._left -= len(block)
        if self._left < 0:
            raise ValueError(f"sends more than the {self._most:,} bytes of the released file")
        self._file.write(block)


def _copy(source: str, name: str, target: _Writable) -> None:
    if "://" not in source:
        with (Path(source).expanduser() / name).open("rb") as file:
            shutil.copyfileobj(file, target)
        return
    import pooch

    pooch.HTTPDownloader(timeout=TIMEOUT)(f"{source.rstrip('/')}/{name}", target, None)


def _check(path: Path, name: str, expected: str, remedy: str) -> None:
    actual = file_digest(path)
    if actual != expected:
        raise DownloadError(
            f"{name} differs from the released file: {remedy}\n"
            f"  expected SHA-256 {expected}\n  received         {actual}"
        )


def _reason(error: Exception) -> str:
    """Why a source failed, in one line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if type(error).__name__ == "ConnectionError":
        return "no connection"
    return str(error).splitlines()[0]
