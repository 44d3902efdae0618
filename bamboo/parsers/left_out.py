"""What every form of a report says of pairs without a score, and of what is compared then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from amr_metrics.utils.text import format_count
from bamboo.board import CORPUS, Board
from bamboo.display.points import join_names
from bamboo.parsers.report_data import ReportData
from bamboo.scoring.scored import Scored

MISSING = "missing"  # the kind of notices with these sentences


def describe_left_out(report: ReportData) -> dict[str, list[str]]:
    """Say which pairs have no score, and on which pairs parsers are compared.

    Returns:
        the metrics about which each sentence is; sentences have no full stop.
    """
    metrics_of: dict[str, list[str]] = {}
    for metric, by_run in report.pairs.items():
        board = report.board.select(metric=metric, kind=CORPUS)
        texts = [f"{run}: {text}" for run in by_run for text in _describe_run(report, metric, run)]
        for text in (*texts, *_describe_common(board)):
            metrics_of.setdefault(text, []).append(metric)
    return metrics_of


def _describe_run(report: ReportData, metric: str, run: str) -> list[str]:
    scored = report.pairs[metric][run]
    if scored.present.any():
        return report.warnings(metric, run)
    reason = next(iter(scored.problems.values()))
    return [f"no pair could be scored; first problem: {reason}"]


def _describe_common(board: Board) -> Iterator[str]:
    """Say which parsers are compared on fewer pairs than they have; nothing of those without any.

    Args:
        board: the scores of a metric on the whole corpus.
    """
    pairs = {row.system: row.pairs for row in board.scores}
    for row in board.select(score=board.main).differences:
        numbers = pairs.get(row.first, 0), pairs.get(row.second, 0)
        if min(numbers) and not row.pairs:
            yield (
                f"{row.first} and {row.second} are not compared: there is no pair for which both "
                "have a score"
            )
        elif min(numbers) and max(numbers) > row.pairs:
            yield (
                f"{row.first} and {row.second} are compared on the "
                f"{format_count(row.pairs, 'pair')} for which both have a score, so their "
                "difference is not that of their corpus scores"
            )


def have_same_pairs(board: Board) -> bool:
    """Return whether all scores, and all differences of them, are about the same pairs."""
    numbers = {row.pairs for row in board.scores}
    return len(numbers | {row.pairs for row in board.differences}) == 1


def describe_sentences(parsers: Mapping[str, Scored]) -> str:
    """Say on how many sentences parsers have a score: one number if these are the same ones.

    Otherwise each number has its parsers: ``2 sentences for a and 3 for b and c``.
    """
    sharing: dict[bytes, list[str]] = {}
    for name, scored in parsers.items():
        sharing.setdefault(scored.present.tobytes(), []).append(name)
    first, *others = [(int(parsers[names[0]].present.sum()), names) for names in sharing.values()]
    text = format_count(first[0], "sentence")
    if not others:
        return text
    texts = [f"{count:,} for {join_names(names)}" for count, names in others]
    return join_names([f"{text} for {join_names(first[1])}", *texts], None)
