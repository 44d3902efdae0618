"""Scores of parts of graphs: aspects of meaning, and the sub-scores of Chinese AMR."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from amr_metrics.aspects import (
    TOOLS,
    AspectScores,
    FrameRoles,
    aspect_scorer,
    chosen_aspects,
    chosen_subscores,
    score_subscores,
)
from amr_metrics.aspects import aspect_table as definitions
from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.types import Bools
from bamboo.errors import ConfigError
from bamboo.evaluation.systems import (
    Column,
    PartScores,
    ShownColumns,
    SystemResults,
    SystemScore,
    compare_systems,
    corpus_statistics,
    results_table,
)
from bamboo.files import plain
from bamboo.results.table import Table
from bamboo.scoring.files import FileScores
from bamboo.scoring.pipeline import Parts, PartScorer
from bamboo.statistics.resampling import SystemTests

Definition = Literal["smatchpp", "amrlib", "amr-evaluation"]

ASPECT, SUBSCORE = "aspect ", "subscore "  # begin the names of parts
EMPTY = "empty"  # column of a part: whether it occurs in neither graph
FEWEST = 20  # permutations with which a p-value can be below .05
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
        definition: whose aspects they are.
    """

    score: Callable[[Sequence[Pair]], Sequence[AspectScores]]
    note: str
    definition: Definition


def supported_definition(metric: Metric) -> Definition | None:
    """Return the definition of aspects that suits a metric; None if it has no aspects."""
    if aspect_scorer(metric) is not None:
        return "smatchpp"
    return None if metric.triple_solver is None else "amrlib"


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
            partial(score, aspects=chosen_aspects(names), alignment=alignment, relabel=relabel),
            aligned[alignment],
            definition,
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
        f"sub-scores as defined by {definition}; of the metric's options, only the solver is used",
        definition,
    )


def part_scorer(metric: Metric, plan: AspectPlan | None, subscores: bool) -> PartScorer | None:
    """Return a function that scores aspects and sub-scores of pairs; None if there are none.

    Raises:
        ConfigError: sub-scores with a metric that is not for Chinese AMR.
    """
    scorer = None
    if subscores:
        from amr_metrics.camr import subscore_scorer  # slow to import

        scorer = subscore_scorer(metric)
    if subscores and scorer is None:
        raise ConfigError(
            "subscores=true needs a metric for Chinese AMR: metric=align_smatch format=camr"
        )
    if plan is None and scorer is None:
        return None

    def parts(pairs: Sequence[Pair]) -> Parts:
        found = {}
        for aspect in () if plan is None else plan.score(pairs):
            found[ASPECT + aspect.aspect] = _with_empty(aspect.scores, aspect.empty)
        for name, scores in {} if scorer is None else scorer(pairs).sentences.items():
            items = scores.details["src_total"] + scores.details["tgt_total"]
            found[SUBSCORE + name] = _with_empty(scores, items == 0)
        return found

    return parts


def _with_empty(scores: Scores, empty: Bools) -> Scores:
    return Scores(scores.values, {**scores.details, EMPTY: empty})


def compare_aspects(
    metric: Metric, parsers: Mapping[str, FileScores], resampling: SystemTests, ci: bool = False
) -> SystemResults:
    """Score each aspect for each parser; several parsers are compared on each.

    Args:
        parsers: the scores, with those of `part_scorer` as parts.
    """
    return compare_systems(corpus_statistics(metric), aspect_parts(parsers), resampling, ci)


def aspect_parts(parsers: Mapping[str, FileScores]) -> dict[str, dict[str, PartScores]]:
    """Return the scores of each aspect for each parser."""
    return _parts(ASPECT, parsers)


def compare_subscores(parsers: Mapping[str, FileScores], resampling: SystemTests) -> SystemResults:
    """Compute CA, RA and IC of each parser, as `compare_aspects`."""
    from amr_metrics.camr import micro_scores  # slow to import

    return compare_systems(micro_scores, _parts(SUBSCORE, parsers), resampling)


def _parts(prefix: str, parsers: Mapping[str, FileScores]) -> dict[str, dict[str, PartScores]]:
    """Return the scores of parts with a prefix, by part and parser."""
    found: dict[str, dict[str, PartScores]] = {}
    for parser, files in parsers.items():
        scored = ~np.isnan(files.scores.values)
        at = np.maximum(np.cumsum(scored) - 1, 0)  # parts have a score for each scored pair only
        for name, scores in files.parts.items():
            if name.startswith(prefix):
                own = scores.take(at)
                details = dict(own.details)
                present = scored & ~details.pop(EMPTY)
                part = PartScores(Scores(own.values, details), scored, present)
                found.setdefault(name.removeprefix(prefix), {})[parser] = part
    return found


def aspect_texts(definition: str | None) -> dict[str, str]:
    """Return what is compared for each aspect; nothing for the sub-scores of other tools."""
    aspects = definitions() if definition == "smatchpp" else {}
    return {name: aspect.text for name, aspect in aspects.items()}


