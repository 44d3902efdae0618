"""Score parsers on reference graphs with metrics, and compare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from amr_metrics.base import Metric
from bamboo.engines import SERIAL, Engine
from bamboo.errors import ConfigError, FileNote
from bamboo.evaluation.parsers import (
    check_scored,
    check_sides,
    compare_parsers,
    score_warnings,
    worst_pairs,
)
from bamboo.evaluation.parts import (
    AspectPlan,
    compare_aspects,
    compare_subscores,
    part_scorer,
)
from bamboo.evaluation.report import PairScores, ParserReport
from bamboo.log import warn
from bamboo.pairs.ids import Ids
from bamboo.pairs.notation import Notation
from bamboo.pairs.problems import OnError
from bamboo.pairs.sides import as_path, shown, side_of
from bamboo.scoring.files import FileScores, PairsOfFiles
from bamboo.scoring.per_pair import Write
from bamboo.scoring.pipeline import Scorers
from bamboo.statistics.resampling import SystemTests

if TYPE_CHECKING:
    from bamboo.pairs.sides import Side


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the graphs of two sides are read and paired; see `PairsOfFiles`."""

    notation: Notation = field(default_factory=Notation)
    on_error: OnError = "stop"
    ids: Ids = "warn"
    pairs: Literal["all"] | None = None
    limit: int | None = None

    def of(self, src: Side, parser: str, tgt: Side) -> PairsOfFiles:
        """Return the pairs of a parser and the reference graphs."""
        sides = [
            side_of(side, name, self.notation, self.on_error)
            for side, name in ((src, parser), (tgt, "tgt"))
        ]
        return PairsOfFiles(
            src=sides[0],
            tgt=sides[1],
            notation=self.notation,
            on_error=self.on_error,
            ids=self.ids,
            every=self.pairs == "all",
            limit=self.limit,
        )


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """What is computed besides the corpus scores.

    Attributes:
        ci: 95 % intervals; None: if there are enough pairs.
        tests: how intervals and p-values are computed.
        aspects: which aspects are scored, and how; None for none.
        subscores: the sub-scores of Chinese AMR.
        worst: the number of lowest-scoring pairs.
    """

    ci: bool | None = False
    tests: SystemTests = field(default_factory=SystemTests)
    aspects: AspectPlan | None = None
    subscores: bool = False
    worst: int = 0

    def scorers(self, metrics: Mapping[str, Metric]) -> Scorers:
        """Return what scores pairs: the metrics and, with a single one, its parts."""
        if len(metrics) > 1:
            return Scorers(metrics)
        ((name, metric),) = metrics.items()
        parts = part_scorer(metric, self.aspects, self.subscores)
        return Scorers(metrics, {} if parts is None else {name: parts})


def score_parsers(
    parsers: Mapping[str, Side],
    tgt: Side,
    metrics: Mapping[str, Metric],
    reading: Reading,
    analysis: Analysis,
    engine: Engine = SERIAL,
    write: Write = lambda parser, chunks: None,
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
        DataError, GraphError, PairError: see `PairsOfFiles.score`.
    """
    check_sides([*map(as_path, parsers.values())], as_path(tgt), reading.pairs == "all")
    if len(metrics) > 1:
        _check_several_metrics(len(parsers), analysis)
    scorers = analysis.scorers(metrics)
    scored: dict[str, dict[str, FileScores]] = {name: {} for name in metrics}
    warnings: dict[str, None] = {}
    notes: dict[str, None] = {}
    for parser, src in parsers.items():
        by_metric, of_ids, of_files = reading.of(src, parser, tgt).score(
            metrics,
            scorers.parts,
            analysis.worst,
            partial(write, parser),
            engine,
            partial(analysis.scorers, metrics),
        )
        for name, scores in by_metric.items():
            scored[name][parser] = scores
        warnings |= dict.fromkeys(of_ids)
        notes |= dict.fromkeys(of_files)
    for name, by_parser in scored.items():
        check_scored(by_parser, f"{name}: " if len(scored) > 1 else "")
    warn(warnings)
    warn(notes, FileNote)
    for by_parser in scored.values():
        warn(score_warnings(by_parser))
    return {
        name: _compared(name, metrics[name], by_parser, parsers, tgt, analysis)
        for name, by_parser in scored.items()
    }


def _compared(
    name: str,
    metric: Metric,
    files: Mapping[str, FileScores],
    parsers: Mapping[str, Side],
    tgt: Side,
    analysis: Analysis,
) -> ParserReport:
    named, plan, tests = shown(tgt, "tgt"), analysis.aspects, analysis.tests
    fewest = min(int(np.sum(~np.isnan(scores.scores.values))) for scores in files.values())
    ci = fewest > 1 if analysis.ci is None else analysis.ci
    return ParserReport(
        name,
        named,
        {
            parser: PairScores(name, shown(src, parser), named, files[parser])
            for parser, src in parsers.items()
        },
        compare_parsers(metric, files, tests, ci),
        compare_aspects(metric, files, tests, ci),
        None if plan is None else plan.definition,
        "" if plan is None else plan.note,
        compare_subscores(files, tests),
        worst_pairs(metric, files, analysis.worst),
        tests,
    )


def _check_several_metrics(parsers: int, analysis: Analysis) -> None:
    if parsers > 1:
        raise ConfigError(
            "src: several metrics are shown for one parser: give a single file, or one metric"
        )
    for name in ("aspects", "subscores", "worst"):
        if getattr(analysis, name):
            raise ConfigError(f"{name} needs exactly one metric: choose one with metric=NAME")
