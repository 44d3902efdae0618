"""Alignment of graphs for which a table of all node pairs would be too large.

The memory and the time are proportional to the number of facts. The map is built from the colours
of Weisfeiler-Leman refinement: nodes with equal colours have equal neighbourhoods up to a distance.
Nodes whose colour is unique on both sides are mapped first, those with equal larger neighbourhoods
before others, and every mapped pair also maps its neighbours with equal roles onto each other. The
upper bound counts the labels that both graphs have. It is attained by many large graphs: by any
graph and a copy of it whose nodes the colours distinguish, and by flat graphs.

A second map is built for graphs that consist of small ones, such as documents whose sentences are
joined by ``:snt1``, ``:snt2`` and so on: the nodes with the most edges are mapped onto each other.
Each of their neighbours whose role no other neighbour has starts a block of the nodes nearest to
it, and blocks with equal roles are aligned by `Exact`. The remaining nodes are mapped by their
colours. The better of both maps is the answer, so that a document whose root has the most edges is
aligned at least as well as sentence by sentence, unless its root has further edges of equal roles
into sentences, or the search for the best alignment of a sentence is cut short.

Source: Shervashidze et al. (2011), Weisfeiler-Lehman graph kernels, section 2 (the refinement).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from amr_metrics import limits
from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.facts import (
    Facts,
    FactTable,
    match_counts,
    problem_bytes,
    problems,
)
from amr_metrics.alignment.matches import matches, worths
from amr_metrics.alignment.problem import Alignment
from amr_metrics.graphs.rows import select_group_rows, starts
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.arrays import sort_distinct

DEPTH = 16  # refinements
# Bytes per node, fact and edge of both graphs: colours of all depths, neighbours and sorted keys.
BYTES = 600
WORK = limits.WORK // 5  # steps for all blocks: less than a second
BATCH = 1 << 26  # bytes of a block that is aligned, and of those that are aligned at a time
TOLERANCE = 1e-9  # relative: the bound and the value are sums in different orders


def estimate_memory(src: FactTable, tgt: FactTable) -> int:
    """Estimate the bytes that `align_large` needs for the only graph of each table."""
    parts = [(table.sizes[0], len(table.facts.rows), len(table.edges.rows)) for table in (src, tgt)]
    return BYTES * int(np.sum(parts))


def align_large(src: FactTable, tgt: FactTable) -> Alignment:
    """Align the only graph of each table.

    Returns:
        a map, its value, and an upper bound; it is `optimal` if it attains the bound.
    """
    src, tgt = _number_labels(src, tgt)
    # Every map gives a valid value, so that nothing below has to be proven; only `label_bound` is a
    # bound. A map whose value attains it is optimal.
    colours = _color_nodes(src, tgt)
    src_near, tgt_near = _list_neighbours(src, tgt, colours)
    bound = label_bound(src, tgt)
    unmapped = np.full(int(src.sizes[0]), -1, np.int64)
    by_colours = _build_answer(
        _map_by_colours(unmapped, src_near, tgt_near, colours), bound, src, tgt
    )
    if by_colours.optimal:
        return by_colours
    blocks = _map_blocks(src, tgt, src_near, tgt_near)
    by_blocks = _build_answer(_map_by_colours(blocks, src_near, tgt_near, colours), bound, src, tgt)
    return by_blocks if by_blocks.value > by_colours.value else by_colours


def _number_labels(src: FactTable, tgt: FactTable) -> tuple[FactTable, FactTable]:
    """Number the labels in the order of the facts: otherwise ties depend on the other pairs."""
    groups = (src.facts, src.edges, tgt.facts, tgt.edges)
    labels = np.concatenate([facts.labels for facts in groups])
    _, first, places = np.unique(labels, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), np.int32)
    numbers[np.argsort(first)] = np.arange(len(first))
    ends = np.cumsum([len(facts.rows) for facts in groups])
    renumbered = []
    for facts, column in zip(groups, np.split(numbers[places], ends[:-1]), strict=True):
        rows = facts.rows.copy()
        rows[:, -1] = column
        renumbered.append(facts._replace(rows=rows))
    return (
        replace(src, facts=renumbered[0], edges=renumbered[1]),
        replace(tgt, facts=renumbered[2], edges=renumbered[3]),
    )


def _build_answer(mapping: Ints, bound: float, src: FactTable, tgt: FactTable) -> Alignment:
    worth = worths(src, *matches(src, tgt, mapping))
    mapping[worth == 0] = -1  # these pairs add nothing
    value = float(worth.sum())
    bound = max(bound, value)
    if bound - value <= TOLERANCE * bound:
        bound = value
    return Alignment(mapping, value, bound, bound <= value)


def label_bound(src: FactTable, tgt: FactTable) -> float:
    """Return an upper bound of the value of all maps of the only graph of each table.

    A fact matches at most one fact with the same label: the bound pairs the heaviest facts of each
    label, then the next ones, and so on.

    >>> src = FactTable.build([(2, [(0, 5), (1, 5)], [(0, 1, 7)])])
    >>> tgt = FactTable.build([(2, [(0, 5), (1, 6)], [(1, 0, 7)])])
    >>> label_bound(src, tgt)  # a concept and the relation
    2.0
    """
    # For each label, the weights of both sides in descending order: s1 >= s2 ... and t1 >= t2 ...
    # Any matching of these facts is worth at most match(s1, t1) + match(s2, t2) + ..., since both
    # min(s, t) and s t gain most if the largest meet the largest.
    total = 0.0
    for a, b in ((src.facts, tgt.facts), (src.edges, tgt.edges)):
        a_keys, a_sorted = _rank_facts(a.labels, a.weights)
        b_keys, b_sorted = _rank_facts(b.labels, b.weights)
        _, a_rows, b_rows = np.intersect1d(a_keys, b_keys, assume_unique=True, return_indices=True)
        total += float(src.match_weight(a_sorted[a_rows], b_sorted[b_rows]).sum())
    return total


def _rank_facts(labels: Ints, weights: Floats) -> tuple[Ints, Floats]:
    """Sort facts by label and descending weight.

    Returns:
        a key per fact, with the label in the upper 32 bits and the fact's rank within the label
        below; and the weights in this order.
    """
    # Labels 5 5 7 with the weights 1 3 2 have the keys (5, 0), (5, 1), (7, 0) and weights 3 1 2:
    # equal keys of two graphs are facts with the same label and the same rank.
    order = np.lexsort((-weights, labels))
    labels = labels[order].astype(np.int64)
    first = np.searchsorted(labels, labels)
    return (labels << 32) + np.arange(len(labels)) - first, weights[order]


def _mix_bits(values: Ints) -> Ints:
    """Scramble the bits of unsigned integers with the finaliser of SplitMix64."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _color_nodes(src: FactTable, tgt: FactTable) -> list[Ints]:
    """Return the colours of the nodes of src, then those of tgt, from coarse to fine.

    First the node's first fact, which is its concept, then all its facts, then its neighbourhood.
    Two nodes with different neighbourhoods have the same colour only by a collision of hashes,
    which may lead to a worse map, but not to a wrong value.
    """
    n = int(src.sizes[0])
    facts = np.concatenate([src.facts.rows, tgt.facts.rows + np.array([n, 0], np.int32)])
    edges = np.concatenate([src.edges.rows, tgt.edges.rows + np.array([n, n, 0], np.int32)])
    concept: Ints = np.zeros(n + int(tgt.sizes[0]), np.uint64)
    concept[facts[::-1, 0]] = facts[::-1, 1] + 1  # the first fact of each node is written last
    colour: Ints = np.zeros(len(concept), np.uint64)
    np.add.at(colour, facts[:, 0], _mix_bits(facts[:, 1].astype(np.uint64) + np.uint64(1)))
    roles = edges[:, 2].astype(np.uint64) * np.uint64(2)
    forth, back = _mix_bits(~roles), _mix_bits(~(roles + np.uint64(1)))
    colours, distinct = [_mix_bits(concept), _mix_bits(colour)], 0
    for _ in range(DEPTH):
        colour = colours[-1]
        count = len(sort_distinct(colour))
        if count == distinct:
            break  # every further refinement has the same classes
        distinct = count
        # Sums do not depend on the order of the neighbours: the hash of a multiset.
        refined = colour.copy()
        np.add.at(refined, edges[:, 0], _mix_bits(colour[edges[:, 1]] + forth))
        np.add.at(refined, edges[:, 1], _mix_bits(colour[edges[:, 0]] + back))
        colours.append(_mix_bits(refined))
    return colours


