"""Score metrics on cells, cache the scores and compare them with the ratings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from bamboo.benchmark.cells import COLUMNS, Cell, PairSet
from bamboo.benchmark.protocols import PAIR_ACCURACY, Protocol, statistic_named
from bamboo.benchmark.published import PublishedLine, published_line
from bamboo.config.implementation import cache_key
from bamboo.config.metrics import LEARNED, build_metric
from bamboo.config.request import Job
from bamboo.engines import SERIAL, Engine
from bamboo.errors import ConfigError, Interrupted
from bamboo.pairs.problems import OnError, combined, count
from bamboo.pairs.reading import join_scores, score_pairs
from bamboo.progress import begin
from bamboo.running.cache import Cache, CellScores
from bamboo.running.coverage import Coverage
from bamboo.running.results import CellResult, Result, Row, Unscored, in_order, mean_name
from bamboo.statistics import bootstrap_interval
from bamboo.statistics.cells import mean_interval
from bamboo.statistics.resampling import Resampling
from metrics.errors import MetricError, PairError

CacheUse = Literal["use", "refresh", "off"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a run.

    Attributes:
        engine: where scores are computed.
        cache: whether results of earlier runs are used, replaced, or neither read nor written.
        on_error: whether a pair that cannot be read or scored ends the run, is missing, or counts
            as if its first graph were empty (see `bamboo.pairs.reading.score_pairs`).
        weights: a file with learned values of the metrics' parameters.
        built: the folder of built partitions.
        intervals: how to compute bootstrap intervals; None for none.
    """

    engine: Engine = SERIAL
    cache: CacheUse = "use"
    on_error: OnError = "stop"
    weights: Path | None = None
    built: Path | None = None
    intervals: Resampling | None = None


Scored = dict[tuple[str, Cell], CellScores]
Progress = Callable[[str, int], None]
Read = Callable[[Cell, PairSet], None]


def run(
    jobs: Sequence[Job],
    cells: Sequence[Cell],
    protocol: Protocol,
    cache: Cache,
    settings: Settings,
    progress: Progress = lambda what, total: None,
    read: Read = lambda cell, part: None,
) -> tuple[Result, Scored]:
    """Score every job on every cell and compute the protocol's statistics.

    Args:
        progress: called with a description of each finished step and the number of cells to score.
        read: called once with all pairs of each cell that is not cached, some pairs at a time.

    Returns:
        the result, and the scores it is computed from.

    Raises:
        ConfigError, DataError, MetricError, CacheError: see there.
        Interrupted: on Ctrl-C; finished cells are in the cache.
    """
    for cell in cells:
        if protocol.of(cell.partition) == PAIR_ACCURACY and cell.unit != 2:
            raise ConfigError(
                f"{PAIR_ACCURACY} compares altered with original pairs, but "
                f"{cell} has no such pairs: "
                f"use another protocol.statistic.{cell.partition}"
            )
    digests = _digests(cells, progress)
    configs = configurations(jobs, cells, cache, settings, progress)
    metrics = {
        (name, cell): build_metric(name, config, cell.dataset.name)
        for (name, cell), config in configs.items()
    }
    signatures = {key: metric.signature for key, metric in metrics.items()}

    def key_of(name: str, cell: Cell) -> str:
        return cache_key(configs[name, cell], metrics[name, cell], settings.on_error)

    keys = {(name, cell): key_of(name, cell) for name, cell in metrics}
    scored: Scored = {}
    for (name, cell), key in keys.items():
        known = cache.memory.get((digests[cell], key))
        if known is None and settings.cache == "use":
            known = cache.load(digests[cell], key)
        if known is not None:
            scored[name, cell] = known
    # Jobs of one key, such as rows of a table with the same options, are scored once.
    same: dict[tuple[str, Cell], list[str]] = {}
    for (name, cell), key in keys.items():
        if (name, cell) not in scored:
            same.setdefault((key, cell), []).append(name)
    first = {(names[0], cell): names for (_, cell), names in same.items()}
    waiting = {
        cell: [Job(job.name, configs[job.name, cell]) for job in jobs if (job.name, cell) in first]
        for cell in cells
    }
    work = [(cell, missing) for cell, missing in waiting.items() if missing]
    total = len(first)
    done = 0
    if total:
        begin(progress, "scoring", total)
    try:
        for name, cell, cell_scores in _score_all(work, settings, read):
            computed = replace(cell_scores, cached=False)
            scored |= {(other, cell): computed for other in first[name, cell]}
            if key_of(name, cell) != keys[name, cell]:
                raise ConfigError(
                    f"metric {name}: a file that computes its scores was changed while "
                    f"{cell} was being scored: run again"
                )
            if settings.cache != "off":
                cache.store(digests[cell], keys[name, cell], cell_scores)
            if settings.cache != "use":
                cache.memory[digests[cell], keys[name, cell]] = computed
            done += 1
            progress(f"{name} {cell}", total)
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted: {done} of {total} cells are scored"
            + (
                " and cached; run the same command again to continue"
                if settings.cache != "off"
                else ""
            )
        ) from None
    by_name = {
        job.name: " ".join(dict.fromkeys(signatures[job.name, cell] for cell in cells))
        for job in jobs
    }
    # In the requested order, regardless of the cache and of which cell finished first.
    scored = {key: scored[key] for key in signatures}
    published = {
        job.name: published_values(job, cells, protocol, settings.weights is not None)
        for job in jobs
    }
    result = evaluate(by_name, cells, protocol, settings.intervals, scored, published)
    data = {str(cell): digest for cell, digest in digests.items()}
    if settings.weights is None and any(job.needs_training for job in jobs):
        from bamboo.train.learned import borrowed_splits

        notes = (*result.notes, *borrowed_splits(jobs, cells, settings.built))
        result = replace(result, notes=notes)
    return replace(result, data=data), scored


