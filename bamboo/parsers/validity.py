"""Unreadable and flagged graphs of parsers, and the kinds of flags: rows, tables and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from amr_metrics.validity import KINDS, NO_FRAMES
from bamboo.board import FLAG, GOLD, WHOLE, Board, Score
from bamboo.display.shown import Shown
from bamboo.display.table import Table
from bamboo.files import plain
from bamboo.parsers.tables import Key, lay_out
from bamboo.scoring.validity import Validity

COUNT, RATE = "flags", "per_1000"  # scores of each kind
NUMBERS = ("unreadable", "flagged")  # of graphs; further scores of all kinds together
PRECISION = (
    "Flags are precise and find few of the errors: most flagged triples are wrong, but most "
    "errors have no flag, so that fewer flags do not mean a better parser"
)


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

    def select(self, parser: str) -> ReportValidity:
        """Return the flags of one parser and of the gold graphs."""
        return replace(self, parsers={parser: self.parsers[parser]})

    @property
    def systems(self) -> Mapping[str, Validity]:
        """The gold graphs and the parsers, by name."""
        return {GOLD: self.gold, **self.parsers}

    @property
    def kinds(self) -> list[str]:
        """The kinds of flags that occur."""
        return [kind for kind in KINDS if any(kind in v.counts for v in self.systems.values())]

    def notes(self) -> list[str]:
        """Say what flags show, and whether frames were checked."""
        checked = f"frames={self.frames}" if self.frames else NO_FRAMES
        return [PRECISION, checked]

    def to_json(self) -> dict[str, Any]:
        """Return the flags as JSON values."""
        return {
            "frames": self.frames or None,
            "gold": _describe(self.gold),
            "parsers": {name: _describe(validity) for name, validity in self.parsers.items()},
        }


def _describe(validity: Validity) -> dict[str, Any]:
    return {
        "graphs": validity.graphs,
        "unreadable": validity.unreadable,
        "flagged": validity.flagged,
        "triples": validity.triples,
        COUNT: {
            kind: {
                "count": count,
                RATE: plain(validity.rate(count)),
                "first": validity.find_first(kind),
            }
            for kind, count in validity.counts.items()
        },
    }


def build_flag_board(validity: ReportValidity) -> Board:
    """Return the numbers of flags, and those per 1,000 triples: of all kinds, and of each."""
    rows: list[Score] = []
    for kind in (WHOLE, *validity.kinds):
        for name, of_system in validity.systems.items():
            count = of_system.counts.get(kind, 0) if kind else len(of_system.flags)
            values: dict[str, float] = {COUNT: count, RATE: of_system.rate(count)}
            if not kind:
                values |= {number: getattr(of_system, number) for number in NUMBERS}
            place = "", FLAG, kind, name, of_system.graphs, of_system.unreadable
            rows += [Score(*place, score, value) for score, value in values.items()]
    return Board(tuple(rows))


def add_flag_columns(table: Table, validity: ReportValidity) -> Table:
    """Add the numbers of unreadable and of flagged graphs to a table of parsers or of metrics."""
    names = [*validity.parsers] * len(table.rows)  # a table of metrics has a single parser
    if "parser" in table.columns:
        names = [row[table.columns.index("parser")] for row in table.rows]
    before = [k for k, name in enumerate(table.columns) if name in ("metric", "parser", "pairs")]
    for k, number in enumerate(NUMBERS, 1 + max(before)):
        values = [getattr(validity.parsers[name], number) for name in names[: len(table.rows)]]
        table = table.with_column(k, number, values)
    return table


def tabulate_flags(board: Board, validity: ReportValidity, style: Shown) -> Table:
    """Return one row per kind of flags and parser that has some; first those of all kinds.

    Args:
        board: see `build_flag_board`.
    """
    keys: dict[str, Key] = {"kind": lambda row: row.part or "all", "parser": "system"}
    scores = {"flags": COUNT, "per 1,000": RATE}
    has_some = {row[2:4] for row in board.scores if row.score == COUNT and row.value}
    rows = tuple(row for row in board.scores if not row.part or row[2:4] in has_some)
    digits = {"flags": 0, "per 1,000": 1 if style.digits is None else style.digits}
    table = lay_out(
        "Flags of graphs, per 1,000 triples",
        Board(rows),
        keys,
        scores,
        style._replace(times_100=False),
        digits=digits,
        rule="part" if len(validity.parsers) > 1 else "",
        notes=validity.notes(),
    )
    systems = validity.systems
    firsts = [
        systems[name].find_first("" if kind == "all" else kind) for kind, name, *_ in table.rows
    ]
    return table.with_column(len(table.columns), "first", firsts)
