"""Graphs whose constants are nodes, with labels as integers, for metrics that work on labels.

All graphs of a corpus are encoded in one vectorised pass. Labels are normalised and numbered once
per distinct symbol; kernels compare the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from amr_metrics.graphs.corpus import Corpus, Labels, Symbols
from amr_metrics.graphs.numbering import allocate_numbers
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.graphs.rows import (
    count_largest_group,
    merge_rows,
    per_row,
    row_positions,
    starts,
    starts_of_kept,
)
from amr_metrics.graphs.selection import reverse_relations
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.types import Bools, Ints

Fold = Callable[[str], str]
NodeForm = Literal["plain", "distinct", "shared"]


# (s / sleep-01 :ARG0 (c / cat :polarity -)) and (d / dog) as a `GraphTable`:
#
#     node_start  0                3    4         edge_start  0                2  2
#     labels      sleep-01 cat  -  dog            sources     0      1
#     position    0        1    2  0              roles       :arg0  :polarity
#                                                 targets     1      2
#     variables   2                1
#     tops        0                0
#
# The columns `labels` and `roles` hold the numbers of these strings. Variables come first, so that
# the constants of graph g have the positions from variables[g] on. All ends of edges are positions
# within the graph: the row of node i of graph g is node_start[g] + i.


class GraphTable(NamedTuple):
    """Many graphs in flat arrays; graph ``g`` has the nodes ``node_start[g]:node_start[g + 1]``.

    All arrays are int64. Both variables and constants are nodes; variables come first.

    Attributes:
        labels: one per node.
        node_start: one more than there are graphs.
        variables, tops: per graph, the number of variables and the position of the root.
        sources, roles, targets: one per edge, the relations before the attributes; positions of
            nodes count from the first node of the graph.
        edge_start: one more than there are graphs.
    """

    labels: Ints
    node_start: Ints
    variables: Ints
    tops: Ints
    sources: Ints
    roles: Ints
    targets: Ints
    edge_start: Ints

    def end_labels(self) -> tuple[Ints, Ints]:
        """Return the labels of the source and of the target of each edge."""
        first = per_row(self.node_start[:-1], self.edge_start)
        return self.labels[first + self.sources], self.labels[first + self.targets]


class LabelledGraphs(NamedTuple):
    """Graphs and the labels that their numbers stand for.

    Attributes:
        table: the graphs.
        labels: the texts of the numbers in ``table.labels``; several numbers may have one text.
        roles: the texts of the numbers in ``table.roles``.
    """

    table: GraphTable
    labels: tuple[str, ...]
    roles: tuple[str, ...]


class Edges(NamedTuple):
    """The relations or the attributes of many graphs, one element per edge.

    Attributes:
        start: where the edges of each graph start; one more than there are graphs.
        sources, roles, targets: as in `GraphTable`; the targets of attributes may also be labels.
    """

    start: Ints
    sources: Ints
    roles: Ints
    targets: Ints

    def distinct(self) -> Edges:
        """Return the first of each graph's equal edges."""
        first = group_rows(*self)[1]
        return Edges(starts_of_kept(first, self.start), *[column[first] for column in self[1:]])


def label_graphs(
    corpus: Corpus, *, concept: Fold, constant: Fold, role: Fold, form: NodeForm = "plain"
) -> LabelledGraphs:
    """Encode the graphs of a corpus.

    Args:
        corpus: the graphs.
        concept, constant, role: normalise the labels of each kind. Equal concepts and constants
            have equal labels.
        form: ``plain``: one node per attribute. ``distinct``: as ``plain``, without repeated
            triples. ``shared``: equal constants of a graph are one node, and a single node without
            edges has an ``:instance`` edge to itself.

    >>> from amr_metrics import Corpus, parse_graph
    >>> from amr_metrics.graphs.folding import lower
    >>> corpus = Corpus.of([parse_graph("(s / Sleep-01 :ARG0 (c / cat :polarity -))")])
    >>> graphs = label_graphs(corpus, concept=lower, constant=lower, role=lower)
    >>> [graphs.labels[k] for k in graphs.table.labels]
    ['sleep-01', 'cat', '-']
    >>> [(s, graphs.roles[r], t) for s, r, t in zip(*graphs.table[4:7])]
    [(np.int64(0), ':arg0', np.int64(1)), (np.int64(1), ':polarity', np.int64(2))]
    """
    # `Labels.of` numbers each symbol that is used, by the normalised text; indexed by a column of
    # symbols, it gives the column of labels.
    symbols, labels, roles = corpus.symbols, Labels(), Labels()
    concepts = labels.of(symbols, corpus.concepts, concept)[corpus.concepts]
    constants = labels.of(symbols, corpus.constants, constant)[corpus.constants]
    used = np.concatenate([corpus.relation_roles, corpus.attribute_roles])
    relation_roles, attribute_roles = np.split(
        roles.of(symbols, used, role)[used], [len(corpus.relation_roles)]
    )
    relations = Edges(corpus.relation_start, corpus.sources, relation_roles, corpus.targets)
    attributes = Edges(corpus.attribute_start, corpus.holders, attribute_roles, constants)
    if form == "distinct":
        relations, attributes = relations.distinct(), attributes.distinct()
    # Constants are numbered after the variables of their graph, which has `sizes` of these.
    if form == "shared":
        values, attributes = _merge_constants(attributes, corpus.sizes)
        lone = (corpus.sizes == 1) & (np.diff(relations.start) + np.diff(attributes.start) == 0)
        edges = [relations, attributes]
        if lone.any():
            zeros = np.zeros(lone.sum(), np.int64)
            edges.append(Edges(starts(lone), zeros, zeros + roles.number(":instance"), zeros))
    else:
        values = attributes.start, attributes.targets
        constant_nodes = per_row(corpus.sizes, attributes.start) + row_positions(attributes.start)
        edges = [relations, attributes._replace(targets=constant_nodes)]
    table = assemble(corpus, [(corpus.node_start, concepts), values], edges)
    return LabelledGraphs(table, tuple(labels.values), tuple(roles.values))


