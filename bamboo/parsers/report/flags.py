"""The table of the kinds of flags on the page of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bamboo.parsers.report.overview import Overview
from bamboo.scoring.validity import Validity


class FlagCell(NamedTuple):
    """Flags per 1,000 triples, their number, and the address of the first sentence, "" for none."""

    rate: float
    number: int
    address: str


class FlagRow(NamedTuple):
    """A kind of flags: those of the gold graphs, then of the parsers."""

    kind: str
    cells: Sequence[FlagCell]


class FlagTable(NamedTuple):
    """The kinds of flags; `names` are those of the parsers, `notes` say what flags show."""

    names: Sequence[str]
    rows: Sequence[FlagRow]
    notes: Sequence[str]


def build_flag_table(view: Overview) -> FlagTable | None:
    """Return the kinds of flags of the gold graphs and of each parser, with their first sentences.

    None if flags were not looked for.
    """
    validity = view.report.validity
    if validity is None:
        return None
    names = [*view.ranks]
    systems: Mapping[str, Validity] = validity.parsers

    def build_cell(of_system: Validity, parser: str, kind: str) -> FlagCell:
        flags = [flag for flag in of_system.flags if kind in ("", flag.kind)]
        address = view.address(a=parser, s=view.found.name(flags[0].pair)) if flags else ""
        return FlagCell(of_system.rate(len(flags)), len(flags), address)

    rows = [
        FlagRow(
            kind or "all kinds",
            [
                build_cell(validity.gold, names[0], kind),
                *(build_cell(systems[name], name, kind) for name in names),
            ],
        )
        for kind in ("", *validity.kinds)
    ]
    return FlagTable(names, rows, validity.notes())
