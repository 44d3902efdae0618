"""Reproduce the published tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amr_metrics.errors import MetricError
from bamboo.api.call import ConfigDir, checked
from bamboo.api.data import Data, TableNames, datasets_of, tables_of
from bamboo.api.names import Metrics, Options, engine_of, resolve_names, rows_of
from bamboo.config.rows import Row
from bamboo.display.table import Display, Table
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError, message
from bamboo.installation import paths
from bamboo.log import warn
from bamboo.results.cache import Cache
from bamboo.results.record import Record
from bamboo.results.run_folder import run_folder, write_tables
from bamboo.results.score_cells import CacheUse, Settings
from bamboo.statistics.resampling import Resample, Significance
from bamboo.tables.reproduce import WITHOUT_METRICS, Inputs, reproduce
from bamboo.tables.score_tables import check_seeds, shows_metric, table_rows

PERMUTATIONS = 5000  # of the tests in tables
# Of metrics with randomness: those that draw random numbers, and trained ones.
SEEDS: Mapping[str, tuple[int, ...]] = {"drawn": tuple(range(10)), "trained": (0, 1, 2)}


@dataclass(frozen=True, repr=False)
class Reproduced(Display):
    """Reproduced tables.

    Attributes:
        folder: the folder with ``tables.json`` and ``tables.md``.
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


@checked
def tables(
    table: TableNames = "all",
    metric: Metrics | None = None,
    data: Data = "all",
    *,
    data_options: Options | None = None,
    resample: Resample = "sentences",
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    seeds: Mapping[str, tuple[int, ...]] = SEEDS,
    engine: str | AnyEngine = "loky",
    cache: CacheUse = "use",
    out: Path | None = None,
    progress: bool = False,
    config_dir: ConfigDir = None,
    command_line: tuple[str, ...] = (),
) -> Reproduced:
    """Reproduce the published tables.

    Args:
        table: 1 | 3 | 4 | definitions | 5 | 6 | leaderboard | converged | all, or a list; not in
            all: sembleu_2 | sembleu_3 (SemBleu paper, other data) | beyond.
        metric: only the rows of these metrics; null: all rows.
        data: the three data sets of the benchmark.
        data_options: options of the data sets that are given by name.
        resample: sentences | pairs: draw clusters of pairs that share sentences, or pairs
            (docs/significance.md).
        permutations: number of permutations of the test that marks the best of each column.
        seed: random seed for the permutations.
        seeds: seeds in the published tables, for metrics that use random numbers (drawn), and for
            trained metrics (trained).
        engine: serial | loky | dask.
        cache: use | refresh | off: cached scores.
        out: folder for tables.json and tables.md; null: a folder under runs/.
        progress: show progress on standard error.
        config_dir: a folder with tables and metrics of your own.
        command_line: the words of the command that calls this function, for the record.

    Raises:
        BambooError, MetricError: for bad input; no table has a row that can be computed.
    """
    called = dict(locals())
    check_seeds(seeds)
    folders = paths()
    rows: tuple[Row, ...] = () if metric is None else rows_of(metric, config_dir=config_dir)
    configs = tables_of(table, config_dir)
    datasets = datasets_of(data, data_options, config_dir)
    record = Record("tables", called, rows, datasets, configs)
    significance = Significance(permutations=permutations, seed=seed, resample=resample)
    names = [row.name for row in rows]
    computable, left_out = _computable(configs, names, config_dir)
    warn(left_out)
    if metric is not None and not resolve_names(metric, "metric", config_dir)[1]:  # not metric=all
        warn(_report_without_row(configs, names, config_dir))
    settings = Settings(
        engine=engine_of(engine, config_dir), cache=cache, built=folders.data / "built"
    )
    with run_folder(record, folders.runs, out) as folder:
        scores = Cache(folders.runs / "cache")
        inputs = Inputs(datasets, seeds, significance, scores, settings, config_dir)
        reproduced, documents = zip(*reproduce(computable, inputs), strict=True)
        write_tables(folder, record, reproduced, documents)
    return Reproduced(folder.path, reproduced, documents)


def _computable(
    tables: Sequence[Mapping[str, Any]], metrics: Collection[str], config_dir: ConfigDir
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
        for row, _, entry in table_rows(config.get("rows"), config.get("published"), config_dir):
            if metrics and not shows_metric(row, metrics):
                continue
            try:
                _ = row.on().signature
                rows.append(entry)
            except MetricError as error:  # its word vectors or a package are missing
                reasons.setdefault(message(error), []).append(row.name)
        if rows or not (metrics or reasons):
            computable.append({**config, "rows": rows})
        problems += [
            f"{config['title']} without {', '.join(names)}: {reason}"
            for reason, names in reasons.items()
        ]
    if not computable:
        titles = _join_titles(tables)
        raise ConfigError("; ".join(problems) or f"metric: no row of {titles} is of this metric")
    return computable, problems


def _report_without_row(
    tables: Sequence[Mapping[str, Any]], metrics: Sequence[str], config_dir: ConfigDir
) -> list[str]:
    """Return a warning for each metric that no table has a row of."""
    rows = [
        row
        for config in tables
        if config.get("kind") not in WITHOUT_METRICS
        for row, _, _ in table_rows(config.get("rows"), config.get("published"), config_dir)
    ]
    return [
        f"metric={metric}: no row of {_join_titles(tables)} is of this metric"
        for metric in metrics
        if not any(shows_metric(row, [metric]) for row in rows)
    ]


def _join_titles(tables: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(str(config["title"]) for config in tables)
