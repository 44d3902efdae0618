"""Build a static site of results and pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from bamboo.api.call import ConfigDir, check_call
from bamboo.api.data import Data, Tables, resolve_protocol, resolve_tables
from bamboo.api.setup import choose_cells, choose_metrics, make_settings, open_cache
from bamboo.api.tables import PERMUTATIONS, SEEDS
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.columns import COLUMNS, PROTOCOLS
from bamboo.benchmark.protocols import Protocol
from bamboo.config.requests import Metrics
from bamboo.config.rows import Options, Row, merge_boards
from bamboo.config.weighted_rows import set_weights
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError
from bamboo.log import warn
from bamboo.pages.folder import site_folder
from bamboo.progress import progress_bar
from bamboo.published_tables.inputs import Inputs
from bamboo.published_tables.reproduce import reproduce
from bamboo.published_tables.requests import choose_rows, has_metrics
from bamboo.published_tables.score_tables import check_seeds
from bamboo.results.clusters import find_clusters
from bamboo.results.evaluate import check_units
from bamboo.results.evaluate import run as run_cells
from bamboo.results.score_cells import CacheUse, train_rows
from bamboo.scoring.problems import OnError
from bamboo.site_pages.content import gather
from bamboo.site_pages.write import build as build_pages
from bamboo.statistics.resampling import Resample, Resampling, Significance


@dataclass(frozen=True)
class Site:
    """A site that was written.

    Attributes:
        index: its first page.
        files: number of files.
        size: in bytes.
        cells, from_cache: how many cells were needed, and how many came from the cache.
    """

    index: Path
    files: int
    size: int
    cells: int
    from_cache: int

    def __str__(self) -> str:
        written = f"{self.index}: {self.files} files, {self.size / 1e6:.1f} MB"
        return f"{written}; {self.from_cache} of {self.cells} cells from cache"


@check_call
def site(
    out: Path,
    metric: Metrics = "smatch",
    data: Data = "all",
    partition: str | tuple[str, ...] = "all",
    *,
    options: Options | None = None,
    data_options: Options | None = None,
    protocols: str | Protocol | tuple[str | Protocol, ...] = PROTOCOLS,
    weights: Path | tuple[Path, ...] | None = None,
    table: Tables = "table4",
    split: str = "test",
    tables: Literal["auto", "off", "whole"] = "auto",
    on_error: OnError = "stop",
    resample: Resample = "sentences",
    resamples: int = 1000,
    permutations: int = 10000,
    seed: int = 0,
    seeds: Mapping[str, tuple[int, ...]] = SEEDS,
    engine: str | AnyEngine = "loky",
    cache: CacheUse = "use",
    progress: bool = False,
    config_dir: ConfigDir = None,
) -> Site:
    """Build a static site of results and pairs.

    Args:
        out: output folder; must be new, empty or an earlier site.
        metric: the metrics to show: metric=smatch,sema,sembleu, or all.
        data: sts | sick | para | sample | all, or a list.
        partition: main | reify | syno | arg | all, or a list.
        options: options of the metrics that are given by name.
        data_options: options of the data sets that are given by name.
        protocols: a leaderboard for each: paper | v0.2 | spearman | kendall, or a list.
        weights: file of learned weights, written by train; several give a row for each;
            [start,FILE] also gives the row before training.
        table: tables on the tables page: as in `tables`; a name, all, or a list.
        split: train | dev | test.
        tables: tables page, if all data sets are available: auto (the rows of the site's metrics) |
            off | whole (all rows); metrics that these tables do not have are added.
        on_error: stop | nan | zero: a pair that cannot be scored stops the run, is left out, or
            scores 0.
        resample: sentences | pairs: as in `compare`.
        resamples: number of bootstrap samples.
        permutations: number of permutations.
        seed: random seed for the bootstrap and the permutation test.
        seeds: seeds in the published tables, for metrics that use random numbers (drawn), and for
            trained metrics (trained).
        engine: serial | loky | dask.
        cache: use | refresh | off: cached scores.
        progress: show progress on standard error.
        config_dir: a folder with metrics and data sets of your own.

    Raises:
        BambooError, MetricError: for bad input.
    """
    check_seeds(seeds)
    requested = (protocols,) if isinstance(protocols, str | Protocol) else protocols
    boards = [resolve_protocol(protocol, config_dir) for protocol in requested]
    if len({protocol.slug for protocol in boards}) < len(boards) or not boards:
        listed = ",".join(protocol.name for protocol in boards)
        raise ConfigError(f"protocols={listed}: give one or more, with different names")
    of_boards = {
        board.name: choose_metrics(metric, options, board, config_dir=config_dir)
        for board in boards
    }
    rows = merge_boards(of_boards)
    if weights is not None:
        rows = [*set_weights(rows, weights)]
    if names := [row.name for row in rows if row.reads_sentences]:
        raise ConfigError(
            f"{', '.join(names)}: the leaderboard ranks metrics that compare graphs, not "
            "sentences. The command tables table=beyond shows both"
        )
    _, cells = choose_cells(data, data_options, partition, split, config_dir)
    cells.sort(key=lambda cell: cell.order)
    for protocol in boards:
        check_units(cells, protocol)
    configs = resolve_tables(table, config_dir)
    configs = (
        *(config for config in configs if not has_metrics(config)),
        *choose_rows(
            [config for config in configs if has_metrics(config)],
            rows if tables == "auto" else None,
            added=rows,
            config_dir=config_dir,
        ),
    )
    settings, scores = make_settings(engine, config_dir, cache, on_error), open_cache()
    with site_folder(out) as folder:
        clusters = find_clusters(cells, resample, on_error)
        intervals = Resampling(resamples, seed, resample=resample)
        significance = Significance(resamples, seed, permutations, resample=resample)
        results, scored = run_cells(rows, cells, boards[0], scores, settings)
        warn(results.list_warnings())
        # The pages do not depend on the cache; the summary reports its share.
        scored = {key: replace(cell_scores, cached=None) for key, cell_scores in scored.items()}
        tests = intervals, significance, clusters
        content = gather(rows, results.signatures, cells, scored, boards, *tests, on_error)
        in_benchmark = [cell for cell in cells if cell.in_benchmark]
        reproduced: list[tuple[Any, Any]] = []
        if tables != "off" and {cell.column for cell in in_benchmark} == set(COLUMNS):
            datasets = list(dict.fromkeys(cell.dataset for cell in in_benchmark))
            of_tables = replace(significance, permutations=PERMUTATIONS)
            inputs = Inputs(datasets, seeds, of_tables, scores, settings, config_dir)
            reproduced = list(reproduce(configs, inputs))
        shares = [results.cache, *(doc["cache"] for _, doc in reproduced if "cache" in doc)]
        by_cell: dict[tuple[str, Cell], Row] = train_rows(rows, cells, scores, settings)
        with progress_bar("reading") as bar:
            published = [table for table, _ in reproduced]
            build_pages(folder, content, published, by_cell, settings, bar)
    return Site(
        folder.folder / "index.html",
        len(folder.sizes),
        sum(folder.sizes.values()),
        sum(share["cells"] for share in shares),
        sum(share["from_cache"] for share in shares),
    )
