"""``score``: score two files of graphs, or several parsers against one gold standard."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bamboo.cli.session import Session, write_file
from bamboo.config.metrics import build_metric
from bamboo.documents import plain
from bamboo.errors import ConfigError
from bamboo.evaluation.aspects import Definition, aspect_rows, aspect_score_table, plan_aspects
from bamboo.evaluation.parsers import (
    ParserResults,
    compare_parsers,
    parser_table,
    per_pair_csv,
    worst_pairs,
    worst_table,
)
from bamboo.evaluation.scoring import SCHEMA, FileScores, Ids, score_files, score_notes, score_table
from bamboo.evaluation.subscores import subscore_rows, subscore_table
from bamboo.pairs.problems import OnError, warn
from bamboo.pairs.reading import Format as GraphFormat
from bamboo.pairs.reading import Notation
from bamboo.running.coverage import coverage_warnings
from bamboo.statistics.resampling import Resampling
from bamboo.tables.model import Format, Table, render
from metrics.base import Metric

LISTED = 100  # more pairs than these are listed only on request: per_pair=FILE or report=csv


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options in ``conf/score.yaml``, except the metric."""

    src: Path | tuple[Path, ...]
    tgt: Path
    format: GraphFormat
    lengths: Path | None
    split_ids: bool
    ids: Ids
    on_error: OnError
    ci: bool
    resamples: int
    seed: int
    aspects: str | tuple[str, ...] | None
    aspects_definition: Definition
    alignment: Literal["multi", "one"]
    frames: Path | None
    worst: int
    per_pair: Path | None
    subscores: bool
    report: Format

    def __post_init__(self) -> None:
        if self.worst < 0:
            raise ConfigError(f"worst={self.worst}: use 0 or more")
        compared = (self.aspects_definition, self.alignment, self.frames)
        if self.aspects is None and compared != ("smatchpp", "multi", None):
            raise ConfigError(
                "aspects_definition, alignment and frames apply to aspect scores only: "
                "also set aspects=all or a list of aspects"
            )
        if len(set(self.parsers)) < len(self.parsers) or not self.parsers:
            raise ConfigError("src: name each file once")

    @property
    def notation(self) -> Notation:
        """The format of the files."""
        return Notation(format=self.format, lengths=self.lengths, split=self.split_ids)

    @property
    def parsers(self) -> tuple[Path, ...]:
        """The files to score."""
        return (self.src,) if isinstance(self.src, Path) else self.src

    @property
    def names(self) -> list[str]:
        """The name of each parser: its file name without the extension if these are distinct."""
        stems = [path.stem for path in self.parsers]
        return stems if len(set(stems)) == len(stems) else [str(path) for path in self.parsers]


def main(session: Session) -> str:
    """Score the files; compare parsers; report."""
    options = session.options(Options)
    resampling = Resampling(options.resamples, options.seed)
    job = session.single_job("score requires exactly one metric, with one value per option")
    metric = build_metric(job.name, job.metric)
    plan = None
    if options.aspects is not None:
        plan = plan_aspects(
            metric,
            options.aspects,
            options.aspects_definition,
            options.alignment,
            options.frames,
        )
    parsers = {
        name: score_files(
            metric, path, options.tgt, options.notation, options.on_error, options.ids
        )
        for name, path in zip(options.names, options.parsers, strict=True)
    }
    _check_scored(parsers)
    _warn(parsers, metric)
    results = compare_parsers(metric, parsers, resampling, options.ci)
    rows = aspect_rows(plan, parsers, resampling, options.ci)
    parts = subscore_rows(metric, parsers, resampling) if options.subscores else []
    worst = worst_pairs(metric, parsers, options.worst)
    if options.per_pair is not None:
        write_file(options.per_pair, per_pair_csv(parsers))
    title = f"{job.name} against {options.tgt}"
    tables: list[Table] = []
    if len(parsers) == 1 and options.per_pair is None and _lists_pairs(parsers, options):
        (file_scores,) = parsers.values()
        tables.append(
            score_table(file_scores, f"{job.name}: {options.parsers[0]} against {options.tgt}")
        )
    if not tables or options.ci or options.report != "csv":
        table = parser_table(results, parsers, title)
        if not tables and len(parsers) == 1 and options.per_pair is None:
            (file_scores,) = parsers.values()
            count = len(file_scores.pairs)
            advice = f"per_pair=FILE writes the scores of all {count:,} pairs to a CSV file"
            table = replace(table, notes=(*score_notes(file_scores), *table.notes, advice))
        tables.append(table)
    tables += [aspect_score_table(rows, plan.note)] if plan is not None and rows else []
    tables += [subscore_table(parts)] if parts else []
    tables += [worst_table(worst)] if worst else []
    documents = []
    for name, path in zip(options.names, options.parsers, strict=True):
        document = _document(name, path, parsers[name], results, options)
        document["aspects_definition"] = None if plan is None else options.aspects_definition
        document["aspects"] = [row.to_json() for row in rows if row.parser == name]
        document["subscores"] = {p.name: p.to_json() for p in parts if p.parser == name}
        document["worst"] = [plain(asdict(pair)) for pair in worst if pair.parser == name]
        documents.append(document)
    if len(documents) == 1:
        return render(tables, options.report, documents[0])
    several = {
        "schema": SCHEMA,
        "signature": metric.signature,
        "tgt": str(options.tgt),
        "parsers": documents,
        "comparisons": results.to_json(),
    }
    return render(tables, options.report, several)


def _lists_pairs(parsers: dict[str, FileScores], options: Options) -> bool:
    """Whether the report has a line per pair: a CSV file always, other reports up to `LISTED`."""
    return options.report == "csv" or all(len(f.pairs) <= LISTED for f in parsers.values())


def _check_scored(parsers: dict[str, FileScores]) -> None:
    """Make sure that every parser has at least one scored pair."""
    for name, file_scores in parsers.items():
        if np.isnan(file_scores.scores.values).all():
            raise ConfigError(
                f"{name}: no pair could be scored; first problem: {file_scores.problems[0]}"
            )


def _warn(parsers: dict[str, FileScores], metric: Metric) -> None:
    """Warn about problems and missing word vectors, which affect the scores."""
    warn(
        f"{name}: {text}"
        for name, file_scores in parsers.items()
        for text in file_scores.warnings()
    )
    covered = {name: file_scores.coverage for name, file_scores in parsers.items()}
    warn(coverage_warnings(covered, dict.fromkeys(parsers, metric.vector_file)))


def _document(
    name: str, path: Path, file_scores: FileScores, results: ParserResults, options: Options
) -> dict[str, Any]:
    """One parser's scores as plain values: the pairs, and the corpus."""
    scores = results.scores[name]
    intervals = results.intervals.get(name, {})
    return {
        **file_scores.to_json(),
        "parser": name,
        "src": str(path),
        "macro": {
            k.removeprefix("macro_"): plain(v) for k, v in scores.items() if k[:6] == "macro_"
        },
        "intervals": plain(intervals),
        "sampling": {"resamples": options.resamples, "seed": options.seed, "level": 0.95},
    }
