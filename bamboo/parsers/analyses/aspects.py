"""Scores of parts of graphs: aspects of meaning, and the sub-scores of Chinese AMR."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

import numpy as np

from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.errors import PairError
from amr_metrics.options import select_names
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.f1 import micro_average
from bamboo.board import Board
from bamboo.display.shown import Shown
from bamboo.display.table import Table
from bamboo.errors import ConfigError
from bamboo.log import warn
from bamboo.parsers.analysis import ONE_METRIC, Analysis
from bamboo.parsers.layout import (
    Key,
    choose_scores,
    choose_versus,
    describe_tests,
    lay_out,
    tabulate_parts,
)
from bamboo.parsers.report_data import ReportData
from bamboo.parsers.systems import Comparison, mark_empty
from bamboo.scoring.chunks import Reading
from bamboo.scoring.pipeline import Parts, PartScorer
from bamboo.scoring.scored import Scored

if TYPE_CHECKING:  # `amr_metrics.aspects` is slow to import, and most scores have no aspects
    from amr_metrics.aspects import AspectScores

Definition = Literal["smatchpp", "smatchpp-paper", "amrlib", "amr-evaluation"]
PAPER = "smatchpp-paper"  # the aspects of Smatch++ with compression, as in its paper
SMATCHPP = ("smatchpp", PAPER)
OF_DOCUMENTS = "parts of the score of documents"
CHUNK = 1000  # pairs whose parts are scored at a time
ASPECT, SUBSCORE = "aspect ", "subscore "  # begin the names of parts
MEANINGS = {
    "CA": "concept alignment",
    "RA": "relation alignment",
    "IC": "implicit concepts",
}


class AspectPlan(NamedTuple):
    """How aspects are scored.

    Attributes:
        score: a function that scores pairs and returns one entry per aspect.
        note: one line that says how aspects are compared.
        definition: whose aspects they are; None for parts of the score of documents.
        options: for signatures: those that differ from the defaults, and whether descriptions of
            frames were used, since the smatchpp package always uses them.
    """

    score: Callable[[Sequence[Pair]], Sequence[AspectScores]]
    note: str
    definition: Definition | None
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Aspects(Analysis):
    """The scores of aspects of meaning.

    Attributes:
        names: the names of the aspects, or ``all``.
        definition: whose aspects they are; None for the first that a metric supports.
        alignment, frames: see `plan_aspects`.
        shares_frames: whether `frames` are for another analysis if the definition has no use for
            them.
        plans: how they are scored, by metric, when this is known.

    Raises:
        ConfigError: options without `names`.
    """

    option = "aspects"
    on_pages = True

    names: str | Sequence[str]
    definition: Definition | None = None
    alignment: str = "multi"
    frames: Path | None = None
    shares_frames: bool = False
    plans: Mapping[str, AspectPlan] = field(default_factory=dict)

    def plan(self, metrics: Mapping[str, Metric], reading: Reading) -> Self:
        """Plan the aspects of each metric that has some; see `plan_aspects`."""
        definition = self.definition or choose_definition(metrics.values())
        needs_frames = definition in SMATCHPP or not self.shares_frames
        frames = self.frames if needs_frames else None
        plans = {
            name: plan_aspects(metric, self.names, definition, self.alignment, frames)
            for name, metric in select_with_aspects(metrics, definition).items()
        }
        return replace(self, plans=plans)

    def build_scorer(self, name: str, metric: Metric) -> PartScorer | None:
        """Return what scores the aspects of pairs."""
        plan = self.plans.get(name)
        if plan is None:
            return None

        def score(pairs: Sequence[Pair]) -> Parts:
            return {ASPECT + a.aspect: mark_empty(a.scores, a.empty) for a in plan.score(pairs)}

        return partial(_score_in_chunks, score)

    def compare(self, comparison: Comparison, parsers: Mapping[str, Scored]) -> Board:
        """Score each aspect for each parser; several parsers are compared on each."""
        return comparison.compare("aspect", parts_with(ASPECT, parsers))

    def list_settings(self, metric: str) -> list[str]:
        """Return the definition, and options that differ from the defaults."""
        plan = self.plans.get(metric)
        if plan is None or plan.definition is None:
            return []
        return [f"aspects={plan.definition}", *plan.options]

    def tabulate(self, report: ReportData, style: Shown, suffix: str = "") -> list[Table]:
        """Return a table with one row per aspect, or one per parser with a column per aspect."""
        board, plan = report.board.select(kind="aspect"), self.plans.get(report.metric)
        if plan is None or not board.scores:
            return []
        note = f"{plan.note}; pairs in which the aspect does not occur are left out"
        title, style = f"Aspects{suffix}", style._replace(times_100=True)
        texts, number = aspect_texts(plan.definition), report.tests.number
        return [tabulate_parts(board, "aspect", title, (note,), number, style, texts)]


def check_aspects(
    aspects: str | Sequence[str] | None, definition: Definition | None, alignment: str
) -> None:
    """Check that options of aspects go with aspects.

    Raises:
        ConfigError: they do not.
    """
    if aspects is None and (definition, alignment) != (None, "multi"):
        raise ConfigError(
            "aspects_definition and alignment apply to aspect scores only: also set aspects=all or "
            "a list of aspects"
        )


def find_definition(metric: Metric) -> Definition | None:
    """Return the definition of aspects that suits a metric; None if it has no aspects."""
    from amr_metrics.aspects import aspect_scorer

    if metric.reads_documents:
        return None
    if aspect_scorer(metric) is not None:
        return "smatchpp"
    return None if metric.triple_solver is None else "amrlib"


def choose_definition(metrics: Iterable[Metric]) -> Definition:
    """Return the definition of aspects that suits some metrics, of which not all need have any."""
    supported = {find_definition(metric) for metric in metrics}
    return "amrlib" if "amrlib" in supported and "smatchpp" not in supported else "smatchpp"


def plan_aspects(
    metric: Metric,
    names: str | Sequence[str],
    definition: Definition = "smatchpp",
    alignment: str = "multi",
    frames: Path | None = None,
) -> AspectPlan:
    """Plan the scoring of aspects; all options are checked before any work is done.

    Args:
        names: the names of the aspects, or ``all``.
        definition: ``smatchpp`` (see `score_aspects`), the same with compression
            (``smatchpp-paper``), or the tool whose sub-scores to compute (see `score_subscores`).
        alignment: see `score_aspects`.
        frames: a file of PropBank's role descriptions (`FrameRoles.read`).

    Raises:
        ConfigError: a metric or an option that the definition does not support.
        OptionError: an unknown name.
    """
    if metric.reads_documents:
        return _plan_documents(metric, names)
    from amr_metrics.aspects import (
        TOOLS,
        FrameRoles,
        aspect_scorer,
        chosen_aspects,
        chosen_subscores,
        score_subscores,
    )

    if definition in SMATCHPP:
        score = aspect_scorer(metric, compressed=definition == PAPER)
        if score is None:
            raise ConfigError(
                "aspects of Smatch++ are parts of standardised graphs and need metric=smatchpp. "
                f"For the sub-scores of other tools: aspects_definition={'|'.join(TOOLS)}"
            )
        relabel = None if frames is None else FrameRoles.read(frames, chosen_aspects("all"))
        aligned = {
            "multi": "each sub-graph is aligned separately",
            "one": "aspects share the graphs' alignment",
        }
        how = aligned[alignment] + (" and compressed" if definition == PAPER else "")
        source = "none" if frames is None else f"{frames.name}:{file_digest(frames)[:8]}"
        return AspectPlan(
            partial(score, aspects=chosen_aspects(names), alignment=alignment, relabel=relabel),
            how,
            definition,
            (*(("alignment=one",) if alignment == "one" else ()), f"frames={source}"),
        )
    if alignment != "multi" or frames is not None:
        raise ConfigError(
            f"alignment and frames apply to aspects_definition=smatchpp, not to {definition}"
        )
    if metric.triple_solver is None:
        raise ConfigError(
            f"the sub-scores of {definition} align graphs: use a metric of the Smatch family, "
            "such as metric=smatch_1.0"
        )
    return AspectPlan(
        partial(
            score_subscores,
            definition,
            names=chosen_subscores(definition, names),
            solver=metric.triple_solver,
        ),
        f"sub-scores as defined by {definition}: uses the metric's solver; its other options do "
        "not apply",
        definition,
    )


def select_with_aspects(metrics: Mapping[str, Metric], definition: Definition) -> dict[str, Metric]:
    """Return the metrics that have aspects of a definition; all if none has.

    Warns of each metric that is left out.
    """
    supported = {
        name: metric
        for name, metric in metrics.items()
        if metric.reads_documents
        or (find_definition(metric) == "smatchpp" and definition in SMATCHPP)
        or (metric.triple_solver is not None and definition not in SMATCHPP)
    }
    if not supported:
        return dict(metrics)
    left_out = [name for name in metrics if name not in supported]
    warn(f"{name} has no aspects of {definition}: its table is left out" for name in left_out)
    return supported


def _plan_documents(metric: Metric, names: str | Sequence[str]) -> AspectPlan:
    """Plan the scoring of the parts of a score of documents, such as coreference."""
    from amr_metrics.aspects import AspectScores

    parts = select_names(
        "part",
        names.split(",") if isinstance(names, str) else names,
        metric.part_names,
    )

    def score(pairs: Sequence[Pair]) -> Sequence[AspectScores]:
        scores = metric.evaluate(pairs)
        of_parts = []
        for part in parts:
            columns = metric.part_columns(part, scores.details)
            total = sum(column for name, column in columns.items() if name.endswith("total"))
            details = {**scores.details, **columns}
            of_pairs = metric.corpus_of_sums(details, np.ones(len(pairs)))
            of_part = Scores(of_pairs["f1"], {**details, **of_pairs})
            of_parts.append(AspectScores(part, of_part, np.equal(total, 0)))
        return of_parts

    return AspectPlan(score, OF_DOCUMENTS, None)


def aspect_texts(definition: str | None) -> dict[str, str]:
    """Return what is compared for each aspect; nothing for the sub-scores of other tools."""
    if definition not in SMATCHPP:
        return {}
    from amr_metrics.aspects import aspect_table as definitions

    return {name: aspect.text for name, aspect in definitions().items()}


@dataclass(frozen=True)
class Subscores(Analysis):
    """The sub-scores of Chinese AMR."""

    option = "subscores"
    one_metric = ONE_METRIC

    def plan(self, metrics: Mapping[str, Metric], reading: Reading) -> Self:
        """Check that the metric is for Chinese AMR."""
        if not all(metric.subscore_names for metric in metrics.values()):
            raise ConfigError(
                "subscores=true needs a metric for Chinese AMR: metric=align_smatch format=camr"
            )
        return self

    def build_scorer(self, name: str, metric: Metric) -> PartScorer | None:
        """Return what computes the sub-scores of pairs."""

        def score(pairs: Sequence[Pair]) -> Parts:
            parts = {}
            for part, scores in metric.score_subscores(pairs).items():
                items = scores.details["src_total"] + scores.details["tgt_total"]
                parts[SUBSCORE + part] = mark_empty(scores, items == 0)
            return parts

        return partial(_score_in_chunks, score)

    def compare(self, comparison: Comparison, parsers: Mapping[str, Scored]) -> Board:
        """Compute the sub-scores of each parser; several parsers are compared on each."""
        statistics = lambda sums, pairs: micro_average(sums)  # noqa: E731
        comparison = comparison._replace(statistics=statistics, ci=False)
        return comparison.compare("subscore", parts_with(SUBSCORE, parsers))

    def tabulate(self, report: ReportData, style: Shown, suffix: str = "") -> list[Table]:
        """Return one row per parser and sub-score."""
        board, style = report.board.select(kind="subscore"), style._replace(times_100=True)
        systems = board.list_names("system")
        rows = sorted(board.scores, key=lambda row: systems.index(row.system))
        keys: dict[str, Key] = {
            "parser": "system",
            "sub-score": "part",
            "": lambda row: MEANINGS[row.part],
        }
        versus = choose_versus(board, style)
        scores = choose_scores(("precision", "recall", "f1"), (), versus, style)
        notes = describe_tests(board, "sub-score", report.tests.number, versus)
        board = Board(tuple(rows), board.differences)
        return [lay_out("Sub-scores", board, keys, scores, style, versus=versus, notes=notes)]


def _score_in_chunks(score: PartScorer, pairs: Sequence[Pair]) -> Parts:
    """Score the parts of some pairs at a time: their graphs are large."""
    chunks = []
    for first in range(0, len(pairs), CHUNK):
        try:
            chunks.append(score(pairs[first : first + CHUNK]))
        except PairError as error:
            raise error.numbered(range(first, len(pairs))) from None
    return {name: Scores.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}


def parts_with(prefix: str, parsers: Mapping[str, Scored]) -> dict[str, dict[str, Scores]]:
    """Return the scores of parts with a prefix, by part and parser."""
    parts: dict[str, dict[str, Scores]] = {}
    for parser, scored in parsers.items():
        for name, scores in scored.parts.items():
            if name.startswith(prefix):
                parts.setdefault(name.removeprefix(prefix), {})[parser] = scores
    return parts
