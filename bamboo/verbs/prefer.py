"""``prefer``: hold metrics against people's preferences between parses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bamboo.config import Request
from bamboo.errors import ConfigError
from bamboo.metric import build_metric
from bamboo.preference import SCHEMA, Ties, agreement, preference_table
from bamboo.preference_data import Layout, read_preferences
from bamboo.tables import Format, render
from bamboo.verbs import own_options


@dataclass(frozen=True, kw_only=True)
class PreferOptions:
    """What ``conf/prefer.yaml`` asks for, beside the metrics."""

    folder: Path
    layout: Layout
    references: Path | None
    ties: Ties
    resamples: int
    seed: int
    report: Format

    def __post_init__(self) -> None:
        if self.resamples < 1 or self.seed < 0:
            raise ConfigError("resamples is 1 at least, seed not negative")


def main(request: Request) -> str:
    """Read the judgements, score both parses of each, count agreements; report."""
    options = own_options(PreferOptions, request, "paths")
    built = [(job.name, build_metric(job.name, job.metric)) for job in request.jobs]
    data = read_preferences(options.folder, options.layout, options.references)
    draws = (options.resamples, options.seed)
    found = [agreement(name, metric, data, options.ties, *draws) for name, metric in built]
    table = preference_table(found, data, f"Agreement with people (x 100), {options.folder}")
    document = {
        "schema": SCHEMA,
        "data": str(options.folder),
        "metrics": [f.to_json() for f in found],
    }
    return render([table], options.report, document)
