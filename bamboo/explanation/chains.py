"""The chains of coreference of two documents, side by side."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence

from amr_metrics.base import Pair
from amr_metrics.explanation import Link
from amr_metrics.graphs.graph import Graph
from amr_metrics.reading.formats import CHAINS

COREFERENCE = (":coref", ":same-as")

ChainPair = tuple[str | None, str | None, str | None, str | None]


def chain_rows(pair: Pair, links: Sequence[Link]) -> list[ChainPair]:
    """Return each chain of src with the chain of tgt that has most of its mentions, if any.

    Chains of tgt that are left come last.

    Returns:
        the name and the mentions of both; nothing for graphs without chains.

    >>> from amr_metrics import DocSmatch, parse_graph
    >>> graph = parse_graph("(d / document :snt1 (c / cry-01 :ARG0 (b / boy :coref-of "
    ...                     "(e / coref-entity))) :snt2 (l / leave-11 :ARG0 (h / he :coref-of e)))")
    >>> chain_rows(Pair(graph, graph), DocSmatch().explain(Pair(graph, graph)).links)
    [('e', 'b / boy, h / he', 'e', 'b / boy, h / he')]
    """
    if not any(role in COREFERENCE for graph in pair for _, role, _ in graph.relations):
        return []
    src, tgt = map(pkgutil.resolve_name(CHAINS), pair)
    partner = {link.src: link.tgt for link in links}
    rows: list[ChainPair] = []
    left = dict(tgt)
    for chain, mentions in src.items():
        mapped = {partner.get(node) for node in (chain, *mentions)}
        shared = {name: len(mapped & {name, *left[name]}) for name in left}
        best = max(shared, key=shared.__getitem__, default=None)
        row = chain, _format_mentions(pair.src, mentions)
        if best is None or not shared[best]:
            rows.append((*row, None, None))
        else:
            rows.append((*row, best, _format_mentions(pair.tgt, left.pop(best))))
    rows += [
        (None, None, chain, _format_mentions(pair.tgt, nodes)) for chain, nodes in left.items()
    ]
    return rows


def _format_mentions(graph: Graph, mentions: Sequence[str]) -> str:
    return ", ".join(f"{node} / {graph.concept(node)}" for node in mentions)
