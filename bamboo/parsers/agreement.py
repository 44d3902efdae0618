"""Agreement of annotators without a gold standard: every two of them are scored.

An annotator is a system of the board. A couple is a part for each of its two annotators: the part
is named after the other one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.building import walk_metrics
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.utils.text import format_count
from bamboo.board import CORPUS, NAN, WHOLE, Board, Score, find_main
from bamboo.engines import SERIAL, Engine
from bamboo.errors import ConfigError, FileNote
from bamboo.log import warn
from bamboo.parsers.agreement_graphs import Annotated, average
from bamboo.parsers.agreement_result import ALL, COUPLE, Agreement, Couple, LowSentence
from bamboo.parsers.parts import ASPECT
from bamboo.parsers.result import MetricFacts
from bamboo.parsers.score import Analysis, score_sides
from bamboo.parsers.signatures import list_settings
from bamboo.parsers.systems import EMPTY, corpus_statistics, find_present
from bamboo.progress import progress_bar
from bamboo.scoring.chunks import Reading
from bamboo.scoring.scored import PairColumns, Scored
from bamboo.statistics.corpus import (
    Statistics,
    corpus_scores,
    draw_resamples,
    percentile_interval,
    score_resamples,
)
from bamboo.statistics.resampling import Resampling

if TYPE_CHECKING:
    from bamboo.parsers.buckets import Grouping

TIE = 1e-9  # means that differ by less are equal
# The scores of a couple: of the first annotator's graphs against those of the second and, if the
# metric is not symmetric, of the second's against those of the first.
Directions = Sequence[Scores]


def measure_agreement(
    annotated: Annotated,
    name: str,
    metric: Metric,
    reading: Reading,
    analysis: Analysis,
    lowest: int = 0,
    engine: Engine = SERIAL,
) -> Agreement:
    """Score every two annotators, and measure how far they agree.

    Args:
        annotated: their graphs.
        name: of the metric.
        reading: with what is dropped from all graphs, and how rejected pairs are treated.
        analysis: aspects, buckets, and how intervals are computed.
        lowest: the number of sentences with the lowest agreement to describe.

    Raises:
        ConfigError: no sentence has two graphs that could be scored.
        DataError, PairError: see `score_sides`.
    """
    couples = _score_couples(annotated, name, metric, reading, analysis, engine)
    names, count = [*annotated.sources], len(annotated)
    statistics = corpus_statistics(metric)
    of_couples = {couple: [one.scores for one in both] for couple, both in couples.items()}
    values = {couple: _average_directions(both) for couple, both in of_couples.items()}
    means = average(np.stack([*values.values()]))
    if np.isnan(means).all():
        problems = [one.problems for both in couples.values() for one in both]
        reason = next(iter(next(filter(None, problems)).values()))
        raise ConfigError(f"no sentence has two graphs that can be compared; the first: {reason}")
    with_others = np.stack([_average_with(values, annotator) for annotator in names])
    central = _find_central(with_others)
    order = np.argsort([*map(str, annotated.ids)]) if annotated.is_matched else np.arange(count)
    counting = order[~np.isnan(means)[order]]
    measure = partial(_measure, name, statistics, names, counting, analysis.tests)
    boards = [
        measure(CORPUS, {WHOLE: of_couples}),
        _measure_central_share(name, names, central, means),
    ]
    if name in analysis.aspects:
        boards.append(measure("aspect", _select_aspects(couples)))
    if analysis.by is not None:
        boards.append(measure("bucket", _divide(annotated, couples, means, analysis.by)))
    signed = replace(reading, ids="match") if annotated.is_matched else reading
    settings = list_settings(name, metric, signed)
    low, high = metric.range
    board = Board.join(boards)
    facts = MetricFacts(
        signature="|".join([metric.signature, *settings[1:]]),
        settings=settings,
        times_100=board.main == "f1" or (low >= -1 and high <= 1),
        reference=" ".join(dict.fromkeys(part.reference for part in walk_metrics(metric))),
        aspects=analysis.aspects.get(name),
    )
    agreement = Agreement(
        board=board,
        metric=name,
        facts=facts,
        is_symmetric=metric.symmetric,
        annotators={annotator: str(annotated.sources[annotator].name) for annotator in names},
        couples=values,
        ids=annotated.ids,
        means=means,
        central=central,
        tests=analysis.tests,
        by=None if analysis.by is None else analysis.by.name,
    )
    low_sentences = _describe_lowest(agreement, annotated, couples, metric, reading, lowest)
    return replace(agreement, lowest=tuple(low_sentences))


def _score_couples(
    annotated: Annotated,
    name: str,
    metric: Metric,
    reading: Reading,
    analysis: Analysis,
    engine: Engine,
) -> dict[Couple, list[Scored]]:
    """Score every two annotators, in both directions if the metric is not symmetric.

    Warns of sentences without a graph, of pairs that could not be scored, and of what
    `score_sides` finds.
    """
    sources, metrics = annotated.sources, {name: metric}
    build = partial(analysis.scorers, metrics, removals=False)
    notes = dict.fromkeys(annotated.notes)
    warnings = dict.fromkeys(annotated.describe_missing())
    dropped: set[str] = set()
    couples: dict[Couple, list[Scored]] = {}
    with progress_bar("reading", drawn=False) as bar:
        for couple in itertools.combinations(sources, 2):
            bar.begin(f"scoring {' and '.join(couple)}", unit="pairs")
            for src, tgt in (couple,) if metric.symmetric else (couple, couple[::-1]):
                sides = score_sides(
                    sources[src],
                    sources[tgt],
                    build,
                    reading,
                    metrics=[metric],
                    by=analysis.by,
                    engine=engine,
                    progress=partial(bar.reach, amount=len(annotated)),
                )
                scored = sides.scores[name]
                couples.setdefault(couple, []).append(scored)
                warnings |= dict.fromkeys(sides.warnings)
                notes |= dict.fromkeys(sides.notes)
                dropped |= sides.dropped
                warnings |= dict.fromkeys(_describe_rejected(annotated, src, tgt, scored))
    notes |= dict.fromkeys(reading.describe_unused_roles(dropped))
    warn(notes, FileNote)
    warn(warnings)
    return couples


def _describe_rejected(annotated: Annotated, src: str, tgt: str, scored: Scored) -> list[str]:
    """Say which sentences with both graphs could not be scored."""
    unread = {k for name in (src, tgt) for k in annotated.graphs_of(name).problems}
    rejected = {k: why for k, why in scored.problems.items() if k not in unread}
    if not rejected:
        return []
    return [
        f"{src} and {tgt}: {format_count(len(rejected), 'sentence')} could not be scored; the "
        "first: "
        f"{next(iter(rejected.values()))}"
    ]


def _average_directions(directions: Directions) -> Floats:
    """Return the score of each pair, the mean of both directions; NaN where a part is missing."""
    present = _find_common(directions)
    values = np.mean([scores.values for scores in directions], axis=0)
    return np.where(present, values, np.nan)


def _find_common(directions: Directions) -> Bools:
    """Return which pairs have scores in all directions, and the part."""
    present: Bools = np.logical_and.reduce([*map(find_present, directions)])
    return present


def _average_with(values: Mapping[Couple, Floats], annotator: str) -> Floats:
    """Return the mean over the couples of an annotator."""
    return average(np.stack([row for couple, row in values.items() if annotator in couple]))


def _find_central(with_others: Floats) -> Ints:
    """Return which annotator agrees best with the others on each sentence: the first of equals.

    Args:
        with_others: (annotators, sentences), the mean score with the others; NaN without a graph.

    Returns:
        int64, a position of an annotator for each sentence; -1 without two graphs.

    >>> _find_central(np.array([[0.2, 0.5, np.nan], [0.3, 0.5, np.nan]])).tolist()
    [1, 0, -1]
    """
    values = np.where(np.isnan(with_others), -np.inf, with_others)
    first = np.argmax(values >= values.max(axis=0) - TIE, axis=0)
    return np.where(np.isnan(with_others).all(axis=0), -1, first).astype(np.int64)


def _measure_central_share(name: str, names: Sequence[str], central: Ints, means: Floats) -> Board:
    """Return the share of the sentences on which each annotator is central."""
    pairs = int((~np.isnan(means)).sum())
    left_out = len(means) - pairs
    return Board(
        tuple(
            Score(
                name,
                CORPUS,
                WHOLE,
                annotator,
                pairs,
                left_out,
                "central",
                float((central == k).sum() / pairs),
            )
            for k, annotator in enumerate(names)
        )
    )


def _select_aspects(
    couples: Mapping[Couple, Sequence[Scored]],
) -> dict[str, dict[Couple, Directions]]:
    """Return the scores of each aspect by couple; of couples without a scored pair, none."""
    aspects: dict[str, dict[Couple, Directions]] = {}
    for couple, both in couples.items():
        for name in both[0].parts:
            if name.startswith(ASPECT):
                parts = [one.parts[name] for one in both]
                aspects.setdefault(name.removeprefix(ASPECT), {})[couple] = parts
    return aspects


def _divide(
    annotated: Annotated,
    couples: Mapping[Couple, Sequence[Scored]],
    means: Floats,
    grouping: Grouping,
) -> dict[str, dict[Couple, Directions]]:
    """Return the scores of each bucket of sentences, by couple.

    The size of a sentence is the mean number of nodes of its graphs.
    """
    from bamboo.parsers.buckets import SIZE, find_members

    buckets: Ints | list[str | None]
    if grouping.name == SIZE and grouping.of_ids is None:
        buckets = annotated.count_nodes()
    else:
        rows = zip(*(both[0].pairs.buckets for both in couples.values()), strict=True)
        buckets = [next((bucket for bucket in row if bucket is not None), None) for row in rows]
    of_sentences = {ALL: Scored(Scores(means), PairColumns(buckets=buckets))}
    return {
        label: {
            couple: [
                Scores(one.scores.values, {**one.scores.details, EMPTY: ~members[ALL]})
                for one in both
            ]
            for couple, both in couples.items()
        }
        for label, members in find_members(of_sentences, grouping).items()
    }


# --- corpus scores and their intervals ----------------------------------------------------------


class Part(NamedTuple):
    """The scores of couples on a part.

    Attributes:
        couples: the scores of each, on all sentences.
        values: (couples, sentences), the score of each; NaN without one, or without the part.
    """

    couples: Mapping[Couple, Directions]
    values: Floats

    @classmethod
    def of(cls, couples: Mapping[Couple, Directions]) -> Part:
        """Average the directions of each couple."""
        return cls(couples, np.stack([*map(_average_directions, couples.values())]))

    def find(self, system: str) -> list[int]:
        """Return the positions of an annotator's couples; of all couples for `ALL`."""
        return [k for k, couple in enumerate(self.couples) if system in (ALL, *couple)]


