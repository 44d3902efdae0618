"""What the mistakes in each construction cost each parser: rows, table, frame and JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.types import Floats
from amr_metrics.utils.text import format_count
from bamboo.board import MISTAKE, NAN, Board, Difference, Score, find_highest, find_lowest
from bamboo.display.points import include_equal, points
from bamboo.display.shown import Shown
from bamboo.display.table import LEVEL, Table
from bamboo.errors import ConfigError
from bamboo.explanation.mistakes import CONSTRUCTIONS, DIRECTIONS
from bamboo.parsers.analysis import ONE_METRIC, Analysis
from bamboo.parsers.layout import P_DIGITS, Key, count_tests, describe_marks, lay_out
from bamboo.parsers.left_out import MISSING
from bamboo.parsers.mistakes import CONSTRUCTION, explains_triples, find_mistakes
from bamboo.parsers.report_data import ReportData
from bamboo.parsers.systems import Comparison
from bamboo.parsers.verdict import verdict
from bamboo.scoring.chunks import Reading
from bamboo.scoring.mistake_rows import ParserMistakes
from bamboo.scoring.pipeline import MistakeFinder
from bamboo.scoring.scored import Scored, collect_mistakes
from bamboo.statistics.corpus import (
    Compared,
    bootstrap_corpus,
    corpus_scores,
    percentile_interval,
    permutation_tests,
)
from bamboo.statistics.resampling import SystemTests

RATE, GOLD = "rate", "gold triples"  # columns of the tests
FEW = 0.1  # of gold's items of a construction: parsers with fewer are not the best on it


class Cost(NamedTuple):
    """What the mistakes in a construction cost a parser.

    Attributes:
        missing, wrong, extra: numbers of mistakes.
        gain: how much higher the corpus F1 would be without these mistakes: 2 (M + q) / (S - p +
            q + G) - F1, if M triples match, of S of the parses and G of the gold graphs, and the
            mistakes have p and q of them. The alignment stays, so it is an estimate; gains of
            several constructions do not add up.
        gain_missing, gain_wrong, gain_extra: without the mistakes of one direction.
        rate: mistakes per 100 triples of the gold graphs.
        items, produced: how many of the construction the gold graphs have, and the parses.
        share: how many of those of the gold graphs are missing or wrong, in 0..1; NaN without any.
        difference, low, high, p, p_adjusted: of the rate, from that of the best parser: see
            `compute_costs`.
    """

    construction: str
    parser: str
    missing: int
    wrong: int
    extra: int
    gain: float
    gain_missing: float
    gain_wrong: float
    gain_extra: float
    rate: float
    items: int
    produced: int
    share: float
    difference: float = NAN
    low: float = NAN
    high: float = NAN
    p: float = NAN
    p_adjusted: float = NAN

    @property
    def directions(self) -> dict[str, int]:
        """The numbers of mistakes, by direction."""
        return dict(zip(DIRECTIONS, (self.missing, self.wrong, self.extra), strict=True))

    @property
    def mistakes(self) -> int:
        """The number of mistakes."""
        return self.missing + self.wrong + self.extra


Costs = Mapping[str, Mapping[str, Cost]]  # by construction, highest mean gain first, and parser


@dataclass(frozen=True)
class Errors(Analysis):
    """What the mistakes of each kind cost the parsers, and what all this shows.

    Attributes:
        for_pages: whether the writer of pages collects the mistakes, if the metric aligns triples.
    """

    option = "errors"
    on_pages = True
    one_metric = ONE_METRIC
    one_run = True
    in_order = "compares graph k of src with graph k of tgt"

    for_pages: bool = False

    @property
    def find_mistakes(self) -> MistakeFinder | None:
        """Finds the mistakes while pairs are scored."""
        return None if self.for_pages else find_mistakes

    def plan(self, metrics: Mapping[str, Metric], reading: Reading) -> Self:
        """Check that the metric aligns triples."""
        if not self.for_pages and not all(map(explains_triples, metrics.values())):
            raise ConfigError(
                "errors needs a metric that aligns triples, such as metric=smatch_1.0"
            )
        return self

    def compare(self, comparison: Comparison, parsers: Mapping[str, Scored]) -> Board:
        """Compute what each construction costs; see `compute_costs`."""
        mistakes = collect_mistakes(parsers)
        return compute_costs(comparison.name, mistakes, comparison.tests) if mistakes else Board()

    def tabulate(self, report: ReportData, style: Shown, suffix: str = "") -> list[Table]:
        """Return one row per construction and parser; several parsers are compared with the best.

        With all columns, also the shares of the gold graphs, intervals and p-values.
        """
        if not collect_mistakes(report.by_parser):
            return []
        costs, conclusion = report.board.select(kind=MISTAKE), verdict(report)
        best, has_all = find_compared(costs), style.columns == "all"
        keys: dict[str, Key] = {"construction": "part"}
        if len(costs.list_names("system")) > 1:
            keys["parser"] = "system"
        scores = {name: name for name in DIRECTIONS} | {"f1 gain": "gain", "per 100": "rate"}
        versus = {}
        if has_all:
            scores["of gold's"] = "share"
        if best is not None:
            versus = {"minus best": "value"}
            if has_all:
                versus |= {
                    f"minus best {LEVEL}": "interval",
                    "p perm.": "p",
                    "p adj.": "p_adjusted",
                }
        # The table of scores says which pairs are left out.
        notices = (notice for notice in conclusion.notices if notice.kind != MISSING)
        notes = [
            *conclusion.lead,
            *(f"{notice.text} {notice.option}".strip() for notice in notices),
        ]
        notes.append(
            "Each mistake is counted once. F1 gain: how much higher F1 would be without these "
            "mistakes; per 100: mistakes per 100 gold triples"
        )
        if best is not None:
            notes.append(
                f"minus best: per 100, minus that of {best}, the best by F1. "
                f"{describe_marks(report.tests.number, 'the difference is significant')} over all "
                f"constructions and parsers: {format_count(count_tests(costs), 'test')})"
            )
        headings = [*scores, *versus]
        table = lay_out(
            "",
            costs,
            keys,
            scores,
            style._replace(times_100=True),
            versus=versus,
            compare=lambda row: (None, find_difference(costs, row.part, row.system)),
            digits={heading: 2 for heading in headings if heading != "f1 gain"} | P_DIGITS,
            rule="part" if best is not None else "",
            notes=notes,
        )
        return [replace(table, title=conclusion.title)]

    def to_json(self, report: ReportData) -> Mapping[str, Any]:
        """Return what all this shows, if the metric aligns triples."""
        return {"verdict": asdict(verdict(report))} if collect_mistakes(report.by_parser) else {}


def compute_costs(metric: str, parsers: Mapping[str, ParserMistakes], tests: SystemTests) -> Board:
    """Compute what each construction costs each parser, and compare parsers with the best.

    The rows have the scores of a `Cost` for each construction that occurs, in the order of the mean
    gain, and each parser. The differences are those of the rate from the best parser: that with the
    highest F1 among those that make mistakes, of several the first by name. They are NaN for a
    construction that the gold graphs do not have.

    Args:
        metric: its name.
        parsers: the mistakes of each parser in the same pairs.
        tests: how intervals and p-values are computed (`bamboo.statistics.corpus`).
    """
    costs = {
        (c, name): _count(c, mistakes) for c in CONSTRUCTIONS for name, mistakes in parsers.items()
    }
    occurring = dict.fromkeys(
        c for (c, _), cost in costs.items() if any(cost[name] for name in DIRECTIONS)
    )
    means = {c: np.mean([costs[c, name]["gain"] for name in parsers]) for c in occurring}
    order = sorted(occurring, key=lambda construction: -means[construction])
    pairs = {name: int(mistakes.present.sum()) for name, mistakes in parsers.items()}
    scores = tuple(
        Score(metric, MISTAKE, construction, name, pairs[name], 0, score, value)
        for construction in order
        for name in parsers
        for score, value in costs[construction, name].items()
    )
    f1 = {
        name: _compute_f1(*np.nansum(mistakes.totals, axis=0)) for name, mistakes in parsers.items()
    }
    ranked = [name for name, mistakes in parsers.items() if np.nansum(mistakes.counts)]
    if len(ranked) < 2:
        return Board(scores)
    best = min(find_highest({name: f1[name] for name in ranked}))
    items = parsers[best].items[parsers[best].present].sum(axis=0)
    in_gold = [construction for construction in order if items[CONSTRUCTION[construction]]]
    others = {name: parsers[name] for name in ranked if name != best}
    rates = {
        name: _compare_rates(in_gold, mistakes, parsers[best], tests)
        for name, mistakes in others.items()
    }
    p_values = _test_rates(in_gold, others, parsers[best], tests)
    differences = []
    for construction in order:
        for name, mistakes in others.items():
            both = int((mistakes.present & parsers[best].present).sum())
            place = metric, MISTAKE, construction, name, best, both, RATE
            value, low, high = rates[name].get(construction, (NAN, NAN, NAN))
            p, p_adjusted = p_values.get((name, construction), (NAN, NAN))
            differences.append(Difference(*place, value, low, high, p=p, p_adjusted=p_adjusted))
    return Board(scores, tuple(differences))


def find_compared(costs: Board) -> str | None:
    """Return the parser with which the others are compared; None for a single one."""
    return costs.differences[0].second if costs.differences else None


def find_difference(costs: Board, construction: str, parser: str) -> Difference | None:
    """Return the difference of a parser's rate from that of the best parser, if there is one."""
    keys = (row for row in costs.differences if (row.part, row.first) == (construction, parser))
    return next(keys, None)


