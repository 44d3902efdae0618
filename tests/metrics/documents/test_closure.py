"""The closure of the relations of a document, and the limits of work of metrics of documents."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amr_metrics import Pair, limits, parse_graph
from amr_metrics.documents import Ancast, DocSmatch, Juumaetsh, closure, sentences_of
from amr_metrics.documents.closure import LABELS, clusters
from amr_metrics.errors import PairError
from tests.metrics.documents.builders import document

WORK = "amr_metrics.limits.DOCUMENT_WORK"
FLAT = "(s1a / and " + " ".join(f":op{k} (s1c{k} / cat)" for k in range(5)) + ")"


def rescanned(start, edges, published):
    """The closure from a node, as the released code computes it."""
    chained = closure.PUBLISHED if published else closure.CHAINED
    closed, followed, waiting = set(), set(), [(start, None)]
    while waiting:
        node, label = waiting.pop()
        followed.add(node)
        for target, step in edges.get(node, ()):
            composed = step if label is None else chained.get((label, step))
            if composed is None or (
                target == start and (not published or composed in (closure.ENTITY, closure.EVENT))
            ):
                continue
            if target not in followed if published else (target, composed) not in closed:
                waiting.append((target, composed))
            closed.add((target, composed))
    return closed


@pytest.mark.parametrize("variant", ["published", "corrected"])
@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_nodes_need_not_be_scanned_again(variant, data):
    labels = sorted({label for pair in LABELS[variant].values() for label in pair if label})
    node = st.integers(0, 6)
    drawn = data.draw(st.lists(st.tuples(node, node, st.sampled_from(labels)), max_size=20))
    edges = {}
    for source, target, label in drawn:
        edges.setdefault(source, []).append((target, label))
    for start in range(7):
        relations = set()
        closure._add_closure(start, edges, variant, relations, limits.DocumentSteps())
        expected = rescanned(start, edges, variant == "published")
        assert relations == {closure._order_edge(start, *reached) for reached in expected}


@pytest.mark.parametrize("variant", ["published", "corrected"])
def test_a_large_clique_is_closed(variant, monkeypatch):
    # From each of 40 nodes, the 39 edges of each node are looked at once.
    monkeypatch.setattr(WORK, 40 * 40 * 39)
    clique = [(a, "same-entity", b) for a in range(40) for b in range(a)]
    (cluster,) = clusters("coref", clique, variant)
    assert (cluster.size, len(cluster.relations)) == (40, 780)


def test_a_closure_that_is_too_large(monkeypatch):
    monkeypatch.setattr(WORK, 500)
    # 30 + 29 + ... steps
    assert clusters("temporal", [(k, "before", k + 1) for k in range(30)], "corrected")
    with pytest.raises(PairError, match="the documents need more than 500 steps, the limit for"):
        clusters("temporal", [(k, "before", k + 1) for k in range(32)], "corrected")


MENTIONS = " ".join(f":snt{k} (s{k}.m / cat{k} :coref-of c)" for k in range(2, 9))
CHAIN = parse_graph(f"(d / document :snt1 (s1.m / cat :coref-of (c / coref-entity)) {MENTIONS})")


@pytest.mark.parametrize(
    ("metric", "graph", "limit"),
    [
        (Ancast(), document((FLAT,)), "amr_metrics.documents.ancast.WORK"),
        (Juumaetsh(), document((FLAT,)), WORK),
        (DocSmatch(mode="merge-all"), CHAIN, WORK),
    ],
)
def test_documents_that_need_too_much_work(monkeypatch, metric, graph, limit):
    rain = document(("(s1r / rain-01)",))
    pairs = [Pair(rain, rain), Pair(graph, graph)]
    assert metric.score(pairs)[1] == pytest.approx(1.0)
    monkeypatch.setattr(limit, 12)
    with pytest.raises(PairError, match=r"^pair 1: .* need more than 12 steps, the limit for one"):
        metric.score(pairs)


def test_nodes_of_many_sentences_are_counted(monkeypatch):
    shared = "(d / document :snt1 (a / cat :mod (b / big)) :snt2 (e / dog :mod b))"
    assert sentences_of(parse_graph(shared), "triples")["b"] == {1, 2}
    monkeypatch.setattr(WORK, 3)
    with pytest.raises(PairError, match="more than 3 steps"):
        sentences_of(parse_graph(shared), "triples")


@pytest.mark.parametrize("variant", ["published", "corrected"])
def test_a_node_is_followed_once_or_once_for_each_label(variant):
    """1 is after 3, which is after 2, which is after 4; and 2 is in 1."""
    inside = (1, "contained", 2) if variant == "corrected" else (2, "contained", 1)
    triples = [(1, "after", 3), inside, (3, "after", 2), (2, "after", 4)]
    (cluster,) = clusters("temporal", triples, variant)
    relations = {(1, 3), (1, 2), (3, 2), (2, 4), (2, 3), (3, 4)}
    # From 1, node 2 is reached as its content first, which says nothing about 4. Only the released
    # code finds that 2 is after itself.
    relations.add((1, 4) if variant == "corrected" else (2, 2))
    assert cluster == (4, {(1, 2, "dn")} | {(x, y, "r") for x, y in relations})
