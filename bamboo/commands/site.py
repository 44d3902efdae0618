"""Build a static site of results and pairs.

python -m bamboo site metric=smatch,wlk out=site
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import Protocol
from bamboo.commands.base import MetricCommand
from bamboo.commands.options import ENGINES, ON_ERROR, SEEDS, SEEDS_HELP, option
from bamboo.commands.scoring import ScoringCommand
from bamboo.config.columns import COLUMNS
from bamboo.config.composition import compose_group
from bamboo.config.options import read_options
from bamboo.config.published import PROTOCOLS
from bamboo.config.rows import Row
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError, StatisticsError
from bamboo.log import warn
from bamboo.pairs.problems import OnError
from bamboo.progress import progress_bar
from bamboo.results.clusters import Clusters, clusters_of
from bamboo.results.report import cached, warnings
from bamboo.results.table import Table
from bamboo.scoring.cells import trained_rows
from bamboo.site.content import gather
from bamboo.site.folder import SiteFolder
from bamboo.site.published_tables import rows_of_metrics
from bamboo.statistics.resampling import Resample, Resampling, Significance
from bamboo.tables.reproduce import reproduce
from bamboo.tables.score_tables import check_seeds


@dataclass(frozen=True, kw_only=True)
class Site(MetricCommand, ScoringCommand):
    """The options of ``site``."""

    NAME: ClassVar[str] = "site"

    metric: tuple[Row, ...] = option(
        "smatch", "the metrics to show: metric=smatch,sema,sembleu, or all"
    )
    data: tuple[Mapping[str, Any], ...] = option(
        "all", "sts | sick | para | sample | all, or a list"
    )
    table: tuple[Mapping[str, Any], ...] = option(
        "4", "tables on the tables page: as in `tables`; a name, all, or a list"
    )
    engine: AnyEngine = option("loky", ENGINES)
    partition: str | tuple[str, ...] = option("all", "main | reify | syno | arg | all, or a list")
    split: str = option("test", "train | dev | test")
    tables: Literal["auto", "off", "whole"] = option(
        "auto",
        "tables page, if all data sets are available: auto (the rows of the site's "
        "metrics) | off | whole (all rows)",
    )
    on_error: OnError = option("stop", ON_ERROR)
    resample: Resample | None = option(
        None, "pairs | sentences: as in `compare`; null: sentences, if the data have them"
    )
    resamples: int = option(1000, "number of bootstrap samples")
    permutations: int = option(10000, "number of permutations")
    table_permutations: int = option(5000, "number of permutations for the tables page")
    level: float = option(0.05, "significance level, after Holm's correction")
    seed: int = option(0, "random seed for the bootstrap and the permutation test")
    out: Path | None = option(
        None, "required: output folder; must be new, empty or an earlier site"
    )
    seeds: Mapping[str, tuple[int, ...]] = option(SEEDS, SEEDS_HELP)

    def __post_init__(self) -> None:
        check_seeds(self.seeds)

    def __call__(self) -> str:
        """Score what is not cached, write the site and report its location."""
        if self.out is None:
            raise ConfigError("site requires out=FOLDER (see site --help)")
        if names := [job.name for job in self.metric if job.reads_sentences]:
            raise ConfigError(
                f"{', '.join(names)}: the leaderboard ranks metrics that compare graphs, not "
                "sentences. The command tables table=beyond shows both"
            )
        significance = Significance(self.resamples, self.seed, self.permutations, self.level)
        with SiteFolder(self.out) as folder:
            return self._write(folder, significance)

    def _write(self, folder: SiteFolder, significance: Significance) -> str:
        """Score, write the pages, and return a summary."""
        from bamboo.site.build import build  # needs an optional dependency

        jobs = self.metric
        cells = self.cells(self.partition, self.split)
        cells.sort(key=lambda cell: cell.order)
        settings = self.settings(self.on_error)
        resample, clusters = self._clusters(cells)
        intervals = Resampling(self.resamples, self.seed, resample=resample)
        significance = replace(significance, resample=resample)
        protocols = [
            read_options(Protocol, compose_group("protocol", name), "protocol")
            for name in PROTOCOLS
        ]
        results, scored = self.score(jobs, cells, protocols[0], settings)
        warn(warnings(results.cells))
        # The pages do not depend on the cache; the summary printed at the end reports its share.
        scored = {key: replace(cell_scores, cached=None) for key, cell_scores in scored.items()}
        content = gather(
            jobs,
            results.signatures,
            cells,
            scored,
            protocols,
            intervals,
            significance,
            clusters,
        )
        reproduced = _tables(self, cells, significance)
        tables = [table for table, _ in reproduced]
        shares = [cached(results.cells), *(doc["cache"] for _, doc in reproduced if "cache" in doc)]
        from_cache = sum(share["from_cache"] for share in shares)
        rows = trained_rows(jobs, cells, self.scores_cache, settings)
        with progress_bar("explaining") as progress:
            build(folder, content, tables, self.scores_cache, rows, settings, progress)
        size = sum(folder.sizes.values())
        written = f"{folder.folder / 'index.html'}: {len(folder.sizes)} files, {size / 1e6:.1f} MB"
        total = sum(share["cells"] for share in shares)
        return f"{written}; {from_cache} of {total} cells from cache"

    def _clusters(self, cells: list[Cell]) -> tuple[Resample, Clusters]:
        """Return what is drawn, and the clusters of pairs that are drawn together."""
        resample: Resample = self.resample or "sentences"
        try:
            return resample, clusters_of(cells, resample, self.on_error)
        except StatisticsError as error:
            if self.resample is not None:
                raise
            warn([f"intervals and tests draw pairs: {error}"])
            return "pairs", {}


def _tables(
    site: Site, cells: list[Cell], significance: Significance
) -> list[tuple[Table, dict[str, Any]]]:
    """Return the published tables with their values, if all cells of the test split are available.

    With ``tables=auto`` they have the rows of the site's metrics only, so that no other metric is
    scored or trained.
    """
    cells = [cell for cell in cells if cell.in_benchmark]
    if site.tables == "off" or {cell.column for cell in cells} != set(COLUMNS):
        return []
    datasets = list(dict.fromkeys(cell.dataset for cell in cells))
    significance = replace(significance, permutations=site.table_permutations)
    tables: Sequence[Mapping[str, Any]] = site.table
    if site.tables == "auto":
        metrics = {job.base for job in site.metric}
        restricted = (rows_of_metrics(t, metrics, site.configuration.config_dir) for t in tables)
        tables = [config for config in restricted if config is not None]
    made = reproduce(
        tables,
        datasets,
        site.seeds,
        significance,
        site.scores_cache,
        site.settings(site.on_error),
        site.configuration.config_dir,
    )
    return list(made)