def group_costs(costs: Board) -> Costs:
    """Return the rows of each construction and parser as one, with the difference."""
    grouped: dict[str, dict[str, Cost]] = {}
    for (_, _, construction, parser), scores in costs.rows.items():
        values: dict[str, Any] = {name: row.value for name, row in scores.items()}
        if (row := find_difference(costs, construction, parser)) is not None:
            values |= {"difference": row.value, "low": row.low, "high": row.high}
            values |= {"p": row.p, "p_adjusted": row.p_adjusted}
        grouped.setdefault(construction, {})[parser] = Cost(construction, parser, **values)
    return grouped


def find_best(
    costs: Iterable[Cost], value: Callable[[Cost], float], show: Callable[[float], str] = points
) -> list[str]:
    """Return the parsers with the lowest value of a construction; none for fewer than two.

    A parser that has next to none of what gold has (`FEW`) is not one of them: edges of missing
    nodes are mistakes in concepts, so that it seems to make no mistake.

    Args:
        costs: the rows of parsers on one construction.
        value: that of a row.
        show: how they are shown; values that look the same are equal.
    """
    values = {row.parser: value(row) for row in costs if row.produced >= FEW * row.items}
    return include_equal(find_lowest(values), values, show) if len(values) > 1 else []


def _compute_f1(matched: float, src: float, tgt: float) -> float:
    return float(2 * matched / (src + tgt)) if src + tgt else 1.0


