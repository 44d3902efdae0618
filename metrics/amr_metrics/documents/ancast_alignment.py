"""AnCast's alignment of two sentence graphs, and its score of their labelled relations.

The alignment is a heuristic: concepts that occur once on both sides and in the sentence are
anchors, similarity spreads from them along edges, and pairs that are each other's most similar
nodes are aligned. It depends on the order of the nodes where nodes are equally similar.
Source: Sun and Xue (2024), Anchor and broadcast: an efficient concept alignment approach for
evaluation of semantic graphs, and its released code (https://github.com/umr4nlp/ancast).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from amr_metrics.graphs.graph import Graph
from amr_metrics.types import Bools, Floats, Ints

SENSE = re.compile(r"-([0-9]{2})")
VARIABLE = re.compile(r"s[0-9]+[a-z]+[0-9]*")
OTHER_SENSE = 0.1  # what a different sense takes from the similarity of two concepts
ANCHOR_ROUNDS, SPREAD_ROUNDS = 5, 50
TOLERANCE, DECIMALS = 1e-4, 4
# Added to the spread similarity and to that of the concepts before they are multiplied.
LEAST_SPREAD, LEAST_CONCEPT = 1e-3, 2e-1


class Name(NamedTuple):
    """The name of a concept without its sense; constants have sense 0."""

    text: str
    sense: int = 0


@dataclass(frozen=True, eq=False)
class AncastGraph:
    """A sentence graph as AnCast reads it.

    Attributes:
        names: of the nodes.
        edges: predicate, label, argument: positions of nodes.
        constants: node, label, constant; a constant under ``:mod`` is the predicate.
        labels: the roles at each node, seen from it.
    """

    names: Sequence[Name]
    edges: Sequence[tuple[int, str, int]]
    constants: Sequence[tuple[int, str, str]]
    labels: Sequence[set[str]]

    @classmethod
    def of(cls, graph: Graph) -> AncastGraph:
        """Return a graph as AnCast reads it.

        >>> from amr_metrics import parse_graph
        >>> read = AncastGraph.of(parse_graph("(d / Dog :ARG0-of (b / bark-01) :mod (s / big))"))
        >>> read.names[1], read.edges
        (Name(text='bark', sense=1), [(1, 'arg0', 0), (2, 'mod-of', 0)])
        """
        inverted = set(graph.inverted)
        labels: list[set[str]] = [set() for _ in graph.variables]
        edges, constants = [], []
        ends = zip(graph.sources, graph.relations, graph.targets, strict=True)
        for k, (source, (_, role, _), target) in enumerate(ends):
            role = role.removeprefix(":")
            if k in inverted:
                source, role, target = target, f"{role}-of", source
            labels[source].add(role)
            labels[target].add(_reverse(role))
            role = role.lower()
            if _is_reverse(role):
                source, role, target = target, _reverse(role), source
            edges.append((source, role, target))
        for node, (_, role, constant) in zip(graph.holders, graph.attributes, strict=True):
            if VARIABLE.fullmatch(constant):  # a node that is not defined
                continue
            role = role.removeprefix(":")
            labels[node].add(role)
            role = role.lower()
            role = _reverse(role) if _is_reverse(role) else role
            constants.append((node, role, constant.strip('"').lower()))
        return cls([_name(c) for c in graph.concepts], edges, constants, labels)

    @property
    def attributes(self) -> list[dict[str, str]]:
        """The constant of each role of each node."""
        attributes: list[dict[str, str]] = [{} for _ in self.names]
        for node, role, constant in self.constants:
            if role != "mod-of":
                attributes[node][role] = constant
        return attributes

    def relations(self) -> dict[tuple[int | str, int | str], set[str]]:
        """Return the labels between each two nodes, or a node and a constant."""
        relations: dict[tuple[int | str, int | str], set[str]] = {}
        for source, role, target in self.edges:
            relations.setdefault((source, target), set()).add(role)
        for node, role, constant in self.constants:
            ends = (constant, node) if role == "mod-of" else (node, constant)
            relations.setdefault(ends, set()).add(role)
        return relations


class Alignment(NamedTuple):
    """The partner of each aligned node, by position.

    Attributes:
        forwards, backwards: from src to tgt, and from tgt to src.
    """

    forwards: Mapping[int, int]
    backwards: Mapping[int, int]


def align(src: AncastGraph, tgt: AncastGraph, text: str) -> Alignment:
    """Align two graphs that have nodes.

    Args:
        text: the header of the sentence; concepts in it may be anchors.

    >>> from amr_metrics import parse_graph
    >>> graphs = [AncastGraph.of(parse_graph(text)) for text in
    ...           ("(b / bark-01 :ARG0 (d / dog))", "(d / dog :ARG0-of (h / howl-01))")]
    >>> align(*graphs, text="Dogs bark").forwards
    {0: 1, 1: 0}
    """
    similarity = _similarities(src, tgt)
    spread = _Spread.of(src, tgt)
    anchors = _first_anchors(src, tgt, text.lower())
    forwards, backwards = _pairs(anchors)
    combined = similarity
    for _ in range(ANCHOR_ROUNDS):
        combined = np.around(
            (spread(anchors) + LEAST_SPREAD) * (similarity + LEAST_CONCEPT), DECIMALS
        )
        former, anchors = anchors, _new_anchors(combined, src, tgt)
        for i, j in zip(*np.nonzero(former & ~anchors), strict=True):
            forwards.pop(int(i), None)
            backwards.pop(int(j), None)
        if not (anchors & ~former).any():
            break
        new = _pairs(anchors)
        forwards, backwards = {**new[0], **forwards}, {**new[1], **backwards}
    _align_rest(combined, src, tgt, forwards, backwards)
    return Alignment(forwards, backwards)


def relation_credit(
    own: AncastGraph, other: AncastGraph, partner: Mapping[int, int]
) -> tuple[float, int]:
    """Return the credit of a graph's labelled relations, and their number.

    A label that the partners of both ends also have between them earns the mean similarity of the
    concepts at both ends.
    """
    credit, count = 0.0, 0
    others = other.relations()
    for (source, target), labels in own.relations().items():
        count += len(labels)
        ends = _partner(source, partner), _partner(target, partner)
        if ends in others:
            similarity = sum(
                name_similarity(_end(other, theirs), _end(own, mine))
                for theirs, mine in zip(ends, (source, target), strict=True)
            )
            credit += similarity / 2 * len(labels & others[ends])
    return credit, count


def name_similarity(a: Name, b: Name) -> float:
    """Return the similarity of two concepts: the share of the longer that the other one is.

    >>> name_similarity(Name("run", 1), Name("run", 2))
    0.9
    >>> name_similarity(Name("run"), Name("runner"))
    0.5
    """
    shorter, longer = sorted((a.text, b.text), key=len)
    if shorter not in longer:
        return 0.0
    share = len(shorter) / len(longer) if longer else 1.0
    return share * (1 + OTHER_SENSE * ((a.sense == b.sense) - 1))


def _partner(end: int | str, partner: Mapping[int, int]) -> int | str | None:
    return partner.get(end) if isinstance(end, int) else end


def _end(graph: AncastGraph, end: int | str | None) -> Name:
    return graph.names[end] if isinstance(end, int) else Name(str(end))


def _name(concept: str) -> Name:
    sense = SENSE.search(concept)
    if sense is None:
        return Name(concept.lower())
    return Name(concept[: sense.start()].lower(), int(sense[1]))


def _reverse(role: str) -> str:
    return role[:-3] if role.endswith("-of") else f"{role}-of"


def _is_reverse(role: str) -> bool:
    return role == "mod" or (role.endswith("-of") and role != "mod-of")


def _similarities(src: AncastGraph, tgt: AncastGraph) -> Floats:
    """Return n x m similarities of names with their strings, and of other attributes."""
    sides = [
        [
            (own, "".join(v for role, v in own.items() if role.startswith("op")))
            for own in attributes
        ]
        for attributes in (src.attributes, tgt.attributes)
    ]
    similarity = np.empty((len(src.names), len(tgt.names)))
    for i, (mine, strings) in enumerate(sides[0]):
        for j, (theirs, their_strings) in enumerate(sides[1]):
            names = (
                src.names[i]._replace(text=src.names[i].text + strings),
                tgt.names[j]._replace(text=tgt.names[j].text + their_strings),
            )
            value = name_similarity(*names)
            shared = [r for r in mine.keys() & theirs.keys() if not r.startswith("op")]
            if shared:
                value = (value + sum(mine[r] == theirs[r] for r in shared) / len(shared)) / 2
            similarity[i, j] = value
    return similarity


def _first_anchors(src: AncastGraph, tgt: AncastGraph, text: str) -> Bools:
    """Return the pairs of equal concepts that occur once on both sides and in the text."""
    anchors = np.zeros((len(src.names), len(tgt.names)), np.bool_)
    mine, theirs = ([name.text for name in graph.names] for graph in (src, tgt))
    for i, name in enumerate(mine):
        if name in text and mine.count(name) == theirs.count(name) == 1:
            anchors[i, theirs.index(name)] = True
    return anchors


class _Spread(NamedTuple):
    """Spreads similarity to pairs of nodes whose neighbours are similar, one or two edges away.

    Attributes:
        neighbours: for arguments and for predicates, those of both graphs, 0 or 1.
        scales: for both, by how much the numbers of neighbours agree.
    """

    neighbours: Sequence[tuple[Floats, Floats]]
    scales: Sequence[Floats]

    @classmethod
    def of(cls, src: AncastGraph, tgt: AncastGraph) -> _Spread:
        out = _neighbours(src, False), _neighbours(tgt, False)
        into = _neighbours(src, True), _neighbours(tgt, True)
        return cls([out, into], [_agreement(*out), _agreement(*into)])

    def __call__(self, anchors: Bools) -> Floats:
        start = anchors.astype(np.float64)
        similarity = start
        for _ in range(SPREAD_ROUNDS):
            former = similarity
            by_arguments, by_predicates = (
                (src @ former) @ tgt.T / scale
                for (src, tgt), scale in zip(self.neighbours, self.scales, strict=True)
            )
            similarity = np.sqrt((by_arguments + 1) * (by_predicates + 1) - 1)
            if (most := similarity.max()) > 0:
                similarity = similarity / most
            similarity = np.maximum(similarity, start)
            if np.allclose(former, similarity, atol=TOLERANCE):
                break
        return similarity


def _neighbours(graph: AncastGraph, inwards: bool) -> Floats:
    size = len(graph.names)
    near = np.zeros((size, size))
    for source, _, target in graph.edges:
        near[(target, source) if inwards else (source, target)] = 1
    return ((near @ near + near) * (1 - np.eye(size)) > 0).astype(np.float64)


def _agreement(src: Floats, tgt: Floats) -> Floats:
    """Return how many times as many neighbours one node has as the other; infinity for none."""
    mine, theirs = src.sum(1)[:, None], tgt.sum(1)[None, :]
    fewer, more = np.minimum(mine, theirs), np.maximum(mine, theirs)
    return np.where(fewer > 0, more / np.where(fewer > 0, fewer, 1), np.inf)


def _pairs(anchors: Bools) -> tuple[dict[int, int], dict[int, int]]:
    forwards: dict[int, int] = {}
    backwards: dict[int, int] = {}
    for i, j in zip(*(index.tolist() for index in np.nonzero(anchors)), strict=True):
        forwards.setdefault(i, j)
        backwards.setdefault(j, i)
    return forwards, backwards


def _new_anchors(combined: Floats, src: AncastGraph, tgt: AncastGraph) -> Bools:
    """Return the pairs that are each other's most similar node."""
    best = [_only_best(row, i, src, tgt) for i, row in enumerate(combined)]
    best_of_tgt = [_only_best(column, j, tgt, src) for j, column in enumerate(combined.T)]
    anchors = np.zeros(combined.shape, np.bool_)
    for i, j in enumerate(best):
        anchors[i, j] = j >= 0 and best_of_tgt[j] == i
    return anchors


