"""The ranking of parsers, and what single sentences contribute to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from amr_metrics.types import Floats
from bamboo.board import CORPUS, DIGITS, WHOLE, Board, Difference, find_highest
from bamboo.scoring.scored import Scored
from bamboo.statistics.ranking import rank_ranges

COUNTS = ("matches", "src_total", "tgt_total")  # columns of metrics that count triples
PERFECT = 1 - 1e-12  # up to rounding; repeated triples can take smatch_1.0 above 1
READ = 4  # sentences of each list to read
GOOD = 0.9  # score of a large graph that is listed as good
LARGE = 10  # triples of a gold graph whose score says something


class Ranked(NamedTuple):
    """The place of a parser.

    Attributes:
        parser: the name of the parser.
        ranks: the first and the last rank that the tests leave open; (0, 0) for a parser that is
            not compared, because all its scores are those of identical graphs.
        scores: its corpus scores by name, such as ``f1``.
        intervals: their 95 % intervals by name; empty if not requested.
        size: the triples of its graphs per triple of the gold graphs; None for a metric that does
            not count triples.
        perfect: number of pairs with the score of identical graphs.
        difference: from the best ranked parser, first minus best; None for the best, of which
            there may be several, and for a parser without ranks.
    """

    parser: str
    ranks: tuple[int, int]
    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    size: float | None
    perfect: int
    difference: Difference | None

    @property
    def is_ranked(self) -> bool:
        """Whether the parser is compared with others."""
        return self.ranks != (0, 0)


class ParserPair(NamedTuple):
    """Two parsers, of which the first has the higher corpus score.

    Attributes:
        difference: of the main score, first minus second.
        won, equal, lost: number of pairs on which the first has a higher, equal, or lower score.
    """

    difference: Difference
    won: int
    equal: int
    lost: int


class ReadingList(NamedTuple):
    """Sentences to read first.

    Attributes:
        kind: ``better`` (the first parser better than the second), ``hard`` (costs all parsers
            most), or for a single parser ``lowest`` scores, ``good`` (large and above 90 of 100)
            and ``costly``.
        first, second: the parsers of ``better``.
        sentences: the position of each pair, and its value: what it adds to the difference of the
            corpus scores, or minus what it costs; for ``lowest`` and ``good`` the score.
    """

    kind: str
    first: str
    second: str
    sentences: tuple[tuple[int, float], ...]


def rank(parsers: Mapping[str, Scored], board: Board) -> list[Ranked]:
    """Rank parsers by their corpus score; those that are identical to the gold graphs come last.

    Args:
        board: the scores of the parsers by one metric, and their differences.
    """
    board = board.select(kind=CORPUS)
    values = {row.system: row.value for row in board.scores if row.score == board.main}
    # Of equal parsers the first by name stands first, whatever their order.
    best_first = sorted(parsers, key=lambda name: (-round(values[name], DIGITS), name))
    ranked = [name for name in best_first if not is_identical(parsers[name])]
    p = np.ones((len(ranked), len(ranked)))
    for row in board.select(score=board.main).differences:
        if {row.first, row.second} <= {*ranked}:
            i, j = ranked.index(row.first), ranked.index(row.second)
            p[i, j] = p[j, i] = row.p_adjusted
    scores = np.array([values[name] for name in ranked])
    ranges = dict(zip(ranked, rank_ranges(scores, p).tolist(), strict=True))
    best = find_highest({name: values[name] for name in ranked})
    ranking = []
    for name in (*ranked, *(name for name in best_first if name not in ranked)):
        own = board.rows[board.scores[0].metric, CORPUS, WHOLE, name].values()
        first, last = ranges.get(name, (0, 0))
        is_best = name in best or name not in ranked
        ranking.append(
            Ranked(
                name,
                (first, last),
                {row.score: row.value for row in own},
                {row.score: row.interval for row in own if row.interval is not None},
                _measure_size(parsers[name]),
                int(np.sum(parsers[name].scores.values >= PERFECT)),
                None if is_best else find_difference(board, name, best[0]),
            )
        )
    return ranking


def is_identical(scored: Scored) -> bool:
    """Return whether all scores are those of identical graphs."""
    return bool((scored.scores.values[scored.present] >= PERFECT).all())


def find_difference(board: Board, first: str, second: str) -> Difference:
    """Return the difference of the main score of two systems on the only part of a board."""
    return board.by_systems[(*board.scores[0][:3], first, second, board.main)]


def _measure_size(scored: Scored) -> float | None:
    """Return the triples of a parser's graphs per triple of the gold graphs."""
    details, present = scored.scores.details, scored.present
    if any(name not in details for name in COUNTS):
        return None
    _, src, tgt = (float(details[name][present].sum()) for name in COUNTS)
    return src / tgt if tgt else None


