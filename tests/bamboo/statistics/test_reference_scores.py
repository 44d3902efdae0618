"""The tests on real scores: those of the public tools on STS, where they are at hand."""

import numpy as np
import pytest
from released import shared_file

from bamboo.benchmark.cells import Cell
from bamboo.statistics import Sample, mcnemar, perm_both, rank_ranges, williams
from bamboo.statistics.ratings import pearson
from bamboo.statistics.sample import MEAN
from tests.configured import configured

TOOLS = ("smatch", "smatchpp", "s2match", "sema", "sembleu_k2", "wlk", "wwlk")


@pytest.fixture(scope="module")
def sts(shared, tmp_path_factory):
    """By partition the tools' scores of the pairs, and the ratings."""
    reference = shared_file(shared, "reference")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BAMBOO_SOURCE", str(shared / "bamboo-amr-benchmark"))
        patch.setenv("BAMBOO_DATA_DIR", str(tmp_path_factory.mktemp("data")))
        dataset = configured("run", ["data=sts"]).data[0]
        by_partition = {}
        for partition in ("main", "arg"):
            pairs = Cell(dataset, partition, "test").load()
            folder = dataset.partitions[partition].folder
            scores = [
                np.loadtxt(reference / f"sts-{folder}-{tool}.txt")[pairs.numbers] for tool in TOOLS
            ]
            by_partition[partition] = np.stack(scores), pairs.ratings
    return by_partition


def test_permutations_agree_with_williams(sts):
    scores, ratings = sts["main"]
    sample = Sample("pearson", scores, ratings)
    p = perm_both({"main": sample}, 4000)["main"][1]
    for i in range(len(TOOLS)):
        for j in range(i):
            r = np.corrcoef(scores[i], scores[j])[0, 1]
            expected = williams(sample.values[i], sample.values[j], r, len(ratings))[1]
            # Williams assumes normal scores, which these are not: p moves, not the verdict.
            assert p[i, j] == pytest.approx(expected, abs=0.1)
            assert (p[i, j] < 0.01) == (expected < 0.01)


def test_permutations_agree_with_mcnemar(sts):
    scores, ratings = sts["arg"]
    p = perm_both({"arg": Sample("pair_accuracy", scores, ratings)}, 4000)["arg"][1]
    right = scores[:, 1::2] > scores[:, 0::2]
    for i in range(len(TOOLS)):
        for j in range(i):
            only = int((right[i] & ~right[j]).sum()), int((right[j] & ~right[i]).sum())
            # Under the null both count the same coin tosses.
            assert p[i, j] == pytest.approx(mcnemar(*only), abs=0.03)


def test_known_values_and_their_ranks(sts):
    scores, ratings = sts["main"]
    values = dict(zip(TOOLS, (100 * pearson(row, ratings) for row in scores), strict=True))
    # As measured with the tools themselves.
    assert values["sema"] == pytest.approx(55.90, abs=0.005)
    assert values["smatchpp"] == pytest.approx(58.54, abs=0.005)
    sample = Sample("pearson", scores, ratings)
    tested = perm_both({"main": sample}, 4000)
    assert np.array_equal(tested["main"][1], tested[MEAN][1])
    ranks = rank_ranges(sample.values, tested["main"][2])
    by_tool = dict(zip(TOOLS, ranks.tolist(), strict=True))
    # WWLK and WLK lead; Smatch and Smatch++ differ by less than chance.
    assert by_tool["wwlk"] == by_tool["wlk"] == [1, 2]
    assert by_tool["smatch"] == by_tool["smatchpp"]
    assert by_tool["smatch"][0] > 2
