import numpy as np
import pytest
from hypothesis import given, settings

from amr_metrics import Graph, Pair, parse_graph
from amr_metrics.transport.concept_cosine import ConceptCosine
from amr_metrics.transport.node_match import NodeMatch
from amr_metrics.transport.wwlk import WWLK
from amr_metrics.vectors import WordVectors, sif
from amr_metrics.vectors.sif import SIF
from tests.strategies import graphs

RANDOM = settings(derandomize=True)
VECTORS = WordVectors.of({"cat": [1, 0], "dog": [0.6, 0.8], "sleep": [0, 1]})
SLEEPS = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
DOG = parse_graph("(d / dog)")
EMPTY = Graph.empty()


def columns(metric, *pairs):
    return {name: values.tolist() for name, values in metric.evaluate(pairs).details.items()}


def test_labels_by_hand():
    details = columns(NodeMatch(vectors=VECTORS, mass="uniform"), Pair(SLEEPS, DOG))
    # sleep-01 and cat have the cosines 0.8 and 0.6 with dog.
    assert details["precision_0"] == pytest.approx([0.7])
    assert details["recall_0"] == pytest.approx([0.8])
    assert details["src_least_0"] == pytest.approx([0.6])
    assert details["tgt_least_0"] == pytest.approx([0.8])
    assert details["src_unmatched_0"] == pytest.approx([0.2 + 0.4])
    assert details["tgt_unmatched_0"] == pytest.approx([0.2])
    assert details["root"] == pytest.approx([0.8])
    assert details["src_root"] == pytest.approx([0.8])
    assert details["tgt_root"] == pytest.approx([0.8])
    cost = (np.sqrt(2 - 1.6) + np.sqrt(2 - 1.2)) / 2
    assert details["transport_0"] == pytest.approx([1 - cost])
    assert details["cosine_uniform"] == pytest.approx([1.4 / np.sqrt(2)])


def test_an_empty_graph_by_hand():
    """All nodes of the other graph are unmatched."""
    for pair, (src, tgt) in (
        (Pair(SLEEPS, EMPTY), (2, 0)),
        (Pair(EMPTY, SLEEPS), (0, 2)),
        (Pair(EMPTY, EMPTY), (0, 0)),
    ):
        details = columns(NodeMatch(vectors=VECTORS, mass="uniform"), pair)
        for level in (0, 2):
            assert details[f"src_unmatched_{level}"] == [src]
            assert details[f"tgt_unmatched_{level}"] == [tgt]
            assert details[f"precision_{level}"] == [float(src == tgt)]
            assert details[f"tgt_least_{level}"] == [float(src == tgt)]
        assert details["root"] == details["src_root"] == [float(src == tgt)]


def test_neighbours_by_hand():
    metric = NodeMatch(vectors=VECTORS, mass="uniform", K=1)
    details = columns(metric, Pair(SLEEPS, DOG))
    # sleep-01: (0, 1) and (0.3, 1); cat: (1, 0) and (1, 0.3); dog twice (0.6, 0.8).
    sleep = (0.8 + 0.18 + 0.8) / np.sqrt(2.09 * 2)
    cat = (0.6 + 0.6 + 0.24) / np.sqrt(2.09 * 2)
    assert details["precision_1"] == pytest.approx([(sleep + cat) / 2])
    assert metric.score([Pair(SLEEPS, DOG)]) == pytest.approx([((sleep + cat) / 2 + sleep) / 2])


def test_weights_of_nodes_count():
    both = [NodeMatch(vectors=VECTORS, mass=mass) for mass in ("sif", "uniform")]
    a = parse_graph("(s / sleep-01 :ARG0 (p / person))")
    scores = [metric.score([Pair(a, SLEEPS)])[0] for metric in both]
    assert scores[0] > scores[1]  # person is frequent: that it has no match costs less


def test_cosines_of_means_by_hand(tmp_path, monkeypatch):
    table = tmp_path / "table.tsv"
    table.write_text("graphs\t10\nsleep-01\t10\n", "utf-8")
    monkeypatch.setattr(sif, "CONCEPTS", table)
    vectors = WordVectors.of({"cat": [2, 0], "dog": [3, 4], "sleep": [0, 1]})
    details = columns(NodeMatch(vectors=vectors, sif=SIF(a=0.25)), Pair(SLEEPS, DOG))
    # sleep-01 weighs 0.25 / 1.25 = 0.2, and cat 1. Scaled or not, dog points to (0.6, 0.8).
    for name, (x, y) in {
        "cosine_sif": (1, 0.2),
        "cosine_uniform": (1, 1),
        "cosine_sif_unscaled": (2, 0.2),
        "cosine_uniform_unscaled": (2, 1),
    }.items():
        assert details[name] == pytest.approx([(0.6 * x + 0.8 * y) / np.hypot(x, y)])


@RANDOM
@given(a=graphs(), b=graphs())
def test_columns_agree_with_other_metrics(a, b):
    details = columns(NodeMatch(vectors=VECTORS), Pair(a, b))
    if len(set(a.attributes)) == len(a.attributes) and len(set(b.attributes)) == len(b.attributes):
        lower = [{(n, r, c.lower()) for n, r, c in g.attributes} for g in (a, b)]
        if [len(x) for x in lower] == [len(a.attributes), len(b.attributes)]:
            cosine = ConceptCosine(vectors=VECTORS).score([Pair(a, b)])
            assert details["cosine_sif"] == pytest.approx(cosine.tolist())
    # Vectors of length 1 are what WWLK uses if all word vectors have length 1.
    vectors = WordVectors.of({"cat": [1, 0], "dog": [0.6, 0.8]})
    only = [parse_graph(f"(x / {x} :mod (y / {y}))") for x, y in (("cat", "dog"), ("dog", "dog"))]
    transport = WWLK(vectors=vectors, K=0, stability=0, mass="sif").score([Pair(*only)])
    assert columns(NodeMatch(vectors=vectors), Pair(*only))["transport_0"] == pytest.approx(
        transport.tolist()
    )


@RANDOM
@given(a=graphs(), b=graphs())
def test_swapping_the_graphs_swaps_the_sides(a, b):
    forth, back = (columns(NodeMatch(vectors=VECTORS), pair) for pair in (Pair(a, b), Pair(b, a)))
    for name, values in forth.items():
        swapped_name = name.replace("src", "*").replace("tgt", "src").replace("*", "tgt")
        swapped_name = (
            swapped_name.replace("precision", "*")
            .replace("recall", "precision")
            .replace("*", "recall")
        )
        assert back[swapped_name] == pytest.approx(values, abs=1e-9)
