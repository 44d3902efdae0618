"""Pairs of the sample, and small word vectors for their words."""

from pathlib import Path

import numpy as np
import pytest

from amr_metrics import read_graphs
from bamboo.conformance import sample_pairs as bundled_pairs

ROOT = Path(__file__).parents[2]
PAIRS = 8


@pytest.fixture(scope="session")
def sample_pairs():
    return bundled_pairs(PAIRS)


@pytest.fixture(scope="session", autouse=True)
def vectors(tmp_path_factory):
    """Word vectors for the words of the sample, drawn at random, as a GloVe text file."""
    words = set()
    for path in (ROOT / "data" / "sample" / "main").glob("*.amr"):
        for graph in read_graphs(path):
            for concept in graph.concepts:
                words.update(concept.strip('"').lower().split("-"))
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("vectors")
    lines = [
        " ".join([word, *(f"{x:.5f}" for x in rng.normal(size=100))])
        for word in sorted(words)
        if word
    ]
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BAMBOO_VECTORS", str(folder / "vectors.txt"))
        patch.setenv("BAMBOO_CACHE_DIR", str(folder))
        yield
