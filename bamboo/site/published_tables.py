"""The rows of published tables that belong to a site's metrics."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from bamboo.tables.score_tables import TableSpec


def rows_of_metrics(
    config: Mapping[str, Any], metrics: Collection[str], config_dir: str | Path | None = None
) -> Mapping[str, Any] | None:
    """Return a table's configuration with the rows of some metrics; None if no row is left.

    Tables of other kinds than scores, such as statistics of the data, are returned unchanged.

    Args:
        config: a YAML file of ``conf/table``.
        metrics: names of metrics, as in ``conf/metric``.
        config_dir: the user's own folder of YAML files, with their metrics.

    >>> config = {"title": "T", "protocol": "paper", "published": "table4.csv"}
    >>> rows_of_metrics({**config, "rows": ["sema", "wlk"]}, {"sema"})["rows"]
    ['sema']
    """
    if config.get("kind", "scores") != "scores":
        return config
    rows = TableSpec.from_config(config, config_dir).rows
    listed = config.get("rows") or [row.name for row in rows]
    chosen = [
        entry for entry, row in zip(listed, rows, strict=True) if row.computed.base in metrics
    ]
    return {**config, "rows": chosen} if chosen else None
