"""The best match of the smatch package, on triples of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from amr_metrics.alignment.facts import FactTable, GraphFacts, PairFacts
from amr_metrics.alignment.smatch import SmatchPackage
from amr_metrics.errors import MetricError
from amr_metrics.graphs.corpus import Labels
from amr_metrics.utils.text import format_count

Triple = Sequence[str]  # role, node, and a label or another node
Triples = tuple[Sequence[Triple], Sequence[Triple], Sequence[Triple]]


def get_best_match(
    instance1: Sequence[Triple],
    attribute1: Sequence[Triple],
    relation1: Sequence[Triple],
    instance2: Sequence[Triple],
    attribute2: Sequence[Triple],
    relation2: Sequence[Triple],
    prefix1: str,
    prefix2: str,
    doinstance: bool = True,
    doattribute: bool = True,
    dorelation: bool = True,
) -> tuple[list[int], int]:
    """Align the nodes of two graphs, of AMR or of any other kind, so that most triples match.

    Args:
        instance1, instance2: one triple ``("instance", node, label)`` of each node. Node k is named
            by the prefix and k, from 0, as `AMR.rename_node` names it.
        attribute1, attribute2: triples ``(role, node, label)``.
        relation1, relation2: triples ``(role, node, node)``.
        prefix1, prefix2: how the names of nodes begin.
        doinstance, doattribute, dorelation: whether these triples count.

    Returns:
        for each node of the first graph its node in the second, or -1; and the number of matches.
        If one graph has a triple k times and the other l times, they match k times l times.

    Raises:
        MetricError: a triple of something else than three texts, or with a node that is none.
        PairError: graphs that are too large.

    >>> dog = [("instance", "a0", "dog")]
    >>> get_best_match(dog, [], [], [("instance", "b0", "cat"), ("instance", "b1", "Dog")], [], [],
    ...                "a", "b")
    ([1], 1)
    """
    sides = (instance1, attribute1, relation1), (instance2, attribute2, relation2)
    kinds = doinstance, doattribute, dorelation
    (alignment,) = align_all([sides], (prefix1, prefix2), kinds)
    return alignment


def align_all(
    pairs: Sequence[tuple[Triples, Triples]], prefixes: tuple[str, str], kinds: Sequence[bool]
) -> Iterator[tuple[list[int], int]]:
    """Yield what `get_best_match` returns for each of some pairs of graphs."""
    labels = Labels()
    src, tgt = (
        FactTable.build([_number_facts(side, prefix, kinds, labels) for side in sides], True)
        for sides, prefix in zip(zip(*pairs, strict=True), prefixes, strict=True)
    )
    metric, indices = SmatchPackage(), np.arange(len(pairs))
    for part in metric.parts(PairFacts(src, tgt, indices, indices, labels), None):
        answer = metric.answers(part)
        for k in range(len(answer)):
            yield answer[k].mapping.tolist(), int(answer[k].value)


def _number_facts(
    triples: Triples, prefix: str, kinds: Sequence[bool], labels: Labels
) -> GraphFacts:
    """Return the triples of a graph that count as facts, with labels numbered by `labels`."""
    size = len(triples[0])
    counted = [[*listed] if counts else [] for listed, counts in zip(triples, kinds, strict=True)]
    for triple in chain(*counted):
        if len(triple) != 3 or not all(isinstance(text, str) for text in triple):
            raise MetricError(f"{triple!r} is not a triple of texts: (role, node, label or node)")

    def find_node(name: str, triple: Triple) -> int:
        position = name[len(prefix) :]
        if name.startswith(prefix) and position.isdecimal() and int(position) < size:
            return int(position)
        raise MetricError(
            f"{name!r} in {triple!r} is not a node: the graph has "
            f"{format_count(size, 'instance triple')}, whose nodes are named {prefix}0, {prefix}1, "
            "... (AMR.rename_node renames them)"
        )

    facts = [
        (find_node(triple[1], triple), labels.number((kind, *map(normalize, triple[::2]))))
        for kind, listed in zip(("instance", "attribute"), counted, strict=False)
        for triple in listed
    ]
    edges = [
        (find_node(t[1], t), find_node(t[2], t), labels.number(normalize(t[0]))) for t in counted[2]
    ]
    return size, facts, edges


def normalize(item: str) -> str:
    """Return a label as labels are compared: in lower case, without underscores at its end."""
    return item.lower().rstrip("_")


def print_alignment(
    mapping: Sequence[int], instance1: Sequence[Triple], instance2: Sequence[Triple]
) -> str:
    """Return an alignment as text, despite the name.

    >>> print_alignment([0, -1], [("instance", "a0", "dog"), ("instance", "a1", "cat")],
    ...                 [("instance", "b0", "wolf")])
    'a0(dog)-b0(wolf) a1(cat)-Null'
    """
    names = [f"{node}({label})" for _, node, label in instance2]
    return " ".join(
        f"{node}({label})-{names[target] if target >= 0 else 'Null'}"
        for (_, node, label), target in zip(instance1, mapping, strict=True)
    )
