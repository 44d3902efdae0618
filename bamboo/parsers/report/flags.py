"""The table of the kinds of flags on the page of scores."""

from __future__ import annotations

from typing import NamedTuple

from bamboo.parsers.report.overview import Overview
from bamboo.scoring.validity import Validity


class FlagCell(NamedTuple):
    """Flags per 1,000 triples, their number, and the address of the first sentence, "" for none."""

    rate: float
    number: int
    address: str


def build_flag_table(view: Overview) -> dict[str, list[FlagCell]]:
    """Return for each kind of flags those of the gold graphs, then those of each parser.

    Empty if flags were not looked for.
    """
    validity = view.report.validity
    if validity is None:
        return {}
    # The page of sentences shows gold graphs beside those of the best parser.
    columns = [(next(iter(view.ranks)), validity.gold)]
    columns += [(name, validity.parsers[name]) for name in view.ranks]
    return {
        kind or "all kinds": [_build_cell(view, name, system, kind) for name, system in columns]
        for kind in ("", *validity.kinds)
    }


def _build_cell(view: Overview, parser: str, validity: Validity, kind: str) -> FlagCell:
    flags = [flag for flag in validity.flags if kind in ("", flag.kind)]
    address = view.address(a=parser, s=view.collected.name(flags[0].pair)) if flags else ""
    return FlagCell(validity.rate(len(flags)), len(flags), address)
