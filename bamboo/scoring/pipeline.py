"""Score chunks of pairs by one metric or several, in any engine."""

from __future__ import annotations

import os
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from amr_metrics.base import Metric, Pair, Scores, check_scores
from amr_metrics.errors import MetricError, PairError, SetupError
from amr_metrics.types import Ints
from amr_metrics.utils.user_code import guard_user_code
from bamboo.engines import Engine
from bamboo.errors import ConfigError
from bamboo.scoring.file_pairs import FilePairs
from bamboo.scoring.mistake_rows import ParserMistakes
from bamboo.scoring.problems import OnError, Problem
from bamboo.scoring.scored import Scored, place_scores

Source = TypeVar("Source")

CHUNK = 10_000  # pairs that are scored at a time in this process
SMALLER_CHUNK = 2_500  # and in one of several processes
FIRST = 100  # pairs that are scored before the speed of a metric is known
SECONDS = 5.0  # what scoring some pairs takes before progress is shown

# Further scores of pairs, such as those of aspects, by name.
Parts = Mapping[str, Scores]
PartScorer = Callable[[Sequence[Pair]], Parts]
# Finds the mistakes in pairs, given their positions among all and the number of all.
MistakeFinder = Callable[[Metric, Sequence[Pair], Ints, int], ParserMistakes]


class Scorers(NamedTuple):
    """What scores pairs: metrics by name, further scores of some of them, and mistakes."""

    metrics: Mapping[str, Metric]
    parts: Mapping[str, PartScorer] = MappingProxyType({})
    find_mistakes: MistakeFinder | None = None


class Task(NamedTuple, Generic[Source]):
    """Some pairs, to be scored by all metrics.

    Attributes:
        source: returned with the scores.
        scorers: as returned by `prepare_scorers`.
        pairs: the pairs, of which some may be missing.
        numbers: the number of each pair, for errors.
        source_name: the beginning of error messages.
    """

    source: Source
    scorers: Scorers | bytes
    pairs: FilePairs
    numbers: Ints
    source_name: str


def chunk_size(engine: Engine) -> int:
    """Return how many pairs are scored at a time."""
    return CHUNK if engine.in_process else SMALLER_CHUNK


class Pace:
    """How many pairs are scored at a time: as many as take about `SECONDS`, up to `chunk_size`.

    Scores do not depend on it.

    Args:
        metrics: what scores the pairs. One that `scores_at_once` is given as many as possible.
    """

    def __init__(self, engine: Engine, metrics: Iterable[Metric]) -> None:
        self._most = chunk_size(engine)
        self._at_once = any(metric.scores_at_once for metric in metrics)
        self._seconds: dict[str, float] = {}  # that a pair takes, by metric

    def size(self) -> int:
        """Return how many pairs to score next."""
        if self._at_once:
            return self._most
        size = SECONDS / max(self._seconds.values()) if self._seconds else FIRST
        return max(1, min(int(size), self._most))

    def add(self, name: str, scored: Scored) -> None:
        """Note how long a metric has taken for some pairs."""
        self._seconds[name] = max(scored.wall, 1e-9) / max(len(scored), 1)


def prepare_scorers(engine: Engine, build: Callable[[], Scorers]) -> Scorers | bytes:
    """Build scorers, or pickle the function that builds them in another process.

    Each call pickles them with another number, so that a process that has the same scorers from an
    earlier command builds them again: a file that they read may have changed.

    Raises:
        ConfigError: a metric that cannot be sent to other processes.
    """
    if engine.in_process:
        return build()
    import cloudpickle

    try:
        pickled: bytes = cloudpickle.dumps((os.urandom(16), build))
        return pickled
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ConfigError(
            f"the metric cannot be sent to other processes ({error}): use engine=serial"
        ) from None


