"""Score chunks of pairs by one metric or several, in any engine."""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import current_thread, main_thread
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import uuid4

import numpy as np

from amr_metrics.base import Metric, Pair, Scores, checked
from amr_metrics.errors import MetricError, PairError
from amr_metrics.types import Ints
from bamboo.engines import Engine
from bamboo.errors import ConfigError
from bamboo.pairs.file_pairs import FilePairs
from bamboo.pairs.problems import OnError, Problem
from bamboo.pairs.reading import empty_parse
from bamboo.user_code import user_code_error

Source = TypeVar("Source")

CHUNK = 10_000  # pairs that are scored at a time in this process
SMALLER_CHUNK = 2_500  # and in one of several processes

# Further scores of pairs, such as those of aspects, by name.
Parts = Mapping[str, Scores]
PartScorer = Callable[[Sequence[Pair]], Parts]


class Scorers(NamedTuple):
    """What scores pairs: metrics by name, and functions for further scores of some of them."""

    metrics: Mapping[str, Metric]
    parts: Mapping[str, PartScorer] = MappingProxyType({})


class Task(NamedTuple, Generic[Source]):
    """Some pairs, to be scored by all metrics.

    Attributes:
        source: returned with the scores.
        scorers: as returned by `prepared`.
        pairs: the pairs; None for a missing pair.
        numbers: the number of each pair, for errors.
        names: the beginning of error messages, by metric.
    """

    source: Source
    scorers: Scorers | bytes
    pairs: Sequence[Pair | None]
    numbers: Ints
    names: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class ChunkScores:
    """A metric's scores of some pairs.

    Attributes:
        scores: one per pair; NaN for a missing pair.
        problems: which pairs could not be scored, and why, by position.
        parts: further scores, of the pairs that have a score.
        lowest: the pairs with the lowest scores, by position; as many as requested. A parse that
            counts as empty is the empty graph.
        seconds: time spent scoring.
    """

    scores: Scores
    problems: dict[int, Problem]
    parts: Parts
    lowest: Mapping[int, Pair]
    seconds: float


def chunk_size(engine: Engine) -> int:
    """Return how many pairs are scored at a time."""
    return CHUNK if engine.in_process else SMALLER_CHUNK


def prepared(engine: Engine, build: Callable[[], Scorers]) -> Scorers | bytes:
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
        pickled: bytes = cloudpickle.dumps((uuid4().int, build))
        return pickled
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ConfigError(
            f"the metric cannot be sent to other processes ({error}): use engine=serial"
        ) from None


def score_tasks(
    tasks: Iterable[Task[Source]], on_error: OnError, engine: Engine, lowest: int = 0
) -> Iterator[tuple[Source, dict[str, ChunkScores]]]:
    """Score tasks and yield the source of each with its scores by metric, in order.

    The scores do not depend on the engine, nor on how pairs are divided into tasks.

    Args:
        on_error: how to treat a pair that cannot be scored.
        lowest: the number of pairs with the lowest scores whose graphs are returned.

    Raises:
        PairError: a pair that cannot be scored (``on_error="stop"``).
    """
    sent: deque[Source] = deque()

    def arguments() -> Iterator[tuple[object, ...]]:
        for task in tasks:
            sent.append(task.source)
            yield (*task[1:], on_error, lowest)

    for scored in engine.map(_score, arguments()):
        yield sent.popleft(), scored


def _score(
    scorers: Scorers | bytes,
    pairs: Sequence[Pair | None],
    numbers: Ints,
    names: Mapping[str, str],
    on_error: OnError,
    lowest: int,
) -> dict[str, ChunkScores]:
    built = _unpickled(scorers) if isinstance(scorers, bytes) else scorers
    file_pairs, by_metric = FilePairs.of(pairs), {}
    for name, metric in built.metrics.items():
        try:
            by_metric[name] = _chunk_scores(
                metric, built.parts.get(name), file_pairs, on_error, lowest
            )
        except MetricError as error:
            named = error.numbered(numbers) if isinstance(error, PairError) else error
            raise PairError(f"{names[name]}: {named}", argument=error.argument) from None
    return by_metric


@lru_cache(maxsize=50)
def _unpickled(scorers: bytes) -> Scorers:
    """Build scorers once for all chunks."""
    _, build = pickle.loads(scorers)
    built: Scorers = build()
    return built


def _chunk_scores(
    metric: Metric,
    score_parts: PartScorer | None,
    pairs: FilePairs,
    on_error: OnError,
    lowest: int,
) -> ChunkScores:
    start = time.perf_counter()
    scores, problems = score_pairs(metric, pairs, on_error)
    seconds = time.perf_counter() - start
    empty = [k for k, problem in problems.items() if problem.counted_as == "empty"]
    pairs = pairs.with_replaced({k: _without_parse(pairs, k) for k in empty})
    parts: Parts = {}
    scored = np.flatnonzero(~np.isnan(scores.values))
    if score_parts is not None and len(scored):
        try:
            parts = score_parts(pairs.select(scored))
        except PairError as error:
            raise error.numbered(scored) from None
    order = scored[np.argsort(scores.values[scored], kind="stable")][:lowest]
    lowest_pairs = {k: pair for k in order.tolist() if (pair := pairs[k]) is not None}
    return ChunkScores(scores, problems, parts, lowest_pairs, seconds)