def _merge_constants(attributes: Edges, sizes: Ints) -> tuple[tuple[Ints, Ints], Edges]:
    """Make one node per distinct constant of a graph, the target of its attributes.

    Returns:
        where the new nodes of each graph start, and their labels; the attributes.
    """
    start, zeros = attributes.start, np.zeros(len(attributes.targets), np.int64)
    groups, first = group_rows(start, attributes.targets, zeros, zeros)
    nodes = starts_of_kept(first, start), attributes.targets[first]
    return nodes, attributes._replace(targets=per_row(sizes, start) + groups)


def assemble(
    corpus: Corpus, nodes: Sequence[tuple[Ints, Ints]], edges: Sequence[Edges]
) -> GraphTable:
    """Return the table of graphs that consist of several groups of nodes and edges.

    Args:
        corpus: the graphs, for the numbers of variables and the roots.
        nodes: groups of nodes, each with their starts and labels; each graph has those of the first
            group first.
        edges: likewise, with positions of nodes among all nodes of the graph.
    """
    node_start, node_rows = merge_rows(*[start for start, _ in nodes])
    edge_start, edge_rows = merge_rows(*[group.start for group in edges])

    def column(name: str) -> Ints:
        values = [getattr(group, name) for group in edges]
        return np.concatenate(values).astype(np.int64)[edge_rows]

    return GraphTable(
        labels=np.concatenate([labels for _, labels in nodes])[node_rows],
        node_start=node_start,
        variables=corpus.sizes,
        tops=np.maximum(corpus.tops, 0),
        sources=column("sources"),
        roles=column("roles"),
        targets=column("targets"),
        edge_start=edge_start,
    )


def collect_graphs(pairs: Pairs) -> tuple[Corpus, Ints, Ints]:
    """Return the graphs of some pairs in one corpus, each once.

    The corpus is created once for each `Pairs` object: several metrics share it.

    Returns:
        the corpus, without metadata, and the position in it of each pair's src and tgt.
    """
    if pairs.src is pairs.tgt:
        return pairs.src, pairs.src_index, pairs.tgt_index
    if pairs not in _JOINED:
        used = pairs.compact()
        sides = [side.without_metadata() for side in (used.src, used.tgt)]
        corpus = Corpus.concatenate(sides)
        _JOINED[pairs] = corpus, used.src_index, used.tgt_index + len(used.src)
    return _JOINED[pairs]


_JOINED: WeakKeyDictionary[Pairs, tuple[Corpus, Ints, Ints]] = WeakKeyDictionary()


def mod_as_domain(corpus: Corpus, except_inverted: bool = False) -> Corpus:
    """Return the graphs with ``x :mod y`` as ``y :domain x``.

    Args:
        corpus: the graphs.
        except_inverted: leave relations that are written as ``:mod-of`` unchanged.
    """
    is_mod = corpus.relation_roles == corpus.symbols.numbers.get(":mod", -1)
    if except_inverted:
        is_mod &= ~corpus.inverted
    return reverse_relations_as(corpus, is_mod, ":domain")


def reverse_relations_as(corpus: Corpus, relations: Bools, role: str) -> Corpus:
    """Return the graphs with some relations reversed, under another role.

    Args:
        relations: of each relation, whether to reverse it.
    """
    symbols, (_, (number,)) = Symbols.join([corpus.symbols, Symbols((role,))])
    return replace(
        reverse_relations(corpus, relations),
        symbols=symbols,
        relation_roles=np.where(relations, number, corpus.relation_roles),
    )


def group_rows(start: Ints, a: Ints, b: Ints, c: Ints) -> tuple[Ints, Bools]:
    """Number the distinct rows ``(a, b, c)`` of each graph in order of first occurrence.

    Returns:
        the number of each row, and whether it is the first with its number.
    """
    rows = len(a)
    columns = [np.ascontiguousarray(column, np.int64) for column in (start, a, b, c)]
    slots, memory = allocate_numbers(count_largest_group(start))
    groups, first = np.empty(rows, np.int64), np.zeros(rows, np.bool_)
    _group_rows(len(start) - 1, rows, slots, *columns, memory, groups, first)
    return groups, first


_group_rows = declare_kernel("group_rows")
