"""The overlap of two graphs in concepts, relations, roles, negation, numbers and names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.compiled import compiled
from amr_metrics.graphs.folding import SENSE
from amr_metrics.graphs.pairs import Pair
from amr_metrics.graphs.rows import per_row, row_positions, starts
from amr_metrics.transport.encoding import EncodedPairs, encode
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.vectors.sif import information, information_digest

NUMBER = re.compile(r"[\d.,:]*\d[\d.,:]*")
MOST_COMPARED = 1 << 12  # pairs of facts compared one by one; longer lists are sorted
# Kinds of facts whose number of unmatched facts is a column: most graphs have none or few of them.
COUNTED = ("negations", "numbers", "names")


@dataclass(frozen=True, kw_only=True)
class LabelOverlap(Metric):
    """Dice coefficient of the concepts and relations of two graphs, in 0..1.

    A relation is (concept, role, concept); concepts have no senses, and a constant is a concept.
    Nothing is aligned: facts are compared as multisets of labels. The columns give the overlap of
    further kinds of facts (see `evaluate`).

    >>> from amr_metrics import parse_graph
    >>> a, b = (parse_graph(f"(s / sleep-01 :ARG0 (c / {x}))") for x in ("cat", "dog"))
    >>> scores = LabelOverlap().evaluate([Pair(a, b)])
    >>> scores.values.round(3).tolist(), scores.details["roles"].tolist()
    ([0.333], [1.0])
    """

    @property
    def signature(self) -> str:
        """The metric, all its options, the frequencies and the version."""
        return f"{super().signature}|frequencies={information_digest()}"

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the score of each pair; two empty graphs score 1, an empty and a non-empty one 0.

        Columns: the Dice coefficient of each kind of facts, 1 if neither graph has any:

        - ``senses``: concepts with their senses; ``concepts``: without; ``predicates``, ``others``:
          concepts with and without a sense.
        - ``relations``; ``edges``: relations without role; ``sources``, ``targets``: (concept,
          role) and (role, concept); ``roles``; ``core_roles``: those that begin with ``:ARG``.
        - ``negations``: concepts with ``:polarity``; ``numbers``: numerical constants; ``names``:
          parts of names.

        ``negations_unmatched``, ``numbers_unmatched`` and ``names_unmatched`` count the facts of
        either graph without a match, and ``negations_difference`` is the difference of the numbers
        of negations. ``information_unmatched`` is the sum of the information of the relations of a
        graph that have no match in the other one, for the graph where it is larger: it shows
        relations that hardly occur elsewhere, such as one with confused roles.

        ``nodes_ratio`` and ``relations_ratio`` are the smaller size divided by the larger one.
        """
        encoded = encode(self.views(pairs))
        details: dict[str, Floats] = {}
        totals = np.zeros((3, len(encoded)))
        for kind, facts in _kinds(encoded):
            counts = _overlap(facts, encoded)
            details[kind] = _dice(counts)
            if kind in ("concepts", "relations"):
                totals += counts
            if kind in COUNTED:
                details[f"{kind}_unmatched"] = counts[1] + counts[2] - 2 * counts[0]
            if kind == "negations":
                details[f"{kind}_difference"] = np.abs(counts[1] - counts[2])
        relations = informed_relations(encoded)
        matched, src, tgt = _overlap(relations, encoded)
        details["information_unmatched"] = np.maximum(np.maximum(src, tgt) - matched, 0.0)
        details["nodes_ratio"] = _size_ratio(encoded.graphs.node_start, encoded)
        details["relations_ratio"] = _size_ratio(encoded.graphs.edge_start, encoded)
        return Scores(_dice(totals), details)


class WeightedFacts(NamedTuple):
    """Facts of one kind of n_lemmas graphs, each graph once.

    Attributes:
        keys: int64, equal for equal facts.
        start: int64, those of graph g are ``keys[start[g]:start[g + 1]]``.
        weights: float64, equal for equal facts.
    """

    keys: Ints
    start: Ints
    weights: Floats


