"""Pairs beyond the memory limit: a map that is one to one, its exact value, and a true bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import Graph, Pair, Smatch, SmatchPP, limits, parse_graph
from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.facts import match_counts, problems
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.large import align_large
from amr_metrics.alignment.matches import matches, worths
from amr_metrics.alignment.s2match import S2match
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.errors import PairError
from amr_metrics.graphs.graph import Attribute, Relation
from amr_metrics.graphs.random_graphs import random_graph, rename_variables, shuffle_graph
from amr_metrics.vectors import WordVectors
from tests.alignment_problems import is_map
from tests.builders import chain
from tests.strategies import graphs

VECTORS = WordVectors.of({"cat": [1, 0], "dog": [0.8, 0.6], "person": [0, 1]})


def flat(concepts, role=":mod"):
    """A root with many children; `role` with {} is a different role for each."""
    names = tuple(f"x{k}" for k in range(len(concepts)))
    relations = [Relation(names[0], role.format(k), name) for k, name in enumerate(names)][1:]
    return Graph(names, tuple(concepts), (), tuple(relations), names[0])


def bipartite(size):
    names = tuple(f"x{k}" for k in range(2 * size))
    relations = [Relation(a, ":mod", b) for a in names[:size] for b in names[size:]]
    return Graph(names, ("thing",) * (2 * size), (), tuple(relations), names[0])


def tables(metric, pair):
    return metric.encode(metric.views([pair])).tables()


@pytest.fixture
def little_memory(monkeypatch):
    """No pair has a table of node pairs."""
    monkeypatch.setattr(limits, "MEMORY", 0)
    monkeypatch.setattr("amr_metrics.alignment.large.BYTES", 0)


@given(graphs(), graphs(), st.sampled_from([Smatch(), WSmatch(), SmatchPP(levels=3)]))
def test_value_and_bound_enclose_the_optimum(a, b, metric):
    src, tgt = tables(metric, Pair(a, b))
    problem = problems(src, tgt).problem(0)
    answer, best = align_large(src, tgt), Exact().solve(problem)
    assert is_map(problem, answer.mapping)
    assert answer.value == pytest.approx(problem.value(answer.mapping), abs=1e-9)
    assert answer.value <= best.value + 1e-9
    assert best.value <= answer.upper_bound + 1e-9
    assert answer.optimal == (answer.value == answer.upper_bound)
    assert worths(src, *matches(src, tgt, answer.mapping)).sum() == pytest.approx(answer.value)


@pytest.mark.parametrize("seed", range(8))
def test_a_copy_with_distinct_neighbourhoods_is_proven_optimal(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 40)
    names = tuple(f"c{k}" for k in range(len(graph.concepts)))
    graph = Graph(graph.variables, names, graph.attributes, graph.relations, graph.top)
    answer = align_large(
        *tables(Smatch(), Pair(graph, shuffle_graph(rename_variables(graph), seed)))
    )
    assert answer.optimal


@pytest.mark.parametrize(
    ("src", "tgt"),
    [
        (flat(["a"] * 50), flat(["a"] * 40)),
        (flat(["a", *"bcdefgh"]), flat(["a", *"hgfxyz"])),
        (flat(["a"] * 30, ":op{}"), flat(["a"] * 20, ":op{}")),
        (chain(60), shuffle_graph(chain(60), 1)),
        (chain(60, "thing{}"), shuffle_graph(chain(50, "thing{}"), 1)),
        (bipartite(9), shuffle_graph(bipartite(9), 2)),
    ],
)
def test_regular_graphs_are_proven_optimal(src, tgt):
    answer = align_large(*tables(Smatch(), Pair(src, tgt)))
    assert answer.optimal
    solved = Smatch(solver=Exact(work_limit=2_000_000)).evaluate([Pair(src, tgt)])
    assert answer.value >= solved.details["matches"][0]
    assert answer.upper_bound <= solved.details["upper_bound"][0]


def joined(sentences):
    """The graphs of a document's sentences below one root."""
    variables, concepts, relations = ["d"], ["multi-sentence"], []
    for k, graph in enumerate(sentences):
        variables += [f"{name}_{k}" for name in graph.variables]
        concepts += graph.concepts
        relations.append(Relation("d", f":snt{k + 1}", f"{graph.top}_{k}"))
        relations += [Relation(f"{s}_{k}", role, f"{t}_{k}") for s, role, t in graph.relations]
    return Graph(tuple(variables), tuple(concepts), (), tuple(relations), "d")