def _measure(
    metric: str,
    statistics: Statistics,
    names: Sequence[str],
    counting: Ints,
    tests: Resampling,
    kind: str,
    parts: Mapping[str, Mapping[Couple, Directions]],
) -> Board:
    """Return the agreement on each part: of all, of each annotator with the others, of couples.

    Args:
        counting: the positions of the sentences with two graphs, in the order of resampling.
        kind: of the parts; couples have rows on the whole corpus only.
    """
    rows: list[Score] = []
    systems = [ALL, *names]
    for name, couples in parts.items():
        part = Part.of(couples)
        observed = [
            [corpus_scores(statistics, one.take(_find_common(both))) for one in both]
            for both in couples.values()
        ]
        main = find_main(next((one for both in observed for one in both if one), ()))
        blocks = [
            _measure_rows(statistics, part, main, systems, weights)
            for weights in _draw_weights(counting, part.values.shape[1], tests)
        ]
        of_couples, micro, macro = (np.concatenate(b, axis=1) for b in zip(*blocks, strict=True))
        for k, system in enumerate(systems):
            present = ~np.isnan(average(part.values[part.find(system)]))
            pairs = int(present.sum())
            row = Score(metric, kind, name, system, pairs, len(counting) - pairs, main, NAN)
            rows.append(_set_values(row, micro[k]))
            rows.append(_set_values(row._replace(score=f"macro_{main}"), macro[k]))
        if kind != CORPUS:
            continue
        for k, (couple, both) in enumerate(zip(couples, observed, strict=True)):
            pairs = int((~np.isnan(part.values[k])).sum())
            row = Score(metric, COUPLE, "", "", pairs, len(counting) - pairs, main, NAN)
            row = _set_values(row, of_couples[k])
            macro_value = float(average(part.values[k])) if pairs else NAN
            rows += _describe_couple(row, couple, both, macro_value)
    return Board(tuple(rows))


