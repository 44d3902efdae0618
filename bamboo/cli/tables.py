"""``tables``: reproduce the published tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bamboo.cli.options import ScoringOptions
from bamboo.cli.session import Session, say_written
from bamboo.config.metrics import build_metric
from bamboo.errors import ChecksFailed, ConfigError, message
from bamboo.results.run_folder import write_tables
from bamboo.results.table import Format, render
from bamboo.statistics.resampling import Significance
from bamboo.tables.reproduce import reproduce
from bamboo.tables.score_tables import TableSpec, check_seeds
from metrics.errors import VectorError


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
    """Compute the requested tables, write the run folder and report.

    Raises:
        ConfigError: no table can be computed.
        ChecksFailed: some tables cannot, since they need word vectors that are missing.
    """
    request, options = session.request, session.options(Options)
    significance = Significance(
        permutations=options.permutations, level=options.level, seed=options.seed
    )
    datasets = session.datasets
    usable, problem = _usable(request.tables, request.config_dir)
    if not usable:
        raise ConfigError(problem)
    with session.run_folder(options.out) as folder:
        made = reproduce(
            usable,
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
    report = render(tables, options.report, documents)
    if problem:
        raise ChecksFailed(problem, report)
    return report


def _usable(
    tables: Sequence[Mapping[str, Any]], config_dir: str | None
) -> tuple[list[Mapping[str, Any]], str]:
    """Return the tables whose metrics have their word vectors, and why the others are left out."""
    usable, reasons = [], dict[str, list[str]]()
    for config in tables:
        try:
            if config.get("kind", "scores") == "scores":
                for row in TableSpec.from_config(config, config_dir).rows:
                    _ = build_metric(row.job.name, row.job.metric).signature
            usable.append(config)
        except VectorError as error:
            reasons.setdefault(message(error), []).append(str(config["title"]))
    return usable, "; ".join(
        f"not computed: {', '.join(titles)}: {reason}" for reason, titles in reasons.items()
    )