@pytest.mark.parametrize("seed", range(2))
def test_a_document_is_aligned_at_least_as_well_as_sentence_by_sentence(seed):
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(40):
        src = random_graph(rng, 12)
        changed = np.where(rng.random(len(src.concepts)) < 0.5, "thing", src.concepts)
        relations = tuple(
            relation if rng.random() < 0.6 else relation._replace(role=":manner")
            for relation in src.relations
        )
        tgt = Graph(src.variables, tuple(changed.tolist()), (), relations, src.top)
        pairs.append(Pair(src, shuffle_graph(tgt, seed)))
    document = Pair(*[joined([pair[side] for pair in pairs]) for side in (0, 1)])
    mapping, first = [0], 1
    for pair, of_pair in zip(pairs, Smatch(root="none").align(pairs), strict=True):
        mapping += [j + first if j >= 0 else -1 for j in of_pair]
        first += len(pair.tgt.variables)
    src_facts, tgt_facts = tables(Smatch(), document)
    assert (
        align_large(src_facts, tgt_facts).value
        >= worths(src_facts, *matches(src_facts, tgt_facts, np.array(mapping))).sum()
    )


def test_all_edges_to_the_root_count_in_a_sentence():
    """The cat matches the cat by concept and negation (2), the dog by three edges (3)."""
    others = ":snt2 (e / elk) :snt3 (f / fox)"
    src = parse_graph(f"(d / document :snt1 (c / cat :polarity -) :x c :y c {others})")
    tgt = parse_graph(
        f"(d / document :snt1 (g / dog :ARG0 (c / cat :polarity -)) :x g :y g {others})"
    )
    src_facts, tgt_facts = tables(Smatch(), Pair(src, tgt))
    answer = align_large(src_facts, tgt_facts)
    # TOP, three concepts and five edges
    assert answer.value == 1 + 3 + 5
    assert answer.value == Exact().solve(problems(src_facts, tgt_facts).problem(0)).value
    assert tgt.variables[answer.mapping[src.variables.index("c")]] == "g"


@given(st.lists(st.tuples(graphs(), graphs()), max_size=3))
def test_match_counts(pairs):
    src, tgt = Smatch().encode([Pair(a, b) for a, b in pairs]).tables()
    nodes, edges = match_counts(src, tgt)
    batch = problems(src, tgt)
    assert edges.tolist() == np.diff(batch.match_start).tolist()
    totals = np.add.reduceat(np.append(batch.unary, 0.0), batch.unary_start)[:-1]
    assert nodes.tolist() == (totals * (np.diff(batch.unary_start) > 0)).tolist()


@pytest.mark.parametrize("solver", [Exact(), HillClimb()])
def test_metrics_use_it_above_the_limit(little_memory, solver):
    src = Graph(
        ("a", "b", "c"), ("eat-01", "cat", "dog"), (Attribute("a", ":polarity", "-"),),
        (Relation("a", ":ARG0", "b"), Relation("a", ":ARG1", "c")), "a",
    )  # fmt: skip
    tgt = Graph(
        ("x", "y"), ("eat-01", "cat"), (Attribute("x", ":polarity", "-"),),
        (Relation("x", ":ARG0", "y"),), "x",
    )  # fmt: skip
    metric, pairs = Smatch(solver=solver), [Pair(src, tgt), Pair(src, src), Pair(tgt, tgt)]
    scores = metric.evaluate(pairs)
    assert scores.values.tolist() == [10 / 12, 1.0, 1.0]
    assert scores.details["optimal"].all()
    assert [m.tolist() for m in metric.align(pairs)] == [[0, 1, -1], [0, 1, 2], [0, 1]]
    links = metric.links(pairs)
    assert [link[:3] for link in links[0]] == [("a", "x", 3.5), ("b", "y", 1.5)]
    explanation = metric.explain(pairs[0])
    assert explanation.links == links[0]
    assert explanation.optimal
    assert len(explanation.matched) == 5
    assert [*map(str, explanation.unmatched_src)] == ["instance(c, dog)", ":arg1(a, c)"]
    aligned = metric.evaluate_aligned(pairs, metric.align(pairs))
    assert aligned.values.tolist() == scores.values.tolist()


def test_the_map_does_not_depend_on_other_pairs(little_memory):
    """Which may have the same labels before, in another order."""
    other = parse_graph("(a / zzz :r5 (b / c5 :r0 (c / c3)) :x (d / c8 :r4 (e / c1)))")
    for seed in range(3):
        pair = Pair(big_graph(150, 2 * seed), big_graph(150, 2 * seed + 1))
        alone = Smatch().evaluate([pair]).details["matches"]
        assert Smatch().evaluate([Pair(other, other), pair]).details["matches"][1] == alone


