"""Reproduce the published tables of agreement with human preferences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bamboo.benchmark.preference_data import PreferenceData, Preferences
from bamboo.config.metrics import build_metric
from bamboo.config.options import read_options
from bamboo.config.published import SENTENCES
from bamboo.errors import ConfigError
from bamboo.evaluation.preference import (
    MetricTies,
    corpus_agreement,
    sentence_outcomes,
    system_scores,
)
from bamboo.results.table import Table
from bamboo.statistics.resampling import Resampling
from bamboo.tables.score_tables import TableRow, table_rows
from metrics.base import Metric
from metrics.utils.text import counted

MEAN = "mean"
TIES = {
    "wrong": "a tie of the metric counts as wrong",
    "first": "a tie of the metric counts as preferring the parse shown first",
}


@dataclass(frozen=True, kw_only=True)
class PreferenceSpec:
    """What a ``conf/table/<name>.yaml`` of kind ``sentences`` or ``corpora`` says.

    Attributes:
        title: the table's title.
        kind: agreement on single judgements, or on resampled corpora.
        preferences: the YAML of the data set.
        rows: the metrics, as in tables of scores (`bamboo.tables.score_tables.table_rows`).
        published: the file of published values below ``data/published``, or None.
        metric_ties: see `bamboo.evaluation.preference.preference_agreement`; for ``sentences``.
        resamples, seed: of the bootstrap; for ``corpora``.
        notes: lines below the table.
    """

    title: str
    kind: Literal["sentences", "corpora"]
    preferences: Mapping[str, Any]
    rows: tuple[str | Mapping[str, Any], ...] | None = None
    published: str | None = None
    metric_ties: MetricTies = "wrong"
    resamples: int = 1000
    seed: int = 0
    notes: tuple[str, ...] = ()


def reproduced_preferences(
    config: Mapping[str, Any], config_dir: str | None = None
) -> tuple[Table, dict[str, Any]]:
    """Return a table of ``conf/table``, and the same as JSON values.

    Args:
        config: the content of its YAML file, with interpolations resolved.
        config_dir: the user's own folder of YAML files, with their metrics.

    Raises:
        ConfigError: an unknown or missing key, or a metric that cannot be built.
        DownloadError, DataError, GraphError: data that cannot be fetched or read.
    """
    spec = read_options(PreferenceSpec, config, "table")
    rows = table_rows(spec.rows, spec.published, config_dir)
    if random := [row.name for row in rows if row.random]:
        raise ConfigError(
            f"table row {random[0]}: a table of preferences cannot contain metrics that use "
            "random numbers"
        )
    metrics = [(row, build_metric(row.name, row.job.metric)) for row in rows]
    source = PreferenceData.from_config(spec.preferences)
    data = source.load()
    table = (_sentence_table if spec.kind == "sentences" else _corpus_table)(spec, metrics, data)
    signatures = {row.name: metric.signature for row, metric in metrics}
    provenance = {"data": {source.name: source.digest()}, "signatures": signatures}
    return table, {**table.to_json(), **provenance}


def _sentence_table(
    spec: PreferenceSpec, metrics: Sequence[tuple[TableRow, Metric]], data: Preferences
) -> Table:
    rows = []
    for row, metric in metrics:
        scores = system_scores(metric, data)
        outcomes = sentence_outcomes(scores, data, metric_ties=spec.metric_ties)
        strict = sentence_outcomes(scores, data, metric_ties="wrong")
        measured = 100 * float(outcomes.right.mean())
        published = _published(row).get(SENTENCES)
        rows.append(
            (
                row.name,
                len(outcomes.right),
                outcomes.metric_ties,
                100 * float(strict.right.mean()),
                measured,
                published,
                _difference(measured, published),
            )
        )
    columns = ("judgements", "ties", "ties wrong", "measured", "published", "difference")
    notes = (
        people(data),
        f"measured: {TIES[spec.metric_ties]}; ties wrong: {TIES['wrong']}.",
        *spec.notes,
    )
    return Table(spec.title, ("metric", *columns), tuple(rows), 1, notes)


def _corpus_table(
    spec: PreferenceSpec, metrics: Sequence[tuple[TableRow, Metric]], data: Preferences
) -> Table:
    measured = {}
    for row, metric in metrics:
        agreement = corpus_agreement(
            metric, system_scores(metric, data), data, Resampling(spec.resamples, spec.seed)
        )
        shares = {f"{a}/{b}": 100 * share for (a, b), share in agreement.items()}
        measured[row.name] = shares | ({MEAN: float(np.mean([*shares.values()]))} if shares else {})
    columns = [*dict.fromkeys(name for shares in measured.values() for name in shares)]
    rows: list[tuple[Any, ...]] = []
    rules = []
    for row, _ in metrics:
        shares = measured[row.name]
        rows.append((row.name, "measured", *[shares.get(name) for name in columns]))
        if spec.published is not None:
            values = _published(row)
            differences = [_difference(shares.get(name), values.get(name)) for name in columns]
            rows.append(("", "published", *[values.get(name) for name in columns]))
            rows.append(("", "difference", *differences))
            rules.append(len(rows))
    notes = (
        people(data),
        f"{spec.resamples:,} resamples of the sentences; those on which people prefer both systems "
        "equally often are ignored.",
        *spec.notes,
    )
    return Table(spec.title, ("metric", "", *columns), tuple(rows), 1, notes, tuple(rules))


def people(data: Preferences) -> str:
    """One sentence about the judgements: how many there are and which systems are preferred."""
    preferred = Counter(
        j.first if j.preference > 0.5 else j.second for j in data.judgements if j.preference != 0.5
    )
    counts = ", ".join(f"{name} {preferred[name]}" for name in data.systems)
    text = (
        f"{counted(len(data.references), 'sentence')}, {counted(len(data.judgements), 'judgement')}"
    )
    votes = [j.votes for j in data.judgements if j.votes is not None]
    if votes:
        text += f", {sum(0 in pair for pair in votes)} of them unanimous"
    return f"{text}; preferred: {counts}."


def _published(row: TableRow) -> Mapping[str, float]:
    """Return the values published for the same definition as the row's metric."""
    return row.published.values if row.published is not None and row.same else {}


def _difference(measured: float | None, published: float | None) -> float | None:
    return None if measured is None or published is None else measured - published
