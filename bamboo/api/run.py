"""Score metrics on the benchmark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from bamboo.api.call import ConfigDir, check_call, list_arguments, make_grouping
from bamboo.api.data import Data, resolve_protocol
from bamboo.api.setup import choose_cells, choose_metrics, make_settings, open_cache
from bamboo.benchmark.cells import limit_notes
from bamboo.benchmark.protocols import Protocol
from bamboo.config.requests import Metrics
from bamboo.config.rows import Options
from bamboo.engines import SERIAL, AnyEngine
from bamboo.installation import paths
from bamboo.log import warn
from bamboo.results.evaluate import run as run_cells
from bamboo.results.pair_texts import PairTexts
from bamboo.results.record import Job, Record
from bamboo.results.results import Results
from bamboo.results.run_folder import run_folder, write_run
from bamboo.results.score_cells import CacheUse
from bamboo.scoring.problems import OnError
from bamboo.statistics.resampling import Resample, Resampling


@check_call
def run(
    metric: Metrics = "smatch",
    data: Data = "sts",
    partition: str | tuple[str, ...] = "main",
    *,
    options: Options | None = None,
    data_options: Options | None = None,
    protocol: str | Protocol = "paper",
    partition_source: Literal["released", "built"] = "released",
    split: str = "test",
    limit: int | None = None,
    weights: Path | tuple[Path, ...] | None = None,
    on_error: OnError = "stop",
    ci: bool = False,
    by: str | Path | None = None,
    resample: Resample = "sentences",
    resamples: int = 1000,
    seed: int = 0,
    engine: str | AnyEngine = SERIAL,
    cache: CacheUse = "use",
    out: Path | None = None,
    progress: bool = False,
    config_dir: ConfigDir = None,
    job: Job | None = None,
) -> Results:
    """Score metrics on the benchmark.

    The scores of the metrics are compared with the ratings of people. Scores are cached; the
    results are written to a folder.

    Args:
        metric: a name, a list, or all (metrics for English AMR). The name of a metric stands for
            its published row, and may have other options on some data sets. In Python also metrics.
        data: sts | sick | para | sample | csv (a file: docs/own-benchmark.md) | all, or a list such
            as [sts,sick].
        partition: main | reify | syno | arg | all, or a list such as [main,arg].
        options: options of the metrics that are given by name, such as {"K": 3}; a list, such as
            {"K": [1, 2]}, gives a row for each value.
        data_options: options of the data sets that are given by name.
        protocol: paper | v0.2 | spearman | kendall.
        partition_source: released | built (partitions written by build).
        split: train | dev | test.
        limit: for a quick try: only the first pairs of each cell, as in limit=10.
        weights: file of learned weights, written by train; several give a row for each;
            [start,FILE] also gives the row before training.
        on_error: stop | nan | zero: a pair that cannot be scored stops the run, is left out, or
            scores 0.
        ci: add 95 % intervals (docs/significance.md).
        by: also the statistic on buckets of pairs, and the mean over these: by size (number of
            nodes of the tgt graph), a column of a table or a key of the graphs' metadata such as
            genre, or a file of ids.
        resample: sentences | pairs: draw clusters of pairs that share sentences, or pairs
            (docs/significance.md).
        resamples: number of bootstrap samples.
        seed: random seed for the bootstrap.
        engine: serial | loky | dask.
        cache: use | refresh | off: cached scores.
        out: output folder; by default one under runs/ named after the options.
        progress: show progress on standard error.
        config_dir: a folder with metrics and data sets of your own.
        job: the job of Hydra that calls this function, for the record.

    Raises:
        BambooError, MetricError: for bad input.
    """
    resampling = Resampling(resamples, seed, resample=resample)  # checks its options
    protocol = resolve_protocol(protocol, config_dir)
    rows = choose_metrics(metric, options, protocol, weights, config_dir)
    datasets, cells = choose_cells(
        data, data_options, partition, split, config_dir, partition_source, limit
    )
    settings = make_settings(engine, config_dir, cache, on_error)
    grouping = None if by is None else make_grouping(by)
    settings = replace(settings, intervals=resampling if ci else None, by=grouping)
    record = Record("run", list_arguments(protocol=protocol), rows, datasets)
    with run_folder(record, paths().runs, out) as folder:
        texts = PairTexts(on_error)
        results, scored = run_cells(rows, cells, protocol, open_cache(), settings, read=texts.add)
        results = replace(results, notes=(*results.notes, *limit_notes(limit)))
        write_run(folder, record, results, scored, texts)
    warn(results.list_warnings())
    return replace(results, folder=folder.path.absolute())
