"""Score a metric on the benchmark.

python -m bamboo run metric=smatch data=sts
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from bamboo.benchmark.cells import chosen_cells, every_partition, limit_notes
from bamboo.benchmark.datasets import Dataset, built_by_other_version, use_built
from bamboo.benchmark.partition import SPLITS
from bamboo.benchmark.protocols import Protocol
from bamboo.commands.base import MetricCommand, say_written
from bamboo.commands.options import ENGINES, ON_ERROR, RESAMPLE, option
from bamboo.commands.scoring import ScoringCommand
from bamboo.config.rows import Row
from bamboo.engines import AnyEngine
from bamboo.installation import program_name
from bamboo.log import warn
from bamboo.pairs.problems import OnError
from bamboo.results.report import warnings
from bamboo.results.results import Results
from bamboo.results.run_folder import write_run
from bamboo.results.table import Format, render
from bamboo.scoring.texts import PairTexts
from bamboo.statistics.resampling import Resample, Resampling


@dataclass(frozen=True, kw_only=True)
class Run(MetricCommand, ScoringCommand):
    """The options of ``run``."""

    NAME: ClassVar[str] = "run"

    metric: tuple[Row, ...] = option("smatch", "a name, a list, or all (metrics for English AMR)")
    data: tuple[Mapping[str, Any], ...] = option(
        "sts", "sts | sick | para | sample | all, or a list: data=sts,sick"
    )
    protocol: Protocol = option("paper", "paper | v0.2 | spearman | kendall")
    engine: AnyEngine = option("serial", ENGINES)
    partition: str | tuple[str, ...] = option(
        "main", "main | reify | syno | arg | all, or a list: partition=main,arg"
    )
    partition_source: Literal["released", "built"] = option(
        "released", "released | built (partitions written by build)"
    )
    built: Path | None = option("${paths.data}/built", "folder of built partitions")
    split: str = option("test", "train | dev | test")
    limit: int | None = option(
        None, "for a quick try: only the first pairs of each cell, as in limit=10"
    )
    weights: Path | None = option(None, "file of learned weights, written by train")
    on_error: OnError = option("stop", ON_ERROR)
    ci: bool = option(False, "add 95 % bootstrap intervals")
    resample: Resample = option("sentences", RESAMPLE)
    resamples: int = option(1000, "number of bootstrap samples")
    seed: int = option(0, "random seed for the bootstrap")
    report: Format = option("table", "table | json | csv | markdown | latex, on standard output")
    out: Path | None = option(
        None, "output folder; null: a folder under runs/ named after the options"
    )

    def __call__(self) -> str:
        """Score the metrics on the requested cells, write the run folder and report."""
        results = self.execute()
        say_written(results.folder)
        return render(results.tables(), self.report, results.to_json())

    def execute(self) -> Results:
        """Score the metrics on the requested cells, write the run folder and warn of problems."""
        cells = chosen_cells(self._datasets(), self.partition, self.split, self.limit)
        resampling = Resampling(self.resamples, self.seed, resample=self.resample)
        settings = replace(
            self.settings(self.on_error),
            weights=self.weights,
            built=self.built,
            intervals=resampling if self.ci else None,
        )
        with self.run_folder(self.out) as folder:
            texts = PairTexts(self.on_error)
            results, scored = self.score(self.metric, cells, self.protocol, settings, texts)
            results = replace(results, notes=(*results.notes, *limit_notes(self.limit)))
            write_run(folder, self.configuration, results, scored, texts)
        warn(warnings(results.cells))
        return replace(results, folder=folder.path.absolute())

    def _datasets(self) -> Sequence[Dataset]:
        """Return the data sets, with locally built partitions if these are requested."""
        if self.partition_source != "built" or self.built is None:
            return self.datasets
        names = (self.partition,) if isinstance(self.partition, str) else self.partition
        names = every_partition(self.datasets) if names == ("all",) else names
        # An unknown split or partition is reported when cells are chosen.
        split = self.split if self.split in SPLITS else None
        datasets = use_built(self.datasets, self.built, names, split)
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
