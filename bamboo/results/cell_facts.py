"""What is known of a metric on a cell besides its score, and means over the cells of a metric."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from bamboo.benchmark.columns import COLUMNS, mean_name
from bamboo.board import NAN, Score
from bamboo.statistics.ratings import amean, hmean
from bamboo.statistics.resampling import Method

CELL, MEAN = "cell", "mean"  # the kinds of parts that metrics have scores on
HUMANS = "human ceiling"  # the system of rows that compare raters


class CellFacts(NamedTuple):
    """What is known of a metric on a cell, or of its mean over cells, besides the score.

    Attributes:
        split: the split.
        dataset, partition: those of the cell; ``all`` for a mean.
        source: where the partition comes from (``released``, ``built``, ``local``).
        published: the published value, times 100; NaN where nothing is published.
        resample: how the interval was computed; None without one.
        missing: number of pairs without a score.
        empty: number of pairs that could not be read or scored and count as if the first graph
            were empty.
        unproven: number of pairs whose alignment is not proven optimal; None without alignments.
        seconds: the CPU time of scoring.
        cached: whether the scores come from the cache; None if that is not known.
        in_benchmark: whether it is one of the benchmark's twelve cells, with all pairs.
        title: the title of a data set of one's own.
        bucket: the name of some of the pairs, if these are a bucket; or of the mean over buckets.
    """

    split: str
    dataset: str = "all"
    partition: str = "all"
    source: str = ""
    published: float = NAN
    resample: Method | None = None
    missing: int = 0
    empty: int = 0
    unproven: int | None = None
    seconds: float = 0.0
    cached: bool | None = None
    in_benchmark: bool = False
    title: str = ""
    bucket: str = ""


Facts = Mapping[tuple[str, str], CellFacts]  # by metric and part
ScoredCell = tuple[Score, CellFacts]


def compute_means(cells: Sequence[Score]) -> list[Score]:
    """Return the means over the cells of one metric.

    These are amean and hmean (arithmetic and harmonic, of positive values only) if there are the
    benchmark's twelve cells, and ``mean of N cells`` (arithmetic) if there are others or fewer. A
    mean over cells exists only if every one of them has a value.

    >>> cell = Score("", CELL, "main_own", "sema", 9, 0, "pearson", 30.0)
    >>> compute_means([cell, cell._replace(part="arg_own", value=10.0)])[0][2:8]
    ('mean of 2 cells', 'sema', 18, 0, 'mean of 2 cells', 20.0)
    """
    pairs = sum(row.pairs for row in cells)
    return [
        Score("", MEAN, name, cells[0].system, pairs, 0, name, value)
        for name, value in _list_means({row.part: row.value for row in cells})
    ]


def _list_means(values: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    twelve = [values.get(column, NAN) for column in COLUMNS]
    has_twelve = not any(map(math.isnan, twelve))
    if has_twelve:
        yield "amean", amean(twelve)
        if not math.isnan(harmonic := hmean(twelve)):
            yield "hmean", harmonic
    is_whole = not any(map(math.isnan, values.values()))
    if is_whole and len(values) > 1 and not (has_twelve and len(values) == len(COLUMNS)):
        yield mean_name(len(values)), amean([*values.values()])
