"""Fine-grained scores: one row per aspect of meaning and parser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bamboo.documents import plain
from bamboo.errors import ConfigError
from bamboo.evaluation.aspect_tests import (
    COLUMNS,
    VersusBest,
    compare_aspects,
    notes_on_tests,
    versus_best,
)
from bamboo.evaluation.file_scores import FileScores
from bamboo.evaluation.parsers import corpus_statistics
from bamboo.results.table import Table
from bamboo.statistics.corpus import bootstrap_corpus, percentile_interval
from bamboo.statistics.resampling import Resampling
from metrics.aspects import (
    TOOLS,
    AspectScores,
    FrameRoles,
    aspect_scorer,
    chosen_aspects,
    chosen_subscores,
    score_subscores,
)
from metrics.base import Metric, Pair, Scores

Definition = Literal["smatchpp", "amrlib", "amr-evaluation"]

PREFIX = "aspect "  # of the names of aspects among the parts of scores
EMPTY = "empty"


@dataclass(frozen=True, eq=False)
class AspectRow:
    """The corpus scores of one aspect.

    Attributes:
        parser: the parser's name.
        present: number of pairs in which the aspect occurs.
        left_out: number of pairs in which it does not.
        scores: by name; empty if the aspect occurs in no pair.
        interval: 95 % interval of the micro F1, or None.
        versus_best: the comparison with the best parser on the aspect; None with a single parser,
            or if the aspect occurs in no pair.
    """

    parser: str
    aspect: str
    present: int
    left_out: int
    scores: Mapping[str, float]
    interval: tuple[float, float] | None
    versus_best: VersusBest | None = None

    def to_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        return {
            "aspect": self.aspect,
            "pairs": self.present,
            "left_out": self.left_out,
            "corpus": plain(self.scores),
            "interval": plain(self.interval),
            **({} if self.versus_best is None else self.versus_best.to_json()),
        }


@dataclass(frozen=True, eq=False)
class AspectPlan:
    """Which aspects to score, and how.

    Attributes:
        metric: the metric whose corpus scores are reported.
        score: a function that scores pairs and returns one entry per aspect.
        note: one line that says how aspects are compared.
    """

    metric: Metric
    score: Callable[[Sequence[Pair]], Sequence[AspectScores]]
    note: str

    def parts(self, pairs: Sequence[Pair]) -> dict[str, Scores]:
        """The scores of each aspect, and in column `EMPTY` whether it occurs in neither graph."""
        return {
            f"{PREFIX}{aspect.aspect}": Scores(
                aspect.scores.values, {**aspect.scores.details, EMPTY: aspect.empty}
            )
            for aspect in self.score(pairs)
        }


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
        definition: ``smatchpp`` (see `score_aspects`), or the tool whose sub-scores to compute
            (see `score_subscores`).
        alignment: see `score_aspects`.
        frames: a file of PropBank's role descriptions (`FrameRoles.read`).

    Raises:
        ConfigError: a metric or an option that the definition does not support.
        OptionError: an unknown name.
    """
    if definition == "smatchpp":
        score = aspect_scorer(metric)
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
        return AspectPlan(
            metric,
            partial(score, aspects=chosen_aspects(names), alignment=alignment, relabel=relabel),
            aligned[alignment],
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
        metric,
        partial(
            score_subscores,
            definition,
            names=chosen_subscores(definition, names),
            solver=metric.triple_solver,
        ),
        f"sub-scores as defined by {definition}; of the metric's options, only the solver is used",
    )


def aspect_rows(
    plan: AspectPlan | None,
    parsers: Mapping[str, FileScores],
    resampling: Resampling,
    ci: bool = False,
) -> list[AspectRow]:
    """The corpus scores of each aspect for each parser. Several parsers are compared.

    Args:
        plan: the aspects, or None for no rows.
        parsers: the scores, with `AspectPlan.parts` as parts.
        resampling: how to compute intervals and p-values.
        ci: whether to compute 95 % intervals.
    """
    if plan is None:
        return []
    scores = {parser: _aspects(files.parts) for parser, files in parsers.items()}
    rows = [
        _row(plan.metric, parser, aspect, resampling if ci else None)
        for of_aspect in zip(*scores.values(), strict=True)
        for parser, aspect in zip(scores, of_aspect, strict=True)
    ]
    if len(parsers) < 2:
        return rows
    metric = plan.metric
    comparisons = compare_aspects(
        lambda scores: {"f1": metric.corpus(scores)["f1"]},
        scores,
        {name: ~np.isnan(files.scores.values) for name, files in parsers.items()},
        resampling,
    )
    f1: dict[str, dict[str, float]] = {}
    for row in rows:
        f1.setdefault(row.aspect, {}).update({row.parser: row.scores["f1"]} if row.scores else {})
    versus = versus_best(f1, comparisons, resampling)
    return [replace(row, versus_best=versus.get((row.aspect, row.parser))) for row in rows]


def _aspects(parts: Mapping[str, Scores]) -> list[AspectScores]:
    """The scores of aspects among further scores of pairs (`AspectPlan.parts`)."""
    aspects = []
    for name, scores in parts.items():
        if name.startswith(PREFIX):
            details = dict(scores.details)
            empty = details.pop(EMPTY)
            own = Scores(scores.values, details)
            aspects.append(AspectScores(name.removeprefix(PREFIX), own, empty))
    return aspects


def _row(
    metric: Metric, parser: str, aspect: AspectScores, resampling: Resampling | None
) -> AspectRow:
    statistics, present = corpus_statistics(metric), aspect.present()
    count = len(present.values)
    interval = None
    if resampling is not None and count > 1:
        drawn = bootstrap_corpus(statistics, [present], resampling.resamples, resampling.seed)
        interval = percentile_interval(drawn["f1"][:, 0])
    scores = statistics(present) if count else {}
    return AspectRow(parser, aspect.aspect, count, len(aspect.empty) - count, scores, interval)


def aspect_score_table(rows: Sequence[AspectRow], note: str) -> Table:
    """One row per aspect; with several parsers, one group of rows per aspect.

    Args:
        note: how aspects are compared (`AspectPlan.note`).
    """
    several = len({row.parser for row in rows}) > 1
    intervals = any(row.interval for row in rows)
    names = ("precision", "recall", "f1", "macro_f1")
    cells = []
    for row in rows:
        line: list[Any] = [row.aspect, *([row.parser] if several else [])]
        line += [row.present, row.left_out, *(row.scores.get(name) for name in names)]
        if intervals:
            line.append(row.interval)
        if several:
            tested = (None, None, None, "") if row.versus_best is None else row.versus_best.cells()
            line += tested
        cells.append(tuple(line))
    columns = ["aspect", *(["parser"] if several else []), "pairs", "left out"]
    columns += [name.replace("_", " ") for name in names] + (["f1 95 %"] if intervals else [])
    columns += COLUMNS if several else ()
    groups = [k for k in range(1, len(rows)) if rows[k].aspect != rows[k - 1].aspect]
    notes = [f"{note}; pairs in which the aspect does not occur are left out"]
    notes += notes_on_tests([row.versus_best for row in rows if row.versus_best], "aspect")
    rules = tuple(groups) if several else ()
    return Table("Aspects", tuple(columns), tuple(cells), 4, tuple(notes), rules)
