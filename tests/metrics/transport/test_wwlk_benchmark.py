"""WWLK on the released data, beside the authors' tools with the same word vectors.

The tools' figures: Pearson times 100 on main, reify and syno, and on role confusion the share of
pairs whose original scores above the altered one; of 2021 the least and the most of nine seeds.
"""

import numpy as np
import pytest
from released import released, shared_file

from metrics.transport.wwlk import WWLK
from metrics.vectors import VectorSource

TOOL_2023 = {
    "main": {"sts": 66.50, "sick": 67.34, "para": 37.28},
    "reify": {"sts": 63.92, "sick": 67.03, "para": 35.80},
    "syno": {"sts": 60.77, "sick": 61.60, "para": 33.12},
    "role_confusion": {"sts": 94.94, "sick": 98.32, "para": 83.23},
}
TOOL_2021 = {
    "main": {"sts": (62.94, 66.97), "sick": (65.38, 66.69), "para": (35.73, 36.99)},
    "reify": {"sts": (60.27, 62.95), "sick": (64.02, 65.72), "para": (34.47, 36.33)},
    "syno": {"sts": (59.49, 61.05), "sick": (60.26, 60.96), "para": (31.32, 33.25)},
    "role_confusion": {"sts": (8.03, 38.10), "sick": (2.89, 59.43), "para": (1.10, 9.39)},
}
DATASETS = ("sts", "sick", "para")


@pytest.fixture(scope="module")
def vectors(shared, tmp_path_factory):
    file = shared_file(shared, "vectors/glove.6B.100d.subset.bin")
    return VectorSource(file=file, cache=tmp_path_factory.mktemp("kept"))


def measured(shared, metrics, dataset, partition):
    """The mean over some metrics of their correlation, or on role confusion of their accuracy."""
    pairs, ratings = released(shared / "bamboo-amr-benchmark", dataset, partition)
    found = [metric.score(pairs) for metric in metrics]
    if partition == "role_confusion" and metrics[0].variant == "2023":
        return np.mean([100 * np.mean(scores[1::2] > scores[::2]) for scores in found])
    return np.mean([100 * np.corrcoef(scores, ratings)[0, 1] for scores in found])


def check_2023(shared, vectors, dataset, partition):
    metrics = [WWLK(vectors=vectors, seed=seed) for seed in range(3)]
    # The tool's figures depend on which roles come first in the data (see `drawn_weights`).
    tolerance = 0.35 if dataset == "para" else 0.3
    if partition == "role_confusion":
        tolerance = 5.0  # two to four of the 79 and 119 pairs
    expected = TOOL_2023[partition][dataset]
    assert measured(shared, metrics, dataset, partition) == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize(
    ("dataset", "partition"), [("sts", "main"), ("sick", "main"), ("sts", "role_confusion")]
)
def test_2023_is_near_the_tool(shared, vectors, dataset, partition):
    check_2023(shared, vectors, dataset, partition)


@pytest.mark.slow
@pytest.mark.parametrize("partition", TOOL_2023)
@pytest.mark.parametrize("dataset", DATASETS)
def test_2023_is_near_the_tool_everywhere(shared, vectors, dataset, partition):
    check_2023(shared, vectors, dataset, partition)


@pytest.mark.parametrize("partition", ["main", "reify", "syno", "role_confusion"])
def test_2023_is_the_tool_pair_by_pair(shared, vectors, partition):
    pairs, _ = released(shared / "bamboo-amr-benchmark", "sts", partition)
    lines = (shared_file(shared, "reference") / f"sts-{partition}-wwlk.txt").read_text().split()
    tool = np.array(lines, float)[: len(pairs)]
    found = WWLK(vectors=vectors).score(pairs)
    assert np.corrcoef(found, tool)[0, 1] > (0.998 if partition == "role_confusion" else 0.999)
    assert np.abs(found - tool).mean() < (0.0065 if partition == "role_confusion" else 0.0025)
    assert np.abs(found - tool).max() < 0.06


def check_2021(shared, vectors, dataset, partition, seeds):
    metrics = [
        WWLK(vectors=vectors, variant="2021", stability=0, init="uniform", seed=seed)
        for seed in range(seeds)
    ]
    low, high = TOOL_2021[partition][dataset]
    assert low < measured(shared, metrics, dataset, partition) < high


@pytest.mark.parametrize("partition", ["main", "role_confusion"])
def test_2021_lies_in_the_tool_s_range(shared, vectors, partition):
    check_2021(shared, vectors, "sts", partition, seeds=5)


@pytest.mark.slow
@pytest.mark.parametrize("partition", TOOL_2021)
@pytest.mark.parametrize("dataset", DATASETS)
def test_2021_lies_in_the_tool_s_range_everywhere(shared, vectors, dataset, partition):
    check_2021(shared, vectors, dataset, partition, seeds=10)


def test_both_transports_agree(shared, vectors):
    pairs, _ = released(shared / "bamboo-amr-benchmark", "sts", "main")
    compiled, pot = (
        WWLK(vectors=vectors, stability=0, transport=transport).score(pairs[:300])
        for transport in ("compiled", "pot")
    )
    assert compiled == pytest.approx(pot, abs=1e-9)


def test_every_graph_is_most_similar_to_itself(shared, vectors):
    pairs, _ = released(shared / "bamboo-amr-benchmark", "sts", "reify")
    itself = [pair._replace(tgt=pair.src) for pair in pairs]
    for variant in ("2021", "2023"):
        assert set(WWLK(vectors=vectors, variant=variant).score(itself)) == {1.0}
