"""Reification, which replaces an edge by a node, and its inverse.

``x :mod y`` and ``(h / have-mod-91 :ARG1 x :ARG2 y)`` mean the same. Goodman (2019), "AMR
Normalization for Fairer Evaluation", describes both directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple, TypeVar

from amr_metrics.errors import GraphError, OptionError
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.utils.decoding import load_text
from amr_metrics.utils.files import TABLES
from amr_metrics.utils.text import split_lines

__all__ = ["Reifications", "Rule", "dereify", "reify"]

Triple = TypeVar("Triple", Relation, Attribute)


class Rule(NamedTuple):
    """``x role y`` is ``(new / concept source_role x target_role y)``."""

    role: str
    concept: str
    source_role: str
    target_role: str


@dataclass(frozen=True)
class Reifications:
    """A table of rules.

    The first rule of a role reifies it; every rule of a concept de-reifies it.

    Raises:
        OptionError: a role unknown to AMR, an inverse role, a rule whose two new edges have the
            same role, or one whose new edges would themselves be reified, so that reification
            would be cyclic or incomplete.

    >>> rules = Reifications.default()
    >>> rules.by_role[":poss"]
    Rule(role=':poss', concept='own-01', source_role=':ARG0', target_role=':ARG1')
    """

    rules: tuple[Rule, ...]

    def __post_init__(self) -> None:
        from penman.models.amr import model as amr_model  # slow to import

        for rule in self.rules:
            for role in (rule.role, rule.source_role, rule.target_role):
                if not amr_model.has_role(role):
                    raise OptionError(f"reification of {rule.role}: {role!r} is not a role of AMR")
                if amr_model.is_role_inverted(role):
                    raise OptionError(
                        f"reification of {rule.role}: {role} is an inverse role; write the rule "
                        f"for {amr_model.invert_role(role)}"
                    )
                if role != rule.role and role in self.by_role:
                    raise OptionError(
                        f"reification of {rule.role}: its new edge {role} is itself to be "
                        "reified, and so on in a cycle or half-way; take one of the rules out"
                    )
            if rule.role in rule[2:]:
                raise OptionError(
                    f"reification of {rule.role}: its new edge {rule.role} is itself to be "
                    "reified, and so on in a cycle"
                )
            if rule.source_role == rule.target_role:
                raise OptionError(
                    f"reification of {rule.role}: source and target both become "
                    f"{rule.source_role}, and could not be distinguished"
                )
            if not rule.concept:
                raise OptionError(f"reification of {rule.role}: it has no concept")

    @cached_property
    def by_role(self) -> dict[str, Rule]:
        """The rule that reifies each role."""
        return {rule.role: rule for rule in reversed(self.rules)}

    @cached_property
    def by_concept(self) -> dict[str, tuple[Rule, ...]]:
        """The rules that de-reify each concept, in the table's order."""
        groups: dict[str, tuple[Rule, ...]] = {}
        for rule in self.rules:
            groups[rule.concept] = (*groups.get(rule.concept, ()), rule)
        return groups

    @classmethod
    def read(cls, path: str | Path) -> Reifications:
        """Read a table of four tab-separated columns: role, concept, source_role, target_role.

        Files of the same content are parsed once.

        Raises:
            OptionError: if the file cannot be read or is not such a table; it names the line.
        """
        try:
            text = load_text(path)
        except (OSError, GraphError) as error:
            raise OptionError(f"reification rules {path} cannot be read: {error}") from None
        return cls._parse(text, str(path))

    @classmethod
    @cache
    def default(cls) -> Reifications:
        """Return the rules of BAMBOO's Reify partition: for 35 roles, all non-core roles of AMR."""
        table = TABLES / "reify_rules.tsv"
        return cls._parse(table.read_text("utf-8"), table.name)

    @classmethod
    @cache
    def _parse(cls, text: str, source: str) -> Reifications:
        lines = split_lines(text)
        if not lines or lines[0].split("\t") != list(Rule._fields):
            raise OptionError(
                f"{source}, line 1: expected the columns {', '.join(Rule._fields)}, with tabs"
            )
        rules = []
        for number, line in enumerate(lines[1:], 2):
            cells = line.split("\t")
            if len(cells) != len(Rule._fields):
                raise OptionError(f"{source}, line {number}: a rule has four columns: {line!r}")
            rules.append(Rule(*cells))
        try:
            return cls(tuple(rules))
        except OptionError as error:
            raise OptionError(f"{source}: {error}") from None


