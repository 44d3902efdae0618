"""The mistakes of a parser over a corpus, in columns with one row per pair of graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np

from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.errors import MetricError
from amr_metrics.explanation import ExplainedTriple, Explanation
from amr_metrics.graphs.graph import Graph
from amr_metrics.types import Bools, Floats
from bamboo.explanation.mistakes import (
    BY_NODE,
    CONSTRUCTIONS,
    DIRECTIONS,
    NAME,
    Mistake,
    is_core,
    mistakes,
)
from bamboo.explanation.sides import known_triples, lemma, total_weight
from bamboo.parsers.parts import MISTAKES
from bamboo.scoring.scored import Scored

SHAPE = len(CONSTRUCTIONS), len(DIRECTIONS)
CONSTRUCTION = {name: k for k, name in enumerate(CONSTRUCTIONS)}
DIRECTION = {name: k for k, name in enumerate(DIRECTIONS)}
# Constructions whose wrong parse is recorded: the gold graph could be wrong instead.
CONFUSED = ("concept", "sense", "core role", "other role", "constant", "negation")


class Confusion(NamedTuple):
    """What a parse has in place of something in the gold graph.

    Attributes:
        construction: one of `CONFUSED`.
        gold, parse: the two concepts, roles (in the direction of the gold graph), or roles with
            constants; `parse` is "" for a negation that is missing.
        place: the triple of the gold graph, by its nodes.
        gold_text, parse_text: the triples, with concepts in place of nodes.
    """

    construction: str
    gold: str
    parse: str
    place: str
    gold_text: str
    parse_text: str


@dataclass(frozen=True, eq=False)
class ParserMistakes:
    """The mistakes of a parser; NaN, and None, for a pair that is missing.

    Attributes:
        counts: float64 pairs x constructions x directions, numbers of mistakes, in the order of
            `CONSTRUCTIONS` and `DIRECTIONS`.
        src_weights, tgt_weights: of the same shape, what the differing triples of these mistakes
            weigh in the parse and in the gold graph.
        items: float64 pairs x constructions, how many of each the gold graph has.
        totals: float64 pairs x 3, the weights of the matches, of the triples of the parse, and of
            those of the gold graph: M, S and G, of which the F1 of triples is 2 M / (S + G).
        confusions: object, the confusions of each pair, a tuple of `Confusion`.
    """

    counts: Floats
    src_weights: Floats
    tgt_weights: Floats
    items: Floats
    totals: Floats
    confusions: np.ndarray[Any, Any]

    @classmethod
    def of(
        cls,
        explanations: Iterable[Explanation | None],
        found: Iterable[Sequence[Mistake]] | None = None,
    ) -> Self:
        """Collect the mistakes of pairs.

        Args:
            explanations: of parses (src) and gold graphs (tgt); None for a missing pair.
            found: the mistakes of each pair, if they are known.
        """
        explanations = [*explanations]
        if found is None:
            found = [() if one is None else mistakes(one) for one in explanations]
        pairs = zip(explanations, found, strict=True)
        rows = [MISSING if one is None else _row(one, own) for one, own in pairs]
        *numbers, confusions = zip(*(rows or [MISSING]), strict=True)
        labels = np.empty(len(confusions), object)
        labels[:] = confusions
        return cls(*(np.array(column)[: len(rows)] for column in (*numbers, labels)))

    @classmethod
    def of_scored(cls, scored: Scored) -> Self:
        """Return the mistakes that were collected when the pairs were scored."""
        return cls(**scored.parts[MISTAKES].details)

    def part(self) -> Scores:
        """Return the columns as a part of `Scored`."""
        details = {field.name: getattr(self, field.name) for field in fields(self)}
        return Scores(self.counts.sum(axis=(1, 2)), details)

    @property
    def present(self) -> Bools:
        """Which pairs are not missing."""
        return ~np.isnan(self.totals[:, 0])


def explains_triples(metric: Metric) -> bool:
    """Return whether a metric aligns triples, so that its explanations show mistakes."""
    graph = Graph(("c",), ("cat",), (), (), "c")
    try:
        return bool(metric.triple_solver or metric.explain(Pair(graph, graph)).matched)
    except MetricError:
        return False


PairMistakes = tuple[Floats, Floats, Floats, Floats, Floats, tuple[Confusion, ...] | None]
MISSING: PairMistakes = (
    *np.full((3, *SHAPE), np.nan),
    np.full(len(CONSTRUCTIONS), np.nan),
    np.full(3, np.nan),
    None,
)


def _row(explanation: Explanation, found: Sequence[Mistake]) -> PairMistakes:
    counts, src_weights, tgt_weights = np.zeros((3, *SHAPE))
    for one in found:
        at = CONSTRUCTION[one.construction], DIRECTION[one.direction]
        counts[at] += 1
        src_weights[at] += one.src_weight
        tgt_weights[at] += one.tgt_weight
    src, tgt = explanation.weights
    matched = sum(weight for _, _, weight in explanation.matched)
    parse, gold = explanation.triples
    totals = [matched, total_weight(parse, src), total_weight(gold, tgt)]
    columns = counts, src_weights, tgt_weights
    return *columns, _items(gold), np.array(totals), _confusions(explanation, found)


def _items(triples: Collection[ExplainedTriple]) -> Floats:
    """Count the items of each construction in the triples of a gold graph.

    Names are counted by their nodes, senses by the concepts that have one, and re-entrancies by the
    relations to a node beyond the first. A relation can be of the wrong role or attachment.
    """
    known = known_triples(triples)
    names = {t.source for t in known if t.kind == "instance" and t.target == NAME}
    items = dict.fromkeys(CONSTRUCTIONS, 0)
    incoming: Counter[str] = Counter()
    for kind, role, source, target in known:
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
    items["other"] = len(triples) - len(known)
    return np.array([*items.values()], np.float64)


def _confusions(explanation: Explanation, found: Iterable[Mistake]) -> tuple[Confusion, ...]:
    chosen = [one for one in found if one.construction in CONFUSED and one.tgt]
    chosen = [one for one in chosen if one.src or one.construction == "negation"]
    if not chosen:
        return ()
    src, tgt = map(_concepts, explanation.triples)
    confusions = []
    for one in chosen:
        gold, parse = one.tgt[0], one.src[0] if one.src else None
        confusions.append(
            Confusion(
                one.construction,
                _label(gold),
                "" if parse is None else _label(parse, one.is_inverse),
                str(gold),
                _text(gold, tgt),
                "" if parse is None else _text(parse, src),
            )
        )
    return tuple(confusions)


def _concepts(triples: Iterable[ExplainedTriple]) -> dict[str, str]:
    known = known_triples(triples)
    return {triple.source: triple.target for triple in known if triple.kind == "instance"}


def _label(triple: ExplainedTriple, is_inverse: bool = False) -> str:
    if triple.kind == "instance":
        return triple.target
    role = _spelled(triple.role)
    if triple.kind == "attribute":
        return f"{role} {triple.target}"
    return f"{role}-of" if is_inverse else role


def _text(triple: ExplainedTriple, concepts: Mapping[str, str]) -> str:
    """Return a triple with concepts in place of nodes, such as ``want-01 :ARG0 boy``."""
    if triple.kind == "instance":
        return triple.target
    target = triple.target
    if triple.kind == "relation":
        target = concepts.get(target, target)
    return f"{concepts.get(triple.source, triple.source)} {_spelled(triple.role)} {target}"


def _spelled(role: str) -> str:
    """Return a role as AMR spells it; metrics compare roles regardless of case."""
    return f":ARG{role[4:]}" if is_core(role) else role
