"""Compare metrics with human preferences.

python -m bamboo prefer data=sembleu metric=smatch,smatchpp
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from bamboo.benchmark.preference_data import Layout, PreferenceData, read_preferences
from bamboo.commands.base import MetricCommand
from bamboo.commands.options import REPORTS, option
from bamboo.config.groups import group_names
from bamboo.config.jobs import Job
from bamboo.config.settings import Setting
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
class Prefer(MetricCommand):
    """The options of ``prefer``."""

    NAME: ClassVar[str] = "prefer"

    metric: tuple[Job, ...] = option("smatch", "one or more: metric=smatch,smatchpp")
    data: tuple[Mapping[str, Any], ...] = option(
        None, "sembleu (the SemBleu paper's data, downloaded), or data=FOLDER"
    )
    folder: Path | None = option(
        None, "same as data=FOLDER: folder with references, parses and judgements"
    )
    layout: Layout = option(
        "auto",
        "of the folder: pairs (as in AMRParseEval: LABEL.txt) | systems (preferences.tsv) "
        "| sembleu (amr_human.csv) | auto",
    )
    references: Path | None = option(None, "file of references, instead of the one in the folder")
    ties: Ties = option("skip", "skip | count: judgements that rate both parses as equal")
    metric_ties: MetricTies = option(
        "wrong", "wrong | first: how a metric's equal scores for both parses are counted"
    )
    resamples: int = option(1000, "number of bootstrap samples")
    seed: int = option(0, "random seed for the bootstrap")
    report: Format = option("table", REPORTS)

    @classmethod
    def adjusted(cls, settings: Sequence[Setting], config_dir: str | None) -> Sequence[Setting]:
        """Read ``data=FOLDER`` as ``folder=FOLDER``."""
        known = group_names("data", config_dir)
        return [
            replace(s, key="folder") if s.key == "data" and str(s.value) not in known else s
            for s in settings
        ]

    def __call__(self) -> str:
        """Read the judgements, score both parses of each, count agreements, and report."""
        metrics = self.metrics
        resampling = Resampling(self.resamples, self.seed)
        if self.data:
            source = PreferenceData.from_config(self.data[0])
            name = source.name
            data = source.load(self.references)
        elif self.folder is not None:
            name = str(self.folder)
            data = read_preferences(self.folder, self.layout, self.references)
        else:
            raise ConfigError("data=... is required: sembleu or a folder; see prefer --help")
        agreements = [
            preference_agreement(
                metric_name,
                metric,
                data,
                self.ties,
                resampling,
                self.metric_ties,
            )
            for metric_name, metric in metrics.items()
        ]
        title = f"Agreement with people (x 100), {name}"
        table = preference_table(agreements, data, title, self.metric_ties)
        document = {
            "schema": SCHEMA,
            "data": name,
            "metrics": [agreement.to_json() for agreement in agreements],
        }
        return render([table], self.report, document)
