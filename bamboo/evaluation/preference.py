"""Agreement of metrics with human preferences between two parses.

Source: Song and Gildea (2019), SemBleu: a robust metric for AMR parsing evaluation, sections 3.1
(sentences) and 3.2 (corpora); acceptability after Opitz and Frank (2022), Better Smatch = better
parser? AMR evaluation is not so simple anymore.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bamboo.benchmark.preference_data import Preferences
from bamboo.errors import StatisticsError
from bamboo.evaluation.systems import main_score
from bamboo.files import plain
from bamboo.results.table import Table
from bamboo.statistics.corpus import SAME, percentile_interval
from bamboo.statistics.resampling import DEFAULT, Resampling
from metrics.base import Metric, Pair, Scores, checked
from metrics.types import Bools
from metrics.utils.text import counted

Ties = Literal["skip", "count"]
MetricTies = Literal["wrong", "first"]
TIED = {"wrong": "counts as wrong", "first": "counts as preferring the first parse"}
SCHEMA = 1


@dataclass(frozen=True)
class PreferenceAgreement:
    """How well a metric agrees with human preferences.

    Attributes:
        sentences: number of judgements that count.
        human_ties: number of judgements ignored because people see no difference
            (``ties=skip``).
        sentence_level: share of judgements on which the metric agrees.
        interval: 95 % interval of `sentence_level`.
        metric_ties: number of judgements with a preference where the metric scores both parses
            equally.
        corpora: for each pair of systems (``camr/jamr``), the share of resampled corpora on which
            the metric ranks the two as people do, see `corpus_agreement`.
        corpus_level: the mean of `corpora`; None if it is empty.
        acceptability: probability that an acceptable parse scores higher than an unacceptable one
            (ties count half); None unless there are parses of both kinds.
    """

    metric: str
    signature: str
    sentences: int
    human_ties: int
    sentence_level: float
    interval: tuple[float, float]
    metric_ties: int
    corpora: Mapping[str, float]
    corpus_level: float | None
    acceptability: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the results as JSON values."""
        return dict(plain(self.__dict__))


def preference_agreement(
    name: str,
    metric: Metric,
    data: Preferences,
    ties: Ties = "skip",
    resampling: Resampling = DEFAULT,
    metric_ties: MetricTies = "wrong",
) -> PreferenceAgreement:
    """Compare a metric with human preferences.

    Args:
        ties: ``skip`` ignores judgements that both parses are equally good; with ``count``, the
            metric is right on them if it scores both equally.
        metric_ties: how to count a tie of the metric where people have a preference: as
            ``wrong``, or as a preference for the ``first`` parse.

    Raises:
        StatisticsError: no judgement that counts.
        MetricError: a pair that cannot be scored.
    """
    resamples, seed = resampling.resamples, resampling.seed
    scores = system_scores(metric, data)
    outcomes = sentence_outcomes(scores, data, ties, metric_ties)
    right = outcomes.right
    rng = np.random.default_rng([seed, len(data.judgements)])
    drawn = right[rng.integers(0, len(right), (resamples, len(right)))].mean(axis=1)
    corpora = corpus_agreement(metric, scores, data, resampling)
    return PreferenceAgreement(
        name,
        metric.signature,
        len(right),
        outcomes.left_out,
        float(right.mean()),
        percentile_interval(drawn),
        outcomes.metric_ties,
        {f"{a}/{b}": share for (a, b), share in corpora.items()},
        float(np.mean([*corpora.values()])) if corpora else None,
        _acceptability(data, scores),
    )


def system_scores(metric: Metric, data: Preferences) -> dict[str, Scores]:
    """Return the scores of each system's graphs (src) with the references (tgt)."""
    scores = {}
    for system, graphs in data.systems.items():
        pairs = [Pair(graph, gold) for graph, gold in zip(graphs, data.references, strict=True)]
        scores[system] = checked(metric.evaluate(pairs), len(pairs))
    return scores


@dataclass(frozen=True)
class Outcomes:
    """Results of a metric on single judgements.

    Attributes:
        right: for each judgement that counts, whether the metric agrees.
        left_out: number of judgements without a preference, which are ignored.
        metric_ties: number of judgements with a preference where the metric scores both parses
            equally.
    """

    right: Bools
    left_out: int
    metric_ties: int


