from collections import deque
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import Corpus, Graph, Pair, Pairs, Smatch, SmatchPP, parse_graph
from amr_metrics.alignment import facts
from amr_metrics.alignment.compression import GROUND
from amr_metrics.alignment.facts import (
    Facts,
    FactTable,
    PairFacts,
    most_matches,
    problem_bytes,
    problems,
)
from amr_metrics.alignment.smatch import ROOTS
from amr_metrics.alignment.wsmatch import WSmatch, levels, linear_weight
from amr_metrics.graphs.corpus import Labels
from amr_metrics.graphs.numbering import allocate_numbers
from tests.strategies import graphs

graph_lists = st.lists(
    st.one_of(graphs(loops=True, duplicates=True), st.just(Graph.empty())), max_size=4
)


def distances(graph):
    """Each node's distance from the root, by breadth-first search over variables."""
    near = {variable: set() for variable in graph.variables}
    for source, _, target in graph.relations:
        near[source].add(target)
        near[target].add(source)
    distance = {graph.top: 0} if graph.variables else {}
    queue = deque(distance)
    while queue:
        node = queue.popleft()
        for neighbour in near[node] - distance.keys():
            distance[neighbour] = distance[node] + 1
            queue.append(neighbour)
    return distance


def one_by_one(graph, root, fold, weight=lambda kind, role, *nodes: 1.0):
    """The distinct weighted facts of one graph, in order, with the positions of its nodes."""
    at = graph.positions
    named = [v for v in graph.variables if v != GROUND]
    unary = [
        (at[v], ("instance", fold(graph.concept(v))), weight("instance", ":instance", v))
        for v in named
    ]
    unary += [
        (at[v], ("attribute", (fold(role), fold(constant))), weight("attribute", role, v))
        for v, role, constant in graph.attributes
    ]
    if root != "none" and graph.top in named:
        value = fold(graph.concept(graph.top)) if root == "concept" else "top"
        unary.append((at[graph.top], ("TOP", value), weight("root", ":root", graph.top)))
    binary = [
        (at[s], at[t], ("relation", fold(role)), weight("relation", role, s, t))
        for s, role, t in graph.relations
    ]
    return [[*dict.fromkeys(fact for fact in part if fact[-1])] for part in (unary, binary)]


def listed(table, labels, g):
    """The facts of one graph of a table, in the same form."""
    facts, edges = (part.take(np.array([g])) for part in (table.facts, table.edges))
    unary = [
        (node, labels.values[label], weight)
        for (node, label), weight in zip(facts.rows.tolist(), facts.weights.tolist(), strict=True)
    ]
    binary = [
        (source, target, labels.values[label], weight)
        for (source, target, label), weight in zip(
            edges.rows.tolist(), edges.weights.tolist(), strict=True
        )
    ]
    return [unary, binary]


def check_facts(metric, several, root, fold, weight_of):
    """The facts of all graphs at once are those of each graph."""
    labels = Labels()
    table = metric.facts(Corpus.of(several), labels)
    assert table.sizes.tolist() == [len(graph.variables) for graph in several]
    for g, graph in enumerate(several):
        expected = one_by_one(graph, root, fold, weight_of(graph))
        assert listed(table, labels, g) == expected
        total = sum(fact[-1] for part in expected for fact in part)
        assert table.totals[g] == pytest.approx(total)
    assert len(set(labels.values)) == len(labels.values)


@given(graph_lists, st.sampled_from(ROOTS))
def test_the_facts_of_many_graphs_are_those_of_each_graph(several, root):
    check_facts(
        Smatch(root=root), several, root, str.lower, lambda _: lambda kind, role, *nodes: 1.0
    )


@given(graph_lists, st.sampled_from(ROOTS), st.integers(1, 3))
def test_the_weights_of_wsmatch_are_those_of_each_graph(several, root, depth):
    def weight_of(graph):
        distance = distances(graph)

        def at(level):
            return float(max(depth - level, 1)) if level >= 0 else 1.0

        def weight(kind, role, *nodes):
            levels = [distance.get(node, -1) for node in nodes]
            if kind == "attribute" and levels[0] >= 0:
                levels.append(levels[0] + 1)
            return min(map(at, levels))

        return weight

    metric = WSmatch(root=root, depth=depth)
    check_facts(metric, several, root, str.lower, weight_of)


