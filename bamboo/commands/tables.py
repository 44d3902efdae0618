"""Reproduce the published tables.

python -m bamboo tables table=4
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from amr_metrics.errors import MetricError
from bamboo.commands.base import say_written
from bamboo.commands.options import ENGINES, REPORTS, RESAMPLE, SEEDS, SEEDS_HELP, option
from bamboo.commands.scoring import ScoringCommand
from bamboo.config.rows import Row
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError, message
from bamboo.log import warn
from bamboo.results.run_folder import write_tables
from bamboo.results.table import Format, render
from bamboo.statistics.resampling import Resample, Significance
from bamboo.tables.reproduce import WITHOUT_METRICS, reproduce
from bamboo.tables.score_tables import check_seeds, table_rows


@dataclass(frozen=True, kw_only=True)
class Tables(ScoringCommand):
    """The options of ``tables``."""

    NAME: ClassVar[str] = "tables"

    table: tuple[Mapping[str, Any], ...] = option(
        "all",
        "1 | 3 | 4 | definitions | 5 | 6 | leaderboard | converged | all, or a list; not "
        "in all: sembleu_2 | sembleu_3 (SemBleu paper, other data) | beyond",
    )
    metric: tuple[Row, ...] | None = option(None, "only the rows of these metrics; null: all rows")
    data: tuple[Mapping[str, Any], ...] = option("all", "the three data sets of the benchmark")
    engine: AnyEngine = option("loky", ENGINES)
    resample: Resample = option("sentences", RESAMPLE)
    permutations: int = option(
        5000, "number of permutations of the test that marks the best of each column"
    )
    level: float = option(0.05, "significance level, after Holm's correction")
    seed: int = option(0, "random seed for the permutations")
    report: Format = option("table", REPORTS)
    out: Path | None = option(
        None, "folder for tables.json and tables.md; null: a folder under runs/"
    )
    seeds: Mapping[str, tuple[int, ...]] = option(SEEDS, SEEDS_HELP)

    def __post_init__(self) -> None:
        check_seeds(self.seeds)
        if options := [key for key in self.configuration.given if key.startswith("metric.")]:
            raise ConfigError(
                f"{min(options)}: the rows of a table have their own options; metric=NAME chooses "
                "rows"
            )

    def __call__(self) -> str:
        """Compute the requested tables, write the run folder and report.

        Raises:
            ConfigError: no table has a row that can be computed.
        """
        configuration = self.configuration
        significance = Significance(
            permutations=self.permutations,
            level=self.level,
            seed=self.seed,
            resample=self.resample,
        )
        datasets = self.datasets
        metrics = {metric.name for metric in self.metric or ()}
        tables, left_out = _computable(self.table, metrics, configuration.config_dir)
        warn(left_out)
        with self.run_folder(self.out) as folder:
            made = reproduce(
                tables,
                datasets,
                self.seeds,
                significance,
                self.scores_cache,
                self.settings(),
                configuration.config_dir,
            )
            reproduced, documents = zip(*made, strict=True)
            write_tables(folder, configuration, reproduced, documents)
        say_written(folder.path)
        return render(reproduced, self.report, documents)


def _computable(
    tables: Sequence[Mapping[str, Any]], metrics: Collection[str], config_dir: str | None
) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Leave out the rows of other metrics, and those that lack word vectors or a package.

    Args:
        metrics: names of rows or of metrics; all rows if empty.

    Returns:
        the tables with rows that can be computed, and a warning for each reason to leave out rows.

    Raises:
        ConfigError: nothing is left.
    """
    computable: list[Mapping[str, Any]] = []
    problems = []
    for config in tables:
        if config.get("kind") in WITHOUT_METRICS:
            computable += [] if metrics else [config]
            continue
        rows, reasons = [], dict[str, list[str]]()
        for row in table_rows(config.get("rows"), config.get("published"), config_dir):
            if metrics and not {row.name, row.computed.base} & {*metrics}:
                continue
            try:
                _ = row.computed.on().signature
                rows.append(row.config)
            except MetricError as error:  # its word vectors or a package are missing
                reasons.setdefault(message(error), []).append(row.name)
        if rows or not (metrics or reasons):
            computable.append({**config, "rows": rows})
        problems += [
            f"{config['title']} without {', '.join(names)}: {reason}"
            for reason, names in reasons.items()
        ]
    if not computable:
        titles = ", ".join(str(config["title"]) for config in tables)
        raise ConfigError("; ".join(problems) or f"metric: no row of {titles} is of this metric")
    return computable, problems
