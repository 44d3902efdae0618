"""Download released data with pooch, and verify its SHA-256.

Sources, in this order: ``BAMBOO_SOURCE`` (a folder or a URL), then the release's repository
at a fixed commit.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from amr_metrics.utils.digests import file_digest
from bamboo.errors import DataError, DownloadError
from bamboo.installation import resource

HOST = "https://raw.githubusercontent.com"
SOURCE_VARIABLE = "BAMBOO_SOURCE"
TIMEOUT = 30  # seconds without a response


def read_registry(name: str) -> tuple[str, dict[str, str]]:
    """Return the address of a release and the SHA-256 of its files, from ``data/registry``.

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
    return f"{HOST}/{commit}", {name: sha256 for name, sha256, _ in rows}


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
        elif (actual := file_digest(path)) != files[name]:
            raise DownloadError(
                f"{name} differs from the released file: delete {path} and fetch it again\n"
                f"  expected SHA-256 {files[name]}\n  received         {actual}"
            )
        report(name, len(names))
    return [root.parent / name for name in names]


def _download(sources: Iterable[str], name: str, sha256: str, path: Path) -> None:
    """Download one file from the first source that has it, and check its content."""
    import pooch  # slow to import

    pooch.get_logger().setLevel("WARNING")
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
        downloader = pooch.HTTPDownloader(timeout=TIMEOUT) if "://" in source else _copy
        try:
            pooch.retrieve(url, sha256, path.name, path.parent, downloader=downloader)
        except OSError as error:
            reason = error.strerror or str(error).splitlines()[0]
            offline = type(error).__name__ == "ConnectionError"
            failures.append(f"  {source}: {'no connection' if offline else reason}")
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
        + f"\nGo online, or set {SOURCE_VARIABLE} to a folder or URL with a copy of the release"
    )


def _copy(path: str, target: str, _: object) -> None:
    """Copy a file of a local source; pooch calls this in place of a download."""
    shutil.copyfile(Path(path).expanduser(), target)
