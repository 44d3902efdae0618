"""What alignment marks and repeated triples do to scores.

Some metrics count them, although they say nothing about the meaning. The pairs that have any are
scored without them as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.building import walk_metrics
from amr_metrics.errors import PairError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.graphs.rows import per_row
from amr_metrics.standardize import Standardized, Standardizer
from amr_metrics.standardize.steps import count_alignments
from amr_metrics.types import Bools, Ints
from amr_metrics.utils.text import format_count
from bamboo.board import find_main
from bamboo.display.shown import Shown
from bamboo.display.table import capitalize_f1
from bamboo.scoring.pipeline import Parts, PartScorer
from bamboo.scoring.scored import Scored, place_scores

MARKS, REPEATS = "without alignment marks", "without repeated triples"  # names of parts
COUNTS = "src_removed", "tgt_removed"  # columns of a part: how many of them each graph has
# What metrics do with them.
COUNTED = {
    MARKS: "takes the marks for parts of the labels",
    REPEATS: "counts these again, so that precision and recall can exceed 100 %",
}
MOST_DIGITS = 4  # with which scores that differ are shown


class RemovalEffect(NamedTuple):
    """What the removal of alignment marks or of repeated triples changes.

    Attributes:
        name: `MARKS` or `REPEATS`.
        metric, parser: the names of the metric and of the parser.
        counts: how many of them the graphs of src have, and those of tgt.
        score: the name of the score.
        values: the score with them, and without, as text.
        option: the option that removes them.
    """

    name: str
    metric: str
    parser: str
    counts: tuple[int, int]
    score: str
    values: tuple[str, str]
    option: str

    def text(self, src: str, tgt: str) -> str:
        """Return the effect as sentences.

        Args:
            src, tgt: the names of both sides.
        """
        sides = zip((src, tgt), self.counts, strict=True)
        have = dict.fromkeys(
            f"{name} has {_format_count(count, self.name)}" for name, count in sides
        )
        score, without = self.values
        return (
            f"{', '.join(have)}. {self.metric} {COUNTED[self.name]}: without them {self.score} is "
            f"{without} instead of {score}."
        )

    def note(self, src: str, tgt: str) -> str:
        """Return the effect, and what the option does."""
        does = "removes the marks" if self.name == MARKS else "counts each of them once"
        return f"{self.text(src, tgt)} {self.option} {does}"


def _format_count(count: int, name: str) -> str:
    if name == REPEATS:
        return format_count(count, "repeated triple") if count else "none"
    return f"{format_count(count, 'label')} with alignment marks such as ~e.3" if count else "none"


def build_removal_scorer(metric: Metric) -> PartScorer | None:
    """Return a function that scores pairs without what a metric counts; None if it counts neither.

    A part has the scores of the pairs of which it changes a graph, NaN for the others.
    """
    parts = [*walk_metrics(metric)]
    # How to remove something, and a function that counts it in each graph.
    removals: dict[str, tuple[Standardizer, Callable[[Corpus], Ints]]] = {}
    if any(part.reads_alignments for part in parts):
        removals[MARKS] = Standardizer(("drop_alignments",)), count_alignments
    if any(part.repeat_steps for part in parts):
        # A metric in another one may compare graphs in another form.
        steps = tuple(metric.repeat_steps or ("distinct",))
        removals[REPEATS] = Standardizer(steps), partial(count_repeats, steps=steps)
    if not removals:
        return None

    def score(pairs: Sequence[Pair]) -> Parts:
        plain = isinstance(pairs, Pairs) or all(type(g) is Graph for pair in pairs for g in pair)
        if not plain:  # documents and Chinese AMR, which have no steps
            return {}
        encoded, scored = Pairs.of(pairs), {}
        for name, (standardizer, count) in removals.items():
            counts = count(encoded.src)[encoded.src_index], count(encoded.tgt)[encoded.tgt_index]
            changed = np.flatnonzero(counts[0] + counts[1])
            if not len(changed):
                continue
            try:
                scores = metric.evaluate(standardizer.pairs(encoded.take(changed)))
            except PairError as error:
                raise error.numbered(changed) from None
            columns = dict(zip(COUNTS, (side[changed] for side in counts), strict=True))
            scored[name] = place_scores(
                Scores(scores.values, {**scores.details, **columns}), changed, len(pairs)
            )
        return scored

    return score


def count_repeats(corpus: Corpus, steps: Sequence[str]) -> Ints:
    """Return how many triples of each graph repeat another one.

    Args:
        steps: see `Metric.repeat_steps`.

    >>> from amr_metrics import parse_graph
    >>> graph = parse_graph("(s / sleep-01 :ARG0 (c / cat) :ARG0 c :polarity - :polarity -)")
    >>> count_repeats(Corpus.of([graph]), ["distinct"]).tolist()
    [2]
    """
    counts = np.zeros(len(corpus), np.int64)
    candidates = np.flatnonzero(_find_possible_repeats(corpus))
    if len(candidates):
        every = Standardizer(tuple(steps[:-1])).corpus(corpus.take(candidates))
        counts[candidates] = _count_triples(every) - _count_triples(
            Standardizer((steps[-1],)).corpus(every)
        )
    return counts


def _find_possible_repeats(corpus: Corpus) -> Bools:
    """Check whether each graph has two relations of the same nodes, or a role of a node twice."""
    graphs, nodes = np.zeros(len(corpus), np.bool_), len(corpus.concepts)
    first = per_row(corpus.node_start[:-1], corpus.relation_start)
    ends = np.sort([first + corpus.sources, first + corpus.targets], axis=0)
    holders = per_row(corpus.node_start[:-1], corpus.attribute_start) + corpus.holders
    for rows, values, size in (
        (*ends, nodes),
        (holders, corpus.attribute_roles, len(corpus.symbols)),
    ):
        keys = np.sort(rows * size + values)
        twice = keys[1:][keys[1:] == keys[:-1]] // max(size, 1)
        graphs[np.searchsorted(corpus.node_start, twice, side="right") - 1] = True
    return graphs


def _count_triples(corpus: Corpus) -> Ints:
    return np.diff(corpus.attribute_start) + np.diff(corpus.relation_start)


def find_removal_effects(
    name: str, parser: str, metric: Metric, scored: Scored, shown: Shown
) -> tuple[RemovalEffect, ...]:
    """Return what alignment marks of one side, and repeated triples, change in a corpus score.

    An effect that the shown score does not have is left out, unless they raise that of a pair above
    1, which should be the highest.

    Args:
        name, parser: the names of the metric and of the parser.
        scored: with the parts of `build_removal_scorer`.
    """
    effects = []
    for part in (MARKS, REPEATS):
        if part not in scored.parts:
            continue
        without = scored.parts[part]
        changed = scored.present & ~np.isnan(without.values)
        counts = tuple(int(without.details[side][changed].sum()) for side in COUNTS)
        if not changed.any() or (part == MARKS and min(counts)):
            continue
        values = scored.scores.values.copy()
        values[changed] = without.values[changed]
        details = {column: rows.copy() for column, rows in scored.scores.details.items()}
        for column in details.keys() & without.details.keys():
            details[column][changed] = without.details[column][changed]
        score = scored.corpus(metric)
        main = find_main(score)
        score_without = metric.corpus(Scores(values, details).take(scored.present))[main]
        is_visible = shown.number(score[main]) != shown.number(score_without)
        if is_visible or (scored.scores.values[changed] > np.maximum(1, values[changed])).any():
            effects.append(
                RemovalEffect(
                    part,
                    name,
                    parser,
                    (counts[0], counts[1]),
                    capitalize_f1(main),
                    _format_both(score[main], score_without, shown),
                    "drop=alignments" if part == MARKS else _choose_option_for_repeats(metric),
                )
            )
    return tuple(effects)


def _format_both(first: float, second: float, shown: Shown) -> tuple[str, str]:
    """Return two scores with as many decimals as tell them apart."""
    while True:
        texts = shown.number(first), shown.number(second)
        if texts[0] != texts[1] or shown.decimals >= MOST_DIGITS:
            return texts
        shown = shown._replace(digits=shown.decimals + 1)


def _choose_option_for_repeats(metric: Metric) -> str:
    inner = metric.metric if isinstance(metric, Standardized) else metric
    return "metric.variant=corrected" if inner.repeat_steps else "metric.standardize=[distinct]"
