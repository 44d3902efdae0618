"""Score metrics on cells: each cell once, kept in the cache, then held against the ratings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bamboo.cache import Cache, CellScores
from bamboo.config import Job
from bamboo.datasets import PARTITIONS, Dataset, PairSet, digest, load
from bamboo.errors import BambooError, ConfigError
from bamboo.metric import build_metric
from bamboo.protocols import STATISTICS, Protocol
from bamboo.results import Cell, Result, Row, order_cells, published_value
from bamboo.significance import bootstrap_interval
from metrics.base import Metric, Scores, checked
from metrics.errors import MetricError
from metrics.types import Floats


class Interrupted(BambooError):
    """The user stopped a run; what was scored by then is kept."""


@dataclass(frozen=True)
class Place:
    """A partition's split of a data set."""

    dataset: Dataset
    partition: str
    split: str

    @property
    def unit(self) -> int:
        """Pairs that belong together: 2 where altered and original come in couples."""
        return 2 if self.dataset.partitions[self.partition].ratings == "alternating" else 1


def chosen_places(
    datasets: Sequence[Dataset], partition: str | Sequence[str], split: str
) -> list[Place]:
    """The places that ``partition`` names on each data set; ``all`` are those there are.

    Raises:
        ConfigError: a partition or split that a data set does not have.
    """
    names = [partition] if isinstance(partition, str) else list(partition)
    places = []
    for name in PARTITIONS if names == ["all"] else names:
        for dataset in datasets:
            if names != ["all"] or name in dataset.partitions:
                dataset.partition(name, split)
                places.append(Place(dataset, name, split))
    return places


@dataclass(frozen=True)
class Settings:
    """How to run.

    Attributes:
        cache: ``use``, ``refresh`` or ``off``.
        on_error: ``stop`` or ``nan``.
        jobs: processes; -1 for one a core.
        resamples: of the bootstrap, 0 for no intervals; seed: of the bootstrap.
    """

    cache: str = "use"
    on_error: str = "stop"
    jobs: int = 1
    resamples: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        for option, value, known in (
            ("cache", self.cache, ("use", "refresh", "off")),
            ("on_error", self.on_error, ("stop", "nan")),
        ):
            if value not in known:
                raise ConfigError(f"{option}={value}: use one of {', '.join(known)}")


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
    signatures = {
        (job.name, place): build_metric(job.name, job.metric, place.dataset.name).signature
        for job in jobs
        for place in places
    }
    digests = {place: digest(place.dataset, place.partition, place.split) for place in places}
    scored: Scored = {}
    if settings.cache == "use":
        for key, signature in signatures.items():
            found = cache.load(digests[key[1]], f"{signature} {settings.on_error}")
            if found is not None:
                scored[key] = found
    work = [
        (place, missing)
        for place in places
        if (missing := [job for job in jobs if (job.name, place) not in scored])
    ]
    total = sum(len(missing) for _, missing in work)
    done = 0
    try:
        for name, place, cell in _score_all(work, settings):
            scored[name, place] = cell
            if settings.cache != "off":
                signature = f"{signatures[name, place]} {settings.on_error}"
                cache.store(digests[place], signature, cell)
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
    return evaluate(by_name, places, protocol, settings, scored), scored


def evaluate(
    signatures: Mapping[str, str],
    places: Sequence[Place],
    protocol: Protocol,
    settings: Settings,
    scored: Mapping[tuple[str, Place], CellScores],
) -> Result:
    """The protocol's statistics of scores there are.

    Args:
        signatures: of each metric, by name; a row each.
    """
    return Result(
        protocol.name,
        tuple(
            Row(
                name,
                signature,
                order_cells([_cell(name, p, protocol, settings, scored[name, p]) for p in places]),
                published_value(protocol.published, name, "amean"),
                published_value(protocol.published, name, "hmean"),
            )
            for name, signature in signatures.items()
        ),
    )


