"""Score many files, one pair of files (a shard) at a time, with one result for all of them.

Each shard gets a file with the scores of its pairs. The scores are cached: work that was
interrupted goes on with the shards that are not cached.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from bamboo.config.implementation import cache_key
from bamboo.engines import Engine
from bamboo.errors import ConfigError, DataError
from bamboo.evaluation.systems import corpus_statistics
from bamboo.files import plain
from bamboo.pairs.inputs import input_files
from bamboo.pairs.problems import count, summary
from bamboo.results.table import Table
from bamboo.scoring.cache import Cache, CellScores
from bamboo.scoring.files import PairsOfFiles, cells
from bamboo.scoring.pipeline import Scorers, join_scores
from bamboo.statistics.corpus import bootstrap_corpus, percentile_interval
from bamboo.statistics.resampling import Resampling
from metrics.base import Metric, Scores
from metrics.errors import GraphError, PairError
from metrics.utils.digests import file_digest
from metrics.utils.files import replacing
from metrics.utils.text import counted

SCHEMA = 1
ShardFormat = Literal["csv", "parquet"]
Progress = Callable[[str, int], None]


class Shard(NamedTuple):
    """Two files that are scored together, and the file for the scores of their pairs."""

    src: Path
    tgt: Path
    scores_file: Path


class ShardScores(NamedTuple):
    """The scores of a shard, without what its file has for each pair.

    Attributes:
        scores: one per pair; NaN for a missing pair.
        counts: the number of pairs that are missing, and that count as an empty parse.
        warnings: warnings about ids and pairs.
        notes: what a reader of the scores should know about the files.
        finished_before: whether the shard was scored by an earlier command.
    """

    scores: Scores
    counts: Mapping[str, int]
    warnings: Sequence[str]
    notes: Sequence[str]
    finished_before: bool


class Failed(NamedTuple):
    """A shard that cannot be read or scored."""

    src: str
    problem: str


@dataclass(frozen=True, kw_only=True)
class ShardPlan:
    """How shards are scored.

    Attributes:
        config: the configuration of the metric, which is part of the key of cached scores.
        build: builds the metric, in another process too.
        pairs: how the files are read; their names are replaced by those of each shard.
        cache: of the scores.
        format: of the files with the scores of pairs.
    """

    config: Mapping[str, Any]
    build: Callable[[], Scorers]
    pairs: PairsOfFiles
    cache: Cache
    format: ShardFormat


def find_shards(
    src: Path, tgt: Path, plan: ShardPlan, folder: Path
) -> tuple[list[Shard], list[str]]:
    """Pair the files of two patterns or folders: file k with file k, by name.

    Returns:
        the shards, and notes on files that are left out.

    Raises:
        DataError: different numbers of files.
        GraphError: a pattern or folder without files.
    """
    found = [input_files(side, plan.pairs.notation.format) for side in (src, tgt)]
    sides = [files for files, _ in found]
    if len(sides[0]) != len(sides[1]):
        raise DataError(
            f"{src} has {counted(len(sides[0]), 'file')} but {tgt} has {len(sides[1]):,}: each "
            "file of src is scored with the file of tgt at the same place in the order of their "
            "names"
        )
    shards = [
        Shard(a, b, folder / f"{k:06d}-{a.name.removesuffix('.gz')}.{plan.format}")
        for k, (a, b) in enumerate(zip(*sides, strict=True))
    ]
    return shards, [note for _, notes in found for note in notes]


def score_shards(
    shards: Sequence[Shard], plan: ShardPlan, engine: Engine, progress: Progress
) -> list[ShardScores | Failed]:
    """Score the shards that are not cached, and write the file of each.

    Returns:
        the scores of each shard, or why it cannot be scored (unless ``on_error="stop"``).

    Raises:
        DataError, GraphError, PairError: a shard that cannot be read or scored
            (``on_error="stop"``).
    """
    results = []
    tasks = ((shard, plan) for shard in shards)
    for shard, result in zip(shards, engine.map(score_shard, tasks), strict=True):
        results.append(result)
        progress(shard.src.name, len(shards))
    return results


def score_shard(shard: Shard, plan: ShardPlan) -> ShardScores | Failed:
    """Score one shard unless it is cached, and write its file."""
    pairs = replace(plan.pairs, src=shard.src, tgt=shard.tgt)
    scorers = plan.build()
    ((name, metric),) = scorers.metrics.items()
    try:
        files = (shard.src, shard.tgt, *filter(None, [pairs.notation.lengths]))
        data = " ".join([*map(file_digest, files), f"{pairs.notation} {pairs.ids}"])
        key = cache_key(plan.config, metric, pairs.on_error)
        found = plan.cache.load(data, key)
        if found is None:
            by_metric, warnings, notes = pairs.score(scorers.metrics)
            scored = by_metric[name]
            ratings, numbers = np.full(len(scored), np.nan), np.arange(len(scored))
            found = CellScores(
                *(scored.scores, ratings, numbers, scored.problems, 0.0),
                ids=scored.ids,
                warnings=warnings,
                notes=notes,
            )
            plan.cache.store(data, key, found)
    except (DataError, GraphError, PairError, OSError) as error:
        if pairs.on_error == "stop":
            raise
        text = f"{error.strerror}" if isinstance(error, OSError) else str(error)
        return Failed(str(shard.src), text)
    _write(shard.scores_file, found, plan.format)
    problems = summary(found.problems, len(found.numbers), pairs.on_error)
    return ShardScores(
        found.scores,
        {"missing": count(found.problems, "missing"), "empty": count(found.problems, "empty")},
        [*found.warnings, *(f"{shard.src}: {text}" for text in problems)],
        found.notes,
        found.cached is True,
    )


def _write(path: Path, found: CellScores, format: ShardFormat) -> None:
    texts = {k: str(problem) for k, problem in found.problems.items()}
    numbers, details = found.numbers.tolist(), found.scores.details
    named = {"pair": numbers, "id": found.ids}
    values = {"score": found.scores.values, **details}
    problems = {"problem": [texts.get(k) for k in numbers]}
    with replacing(path) as file:
        if format == "csv":
            columns = {**named, **{name: cells(column) for name, column in values.items()}}
            text = io.TextIOWrapper(file, "utf-8", newline="")
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow({**columns, **problems})
            writer.writerows(zip(*columns.values(), *problems.values(), strict=True))
            text.detach()
        else:
            import pandas as pd  # slow to import

            # Counts are numbers with a fraction too: a missing pair has none, and all shards are
            # alike.
            kinds: dict[str, Any] = dict.fromkeys(("id", "problem"), "string")
            kinds |= {name: float for name, column in details.items() if column.dtype.kind in "iu"}
            frame = pd.DataFrame({**named, **values, **problems})
            frame.astype(kinds).to_parquet(file, index=False)


@dataclass(frozen=True, eq=False)
class ShardResult:
    """The result of all shards.

    Attributes:
        corpus: corpus scores by name.
        intervals: their 95 % intervals; empty if not requested.
        counts: numbers of all pairs and of those that are scored, missing, empty or unproven; of
            shards.
        failed: the shards that could not be scored.
    """

    signature: str
    corpus: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    counts: Mapping[str, int]
    finished_before: int
    failed: tuple[Failed, ...]

    @classmethod
    def of(
        cls,
        metric: Metric,
        results: Sequence[ShardScores | Failed],
        resampling: Resampling | None,
    ) -> ShardResult:
        """Combine the shards, in their order.

        Args:
            resampling: of the intervals; None for none.

        Raises:
            DataError: no pair has a score.
        """
        failed = tuple(result for result in results if isinstance(result, Failed))
        shards = [result for result in results if isinstance(result, ShardScores)]
        scores = join_scores([shard.scores for shard in shards])
        scored = ~np.isnan(scores.values)
        if not scored.any():
            first = f"; the first: {failed[0].src}: {failed[0].problem}" if failed else ""
            raise DataError(f"no pair of {counted(len(results), 'shard')} could be scored{first}")
        pairs, scores = len(scored), scores.take(scored)
        statistics = corpus_statistics(metric)
        intervals = {}
        if resampling is not None:
            drawn = bootstrap_corpus(statistics, [scores], resampling.resamples, resampling.seed)
            intervals = {name: percentile_interval(values[:, 0]) for name, values in drawn.items()}
        optimal = scores.details.get("optimal")
        return cls(
            metric.signature,
            statistics(scores),
            intervals,
            {
                "pairs": pairs,
                "scored": len(scores.values),
                **{name: sum(s.counts[name] for s in shards) for name in ("missing", "empty")},
                "unproven": 0 if optimal is None else int((~optimal.astype(bool)).sum()),
                "shards": len(results),
            },
            sum(shard.finished_before for shard in shards),
            failed,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values, without how many shards were finished before."""
        return {
            "schema": SCHEMA,
            "signature": self.signature,
            "corpus": plain(self.corpus),
            "intervals": plain(self.intervals),
            **self.counts,
            "failed": [failed._asdict() for failed in self.failed],
        }

    def table(self, title: str) -> Table:
        """Return one row per corpus score."""
        rows = [(name, value, self.intervals.get(name)) for name, value in self.corpus.items()]
        scored, pairs, shards = (self.counts[name] for name in ("scored", "pairs", "shards"))
        are = "is" if scored == 1 else "are"
        notes = [
            f"{scored:,} of {counted(pairs, 'pair')} in {counted(shards, 'shard')} {are} scored."
        ]
        if unproven := self.counts["unproven"]:
            notes.append(
                f"{counted(unproven, 'alignment is', 'alignments are')} NOT proven optimal."
            )
        if self.failed:
            notes.append(f"{counted(len(self.failed), 'shard')} could not be read or scored.")
        return Table(title, ("score", "value", "95 %"), tuple(rows), 4, tuple(notes))


def shard_warnings(results: Sequence[ShardScores | Failed]) -> Iterator[str]:
    """Yield warnings about shards, in their order."""
    for result in results:
        if isinstance(result, Failed):
            yield f"the shard {result.src} is left out of every score: {result.problem}"
        else:
            yield from result.warnings


def shard_notes(results: Sequence[ShardScores | Failed]) -> Iterator[str]:
    """Yield the notes on the files of shards, in their order."""
    return (note for shard in results if isinstance(shard, ShardScores) for note in shard.notes)


def check_format(format: ShardFormat) -> None:
    """Check that the packages for a format are installed.

    Raises:
        ConfigError: they are not.
    """
    from metrics.utils.extras import lacking

    if format == "parquet" and (problem := lacking("parquet", "Parquet files")) is not None:
        raise ConfigError(problem)
