"""Find the mistakes of a parser over a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from amr_metrics.base import Metric, Pair
from amr_metrics.errors import MetricError, PairError
from amr_metrics.explanation import ExplainedTriple, Explanation
from amr_metrics.graphs.graph import Graph
from amr_metrics.types import Ints
from bamboo.explanation.mistakes import (
    BY_NODE,
    CONSTRUCTIONS,
    DIRECTIONS,
    NAME,
    Mistake,
    is_core,
    mistakes,
)
from bamboo.explanation.sides import lemma, select_known_triples, total_weight
from bamboo.scoring.mistake_rows import ROW, ParserMistakes

CONSTRUCTION = {name: k for k, name in enumerate(CONSTRUCTIONS)}
DIRECTION = {name: k for k, name in enumerate(DIRECTIONS)}
# Constructions whose wrong parse is recorded: the gold graph could be wrong instead.
CONFUSED = ("concept", "sense", "core role", "other role", "constant", "negation")
CHUNK = 1000  # pairs that are explained at a time: explanations are large

# What is recorded of a confusion, see `bamboo.parsers.confusions.Confusion`.
Labels = tuple[str, str, str, str, str]
# The position of a pair, its explanation (src is the parse, tgt the gold graph) and its mistakes.
ExplainedMistakes = tuple[int, Explanation | None, Sequence[Mistake]]


def explains_triples(metric: Metric) -> bool:
    """Return whether a metric aligns triples, so that its explanations show mistakes."""
    graph = Graph(("c",), ("cat",), (), (), "c")
    try:
        return bool(metric.triple_solver or metric.explain(Pair(graph, graph)).matched)
    except MetricError:
        return False


def find_mistakes(
    metric: Metric, pairs: Sequence[Pair], positions: Ints, count: int
) -> ParserMistakes:
    """Find the mistakes in the pairs at some positions, of `count`; the others are missing."""

    def explain() -> Iterator[ExplainedMistakes]:
        for first in range(0, len(pairs), CHUNK):
            try:
                explanations = metric.explanations(pairs[first : first + CHUNK])
            except PairError as error:
                raise error.numbered(positions[first:]) from None
            for k, explanation in enumerate(explanations, first):
                yield int(positions[k]), explanation, mistakes(explanation)

    return collect_mistakes(explain(), count)


def collect_mistakes(explained: Iterable[ExplainedMistakes], count: int) -> ParserMistakes:
    """Collect the mistakes in `count` pairs, of which those without an explanation are missing."""
    items, src_items = np.full((2, count, len(CONSTRUCTIONS)), np.nan)
    totals = np.full((count, 3), np.nan)
    rows = []
    for k, explanation, of_pair in explained:
        if explanation is None:
            continue
        src, tgt = explanation.weights
        parse, gold = explanation.triples
        matched = sum(weight for _, _, weight in explanation.matched)
        items[k], src_items[k] = _count_items(gold), _count_items(parse)
        totals[k] = matched, total_weight(parse, src), total_weight(gold, tgt)
        confusions = _describe_confusions(explanation, of_pair)
        for mistake, confusion in zip(of_pair, confusions, strict=True):
            kind = CONSTRUCTION[mistake.construction], DIRECTION[mistake.direction]
            rows.append((k, *kind, mistake.src_weight, mistake.tgt_weight, confusion))
    return ParserMistakes(np.array(rows, ROW), items, src_items, totals)


def _count_items(triples: Collection[ExplainedTriple]) -> list[int]:
    """Count the items of each construction in the triples of a graph.

    Names are counted by their nodes, senses by the concepts that have one, and re-entrancies by the
    relations to a node beyond the first. A relation can be of the wrong role or attachment.
    """
    of_nodes = select_known_triples(triples)
    names = {t.source for t in of_nodes if t.kind == "instance" and t.target == NAME}
    items = dict.fromkeys(CONSTRUCTIONS, 0)
    incoming: Counter[str] = Counter()
    for kind, role, source, target in of_nodes:
        is_name = source in names or (kind == "relation" and target in names)
        if kind == "instance":
            items["name" if is_name else "concept"] += 1
            items["sense"] += lemma(target) != target
        elif kind == "TOP":
            items["root"] += 1
        elif kind == "attribute":
            items[BY_NODE.get(role.lower(), "constant")] += not is_name
        elif not is_name:
            items["core role" if is_core(role) else "other role"] += 1
            incoming[target] += 1
    items["attachment"] = incoming.total()
    items["re-entrancy"] = incoming.total() - len(incoming)
    items["other"] = len(triples) - len(of_nodes)
    return [*items.values()]


def _describe_confusions(
    explanation: Explanation, of_pair: Sequence[Mistake]
) -> Iterator[Labels | None]:
    """Yield what is recorded of each mistake: None for one that is no confusion."""
    concepts: list[dict[str, str]] = []
    for mistake in of_pair:
        construction, src, tgt = mistake.construction, mistake.src, mistake.tgt
        if construction not in CONFUSED or not tgt or not (src or construction == "negation"):
            yield None
            continue
        concepts = concepts or [*map(_map_concepts, explanation.triples)]
        gold, parse, text = tgt[0], "", ""
        if src:
            parse = _label(src[0], mistake.is_inverse)
            text = _format_triple(src[0], concepts[0])
        yield _label(gold), parse, str(gold), _format_triple(gold, concepts[1]), text


def _map_concepts(triples: Iterable[ExplainedTriple]) -> dict[str, str]:
    of_nodes = select_known_triples(triples)
    return {triple.source: triple.target for triple in of_nodes if triple.kind == "instance"}


def _label(triple: ExplainedTriple, is_inverse: bool = False) -> str:
    if triple.kind == "instance":
        return triple.target
    role = _spell_role(triple.role)
    if triple.kind == "attribute":
        return f"{role} {triple.target}"
    return f"{role}-of" if is_inverse else role


def _format_triple(triple: ExplainedTriple, concepts: Mapping[str, str]) -> str:
    """Return a triple with concepts in place of nodes, such as ``want-01 :ARG0 boy``."""
    if triple.kind == "instance":
        return triple.target
    target = triple.target
    if triple.kind == "relation":
        target = concepts.get(target, target)
    return f"{concepts.get(triple.source, triple.source)} {_spell_role(triple.role)} {target}"


def _spell_role(role: str) -> str:
    """Return a role as AMR spells it; metrics compare roles regardless of case."""
    return f":ARG{role[4:]}" if is_core(role) else role
