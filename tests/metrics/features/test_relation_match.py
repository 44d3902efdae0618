import numpy as np
import pytest
from hypothesis import given

from amr_metrics import Pair, limits, parse_graph
from amr_metrics.errors import PairError
from amr_metrics.features.relation_match import RelationMatch
from amr_metrics.graphs.graph import Graph
from amr_metrics.transport.node_match import NodeMatch
from amr_metrics.vectors import WordVectors
from amr_metrics.vectors.sif import information, information_digest
from tests.strategies import graphs

VECTORS = WordVectors.of(
    {"cat": [1.0, 0.0], "dog": [0.6, 0.8], "sleep": [0.0, 1.0], "run": [0.8, 0.6], "bad": [-1.0, 0]}
)
METRIC = RelationMatch(vectors=VECTORS)


def columns(src, tgt, metric=METRIC):
    graph_pair = Pair(
        *(parse_graph(text) if isinstance(text, str) else text for text in (src, tgt))
    )
    scores = metric.evaluate([graph_pair])
    return {"score": scores.values[0], **{name: v[0] for name, v in scores.details.items()}}


def test_the_product_of_the_cosines_of_both_ends():
    details = columns("(s / sleep-01 :ARG0 (c / cat))", "(r / run-02 :ARG0 (d / dog))")
    # sleep and run 0.6, cat and dog 0.6
    assert details["precision_uniform"] == details["recall_sif"] == pytest.approx(0.36)


def test_the_role_has_to_be_equal_and_negative_cosines_count_as_0():
    assert columns("(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG1 (c / cat))")["score"] == 0
    two_negative = columns("(c / cat :mod (c2 / cat))", "(b / bad :mod (b2 / bad))")
    assert two_negative["score"] == 0


def test_weights_of_relations():
    src = "(s / sleep-01 :ARG0 (c / cat) :time (d / dog))"
    details = columns(src, "(s / sleep-01 :ARG0 (c / cat))")
    assert details["precision_uniform"] == pytest.approx(0.5)
    assert details["recall_uniform"] == 1
    sif = dict(
        zip(("sleep-01", "cat", "dog"), METRIC.sif.weights(["sleep-01", "cat", "dog"]), strict=True)
    )
    expected = sif["cat"] / (sif["cat"] + sif["dog"])  # both have the source sleep-01
    assert details["precision_sif"] == pytest.approx(expected)
    matched, unmatched = information(["sleep :arg0 cat", "sleep :time dog"])
    assert details["precision_information"] == pytest.approx(matched / (matched + unmatched))
    assert details["score"] == pytest.approx((expected + 1) / 2)


def test_graphs_without_relations():
    assert columns("(c / cat)", "(d / dog)")["score"] == 1
    assert columns(Graph.empty(), "(d / dog)")["score"] == 1
    details = columns("(c / cat)", "(c / cat :mod (d / dog))")
    assert details["precision_uniform"] == details["recall_information"] == details["score"] == 0


def similarity(graph, relation, candidate, second):
    """The same by another way: the columns of `NodeMatch` for graphs of single nodes."""
    if relation.role.lower() != second.role.lower():
        return 0.0
    single = [
        Pair(*(Graph(("n",), (label,), (), (), "n") for label in labels))
        for labels in (
            (graph.concept(relation.source), candidate.concept(second.source)),
            (graph.concept(relation.target), candidate.concept(second.target)),
        )
    ]
    cosines = NodeMatch(vectors=VECTORS, K=1).evaluate(single).details["cosine_uniform"]
    return float(np.prod(np.maximum(cosines, 0)))


@given(a=graphs(max_nodes=4), b=graphs(max_nodes=4))
def test_each_relation_has_its_most_similar_one(a, b):
    a, b = (
        Graph(g.variables, tuple(c.lower() for c in g.concepts), (), g.relations, g.top)
        for g in (a, b)
    )
    if not (a.relations and b.relations):
        return
    details = columns(a, b)
    for name, (graph, reference) in {"precision": (a, b), "recall": (b, a)}.items():
        best = [
            max(similarity(graph, r, reference, s) for s in reference.relations)
            for r in graph.relations
        ]
        assert details[f"{name}_uniform"] == pytest.approx(np.mean(best), abs=1e-9)
    back = columns(b, a)
    for weight in ("uniform", "sif", "information"):
        assert details[f"precision_{weight}"] == pytest.approx(back[f"recall_{weight}"], abs=1e-9)


def test_its_signature_has_both_tables_and_the_vectors():
    for digest in (VECTORS.digest, METRIC.sif.digest, information_digest()):
        assert digest in METRIC.signature


def test_each_relation_is_compared_with_each_of_the_other_graph(monkeypatch):
    pair = Pair(
        parse_graph("(s / sleep-01 :ARG0 (c / cat) :time (d / dog))"),
        parse_graph("(r / run-02 :ARG0 (d / dog) :time (c / cat) :mod (b / bad))"),
    )
    monkeypatch.setattr(limits, "TRANSPORT_WORK", 2 * 3)
    assert len(METRIC.score([pair])) == 1
    monkeypatch.setattr(limits, "TRANSPORT_WORK", 2 * 3 - 1)
    with pytest.raises(PairError, match=r"^pair 0: graphs of 3 and 4 nodes need more than 5 steps"):
        METRIC.score([pair])