def test_chunks_keep_to_the_limit_and_change_no_score(monkeypatch):
    rng = np.random.default_rng(0)
    pairs = [Pair(random_graph(rng, 9), random_graph(rng, 9)) for _ in range(40)]
    for metric in (Smatch(), S2match(vectors=VECTORS)):
        whole = metric.evaluate(pairs)
        monkeypatch.setattr(limits, "MEMORY", 60_000)
        parts = list(metric.parts(metric.encode(pairs), None))
        cut = metric.evaluate(pairs)
        monkeypatch.undo()
        assert len(parts) > 1
        assert all(part.problems is not None for part in parts)
        for name, column in whole.details.items():
            assert column.tobytes() == cut.details[name].tobytes()


def test_a_refused_pair_is_named_with_the_size_it_needs(monkeypatch):
    small = Pair(flat(["a"]), flat(["a"]))
    pairs = [small, Pair(flat(["a"] * 700), flat(["a"] * 800))]
    monkeypatch.setattr(limits, "MEMORY", 1 << 22)
    with pytest.raises(PairError, match=r"^pair 1: graphs of 700 and 800 nodes would need .* MB"):
        S2match(vectors=VECTORS).evaluate(pairs)
    assert Smatch().evaluate(pairs[1:]).details["optimal"].all()
    monkeypatch.setattr(limits, "MEMORY", 1 << 20)
    with pytest.raises(PairError, match="split them into smaller graphs, or leave the pair out"):
        Smatch().evaluate(pairs)


# Limits of work: the gap is reported


def big_graph(nodes, seed, concepts=9, roles=6):
    """A connected graph of few labels, so that most edges match many others."""
    rng = np.random.default_rng(seed)
    names = tuple(f"x{k}" for k in range(nodes))
    ends = [(int(rng.integers(max(0, k - 50), k)), k) for k in range(1, nodes)]
    ends = [(s, t) if rng.random() < 0.8 else (t, s) for s, t in ends]
    more = rng.integers(0, nodes, (nodes // 5, 2))
    ends += [(int(s), int(t)) for s, t in more if s != t]
    return Graph(
        names,
        tuple(f"c{k}" for k in rng.integers(0, concepts, nodes)),
        (),
        tuple(Relation(names[s], f":r{rng.integers(0, roles)}", names[t]) for s, t in ends),
        names[0],
    )


def check_gap(scores):
    """A pair whose search was cut short says so."""
    matches, bound = scores.details["matches"][0], scores.details["upper_bound"][0]
    assert not scores.details["optimal"][0]
    assert 0 < matches < bound
    assert bound <= min(scores.details["src_total"][0], scores.details["tgt_total"][0])


def test_the_work_limit_stops_the_search_and_the_gap_is_reported():
    pair = Pair(big_graph(150, 1), big_graph(150, 2))
    hurried = Smatch(solver=Exact(work_limit=3_000_000)).evaluate([pair])
    check_gap(hurried)
    longer = Smatch(solver=Exact(work_limit=30_000_000)).evaluate([pair])
    assert longer.details["matches"][0] >= hurried.details["matches"][0]
    assert longer.details["upper_bound"][0] <= hurried.details["upper_bound"][0]


@pytest.mark.parametrize("concepts", [1, 9])
def test_a_better_map_from_the_colours_replaces_an_unproven_one(concepts):
    """With nine concepts the search finds the better map."""
    pairs = [
        Pair(big_graph(size, 1, concepts, 1), big_graph(size, 2, concepts, 1)) for size in (9, 80)
    ]
    solver = Exact(work_limit=300_000)
    metric = Smatch(solver=solver)
    scores = metric.evaluate(pairs)
    assert scores.details["optimal"].tolist() == [True, False]
    encoded = metric.encode(pairs)
    tables = encoded.tables(slice(0, 2))
    searched = solver.solve_batch(problems(*tables))
    coloured = align_large(*(table.take(np.array([1])) for table in tables))
    assert (searched.value[1] < coloured.value) == (concepts == 1)
    values = scores.details["matches"]
    assert values.tolist() == [searched.value[0], max(searched.value[1], coloured.value)]
    assert metric.evaluate_aligned(pairs, metric.align(pairs)).details["matches"].tolist() == (
        values.tolist()
    )
    assert metric.explain(pairs[1]).score == scores.values[1]
    climb = HillClimb(restarts=0)  # a published algorithm stays as it is
    assert Smatch(solver=climb).evaluate(pairs).details["matches"].tolist() == [
        climb.solve(problems(*tables).problem(p)).value for p in range(2)
    ]


def test_a_big_graph_against_itself_is_proven():
    graph = big_graph(400, 5)
    assert Smatch().score([Pair(graph, graph)]).tolist() == [1.0]
