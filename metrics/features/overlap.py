"""The overlap of two graphs in concepts, relations, roles, negation, numbers and names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from metrics.base import Metric, Scores
from metrics.compiled import compiled
from metrics.corpus import starts
from metrics.pairs import Pair
from metrics.sif import SIF
from metrics.transport.encoding import EncodedPairs, encode
from metrics.types import Bools, Floats, Ints

SENSE = re.compile(r"-\d+$")
NUMBER = re.compile(r"[\d.,:]*\d[\d.,:]*")
# Kinds of facts whose precision and recall are columns too.
BOTH_SIDES = ("concepts", "relations")
# Kinds whose number of unmatched facts is a column: graphs usually have none or few of them.
COUNTED = ("negations", "numbers", "names")


@dataclass(frozen=True, kw_only=True)
class Overlap(Metric):
    """Dice coefficient of the concepts and relations of two graphs, in 0..1.

    A relation is (concept, role, concept), without senses; a constant is a concept. Nothing is
    aligned: facts are compared as multisets of labels. A concept weighs a / (a + p), where p is the
    share of graphs with it (see `metrics.sif.SIF`), and a relation the mean of its two concepts.

    The columns give the overlap of further kinds of facts (see `evaluate`).

    Attributes:
        sif: the weights of labels.

    >>> from metrics import parse_graph
    >>> a, b = (parse_graph(f"(s / sleep-01 :ARG0 (c / {x}))") for x in ("cat", "dog"))
    >>> scores = Overlap().evaluate([Pair(a, b)])
    >>> scores.details["concepts"].tolist(), scores.details["roles"].tolist()
    ([0.5], [1.0])
    """

    sif: SIF = field(default_factory=SIF)

    @property
    def signature(self) -> str:
        """The metric, all its options, the frequencies and the version."""
        return f"{super().signature}|frequencies={self.sif.digest}"

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """The score of each pair; two empty graphs score 1, an empty and a non-empty one 0.

        Columns: the Dice coefficient of each kind of facts, 1 if neither graph has any:

        - ``senses``: concepts with their senses; ``concepts``: without; ``predicates``, ``others``:
          concepts with and without a sense.
        - ``relations``; ``edges``: relations without role; ``sources``, ``targets``: (concept,
          role) and (role, concept); ``roles``; ``core_roles``: those that begin with ``:ARG``.
        - ``negations``: concepts with ``:polarity``; ``numbers``: numerical constants; ``names``:
          parts of names.

        ``KIND_weighted`` weights facts by smooth inverse frequency. ``concepts`` and ``relations``
        have columns for precision and recall, ``concepts_weighted_src_unmatched`` and so on are the
        weights without a match; ``negations_unmatched``, ``numbers_unmatched`` and
        ``names_unmatched`` count facts of either graph without a match. ``nodes_ratio`` and
        ``relations_ratio`` are the smaller size divided by the larger one.
        """
        return super().evaluate(pairs)

    def _evaluate(self, views: Sequence[Pair]) -> Scores:
        encoded = encode(views, "2023", "undirected", False)
        details: dict[str, Floats] = {}
        totals = np.zeros((3, len(encoded)))
        for kind, facts in _kinds(encoded, views, self.sif):
            plain = _overlaps(facts._replace(weights=np.ones(len(facts.keys))))
            details[kind] = _dice(plain)
            if kind in COUNTED:
                details[f"{kind}_unmatched"] = plain[1] + plain[2] - 2 * plain[0]
                continue
            if not facts.weighted:
                continue
            weighted = _overlaps(facts)
            details[f"{kind}_weighted"] = _dice(weighted)
            if kind not in BOTH_SIDES:
                continue
            totals += weighted
            for suffix, parts in (("", plain), ("_weighted", weighted)):
                details[f"{kind}{suffix}_precision"] = _ratio(parts[0], parts[1], parts[2])
                details[f"{kind}{suffix}_recall"] = _ratio(parts[0], parts[2], parts[1])
            for side, total in (("src", weighted[1]), ("tgt", weighted[2])):
                details[f"{kind}_weighted_{side}_unmatched"] = total - weighted[0]
        graphs = encoded.graphs
        details["nodes_ratio"] = _size_ratio(graphs.node_start)
        details["relations_ratio"] = _size_ratio(graphs.edge_start)
        return Scores(_dice(totals), details)


class Facts(NamedTuple):
    """Facts of one kind of many graphs; graph 2p is the src of pair p, graph 2p + 1 its tgt.

    Attributes:
        keys: int64, equal for equal facts.
        weights: float64, equal for equal facts.
        start: int64, those of graph g are ``keys[start[g]:start[g + 1]]``.
        weighted: whether facts have different weights.
    """

    keys: Ints
    weights: Floats
    start: Ints
    weighted: bool


def _kinds(encoded: EncodedPairs, pairs: Sequence[Pair], sif: SIF) -> Iterator[tuple[str, Facts]]:
    """The facts of each kind."""
    graphs, labels, roles = encoded.graphs, encoded.labels, encoded.roles
    lemma_names = [SENSE.sub("", label) for label in labels]
    numbers = {name: k for k, name in enumerate(dict.fromkeys(lemma_names))}
    lemma_of = np.array([numbers[name] for name in lemma_names], np.int64)
    weight_of = sif.weights(labels)
    node_start, edge_start = graphs.node_start, graphs.edge_start
    node_graph = np.repeat(np.arange(len(node_start) - 1), np.diff(node_start))
    edge_graph = np.repeat(np.arange(len(edge_start) - 1), np.diff(edge_start))
    nodes = graphs.labels.astype(np.int64)
    lemmas, weights = lemma_of[nodes], weight_of[nodes]
    # Constants follow the nodes that have a variable.
    variables = np.array([len(graph.variables) for pair in pairs for graph in pair], np.int64)
    position = np.arange(len(nodes)) - node_start[node_graph]
    constant = position >= variables[node_graph]
    has_sense = _flags([SENSE.search(label) for label in labels])[nodes] & ~constant
    first = node_start[edge_graph]
    source, target = first + graphs.edges[:, 0], first + graphs.edges[:, 1]
    role = graphs.edges[:, 2].astype(np.int64)
    s, t = lemmas[source], lemmas[target]
    ws, wt = weights[source], weights[target]
    many, ways = len(numbers) + 1, len(roles) + 1
    is_core = _flags([name.startswith(":arg") for name in roles])[role]
    is_polarity = _flags([name == ":polarity" for name in roles])[role]
    is_number = _flags([NUMBER.fullmatch(label) for label in labels])[nodes] & constant
    name = numbers.get("name", -1)
    everywhere, every_edge = np.ones(len(nodes), np.bool_), np.ones(len(role), np.bool_)
    count = len(node_start) - 1

    def chosen(keys: Ints, own: Floats | None, graph: Ints, mask: Bools) -> Facts:
        start = starts(np.bincount(graph[mask], minlength=count))
        some = np.ones(len(keys)) if own is None else own
        return Facts(keys[mask], some[mask], start, own is not None)

    yield "senses", chosen(nodes, weights, node_graph, everywhere)
    yield "concepts", chosen(lemmas, weights, node_graph, everywhere)
    yield "predicates", chosen(nodes, weights, node_graph, has_sense)
    yield "others", chosen(nodes, weights, node_graph, ~has_sense & ~constant)
    relations = (s * ways + role) * many + t
    yield "relations", chosen(relations, (ws + wt) / 2, edge_graph, every_edge)
    yield "edges", chosen(s * many + t, (ws + wt) / 2, edge_graph, every_edge)
    yield "sources", chosen(s * ways + role, ws, edge_graph, every_edge)
    yield "targets", chosen(role * many + t, wt, edge_graph, every_edge)
    yield "roles", chosen(role, None, edge_graph, every_edge)
    yield "core_roles", chosen(role, None, edge_graph, is_core)
    yield "negations", chosen(s, None, edge_graph, is_polarity)
    yield "numbers", chosen(nodes, None, node_graph, is_number)
    yield "names", chosen(t, None, edge_graph, s == name)


def _flags(values: Sequence[object]) -> Bools:
    return np.array([bool(value) for value in values], np.bool_)


@compiled
def _matched(keys: Ints, weights: Floats, start: Ints) -> Floats:
    """Total weights of matched facts, of those of src and of those of tgt, 3 x pairs."""
    pairs = start.size // 2
    out = np.zeros((3, pairs))
    for p in range(pairs):
        first, middle, last = start[2 * p], start[2 * p + 1], start[2 * p + 2]
        used = np.zeros(last - middle, np.bool_)
        for j in range(middle, last):
            out[2, p] += weights[j]
        for i in range(first, middle):
            out[1, p] += weights[i]
            for j in range(middle, last):
                if keys[i] == keys[j] and not used[j - middle]:
                    used[j - middle] = True
                    out[0, p] += min(weights[i], weights[j])
                    break
    return out


def _overlaps(facts: Facts) -> Floats:
    return np.asarray(_matched(facts.keys, facts.weights, facts.start))


def _dice(parts: Floats) -> Floats:
    """Twice the matched weight divided by both totals; 1 if both are 0."""
    total = parts[1] + parts[2]
    ratio = np.divide(2 * parts[0], total, out=np.ones(len(total)), where=total > 0)
    return np.asarray(np.minimum(ratio, 1.0))


def _ratio(matched: Floats, own: Floats, other: Floats) -> Floats:
    """The matched share of `own`; if it is 0, 1 if `other` is 0 too and otherwise 0."""
    ratio = np.divide(matched, own, out=(other == 0).astype(np.float64), where=own > 0)
    return np.asarray(np.minimum(ratio, 1.0))


def _size_ratio(start: Ints) -> Floats:
    """The smaller number divided by the larger number in each pair; 1 if both are 0."""
    sizes = np.diff(start).reshape(-1, 2)
    low, high = sizes.min(axis=1).astype(np.float64), sizes.max(axis=1)
    return np.asarray(np.divide(low, high, out=np.ones(len(low)), where=high > 0))
