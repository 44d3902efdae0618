"""What worker processes on other machines must have in common with this one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from bamboo.config.source_files import OWN, package_digest
from bamboo.installation import installed

EXCHANGE = ("dask", "distributed", "cloudpickle")  # the packages that move the data


@cache
def environment() -> Mapping[str, str]:
    """Return the versions of Python, of packages and of this project, and a digest of its code.

    >>> environment().keys() >= {"Python", "numpy", "code of metrics"}
    True
    """
    digests = {f"code of {name}": package_digest(folder)[:12] for name, folder in OWN.items()}
    return {**installed(EXCHANGE), **digests}


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> list[str]:
    """Return what differs between two environments.

    >>> differences({"Python": "3.12.1", "numpy": "2.1"}, {"Python": "3.11.2", "numpy": "2.1"})
    ['Python is 3.11.2 there but 3.12.1 here']
    """
    return [
        f"{name} is {there.get(name, 'not installed')} there but {version} here"
        for name, version in here.items()
        if there.get(name, "not installed") != version
    ]