def _count(construction: str, mistakes: ParserMistakes) -> dict[str, float]:
    """Return the scores of a parser on a construction, by name."""
    k = CONSTRUCTION[construction]
    counts, p, q, items, produced = (
        np.nansum(column[:, k], axis=0)
        for column in (
            mistakes.counts,
            mistakes.src_weights,
            mistakes.tgt_weights,
            mistakes.items,
            mistakes.src_items,
        )
    )
    matched, src, tgt = np.nansum(mistakes.totals, axis=0)
    f1 = _compute_f1(matched, src, tgt)

    def gain(directions: slice = slice(None)) -> float:
        removed, added = p[directions].sum(), q[directions].sum()
        return _compute_f1(matched + added, src - removed + added, tgt) - f1

    missing, wrong, extra = (int(count) for count in counts)
    return {
        "missing": missing,
        "wrong": wrong,
        "extra": extra,
        "gain": gain(),
        "gain_missing": gain(slice(0, 1)),
        "gain_wrong": gain(slice(1, 2)),
        "gain_extra": gain(slice(2, 3)),
        "rate": float(100 * counts.sum() / tgt) if tgt else NAN,
        "items": int(items),
        "produced": int(produced),
        "share": float((missing + wrong) / items) if items else NAN,
    }


def _compare_rates(
    constructions: Sequence[str], mistakes: ParserMistakes, best: ParserMistakes, tests: SystemTests
) -> dict[str, tuple[float, float, float]]:
    """Return for each construction the difference of two parsers' rates and its interval."""
    both = mistakes.present & best.present
    names = dict(zip(constructions, constructions, strict=True))
    systems = [_select_columns(parser, names).take(both) for parser in (mistakes, best)]
    statistics = partial(_measure_rates, constructions)
    values = [corpus_scores(statistics, system) for system in systems]
    if both.sum() < 2:
        return {c: (values[0][c] - values[1][c], NAN, NAN) for c in constructions}
    drawn = bootstrap_corpus(statistics, systems, tests.resamples, tests.seed, constructions)
    ends = {c: percentile_interval(drawn[c][:, 0] - drawn[c][:, 1]) for c in constructions}
    return {c: (values[0][c] - values[1][c], *ends[c]) for c in constructions}


def _test_rates(
    constructions: Sequence[str],
    others: Mapping[str, ParserMistakes],
    best: ParserMistakes,
    tests: SystemTests,
) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the p-values of the differences from the best parser, by parser and construction."""
    compared = {
        (parser, c): Compared(
            _select_columns(mistakes, {RATE: c}),
            _select_columns(best, {RATE: c}),
            mistakes.present & best.present,
        )
        for parser, mistakes in others.items()
        for c in constructions
    }
    rng = np.random.default_rng([tests.seed, len(best.present), 2])
    statistics = partial(_measure_rates, [RATE])
    p, corrected = permutation_tests(statistics, [*compared.values()], [RATE], tests.number, rng)
    values = zip((of_rate[RATE] for of_rate in p), corrected.tolist(), strict=True)
    return dict(zip(compared, values, strict=True))


def _select_columns(mistakes: ParserMistakes, constructions: Mapping[str, str]) -> Scores:
    """Return the numbers of mistakes in constructions, under other names, and of gold triples."""
    counts = mistakes.counts.sum(axis=2)
    details = {name: counts[:, CONSTRUCTION[c]] for name, c in constructions.items()}
    return Scores(mistakes.totals[:, 0], {**details, GOLD: mistakes.totals[:, 2]})


def _measure_rates(
    constructions: Sequence[str], sums: Mapping[str, Floats], _: Floats
) -> dict[str, Floats]:
    """Return the mistakes in constructions per 100 gold triples."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return {c: np.asarray(100 * sums[c] / sums[GOLD]) for c in constructions}
