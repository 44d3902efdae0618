"""Graphs as encoded by the released versions of the SemBleu tool."""

from __future__ import annotations

import re

from metrics.features.encoding import Encoded, Encoder, Numbers, as_written
from metrics.graph import Graph

SHORT_NAME = re.compile(r"[a-z][0-9]*")
DROPPED_IN_QUOTES = str.maketrans("", "", "()/:")


def tool_graphs(*, turned: bool) -> Encoder:
    """Encode graphs as the tool does: relations as they are written, constants as nodes.

    - Roles keep their case. Concepts are compared in lower case and keep their quotes.
    - A variable that is referred to before its definition is an additional node, with the
      variable's concept, unless its name is a letter and digits (``z3``).
    - Constants lose their quotes, and the characters ``( ) / :`` within them. A constant with the
      name of a variable (``:value "i"``) has that variable's concept as its label.

    Not reproduced: input that stops the tool (a constant such as ``i`` that has the form of a
    variable but is not one, a quote within quotes), surface alignments (``~e.3``, which the tool
    treats as part of the label), and two defects of the tool of 2019. N-grams that start from a
    constant, or a variable referred to before its definition, with an inverse role
    (``:mod-of 18th``) omit the relation whose number in the tool is that of the node: 1 of 1,000
    real parses has such an n-gram. An inverse relation of a node to itself does not count as
    incoming.

    Args:
        turned: whether relations whose role ends in ``-of``, ``:consist-of`` too, are followed
            from their written target to their written source. They keep their role.
    """
    nodes, roles = Numbers(as_written), Numbers(as_written)

    def encode(graph: Graph) -> Encoded:
        labels = [nodes[tool_concept(concept)] for concept in graph.concepts]
        sources, targets = [*graph.sources], [*graph.targets]
        written = [relation.role for relation in graph.relations]
        for k in graph.inverted:
            sources[k], targets[k] = targets[k], sources[k]
            written[k] += "-of"
        for k in graph.forward:
            target = targets[k]
            if not SHORT_NAME.fullmatch(graph.variables[target]):
                targets[k] = len(labels)
                labels.append(labels[target])
        for holder, (_, role, constant) in zip(graph.holders, graph.attributes, strict=True):
            label = tool_constant(constant)
            known = graph.positions.get(label)
            sources.append(holder)
            targets.append(len(labels))
            written.append(role)
            labels.append(nodes[label.lower()] if known is None else labels[known])
        if turned:
            for k, role in enumerate(written):
                if role.endswith("-of"):
                    sources[k], targets[k] = targets[k], sources[k]
        top = graph.positions[graph.top] if graph.variables else 0
        edges = [roles[role] for role in written]
        return Encoded(labels, len(graph.variables), top, sources, edges, targets)

    return encode


def tool_concept(concept: str) -> str:
    """A concept as the tool compares it.

    >>> tool_concept("Bark-01"), tool_concept('"New York"')
    ('bark-01', '"newyork"')
    """
    return concept.replace(" ", "").lower()


def tool_constant(constant: str) -> str:
    """A constant as the tool reads it.

    >>> tool_constant('"Rome  (Italy)"'), tool_constant('"10:30"'), tool_constant("-")
    ('Rome Italy', '1030', '-')
    """
    if len(constant) > 1 and constant[0] == constant[-1] == '"':
        constant = constant[1:-1].translate(DROPPED_IN_QUOTES)
    return " ".join(constant.split())
