"""The versions that results can depend on."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata

from metrics.version import VERSION

# Packages that compute scores or statistics, or read configurations.
PACKAGES = (
    *("numpy", "scipy", "numba", "penman", "gensim", "POT", "tokenizers", "pandas", "joblib"),
    *("hydra-core", "omegaconf"),
)
MISSING = "not installed"


@cache
def installed(more: tuple[str, ...] = ()) -> Mapping[str, str]:
    """Return the versions of Python, of this project and of packages.

    Args:
        more: packages in addition to `PACKAGES`.

    >>> installed()["Python"] == platform.python_version()
    True
    """
    versions = {"Python": platform.python_version(), "bamboo": VERSION}
    for name in (*PACKAGES, *more):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = MISSING
    return versions


def versions() -> str:
    """List the versions of this project, of Python and of the packages that it uses.

    >>> versions().splitlines()[0] == f"bamboo {VERSION}"
    True
    """
    lines = [f"bamboo {VERSION}", f"Python {platform.python_version()}, {platform.platform()}"]
    for name in PACKAGES:
        found = installed()[name]
        lines.append(f"{name} is {found}" if found == MISSING else f"{name} {found}")
    return "\n".join(lines)
