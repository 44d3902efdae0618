"""Agreement of annotators without a gold standard: every two of them are scored.

An annotator is a system of the board. A couple is a part for each of its two annotators: the part
is named after the other one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.utils.text import format_count
from bamboo.board import CORPUS, NAN, WHOLE, Board, Score, find_main
from bamboo.display.shown import Shown
from bamboo.engines import SERIAL, Engine
from bamboo.errors import ConfigError, FileNote
from bamboo.log import warn
from bamboo.parsers.agreement_data import ALL, COUPLE, Couple, LowSentence
from bamboo.parsers.agreement_graphs import Annotated, average
from bamboo.parsers.agreement_result import Agreement
from bamboo.parsers.agreement_triples import align_triples
from bamboo.parsers.analyses.aspects import ASPECT
from bamboo.parsers.analyses.buckets import Buckets
from bamboo.parsers.analysis import find_analysis
from bamboo.parsers.removals import find_removal_effects
from bamboo.parsers.score import Evaluation, describe_metric, score_sides
from bamboo.parsers.systems import corpus_statistics, find_present, mark_empty
from bamboo.progress import progress_bar
from bamboo.scoring.buckets import Grouping, find_members
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
from bamboo.statistics.sums import Addends
from bamboo.ties import are_tied

# The scores of a couple: of the first annotator's graphs against those of the second and, if the
# metric is not symmetric, of the second's against those of the first.
Directions = Sequence[Scores]


def measure_agreement(
    annotated: Annotated,
    name: str,
    metric: Metric,
    reading: Reading,
    evaluation: Evaluation,
    lowest: int = 0,
    engine: Engine = SERIAL,
) -> Agreement:
    """Score every two annotators, and measure how far they agree.

    Args:
        annotated: their graphs.
        name: of the metric.
        reading: with what is dropped from all graphs, and how rejected pairs are treated.
        evaluation: aspects, buckets, and how intervals are computed.
        lowest: the number of sentences with the lowest agreement to describe.

    Raises:
        ConfigError: no sentence has two graphs that could be scored.
        DataError, PairError: see `score_sides`.
    """
    couples = _score_couples(annotated, name, metric, reading, evaluation, engine)
    names, count = [*annotated.sources], len(annotated)
    whole = Part({couple: [s.scores for s in scored] for couple, scored in couples.items()})
    means = average(whole.list_values(ALL))
    if np.isnan(means).all():
        problems = (s.problems for scored in couples.values() for s in scored)
        reason = next(iter(next(filter(None, problems)).values()))
        raise ConfigError(f"no sentence has two graphs that can be compared; the first: {reason}")
    is_central = _find_central(np.stack([average(whole.list_values(n)) for n in names]))
    order = np.argsort([*map(str, annotated.ids)]) if annotated.is_matched else np.arange(count)
    counting = order[~np.isnan(means)[order]]
    statistics = corpus_statistics(metric)
    measure = partial(_measure, name, statistics, names, counting, evaluation.tests)
    boards = [measure(CORPUS, {WHOLE: whole})]
    if len(names) > 2:  # of two, both are equally central on every sentence
        boards.append(_measure_central_shares(name, names, is_central))
    if aspects := _select_aspects(couples):
        boards.append(measure("aspect", aspects))
    if (buckets := find_analysis(evaluation.analyses, Buckets)) is not None:
        boards.append(measure("bucket", _divide(annotated, couples, means, buckets.grouping)))
    signed = replace(reading, ids="match") if annotated.is_matched else reading
    board = Board.join(boards)
    facts = describe_metric(name, metric, board, signed, evaluation)
    remarks = _describe_removals(annotated, couples, name, metric, Shown(facts.times_100))
    warn(remarks, FileNote)
    agreement = Agreement(
        board=board,
        metric=name,
        facts=facts,
        is_symmetric=metric.symmetric,
        annotators={annotator: str(annotated.sources[annotator].name) for annotator in names},
        couples=whole.values,
        ids=annotated.ids,
        means=means,
        central=np.where(is_central.any(axis=0), is_central.argmax(axis=0), -1),
        remarks=tuple(remarks),
        tests=evaluation.tests,
        analyses=evaluation.analyses,
    )
    low_sentences = _describe_lowest(agreement, annotated, couples, metric, reading, lowest)
    triples = align_triples(agreement, annotated, metric, reading)
    return replace(agreement, lowest=tuple(low_sentences), triples=triples)


def _score_couples(
    annotated: Annotated,
    name: str,
    metric: Metric,
    reading: Reading,
    evaluation: Evaluation,
    engine: Engine,
) -> dict[Couple, list[Scored]]:
    """Score every two annotators, in both directions if the metric is not symmetric.

    Warns of sentences without a graph, of pairs that could not be scored, and of what
    `score_sides` finds.
    """
    sources, scorers = annotated.sources, evaluation.build_scorers({name: metric})
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
                    scorers,
                    reading,
                    analyses=evaluation.analyses,
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
    rejected = [why for k, why in scored.problems.items() if k not in unread]
    if not rejected:
        return []
    sentences = format_count(len(rejected), "sentence")
    return [f"{src} and {tgt}: {sentences} could not be scored; the first: {rejected[0]}"]


def _describe_removals(
    annotated: Annotated,
    couples: Mapping[Couple, Sequence[Scored]],
    name: str,
    metric: Metric,
    style: Shown,
) -> list[str]:
    """Say what alignment marks and repeated triples change in the scores of couples."""
    files = {annotator: str(source.name) for annotator, source in annotated.sources.items()}
    return [
        effect.note(files[src], files[tgt])
        for couple, scored in couples.items()
        for (src, tgt), direction in zip((couple, couple[::-1]), scored, strict=False)
        for effect in find_removal_effects(name, src, metric, direction, style)
    ]


@dataclass(frozen=True, eq=False)
class Part:
    """The scores of a part of the graphs of all sentences.

    Attributes:
        couples: the scores of each couple.
    """

    couples: Mapping[Couple, Directions]

    @cached_property
    def values(self) -> Mapping[Couple, Floats]:
        """The score of each sentence, by couple: the mean of both directions; NaN without one."""
        return {
            couple: np.where(
                np.logical_and.reduce([*map(find_present, directions)]),
                np.mean([scores.values for scores in directions], axis=0),
                np.nan,
            )
            for couple, directions in self.couples.items()
        }

    def find_couples(self, system: str) -> list[Couple]:
        """Return the couples of an annotator; all couples for `ALL`."""
        return [couple for couple in self.couples if system in (ALL, *couple)]

    def list_values(self, system: str) -> list[Floats]:
        """Return the scores of the sentences by each couple of an annotator; by all for `ALL`."""
        return [self.values[couple] for couple in self.find_couples(system)]


def _find_central(with_others: Floats) -> Bools:
    """Return which annotators agree best with the others on each sentence: several if tied.

    Args:
        with_others: (annotators, sentences), the mean score with the others; NaN without a graph.

    >>> _find_central(np.array([[0.2, 0.5, np.nan], [0.3, 0.5, np.nan]])).tolist()
    [[False, True, False], [True, True, False]]
    """
    values = np.where(np.isnan(with_others), -np.inf, with_others)
    is_best: Bools = are_tied(values, values.max(axis=0)) & ~np.isnan(with_others)
    return is_best


def _measure_central_shares(name: str, names: Sequence[str], is_central: Bools) -> Board:
    """Return the share of the sentences on which each annotator is central.

    Of a sentence with k central annotators, each has the k-th part.

    Args:
        is_central: see `_find_central`.
    """
    counts = is_central.sum(axis=0)
    pairs = int((counts > 0).sum())
    numbers = pairs, len(counts) - pairs
    shares = (is_central / np.maximum(counts, 1)).sum(axis=1) / pairs
    return Board(
        tuple(
            Score(name, CORPUS, WHOLE, annotator, *numbers, "central", share)
            for annotator, share in zip(names, shares.tolist(), strict=True)
        )
    )


def _select_aspects(couples: Mapping[Couple, Sequence[Scored]]) -> dict[str, Part]:
    """Return the scores of each aspect; of couples without a scored pair, none."""
    aspects: dict[str, dict[Couple, Directions]] = {}
    for couple, scored in couples.items():
        for name in scored[0].parts:
            if name.startswith(ASPECT):
                parts = [direction.parts[name] for direction in scored]
                aspects.setdefault(name.removeprefix(ASPECT), {})[couple] = parts
    return {aspect: Part(of_couples) for aspect, of_couples in aspects.items()}


def _divide(
    annotated: Annotated,
    couples: Mapping[Couple, Sequence[Scored]],
    means: Floats,
    grouping: Grouping,
) -> dict[str, Part]:
    """Return the scores of each bucket of sentences.

    The size of a sentence is the mean number of nodes of its graphs.
    """
    buckets: Ints | list[str | None]
    if grouping.is_size:
        buckets = annotated.count_nodes()
    else:
        rows = zip(*(scored[0].pairs.buckets for scored in couples.values()), strict=True)
        buckets = [next((bucket for bucket in row if bucket is not None), None) for row in rows]
    of_sentences = {ALL: Scored(Scores(means), PairColumns(buckets=buckets))}
    return {
        label: Part(
            {
                couple: [mark_empty(s.scores, ~members[ALL]) for s in scored]
                for couple, scored in couples.items()
            }
        )
        for label, members in find_members(of_sentences, grouping).items()
    }


# --- corpus scores and their intervals ----------------------------------------------------------


def _measure(
    metric: str,
    statistics: Statistics,
    names: Sequence[str],
    counting: Ints,
    tests: Resampling,
    kind: str,
    parts: Mapping[str, Part],
) -> Board:
    """Return the agreement on each part: of all, of each annotator with the others, of couples.

    Args:
        counting: the positions of the sentences with two graphs, in the order of resampling.
        kind: of the parts; couples have rows on the whole corpus only.
    """
    rows: list[Score] = []
    systems = [ALL, *names]
    for name, part in parts.items():
        observed = {
            couple: [
                corpus_scores(statistics, scores.take(~np.isnan(part.values[couple])))
                for scores in directions
            ]
            for couple, directions in part.couples.items()
        }
        main = find_main(next((s for scores in observed.values() for s in scores if s), ()))
        blocks = [
            _measure_rows(statistics, part, main, systems, weights)
            for weights in _draw_weights(counting, len(next(iter(part.values.values()))), tests)
        ]
        of_couples, micro, macro = (np.concatenate(b, axis=1) for b in zip(*blocks, strict=True))
        for k, system in enumerate(systems):
            pairs = int((~np.isnan(average(part.list_values(system)))).sum())
            row = Score(metric, kind, name, system, pairs, len(counting) - pairs, main, NAN)
            rows.append(_set_values(row, micro[k]))
            rows.append(_set_values(row._replace(score=f"macro_{main}"), macro[k]))
        if kind != CORPUS:
            continue
        for k, (couple, values) in enumerate(part.values.items()):
            pairs = int((~np.isnan(values)).sum())
            row = Score(metric, COUPLE, "", "", pairs, len(counting) - pairs, main, NAN)
            row = _set_values(row, of_couples[k])
            macro_value = float(average(values)) if pairs else NAN
            rows += _describe_couple(row, couple, observed[couple], macro_value)
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
    of_couples = {couple: np.full(len(weights), np.nan) for couple in part.couples}
    for couple, directions in part.couples.items():
        # A resample without a sentence of a couple leaves the couple out of the means.
        present = ~np.isnan(part.values[couple])
        counts = weights[:, present]
        has_pairs = counts.sum(axis=1) > 0
        if has_pairs.any():
            drawn = [
                score_resamples(statistics, scores.take(present), counts[has_pairs])[main]
                for scores in directions
            ]
            of_couples[couple][has_pairs] = np.mean(drawn, axis=0)
    micro = [average([of_couples[c] for c in part.find_couples(system)]) for system in systems]
    macro = [_average_sentences(part.list_values(system), weights) for system in systems]
    return np.stack([*of_couples.values()]), np.stack(micro), np.stack(macro)


def _average_sentences(values: Sequence[Floats], weights: Floats) -> Floats:
    """Return the weighted means over sentences of the means over couples; NaN without sentences."""
    means = average(values)
    present = ~np.isnan(means)
    counts = weights[:, present]
    totals = counts.sum(axis=1)
    sums = Addends.of(means[present], totals.max(initial=0.0)).sum(counts)
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
    from bamboo.parsers.analyses.worst import describe_pair  # slow to import

    names = [*annotated.sources]
    for k in order.tolist():
        central = names[agreement.central[k]]
        pairs = []
        for couple, scored in couples.items():
            score = float(agreement.couples[couple][k])
            if central not in couple or np.isnan(score):
                continue
            (annotator,) = {*couple} - {central}
            sides = (annotated.graphs_of(name).graphs[k] for name in (annotator, central))
            pair = Pair(*sides)
            pair = reading.standardizer.pair(pair) if reading.drop else pair
            described = describe_pair(metric, pair, annotator, k, scored[0])
            pairs.append(replace(described, score=score, id=annotated.ids[k]))
        yield LowSentence(float(means[k]), central, tuple(pairs))
