"""Public names of a package that are imported from their modules when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a package (PEP 562).

    Args:
        package: its name.
        modules: the module of each public name, relative to the package. A name cannot be that of
            a module itself, which takes its place in the package once it is imported.

    >>> find, names = lazy_names("metrics", {"Graph": "graph"})
    >>> find("Graph").__name__
    'Graph'
    >>> find("Grahp")
    Traceback (most recent call last):
    AttributeError: module 'metrics' has no attribute 'Grahp'
    """

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return find, names
