"""``compare``: test which differences between metrics are significant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bamboo.benchmark.cells import limit_notes
from bamboo.benchmark.protocols import Protocol
from bamboo.cli.options import ScoringOptions
from bamboo.cli.session import Session, say_written
from bamboo.documents import json_text
from bamboo.errors import ConfigError
from bamboo.pairs.problems import warn
from bamboo.results.comparison import Comparison, compare
from bamboo.results.coverage import vector_files
from bamboo.results.report import cache_notes, cached, warnings
from bamboo.results.run_folder import write_run
from bamboo.results.table import Format, render
from bamboo.running.missing import unreadable_pairs
from bamboo.running.texts import PairTexts
from bamboo.statistics.resampling import Significance


@dataclass(frozen=True, kw_only=True)
class Options(ScoringOptions):
    """The options in ``conf/compare.yaml``, except metrics and data sets."""

    protocol: Protocol
    partition: str | tuple[str, ...]
    split: str
    limit: int | None = None
    resamples: int
    permutations: int
    seed: int
    level: float
    report: Format
    out: Path | None


def main(session: Session) -> str:
    """Score what is not cached, test all pairs of metrics, write the run folder and report."""
    options = session.options(Options)
    comparison, document, folder = execute(session, options)
    say_written(folder)
    return render(comparison.tables(), options.report, document)


def execute(session: Session, options: Options) -> tuple[Comparison, dict[str, Any], Path]:
    """Score what is not cached, test all pairs of metrics, write the run folder, and warn.

    Returns:
        the comparison, the same as JSON values, and the folder.
    """
    jobs = session.jobs
    if len(jobs) < 2:
        raise ConfigError("compare requires at least two metrics, such as metric=smatch,sema")
    significance = Significance(
        options.resamples, options.seed, options.permutations, options.level
    )
    cells = session.cells(options.partition, options.split, options.limit)
    names = [job.name for job in jobs]
    with session.run_folder(options.out) as folder:
        texts = PairTexts(options.on_error)
        results, scored = session.score(cells, options.protocol, session.settings(options), texts)
        unreadable = unreadable_pairs(names, cells, scored)
        comparison = compare(
            names, cells, scored, options.protocol, significance, unreadable, options.engine
        )
        write_run(folder, session.request, results, scored, texts)
        problems = warnings(results.cells, vector_files(jobs))
        document = comparison.to_json() | {"cache": cached(results.cells)}
        document["problems"] = [dict(problem) for problem in results.problems]
        notes = (*problems, *results.notes, *limit_notes(options.limit))
        notes += tuple(cache_notes(cached(results.cells)))
        comparison = replace(comparison, notes=notes)
        folder.write("comparison.json", json_text(document) + "\n")
        folder.write("comparison.md", comparison.to_markdown() + "\n")
    warn(problems)
    return comparison, document, folder.path