def _only_best(row: Floats, node: int, own: AncastGraph, other: AncastGraph) -> int:
    """Return the most similar node, or -1 if there are several with equal roles.

    As in the released code, node 0 is not chosen by its roles.
    """
    nodes = np.flatnonzero(row == row.max())
    if len(nodes) == 1:
        return int(nodes[0])
    likely = _with_most_roles(nodes, node, own, other)
    return likely[0] if len(likely) == 1 and likely[0] != 0 else -1


def _with_most_roles(nodes: Ints, node: int, own: AncastGraph, other: AncastGraph) -> list[int]:
    """Return the nodes whose roles have the most in common with those of a node."""
    shares = [_jaccard(own.labels[node], other.labels[k]) for k in nodes.tolist()]
    return [k for k, share in zip(nodes.tolist(), shares, strict=True) if share == max(shares)]


def _jaccard(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


def _align_rest(
    combined: Floats,
    src: AncastGraph,
    tgt: AncastGraph,
    forwards: dict[int, int],
    backwards: dict[int, int],
) -> None:
    """Align the remaining nodes, pairs that are each other's most similar first."""
    rows = [i for i in range(len(src.names)) if i not in forwards]
    columns = [j for j in range(len(tgt.names)) if j not in backwards]
    while rows and columns:
        rest = combined[np.ix_(rows, columns)]
        best = [_first_best(line, columns, i, src, tgt) for i, line in zip(rows, rest, strict=True)]
        best_of_tgt = [
            _first_best(line, rows, j, tgt, src) for j, line in zip(columns, rest.T, strict=True)
        ]
        partners = dict(zip(columns, best_of_tgt, strict=True))
        mutual = [(i, j) for i, j in zip(rows, best, strict=True) if partners[j] == i]
        if not mutual:  # ties in a circle
            mutual = [(rows[0], best[0])]
        for i, j in mutual:
            forwards[i], backwards[j] = j, i
            rows.remove(i)
            columns.remove(j)


def _first_best(
    row: Floats, nodes: Sequence[int], node: int, own: AncastGraph, other: AncastGraph
) -> int:
    likely = np.array(nodes)[row == row.max()]
    return int(likely[0]) if len(likely) == 1 else _with_most_roles(likely, node, own, other)[0]
