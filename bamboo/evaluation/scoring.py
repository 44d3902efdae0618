"""Score files of graphs, some pairs at a time: only numbers and ids of all pairs are kept."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from uuid import uuid4

from bamboo.engines import SERIAL, Engine
from bamboo.errors import ConfigError
from bamboo.evaluation.file_scores import Collector, FileScores
from bamboo.evaluation.scored_chunks import PartScorer, ScoredChunk, Scorers, score_chunk
from bamboo.pairs.chunks import CHUNK, FileSide, MemorySide, PairChunk, pair_chunks
from bamboo.pairs.ids import IdCheck, Ids
from bamboo.pairs.notation import PENMAN, Notation
from bamboo.pairs.problems import OnError
from metrics.base import Metric
from metrics.errors import MetricError, PairError

SMALLER_CHUNK = 2_500  # pairs that are scored at a time in one of several processes


@dataclass(frozen=True, kw_only=True)
class PairsOfFiles:
    """Which pairs of two sides are scored, and how they are read.

    Attributes:
        src, tgt: for each side a file, a folder, a pattern or ``-`` (`bamboo.pairs.inputs`), or
            graphs in memory.
        notation: the notation of both sides.
        on_error: how to treat a pair that cannot be read or scored. ``stop``: raise an error;
            ``nan``: it is missing; ``zero``: it counts as an empty parse (see `read_pairs` and
            `score_pairs`).
        ids: ``warn`` or ``check`` that both graphs of a pair have the same ``::id`` (`IdCheck`);
            ``match``: pair the graphs with the same id; ``ignore`` the ids.
        choice: which pairs, if not graph k with graph k (see `pair_chunks`).
    """

    src: Path | MemorySide
    tgt: Path | MemorySide
    notation: Notation = PENMAN
    on_error: OnError = "stop"
    ids: Ids = "warn"
    choice: Path | None = None

    def score(
        self,
        metrics: Mapping[str, Metric],
        score_parts: Mapping[str, PartScorer] | None = None,
        lowest: int = 0,
        write: Callable[[Mapping[str, ScoredChunk]], None] = lambda chunks: None,
        engine: Engine = SERIAL,
        build: Callable[[], Scorers] | None = None,
    ) -> tuple[dict[str, FileScores], list[str], list[str]]:
        """Score the pairs with each metric; they are read once.

        Args:
            score_parts: computes further scores, for some of the metrics.
            lowest: of how many pairs with the lowest scores to keep the graphs.
            write: called with the scores of each chunk, by metric.
            engine: where pairs are scored; they are read here.
            build: returns `metrics` and `score_parts` in another process; None to send them, if
                they can be pickled.

        Returns:
            the scores by metric, warnings about ids, and notes on the files.

        Raises:
            GraphError: a file, or a graph of it, that cannot be read.
            DataError: see `pair_chunks` and `IdCheck`.
            PairError: a pair that cannot be scored; it names the files.
        """
        sides = [
            side if isinstance(side, MemorySide) else FileSide(side, self.notation, self.on_error)
            for side in (self.src, self.tgt)
        ]
        src, tgt = (str(side.name) for side in sides)
        check = None
        if self.choice is None and self.ids in ("warn", "check"):
            check = IdCheck(src, tgt, strict=self.ids == "check")
        collectors = {
            name: Collector(metric, self.on_error, lowest) for name, metric in metrics.items()
        }
        given = Scorers(metrics, score_parts or {})
        if engine.in_process:
            function: Callable[..., dict[str, ScoredChunk]] = _score_chunks
            scorers: Scorers | bytes = given
            size = CHUNK
        else:
            function = _score_elsewhere
            scorers = _pickled(given if build is None else build)
            size = SMALLER_CHUNK

        def tasks() -> Iterator[tuple[object, ...]]:
            match, where = self.ids == "match", f"{src} and {tgt}"
            for chunk in pair_chunks(sides[0], sides[1], self.choice, match=match, size=size):
                if check is not None:
                    check.add(chunk.src_ids, chunk.tgt_ids, chunk.problems)
                yield scorers, chunk, self.on_error, lowest, where

        for scored in engine.map(function, tasks()):
            for name, collector in collectors.items():
                collector.add(scored[name])
            write(scored)
        results = {name: collector.result() for name, collector in collectors.items()}
        notes = list(dict.fromkeys(note for side in sides for note in side.notes))
        return results, [] if check is None else check.warnings(), notes


def _pickled(scorers: Scorers | Callable[[], Scorers]) -> bytes:
    """Pickle scorers for other processes, each time with another number.

    A process that has the same scorers from an earlier call builds them anew: a file that they
    read may have changed since.

    Raises:
        ConfigError: an object that cannot be sent.
    """
    try:
        return pickle.dumps((uuid4().int, scorers))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ConfigError(
            f"the metric cannot be sent to other processes ({error}): use engine=serial"
        ) from None


def _score_chunks(
    scorers: Scorers, chunk: PairChunk, on_error: OnError, lowest: int, where: str
) -> dict[str, ScoredChunk]:
    """The scores of some pairs by metric; `where` names the files in errors."""
    try:
        return {
            name: score_chunk(metric, chunk, on_error, scorers.parts.get(name), lowest)
            for name, metric in scorers.metrics.items()
        }
    except MetricError as error:
        raise PairError(f"{where}: {error}", argument=error.argument) from None


def _score_elsewhere(
    scorers: bytes, chunk: PairChunk, on_error: OnError, lowest: int, where: str
) -> dict[str, ScoredChunk]:
    """`_score_chunks` in another process."""
    built = _unpickled_scorers(scorers, tuple(sys.path))
    return _score_chunks(built, chunk, on_error, lowest, where)


@lru_cache(maxsize=4)
def _unpickled_scorers(scorers: bytes, path: Sequence[str]) -> Scorers:
    """The scorers, built once for all chunks.

    Args:
        path: the search path for modules, on which classes of the user's own depend.
    """
    _, content = pickle.loads(scorers)
    built: Scorers = content if isinstance(content, Scorers) else content()
    return built
