"""A digest of the code that computes a metric's scores, part of the key of cached results.

See ``docs/cache.md`` for what the digest covers and what it does not.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from bamboo.config.metrics import LEARNED, OBJECT, TRAINER
from bamboo.config.source_files import (
    OWN,
    dotted_names,
    module_digests,
    package_digest,
    script_digests,
)
from bamboo.documents import json_text
from metrics.base import Metric
from metrics.utils.digests import file_digest

# The parts of the harness that read the pairs of a cell, build the metric and train it.
READING = (
    "benchmark/cells.py",
    "benchmark/datasets.py",
    "benchmark/pair_tables.py",
    "benchmark/partition.py",
    "benchmark/ratings.py",
    "config/metrics.py",
    "pairs",
)
TRAINING = ("benchmark/protocols.py", "train")
# The parts that build partitions.
BUILDING = {"bamboo": ("transforms",), "metrics": ("graphs", "reading")}
# The packages that affect the scores.
PACKAGES = ("POT", "gensim", "numba", "numpy", "penman", "scipy", "tokenizers")

OPTIONS = 100  # longer lists hold values such as words or weights, not metrics


def implementation(config: Mapping[str, Any], metric: Metric) -> str:
    """A digest of everything that computes a metric's scores, except its options and the data.

    It covers the package ``metrics`` with its tables and the harness's modules that read pairs; for
    a metric with a trainer, the training code; the modules that the configuration names (classes
    and functions, also nested ones) and the modules they import; the programs and files that the
    metric uses; the versions of Python and of the packages that affect scores.

    Args:
        config: the metric's configuration, as for `bamboo.config.metrics.build_metric`.
        metric: the metric built from it.
    """
    importlib.invalidate_caches()
    harness = READING + (TRAINING if config.get(TRAINER) is not None else ())
    names = {*dotted_names(config, (LEARNED,)), *_modules(metric)}
    parts = {
        "environment": _environment(),
        "metrics": package_digest(OWN["metrics"]),
        "harness": source_digest(OWN["bamboo"] / name for name in harness),
        "modules": module_digests(sorted(names)),
        "files": [_used_file(path) for path in _used_files(metric)],
    }
    return hashlib.sha256(json_text(parts, sort_keys=True).encode()).hexdigest()


def cache_key(config: Mapping[str, Any], metric: Metric, on_error: str) -> str:
    """One line with everything, except the data, that a cached result depends on."""
    if OBJECT in config:  # its code may be unknown: such scores are not kept
        return f"{metric.signature} {on_error} object={id(config[OBJECT])}"
    return f"{metric.signature} {on_error} implementation={implementation(config, metric)}"


def builder() -> str:
    """A digest of the code that builds partitions."""
    return source_digest(OWN[package] / name for package in BUILDING for name in BUILDING[package])


def source_digest(paths: Iterable[Path]) -> str:
    """A digest of source files and of the files in folders."""
    parts = [package_digest(path) if path.is_dir() else file_digest(path) for path in paths]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@cache
def _environment() -> tuple[str, ...]:
    """The versions of Python and of the packages that affect scores."""
    versions = [f"python {platform.python_version()}"]
    for name in PACKAGES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:  # a source tree on the path
            versions.append(name)
    return tuple(versions)


def _parts(value: Any) -> Iterator[Any]:
    """A metric and the objects in its options."""
    yield value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _parts(getattr(value, field.name))
    elif isinstance(value, list | tuple | Mapping) and len(value) <= OPTIONS:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _parts(item)


def _modules(metric: Metric) -> Iterator[str]:
    """The modules of the classes and functions that a metric consists of."""
    for part in _parts(metric):
        kinds = (part,) if callable(part) and hasattr(part, "__module__") else type(part).__mro__
        for kind in kinds:
            yield str(kind.__module__)


def _used_files(metric: Metric) -> Iterator[Path]:
    for part in _parts(metric):
        if isinstance(part, Metric):
            yield from part.used_files()


def _used_file(path: Path) -> list[Any]:
    """Digests of a file that a metric runs or reads; of a Python script also its modules."""
    try:
        content = file_digest(path)
        with path.open("rb") as file:
            first = file.readline(200)
    except OSError as error:
        return [str(error.strerror)]
    if path.suffix == ".py" or (first.startswith(b"#!") and b"python" in first):
        python_path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        folders = [path.resolve().parent, Path.cwd(), *map(Path, filter(None, python_path))]
        return [content, script_digests(path, list(map(str, folders)))]
    return [content]
