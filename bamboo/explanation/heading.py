"""What every explanation of a pair begins with, and the version of its JSON."""

from __future__ import annotations

from amr_metrics.base import Pair
from bamboo.display.table import Table

SCHEMA = 1  # of the JSON of explanations


def make_heading(title: str, pair: Pair, score: str) -> Table:
    """Return the sentences of a pair, with a line about its score below them."""
    sides = zip(("src", "tgt"), pair, strict=True)
    rows = tuple((name, graph.sentence or "(no sentence)") for name, graph in sides)
    return Table(title, ("", "sentence"), rows, notes=(f"score: {score}",))
