"""Score parsers against gold graphs with metrics, and compare them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from bamboo.parsers.analysis import Analysis
from bamboo.parsers.removals import build_removal_scorer, find_removal_effects
from bamboo.parsers.repairs import RepairEffect
from bamboo.parsers.report_data import MetricFacts
from bamboo.parsers.result import Report
from bamboo.parsers.signatures import list_settings
from bamboo.parsers.systems import Comparison, corpus_statistics
from bamboo.progress import progress_bar
from bamboo.scoring.checks import IdCheck, RoleCount, SentenceCheck, drop_option
from bamboo.scoring.chunks import PairChunk, Reading
from bamboo.scoring.extracted import Extracted
from bamboo.scoring.inputs import STDIN
from bamboo.scoring.labels import LabelCount
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
)
from bamboo.scoring.sides import GraphSource, list_files
from bamboo.statistics.resampling import SystemTests

if TYPE_CHECKING:
    from bamboo.scoring.edge_order import OrderCount

Write = Callable[[Mapping[str, Scored]], None]  # receives the scores of each chunk, by metric


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """How parsers are evaluated.

    Attributes:
        ci: 95 % intervals; None: if there are enough pairs.
        tests: how intervals and p-values are computed.
        analyses: what is computed besides the corpus scores.
        headings: the names of the metrics in tables for papers; by default those of the metrics.
    """

    ci: bool | None = False
    tests: SystemTests = field(default_factory=SystemTests)
    analyses: tuple[Analysis, ...] = ()
    headings: Mapping[str, str] = field(default_factory=dict)

    def build_scorers(self, metrics: Mapping[str, Metric], removals: bool = True) -> Scorers:
        """Return what scores pairs: the metrics, and their parts.

        Args:
            removals: also score pairs without what `build_removal_scorer` removes.
        """
        scorers = {}
        for name, metric in metrics.items():
            parts = [build_removal_scorer(metric)] if removals else []
            parts += [analysis.build_scorer(name, metric) for analysis in self.analyses]
            if used := [part for part in parts if part is not None]:
                scorers[name] = partial(_score_parts, used)
        finders = [a.find_mistakes for a in self.analyses if a.find_mistakes is not None]
        return Scorers(metrics, scorers, *finders[:1])


def _score_parts(scorers: Sequence[PartScorer], pairs: Sequence[Pair]) -> Parts:
    return {name: scores for score in scorers for name, scores in score(pairs).items()}


def score_parsers(
    parsers: Mapping[str, GraphSource],
    tgt: GraphSource,
    metrics: Mapping[str, Metric],
    reading: Reading,
    evaluation: Evaluation,
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
    sides: dict[str, ScoredSides] = {}
    scorers = evaluation.build_scorers(metrics, removals=reading.pairs is None)
    count: int | None = None  # of the pairs of every parser, known after the first
    with progress_bar("reading", drawn=False) as bar:
        for parser, src in parsers.items():
            bar.begin("scoring" if len(parsers) == 1 else f"scoring {parser}", unit="pairs")
            sides[parser] = score_sides(
                src,
                tgt,
                scorers,
                reading,
                parser=parser,
                analyses=evaluation.analyses,
                write=None if write is None else partial(write, parser),
                collect=None if collect is None else partial(collect, parser),
                engine=engine,
                progress=partial(bar.reach, amount=count),
            )
            count = len(next(iter(sides[parser].scores.values())))
    scored = {name: {p: side.scores[name] for p, side in sides.items()} for name in metrics}
    paired_by = {p: side.paired_by for p, side in sides.items() if side.paired_by is not None}
    dropped = {role for side in sides.values() for role in side.dropped}
    warnings = dict.fromkeys(text for side in sides.values() for text in side.warnings)
    notes = dict.fromkeys(text for side in sides.values() for text in side.notes)
    notes |= dict.fromkeys(reading.describe_unused_roles(dropped))
    for name, by_parser in scored.items():
        _check_scored(by_parser, name if len(scored) > 1 else None)
    reading = replace(reading, paired_by=tuple(dict.fromkeys(paired_by.values())))
    boards, facts = [], {}
    for name, metric in metrics.items():
        boards.append(_compare(name, metric, scored[name], evaluation))
        facts[name] = describe_metric(name, metric, boards[-1], reading, evaluation)
    findings = {}
    for analysis in evaluation.analyses:
        board, findings[analysis.option] = analysis.collect(metrics, scored)
        boards.append(board)
    effects = tuple(
        effect
        for name, metric in metrics.items()
        for parser, of_parser in scored[name].items()
        for effect in find_removal_effects(
            name, parser, metric, of_parser, Shown(facts[name].times_100)
        )
    )
    inputs = {name: list_files(source) for name, source in {**parsers, "tgt": tgt}.items()}
    report = Report(
        board=Board.join(boards),
        pairs=scored,
        metrics=facts,
        parsers={parser: str(src.path or parser) for parser, src in parsers.items()},
        tgt=str(tgt.path or "tgt"),
        on_error=reading.on_error,
        extract=reading.extract,
        repair=reading.repair,
        tests=evaluation.tests,
        analyses=evaluation.analyses,
        findings=findings,
        effects=effects,
        extracted={p: side.extracted for p, side in sides.items() if side.extracted is not None},
        repaired={p: side.repaired for p, side in sides.items() if side.repaired is not None},
        paired_by=paired_by,
        inputs={side: files for side, files in inputs.items() if files},
        date=datetime.now(UTC).date().isoformat(),
    )
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
    scorers: Scorers,
    reading: Reading,
    *,
    parser: str = "",
    analyses: Sequence[Analysis] = (),
    write: Write | None = None,
    collect: Callable[[PairChunk], None] | None = None,
    engine: Engine = SERIAL,
    progress: Callable[[int], None] = lambda count: None,
) -> ScoredSides:
    """Score the pairs of two sides by each metric; they are read once.

    Args:
        scorers: the metrics, and further scores of pairs.
        parser: the name of the first side, for the analyses.
        analyses: add columns to the pairs and to their scores.
        collect: receives each chunk of pairs, after it has been scored.
        engine: where pairs are scored; they are read here.
        progress: receives the number of pairs that are scored, whenever it has grown.

    Raises:
        GraphError: a file, or a graph of it, that cannot be read.
        DataError: see `bamboo.scoring.chunks.pair_chunks`, `IdCheck` and `SentenceCheck`.
        PairError: a pair that cannot be scored; it names the files.
    """
    names, metrics = (str(src.name), str(tgt.name)), [*scorers.metrics.values()]
    lowest = max((analysis.lowest for analysis in analyses), default=0)
    ids = IdCheck(*names, strict=reading.ids == "check")
    sentences = SentenceCheck(*names)
    roles = RoleCount(
        *names, partial(_is_ignored, metrics), partial(_choose_role_option, metrics, reading)
    )
    labels = LabelCount(*names)
    blanks = None
    if any(part.splits_at_blanks for metric in metrics for part in walk_metrics(metric)):
        from bamboo.scoring.blanks import BlankCount  # few metrics need it

        blanks = BlankCount(*names)
    orders: dict[str, OrderCount] = {}
    for name, metric in scorers.metrics.items():
        if (unordered := metric.without_order) is not None:
            from bamboo.scoring.edge_order import OrderCount  # few metrics need it

            orders[name] = OrderCount(name if len(metrics) > 1 else "", metric, unordered)
    prepared = prepare_scorers(engine, partial(Scorers, *scorers))
    pace, files = Pace(engine, metrics), f"{names[0]} and {names[1]}"

    def look(read: PairChunk, chunk: PairChunk) -> PairChunk:
        if reading.pairs is None:
            labels.add(read.pairs)
        for analysis in analyses:
            chunk = analysis.look(parser, read, chunk)
        return chunk

    def tasks() -> Iterator[Task[PairChunk]]:
        for chunk in reading.chunks(src, tgt, chunk_size(engine)):
            chunk = reading.prepare(chunk, look)
            if reading.pairs is None:
                if reading.ids in ("warn", "check"):
                    ids.add(chunk.src_ids, chunk.tgt_ids, chunk.problems)
                    sentences.add(chunk.first, chunk.pairs, chunk.src_ids, chunk.tgt_ids)
                roles.add(chunk.pairs)
            if blanks is not None:
                blanks.add(chunk.pairs)
            for part in chunk.divided(pace.size):
                yield Task(part, prepared, part.pairs, part.first + np.arange(len(part)), files)
            if reading.is_last(chunk):
                return

    growing: dict[str, GrowingScored] = {}
    unrepaired: dict[str, GrowingScores] = {}
    described_pairs: list[PairColumns] = []
    dropped: set[str] = set()
    for chunk, by_metric in score_tasks(tasks(), reading.on_error, engine, lowest):
        for name, scored in by_metric.items():
            pace.add(name, scored)
            if name in orders and reading.pairs is None:
                orders[name].add(chunk.first, chunk.pairs, scored.scores.values)
        progress(chunk.first + len(chunk))
        dropped |= chunk.dropped
        columns = chunk.columns
        described = {name: replace(scored, pairs=columns) for name, scored in by_metric.items()}
        if chunk.problems:
            described = {
                name: replace(scored, problems=merge_problems(chunk.problems, scored.problems))
                for name, scored in described.items()
            }
        for analysis in analyses:
            described = {name: analysis.mark(scored) for name, scored in described.items()}
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
    notes += [note for order in orders.values() for note in order.notes()]
    notes += labels.notes(_find_sense_option(reading, joined.values()))
    extracted = None if reading.extract is None else Extracted.total(src.extracted)
    repaired = None
    if reading.repair:
        of_metrics = zip(unrepaired.items(), metrics, strict=False)
        unrepaired_scores = {
            name: Scored(scores.finish()).corpus(metric) for (name, scores), metric in of_metrics
        }
        repaired = RepairEffect(Repaired.total(src.repaired), unrepaired_scores)
    return ScoredSides(joined, warnings, notes, dropped, extracted, repaired, src.paired_by)


def _find_sense_option(reading: Reading, scored: Iterable[Scored]) -> str:
    """Return what removes senses or makes them equal; "" if nothing does."""
    if "senses" in reading.drop:
        return "drop=senses"
    return "no-wsd" if any("aspect no-wsd" in of_metric.parts for of_metric in scored) else ""


def _is_ignored(metrics: Sequence[Metric], role: str) -> bool:
    return len(metrics) > 0 and all(metric.ignores(role) for metric in metrics)


def _choose_role_option(metrics: Sequence[Metric], reading: Reading, roles: Sequence[str]) -> str:
    """Return the option that leaves out roles; "" if metrics have none."""
    if len(metrics) == 1 and "ignored" in metrics[0].role_options:
        ignored = metrics[0].role_options["ignored"]
        return f"metric.ignored=[{','.join((*ignored, *roles))}]"
    # `drop` makes plain graphs of those of Chinese AMR and of UMR documents.
    is_dropped = reading.notation.format != "camr" and not reading.notation.documents
    return drop_option(roles) if is_dropped else ""


def _compare(
    name: str, metric: Metric, scored: Mapping[str, Scored], evaluation: Evaluation
) -> Board:
    """Score the parsers on the whole corpus and on its parts, and compare them."""
    ci, analyses = evaluation.ci, evaluation.analyses
    if ci is None:
        ci = min(int(of_parser.present.sum()) for of_parser in scored.values()) > 1
    statistics = corpus_statistics(metric, [share for a in analyses for share in a.shares])
    comparison = Comparison(name, metric, statistics, evaluation.tests, ci)
    whole = {WHOLE: {parser: of_parser.scores for parser, of_parser in scored.items()}}
    corpus = comparison.compare(CORPUS, whole)
    parts = (analysis.compare(comparison, scored) for analysis in analyses)
    return Board.join([corpus, _add_bounds(corpus, metric, scored), *parts])


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
    name: str, metric: Metric, board: Board, reading: Reading, evaluation: Evaluation
) -> MetricFacts:
    """Describe how the scores of a metric were computed."""
    settings = list_settings(name, metric, reading)
    low, high = metric.range
    return MetricFacts(
        signature="|".join([metric.signature, *settings[1:]]),
        settings=settings,
        heading=evaluation.headings.get(name, name),
        # F1, and scores between -1 and 1
        times_100=(low >= -1 and high <= 1) or board.select(kind=CORPUS).main == "f1",
        reference=" ".join(dict.fromkeys(part.reference for part in walk_metrics(metric))),
        analyses=tuple(text for a in evaluation.analyses for text in a.list_settings(name)),
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
