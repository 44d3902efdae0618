"""Download released data from the first source that has it, and verify its SHA-256.

Sources, in this order: ``BAMBOO_SOURCE`` (a folder or a URL), then the release's repository
at a fixed commit.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from amr_metrics.utils.digests import file_digest
from bamboo.errors import DataError, DownloadError
from bamboo.installation import resource

HOST = "https://raw.githubusercontent.com"
SOURCE_VARIABLE = "BAMBOO_SOURCE"
TIMEOUT = 30  # seconds without a response


@dataclass(frozen=True)
class Registry:
    """The files of a release.

    Attributes:
        name: the release's name, which is that of its list in ``data/registry``.
        repository, commit: where it is published, as ``owner/name`` on GitHub.
        files: SHA-256 by file name.
    """

    name: str
    repository: str
    commit: str
    files: Mapping[str, str]

    def sources(self) -> list[str]:
        """Return the folders and URLs to try, in this order.

        ``BAMBOO_SOURCE`` contains the release's files, or a folder with the release's name that
        contains them, so that one source can contain several releases.
        """
        upstream = f"{HOST}/{self.repository}/{self.commit}"
        source = os.environ.get(SOURCE_VARIABLE)
        return [source, f"{source.rstrip('/')}/{self.name}", upstream] if source else [upstream]


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
        return Registry(path.stem, header["repository"], header["commit"], files)
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
    if missing := [name for name in names if name not in release.files]:
        raise DataError(
            f"{missing[0]} is not a file of {release.name}. The folder of a release ({root}, "
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
    """Download one file from the first source that has it, and check its content."""
    import pooch  # slow to import

    pooch.get_logger().setLevel("WARNING")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise DownloadError(
            f"cannot write to {path.parent}: {error.strerror}. "
            "Set BAMBOO_DATA_DIR to a folder you can write to"
        ) from None
    failures = []
    for source in registry.sources():
        url, sha256 = f"{source.rstrip('/')}/{name}", registry.files[name]
        downloader = pooch.HTTPDownloader(timeout=TIMEOUT) if "://" in source else _copy
        try:
            pooch.retrieve(url, sha256, path.name, path.parent, downloader=downloader)
        except OSError as error:
            failures.append(f"  {source}: {_reason(error)}")
        except ValueError as error:
            raise DownloadError(
                f"{name} differs from the released file: the copy at {source} is not the released "
                f"one\n  {error}"
            ) from None
        else:
            path.chmod(0o644)  # pooch makes files that only their owner can read
            return
    raise DownloadError(
        f"{name} cannot be downloaded from any source:\n"
        + "\n".join(failures)
        + f"\nGo online, or set {SOURCE_VARIABLE} to a folder or URL with a copy of "
        f"{registry.repository}"
    )


def _copy(path: str, target: str, _: object) -> None:
    """Copy a file of a local source; pooch calls this in place of a download."""
    shutil.copyfile(Path(path).expanduser(), target)


def _check(path: Path, name: str, expected: str, remedy: str) -> None:
    actual = file_digest(path)
    if actual != expected:
        raise DownloadError(
            f"{name} differs from the released file: {remedy}\n"
            f"  expected SHA-256 {expected}\n  received         {actual}"
        )


def _reason(error: OSError) -> str:
    """Return why a source failed, in one line."""
    if error.strerror:
        return error.strerror
    if type(error).__name__ == "ConnectionError":
        return "no connection"
    return str(error).splitlines()[0]
