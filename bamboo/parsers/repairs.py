"""What repairs of graphs change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bamboo.board import find_main
from bamboo.display.shown import Shown
from bamboo.display.table import capitalize_f1
from bamboo.files import plain
from bamboo.scoring.repaired import Repaired


class RepairEffect(NamedTuple):
    """What repairs of the graphs of a parser change.

    Attributes:
        counts: how many graphs were repaired.
        without: the corpus scores without them, by metric and score; none if no pair is left.
    """

    counts: Repaired
    without: Mapping[str, Mapping[str, float]]

    def describe(self, metrics: Mapping[str, bool]) -> str:
        """Return the counts, and the scores without repairs, as a sentence.

        Args:
            metrics: those that are shown, and whether their scores are shown times 100.
        """
        texts = [self.counts.describe()]
        if self.counts.graphs:
            for name, times_100 in metrics.items():
                if scores := self.without.get(name):
                    main = find_main(scores)
                    of = f"{name} " if len(metrics) > 1 else ""
                    value = Shown(times_100).number(scores[main])
                    texts.append(f"without repairs {of}{capitalize_f1(main)} is {value}")
        return "; ".join(texts)

    def to_json(self, metric: str) -> dict[str, Any]:
        """Return the counts, and under ``without`` the corpus scores of a metric without them."""
        return {**self.counts._asdict(), "without": plain(dict(self.without.get(metric, {})))}