@given(graph_lists, st.integers(0, 3))
def test_the_weights_of_smatchpp_are_those_of_each_graph(several, count):
    weights = {":ARG0": 0.3, ":mod": 2.5, "instance": 1.7, "attribute": 0.9, "root": 0.25}
    metric = SmatchPP(standardize="none", root="concept", weights=weights, levels=count)

    def weight_of(graph):
        distance = distances(graph)

        def weight(kind, role, *nodes):
            near = [distance.get(node, -1) for node in nodes]
            if kind == "attribute" and near[0] >= 0:
                near.append(near[0] + 1)
            role_weight = weights.get(role, weights.get(kind, 1.0))
            return role_weight * (
                min(linear_weight(level, count) for level in near) if count else 1.0
            )

        return weight

    check_facts(metric, several, "concept", str, weight_of)


@given(graphs(max_nodes=5), graphs(max_nodes=5), st.sampled_from(ROOTS))
def test_the_node_of_compressed_concepts_has_no_concept_of_its_own(a, b, root):
    metric = SmatchPP(standardize="none", root=root, compression=True)
    pair = metric.view(Pair(a, b))
    check_facts(metric, [*pair], root, str, lambda _: lambda kind, role, *nodes: 1.0)


def test_the_facts_of_a_graph():
    graph = parse_graph("(s / Sleep-01 :ARG0 (c / cat) :polarity -)")
    labels = Labels()
    table = Smatch().facts(Corpus.of([graph]), labels)
    assert table.sizes.tolist() == [2]
    assert [(node, labels.values[k]) for node, k in table.facts.rows.tolist()] == [
        (0, ("instance", "sleep-01")),
        (1, ("instance", "cat")),
        (0, ("attribute", (":polarity", "-"))),
        (0, ("TOP", "sleep-01")),
    ]
    assert table.edges.rows[:, :2].tolist() == [[0, 1]]
    assert labels.values[table.edges.rows[0, 2]] == ("relation", ":arg0")


@given(st.lists(graphs(max_nodes=4), min_size=1, max_size=4), st.data())
def test_a_graph_in_several_pairs_is_encoded_once(several, data):
    corpus = Corpus.of(several)
    positions = st.lists(st.integers(0, len(several) - 1), min_size=6, max_size=6)
    rows, columns = (np.array(data.draw(positions)) for _ in range(2))
    encoded = Smatch().encode(Pairs(corpus, corpus, rows, columns))
    assert len(encoded.src.sizes) == len({*rows})
    assert len(encoded.tgt.sizes) == len({*columns})
    each = [Pair(several[a], several[b]) for a, b in zip(rows, columns, strict=True)]
    for chunk in (slice(None), slice(2, 5), slice(6, 9)):
        for table, graphs_of_side in zip(
            encoded.tables(chunk),
            ([p.src for p in each[chunk]], [p.tgt for p in each[chunk]]),
            strict=True,
        ):
            for g, graph in enumerate(graphs_of_side):
                assert listed(table, encoded.labels, g) == one_by_one(graph, "concept", str.lower)


