"""Score parsers on reference graphs with metrics, and compare them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from amr_metrics.base import Metric
from bamboo.engines import SERIAL, Engine
from bamboo.errors import ConfigError, FileNote
from bamboo.evaluation.costs import construction_costs
from bamboo.evaluation.pair_scores import PairScores
from bamboo.evaluation.parts import (
    AspectPlan,
    compare_aspects,
    compare_subscores,
    part_scorer,
)
from bamboo.evaluation.report import ParserReport
from bamboo.evaluation.systems import WHOLE, SystemResults, compare_systems, corpus_statistics
from bamboo.log import warn
from bamboo.pairs.checks import IdCheck, RoleCount, SentenceCheck
from bamboo.pairs.chunks import PairChunk, Reading
from bamboo.pairs.problems import combined
from bamboo.pairs.sides import STDIN, GraphSource, as_path, shown
from bamboo.scoring.per_pair import WriteRows
from bamboo.scoring.pipeline import Scorers, Task, chunk_size, prepared, score_tasks
from bamboo.scoring.scored import Scored
from bamboo.statistics.resampling import SystemTests

if TYPE_CHECKING:
    from bamboo.evaluation.worst import WorstPair
    from bamboo.pairs.sides import Side


# Receives the scores of each chunk, by metric, and the position of its first pair.
Write = Callable[[Mapping[str, Scored], int], None]


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """What is computed besides the corpus scores.

    Attributes:
        ci: 95 % intervals; None: if there are enough pairs.
        tests: how intervals and p-values are computed.
        aspects: which aspects are scored, and how; None for none.
        subscores: the sub-scores of Chinese AMR.
        errors: the mistakes of parsers.
        worst: the number of lowest-scoring pairs.
    """

    ci: bool | None = False
    tests: SystemTests = field(default_factory=SystemTests)
    aspects: AspectPlan | None = None
    subscores: bool = False
    errors: bool = False
    worst: int = 0

    def scorers(self, metrics: Mapping[str, Metric]) -> Scorers:
        """Return what scores pairs: the metrics and, with a single one, its parts."""
        if len(metrics) > 1 or not (self.aspects or self.subscores or self.errors):
            return Scorers(metrics)
        ((name, metric),) = metrics.items()
        parts = part_scorer(metric, self.aspects, self.subscores, self.errors)
        return Scorers(metrics, {} if parts is None else {name: parts})


def score_parsers(
    parsers: Mapping[str, Side],
    tgt: Side,
    metrics: Mapping[str, Metric],
    reading: Reading,
    analysis: Analysis,
    engine: Engine = SERIAL,
    write: WriteRows | None = None,
) -> dict[str, ParserReport]:
    """Score parsers with each metric, and compare the parsers.

    Args:
        parsers: the output of each parser, by its name.
        tgt: the reference graphs.
        write: receives the scores of each chunk of pairs.

    Returns:
        a report for each metric.

    Raises:
        ConfigError: options that exclude one another, or a parser without a scored pair.
        DataError, GraphError, PairError: see `score_sides`.
    """
    _check_sides([*map(as_path, parsers.values()), as_path(tgt)], reading.pairs)
    if len(metrics) > 1:
        _check_several_metrics(len(parsers), analysis)
    scored: dict[str, dict[str, Scored]] = {name: {} for name in metrics}
    warnings: dict[str, None] = {}
    notes: dict[str, None] = {}
    for parser, src in parsers.items():
        sides = score_sides(
            *reading.sources(src, parser, tgt),
            partial(analysis.scorers, metrics),
            reading,
            lowest=analysis.worst,
            write=None if write is None else partial(write, parser),
            engine=engine,
        )
        for name, scores in sides.scores.items():
            scored[name][parser] = scores
        warnings |= dict.fromkeys(sides.warnings)
        notes |= dict.fromkeys(sides.notes)
    for name, by_parser in scored.items():
        _check_scored(by_parser, f"{name}: " if len(scored) > 1 else "")
    if notes:
        warn(notes, FileNote)
    names = {parser: shown(src, parser) for parser, src in parsers.items()}
    reports = {
        name: _compared(name, metrics[name], by_parser, names, shown(tgt, "tgt"), reading, analysis)
        for name, by_parser in scored.items()
    }
    missing = [
        f"{parser}: {text}"
        for report in reports.values()
        for parser, of_pairs in report.parsers.items()
        for text in of_pairs.warnings()
    ]
    if warnings or missing:
        warn([*warnings, *missing])
    return reports


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
            name: replace(scored, pairs=chunk.columns) for name, scored in by_metric.items()
        }
        if chunk.problems:
            described = {
                name: replace(scored, problems=combined(chunk.problems, scored.problems))
                for name, scored in described.items()
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


def _compared(
    name: str,
    metric: Metric,
    scored: Mapping[str, Scored],
    parsers: Mapping[str, str],
    tgt: str,
    reading: Reading,
    analysis: Analysis,
) -> ParserReport:
    plan, tests = analysis.aspects, analysis.tests
    ci = analysis.ci
    if ci is None:
        ci = min(int(scores.present.sum()) for scores in scored.values()) > 1
    systems = {parser: scores.scores for parser, scores in scored.items()}
    none = SystemResults([], [], "f1", tests.number)
    worst: Sequence[WorstPair] = ()
    if analysis.worst:
        from bamboo.evaluation.worst import worst_pairs  # slow to import

        worst = worst_pairs(metric, scored, analysis.worst)
    return ParserReport(
        name,
        tgt,
        {
            parser: PairScores(
                name, src, tgt, scores, scores.corpus(metric), metric.signature, reading.on_error
            )
            for (parser, scores), src in zip(scored.items(), parsers.values(), strict=True)
        },
        compare_systems(corpus_statistics(metric), {WHOLE: systems}, tests, ci),
        compare_aspects(metric, scored, tests, ci) if plan is not None else none,
        None if plan is None else plan.definition,
        "" if plan is None else plan.note,
        compare_subscores(scored, tests) if analysis.subscores else none,
        construction_costs(scored, tests) if analysis.errors else None,
        worst,
        tests,
    )


def _check_sides(sides: Sequence[Path | None], pairs: str | None) -> None:
    """Check that several parsers can be compared; the last side is that of the reference graphs."""
    if len(sides) > 2 and STDIN in sides:
        raise ConfigError("-: standard input can be read for a single parser only")
    if len(sides) > 2 and pairs == "all":
        raise ConfigError("pairs=all: give a single src")


def _check_scored(parsers: Mapping[str, Scored], prefix: str) -> None:
    """Check that every parser has at least one scored pair."""
    for name, scored in parsers.items():
        if not scored.present.any():
            reason = next(iter(scored.problems.values()))
            raise ConfigError(f"{prefix}{name}: no pair could be scored; first problem: {reason}")


def _check_several_metrics(parsers: int, analysis: Analysis) -> None:
    if parsers > 1:
        raise ConfigError(
            "src: several metrics are shown for one parser: give a single file, or one metric"
        )
    for name in ("aspects", "subscores", "errors", "worst"):
        if getattr(analysis, name):
            raise ConfigError(f"{name} needs exactly one metric: choose one with metric=NAME")
