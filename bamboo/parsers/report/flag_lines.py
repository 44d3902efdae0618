"""The lines of graphs that have flags, on the page of sentences."""

from __future__ import annotations

from collections.abc import Sequence

from amr_metrics.explanation import ExplainedTriple
from amr_metrics.validity import Flag
from bamboo.parsers.report.differences import Lines


def place_flags(lines: Lines, flags: Sequence[Flag]) -> list[tuple[int, str]]:
    """Return the line of each flag, and its text with concepts in place of nodes.

    A triple that the metric's form of the graph does not have is placed at its node.
    """
    placed = []
    for flag in flags:
        source, role, target = flag.triple
        kind = "instance" if role == ":instance" else "attribute"
        if kind == "attribute" and target in lines.nodes:
            kind = "relation"
        line = lines.line(ExplainedTriple(kind, role, source, target))
        ends = lines.concept(source), lines.concept(target) if kind == "relation" else target
        shown = target if kind == "instance" else f"{ends[0]} {role} {ends[1]}"
        placed.append((line, f"{flag.kind}: {shown}"))
    return placed