def test_a_total_does_not_depend_on_the_other_graphs():
    # The order in which floating-point numbers are added was another one for the last graph.
    rng = np.random.default_rng(5)
    for size in np.tile([8, 16, 24, 32], 20):
        weights = np.tile(rng.random(size), 2)
        start = np.array([0, size, 2 * size])
        nodes = np.tile(np.arange(size), 2)
        none = np.empty(0, np.int64)
        table = FactTable(
            np.array([size, size]),
            Facts.of(start, [nodes, nodes], weights),
            Facts.of(np.zeros(3, np.int64), [none, none, none]),
        )
        assert table.totals[0] == table.totals[1] == table.take(np.array([0])).totals[0]


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=40), max_size=4),
    st.booleans(),
)
def test_of_equal_rows_the_first_is_kept(groups, counted):
    rows = np.array([row for group in groups for row in group], np.int32).reshape(-1, 2)
    weights = np.arange(len(rows), dtype=float)
    start = np.array([sum(map(len, groups[:k])) for k in range(len(groups) + 1)])
    expected, position = [], 0
    for group in groups:
        kept = {}
        for row in group:
            before = kept.get(row)
            kept[row] = (before or 0.0) + position if counted or before is None else before
            position += 1
        expected.append([*kept.items()])
    start, rows, weights = Facts(start, rows, weights).distinct(counted)
    assert len(rows) == len(weights) == start[-1] == sum(map(len, expected))
    for g, group in enumerate(expected):
        part = slice(start[g], start[g + 1])
        assert [*zip(map(tuple, rows[part].tolist()), weights[part].tolist(), strict=True)] == group


@pytest.mark.parametrize("chain", [True, False])
def test_a_graph_of_100_000_nodes_is_encoded_in_linear_time(chain):
    count = 100_000
    nodes = np.arange(count, dtype=np.int32)
    small = Corpus.of([parse_graph("(a / a :x (b / b))")])
    corpus = Corpus(
        symbols=small.symbols,
        tops=np.zeros(1, np.int64),
        node_start=np.array([0, count]),
        variables=np.zeros(count, np.int32),  # names do not matter to the facts
        concepts=nodes % 2,
        attribute_start=np.zeros(2, np.int64),
        holders=np.empty(0, np.int32),
        attribute_roles=np.empty(0, np.int32),
        constants=np.empty(0, np.int32),
        relation_start=np.array([0, count - 1]),
        sources=nodes[:-1] if chain else np.zeros(count - 1, np.int32),
        relation_roles=np.full(count - 1, 2, np.int32),
        targets=nodes[1:],
        inverted=np.zeros(count - 1, bool),
        forward=np.zeros(count - 1, bool),
        metadata=({},),
    )
    assert levels(corpus).tolist() == ([*range(count)] if chain else [0, *[1] * (count - 1)])
    table = WSmatch().facts(corpus, Labels())
    assert (len(table.facts.rows), len(table.edges.rows)) == (count + 1, count - 1)
    score = WSmatch().score(Pairs(corpus, small, np.zeros(1, np.int64), np.zeros(1, np.int64)))
    assert 0 < score[0] < 0.01


@given(graph_lists)
def test_levels_are_distances_from_the_root(several):
    corpus = Corpus.of(several)
    expected = [distances(graph).get(v, -1) for graph in several for v in graph.variables]
    assert levels(corpus).tolist() == expected


def test_the_facts_of_graphs_encoded_one_at_a_time():
    cat, dog = parse_graph("(c / cat)"), parse_graph("(d / dog)")
    calls = []

    def encode(graph, labels):
        calls.append(graph)
        label = labels.number(("instance", graph.concepts[0]))
        return 1, [(0, label), (0, label)], [(0, 0, labels.number(("loop", "")))]

    encoded = PairFacts.one_by_one([Pair(cat, dog), Pair(cat, cat)], encode)
    assert calls == [cat, dog, cat]  # once on each side
    src, tgt = encoded.tables()
    assert src.facts.rows.tolist() == [[0, 0], [0, 0]]
    assert tgt.facts.rows.tolist() == [[0, 2], [0, 0]]
    assert src.edges.rows.tolist() == tgt.edges.rows.tolist() == [[0, 0, 1], [0, 0, 1]]
    assert encoded.labels.values == [("instance", "cat"), ("loop", ""), ("instance", "dog")]


