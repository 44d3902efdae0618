"""AnCast's alignment of two sentence graphs, and its score of their labelled relations.

The alignment is a heuristic: concepts that occur once on both sides and in the sentence are
anchors, similarity spreads from them along edges, and pairs that are each other's most similar
nodes are aligned. It depends on the order of the nodes where nodes are equally similar.
Source: Sun and Xue (2024), Anchor and broadcast: an efficient concept alignment approach for
evaluation of semantic graphs, and its released code (https://github.com/umr4nlp/ancast, commit
37d6e7f). Scores equal those of the code wherever it does not fail; comments name its functions.
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

# What follows the first match is dropped, as in `Sentence.parse`: have-03-org-91 is have, sense 3.
SENSE = re.compile(r"-([0-9]{2})")
VARIABLE = re.compile(r"s[0-9]+[a-z]+[0-9]*")
# The constants without quotes that the released code does not take for variables.
AMR_CONSTANT = re.compile(r"[0-9.:+-]+|imperative|expressive")
OTHER_SENSE = 0.9  # the factor of the similarity of two concepts with different senses
# The defaults of `iterate_anchor_and_match` and `incorporate_neighborhood_information`.
ANCHOR_ROUNDS, SPREAD_ROUNDS = 5, 50
TOLERANCE, DECIMALS = 1e-4, 4
# Added to the spread similarity and to that of the concepts before they are multiplied.
LEAST_SPREAD, LEAST_CONCEPT = 1e-3, 2e-1
UNALIGNED = -1  # the position of the partner of a node without one

End = int | str  # the position of a node, or a constant
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


class Neighbours(NamedTuple):
    """The neighbours of the nodes of two graphs in one direction: arguments, or predicates.

    Neighbours are one or two edges away.

    Attributes:
        src: n x n, 1 if the second node is a neighbour of the first.
        tgt: m x m, the same.
        imbalance: n x m, how many times as many neighbours one of two nodes has as the other, at
            least 1; infinite if one has none: what is divided by it is then 0.
    """

    src: Floats
    tgt: Floats
    imbalance: Floats

    @classmethod
    def of(cls, src: Floats, tgt: Floats) -> Neighbours:
        """Return neighbours with their imbalance."""
        counts = src.sum(1)[:, None], tgt.sum(1)[None, :]
        fewer, more = np.minimum(*counts), np.maximum(*counts)
        imbalance = np.divide(more, fewer, out=np.full_like(more, np.inf), where=fewer > 0)
        return cls(src, tgt, np.asarray(imbalance))


@dataclass(frozen=True, eq=False)
class AncastGraph:
    """A sentence graph as AnCast reads it.

    Attributes:
        names: the name of each node.
        relations: from predicate and argument to the labels between them, in lower case. One of
            them may be a constant: the predicate under ``:mod``, the argument under other roles.
        attributes: for each node, from role to constant, the last one of a repeated role; without
            ``:mod``.
        roles: the roles of each node's edges in both directions, as they are written: ties are
            resolved by the exact roles (`get_rel_set`), all else ignores case.
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
            is_variable: whether a constant is taken for a variable that is not defined. Such a
                constant is left out.

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
            # Inverse roles of constants and ``:mod-of`` are read as the role and as ``:mod``; the
            # released code fails for both.
            if role == "mod-of":
                relations.setdefault((constant, node), set()).add(role)
            else:
                relations.setdefault((node, constant), set()).add(role)
                attributes[node][role] = constant
        return cls([_name(c) for c in graph.concepts], relations, attributes, roles)


def align(src: AncastGraph, tgt: AncastGraph, *texts: str) -> tuple[Partners, Partners]:
    """Align two graphs.

    Args:
        texts: texts of the sentence. A node may be a first anchor only if its name is a substring
            of each of them; without texts, any node may.

    Returns:
        the partner of each aligned node: from src to tgt, and from tgt to src.

    >>> from amr_metrics import parse_graph
    >>> graphs = [AncastGraph.of(parse_graph(text)) for text in
    ...           ("(b / bark-01 :ARG0 (d / dog))", "(d / dog :ARG0-of (h / howl-01))")]
    >>> align(*graphs, "Dogs bark")
    ({0: 1, 1: 0}, {1: 0, 0: 1})
    """
    if not src.names or not tgt.names:
        return {}, {}
    similarity = _measure_similarities(src, tgt)
    arguments = _find_arguments(src), _find_arguments(tgt)
    predicates = arguments[0].T.copy(), arguments[1].T.copy()
    neighbours = [Neighbours.of(*arguments), Neighbours.of(*predicates)]
    anchors = _find_first_anchors(src, tgt, [text.lower() for text in texts])
    # Each round spreads similarity from the anchors, and the pairs that are then each other's most
    # similar nodes are the new anchors.
    for _ in range(ANCHOR_ROUNDS):
        spread = _spread_similarity(anchors.astype(np.float64), neighbours)
        combined = np.around((spread + LEAST_SPREAD) * (similarity + LEAST_CONCEPT), DECIMALS)
        former, anchors = anchors, _find_new_anchors(combined, src, tgt)
        if not (anchors & ~former).any():
            break
    rows, columns = np.nonzero(anchors)  # a node is in one anchor at most
    partners = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    partners |= _align_rest(combined, src, tgt, partners)
    return partners, {j: i for i, j in partners.items()}