def _set_values(row: Score, drawn: Floats) -> Score:
    """Return a row with the observed value, which is the first, and the interval of the others."""
    if row.pairs < 2 or len(drawn) == 1:
        return row._replace(value=float(drawn[0]))
    low, high = percentile_interval(drawn[1:])
    return row._replace(value=float(drawn[0]), low=low, high=high)


def _describe_couple(
    row: Score, couple: Couple, observed: Sequence[Mapping[str, float]], macro: float
) -> Iterator[Score]:
    """Yield the scores of a couple, for each of its annotators.

    Precision is the share of the annotator's triples that the other one has, recall that of the
    other one's triples. If the metric is not symmetric, ``as_src`` is the score of the annotator's
    graphs against those of the other one.

    Args:
        row: with the score of the couple.
        observed: the corpus scores in each direction.
    """
    for k, annotator in enumerate(couple):
        of_annotator = row._replace(system=annotator, part=couple[1 - k])
        yield of_annotator
        yield of_annotator._replace(score=f"macro_{row.score}", value=macro, low=NAN, high=NAN)
        is_given = k < len(observed)  # otherwise precision and recall change places
        scores = observed[k if is_given else 0]
        sides = ("precision", "recall") if is_given else ("recall", "precision")
        for name, side in zip(("precision", "recall"), sides, strict=True):
            if side in scores:
                yield of_annotator._replace(score=name, value=scores[side], low=NAN, high=NAN)
        if len(observed) > 1 and scores:
            value = scores[row.score]
            yield of_annotator._replace(score="as_src", value=value, low=NAN, high=NAN)


