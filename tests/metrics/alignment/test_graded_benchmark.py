"""WSmatch and S2match on the released data, beside the published rows and the tool's scores."""

import csv

import numpy as np
import pytest
from released import released, shared_file

from bamboo.installation import resource
from metrics.alignment.s2match import S2match
from metrics.alignment.wsmatch import WSmatch
from metrics.vectors import VectorSource

TUNED = {
    "sts": {"tau": 0.9, "tau_sense": 0.95},
    "sick": {"tau": 0.9, "tau_sense": 0.95},
    "para": {"tau": 0.0, "tau_sense": 0.95},
}
PARTITIONS = ("main", "reify", "syno", "role_confusion")


def correlation(shared, metric, dataset, partition):
    """Pearson times 100."""
    pairs, ratings = released(shared / "bamboo-amr-benchmark", dataset, partition)
    return 100 * np.corrcoef(metric.score(pairs), ratings)[0, 1]


@pytest.fixture(scope="module")
def vectors(shared, tmp_path_factory):
    file = shared_file(shared, "vectors/glove.6B.100d.subset.bin")
    return VectorSource(file=file, cache=tmp_path_factory.mktemp("kept"))


def published(row):
    with (resource("data") / "published" / "table4.csv").open(encoding="utf-8") as file:
        cells = next(line for line in csv.DictReader(file) if line["row"] == row)
    return lambda dataset, partition: float(
        cells[f"{partition.replace('role_confusion', 'arg')}_{dataset}"]
    )


@pytest.mark.parametrize(
    ("dataset", "partition", "exact"),
    [
        ("sts", "main", 53.12),
        ("sick", "main", 59.25),
        ("sts", "role_confusion", 42.41),
        ("sick", "role_confusion", 66.77),
    ],
)
def test_wsmatch_reaches_the_known_optimum(shared, dataset, partition, exact):
    assert correlation(shared, WSmatch(), dataset, partition) == pytest.approx(exact, abs=0.006)


@pytest.mark.parametrize("dataset", ["sts", "sick"])
def test_s2match_reaches_the_published_main_cells(shared, vectors, dataset):
    for row, options in (("s2match", TUNED[dataset]), ("s2match_default", {})):
        found = correlation(shared, S2match(vectors=vectors, **options), dataset, "main")
        assert found == pytest.approx(published(row)(dataset, "main"), abs=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize("dataset", ["sts", "sick", "para"])
@pytest.mark.parametrize("row", ["wsmatch", "s2match", "s2match_default"])
def test_all_published_cells(shared, vectors, row, dataset, partition):
    metric = {
        "wsmatch": WSmatch(),
        "s2match": S2match(vectors=vectors, **TUNED[dataset]),
        "s2match_default": S2match(vectors=vectors),
    }[row]
    # On 4 of these 158 pairs the published hill-climber stops short of the optimum (those of
    # `test_s2match_is_the_tool_with_the_optimum`), and on so few pairs that shows.
    short = (row, dataset, partition) == ("s2match", "sts", "role_confusion")
    cell = published(row)(dataset, partition)
    found = correlation(shared, metric, dataset, partition)
    assert found == pytest.approx(cell, abs=0.6 if short else 0.3)


@pytest.mark.parametrize(("name", "options"), [("s2match", TUNED["sts"]), ("s2match_def", {})])
def test_s2match_is_the_tool_with_the_optimum(shared, vectors, name, options):
    pairs, _ = released(shared / "bamboo-amr-benchmark", "sts", "role_confusion")
    lines = (
        (shared_file(shared, "reference") / f"sts-role_confusion-{name}.txt").read_text().split()
    )
    gain = S2match(vectors=vectors, **options).score(pairs) - np.array(lines, float)
    assert (gain > -0.001).all()  # the tool rounds to three decimals
    assert (np.abs(gain) < 0.001).mean() > 0.94
