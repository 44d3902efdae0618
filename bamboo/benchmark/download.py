"""Download released data with pooch, and verify its size and SHA-256.

Sources, in this order: ``BAMBOO_SOURCE`` (a folder or a URL), then the release's repository
at a fixed commit.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, NamedTuple

from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.files import replace_file
from amr_metrics.utils.text import format_count
from bamboo.errors import DataError, DownloadError
from bamboo.installation import resource

HOST = "https://raw.githubusercontent.com"
SOURCE_VARIABLE = "BAMBOO_SOURCE"
TIMEOUT = 30  # seconds without a response


class ReleasedFile(NamedTuple):
    """A file of a release: its SHA-256, in hexadecimal, and its size in bytes."""

    sha256: str
    size: int


def read_registry(name: str) -> tuple[str, dict[str, ReleasedFile]]:
    """Return the address of a release and its files by name, from ``data/registry``.

    Each line has a name, SHA-256 and size in bytes; ``# commit: OWNER/NAME/HASH`` says where the
    release is.

    Raises:
        DataError: there is no such list.

    >>> address, files = read_registry("bamboo-amr-benchmark.txt")
    >>> address.split("/")[3:5], len(files)
    (['flipz357', 'bamboo-amr-benchmark'], 88)
    """
    path = resource("data") / "registry" / name
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise DataError(f"the list of a release, {path}: {error.strerror}") from None
    (commit,) = (line.split()[-1] for line in lines if line.startswith("# commit:"))
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    files = {name: ReleasedFile(sha256, int(size)) for name, sha256, size in rows}
    return f"{HOST}/{commit}", files


def fetch_folder(
    registry: str,
    root: Path,
    paths: Iterable[Path] | None = None,
    report: Callable[[str, int], None] = lambda name, total: None,
) -> list[Path]:
    """Download missing files of one folder of a release and verify them; all files by default.

    ``BAMBOO_SOURCE`` contains the release's files, or a folder with the release's name that
    contains them, so that one source can contain several releases.

    Args:
        registry: the name of the release's list.
        root: the folder, with the same name as in the release.
        paths: files below `root`.
        report: called with the name of each available file, and the number of files.

    Raises:
        DataError: a file that does not belong to the release.
        DownloadError: a file that no source has, or whose content is not the released one.
    """
    address, files = read_registry(registry)
    if paths is None:
        names = [name for name in files if name.startswith(f"{root.name}/")]
    else:
        names = [f"{root.name}/{path.relative_to(root).as_posix()}" for path in paths]
    if missing := [name for name in names if name not in files]:
        raise DataError(
            f"{missing[0]} is not a file of {Path(registry).stem}. The folder of a release "
            f"({root}, data.root) must keep its name; for your own files set data.registry=null"
        )
    sources = [address]
    if copy := os.environ.get(SOURCE_VARIABLE):
        sources = [copy, f"{copy.rstrip('/')}/{Path(registry).stem}", address]
    for name in names:
        path = root.parent / name
        if not path.is_file():
            _download(sources, name, files[name], path)
        elif (actual := file_digest(path)) != files[name].sha256:
            raise DownloadError(
                f"{name} differs from the released file: delete {path} and fetch it again\n"
                f"{_describe_digests(files[name].sha256, actual)}"
            )
        report(name, len(names))
    return [root.parent / name for name in names]


def _download(sources: Iterable[str], name: str, released: ReleasedFile, path: Path) -> None:
    """Download one file from the first source that has it, and check its content."""
    from pooch import HTTPDownloader  # slow to import

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DownloadError(
            f"cannot write to {path.parent}: {error.strerror}. "
            "Set BAMBOO_DATA_DIR to a folder you can write to"
        ) from None
    failures = []
    for source in sources:
        url = f"{source.rstrip('/')}/{name}"
        download = HTTPDownloader(timeout=TIMEOUT) if "://" in source else _copy
        try:
            with replace_file(path) as file:
                checked = _CheckedFile(file, released)
                download(url, checked, None)
                checked.check_digest()
        except OSError as error:
            reason = error.strerror or str(error).splitlines()[0]
            offline = type(error).__name__ == "ConnectionError"
            failures.append(f"  {source}: {'no connection' if offline else reason}")
        except ValueError as error:
            raise DownloadError(
                f"{name} differs from the released file: the copy at {source} is not the released "
                f"one\n{error}"
            ) from None
        else:
            return
    raise DownloadError(
        f"{name} cannot be downloaded from any source:\n"
        + "\n".join(failures)
        + f"\nGo online, or set {SOURCE_VARIABLE} to a folder or URL with a copy of the release"
    )


def _copy(path: str, target: _CheckedFile, _: object) -> None:
    """Copy a file of a local source; takes the arguments of a downloader of pooch."""
    with Path(path).expanduser().open("rb") as file:
        shutil.copyfileobj(file, target)


class _CheckedFile:
    """A file to which the content of a released file is written, and no more than its size.

    What a server sends compressed is decompressed before it is written, so that its unpacked size
    counts.
    """

    def __init__(self, file: IO[bytes], released: ReleasedFile) -> None:
        self._file, self._released = file, released
        self._size, self._digest = 0, hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Write some bytes.

        Raises:
            ValueError: they are more than the released file has.
        """
        self._size += len(data)
        if self._size > self._released.size:
            raise ValueError(f"  it has more than {format_count(self._released.size, 'byte')}")
        self._digest.update(data)
        return self._file.write(data)

    def flush(self) -> None:
        """Write what is buffered."""
        self._file.flush()

    def check_digest(self) -> None:
        """Check that what was written is the released file.

        Raises:
            ValueError: it is not.
        """
        if (actual := self._digest.hexdigest()) != self._released.sha256:
            raise ValueError(_describe_digests(self._released.sha256, actual))


def _describe_digests(expected: str, actual: str) -> str:
    return f"  expected SHA-256 {expected}\n  received         {actual}"
