"""Score many files, one pair of files (a shard) at a time, with one result for all of them.

A finished shard has two files in a folder: the scores of its pairs, and their sums. The result is
computed from the sums. Work that was interrupted goes on with the shards that are not finished.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bamboo.config.implementation import cache_key
from bamboo.documents import json_text, plain, read_json
from bamboo.engines import Engine
from bamboo.errors import ConfigError, DataError
from bamboo.evaluation.sums import Sums
from bamboo.evaluation.systems import corpus_statistics
from bamboo.pairs.inputs import input_files
from bamboo.pairs.problems import count
from bamboo.results.table import Table
from bamboo.scoring.files import FileScores, PairsOfFiles
from bamboo.scoring.pipeline import Scorers
from bamboo.statistics.resampling import Resampling
from metrics.base import Metric
from metrics.errors import GraphError, PairError
from metrics.utils.array_files import read_arrays, write_arrays
from metrics.utils.digests import file_digest
from metrics.utils.files import replacing
from metrics.utils.text import counted

SCHEMA = 1
COUNTS = ("pairs", "missing", "empty", "unproven")
FORM = "shard 1"  # part of the key; increase the number when the content of the files changes
ShardFormat = Literal["csv", "parquet"]
Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class Shard:
    """Two files that are scored together, and the names of the files with the results."""

    number: int
    src: Path
    tgt: Path
    pairs_file: Path
    sums_file: Path


@dataclass(frozen=True)
class Failed:
    """A shard that cannot be read or scored."""

    src: str
    problem: str


@dataclass(frozen=True, eq=False)
class ShardScores:
    """What is kept of a shard.

    Attributes:
        sums: over the pairs that have a score.
        counts: the number of pairs; of those that are missing or count as an empty parse; of
            alignments that are not proven optimal (`COUNTS`).
        warnings: warnings about ids and pairs.
        notes: what a reader of the scores should know about the files.
        finished_before: whether the shard was scored by an earlier command.
    """

    sums: Sums
    counts: Mapping[str, int]
    warnings: tuple[str, ...]
    notes: tuple[str, ...] = ()
    finished_before: bool = False


@dataclass(frozen=True, kw_only=True)
class ShardPlan:
    """How shards are scored.

    Attributes:
        name: the name of the metric.
        config: its configuration, which is part of the key of finished shards.
        build: builds the metric, in another process too.
        pairs: how the files are read; their names are replaced by those of each shard.
        resampling: of the intervals; None for none.
        format: of the files with the scores of pairs.
    """

    name: str
    config: Mapping[str, Any]
    build: Callable[[], Scorers]
    pairs: PairsOfFiles
    resampling: Resampling | None
    format: ShardFormat

    def key(self, metric: Metric) -> str:
        """What the scores of a shard depend on, except the content of its files."""
        settings = (
            *(FORM, cache_key(self.config, metric, self.pairs.on_error), self.format),
            *(repr(self.pairs.notation), self.pairs.ids, repr(self.resampling)),
        )
        return hashlib.sha256("\n".join(settings).encode()).hexdigest()


def find_shards(
    src: Path, tgt: Path, plan: ShardPlan, folder: Path
) -> tuple[list[Shard], list[str]]:
    """The shards of two patterns or folders: file k of one with file k of the other, by name.

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
    shards = []
    for k, (a, b) in enumerate(zip(*sides, strict=True)):
        name = f"{k:06d}-{a.name.removesuffix('.gz')}"
        shards.append(Shard(k, a, b, folder / f"{name}.{plan.format}", folder / f"{name}.sums.npz"))
    return shards, [note for _, notes in found for note in notes]


def score_shards(
    shards: Sequence[Shard], plan: ShardPlan, engine: Engine, progress: Progress
) -> list[ShardScores | Failed]:
    """Score the shards that are not finished.

    Returns:
        the sums of each shard, or why it cannot be scored (unless ``on_error="stop"``).

    Raises:
        DataError, GraphError, PairError: a shard that cannot be read or scored
            (``on_error="stop"``).
        ConfigError: a metric whose corpus scores do not follow from sums.
    """
    results = []
    for shard, result in zip(
        shards, engine.map(score_shard, ((shard, plan) for shard in shards)), strict=True
    ):
        results.append(result)
        progress(shard.src.name, len(shards))
    return results


def score_shard(shard: Shard, plan: ShardPlan) -> ShardScores | Failed:
    """Score one shard and write its files, unless they exist and belong to the same data."""
    scorers = plan.build()
    ((name, metric),) = scorers.metrics.items()
    pairs = replace(plan.pairs, src=shard.src, tgt=shard.tgt)
    try:
        digests = [file_digest(path) for path in (shard.src, shard.tgt)]
        key = "\n".join((plan.key(metric), *digests))
        known = _finished(shard, key)
        if known is not None:
            return known
        scores, warnings, notes = pairs.score(scorers.metrics)
    except (DataError, GraphError, PairError, OSError) as error:
        if plan.pairs.on_error == "stop":
            raise
        text = f"{error.strerror}" if isinstance(error, OSError) else str(error)
        return Failed(str(shard.src), text)
    files = scores[name]
    result = replace(_summed(plan, shard, metric, files, warnings), notes=tuple(notes))
    with replacing(shard.pairs_file) as file:
        (_write_parquet if plan.format == "parquet" else _write_csv)(file, files)
    _write_sums(shard, key, result)
    return result


