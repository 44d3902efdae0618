"""Inner products of label vectors: against a plain loop, to the last bit."""

import numpy as np
import pytest

from amr_metrics import Pair
from amr_metrics.graphs.random_graphs import random_graph
from amr_metrics.transport.embedding import level0, redraw
from amr_metrics.transport.encoding import encode


def multiply(x, y):
    """The products added in four lanes, then what is left."""
    whole = len(x) - len(x) % 4
    lanes = [0.0] * 4
    for k in range(whole):
        lanes[k % 4] += x[k] * y[k]
    total = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
    for k in range(whole, len(x)):
        total += x[k] * y[k]
    return total


@pytest.fixture
def encoded():
    rng = np.random.default_rng(3)
    pairs = [Pair(*(random_graph(rng, 9) for _ in range(2))) for _ in range(12)]
    return encode(pairs, "2023", "top_down")


@pytest.mark.parametrize("dimension", [1, 3, 4, 6, 17, 100])
def test_products_are_summed_in_four_lanes(encoded, dimension):
    vectors = np.random.default_rng(dimension).normal(size=(len(encoded.labels), dimension))
    grams, rows = level0(encoded, vectors), vectors.tolist()
    labels, start = encoded.graphs.labels.tolist(), encoded.graphs.node_start.tolist()
    for p, (g, h) in enumerate(zip(encoded.src.tolist(), encoded.tgt.tolist(), strict=True)):
        for a, b, table, at in (
            (g, h, grams.cross, grams.cross_start[p]),
            (g, g, grams.within, grams.within_start[g]),
            (h, h, grams.within, grams.within_start[h]),
        ):
            sides = (labels[start[k] : start[k + 1]] for k in (a, b))
            src, tgt = ([rows[label] for label in side] for side in sides)
            expected = [multiply(x, y) for x in src for y in tgt]
            assert table[at : at + len(expected)].tolist() == expected


def test_products_of_new_vectors_are_those_of_all_vectors(encoded):
    """Which products are computed again changes no bit of any."""
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(len(encoded.labels), 11))
    grams = level0(encoded, vectors)
    unknown = rng.random(len(encoded.labels)) < 0.3
    vectors[unknown] = rng.normal(size=(unknown.sum(), 11))
    redraw(encoded, vectors, unknown, grams)
    expected = level0(encoded, vectors)
    assert grams.cross.tobytes() == expected.cross.tobytes()
    assert grams.within.tobytes() == expected.within.tobytes()