def _score_all(
    work: Sequence[tuple[Place, Sequence[Job]]], settings: Settings
) -> Iterator[tuple[str, Place, CellScores]]:
    """The scores of each job on each place, as they come."""
    if settings.jobs == 1:
        for place, jobs in work:
            for name, cell in score_place(place, jobs, settings.on_error):
                yield name, place, cell
        return
    from joblib import Parallel, delayed

    def task(place: Place, jobs: Sequence[Job]) -> tuple[Place, list[tuple[str, CellScores]]]:
        return place, list(score_place(place, jobs, settings.on_error))

    parallel = Parallel(n_jobs=settings.jobs, return_as="generator_unordered")
    for place, cells in parallel(delayed(task)(place, jobs) for place, jobs in work):
        for name, cell in cells:
            yield name, place, cell


def score_place(
    place: Place, jobs: Sequence[Job], on_error: str
) -> Iterator[tuple[str, CellScores]]:
    """Score several metrics on the pairs of one place, which are read once."""
    pair_set = load(place.dataset, place.partition, place.split, on_error)
    for job in jobs:
        metric = build_metric(job.name, job.metric, place.dataset.name)
        # Kernels and vectors are loaded before the clock runs.
        metric.evaluate([])
        start = time.perf_counter()
        scores, problems = score_pairs(metric, pair_set, on_error)
        seconds = time.perf_counter() - start
        yield job.name, CellScores(scores, pair_set.ratings, pair_set.numbers, problems, seconds)


def score_pairs(metric: Metric, pair_set: PairSet, on_error: str) -> tuple[Scores, dict[int, str]]:
    """The metric's scores; with ``on_error="nan"`` NaN, and the reason, for pairs without one.

    Raises:
        MetricError: naming the pair by its number (``on_error="stop"``).
    """
    problems = dict(pair_set.problems)
    readable = [k for k, pair in enumerate(pair_set.pairs) if pair is not None]
    pairs = [pair for pair in pair_set.pairs if pair is not None]
    try:
        return _spread(checked(metric.evaluate(pairs), len(pairs)), readable, pair_set), problems
    except MetricError as error:
        if on_error == "stop":
            where = f"{pair_set.dataset} {pair_set.partition} {pair_set.split}"
            first = pair_set.numbers[0] if len(pair_set.numbers) else 0
            note = f" (the first pair is number {first})" if first else ""
            raise type(error)(f"{where}: {error}{note}") from None
    kept, parts = [], []
    for k, pair in zip(readable, pairs, strict=True):
        try:
            parts.append(checked(metric.evaluate([pair]), 1))
            kept.append(k)
        except MetricError as error:
            problems[int(pair_set.numbers[k])] = str(error)
    return _spread(Scores.concatenate(parts), kept, pair_set), problems


def _spread(scores: Scores, kept: Sequence[int], pair_set: PairSet) -> Scores:
    """Scores of some pairs as columns over all pairs, NaN elsewhere."""
    if len(kept) == len(pair_set.pairs):
        return scores

    def column(values: Floats) -> Floats:
        full = np.full(len(pair_set.pairs), np.nan)
        full[kept] = values
        return full

    return Scores(
        column(scores.values), {name: column(values) for name, values in scores.details.items()}
    )


def _cell(
    name: str, place: Place, protocol: Protocol, settings: Settings, cell: CellScores
) -> Cell:
    statistic = protocol.statistic.get(place.partition, protocol.statistic["main"])
    scores, ratings = cell.scores.values, cell.ratings
    there = np.isfinite(scores)
    whole = np.repeat(there.reshape(-1, place.unit).all(axis=1), place.unit)
    if statistic == "pair_accuracy":
        there = whole
    value = STATISTICS[statistic](scores[there], ratings[there])
    interval = None
    if settings.resamples:
        rng = np.random.default_rng([settings.seed, len(scores)])
        interval = bootstrap_interval(
            statistic,
            scores[whole],
            ratings[whole],
            rng,
            settings.resamples,
            unit=place.unit,
        )
    column = f"{place.partition}_{place.dataset.name}"
    optimal = cell.scores.details.get("optimal")
    return Cell(
        dataset=place.dataset.name,
        partition=place.partition,
        split=place.split,
        statistic=statistic,
        value=None if np.isnan(value) else 100 * value,
        n=int(there.sum()),
        missing=int((~there).sum()),
        seconds=round(cell.seconds, 3),
        published=published_value(protocol.published, name, column)
        if place.split == "test"
        else None,
        interval=None
        if interval is None or np.isnan(interval[0])
        else (100 * interval[0], 100 * interval[1]),
        unproven=None if optimal is None else int((optimal[there] == 0).sum()),
    )
