"""AnCast's alignment of two sentence graphs, and its score of their labelled relations.

The alignment is a heuristic: concepts that occur once on both sides and in the sentence are
anchors, similarity spreads from them along edges, and pairs that are each other's most similar
nodes are aligned. It depends on the order of the nodes where nodes are equally similar.
Source: Sun and Xue (2024), Anchor and broadcast: an efficient concept alignment approach for
evaluation of semantic graphs, and its released code (https://github.com/umr4nlp/ancast).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from amr_metrics.documents.sentences import list_written
from amr_metrics.graphs.graph import Graph
from amr_metrics.types import Bools, Floats

SENSE = re.compile(r"-([0-9]{2})")
VARIABLE = re.compile(r"s[0-9]+[a-z]+[0-9]*")
# The constants without quotes that the released code does not take for variables.
AMR_CONSTANT = re.compile(r"[0-9.:+-]+|imperative|expressive")
OTHER_SENSE = 0.1  # what a different sense takes from the similarity of two concepts
ANCHOR_ROUNDS, SPREAD_ROUNDS = 5, 50
TOLERANCE, DECIMALS = 1e-4, 4
# Added to the spread similarity and to that of the concepts before they are multiplied.
LEAST_SPREAD, LEAST_CONCEPT = 1e-3, 2e-1


End = int | str  # a node, or a constant
Partners = dict[int, int]  # from nodes of one graph to those of the other, by position


class Name(NamedTuple):
    """The name of a concept without its sense; constants have sense 0."""

    text: str
    sense: int = 0


def is_umr_variable(constant: str) -> bool:
    """Return whether a constant has the form of a variable in UMR files."""
    return VARIABLE.fullmatch(constant) is not None


def is_amr_variable(constant: str) -> bool:
    """Return whether the released code takes a constant in AMR files for a variable.

    >>> [c for c in ("-", "interrogative", '"Rome"', "2.5", "x") if is_amr_variable(c)]
    ['interrogative', 'x']
    """
    return not constant.startswith('"') and AMR_CONSTANT.fullmatch(constant) is None


@dataclass(frozen=True, eq=False)
class AncastGraph:
    """A sentence graph as AnCast reads it.

    Attributes:
        names: of the nodes.
        relations: the labels between each two nodes, or a node and a constant; a constant under
            ``:mod`` is the predicate.
        attributes: the constant of each other role of each node.
        roles: the roles at each node, seen from it.
    """

    names: Sequence[Name]
    relations: Mapping[tuple[End, End], set[str]]
    attributes: Sequence[Mapping[str, str]]
    roles: Sequence[set[str]]

    def name(self, end: End) -> Name:
        """Return the name of a node or of a constant."""
        return self.names[end] if isinstance(end, int) else Name(end)

    @classmethod
    def of(cls, graph: Graph, is_variable: Callable[[str], bool] = is_umr_variable) -> AncastGraph:
        """Return a graph as AnCast reads it.

        Args:
            is_variable: whether a constant is taken for a variable that is not defined; it is then
                left out.

        >>> from amr_metrics import parse_graph
        >>> read = AncastGraph.of(parse_graph("(d / Dog :ARG0-of (b / bark-01) :mod (s / big))"))
        >>> read.names[1], read.relations
        (Name(text='bark', sense=1), {(1, 0): {'arg0'}, (2, 0): {'mod-of'}})
        """
        roles: list[set[str]] = [set() for _ in graph.variables]
        attributes: list[dict[str, str]] = [{} for _ in graph.variables]
        relations: dict[tuple[End, End], set[str]] = {}
        for from_node, role, to_node in list_written(graph):
            source, target = graph.positions[from_node], graph.positions[to_node]
            role = role.removeprefix(":")
            roles[source].add(role)
            roles[target].add(_reverse(role))
            role = role.lower()
            if _is_reverse(role):
                source, role, target = target, _reverse(role), source
            relations.setdefault((source, target), set()).add(role)
        for node, (_, role, constant) in zip(graph.holders, graph.attributes, strict=True):
            if is_variable(constant):
                continue
            role, constant = role.removeprefix(":"), constant.strip('"').lower()
            roles[node].add(role)
            role = role.lower()
            role = _reverse(role) if _is_reverse(role) else role
            if role == "mod-of":
                relations.setdefault((constant, node), set()).add(role)
            else:
                relations.setdefault((node, constant), set()).add(role)
                attributes[node][role] = constant
        return cls([_name(c) for c in graph.concepts], relations, attributes, roles)


def align(src: AncastGraph, tgt: AncastGraph, *texts: str) -> tuple[Partners, Partners]:
    """Align two graphs.

    Args:
        texts: headers of the sentence; concepts that are in all of them may be anchors.

    Returns:
        the partner of each aligned node, by position: from src to tgt, and from tgt to src.

    >>> from amr_metrics import parse_graph
    >>> graphs = [AncastGraph.of(parse_graph(text)) for text in
    ...           ("(b / bark-01 :ARG0 (d / dog))", "(d / dog :ARG0-of (h / howl-01))")]
    >>> align(*graphs, "Dogs bark")
    ({0: 1, 1: 0}, {1: 0, 0: 1})
    """
    if not src.names or not tgt.names:
        return {}, {}
    similarity = _measure_similarities(src, tgt)
    # Similarity spreads both ways along edges: N[i, j] = 1 if j is an argument of i, and N^T.
    near = _find_neighbours(src), _find_neighbours(tgt)
    directions = [near, (near[0].T.copy(), near[1].T.copy())]
    neighbours = [(*both, _compare_neighbours(*both)) for both in directions]
    anchors = _find_first_anchors(src, tgt, [text.lower() for text in texts])
    forwards, backwards = _pair_anchors(anchors)
    combined = similarity
    # Each round spreads similarity from the anchors and takes the pairs that are now each other's
    # most similar nodes as anchors. A pair that is no longer one is dropped; a node that has a
    # partner keeps it.
    for _ in range(ANCHOR_ROUNDS):
        spread = _spread_similarity(anchors.astype(np.float64), neighbours)
        combined = np.around((spread + LEAST_SPREAD) * (similarity + LEAST_CONCEPT), DECIMALS)
        former, anchors = anchors, _find_new_anchors(combined, src, tgt)
        for i, j in np.argwhere(former & ~anchors).tolist():
            forwards.pop(i, None)
            backwards.pop(j, None)
        if not (anchors & ~former).any():
            break
        new = _pair_anchors(anchors)
        forwards, backwards = {**new[0], **forwards}, {**new[1], **backwards}
    _align_rest(combined, src, tgt, forwards, backwards)
    return forwards, backwards


def relation_credit(
    graph: AncastGraph, reference: AncastGraph, partners: Partners
) -> tuple[float, int]:
    """Return the credit of a graph's labelled relations, and their number.

    A label that the partners of both ends also have between them earns the mean similarity of the
    concepts at both ends.
    """
    credit, count = 0.0, 0
    for (source, target), labels in graph.relations.items():
        count += len(labels)
        mapped = [
            partners.get(end, -1) if isinstance(end, int) else end for end in (source, target)
        ]
        if shared := labels & reference.relations.get((mapped[0], mapped[1]), set()):
            similarity = sum(
                name_similarity(graph.name(end), reference.name(partner))
                for end, partner in zip((source, target), mapped, strict=True)
            )
            credit += similarity / 2 * len(shared)
    return credit, count


def sum_similarities(src: AncastGraph, tgt: AncastGraph, partners: Partners) -> float:
    """Return the sum of the similarities of the aligned nodes, their constants included."""
    rows, columns = [*partners], [*partners.values()]
    return float(_measure_similarities(src, tgt)[rows, columns].sum())


def name_similarity(a: Name, b: Name) -> float:
    """Return the similarity of two concepts: the share of the longer that the other one is.

    >>> name_similarity(Name("run", 1), Name("runner", 2))
    0.45
    """
    shorter, longer = sorted((a.text, b.text), key=len)
    if shorter not in longer:
        return 0.0
    share = len(shorter) / len(longer) if longer else 1.0
    return share * (1 + OTHER_SENSE * ((a.sense == b.sense) - 1))


def _name(concept: str) -> Name:
    sense = SENSE.search(concept)
    if sense is None:
        return Name(concept.lower())
    return Name(concept[: sense.start()].lower(), int(sense[1]))


def _reverse(role: str) -> str:
    return role[:-3] if role.endswith("-of") else f"{role}-of"


def _is_reverse(role: str) -> bool:
    return role == "mod" or (role.endswith("-of") and role != "mod-of")


def _measure_similarities(src: AncastGraph, tgt: AncastGraph) -> Floats:
    """Return n x m similarities of names with their strings, and of other attributes."""
    # The strings of a name are part of its text: (n / name :op1 "Rome") is "namerome".
    (src_nodes, tgt_nodes) = (
        [
            (
                name._replace(text=name.text + "".join(v for r, v in values.items() if _is_op(r))),
                {role: value for role, value in values.items() if not _is_op(role)},
            )
            for name, values in zip(graph.names, graph.attributes, strict=True)
        ]
        for graph in (src, tgt)
    )
    similarity = np.empty((len(src.names), len(tgt.names)))
    for i, (src_name, src_values) in enumerate(src_nodes):
        for j, (tgt_name, tgt_values) in enumerate(tgt_nodes):
            value = name_similarity(src_name, tgt_name)
            if shared := src_values.keys() & tgt_values.keys():
                equal = sum(src_values[role] == tgt_values[role] for role in shared)
                value = (value + equal / len(shared)) / 2
            similarity[i, j] = value
    return similarity


def _is_op(role: str) -> bool:
    return role.startswith("op")


def _find_first_anchors(src: AncastGraph, tgt: AncastGraph, texts: Sequence[str]) -> Bools:
    """Return the pairs of equal concepts that occur once on both sides, and in all texts."""
    anchors = np.zeros((len(src.names), len(tgt.names)), np.bool_)
    src_names, tgt_names = ([name.text for name in graph.names] for graph in (src, tgt))
    for i, name in enumerate(src_names):
        in_texts = all(name in text for text in texts)
        if in_texts and src_names.count(name) == tgt_names.count(name) == 1:
            anchors[i, tgt_names.index(name)] = True
    return anchors


def _find_neighbours(graph: AncastGraph) -> Floats:
    """Return n x n: whether one node is an argument of another, or of an argument of it."""
    size = len(graph.names)
    near = np.zeros((size, size))
    for source, target in graph.relations:
        if isinstance(source, int) and isinstance(target, int):
            near[source, target] = 1
    # N N has the arguments of arguments; no node is a neighbour of itself.
    return ((near @ near + near) * (1 - np.eye(size)) > 0).astype(np.float64)


def _compare_neighbours(src: Floats, tgt: Floats) -> Floats:
    """Return how many times as many neighbours one node has as the other; infinity for none."""
    src_counts, tgt_counts = src.sum(1)[:, None], tgt.sum(1)[None, :]
    fewer, more = np.minimum(src_counts, tgt_counts), np.maximum(src_counts, tgt_counts)
    return np.asarray(np.divide(more, fewer, out=np.full_like(more, np.inf), where=fewer > 0))


def _spread_similarity(
    anchors: Floats, neighbours: Sequence[tuple[Floats, Floats, Floats]]
) -> Floats:
    """Spread similarity from anchors to pairs of nodes whose neighbours are similar.

    Args:
        neighbours: for arguments and for predicates, those of both graphs, and their
            `_compare_neighbours`.
    """
    # S' = sqrt((N S M^T / D + 1) (N^T S M / D' + 1) - 1), where N and M are the neighbours in both
    # graphs and D and D' say how much their numbers differ. The largest similarity is scaled to 1,
    # and that of an anchor stays 1.
    similarity = anchors
    for _ in range(SPREAD_ROUNDS):
        former = similarity
        by_arguments, by_predicates = (
            (src @ former) @ tgt.T / agreement for src, tgt, agreement in neighbours
        )
        similarity = np.sqrt((by_arguments + 1) * (by_predicates + 1) - 1)
        if (most := similarity.max()) > 0:
            similarity = similarity / most
        similarity = np.maximum(similarity, anchors)
        if np.allclose(former, similarity, atol=TOLERANCE):
            break
    return similarity


def _pair_anchors(anchors: Bools) -> tuple[Partners, Partners]:
    forwards: Partners = {}
    backwards: Partners = {}
    for i, j in np.argwhere(anchors).tolist():
        forwards.setdefault(i, j)
        backwards.setdefault(j, i)
    return forwards, backwards


def _find_new_anchors(combined: Floats, src: AncastGraph, tgt: AncastGraph) -> Bools:
    """Return the pairs that are each other's only most similar node.

    As in the released code, node 0 is not chosen by its roles.
    """

    def only_best(row: Floats, roles: set[str], graph: AncastGraph) -> int:
        best = _find_most_similar(row, range(len(row)), roles, graph)
        by_roles = (row == row.max()).sum() > 1
        return best[0] if len(best) == 1 and (best[0] > 0 or not by_roles) else -1

    best = [only_best(*row, tgt) for row in zip(combined, src.roles, strict=True)]
    best_of_tgt = [only_best(*row, src) for row in zip(combined.T, tgt.roles, strict=True)]
    anchors = np.zeros(combined.shape, np.bool_)
    for i, j in enumerate(best):
        anchors[i, j] = j >= 0 and best_of_tgt[j] == i
    return anchors


def _align_rest(
    combined: Floats,
    src: AncastGraph,
    tgt: AncastGraph,
    forwards: Partners,
    backwards: Partners,
) -> None:
    """Align the remaining nodes, pairs that are each other's most similar first."""
    rows = [i for i in range(len(src.names)) if i not in forwards]
    columns = [j for j in range(len(tgt.names)) if j not in backwards]
    while rows and columns:
        best = {
            i: _find_most_similar(combined[i, columns], columns, src.roles[i], tgt)[0] for i in rows
        }
        best_of_tgt = {
            j: _find_most_similar(combined[rows, j], rows, tgt.roles[j], src)[0] for j in columns
        }
        mutual = [(i, j) for i, j in best.items() if best_of_tgt[j] == i]
        for i, j in mutual or [(rows[0], best[rows[0]])]:  # none: ties in a circle
            forwards[i], backwards[j] = j, i
            rows.remove(i)
            columns.remove(j)


def _find_most_similar(
    similarity: Floats, nodes: Sequence[int], roles: set[str], graph: AncastGraph
) -> list[int]:
    """Return the nodes of a graph with the greatest similarity to a node with some roles.

    Of several, those whose roles have the most in common with its roles.
    """
    best = [nodes[k] for k in np.flatnonzero(similarity == similarity.max()).tolist()]
    shares = [_measure_jaccard(roles, graph.roles[node]) for node in best]
    return [node for node, share in zip(best, shares, strict=True) if share == max(shares)]


def _measure_jaccard(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0