def sentence_outcomes(
    scores: Mapping[str, Scores],
    data: Preferences,
    ties: Ties = "skip",
    metric_ties: MetricTies = "wrong",
) -> Outcomes:
    """On which judgements a metric agrees with people; options as of `preference_agreement`.

    Raises:
        StatisticsError: no judgement that counts.
    """
    judged = data.judgements
    margin = np.array(
        [scores[j.first].values[j.sentence] - scores[j.second].values[j.sentence] for j in judged]
    )
    preferred = np.where(np.abs(margin) <= SAME, 0, np.sign(margin))
    human = np.array([np.sign(j.preference - 0.5) for j in judged])
    tied = (preferred == 0) & (human != 0)
    if metric_ties == "first":
        preferred[tied] = 1
    counts = human != 0 if ties == "skip" else np.ones(len(human), np.bool_)
    if not counts.any():
        raise StatisticsError(
            "all judgements say that both parses are equally good: no agreement can be computed"
        )
    return Outcomes((preferred == human)[counts], int((~counts).sum()), int(tied.sum()))


def corpus_agreement(
    metric: Metric,
    scores: Mapping[str, Scores],
    data: Preferences,
    resampling: Resampling = DEFAULT,
) -> dict[tuple[str, str], float]:
    """Return how often a metric ranks two systems as people do, on resampled corpora.

    Each resample draws all judged sentences with replacement. On it, people's score of a system
    is the share of its judgements in which its parse is preferred; the metric's is its corpus
    score. Resamples on which people score both systems equally are ignored. A tie of the metric
    alone counts as disagreement. Source: Song and Gildea (2019), section 3.2.

    Returns:
        the share for each pair of systems that people rank differently in at least one resample.
    """
    sentences = sorted({j.sentence for j in data.judgements})
    if len(sentences) < 2:
        return {}
    position = {sentence: k for k, sentence in enumerate(sentences)}
    won = {system: np.zeros(len(sentences)) for system in data.systems}
    judged = {system: np.zeros(len(sentences)) for system in data.systems}
    for j in data.judgements:
        for system, preference in ((j.first, j.preference), (j.second, 1 - j.preference)):
            won[system][position[j.sentence]] += preference
            judged[system][position[j.sentence]] += 1
    rng = np.random.default_rng([resampling.seed, len(sentences), 1])
    agreed, counted = (dict.fromkeys(itertools.combinations(scores, 2), 0) for _ in range(2))
    for _ in range(resampling.resamples):
        drawn = rng.integers(0, len(sentences), len(sentences))
        chosen = np.array(sentences)[drawn]
        corpus = {name: metric.corpus(values.take(chosen)) for name, values in scores.items()}
        wins = {system: counts[drawn].sum() for system, counts in won.items()}
        number = {system: counts[drawn].sum() for system, counts in judged.items()}
        for a, b in counted:
            # Multiples of 0.5, so people's shares are compared without rounding errors.
            order = np.sign(wins[a] * number[b] - wins[b] * number[a])
            if order == 0:
                continue
            counted[a, b] += 1
            main = main_score(corpus[a])
            margin = corpus[a][main] - corpus[b][main]
            agreed[a, b] += bool(abs(margin) > SAME and np.sign(margin) == order)
    return {pair: agreed[pair] / n for pair, n in counted.items() if n}


def _acceptability(data: Preferences, scores: dict[str, Scores]) -> float | None:
    """Return the area under the ROC curve of scores as predictors of acceptability."""
    flagged: dict[tuple[str, int], bool] = {}
    for j in data.judgements:
        for system, flag in ((j.first, j.first_acceptable), (j.second, j.second_acceptable)):
            if flag is not None:
                flagged[system, j.sentence] = flag
    values = np.array([scores[system].values[k] for system, k in flagged])
    good = np.array(list(flagged.values()), np.bool_)
    if not good.any() or good.all():
        return None
    above = np.sign(values[good, None] - values[None, ~good])
    return float(np.mean((above + 1) / 2))  # ties count half


def preference_table(
    agreements: Sequence[PreferenceAgreement],
    data: Preferences,
    title: str,
    metric_ties: MetricTies = "wrong",
) -> Table:
    """Return one row per metric, in percent."""
    rows = [
        (
            row.metric,
            row.sentences,
            100 * row.sentence_level,
            (100 * row.interval[0], 100 * row.interval[1]),
            row.metric_ties,
            None if row.corpus_level is None else 100 * row.corpus_level,
            None if row.acceptability is None else 100 * row.acceptability,
        )
        for row in agreements
    ]
    columns = ("metric", "judgements", "sentences", "95 %", "ties", "corpora", "acceptable")
    ties = agreements[0].human_ties if agreements else 0
    notes = (
        f"{counted(len(data.references), 'sentence')}, {counted(len(data.systems), 'system')}; "
        f"{counted(ties, 'judgement calls', 'judgements call')} both parses equally good"
        + (f" and {'is' if ties == 1 else 'are'} ignored" if ties else ""),
        "sentences: share on which the metric prefers the same parse as people "
        f"(a tie of the metric {TIED[metric_ties]}); "
        "corpora: the same on resampled corpora; acceptable: AUC",
    )
    return Table(title, columns, tuple(rows), 1, notes)
