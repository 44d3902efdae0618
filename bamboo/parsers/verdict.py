"""What a comparison of parsers found, in a few sentences, and what to know about the input."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from amr_metrics.types import Bools
from amr_metrics.utils.text import format_count
from bamboo.board import CORPUS, MISTAKE, WHOLE, Difference, Score, find_detectable
from bamboo.display.points import difference, equals_p, join_names, points
from bamboo.explanation.mistakes import TITLES
from bamboo.parsers.layout import describe_needed
from bamboo.parsers.left_out import MISSING, describe_left_out, describe_sentences
from bamboo.parsers.mistakes import CONSTRUCTION
from bamboo.parsers.ranking import (
    COUNTS,
    LARGE,
    compare_ranked,
    list_ranked,
    measure_size,
    rank_parsers,
    select_common,
)
from bamboo.parsers.report_data import ReportData
from bamboo.scoring.mistake_rows import ParserMistakes
from bamboo.scoring.scored import Scored

LEVEL = 0.05
SIZES = 0.92, 1.08  # triples per gold triple beyond which recall or precision is low
HALF = 5  # graphs with less than half of the gold graph's triples that make a note
COLLAPSED = 2  # sentences with a score below LOW where another parser is above HIGH
LOW, HIGH = 0.1, 0.5
LEAST = 0.00005  # a smaller difference has no digits
PARTS = ("precision", "recall")  # of F1
WRITTEN = 10  # triples of a role that the gold graphs lack

RankedScores = Mapping[str, Mapping[str, Score]]  # corpus scores by parser and name, best first


@dataclass(frozen=True)
class Notice:
    """Something about the input that affects the scores.

    Attributes:
        kind: ``missing`` (pairs without a score), ``removal`` (alignment marks or repeated
            triples), ``extracted`` (graphs were taken out of text), ``repaired`` (graphs were
            repaired), ``role`` (the gold graphs lack a role), ``half`` (graphs with less than half
            of the gold graph's triples), ``collapsed`` (scores near 0 where another parser is
            good), or ``identical`` (to the gold graphs).
        parser: the parser that it is about; "" for ``missing``, which can be about two.
        text: the notice, with the name of the parser.
        pairs: the positions of the pairs that it is about; empty for all, and for ``missing``.
        option: an option of `score` that leaves the cause out; "" without.
    """

    kind: str
    parser: str
    text: str
    pairs: tuple[int, ...] = ()
    option: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a comparison of parsers found.

    Attributes:
        title: the finding, in one sentence without a full stop.
        lead: paragraphs with the evidence.
        notices: about the input.
    """

    title: str
    lead: tuple[str, ...]
    notices: tuple[Notice, ...]


def verdict(report: ReportData) -> Verdict:
    """Say which parser is best, how sure that is, and what costs most, for the only metric."""
    board = report.board.select(kind=CORPUS)
    ranks = rank_parsers(report.by_parser, board)
    ranked = list_ranked(ranks)
    notices = tuple(_list_notices(report, [*ranks], ranked))
    if not ranked:
        title = (
            f"{join_names([*ranks])} {'is' if len(ranks) == 1 else 'are'} identical to the gold "
            "graphs"
        )
        return Verdict(title, (), notices)
    scores = {name: board.rows[report.metric, CORPUS, WHOLE, name] for name in ranked}
    differences = compare_ranked(board, ranked)
    paragraphs = [
        _write_evidence(report, board.main, scores, differences),
        _describe_main_costs(report, scores),
    ]
    paragraphs += describe_needed(board, report.tests.target_difference)
    lead = tuple(text for text in paragraphs if text)
    return Verdict(_write_title(board.main, scores, differences), lead, notices)


def _write_title(main: str, ranked: RankedScores, differences: Sequence[Difference]) -> str:
    """Return the finding: the first of the sentences that holds."""
    best, scores = next(iter(ranked.items()))
    if len(ranked) == 1:
        score = points(scores[main].value)
        title = f"{best} has {score} F1"
        title = title if main == "f1" else f"{best} has a {main} score of {score}"
        if scores[main].interval is None:
            return title
        half = difference((scores[main].high - scores[main].low) / 2, signed=False)
        return f"{title}, with an uncertainty of ±{half}"
    to_best = [row for row in differences if row.first == best]
    group = [best, *(row.second for row in to_best if not row.p_adjusted < LEVEL)]
    if len(group) == len(ranked):
        return f"{join_names(group)} are not distinguishable"
    if len(group) > 1:
        return f"{join_names(group)} lead and are not distinguishable"
    by = difference(to_best[0].value, signed=False)
    return f"{best} is best, {by} point{'' if by == '1.0' else 's'} above {to_best[0].second}"