class Neighbours(NamedTuple):
    """The neighbours of the nodes of a graph.

    Attributes:
        start: node v has the neighbours ``start[v]:start[v + 1]``, ordered by `keys`.
        nodes: the neighbours.
        keys: how finely two neighbours are compared: by role and direction, then also by their
            concept, all their facts, and their neighbourhood; int64, 4 x neighbours. Keys of both
            graphs are comparable.
    """

    start: Ints
    nodes: Ints
    keys: Ints


def _list_neighbours(src: FactTable, tgt: FactTable, colours: list[Ints]) -> list[Neighbours]:
    n = int(src.sizes[0])
    ends, directed_roles, coloured = [], [], []
    for table, first in ((src, 0), (tgt, n)):
        s, t, role = table.edges.rows.T.astype(np.int64)
        nodes = np.concatenate([t, s])
        ends.append((np.concatenate([s, t]), nodes))
        directed_roles.append(np.concatenate([2 * role, 2 * role + 1]))
        coloured.append(nodes + first)  # the positions of the neighbours in `colours`
    at = np.concatenate(coloured)
    columns = [np.concatenate(directed_roles), colours[0][at], colours[1][at], colours[-1][at]]
    # Sorted by all columns, neighbours that are equal in the first k columns are adjacent. A key
    # counts the changes before it, so that key k ranks neighbours by these columns.
    order = np.lexsort(columns[::-1])
    keys = np.empty((len(columns), len(order)), np.int64)
    changed = np.zeros(len(order), np.bool_)
    for k, column in enumerate(columns):
        changed[1:] |= column[order[1:]] != column[order[:-1]]
        keys[k, order] = np.cumsum(changed)
    neighbours = []
    keys_by_side = np.split(keys, [len(coloured[0])], axis=1)
    for (owners, nodes), side_keys, size in zip(
        ends, keys_by_side, (n, int(tgt.sizes[0])), strict=True
    ):
        order = np.lexsort((nodes, side_keys[-1], owners))
        start = starts(np.bincount(owners, minlength=size))
        neighbours.append(
            Neighbours(start, nodes[order], np.ascontiguousarray(side_keys[:, order]))
        )
    return neighbours


