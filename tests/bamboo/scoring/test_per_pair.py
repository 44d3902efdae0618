"""The file of all pairs, written chunk by chunk."""

import io

import numpy as np

from amr_metrics.base import Scores
from bamboo.scoring.per_pair import PerPairRows
from bamboo.scoring.problems import Problem
from bamboo.scoring.scored import PairColumns, Scored

NAN = np.nan


def test_rows_wait_for_the_columns_of_scores():
    """Which the first pair with a score has."""
    file = io.StringIO(newline="")
    rows = PerPairRows(file)
    for first, values, details in (
        (0, [NAN], {}),
        (1, [NAN, 0.5], {"matches": np.array([NAN, 3.0])}),
        (3, [NAN], {}),
    ):
        pairs = PairColumns(range(first, first + len(values)), [None] * len(values))
        chunk = Scored(Scores(np.array(values), details), pairs, {0: Problem("no end")})
        rows.add("a", {"smatch": chunk})
    rows.flush()
    assert file.getvalue().splitlines() == [
        "parser,pair,id,score,matches,problem",
        "a,0,,,,no end",
        "a,1,,,,no end",
        "a,2,,0.5,3.0,",
        "a,3,,,,no end",
    ]
