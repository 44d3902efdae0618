"""Score metrics on cells, cache the scores and compare them with the ratings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from amr_metrics.base import Metric, Scores
from bamboo.benchmark.cells import Cell, PairSet
from bamboo.config.rows import Row
from bamboo.engines import SERIAL, Engine
from bamboo.errors import ConfigError, Interrupted
from bamboo.implementation import is_portable
from bamboo.progress import OnStep, begin, reach
from bamboo.results.cache import Cache, ScoredCells, cache_key
from bamboo.results.score_file import ScoreFile
from bamboo.scoring.pipeline import Pace, Scorers, Task, prepare_scorers, score_tasks
from bamboo.scoring.problems import OnError, merge_problems
from bamboo.scoring.scored import GrowingScored, PairColumns, Scored
from bamboo.statistics.resampling import Resampling

if TYPE_CHECKING:
    from bamboo.scoring.buckets import Grouping

CacheUse = Literal["use", "refresh", "off"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a run.

    Attributes:
        engine: where scores are computed.
        cache: whether results of earlier runs are used, replaced, or neither read nor written.
        on_error: whether a pair that cannot be read or scored ends the run, is missing, or counts
            as if its first graph were empty (see `bamboo.scoring.pipeline.score_accepted`).
        built: the folder of built partitions.
        intervals: how to compute bootstrap intervals; None for none.
        by: how the pairs of each cell are divided into buckets; None for none.
    """

    engine: Engine = SERIAL
    cache: CacheUse = "use"
    on_error: OnError = "stop"
    built: Path | None = None
    intervals: Resampling | None = None
    by: Grouping | None = None


Read = Callable[[Cell, PairSet], None]


def score_cells(
    rows: Sequence[Row],
    cells: Sequence[Cell],
    cache: Cache,
    settings: Settings,
    progress: OnStep = lambda what, total: None,
    read: Read = lambda cell, pairs: None,
) -> tuple[ScoredCells, dict[str, str], dict[str, str]]:
    """Score every metric on every cell; cells that are cached are not scored again.

    The scores of a `ScoreFile` are read.

    Args:
        progress: called with a description of each finished step and the number of cells to score;
            a `Progress` also counts the pairs that each metric has scored.
        read: called with the pairs of each cell that is not cached.

    Returns:
        the scores; the signature of each metric, by name, in the requested order; and the SHA-256
        of the data of each cell, by ``dataset partition split``.

    Raises:
        ConfigError, DataError, MetricError, CacheError: see there.
        Interrupted: on Ctrl-C; finished cells are in the cache.
    """
    digests = _collect_digests(cells, progress)
    trained = train_rows(rows, cells, cache, settings, progress)
    metrics = {(name, cell): row.on(cell.dataset.name) for (name, cell), row in trained.items()}
    signatures = {key: metric.signature for key, metric in metrics.items()}

    def key_of(name: str, cell: Cell) -> str:
        return cache_key(trained[name, cell], metrics[name, cell], settings.on_error)

    keys = {(name, cell): key_of(name, cell) for name, cell in metrics}
    scored: ScoredCells = {
        (name, cell): _read_scores(metric, cell, settings.on_error)
        for (name, cell), metric in metrics.items()
        if isinstance(metric, ScoreFile)
    }
    for (name, cell), key in keys.items():
        if (name, cell) in scored:
            continue
        cached = cache.memory.get((digests[cell], key))
        if cached is None and settings.cache == "use" and is_portable(metrics[name, cell]):
            cached = cache.load(digests[cell], key)
        if cached is not None:
            scored[name, cell] = cached
    # Rows with the same options are scored once.
    same: dict[tuple[str, Cell], list[str]] = {}
    for (name, cell), key in keys.items():
        if (name, cell) not in scored:
            same.setdefault((key, cell), []).append(name)
    first = {(names[0], cell): names for (_, cell), names in same.items()}
    # Rows of one seed follow each other: metrics that differ in other options share random numbers.
    by_seed = sorted(rows, key=lambda row: str(row.seed))
    waiting = {
        cell: {row.name: metrics[row.name, cell] for row in by_seed if (row.name, cell) in first}
        for cell in cells
    }
    work = [(cell, missing) for cell, missing in waiting.items() if missing]
    total = len(first)
    finished = 0
    if total:
        begin(progress, "scoring", total, "pairs")
    try:
        for cell, name, cell_scores in _score_cells(
            work, settings.engine, settings.on_error, progress, read
        ):
            computed = replace(cell_scores, cached=False)
            scored |= {(same_name, cell): computed for same_name in first[name, cell]}
            if key_of(name, cell) != keys[name, cell]:
                raise ConfigError(
                    f"metric {name}: a file that computes its scores was changed while "
                    f"{cell} was being scored: run again"
                )
            if settings.cache != "off" and is_portable(metrics[name, cell]):
                cache.store(digests[cell], keys[name, cell], cell_scores)
            if settings.cache != "use":
                cache.memory[digests[cell], keys[name, cell]] = computed
            finished += 1
            progress(f"{name} {cell}", total)
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted: {finished} of {total} cells are scored"
            + (
                " and cached; run the same command again to continue"
                if settings.cache != "off"
                else ""
            )
        ) from None
    by_name = {
        row.name: " ".join(dict.fromkeys(signatures[row.name, cell] for cell in cells))
        for row in rows
    }
    # In the requested order, regardless of the cache and of which cell finished first.
    ordered = {key: scored[key] for key in signatures}
    return ordered, by_name, {str(cell): digest for cell, digest in digests.items()}