def _digests(cells: Sequence[Cell], progress: Progress) -> dict[Cell, str]:
    """The digest of each cell's data, after downloading what is missing."""
    missing = any(not path.exists() for cell in cells for path in cell.files)
    begin(progress, "downloading data" if missing else "checking data", len(cells))
    digests = {}
    for cell in cells:
        digests[cell] = cell.digest()
        progress(str(cell), len(cells))
    return digests


def published_values(
    job: Job, cells: Sequence[Cell], protocol: Protocol, weights_given: bool = False
) -> PublishedLine:
    """The published values for a job on cells, under a protocol.

    A note is added if the job uses a single random seed.

    Args:
        weights_given: the metric's parameters come from a weights file.
    """
    source = protocol.published
    cells = [cell for cell in cells if cell.in_benchmark]
    if source is None or not job.base:
        return PublishedLine()
    excluded = {}
    for cell in cells:
        statistic = source.statistic.get(cell.partition)
        if cell.dataset.source(cell.partition) != "released":
            excluded[cell.dataset.name, cell.partition] = "the released partition"
        elif statistic != protocol.of(cell.partition):
            excluded[cell.dataset.name, cell.partition] = f"statistic {statistic}"
    names = [(cell.dataset.name, cell.partition) for cell in cells]
    line = published_line(source.file, job, names, excluded, weights_given)
    if job.metric.get("seed") is None or weights_given:
        return line
    seed = f"one random seed ({job.metric['seed']}); tables shows the spread over several"
    return replace(line, notes=(*line.notes, seed))