def _write_evidence(
    report: ReportData,
    main: str,
    ranked: RankedScores,
    differences: Sequence[Difference],
) -> str:
    """Return the scores in order, how sure the differences are, and what could not be seen."""
    metric = report.metric
    sentences = describe_sentences({name: report.by_parser[name] for name in ranked})
    if len(ranked) == 1:
        (by_score,) = ranked.values()
        parts = [f"{name} {points(row.value)}" for name, row in by_score.items() if name in PARTS]
        return f"{', '.join([metric, sentences, *parts])}."
    scores = [f"{name} {points(by_name[main].value)}" for name, by_name in ranked.items()]
    what = "F1" if main == "f1" else main
    texts = [f"{join_names(scores, None)} {what} ({metric}, {sentences})."]
    tested = [row for row in differences if not math.isnan(row.p_adjusted)]
    if not tested:
        return texts[0]
    significant = [row for row in tested if row.p_adjusted < LEVEL]
    if len(tested) == 1:
        texts.append(_describe_single_difference(tested[0]))
    else:
        highest = max((row.p_adjusted for row in significant), default=math.nan)
        how_sure = f" ({equals_p(highest, '≤')}, corrected)" if significant else ""
        every = f"All {len(tested)} differences are significant"
        some = f"{len(significant) or 'None'} of {len(tested)} differences "
        some += f"{'is' if len(significant) <= 1 else 'are'} significant"
        texts.append((every if len(significant) == len(tested) else some) + f"{how_sure}.")
    if len(significant) < len(tested):
        texts.append(_describe_unseen(tested))
    return " ".join(text for text in texts if text)


def _describe_single_difference(row: Difference) -> str:
    size = difference(row.value, signed=False) if abs(row.value) >= LEAST else "less than 0.01"
    interval = ""
    if row.interval is not None:
        interval = f"95 % interval {points(row.low)} to {points(row.high)}, "
    sure = "; this is significant" if row.p_adjusted < LEVEL else ""
    return f"They differ by {size} points ({interval}{equals_p(row.p_adjusted)}){sure}."


def _describe_unseen(tested: Sequence[Difference]) -> str:
    sizes = dict.fromkeys(map(points, find_detectable(tested)))
    if not sizes:
        return ""
    sentences = format_count(max(row.pairs for row in tested), "sentence")
    apart = "the two" if len(tested) == 1 else "them"
    return (
        f"With {sentences}, a true difference below {' to '.join(sizes)} points is detected in "
        f"fewer than four of five tests: more sentences would be needed to tell {apart} apart, or "
        "to call them equal."
    )


def _describe_main_costs(report: ReportData, ranked: RankedScores) -> str:
    """Return what costs most, and which parsers have low recall or precision."""
    texts, costs = [], report.board.select(kind=MISTAKE)
    if costs.scores:
        construction = costs.scores[0].part
        gains = costs.select(part=construction)
        each = [f"{name} {points(gains.value(name, 'gain'))}" for name in ranked]
        best = next(iter(ranked))
        each[0] = each[0].replace(f"{best} ", f"{best} would gain ", 1)
        texts.append(
            f"Most is lost on {TITLES[construction].lower()}: without these mistakes, "
            f"{join_names(each, None)} points."
        )
    for name, scores in ranked.items():
        size = measure_size(report.by_parser[name])
        if size is not None and not SIZES[0] <= size <= SIZES[1]:
            sides = [f"{side} {points(scores[side].value)}" for side in PARTS]
            texts.append(
                f"{name} has low {'recall' if size < 1 else 'precision'}: its graphs have "
                f"{100 * size:.0f} % of gold's triples ({', '.join(sides)})."
            )
    return " ".join(texts)


