"""``tables``: reproduce the published tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bamboo.cli.options import ScoringOptions
from bamboo.cli.session import Session, say_written
from bamboo.results.run_folder import write_tables
from bamboo.results.table import Format, render
from bamboo.statistics.resampling import Significance
from bamboo.tables.reproduce import reproduce
from bamboo.tables.score_tables import check_seeds


@dataclass(frozen=True, kw_only=True)
class Options(ScoringOptions):
    """The options in ``conf/tables.yaml``, except tables and data sets."""

    seeds: Mapping[str, tuple[int, ...]]
    permutations: int
    level: float
    seed: int
    report: Format
    out: Path | None

    def __post_init__(self) -> None:
        check_seeds(self.seeds)


def main(session: Session) -> str:
    """Compute the requested tables, write the run folder and report."""
    request, options = session.request, session.options(Options)
    significance = Significance(
        permutations=options.permutations, level=options.level, seed=options.seed
    )
    datasets = session.datasets
    with session.run_folder(options.out) as folder:
        made = reproduce(
            request.tables,
            datasets,
            options.seeds,
            significance,
            session.cache,
            session.settings(options),
            request.config_dir,
        )
        tables, documents = zip(*made, strict=True)
        write_tables(folder, request, tables, documents)
    say_written(folder.path)
    return render(tables, options.report, documents)
