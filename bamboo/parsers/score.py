"""Score parsers against gold graphs with metrics, and compare them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from amr_metrics.base import Metric, Pair
from amr_metrics.building import walk_metrics
from bamboo.board import CORPUS, NAN, WHOLE, Board
from bamboo.display.shown import Shown
from bamboo.engines import SERIAL, Engine
from bamboo.errors import ConfigError, FileNote
from bamboo.log import warn
from bamboo.parsers.parts import (
    AspectPlan,
    compare_aspects,
    compare_subscores,
    part_scorer,
)
from bamboo.parsers.removals import RemovalEffect, build_removal_scorer, find_removal_effects
from bamboo.parsers.repairs import RepairEffect
from bamboo.parsers.result import MetricFacts, Report
from bamboo.parsers.signatures import list_settings
from bamboo.parsers.systems import compare_systems, corpus_statistics
from bamboo.progress import progress_bar
from bamboo.scoring.checks import IdCheck, RoleCount, SentenceCheck, drop_option
from bamboo.scoring.chunks import Flagged, PairChunk, Reading, format_flags
from bamboo.scoring.exact import mark_exact
from bamboo.scoring.extracted import Extracted
from bamboo.scoring.inputs import STDIN
from bamboo.scoring.per_pair import WriteRows
from bamboo.scoring.pipeline import (
    Pace,
    Parts,
    PartScorer,
    Scorers,
    Task,
    chunk_size,
    prepare_scorers,
    score_tasks,
    score_without,
)
from bamboo.scoring.problems import merge_problems
from bamboo.scoring.repaired import Repaired
from bamboo.scoring.scored import (
    GrowingScored,
    GrowingScores,
    PairColumns,
    Scored,
    collect_mistakes,
)
from bamboo.scoring.sides import GraphSource, list_files
from bamboo.statistics.resampling import SystemTests

if TYPE_CHECKING:
    from bamboo.parsers.worst import WorstPair
    from bamboo.scoring.buckets import Grouping
    from bamboo.scoring.validity import ValidityCheck


Write = Callable[[Mapping[str, Scored]], None]  # receives the scores of each chunk, by metric


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """What is computed besides the corpus scores.

    Attributes:
        ci: 95 % intervals; None: if there are enough pairs.
        tests: how intervals and p-values are computed.
        aspects: which aspects are scored, and how, by metric.
        subscores: the sub-scores of Chinese AMR.
        errors: the mistakes of parsers.
        worst: the number of lowest-scoring pairs.
        by: the buckets of pairs; None for none.
        exact: the share of pairs whose graphs match completely.
        validity: the flags of graphs; None for none.
        headings: the names of the metrics in tables for papers; by default those of the metrics.
    """

    ci: bool | None = False
    tests: SystemTests = field(default_factory=SystemTests)
    aspects: Mapping[str, AspectPlan] = field(default_factory=dict)
    subscores: bool = False
    errors: bool = False
    worst: int = 0
    by: Grouping | None = None
    exact: bool = False
    validity: ValidityCheck | None = None
    headings: Mapping[str, str] = field(default_factory=dict)

    def scorers(self, metrics: Mapping[str, Metric], removals: bool = True) -> Scorers:
        """Return what scores pairs: the metrics, and their parts.

        Args:
            removals: also score pairs without what `build_removal_scorer` removes.

        Raises:
            ConfigError: see `part_scorer`; `errors` with a metric that does not align triples.
        """
        scorers = {}
        for name, metric in metrics.items():
            parts = [build_removal_scorer(metric)] if removals else []
            if name in self.aspects or self.subscores:
                parts.append(part_scorer(metric, self.aspects.get(name), self.subscores))
            if any(parts):
                scorers[name] = partial(_score_parts, [part for part in parts if part is not None])
        if not self.errors:
            return Scorers(metrics, scorers)
        from bamboo.parsers.mistakes import explains_triples, find_mistakes  # slow to import

        if not all(map(explains_triples, metrics.values())):
            raise ConfigError(
                "errors needs a metric that aligns triples, such as metric=smatch_1.0"
            )
        return Scorers(metrics, scorers, find_mistakes)


def _score_parts(scorers: Sequence[PartScorer], pairs: Sequence[Pair]) -> Parts:
    return {name: scores for score in scorers for name, scores in score(pairs).items()}


def score_parsers(
    parsers: Mapping[str, GraphSource],
    tgt: GraphSource,
    metrics: Mapping[str, Metric],
    reading: Reading,
    analysis: Analysis,
    engine: Engine = SERIAL,
    write: WriteRows | None = None,
    collect: Callable[[str, PairChunk], None] | None = None,
) -> Report:
    """Score parsers with each metric, and compare the parsers.

    Args:
        parsers: the output of each parser, by its name.
        tgt: the gold graphs.
        write: receives the scores of each chunk of pairs.
        collect: receives a parser and a chunk of its pairs, after they have been scored.

    Raises:
        ConfigError: options that exclude one another, or a parser without a scored pair.
        DataError, GraphError, PairError: see `score_sides`.
    """
    _check_sides([*parsers.values(), tgt], reading.pairs)
    scored: dict[str, dict[str, Scored]] = {name: {} for name in metrics}
    warnings: dict[str, None] = {}
    notes: dict[str, None] = {}
    dropped: set[str] = set()
    extracted: dict[str, Extracted] = {}
    repaired: dict[str, RepairEffect] = {}
    paired_by: dict[str, str] = {}
    count: int | None = None  # of the pairs of every parser, known after the first
    with progress_bar("reading", drawn=False) as bar:
        for parser, src in parsers.items():
            bar.begin("scoring" if len(parsers) == 1 else f"scoring {parser}", unit="pairs")
            of_parser = score_sides(
                src,
                tgt,
                partial(analysis.scorers, metrics, removals=reading.pairs is None),
                reading,
                metrics=[*metrics.values()],
                lowest=analysis.worst,
                by=analysis.by,
                exact=analysis.exact,
                find_flags=None
                if analysis.validity is None
                else partial(analysis.validity.add, parser),
                write=None if write is None else partial(write, parser),
                collect=None if collect is None else partial(collect, parser),
                engine=engine,
                progress=partial(bar.reach, amount=count),
            )
            for name, scores in of_parser.scores.items():
                scored[name][parser], count = scores, len(scores)
            warnings |= dict.fromkeys(of_parser.warnings)
            notes |= dict.fromkeys(of_parser.notes)
            dropped |= of_parser.dropped
            if of_parser.extracted is not None:
                extracted[parser] = of_parser.extracted
            if of_parser.repaired is not None:
                repaired[parser] = of_parser.repaired
            if of_parser.paired_by is not None:
                paired_by[parser] = of_parser.paired_by
    notes |= dict.fromkeys(reading.describe_unused_roles(dropped))
    for name, by_parser in scored.items():
        _check_scored(by_parser, name if len(scored) > 1 else None)
    reading = replace(reading, paired_by=tuple(dict.fromkeys(paired_by.values())))
    boards, facts = {}, {}
    for name, metric in metrics.items():
        boards[name] = _compare(name, metric, scored[name], analysis)
        facts[name] = describe_metric(name, metric, boards[name], reading, analysis)
    report = _build_report(parsers, tgt, metrics, facts, scored, boards, reading, analysis)
    report = replace(report, extracted=extracted, repaired=repaired, paired_by=paired_by)
    notes |= dict.fromkeys(
        effect.note(report.parsers[effect.parser], report.tgt) for effect in report.effects
    )
    if notes:
        warn(notes, FileNote)
    missing = [text for parser in parsers for text in _list_missing(report, parser)]
    uncounted = [
        text for name, metric in metrics.items() for text in _find_uncounted(metric, scored[name])
    ]
    if warnings or missing or uncounted:
        warn([*warnings, *missing, *uncounted])
    return report


def _list_missing(report: Report, parser: str) -> Iterator[str]:
    """Yield warnings about pairs of a parser that could not be read or scored.

    They name the metric if the metrics left out different pairs.
    """
    of_metrics = {name: report.warnings(name, parser) for name in report.metrics}
    first, *others = of_metrics.values()
    if all(texts == first for texts in others):
        yield from (f"{parser}: {text}" for text in first)
    else:
        for name, texts in of_metrics.items():
            yield from (f"{parser} ({name}): {text}" for text in texts)


class ScoredSides(NamedTuple):
    """The scores of the pairs of two sides.

    Attributes:
        scores: by metric.
        warnings: about ids.
        notes: on the files.
        dropped: the roles that were removed from some graph.
        extracted: what stood around the graphs of the first side; None unless they were extracted.
        repaired: what repairs changed; None if there were none to be made.
        paired_by: the field by whose ids rows were paired; None if they were not.
    """

    scores: dict[str, Scored]
    warnings: list[str]
    notes: list[str]
    dropped: set[str]
    extracted: Extracted | None = None
    repaired: RepairEffect | None = None
    paired_by: str | None = None


def score_sides(
    src: GraphSource,
    tgt: GraphSource,
    build: Callable[[], Scorers],
    reading: Reading,
    *,
    metrics: Sequence[Metric] = (),
    lowest: int = 0,
    by: Grouping | None = None,
    exact: bool = False,
    find_flags: Callable[[PairChunk], tuple[Flagged, Flagged]] | None = None,
    write: Write | None = None,
    collect: Callable[[PairChunk], None] | None = None,
    engine: Engine = SERIAL,
    progress: Callable[[int], None] = lambda count: None,
) -> ScoredSides:
    """Score the pairs of two sides by each metric; they are read once.

    Args:
        build: returns the metrics, also in other processes.
        metrics: the same metrics, for notes on what changes their scores.
        lowest: of how many pairs with the lowest scores to keep the graphs.
        by: adds a column with the bucket of each pair.
        exact: adds a column that says which pairs match completely.
        find_flags: adds columns with the flags of both graphs.
        collect: receives each chunk of pairs, after it has been scored.
        engine: where pairs are scored; they are read here.
        progress: receives the number of pairs that are scored, whenever it has grown.

    Raises:
        GraphError: a file, or a graph of it, that cannot be read.
        DataError: see `bamboo.scoring.chunks.pair_chunks`, `IdCheck` and `SentenceCheck`.
        PairError: a pair that cannot be scored; it names the files.
    """
    names = str(src.name), str(tgt.name)
    ids = IdCheck(*names, strict=reading.ids == "check")
    sentences = SentenceCheck(*names)
    roles = RoleCount(
        *names, partial(_is_ignored, metrics), partial(_choose_role_option, metrics, reading)
    )
    blanks = None
    if any(part.splits_at_blanks for metric in metrics for part in walk_metrics(metric)):
        from bamboo.scoring.blanks import BlankCount  # few metrics need it

        blanks = BlankCount(*names)
    scorers, pace = prepare_scorers(engine, build), Pace(engine, metrics)
    files = f"{names[0]} and {names[1]}"

    def tasks() -> Iterator[Task[PairChunk]]:
        for chunk in reading.chunks(src, tgt, chunk_size(engine)):
            chunk = reading.prepare(chunk, find_flags)
            if reading.pairs is None:
                if reading.ids in ("warn", "check"):
                    ids.add(chunk.src_ids, chunk.tgt_ids, chunk.problems)
                    sentences.add(chunk.first, chunk.pairs, chunk.src_ids, chunk.tgt_ids)
                roles.add(chunk.pairs)
            if blanks is not None:
                blanks.add(chunk.pairs)
            for part in chunk.divided(pace.size):
                yield Task(part, scorers, part.pairs, part.first + np.arange(len(part)), files)
            if reading.is_last(chunk):
                return

    growing: dict[str, GrowingScored] = {}
    unrepaired: dict[str, GrowingScores] = {}
    described_pairs: list[PairColumns] = []
    dropped: set[str] = set()
    for chunk, by_metric in score_tasks(tasks(), reading.on_error, engine, lowest):
        for name, scored in by_metric.items():
            pace.add(name, scored)
        progress(chunk.first + len(chunk))
        dropped |= chunk.dropped
        columns = chunk.columns
        if by is not None:
            buckets = by.column(chunk.pairs, columns.ids, chunk.file)
            columns = replace(columns, bucket_name=by.name, buckets=buckets)
        if chunk.flags is not None:
            src_flags, tgt_flags = (format_flags(side, len(chunk)) for side in chunk.flags)
            columns = replace(columns, src_flags=src_flags, tgt_flags=tgt_flags)
        described = {name: replace(scored, pairs=columns) for name, scored in by_metric.items()}
        if chunk.problems:
            described = {
                name: replace(scored, problems=merge_problems(chunk.problems, scored.problems))
                for name, scored in described.items()
            }
        if exact:
            described = {name: mark_exact(scored) for name, scored in described.items()}
        if write is not None:
            write(described)
        if collect is not None:
            collect(chunk)
        described_pairs.append(columns.shrink())
        for name, scored in described.items():
            growing.setdefault(name, GrowingScored(lowest)).add(scored)
        if reading.repair:
            positions = np.array(sorted(chunk.repaired), np.int64)
            for (name, scored), metric in zip(by_metric.items(), metrics, strict=False):
                without = score_without(
                    metric, chunk.pairs, scored.scores, positions, reading.on_error
                )
                unrepaired.setdefault(name, GrowingScores()).add(without)
    notes = [*dict.fromkeys([*src.list_notes(), *tgt.list_notes()]), *roles.notes()]
    notes += [] if blanks is None else blanks.notes()
    warnings = [*src.warnings, *tgt.warnings]
    # Gold graphs made by a program seldom have ids: that is no reason for a warning.
    if not warnings and not tgt.is_anonymous:
        warnings = ids.warnings()
    pairs = PairColumns.concatenate(described_pairs)
    joined = {name: scores.finish(pairs) for name, scores in growing.items()}
    extracted = None if reading.extract is None else Extracted.total(src.extracted)
    repaired = None
    if reading.repair:
        of_metrics = zip(unrepaired.items(), metrics, strict=False)
        unrepaired_scores = {
            name: Scored(scores.finish()).corpus(metric) for (name, scores), metric in of_metrics
        }
        repaired = RepairEffect(Repaired.total(src.repaired), unrepaired_scores)
    return ScoredSides(joined, warnings, notes, dropped, extracted, repaired, src.paired_by)


def _is_ignored(metrics: Sequence[Metric], role: str) -> bool:
    return len(metrics) > 0 and all(metric.ignores(role) for metric in metrics)


def _choose_role_option(metrics: Sequence[Metric], reading: Reading, roles: Sequence[str]) -> str:
    """Return the option that leaves out roles; "" if metrics have none."""
    ignored: Sequence[str] | None = getattr(metrics[0], "ignored", None) if metrics else None
    if ignored is not None and len(metrics) == 1:
        return f"metric.ignored=[{','.join((*ignored, *roles))}]"
    # `drop` makes plain graphs of those of Chinese AMR and of UMR documents.
    is_dropped = reading.notation.format != "camr" and not reading.notation.documents
    return drop_option(roles) if is_dropped else ""


def _build_report(
    parsers: Mapping[str, GraphSource],
    tgt: GraphSource,
    metrics: Mapping[str, Metric],
    facts: Mapping[str, MetricFacts],
    scored: Mapping[str, Mapping[str, Scored]],
    boards: Mapping[str, Board],
    reading: Reading,
    analysis: Analysis,
) -> Report:
    """Describe how the parsers were scored.

    Args:
        facts, scored, boards: how scores were computed, the scores of the pairs, and those of the
            parsers, by metric.
    """
    effects: list[RemovalEffect] = []
    for name, metric in metrics.items():
        style = Shown(facts[name].times_100)
        for parser, of_parser in scored[name].items():
            effects += find_removal_effects(name, parser, metric, of_parser, style)
    worst: Sequence[WorstPair] = ()
    if analysis.worst:
        from bamboo.parsers.worst import worst_pairs  # slow to import

        ((name, metric),) = metrics.items()
        worst = worst_pairs(metric, scored[name], analysis.worst)
    validity, flags = None, Board()
    if (check := analysis.validity) is not None:
        from bamboo.parsers.validity import ReportValidity, build_flag_board

        frames = "" if check.frames is None else check.frames.label
        of_parsers = {name: check.collect(name) for name in parsers}
        validity = ReportValidity(of_parsers, check.collect(None), frames)
        flags = build_flag_board(validity)
    inputs = {name: list_files(source) for name, source in {**parsers, "tgt": tgt}.items()}
    return Report(
        board=Board.join([*boards.values(), flags]),
        pairs=scored,
        metrics=facts,
        parsers={parser: str(src.path or parser) for parser, src in parsers.items()},
        tgt=str(tgt.path or "tgt"),
        on_error=reading.on_error,
        extract=reading.extract,
        repair=reading.repair,
        tests=analysis.tests,
        by=None if analysis.by is None else analysis.by.name,
        worst=tuple(worst),
        validity=validity,
        effects=tuple(effects),
        inputs={side: files for side, files in inputs.items() if files},
        date=datetime.now(UTC).date().isoformat(),
    )


def _compare(name: str, metric: Metric, scored: Mapping[str, Scored], analysis: Analysis) -> Board:
    """Score the parsers on the whole corpus and on its parts, and compare them."""
    tests, ci = analysis.tests, analysis.ci
    if ci is None:
        ci = min(int(of_parser.present.sum()) for of_parser in scored.values()) > 1
    systems = {WHOLE: {parser: of_parser.scores for parser, of_parser in scored.items()}}
    boards = [compare_systems(name, CORPUS, corpus_statistics(metric), systems, tests, ci)]
    boards.append(_add_bounds(boards[0], metric, scored))
    if name in analysis.aspects:
        boards.append(compare_aspects(name, metric, scored, tests, ci))
    if analysis.by is not None:
        from bamboo.parsers.buckets import compare_buckets

        boards.append(compare_buckets(name, metric, scored, analysis.by, tests, ci))
    if analysis.subscores:
        boards.append(compare_subscores(name, scored, tests))
    if analysis.errors:
        from bamboo.parsers.costs import compute_costs  # slow to import

        boards.append(compute_costs(name, collect_mistakes(scored), tests))
    return Board.join(boards)


def _find_uncounted(metric: Metric, scored: Mapping[str, Scored]) -> Iterator[str]:
    """Yield a warning for each parser if no graph of both sides has a role that counts."""
    for parser, of_parser in scored.items() if getattr(metric, "only", ()) else ():
        details = of_parser.scores.details
        if not any(np.nansum(details[name]) for name in ("src_total", "tgt_total")):
            yield (
                f"{parser}: neither these graphs nor the gold graphs have a role of "
                "metric.only: there is nothing to compare, and all scores are 1. Roles are "
                "written as in the graphs, such as :ARG0"
            )


def _add_bounds(board: Board, metric: Metric, scored: Mapping[str, Scored]) -> Board:
    """Return the corpus scores that do not follow from sums: bounds of unproven alignments."""
    rows = []
    for (_, _, run, parser), by_name in board.rows.items():
        row = next(iter(by_name.values()))
        of_run = scored.get(run or parser)  # several runs have bounds each
        bounds = {} if of_run is None else of_run.corpus(metric)
        rows += [
            row._replace(score=score, value=value, low=NAN, high=NAN)
            for score, value in bounds.items()
            if score not in by_name
        ]
    return Board(tuple(rows))


def describe_metric(
    name: str, metric: Metric, board: Board, reading: Reading, analysis: Analysis
) -> MetricFacts:
    """Describe how the scores of a metric were computed."""
    settings = list_settings(name, metric, reading)
    low, high = metric.range
    return MetricFacts(
        signature="|".join([metric.signature, *settings[1:]]),
        settings=settings,
        heading=analysis.headings.get(name, name),
        # F1, and scores between -1 and 1
        times_100=(low >= -1 and high <= 1) or board.select(kind=CORPUS).main == "f1",
        reference=" ".join(dict.fromkeys(part.reference for part in walk_metrics(metric))),
        aspects=analysis.aspects.get(name),
    )


def _check_sides(sides: Sequence[GraphSource], pairs: str | None) -> None:
    """Check that several parsers can be compared; the last side is that of the gold graphs."""
    if len(sides) > 2 and any(side.path == STDIN for side in sides):
        raise ConfigError("-: standard input can be read for a single parser only")
    if len(sides) > 2 and pairs == "all":
        raise ConfigError("pairs=all: give a single src")


def _check_scored(parsers: Mapping[str, Scored], metric: str | None) -> None:
    """Check that every parser has a scored pair; one of several metrics needs a single parser.

    Args:
        metric: the name of the metric; None if it is the only one.
    """
    failed = {name: scored for name, scored in parsers.items() if not scored.present.any()}
    if failed and (metric is None or len(failed) == len(parsers)):
        name, scored = next(iter(failed.items()))
        reason = next(iter(scored.problems.values()))
        prefix = "" if metric is None else f"{metric}: "
        raise ConfigError(f"{prefix}{name}: no pair could be scored; first problem: {reason}")