def score_tasks(
    tasks: Iterable[Task[Source]], on_error: OnError, engine: Engine, lowest: int = 0
) -> Iterator[tuple[Source, dict[str, Scored]]]:
    """Score tasks and yield the source of each with its scores by metric, in order.

    The scores do not depend on the engine, nor on how pairs are divided into tasks.

    Args:
        on_error: how to treat a pair that cannot be scored.
        lowest: the number of pairs with the lowest scores whose graphs are returned.

    Raises:
        PairError: a pair that cannot be scored (``on_error="stop"``).
    """
    if engine.in_process:
        return map(partial(score_task, on_error, lowest), tasks)
    return _score_elsewhere(tasks, on_error, engine, lowest)


def score_task(
    on_error: OnError, lowest: int, task: Task[Source]
) -> tuple[Source, dict[str, Scored]]:
    """Score some pairs by each metric, with the parts of its scores.

    Returns:
        the source of the task, and the scores by metric.

    Raises:
        PairError: a metric's error; it names the files and, if it is about a pair, its number.
    """
    scorers = _unpickle(task.scorers) if isinstance(task.scorers, bytes) else task.scorers
    by_metric = {}
    for name, metric in scorers.metrics.items():
        start, cpu = time.perf_counter(), _measure_cpu_seconds()
        try:
            pairs, problems = task.pairs, dict[int, Problem]()
            if on_error == "stop":
                present = pairs.present
                with guard_user_code():
                    scores = metric.evaluate(pairs.select(present))
                scores = place_scores(check_scores(scores, len(present)), present, len(pairs))
            else:
                scores, pairs, problems = score_accepted(metric, pairs, on_error)
            seconds, wall = _measure_cpu_seconds() - cpu, time.perf_counter() - start
            scored = Scored(scores, problems=problems, seconds=seconds, wall=wall)
            by_metric[name] = _add_parts(scored, pairs, name, scorers, lowest)
        except MetricError as error:
            named = error.numbered(task.numbers) if isinstance(error, PairError) else error
            raise PairError(f"{task.source_name}: {named}", argument=error.argument) from None
    return task.source, by_metric


def _add_parts(
    scored: Scored, pairs: FilePairs, metric: str, scorers: Scorers, lowest: int
) -> Scored:
    """Add the parts, the mistakes and the lowest pairs to a metric's scores of some pairs."""
    with_score = np.flatnonzero(scored.present)
    score_parts, find_mistakes = scorers.parts.get(metric), scorers.find_mistakes
    parts: Parts = {}
    if score_parts is not None and len(with_score):
        try:
            parts = score_parts(pairs.select(with_score))
        except PairError as error:
            raise error.numbered(with_score) from None
        parts = {name: place_scores(part, with_score, len(pairs)) for name, part in parts.items()}
    mistakes = None
    if find_mistakes is not None:
        selected = pairs.select(with_score)
        mistakes = find_mistakes(scorers.metrics[metric], selected, with_score, len(pairs))
    lowest_pairs: dict[int, Pair] = {}
    if lowest:
        order = with_score[np.argsort(scored.scores.values[with_score], kind="stable")][:lowest]
        lowest_pairs = {k: pair for k in order.tolist() if (pair := pairs[k]) is not None}
    return replace(scored, parts=parts, lowest=lowest_pairs, mistakes=mistakes)


def _score_elsewhere(
    tasks: Iterable[Task[Source]], on_error: OnError, engine: Engine, lowest: int
) -> Iterator[tuple[Source, dict[str, Scored]]]:
    """Score tasks in other processes; what the scores are returned with stays in this one."""
    sources: deque[Source] = deque()

    def list_arguments() -> Iterator[tuple[OnError, int, Task[None]]]:
        for task in tasks:
            sources.append(task.source)
            yield on_error, lowest, Task(None, *task[1:])

    for _, by_metric in engine.map(score_task, list_arguments()):
        yield sources.popleft(), by_metric


@lru_cache(maxsize=50)
def _unpickle(scorers: bytes) -> Scorers:
    """Build scorers once for all chunks."""
    _, build = pickle.loads(scorers)
    built: Scorers = build()
    return built