def score_pairs(
    metric: Metric, pairs: Sequence[Pair | None], on_error: OnError
) -> tuple[Scores, dict[int, Problem]]:
    """Return the metric's scores, NaN for a missing pair, and the problems of scoring by position.

    With ``on_error="zero"`` a pair scores 0 if only its first graph is empty, as that of a parse
    that could not be read, or the metric rejects it. The columns of the pair are those of an empty
    graph and the second graph. If the metric has columns but none for these two, the pair is
    missing: corpus scores could not count it.

    Args:
        pairs: the pairs; None for a missing pair.
        on_error: with ``nan`` a pair that the metric rejects is missing.

    Raises:
        MetricError: for a pair that cannot be scored (``on_error="stop"``).
    """
    file_pairs = FilePairs.of(pairs)
    present = file_pairs.present
    is_empty = file_pairs.without_parse()[present] & (on_error == "zero")
    empty = present[is_empty]
    scores, scored, problems = _scored(metric, file_pairs, present[~is_empty], on_error)
    if on_error == "zero" and problems:
        file_pairs = file_pairs.with_replaced({k: _without_parse(file_pairs, k) for k in problems})
        empty = np.union1d(empty, [*problems])
    if not len(empty):
        return _spread(scores, scored, len(pairs)), problems
    zero, accepted, rejected = _scored(metric, file_pairs, empty, on_error)
    zero = Scores(np.zeros(len(accepted)), zero.details)
    if rejected and not (scores if scored else metric.evaluate([])).details:
        # The metric has no columns, so only the score is needed, and it is 0.
        zero, accepted, rejected = Scores(np.zeros(len(empty))), empty.tolist(), {}
    problems = {
        k: problem._replace(counted_as="missing" if k in rejected else "empty")
        for k, problem in (rejected | problems).items()
    }
    parts = [part for part in (scores, zero) if len(part.values)]
    order = np.argsort([*scored, *accepted])
    joined = Scores.concatenate(parts).take(order)
    return _spread(joined, sorted([*scored, *accepted]), len(pairs)), problems


def _without_parse(pairs: FilePairs, k: int) -> Pair:
    (pair,) = pairs.select(np.array([k]))
    return Pair(empty_parse(pair.tgt), pair.tgt)


def _scored(
    metric: Metric, pairs: FilePairs, positions: Ints, on_error: OnError
) -> tuple[Scores, list[int], dict[int, Problem]]:
    """Return scores of the pairs at some positions, as far as the metric accepts them.

    Returns:
        the scores, the positions of the pairs that are scored, and the problems of the others.
    """
    try:
        return _evaluated(metric, pairs, positions), positions.tolist(), {}
    except MetricError:
        if on_error == "stop":
            raise
    scored, parts, problems = [], [], {}
    for k in positions.tolist():
        try:
            parts.append(_evaluated(metric, pairs, np.array([k])))
            scored.append(k)
        except MetricError as error:
            problems[k] = Problem.of(error)
    return Scores.concatenate(parts), scored, problems


def _evaluated(metric: Metric, pairs: FilePairs, positions: Ints) -> Scores:
    """Score the pairs at some positions.

    Raises:
        MetricError: also for SystemExit and the like, which would end this process or its worker.
    """
    try:
        return checked(metric.evaluate(pairs.select(positions)), len(positions))
    except Exception:
        raise
    except BaseException as error:
        # Ctrl-C interrupts the main thread.
        if isinstance(error, KeyboardInterrupt) and current_thread() is main_thread():
            raise
        raise MetricError(str(user_code_error(error) or type(error).__name__)) from error


def _spread(scores: Scores, positions: Sequence[int], count: int) -> Scores:
    """Return scores of some pairs as columns over all `count`, NaN (or False) elsewhere."""
    if len(positions) == count:
        return scores

    def column(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        full = np.zeros(count, bool) if values.dtype == bool else np.full(count, np.nan)
        full[positions] = values
        return full

    return Scores(
        column(scores.values), {name: column(values) for name, values in scores.details.items()}
    )


def join_scores(chunks: Sequence[Scores]) -> Scores:
    """Join the scores of consecutive chunks. One without any score may lack columns."""
    if len(chunks) == 1:
        return chunks[0]
    complete = [chunk for chunk in chunks if not np.isnan(chunk.values).all()]
    columns = (complete or chunks)[0].details if chunks else {}
    filled = []
    for chunk in chunks:
        missing = {
            name: np.zeros(len(chunk.values), bool)
            if column.dtype == bool
            else np.full(len(chunk.values), np.nan)
            for name, column in columns.items()
            if name not in chunk.details
        }
        filled.append(Scores(chunk.values, {**chunk.details, **missing}) if missing else chunk)
    return Scores.concatenate(filled)
