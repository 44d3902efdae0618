"""Metrics on the released data, beside published tables and the scores of their original tools."""

from functools import cache

import numpy as np
import pytest

from amr_metrics import Smatch
from amr_metrics.alignment.s2match import S2match
from amr_metrics.alignment.smatchpp import SmatchPP
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.features.rematch import Rematch
from amr_metrics.features.sema import Sema
from amr_metrics.features.sembleu import SemBleu
from amr_metrics.features.wlk import Wlk
from amr_metrics.standardize import Standardized
from amr_metrics.transport.wwlk import WWLK
from amr_metrics.vectors import VectorSource
from tests.released import (
    DATASETS,
    PARTITIONS,
    accuracy,
    pearson,
    published,
    released,
    shared_file,
    tool_scores,
)

CELLS = [(partition, dataset) for partition in PARTITIONS for dataset in DATASETS]
PUBLISHED = {"variant": "published", "hypothesis": "tgt"}
SEMBLEU = {f"sembleu_k{k}": SemBleu(k=k, **PUBLISHED) for k in (1, 2, 3, 4)}
TUNED = {
    "sts": {"tau": 0.9, "tau_sense": 0.95},
    "sick": {"tau": 0.9, "tau_sense": 0.95},
    "para": {"tau": 0.0, "tau_sense": 0.95},
}


@pytest.fixture(scope="module")
def data(shared):
    return shared / "bamboo-amr-benchmark"


@pytest.fixture(scope="module")
def vectors(shared, tmp_path_factory):
    file = shared_file(shared, "vectors/glove.6B.100d.subset.bin")
    return VectorSource(file=file, cache=tmp_path_factory.mktemp("kept"))


@cache
def scores(data, metric, dataset, partition):
    return metric.score(released(data, dataset, partition)[0])


def correlation(data, metric, dataset, partition):
    ratings = released(data, dataset, partition)[1]
    return pearson(scores(data, metric, dataset, partition), ratings)


def table_cells(data, metric):
    """Pearson of all cells, in the order of `CELLS`."""
    return np.array([correlation(data, metric, d, p) for p, d in CELLS])


def leaderboard_cells(data, metric):
    """Pearson of nine cells, and the accuracy on role confusion."""
    confused = [accuracy(scores(data, metric, d, "role_confusion")) for d in DATASETS]
    return np.array([*(correlation(data, metric, d, p) for p, d in CELLS[:9]), *confused])


# Metrics and tolerances by row. The published hill-climber of the alignments may miss the optimum.
TABLE_4 = {
    "smatch": (Smatch(), 0.12),
    "sema": (Sema(**PUBLISHED), 0.0151),
    **{row: (metric, 0.0151) for row, metric in SEMBLEU.items()},
    "wlk": (Wlk(variant="2021"), 0.0151),
    "wsmatch": (WSmatch(), 0.3),
}
LEADERBOARD = {
    "smatch": (Smatch(), 0.2),
    "sema": (Sema(**PUBLISHED), 0.0151),
    "sembleu_k1": (SEMBLEU["sembleu_k1"], 0.0151),
    "sembleu_k2": (SEMBLEU["sembleu_k2"], 0.0151),
    "sembleu_k3": (SemBleu(k=3, variant="published", hypothesis="src"), 0.0151),
    "wlk": (Wlk(variant="2023"), 0.35),
}


def check_row(values, table, row, tolerance):
    *expected, amean = published(table, row).values()
    np.testing.assert_allclose(values, expected, rtol=0, atol=tolerance)
    assert values.mean() == pytest.approx(amean, abs=min(tolerance, 0.1))


@pytest.mark.parametrize("row", TABLE_4)
def test_table_4(data, row):
    metric, tolerance = TABLE_4[row]
    check_row(table_cells(data, metric), "table4.csv", row, tolerance)


@pytest.mark.parametrize("row", LEADERBOARD)
def test_leaderboard(data, row):
    metric, tolerance = LEADERBOARD[row]
    check_row(leaderboard_cells(data, metric), "leaderboard-v0.2-2023-12-07.csv", row, tolerance)


def test_the_optimum_of_smatch(data):
    # Guards against changes: the proven optimum, not the published hill-climber's value.
    expected = [58.52, 59.72, 41.36, 57.95, 61.80, 39.66, 56.23, 57.38, 39.61, 48.05, 70.54, 24.72]
    np.testing.assert_allclose(table_cells(data, Smatch()), expected, atol=0.0051)
    confused = leaderboard_cells(data, Smatch())[9:]
    np.testing.assert_allclose(confused, [89.87, 98.32, 88.31], atol=0.0051)
    for dataset, count in (("sts", 158), ("sick", 238), ("para", 2242)):
        scores = Smatch().evaluate(released(data, dataset, "role_confusion")[0])
        assert scores.details["optimal"].tolist() == [True] * count
        assert scores.details["upper_bound"].tolist() == scores.details["matches"].tolist()


