"""Check that a metric meets the requirements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from amr_metrics.conformance import CHECKS
from bamboo.api.call import ConfigDir, check_call
from bamboo.config.requests import Metrics, resolve_rows
from bamboo.config.rows import Options
from bamboo.conformance import Outcome, check_metric, random_pairs, sample_pairs
from bamboo.display.table import Display, Table
from bamboo.errors import ConfigError
from bamboo.progress import progress_bar

FEWEST, MOST = 12, 64  # pairs of the sample
RANDOM = 25  # pairs of random graphs


@dataclass(frozen=True, repr=False)
class Checked(Display):
    """The results of checks.

    Attributes:
        pairs: the number of pairs.
        outcomes: the result of each check of each metric.
    """

    pairs: int
    outcomes: tuple[Outcome, ...]

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The checks that failed."""
        return tuple(outcome for outcome in self.outcomes if outcome.problem is not None)

    @property
    def summary(self) -> str:
        """How many checks failed."""
        metrics = dict.fromkeys(outcome.metric for outcome in self.failed)
        several = len({outcome.metric for outcome in self.outcomes})
        count = several * (len(CHECKS) + 1)
        return f"{', '.join(metrics)}: {len(self.failed)} of {count} checks failed"

    def tables(self) -> list[Table]:
        """Return a row for each check; in CSV also for checks that fail for the same cause.

        Notes have the further lines of a problem, and the graphs of a pair that fails.
        """
        names = list(dict.fromkeys(outcome.metric for outcome in self.outcomes))
        first = ["metric"] if len(names) > 1 else []
        columns = (*first, "check", "result", "requirement or problem")

        def row(outcome: Outcome, text: str) -> tuple[str, ...]:
            result = "ok" if outcome.problem is None else "failed"
            return (*([outcome.metric] if first else []), outcome.check, result, text)

        rows: list[tuple[str, ...]] = []
        notes: list[str] = []
        for outcome, *others in _group_by_cause(self.outcomes):
            same = f" (also: {', '.join(other.check for other in others)})" if others else ""
            text, *details = (outcome.cause or outcome.text if others else outcome.text).split("\n")
            rows.append(row(outcome, text + same))
            details += [f"    {side}: {graph}" for side, graph in outcome.graphs.items()]
            notes += [f"{outcome.metric}, {outcome.check}:", *details] if details else []
        title = f"Checks of {', '.join(names)}"
        long = Table(title, columns, tuple(row(outcome, outcome.text) for outcome in self.outcomes))
        return [Table(title, columns, tuple(rows), notes=tuple(notes), long=long)]

    def to_json(self) -> dict[str, Any]:
        """Return the results as JSON values."""
        return {"pairs": self.pairs, "checks": [asdict(outcome) for outcome in self.outcomes]}


@check_call
def check(
    metric: Metrics = "smatch",
    *,
    options: Options | None = None,
    limit: int = 24,
    progress: bool = False,
    config_dir: ConfigDir = None,
) -> Checked:
    """Check that a metric meets the requirements.

    Bounds, score of a graph with itself, declared symmetry, invariance under renaming of variables,
    empty graphs, determinism (also in other processes), explanations and signature; see
    docs/extend/metric.md. The exit status is 1 if a check fails.

    Args:
        metric: a name, a list, or all. In Python also a metric.
        options: options of the metrics that are given by name.
        limit: number of pairs of the sample, 12..64.
        progress: show progress on standard error.
        config_dir: a folder with metrics of your own.

    Raises:
        BambooError, MetricError: for bad input.
    """
    if not FEWEST <= limit <= MOST:
        raise ConfigError(f"limit={limit}: use {FEWEST} to {MOST} pairs of the sample")
    rows = resolve_rows(metric, options, config_dir=config_dir)
    pairs = [*sample_pairs(limit), *random_pairs(RANDOM, 0)]
    outcomes: list[Outcome] = []
    with progress_bar("checking") as bar:
        for row in rows:
            outcomes += check_metric(row, pairs, limit)
            bar(row.name, len(rows))
    return Checked(len(pairs), tuple(outcomes))


def _group_by_cause(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    """Group the outcomes of a metric that fail for the same cause; each other one is alone."""
    groups: dict[object, list[Outcome]] = {}
    for outcome in outcomes:
        key = (outcome.cause,) if outcome.cause is not None else outcome.check
        groups.setdefault((outcome.metric, key), []).append(outcome)
    return list(groups.values())
