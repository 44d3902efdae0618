"""The explanation of a pair's score as tables: sentences, score and alignment."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from bamboo.documents import plain
from bamboo.explanation.matches import KindMatches, matches_by_kind
from bamboo.results.table import Table
from metrics.base import Explanation, Pair
from metrics.graphs.graph import Graph

SCHEMA = 1
SHOWN = 15  # number of features in the table of contributions


def explanation_tables(title: str, pair: Pair, explanation: Explanation) -> list[Table]:
    """The node alignment, and what else the metric gives: contributions, matched triples."""
    bound = (
        ""
        if explanation.upper_bound is None
        else f" (no alignment scores above {explanation.upper_bound:.4f})"
    )
    notes = (
        f"src: {pair.src.sentence or '(no sentence)'}",
        f"tgt: {pair.tgt.sentence or '(no sentence)'}",
        f"score: {explanation.score:.4f}{bound}",
    )
    nodes = Table(
        title,
        ("src", "concept", "tgt", "concept ", "weight", "cost"),
        tuple(
            (
                link.src,
                label(pair.src, link.src),
                link.tgt,
                label(pair.tgt, link.tgt),
                float(link.weight),
                float(link.cost),
            )
            for link in explanation.links
        ),
        4,
        notes,
    )
    tables = [nodes]
    if explanation.contributions:
        tables.append(_contributions(explanation))
    triples = [
        *[(str(a), str(b), float(weight)) for a, b, weight in explanation.matched],
        *[(str(a), None, 0.0) for a in explanation.unmatched_src],
        *[(None, str(b), 0.0) for b in explanation.unmatched_tgt],
    ]
    if triples:
        first = len(explanation.matched)
        rules = (first, first + len(explanation.unmatched_src))
        tables.append(Table("Triples", ("src", "tgt", "match"), tuple(triples), 4, rules=rules))
        tables.append(_matches(explanation))
    return tables


def _matches(explanation: Explanation) -> Table:
    """The number of matches by kind of triple, and precision, recall and F1 if they follow."""
    counted = matches_by_kind(explanation)
    matched, weight = sum(row.matched for row in counted), sum(row.weight for row in counted)
    src, tgt = sum(row.src for row in counted), sum(row.tgt for row in counted)
    rows = [*counted, KindMatches("all", matched, weight, src, tgt)]
    columns: tuple[str, ...] = ("triples", "matched", "src", "tgt")
    cells: list[tuple[Any, ...]] = [(row.kind, row.matched, row.src, row.tgt) for row in rows]
    if any(row.matched != row.weight for row in counted):
        columns = (*columns, "weight of matches")
        cells = [(*line, row.weight) for line, row in zip(cells, rows, strict=True)]
    notes = ["The metric weights triples, so that the counts alone do not give the score."]
    if src + tgt and math.isclose(2 * weight / (src + tgt), explanation.score, abs_tol=1e-9):
        shares = [("precision", src), ("recall", tgt)]
        notes = [
            f"{name}: {weight:g} / {whole} = {weight / whole:.4f}"
            for name, whole in shares
            if whole
        ]
        notes.append(f"F1: 2 * {weight:g} / ({src} + {tgt}) = {explanation.score:.4f}")
    return Table("Matches", columns, tuple(cells), 4, tuple(notes), rules=(len(counted),))


def _contributions(explanation: Explanation) -> Table:
    """The features with the largest effects, and the sum of the others."""
    shown = explanation.contributions[:SHOWN]
    others = explanation.contributions[SHOWN:]
    rows = [(c.feature, c.value, c.effect) for c in shown]
    total = sum(c.effect for c in explanation.contributions)
    notes = [f"1 {'+' if total >= 0 else '-'} {abs(total):.4f} = {1 + total:.4f}"]
    if not 0 <= 1 + total <= 1:
        notes[0] += f", limited to {explanation.score:.4f}"
    if others:
        notes.append(
            f"{len(others)} further features: {sum(c.effect for c in others):+.4f}; report=json "
            "lists them all"
        )
    return Table(
        "Contributions to the score",
        ("feature", "difference", "effect"),
        tuple(rows),
        4,
        (f"score: {notes[0]}.", *(f"{note}." for note in notes[1:])),
    )


def label(graph: Graph, node: str) -> str:
    """A node's concept; a constant is its own label."""
    return graph.concept(node) if node in graph.positions else node


def explanation_json(signature: str, pair: Pair, explanation: Explanation) -> dict[str, Any]:
    """The explanation as JSON values."""
    return {
        "schema": SCHEMA,
        "signature": signature,
        "src": pair.src.sentence,
        "tgt": pair.tgt.sentence,
        **plain(asdict(explanation)),
        "matched": [[str(a), str(b), float(weight)] for a, b, weight in explanation.matched],
        "unmatched_src": [str(triple) for triple in explanation.unmatched_src],
        "unmatched_tgt": [str(triple) for triple in explanation.unmatched_tgt],
        "links": [plain(link._asdict()) for link in explanation.links],
        "matches": [row._asdict() for row in matches_by_kind(explanation)],
        "contributions": [plain(c._asdict()) for c in explanation.contributions],
    }