def relation_credit(
    graph: AncastGraph, reference: AncastGraph, partners: Partners
) -> tuple[float, int]:
    """Return the credit of a graph's labelled relations, and their number.

    A label earns credit if the partners of predicate and argument have it too. The credit is the
    mean of two similarities: of the names of predicate and partner, and of argument and partner.

    Args:
        partners: from the nodes of `graph` to those of `reference`. A constant is its own partner.
    """
    credit, count = 0.0, 0
    for ends, labels in graph.relations.items():
        count += len(labels)
        source, target = (
            partners.get(end, UNALIGNED) if isinstance(end, int) else end for end in ends
        )
        if shared := labels & reference.relations.get((source, target), set()):
            similarity = sum(
                name_similarity(graph.name(end), reference.name(partner))
                for end, partner in zip(ends, (source, target), strict=True)
            )
            credit += similarity / 2 * len(shared)
    return credit, count


def sum_similarities(src: AncastGraph, tgt: AncastGraph, partners: Partners) -> float:
    """Return the sum of the similarities of aligned nodes, by their names and constants.

    Args:
        partners: from the nodes of src to those of tgt.
    """
    rows, columns = [*partners], [*partners.values()]
    return float(_measure_similarities(src, tgt)[rows, columns].sum())


def name_similarity(a: Name, b: Name) -> float:
    """Return the similarity of two names, in 0..1.

    It is the length of the shorter name divided by that of the longer one if this contains it,
    otherwise 0; with different senses, it is multiplied by `OTHER_SENSE`.

    >>> name_similarity(Name("run", 1), Name("runner", 2))
    0.45
    """
    shorter, longer = sorted((a.text, b.text), key=len)
    if shorter not in longer:
        return 0.0
    share = len(shorter) / len(longer) if longer else 1.0
    return share if a.sense == b.sense else share * OTHER_SENSE


def _name(concept: str) -> Name:
    sense = SENSE.search(concept)
    if sense is None:
        return Name(concept.lower())
    return Name(concept[: sense.start()].lower(), int(sense[1]))


def _reverse(role: str) -> str:
    return role[:-3] if role.endswith("-of") else f"{role}-of"


def _is_reverse(role: str) -> bool:
    """Return whether a role leads from argument to predicate, as ``:mod`` does."""
    return role == "mod" or (role.endswith("-of") and role != "mod-of")


def _measure_similarities(src: AncastGraph, tgt: AncastGraph) -> Floats:
    """Return the similarities of all nodes, n x m.

    They are those of the names or, for nodes that have attributes with the same role, the mean of
    that and the share of such roles whose constants are equal (`get_global_match`).
    """
    # Constants under :op1, :op2 ... are not compared but become part of the name:
    # (n / name :op1 "Rome") is "namerome".
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
    """Return n x m: whether two nodes share a name that no other has and all texts contain."""
    anchors = np.zeros((len(src.names), len(tgt.names)), np.bool_)
    src_names, tgt_names = ([name.text for name in graph.names] for graph in (src, tgt))
    for i, name in enumerate(src_names):
        in_texts = all(name in text for text in texts)
        if in_texts and src_names.count(name) == tgt_names.count(name) == 1:
            anchors[i, tgt_names.index(name)] = True
    return anchors


def _find_arguments(graph: AncastGraph) -> Floats:
    """Return n x n: 1 if the second node is an argument of the first, or of an argument of it."""
    size = len(graph.names)
    direct = np.zeros((size, size))
    for source, target in graph.relations:
        if isinstance(source, int) and isinstance(target, int):
            direct[source, target] = 1
    # No node is an argument of itself.
    return ((direct @ direct + direct) * (1 - np.eye(size)) > 0).astype(np.float64)


