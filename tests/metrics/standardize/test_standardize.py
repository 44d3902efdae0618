"""Standardisation: each step by hand, what chains keep, and any metric on standardised graphs."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import (
    Corpus,
    Graph,
    Pair,
    Pairs,
    SemBleu,
    Smatch,
    SmatchPackage,
    parse_graph,
    read_graphs,
)
from amr_metrics.errors import OptionError
from amr_metrics.graphs.graph import Attribute, Relation
from amr_metrics.graphs.reification import Reifications
from amr_metrics.parameters import Parametric
from amr_metrics.standardize import PRESETS, STEPS, Standardized, Standardizer
from amr_metrics.standardize.metric import inner_metric
from amr_metrics.standardize.standardizer import rules_table
from amr_metrics.standardize.steps import count_alignments, drop_senses
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors import WordVectors
from bamboo.installation import resource
from tests.builders import same
from tests.metrics.standardize.plain_steps import plain
from tests.strategies import graphs

LOUD = "(s / sing-01 :ARG0 (b / bird) :manner (l / loud))"
LOUD_REIFIED = "(s / sing-01 :ARG0 (b / bird) :ARG1-of (h / have-manner-91 :ARG2 (l / loud)))"


@pytest.mark.parametrize(
    ("step", "before", "after"),
    [
        ("fold_domain", "(s / small :domain (d / dog))", "(s / small :mod-of (d / dog))"),
        (
            "drop_senses",
            "(s / sing-01 :ARG0 (c / cat-2 :mod (x / x-ray)))",
            "(s / sing :ARG0 (c / cat :mod (x / x-ray)))",
        ),
        ("drop_wiki", '(c / city :wiki "Ulm" :mod (o / old))', "(c / city :mod (o / old))"),
        ("root_concept", "(c / city :mod (o / old))", "(c / city :root city :mod (o / old))"),
        ("unlabel", "(c / city :mod (o / old) :quant 1)", "(c / city :rel (o / old) :rel 1)"),
    ],
)
def test_steps(step, before, after):
    assert same(STEPS[step](parse_graph(before)), parse_graph(after))


@pytest.mark.parametrize("role", [":ARG0", ":arg0-of"])
def test_roles_are_dropped_in_both_directions(role):
    graph = parse_graph("(c / cat :ARG0-of (s / sleep-01) :ARG0-of 2 :ARG1-of s)")
    standard = Standardizer((f"drop_role:{role}",))
    assert standard(graph).attributes == ()
    assert standard(graph).relations == (Relation("s", ":ARG1", "c"),)
    assert (standard.drops(":ARG0"), standard.drops(":ARG1")) == (True, False)


@pytest.mark.parametrize("step", ["drop_wiki", "drop_role::wiki"])
def test_attributes_with_other_roles_stay(step):
    graph = parse_graph('(c / city :wiki "Ulm" :quant 1)')
    assert Standardizer((step,))(graph).attributes == (Attribute("c", ":quant", "1"),)


def test_whether_a_role_is_dropped():
    assert not Standardizer(("lower",)).drops(":wiki")
    assert Standardizer(("drop_wiki",)).drops(":wiki")
    assert Standardizer(("drop_role::wiki",)).drops(":wiki")
    assert not Standardizer(("drop_wiki",)).drops(":quant")


def test_a_graph_without_senses_is_the_same_object():
    graph = parse_graph("(d / dog :quant 1)")
    assert drop_senses(graph) is graph


def test_edges_become_nodes():
    # The worked example: five nodes and four edges; a repeated edge becomes a node of its own.
    graph = parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)")
    nodes = STEPS["edges_to_nodes"](graph)
    assert nodes.concepts == ("sleep-01", "cat", ":ARG0", ":polarity")
    assert nodes.relations == (
        Relation("s", ":edge", "_"),
        Relation("s", ":edge", "_2"),
        Relation("_", ":edge", "c"),
    )
    assert nodes.attributes == (Attribute("_2", ":edge", "-"),)
    twice = STEPS["edges_to_nodes"](parse_graph("(s / sleep-01 :polarity - :polarity -)"))
    assert twice.concepts == ("sleep-01", ":polarity", ":polarity")
    rooted = Standardizer(("root_concept", "edges_to_nodes"))(
        parse_graph("(d / dog :mod (b / big))")
    )
    assert rooted.attributes == (Attribute("d", ":root", "dog"),)
    assert STEPS["edges_to_nodes"](parse_graph("(c / cat)")) == parse_graph("(c / cat)")


@given(graphs(duplicates=True, loops=True))
def test_edges_as_nodes_have_the_same_number_of_parts(graph):
    nodes = STEPS["edges_to_nodes"](graph)
    edges = len(graph.relations) + len(graph.attributes)
    assert len(nodes.variables) == len(graph.variables) + edges
    assert len(nodes.relations) + len(nodes.attributes) == 2 * edges
    assert (nodes.top, nodes.variables[: len(graph.variables)]) == (graph.top, graph.variables)


def test_alignments_are_dropped():
    graph = parse_graph('(d / dog~e.3 :mod~e.2 (b / big :polarity -~e.1,2) :op1 "a~e.1")')
    bare = STEPS["drop_alignments"](graph)
    assert (bare.aligned, bare == graph) == ("", True)
    assert count_alignments(Corpus.of([graph, bare])).tolist() == [3, 0]


@pytest.mark.parametrize(
    "steps", [("drop_wiki",), ("drop_wiki", "smatch_package"), ("lower", "distinct")]
)
def test_graphs_that_a_step_changes_and_others_have_the_same_labels(steps):
    """What changes loses its surface alignments, so all graphs do."""
    linked, plain = (
        parse_graph(f"(c / city{wiki} :mod~e.2 (b / big~e.2))") for wiki in (' :wiki "Ulm"', "")
    )
    metric = Standardized.of(SmatchPackage(), steps)
    pairs = [Pair(linked, plain), Pair(linked, linked), Pair(plain, plain)]
    expected = [1 if "drop_wiki" in steps else 2 * 4 / (5 + 4), 1, 1]  # with the root
    assert metric.score(pairs) == pytest.approx(expected)
    assert metric.score(tuple(pairs[:1])) == pytest.approx(expected[:1])
    assert Standardizer(steps)(plain).aligned == ""
    assert not metric.reads_alignments


DOG = "(d / dog :ARG0-of (b / bark-01 :ARG1 (c / cat)))"


@pytest.mark.parametrize(
    ("steps", "graph", "equal"),
    [
        ("amr", DOG.replace("dog", "Dog"), DOG),
        ("generic", DOG.replace("dog", "Dog"), DOG),
        (["lower"], DOG.replace("dog", "Dog"), DOG),
        (["drop_senses"], DOG.replace("dog", "dog-02"), DOG),
        (["unquote"], DOG.replace("dog", '"dog"'), DOG),
        (["drop_role::time"], DOG.replace("cat)", "cat) :time c"), DOG),
        (["distinct"], DOG.replace("cat)", "cat) :ARG1 c"), DOG),
        (["own_steps.drop_time"], DOG.replace("cat)", "cat) :time c"), DOG),
        (["fold_domain"], "(s / old :domain (d / dog))", "(s / old :mod-of (d / dog))"),
        (
            ["dereify:guidelines"],
            "(s / sing-01 :ARG1-of (h / have-manner-91 :ARG2 (l / loud)) :ARG0-of (b / be))",
            "(s / sing-01 :manner (l / loud) :ARG0-of (b / be))",
        ),
    ],
)
def test_sembleu_does_not_depend_on_which_graph_a_step_changes(steps, graph, equal, monkeypatch):
    """SemBleu reads how relations were written, which steps keep, or remove from all graphs."""
    monkeypatch.setitem(sys.modules, "own_steps", SimpleNamespace(drop_time=drop_time))
    metric = Standardized.of(SemBleu(), steps)
    changed, same = parse_graph(graph), parse_graph(equal)
    pairs = [Pair(changed, same), Pair(same, same), Pair(same, changed)]
    assert metric.score(pairs) == pytest.approx(1)
    assert metric.score(pairs[:1]) == pytest.approx(1)


def test_a_step_of_a_user_that_fails(monkeypatch):
    monkeypatch.setitem(sys.modules, "own_steps", SimpleNamespace(fail=lambda graph: 1 / 0))
    metric = Standardized.of(Smatch(), ["own_steps.fail"])
    graph = parse_graph(DOG)
    with pytest.raises(OptionError, match=r"standardisation step own_steps.fail failed: ZeroDiv"):
        metric.score([Pair(graph, graph)])


def drop_time(graph):
    """A step of a user, who does not know `Graph.inverted`."""
    return replace(graph, relations=tuple([r for r in graph.relations if r.role != ":time"]))


def test_the_first_step_reads_alignments():
    metric = Standardized.of(SmatchPackage(), ["smatch_package"])
    pair = Pair(parse_graph("(c / city~e.3)"), parse_graph("(c / city)"))
    assert metric.reads_alignments
    assert metric.score([pair]) == SmatchPackage().score([pair]) == [0.5]  # the root is equal


def test_repeated_inverse_suffixes_of_triples_are_normalised():
    def graph(role, s, t):
        return Graph(("a", "b"), ("x", "y"), (), (Relation(s, role, t),), "a")

    turned = STEPS["deinvert"]
    assert turned(graph(":ARG0-of", "a", "b")) == graph(":ARG0", "b", "a")
    assert turned(graph(":ARG0-of-of", "a", "b")) == graph(":ARG0", "a", "b")
    # AMR's consist-of is the inverse of nothing.
    assert turned(graph(":consist-of", "a", "b")) == graph(":consist-of", "a", "b")


@pytest.mark.parametrize("preset", ["amr", "bamboo"])
def test_reification_is_undone(preset):
    standard = Standardizer.of(preset)
    assert same(standard(parse_graph(LOUD_REIFIED)), parse_graph(LOUD))


def test_two_concepts_reify_possession():
    owning, have = (
        parse_graph(f"(d / dog :ARG1-of (o / {concept} :ARG0 (b / boy)))")
        for concept in ("own-01", "have-03")
    )
    expected = parse_graph("(d / dog :poss (b / boy))")
    assert same(Standardizer.of("amr")(owning), expected)
    assert same(Standardizer.of("amr")(have), expected)


def test_a_relation_that_is_the_top_stays_a_node():
    standard = Standardizer(("dereify:guidelines",))
    top = "(h / have-mod-91 :ARG1 (c / cat) :ARG2 (b / big))"
    assert standard(parse_graph(top)) == parse_graph(top)
    inside = parse_graph("(s / see-01 :ARG0 (c / cat :ARG1-of (h / have-mod-91 :ARG2 (b / big))))")
    assert "have-mod-91" not in standard(inside).concepts


def test_edges_are_found_at_their_places_in_a_corpus():
    """A graph without nodes has no top; that of another graph is not its first node."""
    graph = parse_graph(LOUD_REIFIED)
    first, last = (
        Graph(
            *(order, tuple([graph.concept(node) for node in order])),
            *(graph.attributes, graph.relations, graph.top),
        )
        for order in (("h", "s", "b", "l"), ("s", "b", "l", "h"))
    )
    top = parse_graph("(h / have-mod-91 :ARG1 (c / cat) :ARG2 (b / big))")
    several = [first, top, last, Graph.empty(), last, first, Graph.empty(), first]
    standard = Standardizer(("dereify:guidelines",))
    changed = [*standard.corpus(Corpus.of(several))]
    plain_graph = parse_graph(LOUD)
    expected = [top if g is top else plain_graph if g.variables else g for g in several]
    assert all(map(same, changed, expected))


def test_the_smatch_package_reads_mod_of_as_a_role_of_its_own():
    graph = parse_graph("(b / big :mod-of (c / cat) :quant (m / many))")
    relations = Standardizer(("smatch_package",))(graph).relations
    assert Relation("b", ":mod-of", "c") in relations
    # Neither :mod nor another inverse relation is written as :mod-of.
    graph = parse_graph("(c / cat :mod (b / big :mod-of (d / dog)) :ARG0-of (s / sleep-01))")
    assert Standardizer(("smatch_package",))(graph).relations == (
        Relation("c", ":mod", "b"),
        Relation("b", ":mod-of", "d"),
        Relation("s", ":ARG0", "c"),
    )


def test_rules_may_be_a_file_and_are_signed_by_content(tmp_path):
    rules = tmp_path / "rules.tsv"
    rules.write_text(
        "role\tconcept\tsource_role\ttarget_role\n:age\tage-01\t:ARG1\t:ARG2\n", "utf-8"
    )
    standard = Standardizer.of(["lower", f"dereify:{rules}"])
    graph = parse_graph("(m / man :ARG1-of (a / age-01 :ARG2 30))")
    assert standard(graph).attributes == (Attribute("m", ":age", "30"),)
    assert str(rules) not in standard.name
    assert standard.name.startswith("[lower,dereify:")


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("arm", "use one of none, generic, amr"),
        (["lower", "qnquote"], "did you mean 'unquote'"),
        (["drop_roles::time"], "did you mean 'drop_role:ROLE'"),
        (["drop_role:"], "unknown standardisation step"),
        (["dereify"], "needs rules: use dereify:guidelines"),
        (["reify:missing.tsv"], "cannot be read"),
        (3, "a list of steps"),
    ],
)
def test_unknown_steps_are_refused(what, message):
    with pytest.raises(OptionError, match=message):
        Standardizer.of(what)


@given(graphs(duplicates=True, loops=True), st.sampled_from(sorted(PRESETS)))
def test_standardising_twice_changes_nothing_more(graph, preset):
    if preset == "amr-reify":
        return  # reified edges have roles of their own, but a constant root role stays
    once = Standardizer.of(preset)(graph)
    assert Standardizer.of(preset)(once) == once


def test_the_guidelines_table_contains_only_rules_of_amr():
    ours = Reifications.default().by_concept
    assert {rule.concept for rule in rules_table("guidelines").rules} - ours.keys() == {
        "have-03",
        "have-degree-91",
    }


def test_any_metric_sees_standardised_graphs():
    pair = Pair(parse_graph(LOUD_REIFIED), parse_graph(LOUD))
    metric = Standardized.of(Smatch(), "amr")
    # plain: 5 triples (3 concepts, TOP, ARG0) of 4 + 3 + 1 and 3 + 2 + 1
    assert Smatch().score([pair]).tolist() == [2 * 5 / (8 + 6)]
    assert metric.score([pair]).tolist() == [1.0]
    assert metric.explain(pair).unmatched_src == ()
    assert metric.view(pair).src.variables == ("s", "b", "l")
    assert metric.corpus(metric.evaluate([pair]))["f1"] == 1.0
    assert metric.signature != Smatch().signature
    assert metric.symmetric


def test_the_metric_inside_is_that_without_standardisation():
    metric = Smatch()
    assert inner_metric(metric) is inner_metric(Standardized.of(metric, "amr")) is metric


def test_a_metric_with_parameters_keeps_them():
    theta = WWLKTheta(vectors=WordVectors.of({"dog": [1, 0], "small": [0, 1]}))
    metric = Standardized.of(theta, "amr")
    a, b = parse_graph("(s / small :domain (d / dog))"), parse_graph("(d / dog :mod (s / small))")
    assert isinstance(metric, Parametric)
    started = metric.initialised([Pair(a, b)])
    # The standardised graph has neither :domain nor anything else.
    assert started.parameters.names == (":mod",)
    changed = started.with_named({":mod": 0.25})
    assert changed.parameters.values.tolist() == [0.25]
    prepared = started.prepare([Pair(a, b), Pair(a, a)])
    assert prepared.score(np.array([0.25])) == pytest.approx(
        changed.score([Pair(a, b), Pair(a, a)])
    )
    assert changed.signature.startswith(changed.metric.signature)


# Steps on the arrays of a corpus are the steps on each of its graphs

CHAINS = [*PRESETS.values(), *[(name,) for name in STEPS], ("dereify:bamboo",)]
ROLES = [":domain", ":DOMAIN", ":arg0-of", ":ARG1", ":mod-of", ":domain-of-of", ":consist-of"]
LABELS = ["Cat", "cat", '"Cat"', "have-quant-91", "be-located-at-91", "Have-MOD-91", "own-01"]


@st.composite
def rough_graphs(draw):
    """Graphs with what the steps change: case, quotes, inverse roles, repeats, reifications."""
    graph = draw(graphs(max_nodes=5, loops=True, duplicates=True))
    role, label = st.sampled_from(ROLES), st.sampled_from(LABELS)

    def sometimes(value, choices):
        return draw(choices) if draw(st.booleans()) else value

    relations = [Relation(s, sometimes(r, role), t) for s, r, t in graph.relations]
    attributes = [
        Attribute(v, sometimes(r, role), sometimes(c, label)) for v, r, c in graph.attributes
    ]
    flags = [k for k in range(len(relations)) if draw(st.booleans())]
    return replace(
        graph,
        concepts=tuple([sometimes(concept, label) for concept in graph.concepts]),
        attributes=tuple(attributes + attributes[:1]),
        relations=tuple(relations + relations[:1]),
        inverted=tuple(flags),
        forward=tuple(flags[::2]),
        metadata={"id": draw(st.sampled_from("abc"))},
    )


def parts(graph):
    """All fields of a graph, those that do not count for equality included."""
    return graph, graph.inverted, graph.forward, {**graph.metadata}


@given(st.lists(rough_graphs(), max_size=4), st.sampled_from(CHAINS))
def test_a_corpus_is_standardised_as_each_of_its_graphs(several, steps):
    standardizer = Standardizer(tuple(steps))
    expected = [*map(plain(steps), several)]
    assert [*map(parts, map(standardizer, several))] == [*map(parts, expected)]
    standardised = [*standardizer.corpus(Corpus.of(several))]
    assert [*map(parts, standardised)] == [*map(parts, expected)]


@pytest.mark.parametrize("steps", CHAINS, ids=",".join)
@pytest.mark.parametrize("side", ["src", "tgt"])
def test_the_sample_is_standardised_as_each_of_its_graphs(steps, side):
    standardizer = Standardizer(tuple(steps))
    for partition in ("main", "reify"):
        path = resource("data") / "sample" / partition / f"{side}.test.amr"
        several = [*read_graphs(path)]
        standardised = [*standardizer.corpus(Corpus.of(several))]
        assert [*map(parts, standardised)] == [*map(parts, map(plain(steps), several))]


def test_pairs_stay_arrays_and_each_graph_is_standardised_once():
    corpus = Corpus.of([parse_graph("(c / Cat)"), parse_graph("(d / Dog)"), Graph.empty()])
    rows, columns = np.divmod(np.arange(9), 3)
    arrays = Pairs(corpus, corpus, rows, columns)
    standardizer = Standardizer.of("amr")
    standardised = standardizer.pairs(arrays)
    assert isinstance(standardised, Pairs)
    assert standardised.src is standardised.tgt
    assert len(standardised.src) == 3
    pairs = [*arrays]
    assert standardizer.pairs(pairs).src_index.tolist() == rows.tolist()
    expected = [Pair(*map(standardizer, pair)) for pair in pairs]
    assert [*standardised] == [*standardizer.pairs(pairs)] == expected
