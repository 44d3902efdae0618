"""The test pairs of the released data, and what they are measured against."""

import csv
from functools import cache

import numpy as np
import pytest

from amr_metrics import pair_up, read_graphs
from bamboo.installation import resource

DATASETS = ("sts", "sick", "para")
PARTITIONS = ("main", "reify", "syno", "role_confusion")


def shared_file(shared, name):
    """Return the path of a file or folder in BAMBOO_SHARED; skip the test if it is missing."""
    path = shared / name
    if not path.exists():
        pytest.skip(
            f"needs {name} in the folder that BAMBOO_SHARED names "
            "(CONTRIBUTING, Tests on the released data)"
        )
    return path


@cache
def released(data, dataset, partition):
    """The test pairs of a partition and their ratings; on role confusion 0, 1, 0, 1, ..."""
    folder = data / dataset / partition
    pairs = pair_up(*[read_graphs(folder / f"{side}.test.amr") for side in ("src", "tgt")])
    if partition == "role_confusion":
        return pairs, np.arange(len(pairs)) % 2
    first = 0 if dataset == "sts" else 1  # SICK and PARA begin with the parse of a header
    pairs = pairs[first:-1]
    lines = (data / dataset / "test.y").read_text("utf-8").split()
    return pairs, np.array(lines, float)[first : len(pairs) + first]


def pearson(scores, ratings):
    return 100 * np.corrcoef(scores, ratings)[0, 1]


def accuracy(scores):
    """Share x 100 of the pairs of role confusion whose original scores above its altered twin."""
    return 100 * np.mean(scores[1::2] > scores[::2])


def published(table, row):
    """The row of a published table; cells by partition and data set."""
    with (resource("data") / "published" / table).open(encoding="utf-8") as file:
        cells = next(line for line in csv.DictReader(file) if line["row"] == row)
    return {
        (partition, dataset): float(cells[f"{column}_{dataset}"])
        for partition, column in zip(PARTITIONS, ("main", "reify", "syno", "arg"), strict=True)
        for dataset in DATASETS
    } | {"amean": float(cells["amean"])}


def tool_scores(shared, partition, tool, count):
    """The scores that a metric's original tool gives to the first pairs of STS."""
    lines = (shared_file(shared, "reference") / f"sts-{partition}-{tool}.txt").read_text().split()
    return np.array(lines[:count], float)
