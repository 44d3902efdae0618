"""``check``: check that metrics meet the requirements of every metric."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from bamboo.cli.session import Session
from bamboo.conformance import Outcome, check_metric, random_pairs, sample_pairs
from bamboo.errors import ChecksFailed, ConfigError
from bamboo.progress import progress_bar
from bamboo.results.table import Format, Table, render
from metrics.conformance import CHECKS

FEWEST, MOST = 12, 64  # pairs of the sample


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options in ``conf/check.yaml``, except the metrics."""

    limit: int
    random: int
    seed: int
    report: Format

    def __post_init__(self) -> None:
        if not FEWEST <= self.limit <= MOST:
            raise ConfigError(f"limit={self.limit}: use {FEWEST} to {MOST} pairs of the sample")
        if self.random < 0 or self.seed < 0:
            raise ConfigError("random and seed: use 0 or more")


def main(session: Session) -> str:
    """Run all checks of each metric and report.

    Raises:
        ChecksFailed: if a check fails; the error carries the report.
    """
    options = session.options(Options)
    pairs = [*sample_pairs(options.limit), *random_pairs(options.random, options.seed)]
    outcomes: list[Outcome] = []
    with progress_bar("checking") as progress:
        for job in session.jobs:
            outcomes += check_metric(job, pairs, options.limit)
            progress(job.name, len(session.jobs))
    failed = [outcome for outcome in outcomes if outcome.problem is not None]
    several = len(session.jobs) > 1
    rows = tuple(
        (
            *([o.metric] if several else []),
            *(o.check, "ok" if o.problem is None else "failed", o.problem or o.promise),
        )
        for o in outcomes
    )
    names = ", ".join(job.name for job in session.jobs)
    columns = (*(["metric"] if several else []), "check", "result", "requirement or problem")
    document = {"pairs": len(pairs), "checks": [asdict(outcome) for outcome in outcomes]}
    text = render([Table(f"Checks of {names}", columns, rows)], options.report, document)
    if failed:
        metrics = ", ".join(dict.fromkeys(outcome.metric for outcome in failed))
        count = len(session.jobs) * (len(CHECKS) + 1)
        raise ChecksFailed(f"{metrics}: {len(failed)} of {count} checks failed", text)
    return text
