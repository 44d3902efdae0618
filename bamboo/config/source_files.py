"""Digests of source code: of this project's packages, and of the user's modules."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata
from importlib.machinery import PathFinder, all_suffixes
from pathlib import Path
from types import ModuleType
from typing import Any

import amr_metrics
from amr_metrics.options import target_of
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.user_code import is_user_file
from bamboo.installation import PACKAGE

PROJECT = {"bamboo": PACKAGE, "amr_metrics": Path(amr_metrics.__file__).parent}
DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")

# Digests of the code of the modules loaded in this process, recorded on first use: a file edited
# later does not change the running code.
_LOADED: dict[str, tuple[ModuleType, str]] = {}


def dotted_names(value: Any, skipped: Collection[str] = (), name: str = "") -> Iterator[str]:
    """Yield the strings in a configuration that may name a class, a function or a module.

    Args:
        skipped: options that are not searched.
        name: the option that the value belongs to.

    >>> list(dotted_names({"_target_": "Mine", "of": {"_target_": "amr_metrics.Exact"}, "k": "a"}))
    ['Mine', 'amr_metrics.Exact']
    """
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key not in skipped:
                yield from dotted_names(item, skipped, str(key))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from dotted_names(item, skipped)
    elif isinstance(value, str):
        target = target_of(value)  # a function with options is written as a call
        if name == "_target_" or DOTTED.fullmatch(target):
            yield target


def code_digests(names: Iterable[str]) -> dict[str, str]:
    """Return digests of the user's modules that dotted names refer to, by top-level module.

    A module is represented by all modules of its folder (`folder_digest`), an installed package by
    its version. Names of this project and of the standard library are left out, and so are names
    that are neither a module nor a member of one. Nothing is imported.
    """
    digests = {}
    for name in names:
        top = name.partition(".")[0]
        if top in PROJECT or top in sys.stdlib_module_names:
            continue
        module = sys.modules.get(top)
        if module is not None and top in _LOADED and _LOADED[top][0] is module:
            digests[top] = _LOADED[top][1]
        elif (file := _module_file(name)) is not None:
            digests[top] = folder_digest(file) if is_user_file(file) else _version(top)
            if module is not None:
                _LOADED[top] = module, digests[top]
    return digests


def folder_digest(file: Path) -> str:
    """Return a digest of all modules in the folder of a module, and in its subfolders.

    For a module of a package, the folder is the one that contains the package. Subfolders without
    modules are not searched.
    """
    root = file.resolve().parent
    while (root / "__init__.py").exists():
        root = root.parent
    digest = hashlib.sha256()
    for folder, subfolders, names in os.walk(root):
        modules = sorted(name for name in names if name.endswith(tuple(all_suffixes())))
        if not modules and Path(folder) != root:
            subfolders.clear()  # such as a folder of data, or an environment
        subfolders[:] = sorted(n for n in subfolders if not n.startswith((".", "__pycache__")))
        for path in (Path(folder, name) for name in modules):
            try:
                content = file_digest(path)
            except OSError as error:
                content = str(error.strerror)
            digest.update(f"{path.relative_to(root)}\n{content}\n".encode())
    return digest.hexdigest()


@cache
def package_digest(folder: Path) -> str:
    """Return a digest of all files of a package, including data files; read once per process."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        hidden = any(part.startswith((".", "__pycache__")) for part in name.split("/"))
        if not hidden and not name.endswith(("~", ".pyc")) and path.is_file():
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{name}\n{content}\n".encode())
    return digest.hexdigest()


def _module_file(name: str) -> Path | None:
    top, *parts = name.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):  # a loaded module without a spec, as a script's __main__
        file = getattr(sys.modules.get(top), "__file__", None)
        return None if file is None else Path(file)
    origin = None
    while spec is not None:
        origin = spec.origin or origin
        folders = spec.submodule_search_locations
        spec = PathFinder.find_spec(parts.pop(0), list(folders)) if folders and parts else None
    return None if origin is None else Path(origin)


@cache
def _version(top: str) -> str:
    """Return the name and version of the distributions that an installed module belongs to."""
    names = sorted(set(metadata.packages_distributions().get(top, ())))
    return ", ".join(f"{name} {metadata.version(name)}" for name in names)
