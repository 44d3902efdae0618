"""docSmatch: hand arithmetic, an oracle, and the proven optima of the reference table."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amr_metrics import Exact, Pair, parse_graph, read_graphs
from amr_metrics.alignment.exact import Exact as ExactSolver
from amr_metrics.documents import DocSmatch, sentences_of
from amr_metrics.documents.coreference import Coreference
from amr_metrics.documents.doc_smatch import COREF_COLUMNS
from amr_metrics.errors import OptionError, PairError
from amr_metrics.graphs.graph import Graph, Relation
from tests.metrics.documents.builders import document, reference

SHARED_BOY = (
    "(d / document :snt1 (s1.s / see-01 :ARG0 (s1.b / boy) :ARG1 (s1.g / girl)) "
    ":snt2 (s2.l / love-01 :ARG0 s1.b :ARG1 (s2.d / dog)))"
)
WITH_HE = SHARED_BOY.replace(":ARG0 s1.b", ":ARG0 (s2.h / he)")
CHAIN = (
    "(d / document :snt1 (s1.h / help-01 :ARG0 (s1.m / man) :coref-of (c / coref-entity)) "
    ":snt2 (s2.f / favor :poss (s2.w / woman) :coref-of c) "
    ":snt3 (s3.g / give-01 :ARG1 (s3.t / thing) :coref-of c))"
)
SHORTER_CHAIN = CHAIN.replace("(s3.t / thing) :coref-of c)", "(s3.t / thing))")
MAIN = ("matches", "src_total", "tgt_total")


def counts(parse, gold, **options):
    scores = DocSmatch(**options).evaluate([Pair(parse_graph(parse), parse_graph(gold))])
    assert scores.details["optimal"].all()
    return [[int(scores.details[name][0]) for name in names] for names in (MAIN, COREF_COLUMNS)]


def test_a_merged_mention():
    # Gold: 6 instances, TOP, 2 :snt, 4 :ARG. The parse has a node more, and 4 :ARG; what does not
    # match is `he` and its :ARG0. In gold, both edges into boy count as coreference.
    assert counts(WITH_HE, SHARED_BOY) == [[12, 14, 13], [0, 0, 2]]


def test_a_chain_with_a_mention_too_few():
    # A chain counts once, and once for each mention.
    assert counts(SHORTER_CHAIN, CHAIN) == [[17, 17, 18], [3, 3, 4]]


def test_a_corpus_adds_up_counts():
    texts = ((WITH_HE, SHARED_BOY), (SHORTER_CHAIN, CHAIN))
    metric = DocSmatch()
    corpus = metric.corpus(metric.evaluate([Pair(*map(parse_graph, pair)) for pair in texts]))
    assert corpus["f1"] == pytest.approx(2 * 29 / (31 + 31))
    assert [corpus[f"coref_{name}"] for name in ("precision", "recall")] == [1.0, 0.5]


def test_the_sentences_of_a_node_depend_on_the_layout():
    in_order = "(d / document :snt1 (a / say-01 :ARG0 (p / person)) :snt2 (l / leave-11 :ARG0 p))"
    inverse = "(d / document :snt1 (a / say-01 :ARG0 (p / person :ARG0-of (l / leave-11))) :snt2 l)"
    parse = "(d / document :snt1 (a / say-01 :ARG0 (p / person) :ARG1 (x / leave-11)))"
    options = {"missing": "count"}
    assert counts(parse, in_order, **options)[0] == [6, 8, 9]
    assert counts(parse, inverse, **options)[0] == [7, 8, 9]
    by_triples = [
        counts(parse, gold, sentences="triples", **options) for gold in (in_order, inverse)
    ]
    assert by_triples[0] == by_triples[1]


def test_mentions_do_not_pull_each_other_into_their_sentences():
    sentences = sentences_of(parse_graph(CHAIN), "docsmatch")
    assert sentences["c"] == {1, 2, 3} == sentences_of(parse_graph(CHAIN), "triples")["c"]
    assert (sentences["s1.h"], sentences["s2.w"], sentences["d"]) == ({1}, {2}, {0})


def test_of_equal_alignments_that_with_more_coreference_is_chosen():
    # The chain of the parse may be aligned with either chain of gold for the same total; only in
    # one of them is it a chain.
    gold = (
        "(d / document :snt1 (a / and :op1 (x / thing :coref-of (c / coref-entity)) "
        ":op2 (y / thing)) :snt2 (b / and :op1 (z / thing :coref-of c)))"
    )
    parse = gold.replace("x / thing", "u / thing").replace(":op2 (y / thing)", "")
    (total, matched) = counts(parse, gold)
    assert total[0] == total[1]
    assert matched == [3, 3, 3]


# An oracle: all one-to-one maps of the nodes that share a sentence.


def document_of(rng, size):
    """A random document of two sentences in which everything matches often."""
    names = ["d", "s1.a", "s2.a", *(f"s{rng.integers(1, 3)}.x{k}" for k in range(size))]
    concepts = ["document", *rng.choice(["cat", "dog", "coref-entity"], size + 2)]
    relations = [Relation("d", ":snt1", "s1.a"), Relation("d", ":snt2", "s2.a")]
    inverted = []
    for k, name in enumerate(names[3:], 3):
        parents = [earlier for earlier in names[1:k] if earlier[:2] == name[:2]]
        role = str(rng.choice([":ARG0", ":ARG1", ":coref"]))
        relation = Relation(str(rng.choice(parents)), role, name)
        if role == ":coref":
            inverted.append(len(relations))
            relation = Relation(name, role, relation.source)
        relations.append(relation)
    more = rng.choice(names[1:], (2, 2))
    relations += [Relation(str(source), ":ARG0", str(target)) for source, target in more]
    return Graph(
        tuple(names),
        tuple(map(str, concepts)),
        (),
        tuple(dict.fromkeys(relations)),
        "d",
        inverted=tuple(inverted),
    )


def lexicographic_optimum(src, tgt):
    """The most triples, and with that many, the most coreference matches."""
    sides = []
    for graph in (src, tgt):
        sentences = sentences_of(graph, "docsmatch")
        sides.append((sentences, Coreference.of(graph, sentences)))
    (src_places, src_coreference), (tgt_places, tgt_coreference) = sides
    choices = [
        [None, *(w for w in tgt.variables if src_places[v] & tgt_places[w])] for v in src.variables
    ]
    best = (0, 0)
    for images in product(*choices):
        used = [image for image in images if image is not None]
        if len({*used}) < len(used):
            continue
        image = dict(zip(src.variables, images, strict=True))
        triples = {*tgt.relations}
        total = sum(w is not None and src.concept(v) == tgt.concept(w) for v, w in image.items())
        total += image[src.top] == tgt.top
        total += sum(Relation(image[s], role, image[t]) in triples for s, role, t in src.relations)
        coreference = sum(
            image[v] in tgt_coreference.nodes and src.concept(v) == tgt.concept(image[v])
            for v in src_coreference.nodes
        )
        coreference += sum(
            (image[s], role, image[t]) in tgt_coreference.edges
            for s, role, t in src_coreference.edges
        )
        best = max(best, (total, coreference))
    return best


@pytest.mark.parametrize("seed", range(40))
def test_the_restricted_optimum_is_that_of_all_maps(seed):
    rng = np.random.default_rng(seed)
    src, tgt = document_of(rng, 3), document_of(rng, 2)
    scores = DocSmatch(variant="corrected").evaluate([Pair(src, tgt)])
    matches = scores.details["matches"][0], scores.details["coref_matches"][0]
    assert scores.details["optimal"][0]
    assert matches == lexicographic_optimum(src, tgt)


@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_names_of_nodes_do_not_matter(seed, random):
    rng = np.random.default_rng(seed)
    src, tgt = document_of(rng, 4), document_of(rng, 4)
    names = [*src.variables[1:]]
    random.shuffle(names)
    new = {"d": "d"} | {name: f"{name[:2]}.n{names.index(name)}" for name in src.variables[1:]}
    renamed = Graph(
        tuple(new[v] for v in src.variables),
        src.concepts,
        (),
        tuple(Relation(new[s], role, new[t]) for s, role, t in src.relations),
        "d",
        inverted=src.inverted,
    )
    for rule in ("docsmatch", "triples"):
        metric = DocSmatch(variant="corrected", sentences=rule)
        before, after = (metric.evaluate([Pair(graph, tgt)]) for graph in (src, renamed))
        assert before.values.tolist() == after.values.tolist()
        assert before.details["coref_matches"][0] == after.details["coref_matches"][0]


def test_an_unproven_alignment_has_a_bound_and_no_forbidden_pair():
    gold, parse = parse_graph(CHAIN), parse_graph(SHORTER_CHAIN)
    metric = DocSmatch(solver=ExactSolver(node_limit=0, root_rounds=1, work_limit=0))
    scores = metric.evaluate([Pair(parse, gold)])
    assert scores.details["matches"][0] <= 17 <= scores.details["upper_bound"][0]
    src, tgt = sentences_of(parse, "docsmatch"), sentences_of(gold, "docsmatch")
    assert all(src[link.src] & tgt[link.tgt] for link in metric.explain(Pair(parse, gold)).links)


def test_the_solver_is_that_of_other_metrics():
    assert isinstance(DocSmatch().triple_solver, Exact)
    assert 2 * DocSmatch().solver.work_limit == Exact().work_limit


def test_parts_and_subsets_count_between_sentences():
    graph = parse_graph(
        "(d / document :snt1 (a / hand :part (b / finger)) :snt2 (c / team :subset b :part b))"
    )
    sentences = {"d": {0}, "a": {1}, "b": {1}, "c": {2}}
    edges = Coreference.of(graph, sentences).edges
    assert edges == (("c", ":subset", "b"), ("c", ":part", "b"))


def test_a_graph_that_was_not_read_is_laid_out():
    """As it is stored, no path leads from the root to the sleep."""
    relations = Relation("d", ":snt1", "c"), Relation("s", ":ARG0", "c")
    graph = Graph(("d", "c", "s"), ("document", "cat", "sleep-01"), (), relations, "d")
    assert sentences_of(graph, "docsmatch") == {"d": {0}, "c": {1}, "s": {1}}


# Bad input.


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(s / sleep-01 :ARG0 (c / cat))", "the graph of 'sleep-01' is not a document"),
        ("(d / document :snt1 (a / x) :snt1 (b / y))", "two sentences :snt1"),
        ("(d / document :snt1 (a / x) :topic (t / y))", "node t .y. belongs to no sentence"),
        (
            "(d / document :snt1 (a / x) :snt2 (b / y :mod (c / coref-entity)))",
            "",  # a chain with an implicit mention
        ),
        (
            "(d / document :snt1 (a / x :part-of (c / coref-entity)))",
            "chain c has no mention",
        ),
    ],
)
def test_what_is_not_a_document(text, problem):
    graph = parse_graph(text)
    if not problem:
        assert DocSmatch().score([Pair(graph, graph)]).tolist() == [1.0]
        return
    with pytest.raises(PairError, match=f"pair 0: src: .*{problem}"):
        DocSmatch().score([Pair(graph, graph)])


def test_different_sentences_are_an_error_or_count():
    both, short = (
        parse_graph(f"(d / document :snt1 (a / rain-01){more})") for more in (" :snt3 (b / x)", "")
    )
    with pytest.raises(PairError, match=r"only tgt has sentence 3\. .*missing=count"):
        DocSmatch().score([Pair(short, both)])
    # instances d, a; TOP; :snt1 of 4 and 6 triples
    assert DocSmatch(missing="count").score([Pair(short, both)]).tolist() == [8 / 10]


def test_numbers_of_sentences_may_have_gaps():
    graph = parse_graph("(d / document :snt1 (a / rain-01) :snt3 (b / snow-01))")
    assert DocSmatch().score([Pair(graph, graph)]).tolist() == [1.0]


def test_a_chain_within_one_sentence():
    text = (
        "(d / document :snt1 (s / see-01 :ARG0 (i / i :coref-of (c / coref-entity)) "
        ":ARG1 (m / me :coref-of c)))"
    )
    assert counts(text, text) == [[11, 11, 11], [3, 3, 3]]


@pytest.mark.parametrize("variant", ["published", "corrected"])
@pytest.mark.parametrize("mode", ["as-written", "no-merge"])
def test_repeated_mentions_count_once(variant, mode):
    text = (
        "(d / document :snt1 (s / see-01 :ARG0 (b / boy :coref-of (c / coref-entity){})) "
        ':snt2 (h / he :mod (n / name :op1 "Al" {}) :coref-of c))'
    )
    once, often = (
        parse_graph(text.format(" :coref-of c" * n, ':op1 "Al" ' * n)) for n in (0, 1_000)
    )
    metric = DocSmatch(variant=variant, mode=mode)
    details = metric.evaluate([Pair(often, often), Pair(often, once)]).details
    # 6 concepts, the top, :snt1, :snt2, :ARG0, :mod, :op1 and two mentions
    for name in ("matches", "src_total", "tgt_total"):
        assert details[name].tolist() == [14, 14]
    assert metric.range == (0, 1)


def test_unknown_options():
    for option in ("mode", "sentences", "missing"):
        with pytest.raises(OptionError, match=option):
            DocSmatch(**{option: "other"})


def test_an_empty_parse_matches_nothing():
    empty = Graph.empty()
    assert DocSmatch().score([Pair(empty, parse_graph(CHAIN))]).tolist() == [0.0]
    assert DocSmatch().score([Pair(empty, empty)]).tolist() == [1.0]


def test_a_umr_document_has_chains():
    src = document(
        ("(s1b / bark-01 :ARG0 (s1d / dog))",),
        ("(s2r / run-02 :ARG0 (s2i / it))", ":coref ((s1d :same-entity s2i))"),
    )
    scores = DocSmatch().evaluate([Pair(src, src)])
    assert scores.values.tolist() == [1.0]
    assert scores.details["coref_src_total"].tolist() == [3.0]


# The reference table.


def test_the_proven_optima_are_reached(shared):
    folder, rows = reference(shared, "docsmatch.tsv")
    assert rows
    pairs = [Pair(*(read_graphs(folder / row[s])[0] for s in ("pred", "gold"))) for row in rows]
    scores = DocSmatch().evaluate(pairs)
    details = {**scores.details, "f1": scores.values}
    for ours, theirs in {"precision": "exact_P", "recall": "exact_R", "f1": "exact_F"}.items():
        expected = [float(row[theirs]) for row in rows]
        assert details[ours].tolist() == pytest.approx(expected, abs=1e-6), ours
    columns = {
        "matches": "exact_match",
        "src_total": "pred_total",
        "tgt_total": "gold_total",
        "coref_matches": "exact_coref_max",
        "coref_src_total": "coref_pred",
        "coref_tgt_total": "coref_gold",
    }
    assert details["optimal"].all()
    for ours, theirs in columns.items():
        assert details[ours].tolist() == [float(row[theirs]) for row in rows], ours
    # The tool's hill-climber is never above, and some runs are below.
    most, least = (
        np.array([float(row[f"tool_match_{name}"]) for row in rows]) for name in ("max", "min")
    )
    assert (most <= details["matches"]).all()
    assert (least < details["matches"]).any()
