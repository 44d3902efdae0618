"""Tables of corpus scores: of parsers, and of graphs against other forms of themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np

from amr_metrics.base import LazyColumns, Metric, Scores, corpora_scores
from amr_metrics.types import Floats
from bamboo.board import NAN, find_main
from bamboo.config.options import read_options
from bamboo.config.rows import Row
from bamboo.display.table import LEVEL, Table
from bamboo.progress import progress_bar
from bamboo.published_tables.corpora import (
    Corpora,
    find_release,
    load_parses,
    load_test_pairs,
    pair_forms,
    pair_partitions,
    pair_with_gold,
)
from bamboo.published_tables.inputs import Inputs, ReproducedTable
from bamboo.published_tables.score_tables import RowConfig, choose_rows
from bamboo.statistics.corpus import bootstrap_corpus, percentile_interval

MICRO, MACRO = "micro", "macro"
MATCHES = "matches"
YIELD = "yield %"


@dataclass(frozen=True, kw_only=True)
class CorpusSpec:
    """What a ``conf/table/<name>.yaml`` of kind ``parsers``, ``forms``, ``reified`` or so says.

    Attributes:
        title: the table's title.
        kind: the corpora. ``parsers``: the parses of each system against gold, also for
            ``intervals``, which has micro and macro averages; ``forms``: see `pair_forms`;
            ``reified``: Reify against Main; ``main``: the pairs of Main.
        data: the YAML of the release of parses; None for the data sets of the request.
        parsers: the systems, in this order; empty for all.
        forms: the corpora of ``forms``.
        rows: the metrics, as `bamboo.published_tables.score_tables.table_rows` has them.
        published: the file of published values below ``data/published``, or None.
        elsewhere: the name of the data of the published values if they are other data: then they
            have columns of their own, without differences.
        matches: show the number of matching triples, and its share of the number of the row that
            differs in the solver only and has the most.
        by_corpus: whether the rows of the table are corpora and its columns metrics.
        resamples, seed: of the intervals.
        notes: lines below the table.
    """

    title: str
    kind: Literal["parsers", "intervals", "forms", "reified", "main"]
    data: Mapping[str, Any] | None = None
    parsers: tuple[str, ...] = ()
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: tuple[RowConfig, ...] | None = None
    published: str | None = None
    elsewhere: str | None = None
    matches: bool = False
    by_corpus: bool = False
    resamples: int = 1000
    seed: int = 0
    notes: tuple[str, ...] = ()

    def read_corpora(self, inputs: Inputs) -> Corpora:
        """Read the corpora."""
        if self.kind == "reified":
            return pair_partitions(inputs.datasets)
        if self.data is None:
            return {dataset.name: load_test_pairs(dataset) for dataset in inputs.datasets}
        parses = load_parses(self.data, self.parsers)
        return pair_forms(parses, self.forms) if self.forms else pair_with_gold(parses)

    def digest_data(self) -> dict[str, str]:
        """Return the digest of the release, for the provenance."""
        if self.data is None:
            return {}
        cell = find_release(self.data)
        return {str(cell): cell.digest()}


@dataclass(frozen=True)
class Measured:
    """The scores of metrics on corpora.

    Attributes:
        metrics: by row.
        scores: of the pairs, by row and corpus.
    """

    metrics: Mapping[str, Metric]
    scores: Mapping[str, Mapping[str, Scores]]

    def score_corpus(self, row: str, corpus: str) -> float:
        """Return the corpus score, times 100."""
        scores = self.metrics[row].corpus(self.scores[row][corpus])
        return 100 * scores[find_main(scores)]

    def count_matches(self, row: str) -> float:
        """Return the number of matching triples in all corpora."""
        return sum(float(scores.details[MATCHES].sum()) for scores in self.scores[row].values())

    def find_yield(self, row: str) -> float:
        """Return the matches in per cent of those of the best row with the same definition."""
        definition = self.metrics[row].definition
        same = [name for name, m in self.metrics.items() if m.definition == definition]
        return 100 * self.count_matches(row) / max(map(self.count_matches, same))


def reproduce_corpora(config: Mapping[str, Any], inputs: Inputs) -> ReproducedTable:
    """Return a table of corpus scores.

    Args:
        config: the content of its YAML file, with interpolations resolved.

    Raises:
        ConfigError: an unknown or missing key, or a metric that cannot be built.
        DownloadError, DataError, GraphError: data that cannot be fetched or read.
    """
    spec = read_options(CorpusSpec, config, "table")
    rows, published = choose_rows(spec.rows, spec.published, inputs.config_dir, "corpus scores")
    corpora = spec.read_corpora(inputs)
    metrics = {row.name: row.on() for row in rows}
    scores: dict[str, dict[str, Scores]] = {}
    with progress_bar("scoring") as progress:
        for name, metric in metrics.items():
            scores[name] = {corpus: metric.evaluate(pairs) for corpus, pairs in corpora.items()}
            progress(name, len(metrics))
    measured = Measured(metrics, scores)
    if spec.kind == "intervals":
        table = _tabulate_intervals(spec, measured)
    elif spec.by_corpus:
        table = _tabulate_by_corpus(spec, measured, published)
    else:
        table = _tabulate_by_metric(spec, rows, measured, published)
    signatures = {name: metric.signature for name, metric in metrics.items()}
    return table, {**table.to_json(), "data": spec.digest_data(), "signatures": signatures}


def _tabulate_by_metric(
    spec: CorpusSpec,
    rows: Sequence[Row],
    measured: Measured,
    published: Mapping[str, Mapping[str, float]],
) -> Table:
    """Return a line per metric; published values of the same data are below it."""
    corpora = [*measured.scores[rows[0].name]] if rows else []
    others = [*dict.fromkeys(name for line in published.values() for name in line)]
    others = others if spec.elsewhere else []
    is_compared = bool(published) and not spec.elsewhere
    lines: list[tuple[Any, ...]] = []
    rules = []
    for row in rows:
        values = [measured.score_corpus(row.name, corpus) for corpus in corpora]
        of_paper = published.get(row.name, {})
        counts: list[Any] = []
        if spec.matches:
            counts = [round(measured.count_matches(row.name)), measured.find_yield(row.name)]
        kind = ("measured",) if is_compared else ()
        lines.append((row.name, *kind, *values, *counts, *map(of_paper.get, others)))
        if is_compared and of_paper:
            expected = [of_paper.get(corpus, NAN) for corpus in corpora]
            lines.append((row.name, "published", *expected))
            differences = [a - b for a, b in zip(values, expected, strict=True)]
            lines.append((row.name, "difference", *differences))
            rules += [len(lines) - 3, len(lines)]
    columns = (
        *("metric", *([""] if is_compared else []), *corpora),
        *((MATCHES, YIELD) if spec.matches else ()),
        *(f"published {name} ({spec.elsewhere})" for name in others),
    )
    rules = sorted({rule for rule in rules if 0 < rule < len(lines)})
    return Table(spec.title, columns, tuple(lines), notes=spec.notes, rules=tuple(rules))


def _tabulate_by_corpus(
    spec: CorpusSpec, measured: Measured, published: Mapping[str, Mapping[str, float]]
) -> Table:
    """Return a line per corpus."""
    names = [*measured.metrics]
    corpora = [*next(iter(measured.scores.values()), {})]
    lines = [
        (
            corpus,
            " against ".join(spec.forms.get(corpus, ())),
            *(measured.score_corpus(name, corpus) for name in names),
            *(published.get(name, {}).get(corpus) for name in names),
        )
        for corpus in corpora
    ]
    others = [f"published {name} ({spec.elsewhere})" for name in names]
    return Table(spec.title, ("line", "graphs", *names, *others), tuple(lines), notes=spec.notes)


def _tabulate_intervals(spec: CorpusSpec, measured: Measured) -> Table:
    """Return a line per metric and corpus, with the micro and macro averages and intervals."""
    lines = []
    for name, metric in measured.metrics.items():
        for corpus, scores in measured.scores[name].items():
            statistics = partial(_average, metric)
            draws = bootstrap_corpus(
                statistics, [scores], spec.resamples, spec.seed, (MICRO, MACRO)
            )
            line: list[Any] = [name, corpus]
            for average, value in zip(
                (MICRO, MACRO),
                (measured.score_corpus(name, corpus), 100 * float(scores.values.mean())),
                strict=True,
            ):
                low, high = percentile_interval(draws[average][:, 0])
                line += [value, (100 * low, 100 * high)]
            lines.append(tuple(line))
    columns = ("metric", "parser", MICRO, f"{MICRO} {LEVEL}", MACRO, f"{MACRO} {LEVEL}")
    note = f"Intervals: {spec.resamples:,} bootstrap resamples of the pairs, percentiles."
    return Table(spec.title, columns, tuple(lines), notes=(note, *spec.notes))


def _average(metric: Metric, sums: LazyColumns, pairs: Floats) -> Mapping[str, Floats]:
    """Return the corpus score, and the mean of the scores of the pairs."""
    scores = corpora_scores(metric, sums, pairs)
    return {MICRO: scores[find_main(scores)], MACRO: np.asarray(sums["score"]) / pairs}
