"""``compare``: test which differences between metrics are significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bamboo.benchmark.cells import limit_notes
from bamboo.benchmark.protocols import Protocol
from bamboo.cli.options import ScoringOptions
from bamboo.cli.session import Session, say_written
from bamboo.documents import json_text
from bamboo.errors import ConfigError
from bamboo.pairs.problems import warn
from bamboo.running.coverage import vector_files
from bamboo.running.missing import unreadable_pairs
from bamboo.running.report import warnings, with_cache_note, write_run
from bamboo.running.texts import PairTexts
from bamboo.statistics.comparison import Comparison, compare, comparison_tables
from bamboo.statistics.resampling import Significance
from bamboo.tables.model import Format, Table, render


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
    compared = execute(session, options)
    say_written(compared.folder)
    return render(compared.tables, options.report, compared.document)


@dataclass(frozen=True)
class Compared:
    """What ``compare`` computes and writes.

    Attributes:
        tables: the tables that it prints; document: the same as JSON values.
    """

    comparison: Comparison
    tables: Sequence[Table]
    document: Mapping[str, Any]
    folder: Path


def execute(session: Session, options: Options) -> Compared:
    """Score what is not cached, test all pairs of metrics, write the run folder, and warn."""
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
        result, scored = session.score(cells, options.protocol, session.settings(options), texts)
        unreadable = unreadable_pairs(names, cells, scored)
        comparison = compare(
            names, cells, scored, options.protocol, significance, unreadable, options.engine
        )
        write_run(folder, session.request, result, scored, texts)
        problems = warnings(result, vector_files(jobs))
        document = comparison.to_json()
        document["problems"] = [problem.to_json() for problem in result.problems]
        document["cache"] = asdict(result.cache)
        first, *others = comparison_tables(comparison)
        notes = (*result.notes, *limit_notes(options.limit))
        tables = [replace(first, notes=(*first.notes, *problems, *notes)), *others]
        tables[-1] = with_cache_note(tables[-1], result.cache)
        folder.write("comparison.json", json_text(document) + "\n")
        folder.write("comparison.md", render(tables, "markdown") + "\n")
    warn(problems)
    return Compared(comparison, tables, document, folder.path)
