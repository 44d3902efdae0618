"""A digest of the code that computes a metric's scores, part of the key of cached results.

``docs/cache.md`` describes what the digest covers and what it does not.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from amr_metrics.base import Metric
from amr_metrics.utils.digests import file_digest
from bamboo.config.rows import Row, is_portable
from bamboo.config.source_files import (
    PROJECT,
    code_digests,
    dotted_names,
    folder_digest,
    package_digest,
)
from bamboo.files import json_text
from bamboo.installation import installed

# The packages of the harness that read pairs, build metrics and score.
SCORING = ("benchmark", "config", "pairs", "scoring")
# The packages that build partitions.
BUILDING = {"bamboo": ("transforms",), "amr_metrics": ("graphs", "reading")}

MOST_OPTIONS = 100  # longer lists hold values such as words or weights, not metrics


def implementation(metric: Metric, trainer: Mapping[str, Any] | None = None) -> str:
    """Return a digest of all that computes a metric's scores, except its options and the data.

    It covers the versions of Python and of packages; the package ``amr_metrics`` with its tables
    and the packages of the harness that score; for a metric with a trainer, the training code; the
    user's code that the metric and the trainer refer to; the files that the metric uses.
    """
    importlib.invalidate_caches()
    packages = SCORING if trainer is None else (*SCORING, "train")
    names = {*dotted_names(trainer), *_names_in(metric)}
    parts = {
        "environment": installed(),
        "metrics": package_digest(PROJECT["amr_metrics"]),
        "harness": source_digest(PROJECT["bamboo"] / name for name in packages),
        "modules": code_digests(sorted(names)),
        "files": [_used_file(path) for path in _used_files(metric)],
    }
    return hashlib.sha256(json_text(parts, sort_keys=True).encode()).hexdigest()


def cache_key(row: Row, metric: Metric, on_error: str) -> str:
    """Return one line with everything, except the data, that a cached result depends on.

    Args:
        metric: the metric of the row on a data set.
    """
    if not is_portable(metric):
        return f"{metric.signature} {on_error} object={id(metric)}"
    digest = implementation(metric, row.trainer)
    return f"{metric.signature} {on_error} implementation={digest}"


def builder() -> str:
    """Return a digest of the code that builds partitions."""
    return source_digest(
        PROJECT[package] / name for package in BUILDING for name in BUILDING[package]
    )


def source_digest(paths: Iterable[Path]) -> str:
    """Return a digest of source files and of the files in folders."""
    parts = [package_digest(path) if path.is_dir() else file_digest(path) for path in paths]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _parts(value: Any) -> Iterator[Any]:
    """Yield a metric and the objects in its options."""
    yield value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _parts(getattr(value, field.name))
    elif isinstance(value, list | tuple | Mapping) and len(value) <= MOST_OPTIONS:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _parts(item)


def _names_in(metric: Metric) -> Iterator[str]:
    """Yield the names of modules, and of functions among the options."""
    for part in _parts(metric):
        if isinstance(part, str):
            yield from dotted_names(part)
        kinds = (part,) if callable(part) and hasattr(part, "__module__") else type(part).__mro__
        for kind in kinds:
            yield str(kind.__module__)


def _used_files(metric: Metric) -> Iterator[Path]:
    for part in _parts(metric):
        if isinstance(part, Metric):
            yield from part.used_files()


def _used_file(path: Path) -> list[str]:
    """Return digests of a file that a metric uses and, for a Python script, of its folder."""
    try:
        content = file_digest(path)
        with path.open("rb") as file:
            first = file.readline(200)
    except OSError as error:
        return [str(error.strerror)]
    is_script = path.suffix == ".py" or (first.startswith(b"#!") and b"python" in first)
    return [content, folder_digest(path)] if is_script else [content]
