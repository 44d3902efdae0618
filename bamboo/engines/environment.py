"""The versions and the code that worker processes on other machines must share with this one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from bamboo.config.source_files import PROJECT, package_digest
from bamboo.installation import installed

EXCHANGE = ("dask", "distributed", "cloudpickle")  # the packages that move the data


@cache
def environment() -> Mapping[str, str]:
    """Return the versions of Python, of packages and of this project, and a digest of its code.

    >>> environment().keys() >= {"Python", "numpy", "code of metrics"}
    True
    """
    digests = {f"code of {name}": package_digest(folder)[:12] for name, folder in PROJECT.items()}
    return {**installed(EXCHANGE), **digests}


def differences(sender: Mapping[str, str], worker: Mapping[str, str]) -> list[str]:
    """Describe the differences between the environments of a sender of calls and a worker.

    >>> differences({"Python": "3.12.1", "numpy": "2.1"}, {"Python": "3.11.2", "numpy": "2.1"})
    ['Python is 3.11.2 there but 3.12.1 here']
    """
    return [
        f"{name} is {worker.get(name, 'not installed')} there but {version} here"
        for name, version in sender.items()
        if worker.get(name, "not installed") != version
    ]
