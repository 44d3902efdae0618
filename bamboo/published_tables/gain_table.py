"""Tables of what metrics gain by other options: measured, published and difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bamboo.benchmark.columns import MEANS
from bamboo.benchmark.protocols import read_protocol
from bamboo.board import NAN
from bamboo.config.groups import ConfigDir, MetricConfig
from bamboo.config.options import read_options
from bamboo.config.requests import build_rows
from bamboo.config.rows import Row
from bamboo.display.table import Table
from bamboo.published_tables.inputs import Inputs, ReproducedTable
from bamboo.published_tables.score_tables import refuse_randomness, table_rows
from bamboo.results.evaluate import run
from bamboo.results.result_table import cache_notes


@dataclass(frozen=True, kw_only=True)
class GainSpec:
    """What a ``conf/table/<name>.yaml`` of kind ``gains`` says.

    Attributes:
        title: the table's title.
        protocol: the name of the protocol.
        change: the options that are changed.
        kind: ``gains``.
        rows: the metrics before the change, as in `table_rows`.
        published: the file of published gains below ``data/published``, or None.
    """

    title: str
    protocol: str
    change: Mapping[str, Any]
    kind: str = "gains"
    rows: tuple[str | Mapping[str, Any], ...] | None = None
    published: str | None = None


def reproduce_gains(config: Mapping[str, Any], inputs: Inputs) -> ReproducedTable:
    """Return a table of what metrics gain by other options.

    Args:
        config: the content of its YAML file.

    Raises:
        ConfigError: an unknown or missing key, a metric that cannot be built or uses random
            numbers.
    """
    spec, config_dir = read_options(GainSpec, config, "table"), inputs.config_dir
    lines = table_rows(spec.rows, spec.published, config_dir)
    pairs = [(row, _replace_options(row, spec.change, config_dir), line) for row, line, _ in lines]
    refuse_randomness([row for row, _, _ in pairs], "gains")
    protocol = read_protocol(spec.protocol, config_dir)
    rows = [row for before, after, _ in pairs for row in (before, after)]
    results, _ = run(rows, inputs.cells, protocol, inputs.cache, inputs.settings)
    body: list[tuple[Any, ...]] = []
    for before, after, line in pairs:
        values = [
            [results.find_score(row.name, mean)[0].value for mean in MEANS]
            for row in (before, after)
        ]
        gains = [b - a for a, b in zip(*values, strict=True)]
        published = [NAN if line is None else line.values.get(mean, NAN) for mean in MEANS]
        differences = [a - b for a, b in zip(gains, published, strict=True)]
        by_mean = zip(MEANS, *values, gains, published, differences, strict=True)
        body += [(before.name, *of_mean) for of_mean in by_mean]
    change = " ".join(f"{name}={value}" for name, value in spec.change.items())
    columns = ("metric", "mean", "before", "after", "gain", "published", "difference")
    notes = (f"after: with {change.lower()}.", *cache_notes(results.cache))
    rules = tuple(range(len(MEANS), len(body), len(MEANS)))
    table = Table(spec.title, columns, tuple(body), notes=notes, rules=rules)
    about = {"signatures": dict(results.signatures), "cache": results.cache}
    return table, {**table.to_json(), "notes": notes[:1], **about, "data": dict(results.data)}


def _replace_options(row: Row, change: Mapping[str, Any], config_dir: ConfigDir) -> Row:
    """Return a row with other options."""
    config = MetricConfig(row.name, row.base, row.document, row.document)
    (changed,) = build_rows(config, change, config_dir=config_dir)
    return changed
