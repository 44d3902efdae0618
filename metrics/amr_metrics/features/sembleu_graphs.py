"""Graphs as encoded by the released versions of the SemBleu tool."""

from __future__ import annotations

import re

import numpy as np

from amr_metrics.graphs.corpus import Corpus, Labels
from amr_metrics.graphs.encoding import Edges, LabelledGraphs, assemble
from amr_metrics.graphs.folding import keep_label
from amr_metrics.graphs.rows import list_groups, per_row, row_positions, starts_of_kept
from amr_metrics.types import Bools, Ints

SHORT_NAME = re.compile(r"[a-z][0-9]*")
DROPPED_IN_QUOTES = str.maketrans("", "", "()/:")


def tool_graphs(corpus: Corpus, *, turned: bool) -> LabelledGraphs:
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
        corpus: the graphs.
        turned: whether relations whose role ends in ``-of``, ``:consist-of`` too, are followed
            from their written target to their written source. They keep their role.
    """
    symbols, nodes = corpus.symbols, Labels()
    concepts = nodes.of(symbols, corpus.concepts, tool_concept)[corpus.concepts]
    constants = nodes.of(symbols, corpus.constants, lambda text: tool_constant(text).lower())
    named, variables = variables_named(corpus)
    labels = constants[corpus.constants]
    labels[named] = concepts[variables]

    sources = np.where(corpus.inverted, corpus.targets, corpus.sources)
    targets = np.where(corpus.inverted, corpus.sources, corpus.targets)
    start = corpus.relation_start
    ends = targets + per_row(corpus.node_start[:-1], start)  # rows of nodes
    early = corpus.forward & ~_find_short_names(corpus, corpus.variables[ends])
    added_start = starts_of_kept(early, start)
    targets[early] = per_row(corpus.sizes, added_start) + row_positions(added_start)
    first_constant = corpus.sizes + np.diff(added_start)
    at = per_row(first_constant, corpus.attribute_start) + row_positions(corpus.attribute_start)

    roles = Labels()
    inverse = roles.of(symbols, corpus.relation_roles[corpus.inverted], lambda role: f"{role}-of")
    used = np.concatenate([corpus.relation_roles[~corpus.inverted], corpus.attribute_roles])
    written = roles.of(symbols, used, keep_label)
    relation_roles = np.where(
        corpus.inverted, inverse[corpus.relation_roles], written[corpus.relation_roles]
    )
    relations = Edges(start, sources, relation_roles, targets)
    attributes = Edges(corpus.attribute_start, corpus.holders, written[corpus.attribute_roles], at)
    groups = [
        (corpus.node_start, concepts),
        (added_start, concepts[ends[early]]),
        (corpus.attribute_start, labels),
    ]
    table = assemble(corpus, groups, [relations, attributes])
    if turned:
        back = np.array([role.endswith("-of") for role in roles.values], np.bool_)[table.roles]
        table = table._replace(
            sources=np.where(back, table.targets, table.sources),
            targets=np.where(back, table.sources, table.targets),
        )
    return LabelledGraphs(table, tuple(nodes.values), tuple(roles.values))


def variables_named(corpus: Corpus) -> tuple[Ints, Ints]:
    """Return the constants that the tool reads as variables of their graph.

    Returns:
        the rows of these attributes, and the row of each one's variable.
    """
    symbols = corpus.symbols
    unknown = len(symbols)
    distinct = symbols.used(corpus.constants)
    read = np.full(unknown, unknown, np.int64)  # the symbol that each constant is read as
    read[distinct] = [
        symbols.numbers.get(tool_constant(symbols.texts[k]), unknown) for k in distinct.tolist()
    ]
    is_constant = np.zeros(unknown + 1, np.bool_)
    is_constant[read[distinct]] = True
    rows = np.flatnonzero(is_constant[corpus.variables])
    # One number per graph and symbol.
    variables = list_groups(corpus.node_start)[rows] * (unknown + 1) + corpus.variables[rows]
    constants = list_groups(corpus.attribute_start) * (unknown + 1) + read[corpus.constants]
    order = np.argsort(variables)
    position = np.searchsorted(variables, constants, sorter=order)
    attributes = np.flatnonzero(position < len(order))
    nearest = order[position[attributes]]
    equal = variables[nearest] == constants[attributes]
    return attributes[equal], rows[nearest[equal]]


def _find_short_names(corpus: Corpus, variables: Ints) -> Bools:
    labels = Labels()
    short = labels.of(corpus.symbols, variables, lambda name: bool(SHORT_NAME.fullmatch(name)))
    return np.array(labels.values, np.bool_)[short[variables]]


def tool_concept(concept: str) -> str:
    """Return a concept as the tool compares it.

    >>> tool_concept("Bark-01"), tool_concept('"New York"')
    ('bark-01', '"newyork"')
    """
    return concept.replace(" ", "").lower()


def tool_constant(constant: str) -> str:
    """Return a constant as the tool reads it.

    >>> tool_constant('"Rome  (Italy)"'), tool_constant('"10:30"'), tool_constant("-")
    ('Rome Italy', '1030', '-')
    """
    if len(constant) > 1 and constant[0] == constant[-1] == '"':
        constant = constant[1:-1].translate(DROPPED_IN_QUOTES)
    return " ".join(constant.split())
