"""Score metrics on cells: each cell once, kept in the cache, then held against the ratings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bamboo.benchmark.datasets import PARTITIONS, Dataset, PairSet, digest, load
from bamboo.benchmark.protocols import COUPLES, Protocol, statistic_named
from bamboo.benchmark.published import PublishedLine, published_line
from bamboo.config.implementation import cache_key
from bamboo.config.metrics import LEARNED, build_metric
from bamboo.config.request import BENCHMARK, Job
from bamboo.errors import ConfigError, Interrupted
from bamboo.pairs.problems import OnError, combined, count
from bamboo.pairs.reading import score_pairs
from bamboo.running.cache import Cache, CellScores
from bamboo.running.coverage import Coverage
from bamboo.running.engines import in_processes
from bamboo.running.results import Cell, Result, Row, Unscored, order_cells
from bamboo.statistics import bootstrap_interval
from bamboo.train.learned import learn, needs_training, training, with_weights
from metrics.errors import MetricError, PairError

CacheUse = Literal["use", "refresh", "off"]


@dataclass(frozen=True)
class Place:
    """A partition's split of a data set."""

    dataset: Dataset
    partition: str
    split: str

    def __str__(self) -> str:
        return f"{self.dataset.name} {self.partition} {self.split}"

    def digest(self) -> str:
        """SHA-256 of the files and of how they are read."""
        return digest(self.dataset, self.partition, self.split)

    @property
    def unit(self) -> int:
        """Pairs that belong together: 2 where altered and original come in couples."""
        return 2 if self.dataset.partitions[self.partition].ratings == "alternating" else 1


def chosen_places(
    datasets: Sequence[Dataset], partition: str | tuple[str, ...], split: str
) -> list[Place]:
    """The places that ``partition`` names on each data set; ``all`` are those there are.

    Raises:
        ConfigError: a partition or split that a data set does not have.
    """
    names = (partition,) if isinstance(partition, str) else tuple(dict.fromkeys(partition))
    everything = names == ("all",)
    places = []
    for name in PARTITIONS if everything else names:
        for dataset in datasets:
            if not everything or name in dataset.partitions:
                dataset.partition(name, split)
                places.append(Place(dataset, name, split))
    return places


