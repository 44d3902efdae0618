"""The published tables, computed again: what is missing is scored, learned or counted now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bamboo.cache import Cache
from bamboo.compare import Draws, best_of_columns
from bamboo.config import Job, compose_group
from bamboo.coverage import vector_files
from bamboo.data_tables import statistics_table
from bamboo.datasets import PARTITIONS, Dataset
from bamboo.metric import TRAINER
from bamboo.options import read_options
from bamboo.paper_tables import Seeds, TableSpec, summarise, summary_json, summary_table
from bamboo.problems import warn
from bamboo.progress import progress_bar
from bamboo.protocols import Protocol
from bamboo.report import warnings
from bamboo.results import Result
from bamboo.run import Place, Settings, run
from bamboo.tables import Table
from bamboo.train.learned import needs_training, training


def reproduce(
    tables: Sequence[Mapping[str, Any]],
    datasets: Sequence[Dataset],
    seeds: Seeds,
    draws: Draws,
    cache: Cache,
    settings: Settings,
    config_dir: str | None = None,
) -> Iterator[tuple[Table, dict[str, Any]]]:
    """Tables of ``conf/table``, each as a table and as plain values.

    Args:
        tables: their configurations.
        datasets: the benchmark's.
        seeds: of rows with randomness.
        draws: of the tests that tell the best of a column.
        config_dir: the user's own folder of YAML, where their metrics are.
    """
    places = [Place(d, p, "test") for p in PARTITIONS for d in datasets]
    for config in tables:
        if "statistics" in config:
            with progress_bar("reading") as progress:
                table = statistics_table(
                    config, datasets, settings.built, settings.engine.jobs, progress
                )
            yield table, table.to_json()
            continue
        spec = TableSpec.from_config(config, config_dir)
        named = compose_group("run", "protocol", spec.protocol, config_dir)
        protocol = read_options(Protocol, named, "protocol")
        jobs = spec.jobs(seeds)
        with progress_bar("reading") as progress:
            result, scored = run(jobs, places, protocol, cache, settings, progress)
        warn(warnings(result, vector_files(jobs)))
        # Seeds differ by chance alone: one of them stands for its row.
        first = {row.jobs(seeds)[0].name: row.name for row in spec.rows}
        tested = best_of_columns(list(first), places, scored, protocol, draws)
        best = {column: [first[name] for name in names] for column, names in tested.items()}
        rows = summarise(spec, result, seeds)
        notes = (*_notes(spec, jobs, places, draws, settings), *_missing(result))
        yield (
            summary_table(spec, rows, best, notes),
            summary_json(spec, rows, result, best, notes),
        )


def _notes(
    spec: TableSpec, jobs: Sequence[Job], places: Sequence[Place], draws: Draws, settings: Settings
) -> tuple[str, ...]:
    """What a reader of the table must know."""
    set_apart = (
        "Set apart: what is not told from the best of its column (PERM-BOTH, "
        f"{draws.permutations:,} permutations, Holm, {100 * draws.level:g} % level)"
    )
    if any(row.random for row in spec.rows):
        set_apart += "; the first seed stands for rows with several"
    sources = " and ".join(dict.fromkeys(p.dataset.source(p.partition) for p in places))
    borrowed = _borrowed(jobs, places, settings.built)
    return f"{set_apart}.", f"Partitions: {sources}.", *borrowed


def _missing(result: Result) -> list[str]:
    """A sentence for each row with pairs that have no score."""
    counts = {row.metric: sum(cell.missing for cell in row.cells) for row in result.rows}
    return [
        f"{name}: {count:,} pairs have no score; its values rest on the others."
        for name, count in counts.items()
        if count
    ]


def _borrowed(jobs: Sequence[Job], places: Sequence[Place], built: Path | None) -> list[str]:
    """A sentence for each place without a train split of its own that something is trained on."""
    learning = [
        job
        for job in jobs
        if needs_training(job) and "axes" not in job.metric[TRAINER]  # a grid looks at dev alone
    ]
    found = []
    for place in places if learning else ():
        one = training(learning[0], place.dataset, place.partition, built)
        dataset, partition = one.train_split()
        where = f"{place.dataset.name} {place.partition} has no released train split"
        if partition != place.partition:
            found.append(f"{where}: trained on that of {partition}.")
        elif dataset is not place.dataset:
            found.append(f"{where}: trained on the one that build made.")
    return found
