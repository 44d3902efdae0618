"""The pairs with the lowest scores, and what differs in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amr_metrics.base import Metric, Pair
from amr_metrics.errors import MetricError, NoAlignmentError
from amr_metrics.explanation import Explanation
from bamboo.board import Board
from bamboo.display.shown import Shown
from bamboo.display.table import Table, find_blocks
from bamboo.errors import ConfigError
from bamboo.explanation.mistakes import MistakeText, describe_mistakes
from bamboo.parsers.analysis import ONE_METRIC, Analysis
from bamboo.parsers.report_data import ReportData
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
        """Return what differs, at most `DIFFERENCES` texts.

        >>> WorstPair("a", 0, None, 0.5, "", (), (), tuple("abcdefgh")).list_differences()
        ['a', 'b', 'c', 'd', 'e', 'and 3 more differences']
        """
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


@dataclass(frozen=True)
class Worst(Analysis):
    """The pairs with the lowest scores of each parser, lowest first; ties in file order.

    Attributes:
        count: their number.

    Raises:
        ConfigError: a negative number.
    """

    option = "worst"
    one_metric = ONE_METRIC
    one_run = True

    count: int

    def __post_init__(self) -> None:
        if self.count < 0:
            raise ConfigError(f"worst={self.count}: use 0 or more")

    @property
    def lowest(self) -> int:
        """Of how many pairs with the lowest scores it needs the graphs.

        >>> Worst(0).lowest, Worst(3).lowest
        (0, 3)
        """
        return self.count

    def collect(
        self, metrics: Mapping[str, Metric], scored: Mapping[str, Mapping[str, Scored]]
    ) -> tuple[Board, Mapping[str, Any]]:
        """Describe the pairs of each parser; without an alignment, no unmatched triples."""
        ((name, metric),) = metrics.items()
        pairs = {
            parser: tuple(
                describe_pair(metric, pair, parser, k, of_parser)
                for k, pair in [*of_parser.lowest.items()][: self.count]
            )
            for parser, of_parser in scored[name].items()
        }
        return Board(), pairs

    def tabulate(self, report: ReportData, style: Shown, suffix: str = "") -> list[Table]:
        """Return for each pair its sentence and what differs; in CSV one row per triple."""
        if not (pairs := list_worst(report)):
            return []
        rows: list[tuple[Any, ...]] = []
        for pair in pairs:
            rows.append((pair.parser, pair.name, style.number(pair.score), pair.title))
            rows += [("", "", "", text) for text in pair.list_differences()]
        note = "X instead of Y, added: X, missing: Y: the parse has X, the gold graph Y"
        if not next(
            iter(report.by_parser.values())
        ).pairs.tgt_count:  # else `explain` has other numbers
            note += ". The command explain shows a pair in full: pair=NUMBER, or its id"
        notes = (note,) if any(pair.differences for pair in pairs) else ()
        columns = ("parser", "pair", "score", "sentence, differences")
        unmatched = tuple(
            (pair.parser, str(pair.pair), pair.id, pair.score, *triple)
            for pair in pairs
            for triple in pair.list_unmatched("src", "tgt")
        )
        title, blocks = "Worst pairs", find_blocks(rows)
        long = Table(title, ("parser", "pair", "id", "score", "only in", "triple"), unmatched, 4)
        return [Table(style.title(title), columns, tuple(rows), 4, notes, blocks, long=long)]


def list_worst(report: ReportData) -> tuple[WorstPair, ...]:
    """Return the pairs with the lowest scores of all parsers; none if they are not requested."""
    findings = report.findings.get(Worst.option, {})
    return tuple(pair for pairs in findings.values() for pair in pairs)


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
