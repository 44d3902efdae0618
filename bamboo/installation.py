"""This installation: where its files are, and its versions."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent
DISTRIBUTION = "bamboo-amr"  # the name of the per-user folders
MODULE = "python -m bamboo"  # how messages and help call commands


@dataclass(frozen=True, kw_only=True)
class Paths:
    """Where commands read and write.

    Attributes:
        data: the folder of downloads and built partitions.
        runs: the folder of results.
    """

    data: Path
    runs: Path


def paths() -> Paths:
    """Return the folders that ``BAMBOO_DATA_DIR`` and ``BAMBOO_RUNS_DIR`` name, or the defaults."""
    runs = Path(os.environ.get("BAMBOO_RUNS_DIR") or "runs")
    data = os.environ.get("BAMBOO_DATA_DIR")
    return Paths(data=Path(data) if data else data_folder(), runs=runs)


def resource(name: str) -> Path:
    """Return the folder ``conf``, ``data`` or ``docs`` that came with the code.

    >>> (resource("conf") / "run.yaml").is_file()
    True
    """
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent / name


def checkout() -> Path | None:
    """Return the checkout (or unpacked source archive) that this code is imported from.

    None for an installed package, which has its ``conf`` inside, even if it is installed somewhere
    below a checkout.
    """
    root = PACKAGE.parent
    is_source = (root / "pyproject.toml").is_file() and (root / "conf").is_dir()
    return root if is_source and not (PACKAGE / "conf").is_dir() else None


def data_folder() -> Path:
    """Return the folder for downloads and built partitions unless ``BAMBOO_DATA_DIR`` is set.

    A command is *run from a checkout* if this code is imported from the checkout and the working
    directory is the checkout's folder or one below it. It then uses ``data`` of the checkout, as a
    path relative to the working directory. Any other command uses the user's data folder, so that
    each file is downloaded once, whatever the working directory.
    """
    root, here = checkout(), Path.cwd()
    if root is not None and here.is_relative_to(root):
        return Path(os.path.relpath(root / "data", here))
    import platformdirs

    return platformdirs.user_data_path(DISTRIBUTION, appauthor=False)


# Packages that compute scores or statistics, or read configurations.
PACKAGES = (
    *("numpy", "scipy", "penman", "gensim", "tokenizers", "pandas", "joblib"),
    *("hydra-core", "omegaconf"),
)
EXTRAS = ("sacrebleu", "nltk", "wordllama", "dask")  # further packages, of extras
MISSING = "not installed"


@cache
def list_installed() -> Mapping[str, str]:
    """Return the versions of Python, of this project and of `PACKAGES`.

    >>> list_installed()["Python"] == platform.python_version()
    True
    """
    from amr_metrics.version import VERSION

    packages = {name: find_version(name) for name in PACKAGES}
    return {"Python": platform.python_version(), "bamboo": VERSION, **packages}


def find_version(package: str) -> str:
    """Return the version of an installed package, or `MISSING`."""
    from importlib import metadata  # slow to import

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return MISSING


@cache
def find_commit() -> dict[str, Any] | None:
    """Return the git commit and whether files were changed since; None outside a checkout."""
    import subprocess  # slow to import

    folder = PACKAGE.parent
    if not (folder / ".git").exists():
        return None
    try:
        revision, status = (
            subprocess.run(
                ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
            ).stdout.strip()
            for arguments in (["rev-parse", "HEAD"], ["status", "--porcelain"])
        )
    except (OSError, subprocess.CalledProcessError):
        return None  # git is missing, or the checkout belongs to another user
    return {"id": revision, "modified": bool(status)}


def versions() -> str:
    """List what a report of an error needs: versions, commit, system and variables that are set.

    >>> versions().splitlines()[0] == f"bamboo {list_installed()['bamboo']}"
    True
    """
    lines = [f"bamboo {list_installed()['bamboo']}"]
    if commit := find_commit():
        lines.append(f"commit {commit['id']}{', with changes' * commit['modified']}")
    lines.append(f"Python {platform.python_version()}, {platform.platform()}")
    for name in (*PACKAGES, *EXTRAS):
        version = find_version(name)
        lines.append(f"{name} is {version}" if version == MISSING else f"{name} {version}")
    if variables := [name for name in sorted(os.environ) if name.startswith("BAMBOO_")]:
        lines.append(f"set: {', '.join(variables)}")  # their values are often private paths
    return "\n".join(lines)
