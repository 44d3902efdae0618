"""Digests of the code that computes scores, a part of the keys of cached results.

``docs/cache.md`` describes what they cover and what they do not.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata
from importlib.machinery import all_suffixes
from pathlib import Path
from types import ModuleType
from typing import Any

import amr_metrics
from amr_metrics.base import Metric
from amr_metrics.building import describe_document, metric_options, walk_metrics
from amr_metrics.errors import OptionError
from amr_metrics.kernels.build import SUFFIXES
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.functions import extract_target
from amr_metrics.utils.user_code import is_user_file
from bamboo.errors import BambooError
from bamboo.files import json_text
from bamboo.installation import PACKAGE, list_installed

LIBRARY = Path(amr_metrics.__file__).parent
PROJECT = ("bamboo", "amr_metrics")
# What reads pairs, builds metrics and scores.
SCORING = (
    LIBRARY,
    *(PACKAGE / name for name in ("benchmark", "config", "scoring")),
    *(PACKAGE / "results" / name for name in ("cache.py", "score_cells.py", "score_file.py")),
)
TRAINING = (PACKAGE / "training", PACKAGE / "statistics" / "ratings.py")
DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")


def implementation(metric: Metric, trainer: Mapping[str, Any] | None = None) -> str:
    """Return a digest of all that computes a metric's scores, except its options and the data.

    It covers the versions of Python and of packages; the package ``amr_metrics`` with its tables
    and the code of the harness that scores; for a metric with a trainer, the training code; the
    user's code that the metric and the trainer refer to; the files that the metric uses.

    Raises:
        BambooError: code of this project is missing.
    """
    names = {*_list_dotted(describe_document(metric)), *_list_dotted(trainer)}
    used = [path for part in walk_metrics(metric) for path in part.used_files()]
    parts = {
        "environment": list_installed(),
        "source": source_digest(*SCORING, *(TRAINING if trainer is not None else ())),
        "modules": code_digests(sorted(names)),
        "files": [_hash_used_file(path) for path in used],
    }
    return hashlib.sha256(json_text(parts, sort_keys=True).encode()).hexdigest()


def is_portable(metric: Metric) -> bool:
    """Check that a metric's class can be imported and its options are plain.

    The code of any other metric may be unknown: its scores are not cached on disk.
    """
    try:
        metric_options(metric)
    except OptionError:
        return False
    return True


@cache
def source_digest(*paths: Path) -> str:
    """Return a digest of source files, and of all files in folders; read once per process.

    Built files are left out: the same sources give the same scores, whatever the compiler.

    Raises:
        BambooError: a file or folder is missing.
    """
    digest = hashlib.sha256()
    for top in paths:
        if not top.exists():
            raise BambooError(f"{top} is missing, on which cached scores depend: install it again")
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            is_built = "__pycache__" in path.parts or path.suffix in SUFFIXES
            if not is_built and path.is_file():
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"{path.relative_to(top.parent).as_posix()}\n{content}\n".encode())
    return digest.hexdigest()


def code_digests(names: Iterable[str]) -> dict[str, str]:
    """Return digests of the user's modules that dotted names refer to, by top-level module.

    A module is represented by all modules of the folder that contains it or its package, an
    installed package by its version. Names of this project and of the standard library are left
    out, and so are names of no module. Nothing is imported.
    """
    importlib.invalidate_caches()
    digests = {}
    for top in {name.partition(".")[0] for name in names} - {*PROJECT, *sys.stdlib_module_names}:
        module = sys.modules.get(top)
        digest = _hash_module(top) if module is None else _hash_loaded_module(module, top)
        if digest is not None:
            digests[top] = digest
    return digests


@cache
def _hash_loaded_module(module: ModuleType, top: str) -> str | None:
    """Return the digest of a loaded module when it is first used.

    A file that is edited later does not change the running code.
    """
    return _hash_module(top)


def _hash_module(top: str) -> str | None:
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    folders = list(spec.submodule_search_locations or ())
    place = Path(folders[0]) if folders else Path(spec.origin or "")
    if is_user_file(place):
        return _hash_folder(place.resolve().parent)
    names = sorted(set(_list_distributions().get(top, ())))
    return ", ".join(f"{name} {metadata.version(name)}" for name in names)


_list_distributions = cache(metadata.packages_distributions)  # it reads files of each package


def _hash_folder(root: Path) -> str:
    """Return a digest of all modules in a folder, and in its subfolders with modules."""
    digest = hashlib.sha256()
    for folder, subfolders, names in os.walk(root):
        modules = sorted(name for name in names if name.endswith(tuple(all_suffixes())))
        if not modules and Path(folder) != root:
            subfolders.clear()  # such as a folder of data, or an environment
        subfolders[:] = sorted(n for n in subfolders if not n.startswith((".", "__pycache__")))
        for path in (Path(folder, name) for name in modules):
            digest.update(f"{path.relative_to(root)}\n{_hash_content(path)}\n".encode())
    return digest.hexdigest()


def _hash_content(path: Path) -> str:
    try:
        return file_digest(path)
    except OSError as error:
        return str(error.strerror)


def _list_dotted(value: Any) -> Iterator[str]:
    """Yield the strings in a configuration that may name a class, a function or a module.

    >>> list(_list_dotted({"_target_": "own.Mine", "of": ["amr_metrics.Exact(k=1)"], "k": "a"}))
    ['own.Mine', 'amr_metrics.Exact']
    """
    if isinstance(value, str):
        target = extract_target(value)  # a function with options is written as a call
        if DOTTED.fullmatch(target):
            yield target
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _list_dotted(item)


def _hash_used_file(path: Path) -> list[str]:
    """Return digests of a file that a metric uses and, for a Python script, of its folder."""
    try:
        with path.open("rb") as file:
            first = file.readline(200)
    except OSError as error:
        return [str(error.strerror)]
    if path.suffix != ".py" and not (first.startswith(b"#!") and b"python" in first):
        return [_hash_content(path)]
    root = path.resolve().parent
    while (root / "__init__.py").exists():  # the folder that contains its package
        root = root.parent
    return [_hash_content(path), _hash_folder(root)]