def _spread_similarity(anchors: Floats, neighbours: Sequence[Neighbours]) -> Floats:
    """Spread similarity from anchors to pairs of nodes whose neighbours are similar.

    Args:
        anchors: n x m, 1 for an anchor, otherwise 0.
        neighbours: those by arguments and those by predicates.

    Returns:
        n x m similarities in 0..1.
    """
    # S' = sqrt((A + 1) (P + 1) - 1), where A = N S M^T / D is the similarity of the arguments and P
    # that of the predicates; N and M are the neighbours in both graphs, and D their imbalance. As
    # this is sqrt(A P + A + P), either suffices, and nodes with neither have 0. Then the largest
    # similarity is scaled to 1, and that of an anchor stays 1.
    similarity = anchors
    for _ in range(SPREAD_ROUNDS):
        former = similarity
        by_arguments, by_predicates = (
            _multiply(_multiply(src, former), tgt.T) / imbalance
            for src, tgt, imbalance in neighbours
        )
        similarity = np.sqrt((by_arguments + 1) * (by_predicates + 1) - 1)
        if (most := similarity.max()) > 0:
            similarity = similarity / most
        similarity = np.maximum(similarity, anchors)
        if np.allclose(former, similarity, atol=TOLERANCE):
            break
    return similarity


def _multiply(a: Floats, b: Floats) -> Floats:
    """Return ``a @ b``, summed in the same order on every processor."""
    return np.asarray(np.einsum("ij,jk->ik", a, b))


def _find_new_anchors(combined: Floats, src: AncastGraph, tgt: AncastGraph) -> Bools:
    """Return n x m: whether two nodes are each other's only most similar node.

    Args:
        combined: n x m similarities.
    """

    def find_best(row: Floats, roles: set[str], graph: AncastGraph) -> int:
        best = _find_most_similar(row, range(len(row)), roles, graph)
        is_tie = (row == row.max()).sum() > 1
        # `get_new_anchor` tests what roles have decided by ``if tgt``, which is false for node 0.
        # To correct this would change scores.
        return UNALIGNED if len(best) > 1 or (is_tie and best == [0]) else best[0]

    best_of_src = [find_best(*row, tgt) for row in zip(combined, src.roles, strict=True)]
    best_of_tgt = [find_best(*row, src) for row in zip(combined.T, tgt.roles, strict=True)]
    anchors = np.zeros(combined.shape, np.bool_)
    for i, j in enumerate(best_of_src):
        anchors[i, j] = j != UNALIGNED and best_of_tgt[j] == i
    return anchors


def _align_rest(
    combined: Floats, src: AncastGraph, tgt: AncastGraph, partners: Partners
) -> Partners:
    """Return partners of the other nodes, as many as there are (`greedy_match_list`).

    Nodes that are each other's most similar, among those that are left, are aligned repeatedly.

    Args:
        combined: n x m similarities.
        partners: of the nodes that are already aligned, from src to tgt.
    """
    added: Partners = {}
    rows = [i for i in range(len(src.names)) if i not in partners]
    columns = sorted({*range(len(tgt.names))} - {*partners.values()})
    while rows and columns:
        best_of_src = {
            i: _find_most_similar(combined[i, columns], columns, src.roles[i], tgt)[0] for i in rows
        }
        best_of_tgt = {
            j: _find_most_similar(combined[rows, j], rows, tgt.roles[j], src)[0] for j in columns
        }
        mutual = [(i, j) for i, j in best_of_src.items() if best_of_tgt[j] == i]
        # Ties may leave no such nodes (the released code then fails): the first is aligned.
        for i, j in mutual or [(rows[0], best_of_src[rows[0]])]:
            added[i] = j
            rows.remove(i)
            columns.remove(j)
    return added


def _find_most_similar(
    similarity: Floats, nodes: Sequence[int], roles: set[str], graph: AncastGraph
) -> list[int]:
    """Return the nodes of a graph that are most similar to a node of the other graph.

    Of several, they are those whose roles have the most in common (by Jaccard's index) with those
    of the node, see `enhance_with_rel_label`.

    Args:
        similarity: the similarity of each of `nodes`.
        nodes: positions in `graph`.
        roles: those of the node of the other graph.
    """
    best = [nodes[k] for k in np.flatnonzero(similarity == similarity.max()).tolist()]
    shares = [_measure_jaccard(roles, graph.roles[node]) for node in best]
    return [node for node, share in zip(best, shares, strict=True) if share == max(shares)]


def _measure_jaccard(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0