def test_the_optimum_of_wsmatch(data):
    values = table_cells(data, WSmatch())[[0, 1, 9, 10]]
    np.testing.assert_allclose(values, [53.12, 59.25, 42.41, 66.77], atol=0.006)


SLOW_CELLS = [
    pytest.param(*cell, marks=[] if cell == CELLS[0] else pytest.mark.slow) for cell in CELLS
]


@pytest.mark.parametrize(("partition", "dataset"), SLOW_CELLS)
def test_s2match_in_table_4(data, vectors, partition, dataset):
    for row, options in (("s2match", TUNED[dataset]), ("s2match_default", {})):
        # On 4 of these 158 pairs the published hill-climber stops short of the optimum (those of
        # `test_s2match_is_the_tool_with_the_optimum`), and on so few pairs that shows.
        short = (row, dataset, partition) == ("s2match", "sts", "role_confusion")
        value = correlation(data, S2match(vectors=vectors, **options), dataset, partition)
        expected = published("table4.csv", row)[partition, dataset]
        assert value == pytest.approx(expected, abs=0.6 if short else 0.3)


@pytest.mark.parametrize(
    ("options", "amean", "hmean"),
    [
        # Table 5. The tool weighs levels alike here, but not for K = 2 in Table 4.
        ({"K": 1, "level_weights": "uniform"}, 49.8, 44.2),
        ({"K": 4, "level_weights": "uniform"}, 46.4, 41.5),
        # Table 6.
        ({"direction": "undirected"}, 50.4, 44.4),
        ({"direction": "top_down"}, 50.3, 44.3),
        ({"direction": "bottom_up"}, 50.2, 43.8),
    ],
)
def test_wlk_iterations_and_directions(data, options, amean, hmean):
    cells = table_cells(data, Wlk(variant="2021", **options))
    assert cells.mean() == pytest.approx(amean, abs=0.1)
    assert 12 / (1 / cells).sum() == pytest.approx(hmean, abs=0.1)


@pytest.mark.parametrize(
    ("k", "both_gain", "other_gain", "published_gain"),
    [(1, 0.66, 0.84, 0.8), (2, 0.31, 0.46, 0.5), (4, 0.19, 0.04, 0.1)],
)
def test_sembleu_gains_from_other_orders(data, k, both_gain, other_gain, published_gain):
    """The gains in amean that the paper prints are those of the other order, not of both."""
    options = {"k": k, "variant": "published"}
    tgt_first, both, src_first = (
        table_cells(data, SemBleu(**options, **more)).mean()
        for more in ({"hypothesis": "tgt"}, {"symmetric": True}, {"hypothesis": "src"})
    )
    assert (both - tgt_first, src_first - tgt_first) == pytest.approx(
        (both_gain, other_gain), abs=0.0051
    )
    assert src_first - tgt_first == pytest.approx(published_gain, abs=0.065)
    if k <= 2:
        assert both - tgt_first < published_gain - 0.1


def test_rematch(data):
    assert leaderboard_cells(data, Rematch()).mean() == pytest.approx(59.05, abs=0.05)


# Pair by pair, beside the tools


@pytest.mark.parametrize("partition", PARTITIONS)
def test_pair_by_pair(shared, data, partition):
    pairs, _ = released(data, "sts", partition)
    for name, metric in {"sema": Sema(**PUBLISHED), **SEMBLEU}.items():
        expected = tool_scores(shared, partition, name, len(pairs))
        values = scores(data, metric, "sts", partition)
        np.testing.assert_allclose(values, expected, atol=1e-9)
    # The reference maps senses to frames: that changes a pair where two of its senses share one.
    gain = Rematch().score(pairs) - tool_scores(shared, partition, "rematch", len(pairs))
    assert (np.abs(gain) < 1e-9).mean() > 0.89
    # The tool of WLK is the same in every process where no graph has two nodes of one label.
    plain = [k for k, pair in enumerate(pairs) if not any(map(repeats_a_label, pair))]
    expected = tool_scores(shared, partition, "wlk", len(pairs))[plain]
    assert len(plain) > len(pairs) / 2
    values = Wlk(variant="2023").score([pairs[k] for k in plain])
    np.testing.assert_allclose(values, expected, atol=1e-9)


def repeats_a_label(graph):
    labels = [*graph.concepts, *(attribute.constant.strip('"') for attribute in graph.attributes)]
    return len({label.lower() for label in labels}) < len(labels)