def _list_notices(
    report: ReportData, names: Sequence[str], ranked: Sequence[str]
) -> Iterator[Notice]:
    for text in describe_left_out(report):
        yield Notice(MISSING, "", f"{text}.")
    parsers = report.by_parser
    for name in names:
        for effect in (e for e in report.effects if e.parser == name):
            yield Notice("removal", name, effect.text(name, "gold"), option=effect.option)
    for name, extracted in report.extracted.items():
        yield Notice("extracted", name, f"{name}: {extracted.describe(report.extract)}.")
    for name in report.repaired:
        yield Notice("repaired", name, f"{name}: {report.describe_repaired(name)}.")
    for name in ranked:
        if (mistakes := parsers[name].mistakes) is not None:
            yield from _find_role_notices(name, mistakes)
    halved = [notice for name in ranked for notice in _find_half_notices(name, parsers, ranked)]
    yield from halved or [
        n for name in ranked for n in _find_collapsed_notices(name, parsers, ranked)
    ]
    for name in names:
        if name not in ranked:
            text = f"{name} is identical to the gold graphs: it is shown, but not ranked."
            yield Notice("identical", name, text)


def _find_role_notices(name: str, mistakes: ParserMistakes) -> Iterator[Notice]:
    """Yield a notice for each role that a parser often writes and the gold graphs never have."""
    matched, src, tgt = np.nansum(mistakes.totals, axis=0).tolist()
    for role, construction, part in (
        (":wiki", "wiki", "wiki"),
        (":polarity", "negation", ":polarity"),
    ):
        k = CONSTRUCTION[construction]
        weight = float(np.nansum(mistakes.src_weights[:, k]))
        if np.nansum(mistakes.items[:, k]) or weight < WRITTEN:
            continue
        without = points(2 * matched / (src - weight + tgt))
        written = f"{np.nansum(mistakes.counts[:, k]):,.0f}"
        text = (
            f"The gold graphs have no {role}, {name} writes {written}. "
            f"They count as extra triples: without them {name} has {without} F1 instead of "
            f"{points(2 * matched / (src + tgt))}."
        )
        yield Notice("role", name, text, option=f"drop={part}")


def _find_half_notices(
    name: str, parsers: Mapping[str, Scored], ranked: Sequence[str]
) -> Iterator[Notice]:
    """Yield a notice if many graphs have less than half of the gold graph's triples."""
    details = parsers[name].scores.details
    if any(column not in details for column in COUNTS):
        return
    present = parsers[name].present
    src, tgt = details["src_total"], details["tgt_total"]
    cut = present & (tgt >= LARGE) & (src < tgt / 2)
    if (count := int(cut.sum())) < HALF:
        return
    common = select_common({parser: parsers[parser] for parser in ranked})
    f1 = [f"{parser} {points(_compute_f1(scored, ~cut))}" for parser, scored in common.items()]
    rest = format_count(int((common[name].present & ~cut).sum()), "sentence")
    yield Notice(
        "half",
        name,
        f"{count} graphs of {name} are less than half as long as gold's: truncated output? "
        f"On the other {rest}: {', '.join(f1)}.",
        tuple(np.flatnonzero(cut).tolist()),
    )


def _compute_f1(scored: Scored, pairs: Bools) -> float:
    present = scored.present & pairs
    columns = (scored.scores.details[name][present].sum() for name in COUNTS)
    matched, src, tgt = map(float, columns)
    return 2 * matched / (src + tgt) if src + tgt else 1.0


def _find_collapsed_notices(
    name: str, parsers: Mapping[str, Scored], ranked: Sequence[str]
) -> Iterator[Notice]:
    """Yield a notice if a parser has scores near 0 where another one is good."""
    others = [parsers[parser].scores.values for parser in ranked if parser != name]
    if not others:
        return
    best = np.fmax.reduce(others)
    low = (parsers[name].scores.values < LOW) & (best > HIGH)
    if (count := int(low.sum())) >= COLLAPSED:
        text = (
            f"{name} is below {100 * LOW:.0f} on {format_count(count, 'sentence')} where another "
            f"parser is above {100 * HIGH:.0f}."
        )
        yield Notice("collapsed", name, text, tuple(np.flatnonzero(low).tolist()))
