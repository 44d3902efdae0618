"""The tuples of a Chinese AMR, as defined by the Align-Smatch paper or its released tool."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from metrics.camr.graph import CamrGraph
from metrics.camr.tuples import is_name_string, joined_names

Mode = Literal["paper", "camrp2022"]
MODES = ("paper", "camrp2022")
SENSE = re.compile(r"-[0-9][0-9]$")


class Tuples(NamedTuple):
    """The tuples of one graph; nodes are represented by their positions.

    Attributes:
        concepts: I, the concept of each node.
        ends: the concepts of nodes as FIX compares them at the ends of R and Q.
        attributes: O, (node, (role, constant)).
        relations: R, (source, role, target).
        alignments: Q, (source, function words, target); the words carry their id, ``的/x8``.
    """

    concepts: Sequence[str]
    ends: Sequence[str]
    attributes: Sequence[tuple[int, tuple[str, str]]]
    relations: Sequence[tuple[int, str, int]]
    alignments: Sequence[tuple[int, str, int]]


def tuples_of(graph: CamrGraph, mode: Mode) -> Tuples:
    """Return the tuples of a graph in a mode.

    ``paper``: everything as written, inverse roles and case included; a name is its node and
    ``opN`` tuples; coreference is not a tuple. ``camrp2022``: lower case, inverse roles normalised
    together with their function words, a name as one concept of its joined strings, a ``coref``
    relation from each anaphor to its antecedent, and end points without senses (``-01``).
    Source: Xiao et al. (2022), Align-smatch; the evaluation tool of CAMRP 2022.
    """
    return _paper(graph) if mode == "paper" else _camrp2022(graph)


def _paper(graph: CamrGraph) -> Tuples:
    at = graph.positions
    written = [(at[source], role, at[target]) for source, role, target in graph.written]
    return Tuples(
        graph.concepts,
        graph.concepts,
        [(at[a.node], (a.role, a.constant)) for a in graph.attributes],
        written,
        [
            (source, f"{arc.word}/{arc.rid}", target)
            for (source, _, target), arc in zip(written, graph.arcs, strict=True)
            if arc.rid
        ],
    )


def _camrp2022(graph: CamrGraph) -> Tuples:
    at = graph.positions
    concepts = [concept.lower() for concept in joined_names(graph)]
    relations = [
        (source, role.lower(), target)
        for source, (_, role, _), target in zip(
            graph.sources, graph.relations, graph.targets, strict=True
        )
    ]
    return Tuples(
        concepts,
        [SENSE.sub("", concept) for concept in concepts],
        [
            (at[a.node], (a.role.lower(), a.constant.lower()))
            for a in graph.attributes
            if not is_name_string(graph, a)
        ],
        relations + [(at[node], "coref", at[other]) for node, other in graph.coreferences],
        [
            (source, f"{arc.word}/{arc.rid}".lower(), target)
            for (source, _, target), arc in zip(relations, graph.arcs, strict=True)
            if arc.rid
        ],
    )