def _read_scores(metric: ScoreFile, cell: Cell, on_error: OnError) -> Scored:
    """Return the scores of a cell that are in a file; a pair that cannot be read is missing."""
    pairs = cell.load(on_error)
    values = metric.read_scores(cell, pairs.numbers)
    values[[*pairs.problems]] = np.nan
    columns = PairColumns(numbers=pairs.numbers, ratings=pairs.ratings)
    return Scored(Scores(values), columns, pairs.problems)


def _score_cells(
    work: Sequence[tuple[Cell, Mapping[str, Metric]]],
    engine: Engine,
    on_error: OnError,
    progress: OnStep,
    read: Read,
) -> Iterator[tuple[Cell, str, Scored]]:
    """Score each cell by its metrics and yield the cell, the metric's name and its scores.

    Cells are read here, once for all metrics: workers need no files of the data set.

    Raises:
        PairError: for a pair that cannot be scored, with its number (``on_error="stop"``).
    """
    counts = {cell: cell.count or 0 for cell, _ in work}
    uncounted = {cell for cell, _ in work if cell.count is None}
    pace = Pace(engine, (metric for _, metrics in work for metric in metrics.values()))

    def tasks() -> Iterator[Task[tuple[Cell, PairSet, bool]]]:
        for cell, metrics in work:
            scorers = {
                name: prepare_scorers(engine, partial(_warm_up, name, metric))
                for name, metric in metrics.items()
            }
            whole = cell.load(on_error)
            read(cell, whole)
            uncounted.discard(cell)
            counts[cell], taken = len(whole.numbers), 0
            for pair_set in whole.divided(pace.size):
                taken += len(pair_set.numbers)
                source = cell, pair_set, taken == counts[cell]
                # A task for each metric: a run that is interrupted keeps the finished ones.
                for name, scorer in scorers.items():
                    yield Task(
                        source, scorer, pair_set.pairs, pair_set.numbers, f"{name} on {cell}"
                    )

    def show(reached: int) -> None:
        amount = sum(counts[cell] * len(metrics) for cell, metrics in work)
        reach(progress, reached, None if uncounted else amount)

    reached = 0
    if work:
        show(reached)
    growing: dict[str, GrowingScored] = {}
    described: dict[str, list[PairColumns]] = {}
    for (cell, pair_set, is_last), by_metric in score_tasks(tasks(), on_error, engine):
        for name, scored in by_metric.items():
            pace.add(name, scored)
            reached += len(scored)
            show(reached)
            columns = PairColumns(numbers=pair_set.numbers, ratings=pair_set.ratings)
            described.setdefault(name, []).append(columns)
            problems = merge_problems(pair_set.problems, scored.problems)
            growing.setdefault(name, GrowingScored()).add(replace(scored, problems=problems))
            if is_last:
                pairs = PairColumns.concatenate(described.pop(name))
                yield cell, name, growing.pop(name).finish(pairs)


def _warm_up(name: str, metric: Metric) -> Scorers:
    metric.warm_up()
    return Scorers({name: metric})


def _collect_digests(cells: Sequence[Cell], progress: OnStep) -> dict[Cell, str]:
    missing = any(not path.exists() for cell in cells for path in cell.files)
    begin(progress, "downloading data" if missing else "checking data", len(cells))
    digests = {}
    for cell in cells:
        digests[cell] = cell.digest()
        progress(str(cell), len(cells))
    return digests


def train_rows(
    rows: Sequence[Row],
    cells: Sequence[Cell],
    cache: Cache,
    settings: Settings,
    progress: OnStep = lambda what, total: None,
) -> dict[tuple[str, Cell], Row]:
    """Return each metric on each cell, by its name and the cell, after training it if necessary."""
    if not any(row.needs_training for row in rows):
        return {(row.name, cell): row for row in rows for cell in cells}
    from bamboo.training.fit import learn, plan_training  # slow to import

    trainings = {
        (row.name, cell.dataset.name, cell.partition): plan_training(
            row, cell.dataset, cell.partition, settings.built
        )
        for row in rows
        if row.needs_training
        for cell in cells
    }
    learned = learn(trainings, cache.folder.parent / "weights", settings.engine, progress)
    with_values = {
        (row.name, *place): replace(row, learned=dict(learned[row.name, *place].values))
        for row in rows
        for place in {(cell.dataset.name, cell.partition) for cell in cells}
        if (row.name, *place) in learned
    }
    return {
        (row.name, cell): with_values.get((row.name, cell.dataset.name, cell.partition), row)
        for row in rows
        for cell in cells
    }