def evaluate(
    signatures: Mapping[str, str],
    cells: Sequence[Cell],
    protocol: Protocol,
    intervals: Resampling | None,
    scored: Mapping[tuple[str, Cell], CellScores],
    published: Mapping[str, PublishedLine],
) -> Result:
    """Compute the protocol's statistics from scores.

    Args:
        signatures: of each metric, by name; one row per metric.
        intervals: how to compute bootstrap intervals; None for none.
        published: the published values of each metric, by name; metrics may be missing.
    """
    rows = []
    for name, signature in signatures.items():
        line = published.get(name, PublishedLine())
        results = [
            _cell_result(cell, protocol, intervals, scored[name, cell], line) for cell in cells
        ]
        means = line.means.get("amean"), line.means.get("hmean")
        row = Row(name, signature, in_order(results), *means, line.notes)
        if intervals is not None:
            of_row = {cell: scored[name, cell] for cell in cells}
            row = replace(row, intervals=_mean_intervals(row, of_row, protocol, intervals))
        rows.append(row)
    notes: tuple[str, ...] = ()
    if protocol.published is None:
        notes = (f"Protocol {protocol.name}: no published values are recorded.",)
    unscored = tuple(
        Unscored(name, cell.dataset.name, cell.partition, cell.split, number, problem)
        for (name, cell), cell_scores in scored.items()
        for number, problem in sorted(cell_scores.problems.items())
    )
    return Result(protocol.name, tuple(rows), unscored, notes)


def _mean_intervals(
    row: Row, scored: Mapping[Cell, CellScores], protocol: Protocol, resampling: Resampling
) -> dict[str, tuple[float, float]]:
    """The intervals of the row's arithmetic means."""
    twelve = {cell: scores for cell, scores in scored.items() if cell.column in COLUMNS}
    over = {"amean": twelve, mean_name(len(scored)): scored}
    names = [mean.name for mean in row.means if mean.name in over]
    intervals = {name: mean_interval(over[name], protocol, resampling) for name in names}
    return {name: bounds for name, bounds in intervals.items() if bounds is not None}


def configurations(
    jobs: Sequence[Job],
    cells: Sequence[Cell],
    cache: Cache,
    settings: Settings,
    progress: Progress = lambda what, total: None,
) -> dict[tuple[str, Cell], Mapping[str, Any]]:
    """Each metric's configuration on each cell, after training where a metric has a trainer."""
    if settings.weights is None and not any(job.needs_training for job in jobs):
        return {(job.name, cell): job.metric for job in jobs for cell in cells}
    from bamboo.train.learned import learn, training, with_weights  # slow to import

    if settings.weights is not None:
        return {
            (job.name, cell): with_weights(job, cell.dataset.name, settings.weights)
            for job in jobs
            for cell in cells
        }
    trainings = {
        (job.name, cell.dataset.name, cell.partition): training(
            job, cell.dataset, cell.partition, settings.built
        )
        for job in jobs
        if job.needs_training
        for cell in cells
    }
    learned = learn(trainings, cache.folder.parent / "weights", settings.engine, progress)
    configs: dict[tuple[str, Cell], Mapping[str, Any]] = {}
    for job in jobs:
        for cell in cells:
            weights = learned.get((job.name, cell.dataset.name, cell.partition))
            values = {} if weights is None else {LEARNED: dict(weights.values)}
            configs[job.name, cell] = {**job.metric, **values}
    return configs


def _score_all(
    work: Sequence[tuple[Cell, Sequence[Job]]], settings: Settings, read: Read
) -> Iterator[tuple[str, Cell, CellScores]]:
    """The scores of each job on each cell, in the order of completion."""
    on_error = settings.on_error

    def tasks() -> Iterator[tuple[Cell, Part, Job, OnError]]:
        # Read here, once for all metrics (large files once per metric, some pairs at a time):
        # workers need no files of the data set.
        for cell, metrics in work:
            parts = cell.parts(on_error)
            for position, job in enumerate(metrics):
                for part in numbered_parts(parts):
                    if position == 0:
                        read(cell, part.pair_set)
                    yield cell, part, job, on_error

    waiting: dict[tuple[str, Cell], dict[int, CellScores]] = {}
    counts: dict[tuple[str, Cell], int] = {}
    for name, cell, part_number, is_last, scores in settings.engine.map(
        score_part, tasks(), ordered=False
    ):
        key = name, cell
        parts = waiting.setdefault(key, {})
        parts[part_number] = scores
        if is_last:
            counts[key] = part_number + 1
        if len(parts) == counts.get(key):
            yield name, cell, joined([parts[k] for k in range(len(parts))])
            del waiting[key]


