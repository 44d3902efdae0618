"""Score the pairs of two sides, some at a time: only numbers and ids of all pairs are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bamboo.engines import SERIAL, Engine
from bamboo.pairs.checks import IdCheck, RoleCount, SentenceCheck
from bamboo.pairs.chunks import PairChunk, Reading
from bamboo.pairs.problems import combined
from bamboo.pairs.sides import GraphSource
from bamboo.scoring.pipeline import Scorers, Task, chunk_size, prepared, score_tasks
from bamboo.scoring.scored import Scored

# Receives the scores of each chunk, by metric, and the position of its first pair.
Write = Callable[[Mapping[str, Scored], int], None]


class ScoredSides(NamedTuple):
    """The scores of the pairs of two sides.

    Attributes:
        scores: by metric.
        warnings: about ids.
        notes: on the files.
    """

    scores: dict[str, Scored]
    warnings: list[str]
    notes: list[str]


def score_sides(
    src: GraphSource,
    tgt: GraphSource,
    build: Callable[[], Scorers],
    reading: Reading,
    *,
    lowest: int = 0,
    write: Write | None = None,
    engine: Engine = SERIAL,
) -> ScoredSides:
    """Score the pairs of two sides by each metric; they are read once.

    Args:
        build: returns the metrics, also in other processes.
        lowest: of how many pairs with the lowest scores to keep the graphs.
        engine: where pairs are scored; they are read here.

    Raises:
        GraphError: a file, or a graph of it, that cannot be read.
        DataError: see `bamboo.pairs.chunks.pair_chunks`, `IdCheck` and `SentenceCheck`.
        PairError: a pair that cannot be scored; it names the files.
    """
    names = str(src.name), str(tgt.name)
    ids = IdCheck(*names, strict=reading.ids == "check")
    sentences, roles = SentenceCheck(*names), RoleCount(*names)
    scorers = prepared(engine, build)
    files = f"{names[0]} and {names[1]}"

    def tasks() -> Iterator[Task[PairChunk]]:
        for chunk in reading.chunks(src, tgt, chunk_size(engine)):
            if reading.pairs is None:
                if reading.ids in ("warn", "check"):
                    ids.add(chunk.src_ids, chunk.tgt_ids, chunk.problems)
                    sentences.add(chunk.first, chunk.pairs, chunk.src_ids, chunk.tgt_ids)
                roles.add(chunk.pairs)
            yield Task(chunk, scorers, chunk.pairs, chunk.first + np.arange(len(chunk)), files)

    chunks: dict[str, list[Scored]] = {}
    for chunk, by_metric in score_tasks(tasks(), reading.on_error, engine, lowest):
        described = {
            name: replace(
                scored, pairs=chunk.columns, problems=combined(chunk.problems, scored.problems)
            )
            for name, scored in by_metric.items()
        }
        if write is not None:
            write(described, chunk.first)
        for name, scored in described.items():
            chunks.setdefault(name, []).append(scored)
    notes = [*dict.fromkeys([*src.notes, *tgt.notes]), *roles.notes()]
    # Graphs made by a program seldom have ids: that is no reason for a warning.
    warnings = [] if src.is_anonymous or tgt.is_anonymous else ids.warnings()
    joined = {name: Scored.concatenate(parts, lowest) for name, parts in chunks.items()}
    return ScoredSides(joined, warnings, notes)
