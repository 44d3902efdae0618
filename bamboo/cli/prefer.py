"""``prefer``: compare metrics with human preferences between parses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bamboo.benchmark.preference_data import Layout, PreferenceData, read_preferences
from bamboo.cli.session import Session
from bamboo.errors import ConfigError
from bamboo.evaluation.preference import (
    SCHEMA,
    MetricTies,
    Ties,
    preference_agreement,
    preference_table,
)
from bamboo.results.table import Format, render
from bamboo.statistics.resampling import Resampling


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options in ``conf/prefer.yaml``, except the metrics and a data set."""

    folder: Path | None
    layout: Layout
    references: Path | None
    ties: Ties
    metric_ties: MetricTies
    resamples: int
    seed: int
    report: Format


def main(session: Session) -> str:
    """Read the judgements, score both parses of each, count agreements, and report."""
    options, metrics = session.options(Options), session.metrics
    resampling = Resampling(options.resamples, options.seed)
    if session.request.data:
        source = PreferenceData.from_config(session.request.data[0])
        name = source.name
        data = source.load(options.references)
    elif options.folder is not None:
        name = str(options.folder)
        data = read_preferences(options.folder, options.layout, options.references)
    else:
        raise ConfigError("data=... is required: sembleu or a folder; see prefer --help")
    agreements = [
        preference_agreement(
            metric_name,
            metric,
            data,
            options.ties,
            resampling,
            options.metric_ties,
        )
        for metric_name, metric in metrics.items()
    ]
    title = f"Agreement with people (x 100), {name}"
    table = preference_table(agreements, data, title, options.metric_ties)
    document = {
        "schema": SCHEMA,
        "data": name,
        "metrics": [agreement.to_json() for agreement in agreements],
    }
    return render([table], options.report, document)
