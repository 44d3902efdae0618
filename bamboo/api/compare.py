"""Test differences between metrics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bamboo.api.call import ConfigDir, check_call, list_arguments
from bamboo.api.data import Data, resolve_protocol
from bamboo.api.setup import choose_cells, choose_metrics, make_settings, open_cache
from bamboo.benchmark.cells import limit_notes
from bamboo.benchmark.protocols import Protocol
from bamboo.config.requests import Metrics
from bamboo.config.rows import Options
from bamboo.engines import SERIAL, AnyEngine
from bamboo.errors import ConfigError
from bamboo.files import json_text
from bamboo.installation import paths
from bamboo.log import warn
from bamboo.results.clusters import find_clusters
from bamboo.results.comparison import compare as compare_scores
from bamboo.results.evaluate import run as run_cells
from bamboo.results.missing import unreadable_pairs
from bamboo.results.pair_texts import PairTexts
from bamboo.results.record import Job, Record
from bamboo.results.results import Results
from bamboo.results.run_folder import run_folder, write_run
from bamboo.results.score_cells import CacheUse
from bamboo.scoring.problems import OnError
from bamboo.statistics.resampling import Resample, Significance


@check_call
def compare(
    metric: Metrics = "smatch",
    data: Data = "sts",
    partition: str | tuple[str, ...] = "all",
    *,
    options: Options | None = None,
    data_options: Options | None = None,
    protocol: str | Protocol = "paper",
    split: str = "test",
    limit: int | None = None,
    weights: Path | tuple[Path, ...] | None = None,
    on_error: OnError = "stop",
    resample: Resample = "sentences",
    resamples: int = 1000,
    permutations: int = 10000,
    seed: int = 0,
    engine: str | AnyEngine = SERIAL,
    cache: CacheUse = "use",
    out: Path | None = None,
    progress: bool = False,
    config_dir: ConfigDir = None,
    job: Job | None = None,
) -> Results:
    """Test differences between metrics.

    Which of several metrics agrees better with the ratings? Parsers are compared with `score`.

    Args:
        metric: two or more: metric=[smatch,s2match,wwlk], or all. In Python a list of names or
            metrics.
        data: sts | sick | para | sample | csv (a file: docs/own-benchmark.md) | all, or a list.
        partition: main | reify | syno | arg | all, or a list.
        options: options of the metrics that are given by name.
        data_options: options of the data sets that are given by name.
        protocol: paper | v0.2 | spearman | kendall.
        split: train | dev | test.
        limit: for a quick try: only the first pairs of each cell, as in limit=10.
        weights: file of learned weights, written by train; several give a row for each;
            [start,FILE] also gives the row before training.
        on_error: stop | nan | zero: a pair that cannot be scored stops the run, is left out, or
            scores 0.
        resample: sentences | pairs: draw clusters of pairs that share sentences, or pairs
            (docs/significance.md).
        resamples: number of bootstrap samples.
        permutations: number of permutations.
        seed: random seed for the bootstrap and the permutation test.
        engine: serial | loky | dask.
        cache: use | refresh | off: cached scores.
        out: output folder; by default one under runs/ named after the options.
        progress: show progress on standard error.
        config_dir: a folder with metrics and data sets of your own.
        job: the job of Hydra that calls this function, for the record.

    Raises:
        BambooError, MetricError: for bad input.
    """
    protocol = resolve_protocol(protocol, config_dir)
    rows = choose_metrics(metric, options, protocol, weights, config_dir)
    datasets, cells = choose_cells(data, data_options, partition, split, config_dir, limit=limit)
    if len(rows) < 2:
        raise ConfigError("compare requires at least two metrics, such as 'metric=[smatch,sema]'")
    settings = make_settings(engine, config_dir, cache, on_error)
    record = Record("compare", list_arguments(protocol=protocol), rows, datasets)
    significance = Significance(resamples, seed, permutations, resample=resample)
    with run_folder(record, paths().runs, out) as folder:
        clusters = find_clusters(cells, resample, on_error)
        texts = PairTexts(on_error)
        results, scored = run_cells(rows, cells, protocol, open_cache(), settings, read=texts.add)
        write_run(folder, record, results, scored, texts)
        problems = results.list_warnings()
        comparison = compare_scores(
            replace(results, notes=(*problems, *results.notes, *limit_notes(limit))),
            cells,
            scored,
            protocol,
            significance,
            unreadable_pairs([row.name for row in rows], cells, scored),
            settings.engine,
            clusters,
        )
        folder.write("comparison.json", json_text(comparison.to_json()) + "\n")
        folder.write("comparison.md", comparison.to_markdown() + "\n")
    warn(problems)
    return replace(comparison, folder=folder.path.absolute())
