"""Check that a metric meets the requirements.

python -m bamboo check metric=mine --config-dir FOLDER

Bounds, score of a graph with itself, declared symmetry, invariance under renaming of variables,
empty graphs, determinism (also in other processes), explanations and signature; see
docs/extend/metric.md. The exit status is 1 if a check fails.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import ClassVar

from amr_metrics.conformance import CHECKS
from bamboo.commands.base import MetricCommand
from bamboo.commands.options import REPORTS, option
from bamboo.config.rows import Row
from bamboo.errors import ChecksFailed, ConfigError
from bamboo.evaluation.conformance import Outcome, check_metric, random_pairs, sample_pairs
from bamboo.progress import progress_bar
from bamboo.results.table import Format, Table, render

FEWEST, MOST = 12, 64  # pairs of the sample


@dataclass(frozen=True, kw_only=True)
class Check(MetricCommand):
    """The options of ``check``."""

    NAME: ClassVar[str] = "check"

    metric: tuple[Row, ...] = option("smatch", "a name, a list, or all")
    limit: int = option(24, "number of pairs of the sample, 12..64")
    random: int = option(25, "number of pairs of random graphs")
    seed: int = option(0, "random seed for these graphs")
    report: Format = option("table", REPORTS)

    def __post_init__(self) -> None:
        if not FEWEST <= self.limit <= MOST:
            raise ConfigError(f"limit={self.limit}: use {FEWEST} to {MOST} pairs of the sample")
        if self.random < 0 or self.seed < 0:
            raise ConfigError("random and seed: use 0 or more")

    def __call__(self) -> str:
        """Run all checks of each metric and report.

        Raises:
            ChecksFailed: if a check fails; the error carries the report.
        """
        pairs = [*sample_pairs(self.limit), *random_pairs(self.random, self.seed)]
        outcomes: list[Outcome] = []
        with progress_bar("checking") as progress:
            for row in self.metric:
                outcomes += check_metric(row, pairs, self.limit)
                progress(row.name, len(self.metric))
        failed = [outcome for outcome in outcomes if outcome.problem is not None]
        several = len(self.metric) > 1
        rows = tuple(
            (
                *([o.metric] if several else []),
                *(o.check, "ok" if o.problem is None else "failed", o.problem or o.promise),
            )
            for o in outcomes
        )
        names = ", ".join(row.name for row in self.metric)
        columns = (*(["metric"] if several else []), "check", "result", "requirement or problem")
        document = {"pairs": len(pairs), "checks": [asdict(outcome) for outcome in outcomes]}
        text = render([Table(f"Checks of {names}", columns, rows)], self.report, document)
        if failed:
            metrics = ", ".join(dict.fromkeys(outcome.metric for outcome in failed))
            count = len(self.metric) * (len(CHECKS) + 1)
            raise ChecksFailed(f"{metrics}: {len(failed)} of {count} checks failed", text)
        return text