def _summed(
    plan: ShardPlan, shard: Shard, metric: Metric, files: FileScores, warnings: Sequence[str]
) -> ShardScores:
    """The sums of a shard's scores."""
    scored = files.scores.take(~np.isnan(files.scores.values))
    resampling = plan.resampling
    rng = np.random.default_rng([0 if resampling is None else resampling.seed, shard.number])
    sums = Sums.of(scored, 0 if resampling is None else resampling.resamples, rng)
    statistics = corpus_statistics(metric)
    if sums.count:
        sums.check(statistics, scored, plan.name)
    optimal = scored.details.get("optimal")
    counts = (
        len(files),
        count(files.problems, "missing"),
        count(files.problems, "empty"),
        0 if optimal is None else int((~optimal.astype(bool)).sum()),
    )
    return ShardScores(
        sums,
        dict(zip(COUNTS, counts, strict=True)),
        (*warnings, *(f"{shard.src}: {text}" for text in files.warnings())),
    )


def _columns(files: FileScores) -> dict[str, Sequence[Any]]:
    return {**files.columns(), "problem": files.problem_texts()}


def _write_csv(file: Any, files: FileScores) -> None:
    columns = _columns(files)
    text = io.TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    text.detach()


def _write_parquet(file: Any, files: FileScores) -> None:
    import pyarrow
    import pyarrow.parquet

    flags = {name for name, column in files.scores.details.items() if column.dtype == bool}
    kinds = dict.fromkeys(("id", "problem"), pyarrow.string()) | {"pair": pyarrow.int64()}
    kinds |= dict.fromkeys(flags, pyarrow.bool_())
    # Counts are numbers with a fraction too: a missing pair has none, and all shards are alike.
    columns = {
        name: pyarrow.array(column, kinds.get(name, pyarrow.float64()))
        for name, column in _columns(files).items()
    }
    pyarrow.parquet.write_table(pyarrow.table(columns), file)


def _write_sums(shard: Shard, key: str, result: ShardScores) -> None:
    about = {
        "key": key,
        "pairs_file": file_digest(shard.pairs_file),
        "columns": result.sums.columns,
        "flags": dict(result.sums.flags),
        "warnings": result.warnings,
        "notes": result.notes,
        **result.counts,
    }
    arrays = {"totals": result.sums.totals, "resampled": result.sums.resampled}
    with replacing(shard.sums_file) as file:
        write_arrays(file, {"about": np.array(json_text(about)), **arrays}, compress=False)


def _finished(shard: Shard, key: str) -> ShardScores | None:
    """What is kept of a finished shard; None if it is to be scored (again)."""
    try:
        arrays = read_arrays(shard.sums_file)
        about = read_json(str(arrays["about"]))
        if about["key"] != key or about["pairs_file"] != file_digest(shard.pairs_file):
            return None
        columns, flags = tuple(about["columns"]), dict(about["flags"])
        sums = Sums(columns, arrays["totals"], arrays["resampled"], flags)
        return ShardScores(
            sums,
            {name: about[name] for name in COUNTS},
            tuple(about["warnings"]),
            tuple(about.get("notes", ())),  # earlier versions did not keep them
            finished_before=True,
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None  # not finished, or damaged


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
    def of(cls, metric: Metric, results: Sequence[ShardScores | Failed]) -> ShardResult:
        """Combine the shards, in their order.

        Raises:
            DataError: no pair has a score.
        """
        failed = tuple(result for result in results if isinstance(result, Failed))
        scored = [result for result in results if isinstance(result, ShardScores)]
        if not any(result.sums.count for result in scored):
            first = f"; the first: {failed[0].src}: {failed[0].problem}" if failed else ""
            raise DataError(f"no pair of {counted(len(results), 'shard')} could be scored{first}")
        sums = Sums.added([result.sums for result in scored])
        statistics = corpus_statistics(metric)
        total = {name: sum(result.counts[name] for result in scored) for name in COUNTS}
        pairs = total.pop("pairs")
        return cls(
            metric.signature,
            sums.corpus(statistics),
            sums.intervals(statistics),
            {"pairs": pairs, "scored": sums.count, **total, "shards": len(results)},
            sum(result.finished_before for result in scored),
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
            "failed": [{"src": one.src, "problem": one.problem} for one in self.failed],
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
    """Warnings about shards, in their order."""
    for result in results:
        if isinstance(result, Failed):
            yield f"the shard {result.src} is left out of every score: {result.problem}"
        else:
            yield from result.warnings


def shard_notes(results: Sequence[ShardScores | Failed]) -> Iterator[str]:
    """Notes on the files of shards, in their order."""
    for result in results:
        if isinstance(result, ShardScores):
            yield from result.notes


def check_format(format: ShardFormat) -> None:
    """Check that the packages for a format are installed.

    Raises:
        ConfigError: they are not.
    """
    from metrics.utils.extras import lacking

    if format == "parquet" and (problem := lacking("parquet", "Parquet files")) is not None:
        raise ConfigError(problem)
