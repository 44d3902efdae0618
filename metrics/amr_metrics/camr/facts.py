"""The tuples of a Chinese AMR, as defined by the Align-Smatch paper or its released tool."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from amr_metrics.camr.graph import CamrGraph
from amr_metrics.camr.ids import OP
from amr_metrics.graphs.graph import Attribute

Mode = Literal["paper", "camrp2022"]
MODES = get_args(Mode)
SENSE = re.compile(r"-[0-9][0-9]$")


class Tuples(NamedTuple):
    """The tuples of one graph; nodes are represented by their positions.

    Attributes:
        concepts: the concept of each node (set I of the paper).
        attributes: (node, (role, constant)) (O).
        relations: (source, role, target) (R).
        alignments: (source, function words, target); the words carry their id, ``的/x8`` (Q).
        ends: the concept of each node, as compared at the ends of relations and alignments with
            the option ``fix`` of `amr_metrics.camr.align_smatch.CamrSmatch`.
    """

    concepts: Sequence[str]
    attributes: Sequence[tuple[int, tuple[str, str]]]
    relations: Sequence[tuple[int, str, int]]
    alignments: Sequence[tuple[int, str, int]]
    ends: Sequence[str]


def list_tuples(graph: CamrGraph, mode: Mode) -> Tuples:
    """Return the tuples of a graph in a mode.

    ``paper``: everything as written, inverse roles and case included; a name is its node and
    ``opN`` tuples; coreference is not a tuple. ``camrp2022``: lower case, inverse roles normalised
    together with their function words, a name as one concept of its joined strings, a ``coref``
    relation from each anaphor to its antecedent, and end points without senses (``-01``).
    Source: Xiao et al. (2022), Align-smatch; the evaluation tool of CAMRP 2022.
    """
    return _list_paper_tuples(graph) if mode == "paper" else _list_camrp2022_tuples(graph)


def _list_paper_tuples(graph: CamrGraph) -> Tuples:
    node = graph.positions
    relations = [(node[source], role, node[target]) for source, role, target in graph.written]
    return Tuples(
        concepts=graph.concepts,
        attributes=[(node[a.node], (a.role, a.constant)) for a in graph.attributes],
        relations=relations,
        alignments=_list_alignments(graph, relations),
        ends=graph.concepts,
    )


def _list_camrp2022_tuples(graph: CamrGraph) -> Tuples:
    node = graph.positions
    concepts = [concept.lower() for concept in _join_names(graph)]
    relations = [(node[s], role.lower(), node[t]) for s, role, t in graph.relations]
    coreferences = [(node[anaphor], "coref", node[end]) for anaphor, end in graph.coreferences]
    return Tuples(
        concepts=concepts,
        attributes=[
            (node[a.node], (a.role.lower(), a.constant.lower()))
            for a in graph.attributes
            if not _is_name_string(graph, a)
        ],
        relations=relations + coreferences,
        alignments=[(s, words.lower(), t) for s, words, t in _list_alignments(graph, relations)],
        ends=[SENSE.sub("", concept) for concept in concepts],
    )


def _list_alignments(
    graph: CamrGraph, relations: Sequence[tuple[int, str, int]]
) -> list[tuple[int, str, int]]:
    """Return the function words of the aligned relations, with the ends of these."""
    return [
        (source, f"{arc.word}/{arc.rid}", target)
        for (source, _, target), arc in zip(relations, graph.arcs, strict=True)
        if arc.rid
    ]


def _is_name_string(graph: CamrGraph, attribute: Attribute) -> bool:
    """Check whether an attribute is one of the strings of a name."""
    return OP.fullmatch(attribute.role) is not None and graph.concept(attribute.node) == "name"


def _join_names(graph: CamrGraph) -> list[str]:
    """Return the concepts, with a name's strings, joined in their order, for ``name``."""
    strings: dict[str, list[tuple[int, str]]] = {}
    for attribute in graph.attributes:
        if _is_name_string(graph, attribute):
            number = int(attribute.role.removeprefix(":op"))
            strings.setdefault(attribute.node, []).append((number, attribute.constant))
    joined = {node: "".join(string for _, string in sorted(strings[node])) for node in strings}
    return [
        joined.get(variable, concept)
        for variable, concept in zip(graph.variables, graph.concepts, strict=True)
    ]
