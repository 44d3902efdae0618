"""``run``: score metrics on the benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from bamboo.benchmark.cells import chosen_cells, every_partition, limit_notes
from bamboo.benchmark.datasets import Dataset, built_by_other_version, use_built
from bamboo.benchmark.partition import SPLITS
from bamboo.benchmark.protocols import Protocol
from bamboo.cli.options import ScoringOptions
from bamboo.cli.session import Session, say_written
from bamboo.errors import ChecksFailed
from bamboo.pairs.problems import warn
from bamboo.program import program_name
from bamboo.results.coverage import vector_files
from bamboo.results.repeat import check_data, comparison
from bamboo.results.report import warnings
from bamboo.results.results import Results, load_result
from bamboo.results.run_folder import write_run
from bamboo.results.table import Format, render
from bamboo.running.runner import Settings
from bamboo.running.texts import PairTexts
from bamboo.statistics.resampling import Resampling
from metrics.utils.text import counted


@dataclass(frozen=True, kw_only=True)
class Options(ScoringOptions):
    """The options in ``conf/run.yaml``, except metrics and data sets."""

    weights: Path | None
    built: Path | None
    ci: bool
    resamples: int
    seed: int
    protocol: Protocol
    partition: str | tuple[str, ...]
    partition_source: Literal["released", "built"]
    split: str
    limit: int | None = None
    report: Format
    out: Path | None

    @property
    def settings(self) -> Settings:
        """The settings of the run."""
        resampling = Resampling(self.resamples, self.seed)
        return Settings(
            engine=self.engine,
            cache=self.cache,
            on_error=self.on_error,
            weights=self.weights,
            built=self.built,
            intervals=resampling if self.ci else None,
        )


def main(session: Session) -> str:
    """Score the metrics on the requested cells, write the run folder and report.

    Raises:
        ChecksFailed: a repeated run has other values.
    """
    options = session.options(Options)
    results, differences = execute(session, options)
    say_written(results.folder)
    report = render(results.tables(), options.report, results.to_json())
    if differences:
        warn(differences)
        values = counted(len(differences), "value differs", "values differ")
        raise ChecksFailed(f"{values} from those of {session.request.repeats}", report)
    return report


def execute(session: Session, options: Options) -> tuple[Results, Sequence[str]]:
    """Score the metrics on the requested cells, write the run folder and warn of problems.

    Returns:
        the results, and the values that differ from those of the run to repeat.
    """
    request = session.request
    datasets = _datasets(session, options)
    cells = chosen_cells(datasets, options.partition, options.split, options.limit)
    differences: Sequence[str] = ()
    with session.run_folder(options.out) as folder:
        recorded = None
        if request.repeats is not None:
            recorded = load_result(request.repeats, other_version=True)
            check_data(recorded, {str(cell): cell.digest() for cell in cells})
        texts = PairTexts(options.on_error)
        results, scored = session.score(cells, options.protocol, options.settings, texts)
        notes = (*results.notes, *limit_notes(options.limit))
        if recorded is not None:
            compared, differences = comparison(recorded, results)
            notes += compared
        results = replace(results, notes=notes)
        write_run(folder, request, results, scored, texts)
    warn(warnings(results.cells, vector_files(request.jobs)))
    return replace(results, folder=folder.path.absolute()), differences


def _datasets(session: Session, options: Options) -> Sequence[Dataset]:
    """The data sets, with locally built partitions if these are requested."""
    if options.partition_source != "built" or options.built is None:
        return session.datasets
    names = (options.partition,) if isinstance(options.partition, str) else options.partition
    names = every_partition(session.datasets) if names == ("all",) else names
    # An unknown split or partition is reported when cells are chosen.
    split = options.split if options.split in SPLITS else None
    datasets = use_built(session.datasets, options.built, names, split)
    for dataset in datasets:
        _warn_of_old_builds(dataset, built_by_other_version(dataset, names))
    return datasets


def _warn_of_old_builds(dataset: Dataset, names: Sequence[str]) -> None:
    """Warn about partitions that were built by another version of the code."""
    warn(
        f"{dataset.name} {name} was built by another version of the code. To build it with this "
        f"one: {program_name()} build data={dataset.name} partition={name} overwrite=true"
        for name in names
    )
