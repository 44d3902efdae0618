import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings

from amr_metrics import Pair, parse_graph
from amr_metrics.transport import concept_cosine
from amr_metrics.transport.concept_cosine import ConceptCosine
from amr_metrics.transport.labels import LabelVectors
from amr_metrics.vectors import WordVectors, sif
from amr_metrics.vectors.sif import SIF
from tests.reference_graphs import labelled
from tests.strategies import graphs, random_graph

RANDOM = settings(derandomize=True)
VECTORS = WordVectors.of(
    {"cat": [2, 0, 0], "dog": [0.6, 0.8, 0], "sleep": [0, 0, 1], "person": [0, 1, 1]}
)
CAT = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
DOG = parse_graph("(s / sleep-01 :ARG0 (d / dog))")


def test_by_hand():
    # Scaled to length 1: (1, 0, 1) and (0.6, 0.8, 1), both of length sqrt(2).
    metric = ConceptCosine(vectors=VECTORS, mass="uniform")
    assert metric.score([Pair(CAT, DOG)]) == pytest.approx([1.6 / 2])
    assert metric.range == (-1, 1)


def test_frequent_concepts_weigh_less(tmp_path, monkeypatch):
    table = tmp_path / "table.tsv"
    table.write_text("graphs\t10\nsleep-01\t10\n", "utf-8")
    monkeypatch.setattr(sif, "CONCEPTS", table)
    metric = ConceptCosine(vectors=VECTORS, sif=SIF(a=0.25))
    # sleep-01 weighs 0.25 / 1.25 = 0.2: (1, 0, 0.2) and (0.6, 0.8, 0.2).
    assert metric.score([Pair(CAT, DOG)]) == pytest.approx([0.64 / 1.04])


def test_a_vector_of_zeros_adds_nothing():
    """What remains of the cat with the sleep is the sleep."""
    metric = ConceptCosine(vectors=WordVectors.of({"cat": [0, 0], "sleep": [3, 4], "dog": [1, 0]}))
    dog = parse_graph("(d / dog)")
    assert metric.score([Pair(CAT, dog)]) == pytest.approx([0.6])


def test_relations_do_not_count():
    turned = parse_graph("(c / cat :ARG1-of (s / sleep-01))")
    assert ConceptCosine(vectors=VECTORS).score([Pair(CAT, turned)]) == pytest.approx([1])


@RANDOM
@given(a=graphs(), b=graphs(), c=graphs())
def test_it_is_the_cosine_of_weighted_sums(a, b, c):
    metric = ConceptCosine(vectors=VECTORS)

    def mean(graph):
        labels = labelled(graph).labels
        if len(labels) < len(graph.variables) + len(graph.attributes):
            labels += [""]  # repeated constants: not compared here
        matrix = LabelVectors.of(labels, VECTORS, "2023", 0, 1).draw(0)
        return metric.sif.weights(labels) @ (matrix / np.linalg.norm(matrix, axis=1)[:, None])

    pairs = [Pair(a, b), Pair(b, c)]
    for pair, score in zip(pairs, metric.score(pairs), strict=True):
        if all(len(labelled(g).labels) == len(g.variables) + len(g.attributes) for g in pair):
            x, y = map(mean, pair)
            assert score == pytest.approx(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


@pytest.mark.parametrize("dimension", [3, 40])
def test_vectors_of_some_labels_at_a_time_add_up_to_the_same_bits(monkeypatch, dimension):
    rng = np.random.default_rng(0)
    words = {word: rng.normal(size=dimension) for word in ("cat", "dog", "sleep", "person")}
    metric = ConceptCosine(vectors=WordVectors.of(words))
    pairs = [Pair(random_graph(rng), random_graph(rng)) for _ in range(20)]
    whole = metric.score(pairs)
    for labels in (1, 2, 7):
        monkeypatch.setattr(concept_cosine, "LABELS", labels)
        assert metric.score(pairs).tobytes() == whole.tobytes()


def test_the_memory_for_vectors_does_not_grow_with_the_graph(monkeypatch):
    metric = ConceptCosine(vectors=WordVectors.of({"cat": np.ones(1000)}))
    monkeypatch.setattr(concept_cosine, "LABELS", 50)

    def measure(count):
        graph = parse_graph(f"(r / root{''.join(f' :a x{k}x' for k in range(count))})")
        tracemalloc.start()
        assert metric.score([Pair(graph, graph)]) == pytest.approx([1])
        largest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return largest

    assert measure(1000) < measure(200) + 1_000_000  # all vectors of 1000 labels have 8 MB
