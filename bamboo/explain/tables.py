"""One pair under one metric: sentences, score, and the alignment as tables."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bamboo.documents import plain
from bamboo.tables.model import Table
from metrics.base import Explanation, Pair
from metrics.graph import Graph

SCHEMA = 1


def explanation_tables(title: str, pair: Pair, found: Explanation) -> list[Table]:
    """The node alignment, then matched and unmatched triples where the metric has them."""
    bound = (
        "" if found.upper_bound is None else f" (no alignment scores above {found.upper_bound:.4f})"
    )
    notes = (
        f"src: {pair.src.sentence or '(no sentence)'}",
        f"tgt: {pair.tgt.sentence or '(no sentence)'}",
        f"score: {found.score:.4f}{bound}",
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
            for link in found.links
        ),
        4,
        notes,
    )
    triples = [
        *[(a, b, float(weight)) for a, b, weight in found.matched],
        *[(a, None, 0.0) for a in found.unmatched_src],
        *[(None, b, 0.0) for b in found.unmatched_tgt],
    ]
    if not triples:
        return [nodes]
    rules = (len(found.matched), len(found.matched) + len(found.unmatched_src))
    return [nodes, Table("Triples", ("src", "tgt", "match"), tuple(triples), 4, rules=rules)]


def label(graph: Graph, node: str) -> str:
    """A node's concept; a constant is its own label."""
    return graph.concept(node) if node in graph.positions else node


def explanation_json(signature: str, pair: Pair, found: Explanation) -> dict[str, Any]:
    """Everything as plain values."""
    return {
        "schema": SCHEMA,
        "signature": signature,
        "src": pair.src.sentence,
        "tgt": pair.tgt.sentence,
        **plain(asdict(found)),
        "links": [plain(link._asdict()) for link in found.links],
    }
