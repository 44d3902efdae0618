"""The triples of all graphs of a corpus as facts, encoded in one pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from amr_metrics.alignment.facts import Facts, FactTable
from amr_metrics.compiled import compiled
from amr_metrics.graphs.corpus import Corpus, Labels
from amr_metrics.graphs.rows import per_row, row_positions, starts
from amr_metrics.types import Floats, Ints

Root = Literal["concept", "constant", "none"]
ROOTS = ("concept", "constant", "none")
Weights = list[Floats]  # a weight per node, per attribute, per graph (of its TOP), per relation


def triples(
    corpus: Corpus,
    labels: Labels,
    root: Root,
    fold: Callable[[str], str],
    *,
    grounded: bool = False,
    weights: Weights | None = None,
    counted: bool = False,
) -> FactTable:
    """Return the triples of each graph as facts, whose labels are (kind, value).

    In this order: ``instance(v, concept)`` with the label ``("instance", concept)``,
    ``role(v, constant)`` with ``("attribute", (role, constant))``, ``TOP(root, value)`` with
    ``("TOP", value)``; and ``role(v, w)`` with ``("relation", role)``.

    Args:
        labels: where labels are numbered.
        root: the value of TOP: the root's concept, always the same, or no TOP.
        fold: normalises concepts, roles and constants.
        grounded: whether the last node of each graph has no concept and cannot be the root
            (see `amr_metrics.alignment.compression`).
        weights: the weights of the triples; 1 each unless given.
        counted: count repeated triples, see `FactTable`.
    """
    symbols, sizes = corpus.symbols, corpus.sizes

    def number(kind: str, used: Ints) -> Ints:
        return labels.of(symbols, used, lambda text: (kind, fold(text)))[used]

    counts = sizes - 1 if grounded else sizes
    nodes = row_positions(corpus.node_start)
    has_concept = nodes < np.repeat(counts, sizes)
    has_top = (corpus.tops >= 0) & (corpus.tops < counts) & (root != "none")
    tops = corpus.tops[has_top]
    if weights is None:
        columns = (corpus.concepts, corpus.constants, corpus.tops, corpus.sources)
        weights = [np.ones(len(rows)) for rows in columns]
    if root == "concept":
        top_labels = number("TOP", corpus.concepts[corpus.node_start[:-1][has_top] + tops])
    else:
        top_labels = np.full(len(tops), labels.number(("TOP", "top")) if len(tops) else 0)
    concepts = number("instance", corpus.concepts[has_concept])
    constants = _attributes(corpus, labels, fold)
    roles = number("relation", corpus.relation_roles)
    facts = Facts.joined(
        [
            Facts.of(starts(counts), [nodes[has_concept], concepts], weights[0][has_concept]),
            Facts.of(corpus.attribute_start, [corpus.holders, constants], weights[1]),
            Facts.of(starts(has_top), [tops, top_labels], weights[2][has_top]),
        ]
    )
    ends_and_roles = [corpus.sources, corpus.targets, roles]
    edges = Facts.of(corpus.relation_start, ends_and_roles, weights[3])
    return FactTable(sizes, facts.distinct(counted), edges.distinct(counted), counted)


def role_weights(corpus: Corpus, weight: Callable[[str, str], float]) -> Weights:
    """Return the weights of the triples by role and kind.

    Args:
        weight: computes the weight for a role (``:instance`` and ``:root`` for triples without
            one) and a kind: ``instance``, ``attribute``, ``relation`` or ``root``.
    """

    def by_role(kind: str, roles: Ints) -> Floats:
        distinct, rows = np.unique(roles, return_inverse=True)
        texts = corpus.symbols.texts
        return np.array([weight(texts[role], kind) for role in distinct.tolist()], float)[rows]

    return [
        np.full(len(corpus.concepts), weight(":instance", "instance")),
        by_role("attribute", corpus.attribute_roles),
        np.full(len(corpus), weight(":root", "root")),
        by_role("relation", corpus.relation_roles),
    ]


def level_weights(corpus: Corpus, weight: Callable[[int], float]) -> Weights:
    """Return the weights of the triples by distance from the root.

    A concept has the weight of its node, an attribute that of a node one level below its
    holder, a relation the smaller of the weights at its ends.

    Args:
        weight: computes the weight of a node from its level, which is -1 if no path joins it
            to the root; must not increase with the level.
    """
    level = levels(corpus)
    by_level = np.array([weight(k) for k in range(-1, int(level.max(initial=0)) + 2)], float)
    # by_level[0] is the weight of level -1, hence the index level + 1.
    at_node, below = by_level[level + 1], by_level[np.where(level < 0, 0, level + 2)]
    first_node = corpus.node_start[:-1]
    holders = corpus.holders + per_row(first_node, corpus.attribute_start)
    first = per_row(first_node, corpus.relation_start)
    return [
        at_node,
        below[holders],
        np.full(len(corpus), weight(0)),
        np.minimum(at_node[corpus.sources + first], at_node[corpus.targets + first]),
    ]


def _attributes(corpus: Corpus, labels: Labels, fold: Callable[[str], str]) -> Ints:
    """Return the label of each attribute; each combination of role and constant is folded once."""
    texts, count = corpus.symbols.texts, len(corpus.symbols)
    keys = corpus.attribute_roles.astype(np.int64) * count + corpus.constants
    distinct, rows = np.unique(keys, return_inverse=True)
    used = np.stack(np.divmod(distinct, max(count, 1)))  # the role and constant of each combination
    folded = {k: fold(texts[k]) for k in np.unique(used).tolist()}
    numbers = [
        labels.number(("attribute", (folded[role], folded[constant])))
        for role, constant in used.T.tolist()
    ]
    return np.array(numbers, np.int64)[rows]


def levels(corpus: Corpus) -> Ints:
    """Return each node's distance from the root along edges of either direction, or -1.

    >>> from amr_metrics import parse_graph
    >>> graph = parse_graph("(s / sleep-01 :ARG0 (c / cat :ARG0-of (p / purr-01)))")
    >>> levels(Corpus.of([graph, graph])).tolist()
    [0, 1, 2, 0, 1, 2]
    """
    level = np.full(len(corpus.concepts), -1, np.int64)
    _levels(
        corpus.node_start,
        corpus.tops,
        corpus.relation_start,
        corpus.sources,
        corpus.targets,
        np.empty(corpus.sizes.max(initial=0) + 2, np.int64),
        np.empty(2 * np.diff(corpus.relation_start).max(initial=0), np.int64),
        np.empty(corpus.sizes.max(initial=0), np.int64),
        level,
    )
    return level


@compiled
def _levels(
    node_start: Ints,
    tops: Ints,
    relation_start: Ints,
    sources: Ints,
    targets: Ints,
    start: Ints,
    near: Ints,
    queue: Ints,
    level: Ints,
) -> None:
    """Search each graph in breadth from its root.

    Args:
        start, near: scratch for the neighbours of each node, ``near[start[v]:start[v + 1]]``.
        queue: scratch, as long as the largest graph has nodes.
        level: out; -1 throughout.
    """
    for g in range(tops.size):
        if tops[g] < 0:
            continue
        first, size = node_start[g], node_start[g + 1] - node_start[g]
        # Counted two places ahead, so that filling `near` moves each start to its place.
        start[: size + 2] = 0
        for r in range(relation_start[g], relation_start[g + 1]):
            start[sources[r] + 2] += 1
            start[targets[r] + 2] += 1
        for v in range(size):
            start[v + 2] += start[v + 1]
        for r in range(relation_start[g], relation_start[g + 1]):
            near[start[sources[r] + 1]] = targets[r]
            start[sources[r] + 1] += 1
            near[start[targets[r] + 1]] = sources[r]
            start[targets[r] + 1] += 1
        level[first + tops[g]] = 0
        queue[0], head, tail = tops[g], 0, 1
        while head < tail:
            v = queue[head]
            head += 1
            for k in range(start[v], start[v + 1]):
                if level[first + near[k]] < 0:
                    level[first + near[k]] = level[first + v] + 1
                    queue[tail] = near[k]
                    tail += 1