def _draw_weights(counting: Ints, count: int, tests: Resampling) -> Iterator[Floats]:
    """Yield how often each sentence counts: once, and in each resample of those that count.

    One sentence is not resampled.

    Args:
        counting: the positions of the sentences that count.
        count: of all sentences.
    """
    once = np.zeros((1, count))
    once[:, counting] = 1.0
    yield once
    if len(counting) < 2:
        return
    for drawn in draw_resamples(len(counting), tests.resamples, tests.seed):
        weights = np.zeros((len(drawn), count))
        weights[:, counting] = drawn
        yield weights


def _measure_rows(
    statistics: Statistics, part: Part, main: str, systems: Sequence[str], weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the agreement on a part for different weights of the sentences.

    Args:
        main: the corpus score of a couple.
        weights: (rows, sentences).

    Returns:
        the corpus scores, (couples, rows); for each system the mean of those of its couples, and
        the mean over sentences of the mean over its couples, (systems, rows).
    """
    of_couples = np.full((len(part.couples), len(weights)), np.nan)
    for k, both in enumerate(part.couples.values()):
        present = ~np.isnan(part.values[k])
        counts = weights[:, present]
        has_pairs = counts.sum(axis=1) > 0
        if has_pairs.any():
            drawn = [
                score_resamples(statistics, one.take(present), counts[has_pairs])[main]
                for one in both
            ]
            of_couples[k, has_pairs] = np.mean(drawn, axis=0)
    micro = [average(of_couples[part.find(system)]) for system in systems]
    macro = [_average_sentences(part.values[part.find(system)], weights) for system in systems]
    return of_couples, np.stack(micro), np.stack(macro)


def _average_sentences(values: Floats, weights: Floats) -> Floats:
    """Return the weighted means over sentences of the means over couples; NaN without sentences."""
    means = average(values)
    present = ~np.isnan(means)
    counts = weights[:, present]
    totals = counts.sum(axis=1)
    sums = counts @ means[present]
    drawn = np.full(len(weights), np.nan)
    np.divide(sums, totals, out=drawn, where=totals > 0)
    return drawn


# --- the sentences with the lowest agreement ----------------------------------------------------


def _describe_lowest(
    agreement: Agreement,
    annotated: Annotated,
    couples: Mapping[Couple, Sequence[Scored]],
    metric: Metric,
    reading: Reading,
    count: int,
) -> Iterator[LowSentence]:
    """Yield the sentences with the lowest agreement: how graphs differ from the central one."""
    means = agreement.means
    order = np.argsort(means, kind="stable")[: min(count, int((~np.isnan(means)).sum()))]
    if not len(order):
        return
    from bamboo.parsers.worst import describe_pair  # slow to import

    names = [*annotated.sources]
    for k in order.tolist():
        central = names[agreement.central[k]]
        others = []
        for (first, second), both in couples.items():
            if central not in (first, second) or np.isnan(agreement.couples[first, second][k]):
                continue
            other = second if central == first else first
            of_other, of_central = annotated.graphs_of(other), annotated.graphs_of(central)
            pair = Pair(of_other.graphs[k], of_central.graphs[k])
            pair = reading.standardizer.pair(pair) if reading.drop else pair
            described = describe_pair(metric, pair, other, k, both[0])
            score = float(agreement.couples[first, second][k])
            others.append(replace(described, score=score, id=annotated.ids[k]))
        yield LowSentence(float(means[k]), central, tuple(others))
