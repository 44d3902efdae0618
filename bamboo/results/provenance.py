"""The provenance of a result: command, code, packages and data."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from amr_metrics.external import ExternalMetric
from amr_metrics.standardize.metric import inner_metric
from amr_metrics.version import VERSION
from bamboo.config.reference import Reference
from bamboo.config.rows import Row
from bamboo.installation import MISSING, PACKAGES, find_commit, list_installed
from bamboo.results.record import Record, convert_to_yaml


def provenance(record: Record, data: Mapping[str, str]) -> dict[str, Any]:
    """Return where and how a result was computed, as plain values.

    Args:
        data: SHA-256 of the data of each cell, by ``data set partition split``.
    """
    return {
        "command": shlex.join(["python", "-m", "bamboo", *record.words]),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": VERSION,
        "commit": find_commit(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {
            name: list_installed()[name] for name in PACKAGES if list_installed()[name] != MISSING
        },
        "engine": convert_to_yaml(record.options.get("engine")),
        "data": dict(data),
    }


def find_source(row: Row) -> Reference:
    """Return the reference of a row; of this project's metrics with the commit of this code."""
    reference, metric = row.source, inner_metric(row.metric)
    is_ours = type(metric).__module__.startswith("amr_metrics.")
    if row.reference is None and is_ours and not isinstance(metric, ExternalMetric):
        revision = find_commit()
        return reference._replace(commit="" if revision is None else revision["id"])
    return reference
