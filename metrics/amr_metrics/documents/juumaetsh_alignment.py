"""The alignment of nodes by juːmæʧ (Zeman and Gamba 2026).

Nodes are linked if they are aligned to a common word, or if neither is aligned to any and their
concepts are equal. Of several links of a node, the best is chosen greedily.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from amr_metrics.documents.sentences import list_written
from amr_metrics.limits import DocumentSteps
from amr_metrics.reading.umr_parts import UmrSentence

CONCEPT = "concept"  # the role of the triple with the concept of a node
ROOT = ":TOP"
Values = Sequence[tuple[str, str]]  # the role and the constant or variable of each edge of a node


class AlignedNode(NamedTuple):
    """A node of a sentence.

    Attributes:
        label: its concept, for a name with its strings.
        values: its concept and its edges, with the roles as written: those that count.
        roles: how often it has each role, whether or not it counts.
        words: positions of the words it is aligned to; None if it is aligned to none.
        length: the number of characters of these words.
    """

    label: str
    values: Values
    roles: Counter[str]
    words: frozenset[int] | None
    length: int


Nodes = Mapping[str, AlignedNode]  # by variable
Links = dict[str, set[str]]  # from each variable of one side to variables of the other
Rank = tuple[float | str, ...]


def collect_nodes(sentence: UmrSentence, top: bool, counts: Callable[[str], bool]) -> Nodes:
    """Return the nodes of a sentence.

    Args:
        top: whether the root has a triple of its own.
        counts: returns whether a role counts.
    """
    graph, words = sentence.graph, sentence.words
    values = {
        variable: [(CONCEPT, concept)]
        for variable, concept in zip(graph.variables, graph.concepts, strict=True)
    }
    attributes = [(node, role, value.strip('"')) for node, role, value in graph.attributes]
    for node, role, value in (*list_written(graph), *attributes):
        values[node].append((role, value))
    if top and graph.variables:
        values[graph.top].append((ROOT, "TOP"))
    nodes = {}
    for variable, ((_, concept), *edges) in values.items():
        label = concept
        if concept == "name":
            strings = sorted((r.lower(), v) for r, v in edges if r.startswith(":op"))
            label = f"name[{' '.join(string for _, string in strings)}]"
        spans = sentence.alignment.get(variable, ())
        at = {k for first, last in spans for k in range(first - 1, last)}
        text = " ".join(words[k] for k in sorted(at) if k < len(words))
        nodes[variable] = AlignedNode(
            label,
            [value for value in values[variable] if counts(value[0])],
            Counter(role for role, _ in values[variable]),
            frozenset(at) if spans else None,
            len(text),
        )
    return nodes


def align_nodes(tgt: Nodes, src: Nodes, steps: DocumentSteps) -> dict[str, str]:
    """Return the partner of each aligned node of tgt.

    As long as a node has several, the best of all links of such nodes stays, and the other links
    of its two ends are dropped. How many equal triples two nodes have depends on the roles that
    count; how many equal roles they have does not.

    Args:
        steps: to which the values are added that are compared to rank links.

    Raises:
        PairError: if there are more steps than `amr_metrics.limits.DOCUMENT_WORK`.
    """
    # A link that is kept leaves one link at each of its two ends: each round decides at least one
    # node, and the links of all others are ranked anew, since their values are mapped by them.
    to_src, to_tgt = _link(tgt, src)
    while True:
        ranked = [
            *((rank, a, b) for rank, b, a in _rank(tgt, src, to_src, to_tgt)),
            *_rank(src, tgt, to_tgt, to_src),
        ]
        if not ranked:
            return {b: next(iter(partners)) for b, partners in to_src.items() if partners}
        steps.add(sum(len(src[a].values) + len(tgt[b].values) for _, a, b in ranked))
        _, a, b = min(ranked)
        to_src[b], to_tgt[a] = {a}, {b}


def _link(tgt: Nodes, src: Nodes) -> tuple[Links, Links]:
    """Return the links of each node of tgt, and of each node of src."""
    to_src: Links = {variable: set() for variable in sorted(tgt)}
    to_tgt: Links = {variable: set() for variable in sorted(src)}
    for b, tgt_node in tgt.items():
        for a, src_node in src.items():
            if tgt_node.words is None or src_node.words is None:
                linked = tgt_node.words is src_node.words and tgt_node.label == src_node.label
            else:
                linked = not tgt_node.words.isdisjoint(src_node.words)
            if linked:
                to_src[b].add(a)
                to_tgt[a].add(b)
    return to_src, to_tgt


def _rank(
    nodes: Nodes, candidates: Nodes, links: Links, back: Links
) -> Iterator[tuple[Rank, str, str]]:
    """Yield the links of nodes with several, each with its rank; the least rank is the best.

    Links whose other end has dropped them are dropped first, node by node.
    """
    # The best link has equal concepts, then the most equal triples, the most equal roles, the
    # longest words, equal variables, and the first variables.
    for variable, partners in links.items():
        partners -= {partner for partner in partners if variable not in back[partner]}
        if len(partners) < 2:
            continue
        node = nodes[variable]
        mapped = map_values(node.values, nodes, links)
        for partner in sorted(partners):
            candidate = candidates[partner]
            rank = (
                node.label != candidate.label,
                -count_shared(mapped, candidate.values),
                -(node.roles & candidate.roles).total(),
                -node.length - candidate.length,
                variable != partner,
                variable + partner,
            )
            yield rank, variable, partner


def map_values(values: Values, nodes: Nodes, links: Links) -> Counter[tuple[str, str]]:
    """Count the values of a node; a variable counts as each of its partners."""
    return Counter(
        (role, mapped)
        for role, value in values
        for mapped in (links[value] if value in nodes and role != CONCEPT else (value,))
    )


def count_shared(values: Counter[tuple[str, str]], others: Values) -> int:
    """Count the values of a node that another node has as well."""
    return (values & Counter(others)).total()
