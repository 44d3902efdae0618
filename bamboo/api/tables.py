"""Reproduce the published tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bamboo.api.call import ConfigDir, check_call, list_arguments
from bamboo.api.data import Data, Tables, resolve_datasets, resolve_protocol, resolve_tables
from bamboo.api.setup import make_settings, open_cache
from bamboo.benchmark.protocols import Protocol
from bamboo.config.requests import Metrics, resolve_names, resolve_rows
from bamboo.config.rows import Options, Row
from bamboo.display.table import Display, Table
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError
from bamboo.installation import paths
from bamboo.log import warn
from bamboo.published_tables.inputs import Inputs
from bamboo.published_tables.reproduce import reproduce
from bamboo.published_tables.requests import choose_rows, leave_out, list_rows
from bamboo.published_tables.score_tables import check_seeds
from bamboo.results.record import Job, Record
from bamboo.results.run_folder import run_folder, write_tables
from bamboo.results.score_cells import CacheUse
from bamboo.statistics.resampling import Resample, Significance

PERMUTATIONS = 5000  # of the tests in tables
# Of metrics with randomness: those that draw random numbers, and trained ones.
SEEDS: Mapping[str, tuple[int, ...]] = {"drawn": tuple(range(10)), "trained": (0, 1, 2)}


@dataclass(frozen=True, repr=False)
class Reproduced(Display):
    """Reproduced tables.

    Attributes:
        folder: the folder with ``tables.json``, ``tables.md`` and figures.
        reproduced: the tables.
        documents: the same as JSON values.
    """

    folder: Path
    reproduced: Sequence[Table]
    documents: Sequence[Mapping[str, Any]]

    def tables(self) -> Sequence[Table]:
        """Return the tables."""
        return self.reproduced

    def to_json(self) -> Sequence[Mapping[str, Any]]:
        """Return the tables as JSON values."""
        return self.documents


@check_call
def tables(
    table: Tables = "all",
    metric: Metrics | None = None,
    data: Data = "all",
    *,
    data_options: Options | None = None,
    protocol: str | Protocol | None = None,
    weights: Path | tuple[Path, ...] | None = None,
    resample: Resample = "sentences",
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    seeds: Mapping[str, tuple[int, ...]] = SEEDS,
    engine: str | AnyEngine = "loky",
    cache: CacheUse = "use",
    out: Path | None = None,
    progress: bool = False,
    config_dir: ConfigDir = None,
    job: Job | None = None,
) -> Reproduced:
    """Reproduce the published tables.

    Args:
        table: table1 | table3 | table4 | definitions | table5 | table6 | leaderboard | converged |
            all, or a list; not in all: those of other papers (sembleu_2, smatchpp_1, ...: see
            list tables), and beyond.
        metric: only these rows, or the rows of these metrics; a metric without a row is one of its
            own; null: all rows.
        data: the three data sets of the benchmark.
        data_options: options of the data sets that are given by name.
        protocol: paper | v0.2 | spearman | kendall; null: that of each table. Published values are
            shown for the partitions that have the same statistic in both.
        weights: file of learned weights, written by train: another row of the metric; several give
            a row for each; [start,FILE] also gives the row before training.
        resample: sentences | pairs: draw clusters of pairs that share sentences, or pairs
            (docs/significance.md).
        permutations: number of permutations of the test that marks the best of each column.
        seed: random seed for the permutations.
        seeds: seeds in the published tables, for metrics that use random numbers (drawn), and for
            trained metrics (trained).
        engine: serial | loky | dask.
        cache: use | refresh | off: cached scores.
        out: folder for tables.json, tables.md and figures; null: a folder under runs/.
        progress: show progress on standard error.
        config_dir: a folder with tables and metrics of your own.
        job: the job of Hydra that calls this function, for the record.

    Raises:
        BambooError, MetricError: for bad input; no table has a row that can be computed.
    """
    check_seeds(seeds)
    configs = resolve_tables(table, config_dir)
    own_protocol = None if protocol is None else resolve_protocol(protocol, config_dir)
    files = [weights] if isinstance(weights, Path) else weights or ()
    rows, chosen_rows = _choose_rows(configs, metric, files, config_dir)
    datasets = resolve_datasets(data, data_options, config_dir)
    record = Record("tables", list_arguments(), rows, datasets, configs)
    significance = Significance(permutations=permutations, seed=seed, resample=resample)
    computable, left_out = leave_out(chosen_rows, config_dir)
    warn(left_out)
    settings, scores = make_settings(engine, config_dir, cache), open_cache()
    with run_folder(record, paths().runs, out) as folder:
        inputs = Inputs(datasets, seeds, significance, scores, settings, config_dir, own_protocol)
        reproduced, documents = zip(*reproduce(computable, inputs), strict=True)
        write_tables(folder, record, reproduced, documents)
    return Reproduced(folder.path, reproduced, documents)


def _choose_rows(
    tables: Sequence[Mapping[str, Any]],
    metric: Metrics | None,
    weights: Sequence[Path],
    config_dir: ConfigDir,
) -> tuple[tuple[Row, ...], Sequence[Mapping[str, Any]]]:
    """Return the requested metrics, and the tables with their rows.

    Args:
        metric: names of metrics or rows, or metrics; None for all rows.

    Raises:
        ConfigError: an unknown name, or no table has rows.
    """
    if metric is None:
        return (), choose_rows(tables, weights=weights, config_dir=config_dir)
    published = [row for table in tables for row, _ in list_rows(table, config_dir)]
    others = {row.name for row in published}
    entries, every = resolve_names(metric, "metric", config_dir, others)
    names = [entry for entry in entries if isinstance(entry, str) and entry in others]
    of_metrics = [entry for entry in entries if entry not in names]
    metrics = (
        resolve_rows("all" if every else of_metrics, config_dir=config_dir) if of_metrics else ()
    )
    named = [next(row for row in published if row.name == name) for name in names]
    added = () if every else None
    chosen_rows = choose_rows(
        tables, metrics, names, weights=weights, added=added, config_dir=config_dir
    )
    if not chosen_rows:
        titles = ", ".join(str(table["title"]) for table in tables)
        raise ConfigError(f"metric: no row of {titles} is of this metric, and none can be added")
    return (*named, *metrics), chosen_rows
