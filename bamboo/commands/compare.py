"""Test differences between metrics.

python -m bamboo compare metric=smatch,wlk data=all
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from bamboo.benchmark.cells import limit_notes
from bamboo.benchmark.protocols import Protocol
from bamboo.commands.base import MetricCommand, say_written
from bamboo.commands.options import ENGINES, ON_ERROR, REPORTS, RESAMPLE, option
from bamboo.commands.scoring import ScoringCommand
from bamboo.config.rows import Row
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError
from bamboo.files import json_text
from bamboo.log import warn
from bamboo.pairs.problems import OnError
from bamboo.results.clusters import clusters_of
from bamboo.results.comparison import Comparison, compare
from bamboo.results.report import cache_notes, cached, warnings
from bamboo.results.run_folder import write_run
from bamboo.results.table import Format, render
from bamboo.scoring.missing import unreadable_pairs
from bamboo.scoring.texts import PairTexts
from bamboo.statistics.resampling import Resample, Significance


@dataclass(frozen=True, kw_only=True)
class Compare(MetricCommand, ScoringCommand):
    """The options of ``compare``."""

    NAME: ClassVar[str] = "compare"

    metric: tuple[Row, ...] = option("smatch", "two or more: metric=smatch,s2match,wwlk, or all")
    data: tuple[Mapping[str, Any], ...] = option(
        "sts", "sts | sick | para | sample | all, or a list"
    )
    protocol: Protocol = option("paper", "paper | v0.2 | spearman | kendall")
    engine: AnyEngine = option("serial", ENGINES)
    partition: str | tuple[str, ...] = option("all", "main | reify | syno | arg | all, or a list")
    split: str = option("test", "train | dev | test")
    limit: int | None = option(
        None, "for a quick try: only the first pairs of each cell, as in limit=10"
    )
    on_error: OnError = option("stop", ON_ERROR)
    resample: Resample = option("sentences", RESAMPLE)
    resamples: int = option(1000, "number of bootstrap samples")
    permutations: int = option(10000, "number of permutations")
    level: float = option(0.05, "significance level, after Holm's correction")
    seed: int = option(0, "random seed for the bootstrap and the permutation test")
    report: Format = option("table", REPORTS)
    out: Path | None = option(
        None, "output folder; null: a folder under runs/ named after the options"
    )

    def __call__(self) -> str:
        """Score what is not cached, test all pairs of metrics, write the run folder and report."""
        comparison, document, folder = self.tested()
        say_written(folder)
        return render(comparison.tables(), self.report, document)

    def execute(self) -> Comparison:
        """Score what is not cached, test all pairs of metrics, write the run folder, and warn."""
        return self.tested()[0]

    def tested(self) -> tuple[Comparison, dict[str, Any], Path]:
        """Return the comparison, the same as JSON values, and the folder."""
        rows = self.metric
        if len(rows) < 2:
            raise ConfigError("compare requires at least two metrics, such as metric=smatch,sema")
        significance = Significance(
            self.resamples, self.seed, self.permutations, self.level, resample=self.resample
        )
        cells = self.cells(self.partition, self.split, self.limit)
        names = [row.name for row in rows]
        with self.run_folder(self.out) as folder:
            clusters = clusters_of(cells, self.resample, self.on_error)
            texts = PairTexts(self.on_error)
            settings = self.settings(self.on_error)
            results, scored = self.score(rows, cells, self.protocol, settings, texts)
            unreadable = unreadable_pairs(names, cells, scored)
            comparison = compare(
                names,
                cells,
                scored,
                self.protocol,
                significance,
                unreadable,
                self.engine,
                clusters,
            )
            write_run(folder, self.configuration, results, scored, texts)
            problems = warnings(results.cells)
            document = comparison.to_json() | {"cache": cached(results.cells)}
            document["problems"] = [dict(problem) for problem in results.problems]
            notes = (*problems, *results.notes, *limit_notes(self.limit))
            notes += tuple(cache_notes(cached(results.cells)))
            comparison = replace(comparison, notes=notes)
            folder.write("comparison.json", json_text(document) + "\n")
            folder.write("comparison.md", comparison.to_markdown() + "\n")
        warn(problems)
        return comparison, document, folder.path
