"""Reproduce the published tables.

python -m bamboo tables table=4
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bamboo.commands.base import say_written
from bamboo.commands.options import ENGINES, REPORTS, SEEDS, SEEDS_HELP, option
from bamboo.commands.scoring import ScoringCommand
from bamboo.config.metrics import build_metric
from bamboo.engines import AnyEngine
from bamboo.errors import ChecksFailed, ConfigError, message
from bamboo.results.run_folder import write_tables
from bamboo.results.table import Format, render
from bamboo.statistics.resampling import Significance
from bamboo.tables.reproduce import reproduce
from bamboo.tables.score_tables import TableSpec, check_seeds
from metrics.errors import VectorError


@dataclass(frozen=True, kw_only=True)
class Tables(ScoringCommand):
    """The options of ``tables``."""

    NAME: ClassVar[str] = "tables"

    table: tuple[Mapping[str, Any], ...] = option(
        "all",
        "1 | 3 | 4 | definitions | 5 | 6 | leaderboard | converged | all, or a list; not "
        "in all: sembleu_2 | sembleu_3 (SemBleu paper, other data) | beyond",
    )
    data: tuple[Mapping[str, Any], ...] = option("all", "the three data sets of the benchmark")
    engine: AnyEngine = option("loky", ENGINES)
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

    def __call__(self) -> str:
        """Compute the requested tables, write the run folder and report.

        Raises:
            ConfigError: no table can be computed.
            ChecksFailed: some tables cannot, since they need word vectors that are missing.
        """
        configuration = self.configuration
        significance = Significance(
            permutations=self.permutations, level=self.level, seed=self.seed
        )
        datasets = self.datasets
        usable, problem = _usable(self.table, configuration.config_dir)
        if not usable:
            raise ConfigError(problem)
        with self.run_folder(self.out) as folder:
            made = reproduce(
                usable,
                datasets,
                self.seeds,
                significance,
                self.scores_cache,
                self.settings(),
                configuration.config_dir,
            )
            tables, documents = zip(*made, strict=True)
            write_tables(folder, configuration, tables, documents)
        say_written(folder.path)
        report = render(tables, self.report, documents)
        if problem:
            raise ChecksFailed(problem, report)
        return report


def _usable(
    tables: Sequence[Mapping[str, Any]], config_dir: str | None
) -> tuple[list[Mapping[str, Any]], str]:
    """Return the tables whose metrics have their word vectors, and why the others are left out."""
    usable, reasons = [], dict[str, list[str]]()
    for config in tables:
        try:
            if config.get("kind", "scores") == "scores":
                for row in TableSpec.from_config(config, config_dir).rows:
                    _ = build_metric(row.job.name, row.job.metric).signature
            usable.append(config)
        except VectorError as error:
            reasons.setdefault(message(error), []).append(str(config["title"]))
    return usable, "; ".join(
        f"not computed: {', '.join(titles)}: {reason}" for reason, titles in reasons.items()
    )
