"""Smatch++: arithmetic, invariances, its special cases, compression and bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import Corpus, Pair, Pairs, Smatch, SmatchPP, pair_up, parse_graph, read_graphs
from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.errors import OptionError
from amr_metrics.graphs.graph import Graph, Relation
from amr_metrics.graphs.reification import reify
from amr_metrics.standardize.standardizer import rules_table
from tests.strategies import graphs, rename_variables, shuffle_graph

CAT = parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)")
DOG = parse_graph("(s / Sleep-01 :ARG0 (d / dog))")
FOLDED = ["lower", "distinct"]


def score(a, b, **options):
    return float(SmatchPP(**options).score([Pair(a, b)])[0])


@given(
    several=st.lists(graphs(max_nodes=5), min_size=1, max_size=3),
    standardize=st.sampled_from(["none", "amr"]),
    compression=st.booleans(),
    data=st.data(),
)
def test_arrays_of_pairs_have_the_views_of_each_pair(several, standardize, compression, data):
    metric = SmatchPP(standardize=standardize, compression=compression)
    positions = st.lists(st.integers(0, len(several) - 1), min_size=4, max_size=4)
    rows, columns = data.draw(positions), data.draw(positions)
    pairs = [Pair(several[a], several[b]) for a, b in zip(rows, columns, strict=True)]
    corpus = Corpus.of(several)
    arrays = Pairs(corpus, corpus, np.array(rows), np.array(columns))
    expected = [metric.view(pair) for pair in pairs]
    assert [*metric.views(pairs)] == [*metric.views(arrays)] == expected
    assert metric.score(arrays).tolist() == metric.score(pairs).tolist()


def test_by_hand():
    # sleep-01, TOP and ARG0 of 2 + 1 + 1 + 1 and 2 + 1 + 1 triples
    assert score(CAT, DOG) == 2 * 3 / (5 + 4)
    scores = SmatchPP().evaluate([Pair(CAT, DOG)])
    assert scores.details["precision"].tolist() == [3 / 5]
    assert scores.details["recall"].tolist() == [3 / 4]


def test_presets_differ_in_what_they_fold():
    small, mod = (
        parse_graph("(s / small :domain (d / dog))"),
        parse_graph("(s / small :mod-of (d / dog))"),
    )
    assert score(small, mod, standardize="amr") == 1.0
    # The relation is another one: 3 of 4 triples.
    assert score(small, mod, standardize="generic") == 3 / 4
    # TOP is anonymous and matches; of the concepts only the cat's holder differs in case.
    assert score(CAT, DOG, standardize="none") == 2 * 2 / (5 + 4)
    assert score(CAT, DOG, standardize="none", root="none") == 2 * 1 / (4 + 3)


def test_the_root_is_what_the_preset_says_unless_told():
    a, b = parse_graph("(c / car)"), parse_graph("(d / dog)")
    assert score(a, b, standardize="amr") == 0.0
    assert score(a, b, standardize="generic") == 1 / 2
    assert score(a, b, standardize="generic", root="concept") == 0.0
    signatures = {SmatchPP(root=r).signature for r in ("preset", "concept", "constant", "none")}
    assert len(signatures) == 4


def test_weights_by_hand():
    # polarity 3: 3 of 7 and 4; instances 2: (2 + 1 + 1) of 4 + 1 + 1 + 1 and 4 + 1 + 1
    assert score(CAT, DOG, weights={":polarity": 3}) == 2 * 3 / (7 + 4)
    assert score(CAT, DOG, weights={"instance": 2}) == 2 * 4 / (7 + 6)
    assert score(CAT, DOG, weights={"root": 4}) == 2 * 6 / (8 + 7)
    assert score(CAT, DOG, weights={"relation": 2, ":ARG0": 5}) == 2 * 7 / (9 + 8)


@given(graphs(), graphs())
def test_without_steps_it_is_smatch(a, b):
    assert score(a, b, standardize=FOLDED, root="concept") == Smatch().score([Pair(a, b)])[0]
    assert score(a, b, standardize=FOLDED) == Smatch(root="constant").score([Pair(a, b)])[0]


@pytest.mark.parametrize("options", [{"levels": -1}, {"levels": 1, "compression": True}])
def test_levels_that_are_refused(options):
    with pytest.raises(OptionError, match=r"^levels must be at least 0, and cannot be combined"):
        SmatchPP(**options)


@given(graphs(), graphs())
def test_with_levels_it_is_wsmatch(a, b):
    ours = score(a, b, standardize=FOLDED, root="concept", levels=5)
    assert ours == WSmatch().score([Pair(a, b)])[0]


@given(graphs(duplicates=True), graphs(duplicates=True), st.integers(0, 99), st.booleans())
def test_scores_do_not_depend_on_how_a_graph_is_told(a, b, seed, compression):
    metric = SmatchPP(compression=compression)
    told = Pair(rename_variables(shuffle_graph(a, seed)), inverted(b, seed))
    # Written another way the optimum is the same.
    np.testing.assert_allclose(metric.score([Pair(a, b)]), metric.score([told]), atol=1e-12)


def inverted(graph, seed):
    """The same graph with some relations told from their other end."""
    rng = np.random.default_rng(seed)
    relations = [
        Relation(t, f"{role}-of", s)
        if role != ":consist-of" and rng.random() < 0.5
        else Relation(s, role, t)
        for s, role, t in graph.relations
    ]
    return Graph(graph.variables, graph.concepts, graph.attributes, tuple(relations), graph.top)


@given(graphs(), graphs(), st.sampled_from([("amr", "guidelines"), ("bamboo", "bamboo")]))
def test_reification_does_not_change_scores(a, b, case):
    preset, rules = case
    metric = SmatchPP(standardize=preset)
    reified = reify(a, rules_table(rules))
    assert metric.score([Pair(reified, b)]).tolist() == metric.score([Pair(a, b)]).tolist()


def test_a_fully_compressed_pair_is_compared_as_sets():
    a = parse_graph("(s / see-01 :ARG0 (c / cat) :ARG1 (d / dog :mod (b / big)))")
    b = parse_graph("(s / see-01 :ARG0 (c / cat) :ARG1 (m / man :mod (b / big)))")
    # root(see), ARG0(see, cat), ARG1(see, .), mod(., big): two of four are the same.
    assert score(a, b, compression=True) == 2 * 2 / (4 + 4)
    assert score(a, b) == 2 * 7 / (8 + 8)


ROOTS = ("preset", "concept", "constant", "none")


@pytest.mark.parametrize(
    ("src", "tgt", "scores"),
    [
        # rel(test, dog) on both sides; root(dog) of one and root(test) of the other differ,
        # whether the root's value is its concept or not: a node counts where its concept is equal.
        (
            "(t / dog :rel-of (d / test))",
            "(d / test :rel (t / dog))",
            (2 * 1 / (2 + 2), 2 * 1 / (2 + 2), 1.0),
        ),
        # Both dogs stay: 2 concepts, mod and the root of 4 and 5; without the root 3 of 3 and 4.
        (
            "(d / dog :mod (e / dog))",
            "(d / dog :mod (e / dog :polarity -))",
            (2 * 4 / (4 + 5), 2 * 4 / (4 + 5), 2 * 3 / (3 + 4)),
        ),
        # The cat is its concept: root(cat), mod(cat, d) and mod(cat, e) match nothing.
        (
            "(c / cat :mod (d / dog) :mod (e / dog))",
            "(d / dog :mod (e / dog))",
            (2 * 2 / (5 + 4), 2 * 2 / (5 + 4), 2 * 2 / (4 + 3)),
        ),
        # Without a root nothing but its own concept mentions a single node.
        ("(c / cat)", "(d / dog)", (0.0, 0.0, 0.0)),
        ("(c / cat)", "(x / cat)", (1.0, 1.0, 1.0)),
    ],
)
def test_compression_with_each_value_of_the_root(src, tgt, scores):
    a, b = parse_graph(src), parse_graph(tgt)
    values = [score(a, b, compression=True, root=root) for root in ROOTS]
    assert values == pytest.approx([scores[0], *scores])
    # Of the preset `generic` the root's value is constant.
    assert score(a, b, compression=True, standardize="generic") == pytest.approx(scores[1])


@given(graphs(duplicates=True, loops=True), st.sampled_from(ROOTS), st.integers(0, 99))
def test_a_compressed_graph_is_equal_to_itself(graph, root, seed):
    changed = rename_variables(shuffle_graph(graph, seed))
    assert score(graph, changed, compression=True, root=root) == 1.0


@pytest.mark.parametrize("root", ROOTS)
def test_the_root_weighs_what_its_weight_says_if_it_counts(root):
    a = parse_graph("(s / see-01 :ARG0 (c / cat))")
    metric = SmatchPP(compression=True, root=root, weights={"root": 5})
    total = metric.evaluate([Pair(a, a)]).details["src_total"][0]
    assert total == (1 if root == "none" else 1 + 5)


@given(graphs(), graphs())
def test_intervals_hold_the_optimum(a, b):
    hasty = SmatchPP(solver=Exact(node_limit=0, root_rounds=1)).evaluate([Pair(a, b)])
    best = score(a, b)
    assert hasty.values[0] <= best + 1e-12
    assert best <= hasty.details["upper"][0] + 1e-12
    if hasty.details["optimal"][0]:
        assert hasty.values[0] == best


def test_a_corpus_that_is_not_proven_has_an_interval():
    # Three nodes of one concept below a root of the same, and a ring: without any search the
    # bound stays above what the first alignment matches.
    tree = parse_graph("(a / c1 :r0 (b / c1) :r0 (c / c1))")
    ring = parse_graph("(a / c0 :r0 (b / c0 :r0 (c / c1 :r1 a) :r0-of c))")
    pairs = [Pair(tree, ring), Pair(ring, tree), Pair(CAT, DOG)]
    metric = SmatchPP(solver=Exact(node_limit=0, root_rounds=1))
    scores = metric.evaluate(pairs)
    proven = SmatchPP().corpus(SmatchPP().evaluate(pairs))
    assert "f1_upper" not in proven
    assert not scores.details["optimal"].all()
    corpus = metric.corpus(scores)
    assert corpus["f1"] <= proven["f1"] <= corpus["f1_upper"] <= 1


def test_main_and_reify_are_the_same_graphs_once_reification_is_undone(shared):
    folder = shared / "bamboo-amr-benchmark" / "sts"
    sides = [read_graphs(folder / part / "src.test.amr") for part in ("main", "reify")]
    undone, published = (
        SmatchPP(standardize=preset).score(pair_up(*sides)) for preset in ("bamboo", "amr")
    )
    assert (undone == 1).all()
    # The guidelines know neither :cause nor have-degree-92: what BAMBOO made of them stays.
    assert (published < 1).any()
