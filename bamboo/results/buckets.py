"""Buckets of the pairs of cells, on which the statistic of metrics is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.types import Bools, Floats
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import Protocol
from bamboo.board import MEAN, NONE
from bamboo.display.points import join_names
from bamboo.scoring.buckets import Grouping, find_members
from bamboo.scoring.chunks import pair_ids
from bamboo.scoring.problems import OnError
from bamboo.scoring.scored import PairColumns, Scored
from bamboo.statistics.ratings import compares_twos


class Buckets(NamedTuple):
    """The buckets of the pairs of a cell.

    Attributes:
        members: which pairs are in each bucket.
        averaged: the buckets over which the mean is computed; none without a mean. These have two
            or more pairs, or couples of pairs, with different ratings, so that the mean of all
            metrics is over the same ones.
    """

    members: Mapping[str, Bools]
    averaged: Sequence[str]


def find_buckets(
    cells: Sequence[Cell], grouping: Grouping, protocol: Protocol, on_error: OnError
) -> dict[Cell, Buckets]:
    """Return the buckets of each cell.

    An altered pair is in the bucket of its original, which follows it.

    Args:
        on_error: how to treat pairs that cannot be read.

    Raises:
        ConfigError: no pair of a cell has a bucket, or there are too many.
    """
    buckets: dict[Cell, Buckets] = {}
    for cell in cells:
        pair_set = cell.load(on_error)
        pairs = pair_set.pairs
        column = grouping.column(pairs, pair_ids(pairs.ids(0), pairs.ids(1)))
        last = np.arange(len(pairs)) // cell.unit * cell.unit + cell.unit - 1
        column = [column[k] for k in last.tolist()] if isinstance(column, list) else column[last]
        scores = Scores(np.where(pairs.missing, np.nan, 0.0))
        by_label = find_members({"": Scored(scores, PairColumns(buckets=column))}, grouping)
        members = {label: within[""] & ~pairs.missing for label, within in by_label.items()}
        averaged = [
            label
            for label, within in members.items()
            if label != NONE and _is_comparable(cell, protocol, pair_set.ratings[within])
        ]
        has_mean = len(averaged) > 1 and not grouping.is_size
        buckets[cell] = Buckets(
            {label: within[""] for label, within in by_label.items()}, averaged if has_mean else ()
        )
    return buckets


def _is_comparable(cell: Cell, protocol: Protocol, ratings: Floats) -> bool:
    """Return whether scores can be compared with the ratings of a bucket."""
    if len(ratings) < 2 * cell.unit:
        return False
    return compares_twos(cell.statistic(protocol)) or bool(np.ptp(ratings) > 0)


def describe_buckets(buckets: Mapping[Cell, Buckets]) -> tuple[str, ...]:
    """Say over which buckets of each cell the mean is."""
    notes: list[str] = []
    for cell, (members, averaged) in buckets.items():
        if averaged:
            others = [label for label in members if label not in (*averaged, NONE)]
            where = f"{cell}, {MEAN}" if len(buckets) > 1 else MEAN
            text = f"{where}: mean of {len(averaged)} buckets"
            if others:
                why = "fewer than two pairs, or ratings that are all the same"
                text += f"; without {join_names(others, None)}: {why}"
            notes.append(text + (f"; without {NONE}." if NONE in members else "."))
    return tuple(notes)