def _kinds(encoded: EncodedPairs) -> Iterator[tuple[str, WeightedFacts]]:
    graphs, labels, roles = encoded.graphs, encoded.labels, encoded.roles
    lemma_names = [SENSE.sub("", label) for label in labels]
    numbers = {name: k for k, name in enumerate(dict.fromkeys(lemma_names))}
    lemma_of = np.array([numbers[name] for name in lemma_names], np.int64)
    node_start, edge_start = graphs.node_start, graphs.edge_start
    node_graph = np.repeat(np.arange(len(node_start) - 1), np.diff(node_start))
    edge_graph = np.repeat(np.arange(len(edge_start) - 1), np.diff(edge_start))
    nodes = graphs.labels
    lemmas = lemma_of[nodes]
    # Constants follow the nodes that have a variable.
    constant = row_positions(node_start) >= graphs.variables[node_graph]
    predicate = _flags([SENSE.search(label) for label in labels])[nodes] & ~constant
    number = _flags([NUMBER.fullmatch(label) for label in labels])[nodes] & constant
    first = node_start[edge_graph]
    source, target = lemmas[first + graphs.sources], lemmas[first + graphs.targets]
    role = graphs.roles
    core = _flags([name.startswith(":arg") for name in roles])[role]
    polarity = _flags([name == ":polarity" for name in roles])[role]
    name = source == numbers.get("name", -1)
    # The numbers of a relation's parts are the digits of its key.
    n_lemmas, n_roles = len(numbers) + 1, len(roles) + 1
    count = len(node_start) - 1

    def facts(keys: Ints, graph: Ints, mask: Bools | None = None) -> WeightedFacts:
        if mask is not None:
            keys, graph = keys[mask], graph[mask]
        return WeightedFacts(keys, starts(np.bincount(graph, minlength=count)), np.ones(len(keys)))

    yield "senses", facts(nodes, node_graph)
    yield "concepts", facts(lemmas, node_graph)
    yield "predicates", facts(nodes, node_graph, predicate)
    yield "others", facts(nodes, node_graph, ~predicate & ~constant)
    yield "relations", facts((source * n_roles + role) * n_lemmas + target, edge_graph)
    yield "edges", facts(source * n_lemmas + target, edge_graph)
    yield "sources", facts(source * n_roles + role, edge_graph)
    yield "targets", facts(role * n_lemmas + target, edge_graph)
    yield "roles", facts(role, edge_graph)
    yield "core_roles", facts(role, edge_graph, core)
    yield "negations", facts(source, edge_graph, polarity)
    yield "numbers", facts(nodes, node_graph, number)
    yield "names", facts(target, edge_graph, name)


def _flags(values: Sequence[object]) -> Bools:
    return np.array([bool(value) for value in values], np.bool_)


def informed_relations(encoded: EncodedPairs) -> WeightedFacts:
    """Return the relations of each graph, without senses, weighted by their information."""
    graphs = encoded.graphs
    lemmas = [SENSE.sub("", label) for label in encoded.labels]
    first = per_row(graphs.node_start[:-1], graphs.edge_start)
    sources, targets = (graphs.labels[first + end] for end in (graphs.sources, graphs.targets))
    # The text of each distinct relation is formed once.
    shape = (len(lemmas) + 1, len(encoded.roles) + 1, len(lemmas) + 1)
    relations = np.ravel_multi_index((sources, graphs.roles, targets), shape)
    distinct, rows = np.unique(relations, return_inverse=True)
    texts: dict[str, int] = {}
    numbers = [
        texts.setdefault(f"{lemmas[s]} {encoded.roles[role]} {lemmas[t]}", len(texts))
        for s, role, t in zip(
            *[part.tolist() for part in np.unravel_index(distinct, shape)], strict=True
        )
    ]
    keys = np.array(numbers, np.int64)[rows]
    return WeightedFacts(keys, graphs.edge_start, information(list(texts))[keys])


def _overlap(facts: WeightedFacts, encoded: EncodedPairs) -> Floats:
    return np.asarray(_matched(*facts, encoded.src, encoded.tgt))


@compiled
def _matched(keys: Ints, start: Ints, weights: Floats, src: Ints, tgt: Ints) -> Floats:
    """Return the total weight of the matched facts, of src and of tgt, 3 x pairs."""
    out = np.zeros((3, src.size))
    for p in range(src.size):
        a, a_end = start[src[p]], start[src[p] + 1]
        b, b_end = start[tgt[p]], start[tgt[p] + 1]
        out[1, p], out[2, p] = weights[a:a_end].sum(), weights[b:b_end].sum()
        if (a_end - a) * (b_end - b) > MOST_COMPARED:
            out[0, p] = _matched_sorted(keys[a:a_end], weights[a:a_end], keys[b:b_end])
            continue
        used = np.zeros(b_end - b, np.bool_)
        for i in range(a, a_end):
            for j in range(b, b_end):
                if keys[i] == keys[j] and not used[j - b]:
                    used[j - b] = True
                    out[0, p] += weights[i]
                    break
    return out


@compiled
def _matched_sorted(a: Ints, weights: Floats, b: Ints) -> float:
    """Return the weights of matched facts of two long lists, added in the order of the first."""
    b_sorted = np.sort(b)
    matched = np.zeros(b.size, np.int64)  # of the equal facts that begin at each position
    total = 0.0
    for i in range(a.size):
        first = np.searchsorted(b_sorted, a[i])
        if first < b.size and b_sorted[first] == a[i]:
            unmatched = first + matched[first]
            if unmatched < b.size and b_sorted[unmatched] == a[i]:
                matched[first] += 1
                total += weights[i]
    return total


def _dice(counts: Floats) -> Floats:
    """Divide twice the number of matched facts by that of all facts; 1 if there are none."""
    total = counts[1] + counts[2]
    return np.asarray(np.divide(2 * counts[0], total, out=np.ones(len(total)), where=total > 0))


def _size_ratio(start: Ints, encoded: EncodedPairs) -> Floats:
    sizes = np.diff(start)
    src, tgt = sizes[encoded.src], sizes[encoded.tgt]
    low, high = np.minimum(src, tgt).astype(np.float64), np.maximum(src, tgt)
    return np.asarray(np.divide(low, high, out=np.ones(len(low)), where=high > 0))