@dataclass(frozen=True, kw_only=True)
class Engine:
    """What ``conf/engine/<name>.yaml`` says.

    Attributes:
        name: its name.
        jobs: processes; -1 for one a core.
    """

    name: str = "serial"
    jobs: int = 1

    def __post_init__(self) -> None:
        if not (self.jobs >= 1 or self.jobs == -1):
            raise ConfigError(f"engine.jobs={self.jobs}: use 1 or more, or -1 for one a core")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to run.

    Attributes:
        engine: how many processes.
        cache: whether results of earlier runs are used, replaced, or neither read nor written.
        on_error: whether a pair that cannot be read or scored ends the run, is missing, or counts
            as if its first graph were empty (see `bamboo.pairs.reading.score_pairs`).
        weights: a file with learned values of the metrics' parameters.
        built: where partitions that were built are.
        ci: whether to compute bootstrap intervals; resamples, seed: of the bootstrap.
    """

    engine: Engine = field(default_factory=Engine)
    cache: CacheUse = "use"
    on_error: OnError = "stop"
    weights: Path | None = None
    built: Path | None = None
    ci: bool = False
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.resamples < 1:
            raise ConfigError(f"resamples={self.resamples}: use 1 or more")
        if self.seed < 0:
            raise ConfigError(f"seed={self.seed}: use 0 or more")


Scored = dict[tuple[str, Place], CellScores]
Progress = Callable[[str, int], None]


def run(
    jobs: Sequence[Job],
    places: Sequence[Place],
    protocol: Protocol,
    cache: Cache,
    settings: Settings,
    progress: Progress = lambda what, total: None,
) -> tuple[Result, Scored]:
    """Score every job on every place and compute the protocol's statistics.

    Args:
        progress: called with what was just done and the number of cells to score.

    Returns:
        the result, and the scores it follows from.

    Raises:
        ConfigError, DataError, MetricError, CacheError: see there.
        Interrupted: on Ctrl-C; finished cells are in the cache.
    """
    for place in places:
        couples = place.dataset.partitions[place.partition].ratings == "alternating"
        if protocol.of(place.partition) == COUPLES and not couples:
            raise ConfigError(
                f"{COUPLES} compares altered with original pairs, which "
                f"{place.dataset.name} {place.partition} has none of: "
                f"use another protocol.statistic.{place.partition}"
            )
    configs = configurations(jobs, places, cache, settings, progress)
    metrics = {
        (name, place): build_metric(name, config, place.dataset.name)
        for (name, place), config in configs.items()
    }
    signatures = {cell: metric.signature for cell, metric in metrics.items()}

    def key_of(cell: tuple[str, Place]) -> str:
        return cache_key(configs[cell], metrics[cell], settings.on_error)

    keys = {cell: key_of(cell) for cell in metrics}
    digests = {place: place.digest() for place in places}
    scored: Scored = {}
    if settings.cache == "use":
        for (name, place), key in keys.items():
            found = cache.load(digests[place], key)
            if found is not None:
                scored[name, place] = found
    waiting = {
        place: [
            Job(job.name, configs[job.name, place])
            for job in jobs
            if (job.name, place) not in scored
        ]
        for place in places
    }
    work = [(place, missing) for place, missing in waiting.items() if missing]
    total = sum(len(missing) for _, missing in work)
    done = 0
    try:
        for name, place, cell in _score_all(work, settings):
            scored[name, place] = replace(cell, cached=False)
            if key_of((name, place)) != keys[name, place]:
                raise ConfigError(
                    f"metric {name}: a file that computes its scores was changed while "
                    f"{place.dataset.name} {place.partition} was being scored: run again"
                )
            if settings.cache != "off":
                cache.store(digests[place], keys[name, place], cell)
            done += 1
            progress(f"{name} {place.dataset.name} {place.partition}", total)
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted: {done} of {total} cells are scored"
            + (" and kept; the same command goes on from there" if settings.cache != "off" else "")
        ) from None
    by_name = {
        job.name: " ".join(dict.fromkeys(signatures[job.name, place] for place in places))
        for job in jobs
    }
    # In the order asked for, whatever came from the cache or finished first.
    scored = {key: scored[key] for key in signatures}
    published = {
        job.name: published_values(job, places, protocol, settings.weights is not None)
        for job in jobs
    }
    result = evaluate(by_name, places, protocol, settings, scored, published)
    data = {str(place): digests[place] for place in places}
    return replace(result, data=data), scored


def published_values(
    job: Job, places: Sequence[Place], protocol: Protocol, weights_given: bool = False
) -> PublishedLine:
    """What is published for a job on places, under a protocol.

    The notes also say if the job's values are those of one random seed.

    Args:
        weights_given: the metric's parameters come from a weights file.
    """
    source = protocol.published
    places = [p for p in places if p.split == "test" and p.dataset.name in BENCHMARK]
    if source is None or not job.base:
        return PublishedLine()
    excluded = {}
    for place in places:
        statistic = source.statistic.get(place.partition)
        if place.dataset.source(place.partition) != "released":
            excluded[place.dataset.name, place.partition] = "the released partition"
        elif statistic != protocol.of(place.partition):
            excluded[place.dataset.name, place.partition] = f"statistic {statistic}"
    cells = [(place.dataset.name, place.partition) for place in places]
    line = published_line(source.file, job, cells, excluded, weights_given)
    if job.metric.get("seed") is None or weights_given:
        return line
    seed = f"one random seed ({job.metric['seed']}); tables shows the spread over several"
    return replace(line, notes=(*line.notes, seed))


def evaluate(
    signatures: Mapping[str, str],
    places: Sequence[Place],
    protocol: Protocol,
    settings: Settings,
    scored: Mapping[tuple[str, Place], CellScores],
    published: Mapping[str, PublishedLine],
) -> Result:
    """The protocol's statistics of scores.

    Args:
        signatures: of each metric, by name; a row each.
        published: the published values of each metric, by name; metrics may be missing.
    """
    rows = []
    for name, signature in signatures.items():
        line = published.get(name, PublishedLine())
        cells = [_cell(place, protocol, settings, scored[name, place], line) for place in places]
        means = line.means.get("amean"), line.means.get("hmean")
        rows.append(Row(name, signature, order_cells(cells), *means, line.notes))
    notes = [f"Protocol {protocol.name}: no published values are recorded."]
    unscored = tuple(
        Unscored(name, place.dataset.name, place.partition, place.split, number, problem)
        for (name, place), cell in scored.items()
        for number, problem in sorted(cell.problems.items())
    )
    return Result(
        protocol.name, tuple(rows), unscored, tuple(notes if protocol.published is None else ())
    )


def configurations(
    jobs: Sequence[Job],
    places: Sequence[Place],
    cache: Cache,
    settings: Settings,
    progress: Progress = lambda what, total: None,
) -> dict[tuple[str, Place], Mapping[str, Any]]:
    """Each metric's configuration on each place: what is to be learned is learned there."""
    if settings.weights is not None:
        return {
            (job.name, place): with_weights(job, place.dataset.name, settings.weights)
            for job in jobs
            for place in places
        }
    trainings = {
        (job.name, place.dataset.name, place.partition): training(
            job, place.dataset, place.partition, settings.built
        )
        for job in jobs
        if needs_training(job)
        for place in places
    }
    learned = learn(trainings, cache.folder.parent / "weights", settings.engine.jobs, progress)
    configs: dict[tuple[str, Place], Mapping[str, Any]] = {}
    for job in jobs:
        for place in places:
            weights = learned.get((job.name, place.dataset.name, place.partition))
            values = {} if weights is None else {LEARNED: dict(weights.values)}
            configs[job.name, place] = {**job.metric, **values}
    return configs


