"""The versions that results can depend on."""

from __future__ import annotations

import platform
from importlib import metadata

from metrics.version import VERSION

# Packages that compute scores or statistics, or read configurations.
PACKAGES = (
    *("numpy", "scipy", "numba", "penman", "gensim", "POT", "pandas", "joblib"),
    *("hydra-core", "omegaconf"),
)


def versions() -> str:
    """The version of this project, of Python, and of the packages that it uses, one per line.

    >>> versions().splitlines()[0] == f"bamboo {VERSION}"
    True
    """
    lines = [f"bamboo {VERSION}", f"Python {platform.python_version()}, {platform.platform()}"]
    for name in PACKAGES:
        try:
            lines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{name} is not installed")
    return "\n".join(lines)