def _map_blocks(src: FactTable, tgt: FactTable, src_near: Neighbours, tgt_near: Neighbours) -> Ints:
    """Map the nodes with the most edges onto each other, and the blocks around them."""
    mapping = np.full(int(src.sizes[0]), -1, np.int64)
    if not (len(src_near.nodes) and len(tgt_near.nodes)):
        return mapping
    # The hub of a document joins its sentences. Facts within a block, and edges between the block
    # and the hub, are part of the block's problem; an edge between two blocks counts only if it
    # happens to match.
    hubs = [int(np.argmax(np.diff(side.start))) for side in (src_near, tgt_near)]
    hub_roles = [
        side.keys[0, side.start[hub] : side.start[hub + 1]]
        for side, hub in zip((src_near, tgt_near), hubs, strict=True)
    ]
    # A block per role that exactly one neighbour of the hub has, in both graphs.
    counted = [np.unique(roles, return_counts=True) for roles in hub_roles]
    shared = np.intersect1d(*[roles[counts == 1] for roles, counts in counted])
    blocks = [
        _number_blocks(
            hub, np.where(np.isin(roles, shared), np.searchsorted(shared, roles), -1), side
        )
        for hub, roles, side in zip(hubs, hub_roles, (src_near, tgt_near), strict=True)
    ]
    new_label = 1 + max(table.facts.labels.max(initial=-1) for table in (src, tgt))
    (a, a_nodes), (b, b_nodes) = (
        _collect_block_facts(table, hub, block, len(shared), new_label)
        for table, hub, block in zip((src, tgt), hubs, blocks, strict=True)
    )
    pairs, (facts, edges) = a.sizes * b.sizes, match_counts(a, b)
    needed = problem_bytes(pairs, facts, edges)
    small = np.flatnonzero((pairs > 0) & (needed <= BATCH))
    solver = Exact(work_limit=WORK // max(len(small), 1))
    cuts = np.flatnonzero(np.diff(np.cumsum(needed[small]) // BATCH)) + 1
    for rows in np.split(small, cuts):
        answer = solver.solve_batch(problems(a.take(rows), b.take(rows)))
        nodes = a_nodes[select_group_rows(starts(a.sizes), rows).rows]
        partners = answer.mapping + np.repeat(starts(b.sizes)[rows], a.sizes[rows])
        mapped = answer.mapping >= 0
        mapping[nodes[mapped]] = b_nodes[partners[mapped]]
    mapping[hubs[0]] = hubs[1]
    return mapping


def _number_blocks(hub: int, numbers: Ints, side: Neighbours) -> Ints:
    """Return the block of each node: that of the hub's neighbour which reaches it first.

    Args:
        numbers: the blocks of the neighbours of the hub, or -1.

    Returns:
        the blocks, or -1 for the hub and nodes that are in none.
    """
    n = len(side.start) - 1
    queue, blocks = np.empty((2, n), np.int64)
    _find_blocks(n, len(numbers), hub, numbers, side, queue, blocks)
    return np.maximum(blocks, -1)


def _collect_block_facts(
    table: FactTable, hub: int, block: Ints, count: int, new_label: int
) -> tuple[FactTable, Ints]:
    """Return the facts of each block of a graph, and the nodes of all blocks in order.

    An edge between a node and the hub is a fact about the node, with a label from `new_label` on.
    """
    # The nodes block after block; those in no block come first, and are left out.
    nodes = np.argsort(block, kind="stable")[np.count_nonzero(block < 0) :]
    sizes = np.bincount(block[nodes], minlength=count)
    position = np.zeros(len(block), np.int64)
    position[nodes] = np.arange(len(nodes)) - starts(sizes)[block[nodes]]

    def by_block(row_blocks: Ints) -> tuple[Ints, Ints]:
        rows = np.argsort(row_blocks, kind="stable")[np.count_nonzero(row_blocks < 0) :]
        return starts(np.bincount(row_blocks[rows], minlength=count)), rows

    s, t, roles = table.edges.rows.T.astype(np.int64)
    facts = table.facts
    start, rows = by_block(block[facts.rows[:, 0]])
    node_facts = Facts.of(
        start, [position[facts.rows[rows, 0]], facts.labels[rows]], facts.weights[rows]
    )
    outward = s == hub
    ends = np.where(outward, t, s)
    start, rows = by_block(np.where(outward | (t == hub), block[ends], -1))
    hub_labels = new_label + 2 * roles[rows] + outward[rows]
    hub_facts = Facts.of(start, [position[ends[rows]], hub_labels], table.edges.weights[rows])
    start, rows = by_block(np.where(block[s] == block[t], block[s], -1))
    edges = Facts.of(
        start, [position[s[rows]], position[t[rows]], roles[rows]], table.edges.weights[rows]
    )
    counted = table.counted
    block_facts = Facts.joined([node_facts, hub_facts]).distinct(counted)
    return FactTable(sizes, block_facts, edges.distinct(counted), counted), nodes


def _map_by_colours(
    mapping: Ints, src_near: Neighbours, tgt_near: Neighbours, colours: list[Ints]
) -> Ints:
    """Complete a map of the nodes of src to those of tgt, from fine to coarse colours."""
    # First the nodes whose colour is unique on both sides, from fine colours, which are the most
    # certain, to coarse ones; then the others, of which any with equal colours are mapped.
    n, m = len(mapping), len(tgt_near.start) - 1
    mapping, back = mapping.copy(), np.full(m, -1, np.int64)
    nodes = np.flatnonzero(mapping >= 0)
    back[mapping[nodes]] = nodes
    queue, mapped, levels = np.empty(n, np.int64), len(nodes), len(src_near.keys)
    queue[:mapped] = nodes
    for unique in (True, False):
        for colour in colours[::-1]:
            a, b = colour[:n], colour[n:]
            orders = np.argsort(a, kind="stable"), np.argsort(b, kind="stable")
            mapped = _map_equal(
                *(n, m, levels, unique, mapped, a[orders[0]], b[orders[1]], *orders),
                *(src_near, tgt_near, mapping, back, queue),
            )
    _map_neighbours(n, m, levels, 0, 0, mapped, src_near, tgt_near, mapping, back, queue)
    return mapping


_find_blocks = declare_kernel("find_blocks")
_map_equal = declare_kernel("map_equal")
_map_neighbours = declare_kernel("map_neighbours")
