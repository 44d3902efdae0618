"""The pairs with the lowest scores, and what differs in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from amr_metrics.base import Metric, Pair
from amr_metrics.errors import MetricError, NoAlignmentError
from amr_metrics.explanation import Explanation
from bamboo.explanation.mistakes import MistakeText, describe_mistakes
from bamboo.scoring.scored import Scored

DIFFERENCES = 6  # of a pair that tables show: five pairs fit a screen


@dataclass(frozen=True)
class WorstPair:
    """A pair with a low score, and what did not match."""

    parser: str
    pair: int
    id: str | None
    score: float
    sentence: str
    unmatched_src: tuple[str, ...]
    unmatched_tgt: tuple[str, ...]
    differences: tuple[MistakeText, ...]

    @property
    def name(self) -> str:
        """The number of the pair, and its id if it has one."""
        return f"{self.pair}" if self.id is None else f"{self.pair} ({self.id})"

    @property
    def title(self) -> str:
        """The sentence."""
        return self.sentence or "(no sentence)"

    def list_differences(self) -> list[str]:
        """Return what differs, at most `DIFFERENCES` texts."""
        texts = [*map(str, self.differences)]
        if len(texts) > DIFFERENCES:
            texts[DIFFERENCES - 1 :] = [f"and {len(texts) - DIFFERENCES + 1} more differences"]
        return texts

    def list_unmatched(self, src: str, tgt: str) -> list[tuple[str | None, str | None]]:
        """Return the triples that only one graph has, each after its side; else an empty one.

        Args:
            src, tgt: the names of both sides.
        """
        sides = (src, self.unmatched_src), (tgt, self.unmatched_tgt)
        return [(side, triple) for side, triples in sides for triple in triples] or [(None, None)]


def worst_pairs(metric: Metric, parsers: Mapping[str, Scored], count: int) -> list[WorstPair]:
    """Return the pairs with the lowest scores of each parser, lowest first; ties in file order.

    For a metric without an alignment, no unmatched triples are given.

    Args:
        count: their number; at most as many as `Scored.lowest` has.
    """
    return [
        describe_pair(metric, pair, parser, k, scored)
        for parser, scored in parsers.items()
        for k, pair in [*scored.lowest.items()][:count]
    ]


def describe_pair(metric: Metric, pair: Pair, parser: str, k: int, scored: Scored) -> WorstPair:
    """Return what differs in a pair.

    Args:
        parser: whose graph is the first of the pair.
        k: the position of the pair in `scored`, which has its score and its id.

    Raises:
        MetricError: the metric cannot explain the pair, although it has no problem.
    """
    explained = Explanation(0.0, ())
    try:
        (explained,) = metric.explanations([pair])
    except NoAlignmentError:
        pass
    except MetricError:
        if k not in scored.problems:
            raise
    return WorstPair(
        parser,
        k,
        scored.pairs.ids[k],
        float(scored.scores.values[k]),
        pair.tgt.sentence or pair.src.sentence,
        tuple(map(str, explained.unmatched_src)),
        tuple(map(str, explained.unmatched_tgt)),
        tuple(describe_mistakes(explained, explained.pair or pair)),
    )