class Part(NamedTuple):
    """Some pairs of a cell.

    Attributes:
        pair_set: the pairs.
        number: which part of the cell, counted from 0.
        is_last: whether no other part follows.
    """

    pair_set: PairSet
    number: int
    is_last: bool


def numbered_parts(pair_sets: Iterable[PairSet]) -> Iterator[Part]:
    """The parts of a cell with their numbers."""
    previous: PairSet | None = None
    number = -1
    for number, pair_set in enumerate(pair_sets):
        if previous is not None:
            yield Part(previous, number - 1, is_last=False)
        previous = pair_set
    if previous is not None:
        yield Part(previous, number, is_last=True)


def score_part(
    cell: Cell, part: Part, job: Job, on_error: OnError
) -> tuple[str, Cell, int, bool, CellScores]:
    """Score a metric on some pairs of a cell.

    Returns:
        the name of the metric, the cell, the number of the part, whether it is the last, and the
        scores.

    Raises:
        PairError: for a pair that cannot be scored, with its number (``on_error="stop"``).
    """
    pair_set = part.pair_set
    metric = build_metric(job.name, job.metric, cell.dataset.name)
    metric.warm_up()
    start = time.perf_counter()
    try:
        scores, unscored = score_pairs(metric, pair_set.pairs, on_error)
    except MetricError as error:
        named = error.numbered(pair_set.numbers) if isinstance(error, PairError) else error
        raise PairError(f"{job.name} on {cell}: {named}") from None
    seconds = time.perf_counter() - start
    problems = {int(pair_set.numbers[k]): problem for k, problem in unscored.items()}
    cell_scores = CellScores(
        scores,
        pair_set.ratings,
        pair_set.numbers,
        combined(pair_set.problems, problems),
        seconds,
    )
    return job.name, cell, part.number, part.is_last, cell_scores


def joined(parts: Sequence[CellScores]) -> CellScores:
    """The scores of all parts of a cell."""
    if len(parts) == 1:
        return parts[0]
    return CellScores(
        join_scores([part.scores for part in parts]),
        np.concatenate([part.ratings for part in parts]),
        np.concatenate([part.numbers for part in parts]),
        {number: why for part in parts for number, why in part.problems.items()},
        sum(part.seconds for part in parts),
    )


def _cell_result(
    cell: Cell,
    protocol: Protocol,
    intervals: Resampling | None,
    cell_scores: CellScores,
    published: PublishedLine,
) -> CellResult:
    statistic = protocol.of(cell.partition)
    has_score = ~np.isnan(cell_scores.scores.values)
    complete = np.repeat(has_score.reshape(-1, cell.unit).all(axis=1), cell.unit)
    counted = complete if statistic == PAIR_ACCURACY else has_score
    scores, ratings = cell_scores.scores.values[counted], cell_scores.ratings[counted]
    value = float(statistic_named(statistic)(scores, ratings))
    interval = None
    if intervals is not None and not np.isnan(value):
        rng = np.random.default_rng([intervals.seed, len(counted)])
        low, high = bootstrap_interval(
            statistic,
            cell_scores.scores.values[complete],
            cell_scores.ratings[complete],
            rng,
            intervals.resamples,
            unit=cell.unit,
        )
        interval = None if np.isnan(low) else (100 * low, 100 * high)
    optimal = cell_scores.scores.details.get("optimal")
    return CellResult(
        dataset=cell.dataset.name,
        partition=cell.partition,
        split=cell.split,
        statistic=statistic,
        value=None if np.isnan(value) else 100 * value,
        n=len(scores),
        missing=int((~has_score).sum()),
        seconds=round(cell_scores.seconds, 3),
        published=published.values.get((cell.dataset.name, cell.partition))
        if cell.split == "test"
        else None,
        interval=interval,
        unproven=None if optimal is None else int((optimal[counted] == 0).sum()),
        source=cell.dataset.source(cell.partition),
        empty=count(cell_scores.problems, "empty"),
        coverage=Coverage.of(cell_scores.scores),
        cached=cell_scores.cached,
    )