@given(st.lists(st.tuples(graphs(loops=True), graphs(loops=True)), max_size=3))
def test_problems_join_the_facts_on_their_labels(pairs):
    src, tgt = Smatch().encode([Pair(*pair) for pair in pairs]).tables()
    batch = problems(src, tgt)
    for p in range(len(pairs)):
        a_facts, b_facts = (t.facts.take(np.array([p])).rows for t in (src, tgt))
        unary = np.zeros((src.sizes[p], tgt.sizes[p]))
        for i, label in a_facts:
            for j, same in b_facts:
                unary[i, j] += label == same
        np.testing.assert_array_equal(batch.problem(p).unary, unary)
        a_edges, b_edges = (t.edges.take(np.array([p])).rows for t in (src, tgt))
        fits = [
            [a, b]
            for a in range(len(a_edges))
            for b in range(len(b_edges))
            if a_edges[a][2] == b_edges[b][2]
        ]
        assert batch.problem(p).matches.tolist() == fits
        assert batch.problem(p).weights.tolist() == [1.0] * len(fits)
        assert batch.problem(p).src_edges.tolist() == a_edges[:, :2].tolist()
        assert batch.problem(p).tgt_edges.tolist() == b_edges[:, :2].tolist()


@given(st.lists(st.tuples(graphs(loops=True), graphs(loops=True)), max_size=3), st.data())
def test_nodes_without_a_common_place_have_no_weight_and_no_match(pairs, data):
    tables = Smatch().encode([Pair(*pair) for pair in pairs]).tables()
    places = [
        [
            [data.draw(st.sets(st.integers(0, 2), max_size=2), "places") for _ in range(size)]
            for size in table.sizes
        ]
        for table in tables
    ]
    limited = [
        replace(
            table,
            places=Facts.collect(
                [[(v, k) for v, at in enumerate(graph) for k in at] for graph in of_side], 2
            ),
        )
        for table, of_side in zip(tables, places, strict=True)
    ]
    free, batch = problems(*tables), problems(*limited)
    for p, (src_places, tgt_places) in enumerate(zip(*places, strict=True)):
        before, after = free.problem(p), batch.problem(p)
        allowed = np.array([[bool(a & b) for b in tgt_places] for a in src_places])
        np.testing.assert_array_equal(after.unary, before.unary * allowed)
        kept = [
            k
            for k, (a, b) in enumerate(before.matches)
            if allowed[before.src_edges[a], before.tgt_edges[b]].all()
        ]
        assert after.matches.tolist() == before.matches[kept].tolist()
        assert after.weights.tolist() == before.weights[kept].tolist()


def test_the_most_matches_of_counted_facts():
    def table(node_facts, edges):
        """The first graph has facts about a node, the second one edges."""
        node, loop = [(0, label) for label in node_facts], [(0, 0, label) for label in edges]
        return FactTable.build([(1, node, []), (1, [], loop)], counted=True)

    src, tgt = table([5, 5, 6], [7, 7, 7, 8]), table([5, 5, 5], [7])
    # 3 facts, of which each matches at most 3; 3 of tgt, of which each matches at most 2. 4 edges,
    # of which each matches at most 1; 1 edge of tgt that matches at most 3.
    assert most_matches(src, tgt).tolist() == [min(3 * 3, 3 * 2), min(4 * 1, 1 * 3)]
    assert most_matches(tgt, src).tolist() == [3 * 2, 1 * 3]


def test_the_memory_of_a_problem_grows_with_each_of_its_parts():
    units = np.eye(3, dtype=np.int64)
    each = [facts.PAIR_BYTES, facts.NODE_MATCH_BYTES, facts.EDGE_MATCH_BYTES]
    assert problem_bytes(*units).tolist() == each
    assert problem_bytes(*(2 * units[:, ::-1])).tolist() == [2 * size for size in each[::-1]]


def test_facts_made_to_collide_are_spread(monkeypatch):
    tables = []

    def note_table(capacity):
        tables.append(allocate_numbers(capacity))
        return tables[-1]

    monkeypatch.setattr(facts, "allocate_numbers", note_table)
    # The sum of both columns, weighted with the factors that choose the first slot, is 0.
    steps = np.arange(-29, 30)
    made = Facts.of(np.array([0, 59]), [19349663 * steps, -73856093 * steps])
    assert made.distinct(counted=False).rows.tolist() == made.rows.tolist()
    ((slots, memory),) = tables
    places = np.sort(memory[5 * slots // 2 :][:59])
    assert max(map(len, np.split(places, np.flatnonzero(np.diff(places) > 1) + 1))) < 30
