"""The released benchmark, read once for all tests of this folder."""

import csv
from functools import cache, cached_property

import numpy as np
import pytest
from released import shared_file

from bamboo.installation import resource
from metrics import Pair, Pairs, pair_up, parse_graph, read_graphs

DATASETS = ("sts", "sick", "para")
PARTITIONS = ("main", "reify", "syno", "arg")
FOLDERS = {"arg": "role_confusion"}
# Positions of the pairs in the files: a header line comes before SICK's and PARA's, and a graph
# of an empty line after all three's.
ROWS = {"sts": slice(0, 1379), "sick": slice(1, 4928), "para": slice(1, 1726)}


class Bamboo:
    """The test pairs and ratings of each cell, cells in the order of the published tables."""

    cells = tuple((partition, dataset) for partition in PARTITIONS for dataset in DATASETS)

    def __init__(self, shared):
        self.shared = shared
        self.pairs, self.ratings = {}, {}
        for partition, dataset in self.cells:
            rows = slice(None) if partition == "arg" else ROWS[dataset]
            folder = shared / "bamboo-amr-benchmark" / dataset
            sides = [
                read_graphs(folder / FOLDERS.get(partition, partition) / f"{side}.test.amr")
                for side in ("src", "tgt")
            ]
            pairs = pair_up(*sides)[rows]
            self.pairs[partition, dataset] = pairs
            self.ratings[partition, dataset] = (
                np.arange(len(pairs)) % 2
                if partition == "arg"
                else np.loadtxt(folder / "test.y")[rows]
            )

    @cached_property
    def every_pair(self):
        """The pairs of all cells, one cell after the other."""
        return Pairs.of([pair for cell in self.cells for pair in self.pairs[cell]])

    @cache  # noqa: B019 - there is one object, which lasts as long as the tests
    def scores(self, metric):
        """The metric's scores of each cell."""
        every = metric.score(self.every_pair)
        ends = np.cumsum([len(self.pairs[cell]) for cell in self.cells])
        return dict(zip(self.cells, np.split(every, ends[:-1]), strict=True))

    def pearson(self, scores):
        """Pearson x 100 of each cell."""
        return np.array(
            [100 * np.corrcoef(scores[cell], self.ratings[cell])[0, 1] for cell in self.cells]
        )

    def accuracy(self, scores):
        """Share x 100 of the Arg pairs whose original scores above its altered twin."""
        return np.array(
            [100 * np.mean(scores["arg", d][1::2] > scores["arg", d][::2]) for d in DATASETS]
        )

    def v02(self, scores):
        """Mean of the nine cells and the three accuracies."""
        return np.mean([*self.pearson(scores)[:9], *self.accuracy(scores)])

    def published(self, table, metric):
        """The numbers of a row of a published table, as a dictionary."""
        with (resource("data") / "published" / table).open(encoding="utf-8") as file:
            return next(row for row in csv.DictReader(file) if row["row"] == metric)

    def cells_of(self, row):
        """The twelve cells of a published row."""
        return np.array([float(row["_".join(cell)]) for cell in self.cells])

    def reference(self, partition, tool):
        """The scores a reference tool gives to the STS pairs."""
        name = f"sts-{FOLDERS.get(partition, partition)}-{tool}.txt"
        return np.loadtxt(shared_file(self.shared, "reference") / name)[
            : len(self.pairs[partition, "sts"])
        ]


@pytest.fixture(scope="session")
def bamboo(shared):
    return Bamboo(shared)


@pytest.fixture
def pair_of():
    """Two graphs in Penman notation as a pair."""
    return lambda src, tgt: Pair(parse_graph(src), parse_graph(tgt))
