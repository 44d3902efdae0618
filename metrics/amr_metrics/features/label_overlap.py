"""The overlap of two graphs in concepts, relations, roles, negation, numbers and names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.graphs.folding import SENSE
from amr_metrics.graphs.numbering import allocate_numbers
from amr_metrics.graphs.pairs import Pair
from amr_metrics.graphs.rows import list_groups, row_positions, starts
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.transport.encoding import EncodedPairs, encode
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.vectors.sif import information, information_digest

NUMBER = re.compile(r"[\d.,:]*\d[\d.,:]*")
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
        for kind, facts in _list_kinds(encoded):
            counts = match_facts(facts, encoded.src, encoded.tgt)
            details[kind] = _score_dice(counts)
            if kind in ("concepts", "relations"):
                totals += counts
            if kind in COUNTED:
                details[f"{kind}_unmatched"] = counts[1] + counts[2] - 2 * counts[0]
            if kind == "negations":
                details[f"{kind}_difference"] = np.abs(counts[1] - counts[2])
        relations = weigh_relations(encoded)
        matched, src, tgt = match_facts(relations, encoded.src, encoded.tgt)
        details["information_unmatched"] = np.maximum(np.maximum(src, tgt) - matched, 0.0)
        details["nodes_ratio"] = _compare_sizes(encoded.graphs.node_start, encoded)
        details["relations_ratio"] = _compare_sizes(encoded.graphs.edge_start, encoded)
        return Scores(_score_dice(totals), details)


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


def _list_kinds(encoded: EncodedPairs) -> Iterator[tuple[str, WeightedFacts]]:
    graphs, labels, roles = encoded.graphs, encoded.labels, encoded.roles
    lemma_names = [SENSE.sub("", label) for label in labels]
    numbers = {name: k for k, name in enumerate(dict.fromkeys(lemma_names))}
    lemma_of = np.array([numbers[name] for name in lemma_names], np.int64)
    node_start, edge_start = graphs.node_start, graphs.edge_start
    node_graph, edge_graph = list_groups(node_start), list_groups(edge_start)
    nodes = graphs.labels
    lemmas = lemma_of[nodes]
    # Constants follow the nodes that have a variable.
    constant = row_positions(node_start) >= graphs.variables[node_graph]
    predicate = _convert_to_flags([SENSE.search(label) for label in labels])[nodes] & ~constant
    number = _convert_to_flags([NUMBER.fullmatch(label) for label in labels])[nodes] & constant
    source, target = (lemma_of[ends] for ends in graphs.end_labels())
    role = graphs.roles
    core = _convert_to_flags([name.startswith(":arg") for name in roles])[role]
    polarity = _convert_to_flags([name == ":polarity" for name in roles])[role]
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


def _convert_to_flags(values: Sequence[object]) -> Bools:
    return np.array([bool(value) for value in values], np.bool_)


def weigh_relations(encoded: EncodedPairs) -> WeightedFacts:
    """Return the relations of each graph, without senses, weighted by their information."""
    graphs = encoded.graphs
    lemmas = [SENSE.sub("", label) for label in encoded.labels]
    sources, targets = graphs.end_labels()
    # A relation is the number of (source, role, target) in an array of that shape; the text of each
    # distinct one is formed once.
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


def match_facts(facts: WeightedFacts, src: Ints, tgt: Ints) -> Floats:
    """Return the total weight of the matched facts, of src and of tgt, 3 x pairs."""
    sizes = np.diff(facts.start)
    slots, memory = allocate_numbers(int((sizes[src] + sizes[tgt]).max(initial=0)))
    totals = np.empty((3, len(src)))
    _match_facts(
        *(len(sizes), len(facts.keys), len(src), slots, *facts, src, tgt),
        *(memory, np.empty(slots // 2, np.int64), totals),
    )
    return totals


_match_facts = declare_kernel("match_facts")


def _score_dice(counts: Floats) -> Floats:
    """Divide twice the number of matched facts by that of all facts; 1 if there are none."""
    total = counts[1] + counts[2]
    return np.asarray(np.divide(2 * counts[0], total, out=np.ones(len(total)), where=total > 0))


def _compare_sizes(start: Ints, encoded: EncodedPairs) -> Floats:
    sizes = np.diff(start)
    src, tgt = sizes[encoded.src], sizes[encoded.tgt]
    low, high = np.minimum(src, tgt).astype(np.float64), np.maximum(src, tgt)
    return np.asarray(np.divide(low, high, out=np.ones(len(low)), where=high > 0))
