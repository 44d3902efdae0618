"""What worker processes on other machines must have in common with this one."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata

from bamboo.config.source_files import OWN, package_digest
from bamboo.version import PACKAGES
from metrics.version import VERSION

EXCHANGE = ("dask", "distributed", "cloudpickle")  # the packages that move the data


@cache
def environment() -> Mapping[str, str]:
    """The versions of Python, of packages and of this project, and a digest of its code.

    >>> environment()["Python"] == platform.python_version()
    True
    """
    versions = {"Python": platform.python_version(), "bamboo": VERSION}
    for name in (*PACKAGES, *EXCHANGE):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "not installed"
    digests = {f"code of {name}": package_digest(folder)[:12] for name, folder in OWN.items()}
    return versions | digests


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> list[str]:
    """What differs between two environments.

    >>> differences({"Python": "3.12.1", "numpy": "2.1"}, {"Python": "3.11.2", "numpy": "2.1"})
    ['Python is 3.11.2 there but 3.12.1 here']
    """
    return [
        f"{name} is {there.get(name, 'not installed')} there but {version} here"
        for name, version in here.items()
        if there.get(name, "not installed") != version
    ]
