"""Tables of pairs: which corpus scores their notes have."""

import numpy as np
import pytest

from amr_metrics.base import Scores
from bamboo.display.shown import Shown
from bamboo.parsers.pair_tables import tabulate_pairs
from bamboo.scoring.scored import PairColumns, Scored

PAIRS = PairColumns(range(1), [None], [None])


@pytest.mark.parametrize(
    ("columns", "shown"),
    [("main", ("recall", "F1")), ("all", ("recall", "F1", "macro_f1"))],
)
def test_notes_have_the_scores_that_tables_show(columns, shown):
    scored = Scored(Scores(np.array([0.5])), PAIRS)
    corpus = {"recall": 0.5, "f1": 0.5, "macro_f1": 0.5}
    table = tabulate_pairs("Pairs", scored, corpus, Shown(columns=columns))
    assert table.notes == tuple(f"corpus {name}: 50.0" for name in shown)
