"""What scores depend on, what they are comparable with, and which papers to cite."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from amr_metrics.base import Metric
from amr_metrics.building import walk_metrics
from amr_metrics.configurations import find_files
from amr_metrics.utils.citations import citations
from amr_metrics.version import VERSION
from bamboo.scoring.chunks import Reading

DIGEST = 8  # characters of a digest that are shown
# What the scores of metrics with default options are comparable with (docs/comparable.md).
COMPARABLE = {
    "smatch_1.0": (
        "Comparable with the smatch package since 1.0.3, whose search may find lower scores, "
        "usually by less than one point of 100."
    ),
    "smatch": (
        "Not comparable with the smatch package, which ignores the root's concept and quotation "
        "marks and reads :mod as :domain reversed. Its scores of parsers are usually about one "
        "point of 100 higher: metric=smatch_1.0."
    ),
    "smatchpp": (
        "Comparable with smatchpp 1.8.0 with its ILP solver and AMRStandardizer. For the smatch "
        "package: metric=smatch_1.0."
    ),
}
REPAIRED = (
    "Repaired graphs are not read in this way by the package, except for those closed at the end."
)


def list_settings(name: str, metric: Metric, reading: Reading) -> tuple[str, ...]:
    """Return what the scores of a metric depend on.

    Args:
        name: the metric's name with the options that differ from the defaults.

    >>> from amr_metrics import get
    >>> reading = Reading(on_error="zero", drop=("wiki",))
    >>> settings = list_settings("smatch", get("smatch"), reading)
    >>> format_signature(settings).replace(VERSION, "1.0")
    'smatch|drop=wiki|on_error=zero|bamboo v1.0'
    """
    options = {
        "drop": ",".join(reading.drop) or None,
        "extract": reading.extract,
        "repair": ",".join(reading.repair) or None,
        "on_error": None if reading.on_error == "stop" else reading.on_error,
        "ids": "match" if reading.ids == "match" else None,
        "id_field": ",".join(reading.paired_by) or None,
        "limit": reading.limit,
    }
    changed = [f"{key}={value}" for key, value in options.items() if value is not None]
    own = [] if _is_of_the_project(name) else [f"options={_digest(metric.signature)}"]
    vectors = dict.fromkeys(_list_vectors(metric))
    return name, *own, *_list_roles(name, metric), *vectors, *changed


def format_signature(settings: Sequence[str]) -> str:
    """Return what scores depend on as a line, with the version."""
    return "|".join([*settings, f"bamboo v{VERSION}"])


def _is_of_the_project(name: str) -> bool:
    """Return whether a name is that of one of the project's metrics, of which it tells the options.

    >>> [_is_of_the_project(name) for name in ("wlk K=4", "smatch_1.0", "my_metric")]
    [True, True, False]
    """
    return name.split(" ")[0].replace(".", "_") in find_files("metric")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST]


def _list_roles(name: str, metric: Metric) -> Iterator[str]:
    """Yield the roles that an option names by a word for several, such as ``only=[argn]``."""
    for option, roles in metric.role_options.items():
        text = ",".join(roles)
        if text.replace(":", "") not in name.replace(":", ""):
            yield f"{option}={text}"


def _list_vectors(metric: Metric) -> Iterator[str]:
    """Yield the name and a digest of the word vectors of a metric and of those in it."""
    for part in walk_metrics(metric):
        vectors: Any = getattr(part, "vectors", None)
        if (digest := getattr(vectors, "digest", None)) is not None:
            file = getattr(vectors, "file", None)
            name = Path(file).name if file else getattr(vectors, "name", type(vectors).__name__)
            yield f"vectors={name}:{digest[:DIGEST]}"


def describe_comparable(settings: Sequence[str]) -> list[str]:
    """Return what the scores of a metric are comparable with, if it is known."""
    comparable = COMPARABLE.get(settings[0])
    is_dropped = any(setting.startswith("drop=") for setting in settings)
    if comparable is None or is_dropped:
        return []
    is_repaired = any(setting.startswith("repair=") for setting in settings)
    return [comparable, REPAIRED] if is_repaired and settings[0] == "smatch_1.0" else [comparable]


def list_citations(reference: str) -> list[str]:
    """Say which papers to cite."""
    keys = ", ".join(citations(reference))
    return [f"cite: {keys} (cite=true prints BibTeX)"] if keys else []
