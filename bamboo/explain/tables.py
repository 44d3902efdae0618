"""The explanation of a pair's score as tables: sentences, score and alignment."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bamboo.documents import plain
from bamboo.tables.model import Table
from metrics.base import Explanation, Pair
from metrics.graph import Graph

SCHEMA = 1


def explanation_tables(title: str, pair: Pair, explanation: Explanation) -> list[Table]:
    """The node alignment, and the matched and unmatched triples if the metric has them."""
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
    triples = [
        *[(a, b, float(weight)) for a, b, weight in explanation.matched],
        *[(a, None, 0.0) for a in explanation.unmatched_src],
        *[(None, b, 0.0) for b in explanation.unmatched_tgt],
    ]
    if not triples:
        return [nodes]
    rules = (len(explanation.matched), len(explanation.matched) + len(explanation.unmatched_src))
    return [nodes, Table("Triples", ("src", "tgt", "match"), tuple(triples), 4, rules=rules)]


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
        "links": [plain(link._asdict()) for link in explanation.links],
    }