def _measure_cpu_seconds() -> float:
    """Return the CPU time of this process, and of the programs that it has run."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def score_accepted(
    metric: Metric, pairs: FilePairs, on_error: OnError
) -> tuple[Scores, FilePairs, dict[int, Problem]]:
    """Score the pairs that a metric accepts.

    With ``on_error="zero"`` a pair scores 0 if only its first graph is empty, as that of a parse
    that could not be read, or the metric rejects it. The columns of the pair are those of an empty
    graph and the second graph. If the metric has columns but none for these two, the pair is
    missing: corpus scores could not count it.

    Args:
        on_error: with ``nan`` a pair that the metric rejects is missing.

    Returns:
        the scores, NaN for a missing pair; the pairs, with those that count as empty parses; and
        the problems of the others, by position.
    """
    present, count = pairs.present, len(pairs)
    is_empty = pairs.without_parse()[present] & (on_error == "zero")
    empty = present[is_empty]
    scores, scored, problems = _score_accepted(metric, pairs, present[~is_empty])
    if on_error == "zero" and problems:
        pairs = pairs.with_replaced({k: _replace_parse(pairs, k) for k in problems})
        empty = np.union1d(empty, [*problems])
    if not len(empty):
        return place_scores(scores, scored, count), pairs, problems
    zero, accepted, rejected = _score_accepted(metric, pairs, empty)
    zero = Scores(np.zeros(len(accepted)), zero.details)
    if rejected and not (scores if len(scored) else metric.evaluate([])).details:
        # The metric has no columns, so only the score is needed, and it is 0.
        zero, accepted, rejected = Scores(np.zeros(len(empty))), empty, {}
    problems = {
        k: problem._replace(counted_as="missing" if k in rejected else "empty")
        for k, problem in (rejected | problems).items()
    }
    joined = Scores.concatenate([part for part in (scores, zero) if len(part.values)])
    return place_scores(joined, np.concatenate([scored, accepted]), count), pairs, problems


def score_without(
    metric: Metric, pairs: FilePairs, scores: Scores, chosen: Ints, on_error: OnError
) -> Scores:
    """Return the scores of pairs as if some parses could not be read.

    Args:
        scores: those of all pairs.
        chosen: the positions of these parses.
        on_error: with ``nan`` their pairs are missing; otherwise they count as empty parses.
    """
    if not len(chosen):
        return scores
    kept = np.setdiff1d(np.flatnonzero(~np.isnan(scores.values)), chosen)
    positions, parts = [kept], [scores.take(kept)]
    if on_error != "nan":
        chosen = np.intersect1d(chosen, pairs.present)
        empty = FilePairs.of([_replace_parse(pairs, k) for k in chosen.tolist()])
        positions.append(chosen)
        parts.append(score_accepted(metric, empty, "zero")[0])
    joined = Scores.concatenate([part for part in parts if len(part.values)])
    return place_scores(joined, np.concatenate(positions), len(pairs))


def _replace_parse(pairs: FilePairs, k: int) -> Pair:
    (pair,) = pairs.select(np.array([k]))
    return Pair(pair.tgt.make_empty_parse(), pair.tgt)


def _score_accepted(
    metric: Metric, pairs: FilePairs, positions: Ints
) -> tuple[Scores, Ints, dict[int, Problem]]:
    """Return scores of the pairs at some positions, as far as the metric accepts them.

    Returns:
        the scores, the positions of the pairs that are scored, and the problems of the others.

    Raises:
        SetupError: a metric that can score no pair, such as one whose code cannot be imported.
    """
    try:
        with guard_user_code():
            return (
                check_scores(metric.evaluate(pairs.select(positions)), len(positions)),
                positions,
                {},
            )
    except SetupError:
        raise
    except MetricError:
        pass  # some of the pairs
    scored, parts, problems = [], [], {}
    for k in positions.tolist():
        try:
            with guard_user_code():
                parts.append(check_scores(metric.evaluate(pairs.select(np.array([k]))), 1))
            scored.append(k)
        except MetricError as error:
            problems[k] = Problem.of(error)
    return Scores.concatenate(parts), np.array(scored, np.int64), problems