def aspect_table(
    results: SystemResults, note: str, texts: Mapping[str, str], chosen: ShownColumns = "main"
) -> Table:
    """Return one row per aspect; with several parsers, one group of rows per aspect.

    Args:
        note: how aspects are compared (`AspectPlan.note`).
        texts: what is compared for each aspect, which only terminals and notebooks show.
    """
    rows = results.scores
    several = bool(results.differences)
    columns: dict[str, Column] = {"aspect": attrgetter("part")}
    if several:
        columns["parser"] = attrgetter("system")
    columns["pairs"] = attrgetter("pairs")
    if chosen == "all":
        columns["left out"] = attrgetter("left_out")
    names = ["precision", "recall", "f1", "macro_f1"]
    names += ["f1 95 %"] if any(row.intervals for row in rows) else []
    groups = [k for k in range(1, len(rows)) if rows[k].part != rows[k - 1].part]
    notes = [f"{note}; pairs in which the aspect does not occur are left out"]
    notes += notes_on_tests(results, "aspect")
    rules = groups if several else ()
    table = results_table("Aspects", results, columns, names, chosen, notes, rules)
    starts = [k == 0 or row.part != rows[k - 1].part for k, row in enumerate(rows)]
    compared = [
        texts.get(row.part, "") if is_first else ""
        for row, is_first in zip(rows, starts, strict=True)
    ]
    return with_compared(table, compared) if any(compared) else table


def with_compared(table: Table, texts: Sequence[str]) -> Table:
    """Return a table to which terminals and notebooks add a text at the end of each row."""
    digits = (table.digits,) * len(table.columns) if isinstance(table.digits, int) else table.digits
    wide = replace(
        table,
        columns=(*table.columns, "compared"),
        rows=tuple((*row, text) for row, text in zip(table.rows, texts, strict=True)),
        digits=(*digits, 0),
    )
    return replace(table, terminal=wide)


def subscore_table(results: SystemResults, chosen: ShownColumns = "main") -> Table:
    """Return one row per parser and sub-score."""
    systems = [*dict.fromkeys(row.system for row in results.scores)]
    rows = sorted(results.scores, key=lambda row: systems.index(row.system))
    columns: dict[str, Column] = {
        "parser": attrgetter("system"),
        "sub-score": attrgetter("part"),
        "": lambda row: MEANINGS[row.part],
    }
    notes = notes_on_tests(results, "sub-score")
    names = ("precision", "recall", "f1")
    sorted_rows = replace(results, scores=rows)
    return results_table("Sub-scores", sorted_rows, columns, names, chosen, notes)


def aspects_json(
    results: SystemResults, texts: Mapping[str, str], parser: str
) -> list[dict[str, Any]]:
    """Return a parser's scores of aspects as JSON values.

    Args:
        texts: see `aspect_texts`.
    """
    return [
        {
            "aspect": row.part,
            "compared": texts.get(row.part),
            "pairs": row.pairs,
            "left_out": row.left_out,
            "corpus": plain(row.scores),
            "interval": plain(row.intervals.get("f1")),
            **_versus_json(results, row),
        }
        for row in results.scores
        if row.system == parser
    ]


def subscores_json(results: SystemResults, parser: str) -> dict[str, Any]:
    """Return a parser's sub-scores as JSON values."""
    return {
        row.part: {**plain(row.scores), **_versus_json(results, row)}
        for row in results.scores
        if row.system == parser
    }


def _versus_json(results: SystemResults, row: SystemScore) -> dict[str, Any]:
    best, one = results.versus_best(row)
    if best is None:
        return {}
    if one is None:
        return {"best": best, "versus_best": None}
    values = {"pairs": one.pairs, "f1": one.value, "p": one.p, "p_adjusted": one.p_adjusted}
    return {"best": best, "versus_best": plain(values)}


def notes_on_tests(results: SystemResults, what: str) -> list[str]:
    """Say how parsers are compared, and whether any difference could be significant.

    Args:
        what: what the parsers are compared on: ``aspect``, ``sub-score`` or ``size``.

    >>> from bamboo.evaluation.systems import SystemDifference
    >>> tested = [SystemDifference("ner", "b", "a", 9, "f1", -0.25, p=0.01, p_adjusted=0.4)] * 40
    >>> print(notes_on_tests(SystemResults([], tested, "f1", 15), "aspect")[1])
    15 permutations are too few: no p-value can be below .05. Use 20 or more (permutations=20)
    """
    tests, draws = results.tests, results.permutations
    if not tests:
        return []
    notes = [
        f"minus best: f1 minus that of the best parser on the {what}. {results.marks} over all "
        f"{what}s and pairs of parsers: {tests} test{'s' if tests > 1 else ''})"
    ]
    if draws < FEWEST:
        notes.append(
            f"{draws} permutations are too few: no p-value can be below .05. Use {FEWEST} or more "
            f"(permutations={FEWEST})"
        )
    return notes