def compare_ranked(
    parsers: Mapping[str, Scored], board: Board, ranking: Sequence[Ranked]
) -> list[ParserPair]:
    """Compare every two ranked parsers, in the order of the ranking, the better one first."""
    board = board.select(kind=CORPUS)
    names = [row.parser for row in ranking if row.is_ranked]
    comparisons = []
    for k, first in enumerate(names):
        for second in names[k + 1 :]:
            margin = parsers[first].scores.values - parsers[second].scores.values
            counts = (np.sum(margin > 0), np.sum(margin == 0), np.sum(margin < 0))
            difference = find_difference(board, first, second)
            comparisons.append(ParserPair(difference, *map(int, counts)))
    return comparisons


def sentence_costs(scored: Scored) -> Floats:
    """Return what each pair takes from the corpus score; NaN for a missing pair.

    With counts of triples it is (s + g - 2 m) / (S + G): m triples of the pair match, of s of the
    parse and g of the gold graph, and S and G are the sums over the corpus. These costs add up to
    1 - F1. For other metrics it is (1 - score) / n, so that costs add up to 1 minus the mean.
    """
    details, present = scored.scores.details, scored.present
    if any(name not in details for name in COUNTS):
        return np.asarray((1 - scored.scores.values) / max(int(present.sum()), 1))
    matched, src, tgt = (np.where(present, details[name], np.nan) for name in COUNTS)
    total = float(np.nansum(src + tgt))
    return np.asarray((src + tgt - 2 * matched) / total if total else src + tgt)


def sentences_to_read(
    parsers: Mapping[str, Scored], ranking: Sequence[Ranked], count: int = READ
) -> list[ReadingList]:
    """Return the sentences that say most about the parsers, by what they cost.

    Returns:
        of two or more ranked parsers, where the first is better than the second, where the second
        is better, and what costs all parsers most; of a single one the lowest scores, large graphs
        with scores above `GOOD`, and what costs most.
    """
    names = [row.parser for row in ranking if row.is_ranked]
    costs = {name: sentence_costs(parsers[name]) for name in names}
    if len(names) > 1:
        first, second = names[:2]
        gained = costs[second] - costs[first]
        mean = np.mean([*costs.values()], axis=0)
        return [
            ReadingList("better", first, second, _highest(gained, count)),
            ReadingList("better", second, first, _highest(-gained, count)),
            ReadingList("hard", "", "", _negative(_highest(mean, count))),
        ]
    if not names:
        return []
    (name,) = names
    scores = parsers[name].scores.values
    size = parsers[name].scores.details.get("tgt_total")
    is_large = np.ones(len(scores), bool) if size is None else size >= LARGE
    lowest = _highest(np.where(is_large, 1 - scores, np.nan), count)
    good = _highest(np.where(scores > GOOD, scores if size is None else size, np.nan), count)
    return [
        ReadingList("lowest", name, "", tuple((k, float(scores[k])) for k, _ in lowest)),
        ReadingList("good", name, "", tuple((k, float(scores[k])) for k, _ in good)),
        ReadingList("costly", name, "", _negative(_highest(costs[name], count))),
    ]


def _highest(values: Floats, count: int) -> tuple[tuple[int, float], ...]:
    """Return the positions of the highest positive values, with these."""
    order = np.argsort(-values, kind="stable")[:count].tolist()  # NaN comes last
    return tuple((k, float(values[k])) for k in order if values[k] > 0)


def _negative(entries: tuple[tuple[int, float], ...]) -> tuple[tuple[int, float], ...]:
    return tuple((k, -value) for k, value in entries)