def _score_all(
    work: Sequence[tuple[Place, Sequence[Job]]], settings: Settings
) -> Iterator[tuple[str, Place, CellScores]]:
    """The scores of each job on each place, as they come."""
    jobs = settings.engine.jobs
    if jobs == 1:
        # Each metric by itself, so that an interruption loses no more than one cell.
        for place, metrics in work:
            for name, cell in score_place(place, metrics, settings.on_error):
                yield name, place, cell
        return
    tasks = ((place, metrics, settings.on_error) for place, metrics in work)
    for place, cells in in_processes(_scored_place, tasks, jobs, ordered=False):
        for name, cell in cells:
            yield name, place, cell


def _scored_place(
    place: Place, jobs: Sequence[Job], on_error: OnError
) -> tuple[Place, list[tuple[str, CellScores]]]:
    return place, list(score_place(place, jobs, on_error))


def score_place(
    place: Place, jobs: Sequence[Job], on_error: OnError
) -> Iterator[tuple[str, CellScores]]:
    """Score several metrics on the pairs of one place, which are read once.

    Raises:
        PairError: for a pair that cannot be scored, with its number (``on_error="stop"``).
    """
    pair_set = load(place.dataset, place.partition, place.split, on_error)
    where = f"{pair_set.dataset} {pair_set.partition} {pair_set.split}"
    for job in jobs:
        metric = build_metric(job.name, job.metric, place.dataset.name)
        metric.warm_up()
        start = time.perf_counter()
        try:
            scores, unscored = score_pairs(metric, pair_set.pairs, on_error)
        except MetricError as error:
            raise PairError(f"{job.name} on {where}: {_numbered(error, pair_set)}") from None
        seconds = time.perf_counter() - start
        problems = {int(pair_set.numbers[k]): problem for k, problem in unscored.items()}
        yield (
            job.name,
            CellScores(
                scores,
                pair_set.ratings,
                pair_set.numbers,
                combined(pair_set.problems, problems),
                seconds,
            ),
        )


def _numbered(error: MetricError, pair_set: PairSet) -> MetricError:
    """The error with the benchmark's number of its pair."""
    if not isinstance(error, PairError) or error.pair is None:
        return error
    return PairError(error.problem, pair=int(pair_set.numbers[error.pair]), argument=error.argument)


def _cell(
    place: Place,
    protocol: Protocol,
    settings: Settings,
    cell: CellScores,
    published: PublishedLine,
) -> Cell:
    statistic = protocol.of(place.partition)
    there = ~np.isnan(cell.scores.values)
    whole = np.repeat(there.reshape(-1, place.unit).all(axis=1), place.unit)
    counted = whole if statistic == COUPLES else there
    scores, ratings = cell.scores.values[counted], cell.ratings[counted]
    value = float(statistic_named(statistic)(scores, ratings))
    interval = None
    if settings.ci and not np.isnan(value):
        rng = np.random.default_rng([settings.seed, len(counted)])
        low, high = bootstrap_interval(
            statistic,
            cell.scores.values[whole],
            cell.ratings[whole],
            rng,
            settings.resamples,
            unit=place.unit,
        )
        interval = None if np.isnan(low) else (100 * low, 100 * high)
    optimal = cell.scores.details.get("optimal")
    return Cell(
        dataset=place.dataset.name,
        partition=place.partition,
        split=place.split,
        statistic=statistic,
        value=None if np.isnan(value) else 100 * value,
        n=len(scores),
        missing=int((~there).sum()),
        seconds=round(cell.seconds, 3),
        published=published.values.get((place.dataset.name, place.partition))
        if place.split == "test"
        else None,
        interval=interval,
        unproven=None if optimal is None else int((optimal[counted] == 0).sum()),
        source=place.dataset.source(place.partition),
        empty=count(cell.problems, "empty"),
        coverage=Coverage.of(cell.scores),
        cached=cell.cached,
    )