def reify(graph: Graph, rules: Reifications | None = None) -> Graph:
    """Replace every edge that has a rule by a node.

    Constants stay constants (``:polarity -`` becomes ``(_ / have-polarity-91 ... :ARG2 -)``). New
    variables are ``_``, ``_2``, ``_3``, ... skipping names that the graph already uses.

    >>> graph = Graph.from_triples([("s", ":instance", "sing-01"), ("l", ":instance", "loud"),
    ...                             ("s", ":manner", "l")])
    >>> reify(graph).relations
    (Relation(source='_', role=':ARG1', target='s'), Relation(source='_', role=':ARG2', target='l'))
    """
    by_role = (rules or Reifications.default()).by_role
    names = new_variables(graph.variables)
    variables, concepts = list(graph.variables), list(graph.concepts)
    relations: list[Relation] = []
    attributes: list[Attribute] = []

    def reified(source: str, role: str) -> tuple[str, str]:
        """Add the node for an edge; return the source and the role of the edge to its target."""
        if role not in by_role:
            return source, role
        rule, node = by_role[role], next(names)
        variables.append(node)
        concepts.append(rule.concept)
        relations.append(Relation(node, rule.source_role, source))
        return node, rule.target_role

    for source, role, target in graph.relations:
        relations.append(Relation(*reified(source, role), target))
    for holder, role, constant in graph.attributes:
        attributes.append(Attribute(*reified(holder, role), constant))
    return Graph(
        tuple(variables),
        tuple(concepts),
        tuple(attributes),
        tuple(relations),
        graph.top,
        graph.metadata,
    )


def dereify(graph: Graph, rules: Reifications | None = None) -> Graph:
    """Replace every node that represents only an edge by that edge.

    A node is replaced if it is not the top, no edge points to it, and its only two edges are
    those of a rule of its concept, with a node as the source. If two rules apply (``include-91`` is
    ``:subset`` in one direction and ``:superset`` in the other), the first one in the table is
    used, so that `dereify` undoes `reify` except for writing ``x :superset y`` as ``y :subset x``.

    >>> graph = Graph.from_triples([("s", ":instance", "sing-01"), ("l", ":instance", "loud"),
    ...                             ("s", ":manner", "l")])
    >>> dereify(reify(graph)) == graph
    True
    """
    by_concept = (rules or Reifications.default()).by_concept
    outgoing: dict[str, list[Relation | Attribute]] = {node: [] for node in graph.variables}
    for relation in graph.relations:
        outgoing[relation.source].append(relation)
    for attribute in graph.attributes:
        outgoing[attribute.node].append(attribute)
    pointed_at = {relation.target for relation in graph.relations}
    edges: dict[str, Relation | Attribute] = {}
    for node, concept in zip(graph.variables, graph.concepts, strict=True):
        may_be_edge = node != graph.top and node not in pointed_at and len(outgoing[node]) == 2
        if may_be_edge and concept in by_concept:
            edge = _convert_to_edge(outgoing[node], by_concept[concept])
            if edge is not None:
                edges[node] = edge
    return Graph(
        tuple(node for node in graph.variables if node not in edges),
        tuple(
            concept
            for node, concept in zip(graph.variables, graph.concepts, strict=True)
            if node not in edges
        ),
        tuple(_replace_nodes(graph.attributes, edges, Attribute)),
        tuple(_replace_nodes(graph.relations, edges, Relation)),
        graph.top,
        graph.metadata,
    )


def _convert_to_edge(
    pair: Iterable[Relation | Attribute], rules: Iterable[Rule]
) -> Relation | Attribute | None:
    """Return the edge that is represented by a node with these two edges."""
    ends = {edge[1]: edge for edge in pair}
    for rule in rules:
        source, target = ends.get(rule.source_role), ends.get(rule.target_role)
        if isinstance(source, Relation) and target is not None:
            return type(target)(source.target, rule.role, target[2])
    return None


def _replace_nodes(
    triples: Iterable[Triple], edges: Mapping[str, Relation | Attribute], kind: type[Triple]
) -> Iterator[Triple]:
    """Replace the first triple of each collapsed node by its edge, and remove the second.

    Only edges of one kind are inserted.
    """
    placed = set()
    for triple in triples:
        edge = edges.get(triple[0])
        if edge is None:
            yield triple
        elif isinstance(edge, kind) and triple[0] not in placed:
            placed.add(triple[0])
            yield edge


def new_variables(taken: Iterable[str]) -> Iterator[str]:
    """Yield ``_``, ``_2``, ``_3``, ... without those in use.

    >>> names = new_variables(["a", "_", "_3"])
    >>> next(names), next(names)
    ('_2', '_4')
    """
    used = set(taken)
    return (name for name in chain(["_"], (f"_{k}" for k in count(2))) if name not in used)
