"""Reproduce the published tables; missing results are computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from amr_metrics.utils.text import format_count
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.columns import BENCHMARK
from bamboo.benchmark.protocols import Protocol, read_protocol
from bamboo.config.rows import Row
from bamboo.errors import ConfigError, describe_unknown
from bamboo.log import warn
from bamboo.progress import progress_bar
from bamboo.published_tables.corpus_tables import reproduce_corpora
from bamboo.published_tables.data_tables import reproduce_data, reproduce_transforms
from bamboo.published_tables.figure_tables import reproduce_figure
from bamboo.published_tables.gain_table import reproduce_gains
from bamboo.published_tables.inputs import Inputs, ReproducedTable
from bamboo.published_tables.preference_tables import reproduce_preferences
from bamboo.published_tables.score_tables import (
    TableSpec,
    find_randomness,
    summary_table,
    vary_seeds,
)
from bamboo.results.cache import ScoredCells
from bamboo.results.clusters import Clusters, find_clusters
from bamboo.results.comparison import compare
from bamboo.results.comparison_table import rank_systems, write_ranks
from bamboo.results.evaluate import run
from bamboo.results.result_table import cache_notes, sentence_notes
from bamboo.results.results import Results
from bamboo.results.score_cells import Settings, train_rows
from bamboo.statistics.resampling import CLUSTERS, Significance
from bamboo.training.fit import describe_borrowed_splits


def reproduce(tables: Sequence[Mapping[str, Any]], inputs: Inputs) -> Iterator[ReproducedTable]:
    """Reproduce tables of ``conf/table``.

    Args:
        tables: their content; the key ``kind`` says how a table is computed, see `KINDS`.

    Yields:
        each table, and the same as JSON values.

    Raises:
        ConfigError: an unknown kind of table; raised before anything is computed.
    """
    kinds = [config.get("kind", "scores") for config in tables]
    if invalid := [kind for kind in kinds if kind not in KINDS]:
        raise ConfigError(describe_unknown("kind of table", str(invalid[0]), [*KINDS]))
    _train([c for kind, c in zip(kinds, tables, strict=True) if kind == "scores"], inputs)
    for kind, config in zip(kinds, tables, strict=True):
        yield KINDS[kind](config, inputs)


def _train(tables: Sequence[Mapping[str, Any]], inputs: Inputs) -> None:
    """Train the metrics of several tables, partition by partition, before the first is scored.

    The weights are cached on disk, where each table reads its own. For one table, this is part of
    `run`.
    """
    if len(tables) < 2 or any(dataset.name not in BENCHMARK for dataset in inputs.datasets):
        return  # in the second case the first table raises an error
    specs = [TableSpec.from_config(config, inputs.config_dir) for config in tables]
    metrics = [
        replace(metric, name=f"{metric.name} ({spec.title})")
        for spec in specs
        for metric in spec.by_seed(inputs.seeds)
        if metric.needs_training
    ]
    with progress_bar("reading") as progress:
        train_rows(metrics, inputs.cells, inputs.cache, inputs.settings, progress)


def _reproduce_scores(config: Mapping[str, Any], inputs: Inputs) -> ReproducedTable:
    """Metrics on the twelve cells, next to the published values."""
    spec = TableSpec.from_config(config, inputs.config_dir)
    if others := [d.name for d in inputs.datasets if d.name not in BENCHMARK]:
        raise ConfigError(
            f"data={others[0]}: the columns of the table {spec.title!r} are those of "
            f"{', '.join(BENCHMARK)}. Other data sets are scored by the command run"
        )
    protocol = read_protocol(spec.protocol, inputs.config_dir)
    if inputs.protocol is not None:
        spec, protocol = spec.under(inputs.protocol, protocol), inputs.protocol
    cells = inputs.cells
    clusters = find_clusters(cells, inputs.significance.resample, inputs.settings.on_error)
    metrics = spec.by_seed(inputs.seeds)
    results, scored = run(metrics, cells, protocol, inputs.cache, inputs.settings)
    warn(results.list_warnings())
    # Seeds differ only by chance: the first one represents its row. Metrics of sentences have no
    # marks and ranks.
    first = {
        vary_seeds(row, inputs.seeds)[0].name: row.name
        for row in spec.rows
        if not row.reads_sentences
    }
    best, ranks = _test_rows(first, cells, results, scored, protocol, inputs, clusters)
    notes = (
        *_write_notes(spec, metrics, cells, inputs.significance, clusters, inputs.settings),
        *_describe_missing(results),
    )
    of_table = (*notes, *cache_notes(results.cache))
    table = summary_table(spec, results, inputs.seeds, best, ranks, of_table)
    document = {
        **(table.long or table).to_json(),
        "notes": list(notes),
        "best": best,
        "signatures": dict(results.signatures),
        "cache": results.cache,
        "data": dict(results.data),
    }
    return table, document


def _test_rows(
    names: Mapping[str, str],
    cells: Sequence[Cell],
    results: Results,
    scored: ScoredCells,
    protocol: Protocol,
    inputs: Inputs,
    clusters: Clusters,
) -> tuple[dict[str, list[str]], dict[str, str | None]]:
    """Return the rows to mark as best in each column, and the rank of each row by amean.

    Metrics with missing pairs are excluded.

    Args:
        names: of the rows, by the metric that represents them.
    """
    signatures = {name: results.signatures[name] for name in names}
    compared = compare(
        replace(results, signatures=signatures),
        cells,
        scored,
        protocol,
        inputs.significance,
        engine=inputs.settings.engine,
        clusters=clusters,
        with_intervals=False,
    )
    if not compared.compared:
        return {}, {}
    best = {part: [names[name] for name in of_part] for part, of_part in compared.best().items()}
    ranks = rank_systems(compared.parts[compared.ranking], compared.level)
    return best, {names[name]: write_ranks(rank) for name, rank in ranks.items()}


KINDS: Mapping[str, Callable[[Mapping[str, Any], Inputs], ReproducedTable]] = {
    "scores": _reproduce_scores,
    "data": reproduce_data,
    "transforms": reproduce_transforms,
    "sentences": reproduce_preferences,
    "corpora": reproduce_preferences,
    "gains": reproduce_gains,
    "parsers": reproduce_corpora,
    "intervals": reproduce_corpora,
    "forms": reproduce_corpora,
    "reified": reproduce_corpora,
    "main": reproduce_corpora,
    "restarts": reproduce_figure,
    "ngrams": reproduce_figure,
    "optima": reproduce_figure,
}


def _write_notes(
    spec: TableSpec,
    metrics: Sequence[Row],
    cells: Sequence[Cell],
    significance: Significance,
    clusters: Clusters,
    settings: Settings,
) -> tuple[str, ...]:
    """Describe the test, the partitions and the training below a table."""
    bold = (
        "Bold (or *): not significantly worse than the best in its column (PERM-BOTH, "
        f"{significance.permutations:,} permutations of {CLUSTERS if clusters else 'pairs'}, "
        f"corrected for all pairs of rows, {100 * significance.level:g} % level)"
    )
    if any(map(find_randomness, spec.rows)):
        bold += "; the first seed represents rows with several"
    if spec.ranked:
        bold += (
            ". rank: the places of the best and the worst row whose amean does not differ "
            "significantly"
        )
    sources = " and ".join(dict.fromkeys(c.dataset.source(c.partition) for c in cells))
    borrowed = describe_borrowed_splits(metrics, cells, settings.built)
    untested = "hmean has no mark: it is undefined where a cell is not positive"
    sentences = [f"{note} They have no mark and no rank." for note in sentence_notes(spec.rows)]
    return f"{bold}. {untested}.", *sentences, f"Partitions: {sources}.", *borrowed


def _describe_missing(results: Results) -> list[str]:
    """Return a sentence for each row with missing pairs."""
    counts = Counter[str]()
    for (name, _), facts in results.facts.items():
        counts[name] += facts.missing
    return [
        f"{name}: {format_count(count, 'pair has', 'pairs have')} no score; its values are "
        "computed on "
        "the others."
        for name, count in counts.items()
        if count
    ]
