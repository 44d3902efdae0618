"""Fine-grained scores: the aspects of meaning, a line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.documents import plain
from bamboo.errors import ConfigError
from bamboo.parsers import Sampling, corpus_statistics
from bamboo.score import FileScores
from bamboo.significance.corpus import bootstrap_corpus, percentile_interval
from bamboo.tables import Table
from metrics.alignment.smatchpp import SmatchPP
from metrics.aspects import Aspect, AspectScores, FrameRoles, chosen_aspects, score_aspects
from metrics.base import Metric


@dataclass(frozen=True, eq=False)
class AspectRow:
    """The corpus scores of one aspect.

    Attributes:
        parser: whose.
        present: pairs with something of the aspect; left_out: those without.
        scores: by name; empty if no pair has anything of it.
        interval: of the micro F1, 95 %, or None.
    """

    parser: str
    aspect: str
    present: int
    left_out: int
    scores: Mapping[str, float]
    interval: tuple[float, float] | None

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "aspect": self.aspect,
            "pairs": self.present,
            "left_out": self.left_out,
            "corpus": plain(self.scores),
            "interval": plain(self.interval),
        }


def check_aspects(metric: Metric, names: str | Sequence[str]) -> tuple[Aspect, ...]:
    """The aspects of some names, before any work is done.

    Raises:
        ConfigError: a metric that they are not defined for.
        OptionError: an unknown name.
    """
    if not isinstance(metric, SmatchPP):
        raise ConfigError("aspects are parts of standardised graphs: they want metric=smatchpp")
    return chosen_aspects(names)


def aspect_rows(
    metric: Metric,
    parsers: Mapping[str, FileScores],
    aspects: Sequence[Aspect],
    alignment: str = "multi",
    frames: Path | None = None,
    sampling: Sampling | None = None,
) -> list[AspectRow]:
    """The corpus scores of each aspect for each parser.

    Args:
        alignment: see `score_aspects`.
        frames: a file of PropBank's role descriptions (`FrameRoles.read`).
        sampling: for intervals, or None for none.
    """
    if not aspects or not isinstance(metric, SmatchPP):
        return []
    relabel = None if frames is None else FrameRoles.read(frames, chosen_aspects("all"))
    found: dict[str, list[AspectScores]] = {}
    for parser, one in parsers.items():
        scored = ~np.isnan(one.scores.values)
        pairs = [p for p, there in zip(one.pairs, scored, strict=True) if p is not None and there]
        found[parser] = score_aspects(metric, pairs, aspects, alignment, relabel)
    return [
        _row(metric, parser, found[parser][k], sampling)
        for k in range(len(aspects))
        for parser in parsers
    ]


def _row(
    metric: SmatchPP, parser: str, found: AspectScores, sampling: Sampling | None
) -> AspectRow:
    statistics, present = corpus_statistics(metric), found.present()
    count = len(present.values)
    interval = None
    if sampling is not None and count > 1:
        drawn = bootstrap_corpus(statistics, [present], sampling.resamples, sampling.seed)
        interval = percentile_interval(drawn["f1"][:, 0])
    scores = statistics(present) if count else {}
    return AspectRow(parser, found.aspect, count, len(found.empty) - count, scores, interval)


def aspect_table(rows: Sequence[AspectRow], alignment: str) -> Table:
    """A line an aspect, or for several parsers a group of lines."""
    several = len({row.parser for row in rows}) > 1
    intervals = any(row.interval for row in rows)
    names = ("precision", "recall", "f1", "macro_f1")
    cells = []
    for row in rows:
        line: list[Any] = [row.aspect, *([row.parser] if several else [])]
        line += [row.present, row.left_out, *(row.scores.get(name) for name in names)]
        if intervals:
            line.append("" if row.interval is None else "{:.4f} .. {:.4f}".format(*row.interval))
        cells.append(tuple(line))
    columns = ["aspect", *(["parser"] if several else []), "pairs", "left out"]
    columns += [name.replace("_", " ") for name in names] + (["f1 95 %"] if intervals else [])
    groups = [k for k in range(1, len(rows)) if rows[k].aspect != rows[k - 1].aspect]
    aligned = {"multi": "sub-graphs aligned anew", "one": "under the graphs' one alignment"}
    notes = (f"{aligned[alignment]}; pairs without anything of the aspect are left out",)
    rules = tuple(groups) if several else ()
    return Table("Aspects", tuple(columns), tuple(cells), 4, notes, rules)
