"""What the contract's tests need: pairs of the sample, small word vectors, other processes."""

import os
from pathlib import Path

import numpy as np
import pytest

from bamboo.evaluation.conformance import HASH_SEEDS, fingerprints_elsewhere
from bamboo.evaluation.conformance import sample_pairs as sample_pairs_of_length
from metrics import read_graphs
from tests.conformance.contract import contract_jobs
from tests.extras import missing_extra

ROOT = Path(__file__).parents[2]
PAIRS = 24


@pytest.fixture(scope="session")
def sample_pairs():
    return sample_pairs_of_length(PAIRS)


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
    names = {"BAMBOO_VECTORS": folder / "vectors.txt", "BAMBOO_CACHE_DIR": folder}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: str(path) for name, path in names.items()})
    yield
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


@pytest.fixture(scope="session")
def elsewhere(vectors):
    """The fingerprints of all metrics in two processes with other hash seeds."""
    jobs = [job for job in contract_jobs() if missing_extra(job.metric) is None]
    return [fingerprints_elsewhere(jobs, PAIRS, seed) for seed in HASH_SEEDS]