@pytest.mark.parametrize("partition", PARTITIONS[:3])
def test_smatchpp_pair_by_pair(shared, data, partition):
    pairs, _ = released(data, "sts", partition)
    scores = SmatchPP().evaluate(pairs)
    assert scores.details["optimal"].all()
    # The reference rounds F1 x 100 to two decimals.
    expected = tool_scores(shared, partition, "smatchpp", len(pairs)) / 100
    np.testing.assert_allclose(scores.values, expected, atol=5.1e-5)


@pytest.mark.parametrize(("name", "options"), [("s2match", TUNED["sts"]), ("s2match_def", {})])
def test_s2match_is_the_tool_with_the_optimum(shared, data, vectors, name, options):
    pairs, _ = released(data, "sts", "role_confusion")
    scores = S2match(vectors=vectors, **options).score(pairs)
    gain = scores - tool_scores(shared, "role_confusion", name, len(pairs))
    assert (gain > -0.001).all()  # the tool rounds to three decimals
    assert (np.abs(gain) < 0.001).mean() > 0.94


@pytest.mark.parametrize("partition", PARTITIONS)
def test_wwlk_pair_by_pair(shared, data, vectors, partition):
    pairs, _ = released(data, "sts", partition)
    tool = tool_scores(shared, partition, "wwlk", len(pairs))
    values = WWLK(vectors=vectors).score(pairs)
    confused = partition == "role_confusion"
    assert np.corrcoef(values, tool)[0, 1] > (0.998 if confused else 0.999)
    assert np.abs(values - tool).mean() < (0.0065 if confused else 0.0025)
    assert np.abs(values - tool).max() < 0.06


# The cells of the tools of WWLK with the same word vectors: Pearson, of 2023 on role confusion the
# accuracy; of 2021 the least and the most of nine seeds.
WWLK_2023 = [66.50, 67.34, 37.28, 63.92, 67.03, 35.80, 60.77, 61.60, 33.12, 94.94, 98.32, 83.23]
WWLK_2021 = [
    *((62.94, 66.97), (65.38, 66.69), (35.73, 36.99)),
    *((60.27, 62.95), (64.02, 65.72), (34.47, 36.33)),
    *((59.49, 61.05), (60.26, 60.96), (31.32, 33.25)),
    *((8.03, 38.10), (2.89, 59.43), (1.10, 9.39)),
]


def cells_of_wwlk(expected, quick):
    return [
        pytest.param(*cell, value, marks=[] if cell in quick else pytest.mark.slow)
        for cell, value in zip(CELLS, expected, strict=True)
    ]


@pytest.mark.parametrize(
    ("partition", "dataset", "expected"),
    cells_of_wwlk(WWLK_2023, [CELLS[0], CELLS[9]]),
)
def test_wwlk_2023_is_near_the_tool(data, vectors, partition, dataset, expected):
    pairs, ratings = released(data, dataset, partition)
    scores = [WWLK(vectors=vectors, seed=seed).score(pairs) for seed in range(3)]
    # The tool's figures depend on which roles come first in the data (see `drawn_weights`).
    tolerance = 0.35 if dataset == "para" else 0.3
    if partition == "role_confusion":  # two to four of the 79 and 119 pairs
        assert np.mean([*map(accuracy, scores)]) == pytest.approx(expected, abs=5.0)
    else:
        value = np.mean([pearson(each, ratings) for each in scores])
        assert value == pytest.approx(expected, abs=tolerance)


EDGES_AS_NODES = published("leaderboard-v0.2-2023-12-07.csv", "wwlk_k4_e2n")


@pytest.mark.parametrize(
    ("partition", "dataset", "expected"),
    cells_of_wwlk([EDGES_AS_NODES[cell] for cell in CELLS], [CELLS[0], CELLS[9]]),
)
def test_wwlk_with_edges_as_nodes(data, vectors, partition, dataset, expected):
    wwlk = WWLK(vectors=vectors, K=4, init="constant")
    metric = Standardized.of(wwlk, ["lower", "unquote", "distinct", "edges_to_nodes"])
    pairs, ratings = released(data, dataset, partition)
    scores = metric.score(pairs)
    confused = partition == "role_confusion"
    value = accuracy(scores) if confused else pearson(scores, ratings)
    assert value == pytest.approx(expected, abs=1.5)  # 1.3 of 79 pairs, otherwise at most 0.7


@pytest.mark.parametrize(
    ("partition", "dataset", "expected"), cells_of_wwlk(WWLK_2021, [CELLS[0], CELLS[9]])
)
def test_wwlk_2021_lies_in_the_range_of_the_tool(data, vectors, partition, dataset, expected):
    options = {"variant": "2021", "stability": 0, "init": "uniform"}
    metrics = [WWLK(vectors=vectors, seed=seed, **options) for seed in range(5)]
    low, high = expected
    assert low < np.mean([correlation(data, m, dataset, partition) for m in metrics]) < high
