"""Metrics judged by which of two parses people prefer.

Source: Song and Gildea (2019), SemBleu: a robust metric for AMR parsing evaluation, sections 3.1
(sentences) and 3.2 (corpora); acceptability after Opitz and Frank (2022), Better Smatch = better
parser? AMR evaluation is not so simple anymore.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bamboo.documents import plain
from bamboo.errors import StatisticsError
from bamboo.preference_data import Judgement, Preferences
from bamboo.significance.corpus import percentile_interval, take
from bamboo.tables import Table
from metrics.base import Metric, Pair, Scores, checked
from metrics.types import Floats, Ints

Ties = Literal["skip", "count"]
SCHEMA = 1


@dataclass(frozen=True)
class Agreement:
    """How far a metric and people agree.

    Attributes:
        sentences: judgements that count; human_ties: those that were left out (``ties=skip``).
        sentence_level: share of judgements whose order the metric shares, with its interval.
        metric_ties: judgements with a preference whose parses the metric scores alike: wrong.
        corpus_level: share of resampled corpora in which the metric orders two systems as people
            do, averaged over pairs of systems; None if people call every resample even.
        acceptability: the chance that an acceptable parse scores above an unacceptable one (a tie
            is half); None without both kinds.
    """

    metric: str
    signature: str
    sentences: int
    human_ties: int
    sentence_level: float
    interval: tuple[float, float]
    metric_ties: int
    corpus_level: float | None
    acceptability: float | None

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values."""
        return dict(plain(self.__dict__))


def agreement(
    name: str,
    metric: Metric,
    data: Preferences,
    ties: Ties = "skip",
    resamples: int = 1000,
    seed: int = 0,
) -> Agreement:
    """Hold a metric against people's preferences.

    Args:
        ties: ``skip`` leaves out the judgements that call both parses equally good; with
            ``count`` a metric is right on them if it scores both alike.

    Raises:
        StatisticsError: no judgement that counts.
        MetricError: a pair that cannot be scored.
    """
    scores = {
        system: checked(metric.evaluate(pairs := _pairs(data, graphs)), len(pairs))
        for system, graphs in data.systems.items()
    }
    judged = data.judgements
    margin = np.array(
        [scores[j.first].values[j.sentence] - scores[j.second].values[j.sentence] for j in judged]
    )
    wanted = np.array([np.sign(j.preference - 0.5) for j in judged])
    right = np.sign(margin) == wanted
    counts = wanted != 0 if ties == "skip" else np.ones(len(wanted), np.bool_)
    if not counts.any():
        raise StatisticsError("people call all parses equally good: there is nothing to agree on")
    rng = np.random.default_rng([seed, len(judged)])
    kept = right[counts]
    drawn = kept[rng.integers(0, len(kept), (resamples, len(kept)))].mean(axis=1)
    return Agreement(
        name,
        metric.signature,
        int(counts.sum()),
        int((~counts).sum()),
        float(kept.mean()),
        percentile_interval(drawn),
        int(((margin == 0) & (wanted != 0)).sum()),
        _corpus_level(metric, data, scores, resamples, seed),
        _acceptability(data, scores),
    )


def _pairs(data: Preferences, graphs: Sequence[Any]) -> list[Pair]:
    return [Pair(graph, gold) for graph, gold in zip(graphs, data.references, strict=True)]


def _corpus_level(
    metric: Metric, data: Preferences, scores: dict[str, Scores], resamples: int, seed: int
) -> float | None:
    """The mean share of resamples in which metric and people order two systems alike."""
    shares = []
    for a, b in itertools.combinations(data.systems, 2):
        both = [j for j in data.judgements if {j.first, j.second} == {a, b}]
        if len(both) < 2:
            continue
        sentences = np.array([j.sentence for j in both])
        human = np.array([_preference(j, a) for j in both]) - 0.5
        rng = np.random.default_rng([seed, len(both), 1])
        agreed, counted = 0, 0
        for _ in range(resamples):
            drawn = rng.integers(0, len(both), len(both))
            order = np.sign(human[drawn].sum())
            if order == 0:
                continue
            counted += 1
            chosen = sentences[drawn]
            margin = _main(metric, scores[a], chosen) - _main(metric, scores[b], chosen)
            agreed += bool(np.sign(margin) == order)
        if counted:
            shares.append(agreed / counted)
    return float(np.mean(shares)) if shares else None


def _preference(judgement: Judgement, system: str) -> float:
    """1 where `system` is preferred."""
    return judgement.preference if judgement.first == system else 1 - judgement.preference


def _main(metric: Metric, scores: Scores, chosen: Ints) -> float:
    """The metric's score of a corpus: F1 where there is one, else its first."""
    found = metric.corpus(take(scores, chosen))
    return found.get("f1", next(iter(found.values())))


def _acceptability(data: Preferences, scores: dict[str, Scores]) -> float | None:
    """The area under the curve of scores against acceptability."""
    flagged: dict[tuple[str, int], bool] = {}
    for j in data.judgements:
        for system, flag in ((j.first, j.first_acceptable), (j.second, j.second_acceptable)):
            if flag is not None:
                flagged[system, j.sentence] = flag
    values = np.array([scores[system].values[k] for system, k in flagged])
    good = np.array(list(flagged.values()), np.bool_)
    if not good.any() or good.all():
        return None
    return float(_above(values[good], values[~good]))


def _above(good: Floats, bad: Floats) -> float:
    """The share of couples in which the good one is larger; a tie is half.

    >>> _above(np.array([0.9, 0.5]), np.array([0.5, 0.4]))  # 3 of 4, and a tie
    0.875
    """
    return float(np.mean((np.sign(good[:, None] - bad[None, :]) + 1) / 2))


def preference_table(found: Sequence[Agreement], data: Preferences, title: str) -> Table:
    """A line a metric, in percent."""
    rows = [
        (
            one.metric,
            one.sentences,
            100 * one.sentence_level,
            f"{100 * one.interval[0]:.1f} .. {100 * one.interval[1]:.1f}",
            one.metric_ties,
            None if one.corpus_level is None else 100 * one.corpus_level,
            None if one.acceptability is None else 100 * one.acceptability,
        )
        for one in found
    ]
    columns = ("metric", "judgements", "sentences", "95 %", "ties", "corpora", "acceptable")
    left = found[0].human_ties if found else 0
    notes = (
        f"{len(data.references)} sentences, {len(data.systems)} systems; "
        f"{left} judgements call both parses equally good" + (" and are left out" if left else ""),
        "sentences: the metric prefers what people prefer (a tie of the metric is wrong); "
        "corpora: likewise on resampled corpora; acceptable: AUC",
    )
    return Table(title, columns, tuple(rows), 1, notes)
