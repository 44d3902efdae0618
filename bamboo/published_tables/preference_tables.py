"""Reproduce the SemBleu paper's tables of agreement with human preferences."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from amr_metrics.base import Metric, Scores, corpora_scores
from amr_metrics.utils.text import format_count
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.columns import SENTENCES
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.sembleu import Judgement, judgements
from bamboo.board import NAN, find_main
from bamboo.config.options import read_options
from bamboo.config.rows import Row
from bamboo.display.table import Table
from bamboo.progress import progress_bar
from bamboo.published_tables.inputs import Inputs, ReproducedTable
from bamboo.published_tables.score_tables import RowConfig, choose_rows
from bamboo.results.score_cells import score_cells
from bamboo.statistics.corpus import SAME, score_resamples
from bamboo.statistics.ratings import original_is_higher

MEAN = "mean"


@dataclass(frozen=True, kw_only=True)
class PreferenceSpec:
    """What a ``conf/table/<name>.yaml`` of kind ``sentences`` or ``corpora`` says.

    Attributes:
        title: the table's title.
        kind: agreement on single judgements, or on resampled corpora.
        data: the YAML of the data set.
        rows: the metrics, as `bamboo.published_tables.score_tables.table_rows` has them.
        published: the file of published values below ``data/published``, or None.
        resamples, seed: of the bootstrap; for ``corpora``.
        notes: lines below the table.
    """

    title: str
    kind: Literal["sentences", "corpora"]
    data: Mapping[str, Any]
    rows: tuple[RowConfig, ...] | None = None
    published: str | None = None
    resamples: int = 1000
    seed: int = 0
    notes: tuple[str, ...] = ()


def reproduce_preferences(config: Mapping[str, Any], inputs: Inputs) -> ReproducedTable:
    """Return a table of the agreement of metrics with people's preferences between parses.

    Args:
        config: the content of its YAML file, with interpolations resolved.

    Raises:
        ConfigError: an unknown or missing key, or a metric that cannot be built.
        DownloadError, DataError, GraphError: data that cannot be fetched or read.
    """
    spec = read_options(PreferenceSpec, config, "table")
    rows, published = choose_rows(spec.rows, spec.published, inputs.config_dir, "preferences")
    cell = Cell(Dataset.from_config(spec.data), "main", "test")
    with progress_bar("reading") as progress:
        scored, signatures, data = score_cells(
            rows, [cell], inputs.cache, inputs.settings, progress
        )
    scores = {row.name: scored[row.name, cell].scores for row in rows}
    judged = list(judgements(cell.files))
    make = _tabulate_sentences if spec.kind == "sentences" else _tabulate_corpora
    table = make(spec, rows, scores, judged, published)
    return table, {**table.to_json(), "data": data, "signatures": signatures}


def _tabulate_sentences(
    spec: PreferenceSpec,
    rows: Sequence[Row],
    scores: Mapping[str, Scores],
    judged: Sequence[Judgement],
    published: Mapping[str, Mapping[str, float]],
) -> Table:
    shown_first = np.array([judgement.shown_first for judgement in judged])
    lines = []
    for row in rows:
        values = scores[row.name].values
        right = original_is_higher(values)
        wrong = original_is_higher(values.reshape(-1, 2)[:, ::-1].ravel())
        tied = ~right & ~wrong
        strict = 100 * float(right.mean())
        measured = 100 * float((right | tied & shown_first).mean())
        expected = published.get(row.name, {}).get(SENTENCES, NAN)
        counts = len(judged), int(tied.sum())
        lines.append((row.name, *counts, strict, measured, expected, measured - expected))
    columns = ("judgements", "ties", "ties wrong", "measured", "published", "difference")
    notes = (
        people(judged),
        "measured: a tie of the metric counts as preferring the parse shown first; "
        "ties wrong: a tie of the metric counts as wrong.",
        *spec.notes,
    )
    return Table(spec.title, ("metric", *columns), tuple(lines), 1, notes)


def _tabulate_corpora(
    spec: PreferenceSpec,
    rows: Sequence[Row],
    scores: Mapping[str, Scores],
    judged: Sequence[Judgement],
    published: Mapping[str, Mapping[str, float]],
) -> Table:
    measured = {}
    for row in rows:
        metric = row.on()
        shares = corpus_agreement(metric, scores[row.name], judged, spec.resamples, spec.seed)
        shares = {pair: 100 * share for pair, share in shares.items()}
        measured[row.name] = shares | ({MEAN: float(np.mean([*shares.values()]))} if shares else {})
    columns = [*dict.fromkeys(name for shares in measured.values() for name in shares)]
    lines: list[tuple[Any, ...]] = []
    rules = []
    for row in rows:
        shares, expected = measured[row.name], published.get(row.name, {})
        differences = {name: shares[name] - expected[name] for name in shares.keys() & expected}
        lines.append((row.name, "measured", *map(shares.get, columns)))
        if expected:
            lines.append((row.name, "published", *map(expected.get, columns)))
            lines.append((row.name, "difference", *map(differences.get, columns)))
        rules.append(len(lines))
    notes = (
        people(judged),
        f"{spec.resamples:,} resamples of the sentences; those on which people prefer both systems "
        "equally often are ignored.",
        *spec.notes,
    )
    return Table(spec.title, ("metric", "", *columns), tuple(lines), 1, notes, tuple(rules))


def corpus_agreement(
    metric: Metric, scores: Scores, judged: Sequence[Judgement], resamples: int, seed: int
) -> dict[str, float]:
    """Return how often a metric ranks two systems as people do, on resampled corpora.

    Each resample draws all sentences with replacement. On it, people's score of a system is the
    number of its parses that are preferred; the metric's is its corpus score. Resamples on which
    people score both systems equally are ignored. A tie of the metric alone counts as disagreement.
    Source: Song and Gildea (2019), section 3.2.

    Args:
        scores: of both parses of each judgement. Each sentence has one parse of each system.

    Returns:
        the share for each pair of systems (``camr/jamr``) that people rank differently in at least
        one resample.
    """
    count = judged[-1].sentence + 1
    systems = sorted({system for judgement in judged for system in judgement.systems})
    position = {system: np.zeros(count, np.int64) for system in systems}
    for k, judgement in enumerate(judged):
        for side, system in enumerate(judgement.systems):
            position[system][judgement.sentence] = 2 * k + side
    rng = np.random.default_rng([seed, count, 1])
    drawn = [rng.integers(0, count, count) for _ in range(resamples)]
    counts = np.stack([np.bincount(sentences, minlength=count) * 1.0 for sentences in drawn])
    of_sums = partial(corpora_scores, metric)
    won = {system: counts @ (position[system] % 2) for system in systems}
    corpus = {
        system: score_resamples(of_sums, scores.take(position[system]), counts)
        for system in systems
    }
    shares = {}
    for a, b in itertools.combinations(systems, 2):
        preferred = won[a] - won[b]
        main = find_main(corpus[a])
        margin = corpus[a][main] - corpus[b][main]
        agreed = (np.abs(margin) > SAME) & ((margin > 0) == (preferred > 0))
        if (preferred != 0).any():
            shares[f"{a}/{b}"] = float(agreed[preferred != 0].mean())
    return shares


def people(judged: Sequence[Judgement]) -> str:
    """One sentence about the judgements: how many there are and which systems are preferred."""
    preferred = Counter(judgement.systems[1] for judgement in judged)
    systems = sorted({system for judgement in judged for system in judgement.systems})
    return (
        f"{format_count(judged[-1].sentence + 1, 'sentence')}, "
        f"{format_count(len(judged), 'judgement')}, "
        f"{sum(judgement.unanimous for judgement in judged)} of them unanimous; preferred: "
        f"{', '.join(f'{system} {preferred[system]}' for system in systems)}."
    )
