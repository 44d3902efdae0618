"""Encoding of many graphs at once, against a plain reference for one graph at a time."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import Corpus, Pair, Pairs, parse_graph
from metrics.features.rematch import Rematch
from metrics.features.sema import Sema
from metrics.features.sembleu import SemBleu
from metrics.features.wlk import Wlk
from metrics.graphs.encoding import graphs_of, group_rows, mod_as_domain, positions, side_by_side
from metrics.graphs.folding import lower_without_outer_quotes, lower_without_quotes
from metrics.graphs.graph import Attribute, Graph, Relation
from tests import reference_graphs as reference
from tests.strategies import ROLES, graphs

RANDOM = settings(deadline=None, max_examples=80)
DOMAIN = (*ROLES, ":domain")
CONSTANTS = ('"v1"', "vv2", "vv(2", '"(vv2)"', '" a  B "', "dog", "Dog", '""', "-", ":ARG0")

FORMS = {
    "rematch": (Rematch(), reference.of_rematch),
    "sema": (Sema(variant="corrected"), reference.of_sema),
    "sema published": (Sema(variant="published"), reference.of_published_sema),
    "sembleu": (SemBleu(variant="corrected"), reference.of_sembleu),
    "sembleu published": (SemBleu(variant="published"), reference.of_sembleu_tool),
    "sembleu 2019": (
        SemBleu(variant="2019"),
        lambda graph: reference.of_sembleu_tool(graph, turned=True),
    ),
    "wlk": (Wlk(variant="definition"), reference.plain),
    "wlk 2021": (Wlk(variant="2021"), reference.of_wlk_2021),
    "wlk 2023": (Wlk(variant="2023"), reference.of_wlk_2023),
}


@st.composite
def written(draw):
    """A graph with long and short names, inverse and forward relations, unusual constants."""
    graph = draw(
        st.one_of(graphs(loops=True, duplicates=True, roles=DOMAIN), st.just(Graph.empty()))
    )
    if not graph.variables:
        return graph
    names = {v: draw(st.sampled_from((v, f"v{v}"))) for v in graph.variables}
    count = len(graph.relations)
    flags = [draw(st.lists(st.booleans(), min_size=count, max_size=count)) for _ in range(2)]
    added = draw(
        st.lists(
            st.builds(
                Attribute,
                st.sampled_from(graph.variables),
                st.sampled_from((*DOMAIN, ":MOD", ":mod-of")),
                st.sampled_from(CONSTANTS),
            ),
            max_size=4,
        )
    )
    return Graph(
        tuple(names.values()),
        graph.concepts,
        tuple(a._replace(node=names[a.node]) for a in (*graph.attributes, *added)),
        tuple(Relation(names[s], role, names[t]) for s, role, t in graph.relations),
        draw(st.sampled_from([*names.values()])),
        {},
        *[tuple(np.flatnonzero(flag).tolist()) for flag in flags],
    )


def renumbered(values):
    """Numbers in order of first occurrence."""
    numbers = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]


@RANDOM
@given(some=st.lists(written(), max_size=5))
def test_a_table_has_the_labels_and_edges_of_each_graph(some):
    corpus = Corpus.of(some)
    for metric, encode in FORMS.values():
        table = metric.encode(corpus)
        expected = [encode(graph) for graph in some]
        labels = [label for own, _ in expected for label in own]
        edges = [edge for _, own in expected for edge in own]
        assert renumbered(table.labels.tolist()) == renumbered(labels)
        assert renumbered(table.roles.tolist()) == renumbered(role for _, _, role in edges)
        ends = [*zip(table.sources.tolist(), table.targets.tolist(), strict=True)]
        assert ends == [(s, t) for s, t, _ in edges]
        assert np.diff(table.node_start).tolist() == [len(own) for own, _ in expected]
        assert np.diff(table.edge_start).tolist() == [len(own) for _, own in expected]
        assert table.variables.tolist() == [len(graph.variables) for graph in some]
        tops = [graph.positions[graph.top] if graph.variables else 0 for graph in some]
        assert table.tops.tolist() == tops
        assert {column.dtype for column in table} == {np.dtype(np.int64)}  # kernels: compiled once


@RANDOM
@given(st.lists(st.lists(st.tuples(*[st.integers(0, 2)] * 3)), max_size=4))
def test_rows_are_grouped_within_each_graph(groups):
    start = np.cumsum([0, *map(len, groups)])
    rows = [row for group in groups for row in group]
    numbers, first = group_rows(start, *np.array(rows, np.int64).reshape(-1, 3).T)
    assert numbers.tolist() == [k for group in groups for k in renumbered(group)]
    expected = [row not in group[:k] for group in groups for k, row in enumerate(group)]
    assert first.tolist() == expected


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=3),
)
def test_rows_of_several_groupings_are_merged_graph_by_graph(sizes):
    start = [np.cumsum([0, *own]) for own in sizes]
    merged, order = side_by_side(*start)
    rows = [
        (g, k) for k, own in enumerate(sizes) for g, size in enumerate(own) for _ in range(size)
    ]
    assert [rows[k] for k in order] == sorted(rows)
    assert np.diff(merged).tolist() == np.sum(sizes, axis=0).tolist()
    assert positions(merged).tolist() == [k for size in np.diff(merged) for k in range(size)]


def test_mod_is_the_reverse_of_domain():
    graph = parse_graph("(d / dog :mod (b / big) :mod-of (p / pet) :MOD (s / small))")
    changed = mod_as_domain(Corpus.of([graph]))[0]
    assert changed.relations == (
        Relation("b", ":domain", "d"),
        Relation("d", ":domain", "p"),
        Relation("d", ":MOD", "s"),
    )
    written_so = mod_as_domain(Corpus.of([graph]), except_inverted=True)[0]
    assert written_so.relations[:2] == (Relation("b", ":domain", "d"), Relation("p", ":mod", "d"))
    plain = Corpus.of([parse_graph("(d / dog)")])
    assert mod_as_domain(plain)[0] == plain[0]


def test_the_graphs_of_pairs_are_taken_once():
    dog, cat, cow = (Corpus.of([parse_graph(f"({t[0]} / {t})")]) for t in ("dog", "cat", "cow"))
    animals = Corpus.concatenate([dog, cat, cow])
    pairs = Pairs(animals, animals.take(np.array([2, 1])), np.array([2, 0, 2]), np.array([1, 1, 1]))
    corpus, src, tgt = graphs_of(pairs)
    assert [graph.concepts[0] for graph in corpus] == ["dog", "cow", "cat"]
    assert (src.tolist(), tgt.tolist()) == ([1, 0, 1], [2, 2, 2])
    assert graphs_of(pairs)[0] is corpus  # several metrics share it
    assert graphs_of(pairs[1:])[0] is not corpus
    same = graphs_of(Pairs.all(animals, animals))
    assert same[0] is animals
    assert len(same[1]) == len(same[2]) == 9


@pytest.mark.parametrize("form", FORMS)
def test_every_graph_with_every_graph_scores_as_pairs_of_graphs(form):
    metric = FORMS[form][0]
    texts = (
        "(b / bark-01 :ARG0 (d / dog :mod (b2 / big)) :polarity -)",
        "(b / bark-01 :ARG0 (c / cat :mod-of (b2 / big)) :polarity -)",
        "(d / dog)",
    )
    some = [parse_graph(text) for text in texts]
    corpus = Corpus.of(some)
    whole = metric.evaluate(Pairs.all(corpus, Corpus.of(some[:2])))
    one_by_one = metric.evaluate([Pair(replace(a), replace(b)) for a in some for b in some[:2]])
    assert whole.values.tolist() == one_by_one.values.tolist()
    for name, column in whole.details.items():
        assert column.tolist() == one_by_one.details[name].tolist()


def test_quotes_within_a_label_are_kept_or_dropped():
    assert lower_without_outer_quotes('"3.5" Disk"') == '3.5" disk'
    assert lower_without_quotes('"3.5" Disk"') == "3.5 disk"
