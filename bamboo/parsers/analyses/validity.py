"""Unreadable and flagged graphs of parsers, and the kinds of flags: rows, tables and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from amr_metrics.base import Metric
from amr_metrics.validity import KINDS, NO_FRAMES, Frames
from bamboo.board import FLAG, FLAGGED, GOLD, WHOLE, Board, Score
from bamboo.display.shown import Shown
from bamboo.display.table import Table
from bamboo.parsers.analysis import Analysis, find_analysis
from bamboo.parsers.layout import Key, lay_out
from bamboo.parsers.report_data import ReportData
from bamboo.scoring.chunks import PairChunk, Reading
from bamboo.scoring.scored import Scored
from bamboo.scoring.validity import Validity, ValidityCheck, check_notation

COUNT, RATE = "flags", "per_1000"  # scores of each kind
PRECISION = (
    "Flags are precise and find few of the errors: most flagged triples are wrong, but most "
    "errors have no flag, so that fewer flags do not mean a better parser"
)


@dataclass(frozen=True)
class ValidityFlags(Analysis):
    """The graphs that cannot be read or have flags.

    Attributes:
        frames: a file of frames; None not to check them.
        check: finds the flags.
    """

    option = "validity"
    on_pages = True
    one_run = True
    in_order = "counts each graph once"
    per_metric = False

    frames: Path | None = None
    check: ValidityCheck = field(init=False, repr=False)

    def __post_init__(self) -> None:
        frames = None if self.frames is None else Frames.read(self.frames)
        object.__setattr__(self, "check", ValidityCheck(frames))

    def plan(self, metrics: Mapping[str, Metric], reading: Reading) -> Self:
        """Check that graphs are sentences in AMR, whose roles are known."""
        check_notation(reading.notation)
        return replace(self)  # with a check of its own

    def look(self, parser: str, read: PairChunk, chunk: PairChunk) -> PairChunk:
        """Return the pairs with the flags of both graphs."""
        return replace(chunk, flags=self.check.add(parser, read))

    def collect(
        self, metrics: Mapping[str, Metric], scored: Mapping[str, Mapping[str, Scored]]
    ) -> tuple[Board, Mapping[str, Any]]:
        """Return the numbers of flags as rows, and the flags of parsers and of the gold graphs."""
        parsers = next(iter(scored.values()))
        findings = {GOLD: self.check.collect(None)}
        findings |= {name: self.check.collect(name) for name in parsers}
        return build_flag_board(findings), findings

    def tabulate(self, report: ReportData, style: Shown, suffix: str = "") -> list[Table]:
        """Return one row per kind of flags and parser that has some; first those of all kinds."""
        validity, board = self.list_flags(report), report.board.select(kind=FLAG)
        keys: dict[str, Key] = {"kind": lambda row: row.part or "all", "parser": "system"}
        scores = {"flags": COUNT, "per 1,000": RATE}
        has_some = {row[2:4] for row in board.scores if row.score == COUNT and row.value}
        rows = tuple(row for row in board.scores if not row.part or row[2:4] in has_some)
        table = lay_out(
            "Flags of graphs, per 1,000 triples",
            Board(rows),
            keys,
            scores,
            style._replace(times_100=False),
            digits={"flags": 0, "per 1,000": 1 if style.digits is None else style.digits},
            rule="part" if len(validity.parsers) > 1 else "",
            notes=validity.notes(),
        )
        firsts = [
            validity.systems[name].find_first("" if kind == "all" else kind)
            for kind, name, *_ in table.rows
        ]
        return [table.with_column(len(table.columns), "first", firsts)]

    def to_json(self, report: ReportData) -> Mapping[str, Any]:
        """Return the flags of the gold graphs and of the parsers."""
        found = self.list_flags(report)
        flags = {name: of_parser.to_json() for name, of_parser in found.parsers.items()}
        gold = found.gold.to_json()
        return {"validity": {"frames": found.frames or None, "gold": gold, "parsers": flags}}

    def list_flags(self, report: ReportData) -> ReportValidity:
        """Return the flags of the parsers and of the gold graphs."""
        parsers = dict(report.findings[self.option])
        frames = self.check.frames
        return ReportValidity(parsers, parsers.pop(GOLD), "" if frames is None else frames.label)


def find_validity(report: ReportData) -> ReportValidity | None:
    """Return the flags of graphs; None if they were not requested."""
    analysis = find_analysis(report.analyses, ValidityFlags)
    return None if analysis is None else analysis.list_flags(report)


@dataclass(frozen=True)
class ReportValidity:
    """The flags of all parsers and of the gold graphs.

    Attributes:
        parsers: by name.
        frames: the file of frames and its digest; "" if frames were not checked.
    """

    parsers: Mapping[str, Validity]
    gold: Validity
    frames: str = ""

    @property
    def systems(self) -> Mapping[str, Validity]:
        """The gold graphs and the parsers, by name."""
        return {GOLD: self.gold, **self.parsers}

    @property
    def kinds(self) -> list[str]:
        """The kinds of flags that occur."""
        return list_kinds(self.systems)

    def notes(self) -> list[str]:
        """Say what flags show, and whether frames were checked."""
        checked = f"frames={self.frames}" if self.frames else NO_FRAMES
        return [PRECISION, checked]


def list_kinds(systems: Mapping[str, Validity]) -> list[str]:
    """Return the kinds of flags that occur."""
    return [kind for kind in KINDS if any(kind in v.counts for v in systems.values())]


def build_flag_board(systems: Mapping[str, Validity]) -> Board:
    """Return the numbers of flags, and those per 1,000 triples: of all kinds, and of each."""
    rows: list[Score] = []
    for kind in (WHOLE, *list_kinds(systems)):
        for name, of_system in systems.items():
            count = of_system.counts.get(kind, 0) if kind else len(of_system.flags)
            values: dict[str, float] = {COUNT: count, RATE: of_system.rate(count)}
            if not kind:
                values |= {number: getattr(of_system, number) for number in FLAGGED}
            place = "", FLAG, kind, name, of_system.graphs, of_system.unreadable
            rows += [Score(*place, score, value) for score, value in values.items()]
    return Board(tuple(rows))
