"""Score cells part by part, in any number of processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bamboo.benchmark.cells import Cell, PairSet
from bamboo.config.jobs import Job
from bamboo.config.metrics import build_metric
from bamboo.engines import Engine
from bamboo.engines.shared import Shared
from bamboo.pairs.problems import OnError, combined
from bamboo.pairs.reading import join_scores, score_pairs
from bamboo.running.cache import CellScores
from metrics.errors import MetricError, PairError

Read = Callable[[Cell, PairSet], None]


class Part(NamedTuple):
    """Some pairs of a cell.

    Attributes:
        shared: the pairs, which are sent to each process once for all metrics.
        number: which part of the cell, counted from 0.
        is_last: whether no other part follows.
    """

    shared: Shared[PairSet]
    number: int
    is_last: bool

    @property
    def pair_set(self) -> PairSet:
        """The pairs."""
        return self.shared.value


def score_all(
    work: Sequence[tuple[Cell, Sequence[Job]]], engine: Engine, on_error: OnError, read: Read
) -> Iterator[tuple[str, Cell, CellScores]]:
    """The scores of each job on each cell, in the order of completion.

    Args:
        work: each cell with the jobs to score on it.
        read: as for `bamboo.running.runner.run`.

    Raises:
        PairError: for a pair that cannot be scored, with its number (``on_error="stop"``).
    """

    def tasks() -> Iterator[tuple[Cell, Part, Job, OnError]]:
        # Read here, once for all metrics (large files once per metric, some pairs at a time):
        # workers need no files of the data set.
        for cell, metrics in work:
            pair_sets = cell.parts(on_error)
            # A list is already in memory; all metrics use the same one.
            parts = [*map(Shared, pair_sets)] if isinstance(pair_sets, list) else None
            for position, job in enumerate(metrics):
                for part in numbered_parts(parts or map(Shared, pair_sets)):
                    if position == 0:
                        read(cell, part.pair_set)
                    yield cell, part, job, on_error

    waiting: dict[tuple[str, Cell], dict[int, CellScores]] = {}
    counts: dict[tuple[str, Cell], int] = {}
    for name, cell, part_number, is_last, scores in engine.map(score_part, tasks(), ordered=False):
        key = name, cell
        parts = waiting.setdefault(key, {})
        parts[part_number] = scores
        if is_last:
            counts[key] = part_number + 1
        if len(parts) == counts.get(key):
            yield name, cell, joined([parts[k] for k in range(len(parts))])
            del waiting[key]


def numbered_parts(pair_sets: Iterable[Shared[PairSet]]) -> Iterator[Part]:
    """The parts of a cell with their numbers."""
    previous: Shared[PairSet] | None = None
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
