"""The ranking of parsers, and what single sentences contribute to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from amr_metrics.base import Scores
from amr_metrics.types import Floats
from bamboo.board import CORPUS, Board, Difference
from bamboo.scoring.scored import Scored
from bamboo.statistics.ranking import order_descending, rank_ranges
from bamboo.ties import are_tied

COUNTS = ("matches", "src_total", "tgt_total")  # columns of metrics that count triples
PERFECT = 1 - 1e-12  # up to rounding; repeated triples can take smatch_1.0 above 1
READ = 4  # sentences of each list to read
GOOD = 0.9  # score of a large graph that is listed as good
LARGE = 10  # triples of a gold graph whose score says something

Ranks = Mapping[str, tuple[int, int]]  # by parser, the first and the last rank, best first


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


def rank_parsers(parsers: Mapping[str, Scored], board: Board) -> Ranks:
    """Return the first and the last rank that the tests leave open, best parser first.

    Parsers whose scores are all those of identical graphs are not compared with others: they come
    last, with the ranks (0, 0). Of equal parsers the first by name stands first.

    Args:
        board: the scores of the parsers by one metric, and their differences.
    """
    board = board.select(kind=CORPUS, score=board.main)
    values = {row.system: row.value for row in board.scores}
    by_name = sorted(parsers)
    best_first = [by_name[k] for k in order_descending([values[name] for name in by_name])]
    ranked = [name for name in best_first if not is_identical(parsers[name])]
    p = np.ones((len(ranked), len(ranked)))
    for row in select_systems(board, ranked).differences:
        i, j = ranked.index(row.first), ranked.index(row.second)
        p[i, j] = p[j, i] = row.p_adjusted
    ranges = rank_ranges(np.array([values[name] for name in ranked]), p)
    ranks = {name: (ends[0], ends[1]) for name, ends in zip(ranked, ranges.tolist(), strict=True)}
    return ranks | {name: (0, 0) for name in best_first if name not in ranks}


def list_ranked(ranks: Ranks) -> list[str]:
    """Return the parsers that are compared with others, best first."""
    return [name for name, (first, _) in ranks.items() if first]


def select_systems(board: Board, names: Iterable[str]) -> Board:
    """Return the rows of some systems, and the differences between them."""
    names = {*names}
    return Board(
        tuple(row for row in board.scores if row.system in names),
        tuple(row for row in board.differences if {row.first, row.second} <= names),
    )


def compare_ranked(board: Board, names: Iterable[str]) -> list[Difference]:
    """Return the differences of the main score on the corpus between every two parsers.

    Args:
        names: best first, so that the better one comes first in each difference.
    """
    board = board.select(kind=CORPUS)
    return [find_difference(board, first, second) for first, second in combinations(names, 2)]


def find_difference(board: Board, first: str, second: str) -> Difference:
    """Return the difference of the main score of two systems on the only part of a board."""
    return board.by_systems[(*board.scores[0][:3], first, second, board.main)]


def is_identical(scored: Scored) -> bool:
    """Return whether all pairs have a score, and all scores are those of identical graphs."""
    return count_perfect(scored) == len(scored)


def count_perfect(scored: Scored) -> int:
    """Return the number of pairs with the score of identical graphs."""
    return int(np.sum(scored.scores.values >= PERFECT))


def count_wins(first: Scored, second: Scored) -> tuple[int, int, int]:
    """Return on how many pairs the first has a higher, a tied, and a lower score."""
    ours, theirs = first.scores.values, second.scores.values
    tied = are_tied(ours, theirs)
    higher, lower = (ours > theirs) & ~tied, (ours < theirs) & ~tied
    return int(higher.sum()), int(tied.sum()), int(lower.sum())


def measure_size(scored: Scored) -> float | None:
    """Return the triples of a parser's graphs per triple of gold; None if they are not counted."""
    details, present = scored.scores.details, scored.present
    if any(name not in details for name in COUNTS):
        return None
    _, src, tgt = (float(details[name][present].sum()) for name in COUNTS)
    return src / tgt if tgt else None


def select_common(parsers: Mapping[str, Scored]) -> dict[str, Scored]:
    """Return parsers with their scores of the pairs for which all of them have one."""
    common = np.logical_and.reduce([scored.present for scored in parsers.values()])

    def select(scores: Scores) -> Scores:
        return replace(scores, values=np.where(common, scores.values, np.nan))

    return {name: replace(of, scores=select(of.scores)) for name, of in parsers.items()}


def measure_sentence_costs(scored: Scored) -> Floats:
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
    parsers: Mapping[str, Scored], names: Sequence[str], count: int = READ
) -> list[ReadingList]:
    """Return the sentences that say most about the parsers, by what they cost.

    Costs are compared over the pairs for which all of the parsers of a list have a score, so that
    those of two add up to their difference.

    Args:
        names: the parsers that are ranked, best first.

    Returns:
        of two or more ranked parsers, where the first is better than the second, where the second
        is better, and what costs all parsers most; of a single one the lowest scores, large graphs
        with scores above `GOOD`, and what costs most.
    """

    def measure_costs(names: Sequence[str]) -> list[Floats]:
        common = select_common({name: parsers[name] for name in names})
        return [measure_sentence_costs(scored) for scored in common.values()]

    if len(names) > 1:
        first, second = names[:2]
        costs_of_first, costs_of_second = measure_costs([first, second])
        gained = costs_of_second - costs_of_first
        mean = np.mean(measure_costs(names), axis=0)
        return [
            ReadingList("better", first, second, _find_highest(gained, gained, count)),
            ReadingList("better", second, first, _find_highest(-gained, -gained, count)),
            ReadingList("hard", "", "", _find_highest(mean, -mean, count)),
        ]
    if not names:
        return []
    (name,) = names
    scores, costs = parsers[name].scores.values, measure_sentence_costs(parsers[name])
    size = parsers[name].scores.details.get("tgt_total")
    is_large = np.ones(len(scores), bool) if size is None else size >= LARGE
    low = np.where(is_large, 1 - scores, np.nan)
    good = np.where(scores > GOOD, scores if size is None else size, np.nan)
    return [
        ReadingList("lowest", name, "", _find_highest(low, scores, count)),
        ReadingList("good", name, "", _find_highest(good, scores, count)),
        ReadingList("costly", name, "", _find_highest(costs, -costs, count)),
    ]


def _find_highest(values: Floats, numbers: Floats, count: int) -> tuple[tuple[int, float], ...]:
    """Return the positions of the highest positive values, with their numbers."""
    order = np.argsort(-values, kind="stable")[:count].tolist()  # NaN comes last
    return tuple((k, float(numbers[k])) for k in order if values[k] > 0)
