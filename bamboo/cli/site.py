"""``site``: build a static site of results and pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.protocols import Protocol
from bamboo.cli.options import ScoringOptions
from bamboo.cli.session import Session, known_protocols
from bamboo.config.columns import COLUMNS
from bamboo.errors import ConfigError, SubmissionError
from bamboo.pairs.problems import warn
from bamboo.progress import progress_bar
from bamboo.results.coverage import vector_files
from bamboo.results.report import cached, warnings
from bamboo.results.table import Table
from bamboo.running.runner import configurations
from bamboo.site.build import build
from bamboo.site.content import gather
from bamboo.site.folder import SiteFolder
from bamboo.site.published_tables import rows_of_metrics
from bamboo.statistics.resampling import Resampling, Significance
from bamboo.submission.archive import Submission, read_submission
from bamboo.tables.reproduce import reproduce
from bamboo.tables.score_tables import check_seeds


@dataclass(frozen=True, kw_only=True)
class Options(ScoringOptions):
    """The options in ``conf/site.yaml``, except metrics, data sets and tables."""

    partition: str | tuple[str, ...]
    split: str
    submissions: Path | None
    tables: Literal["auto", "off", "whole"]
    seeds: Mapping[str, tuple[int, ...]]
    resamples: int
    permutations: int
    table_permutations: int
    level: float
    seed: int
    out: Path | None

    def __post_init__(self) -> None:
        check_seeds(self.seeds)


def main(session: Session) -> str:
    """Score what is not cached, write the site and report its location."""
    options, jobs = session.options(Options), session.jobs
    if options.out is None:
        raise ConfigError("site requires out=FOLDER (see site --help)")
    significance = Significance(
        options.resamples, options.seed, options.permutations, options.level
    )
    folder = SiteFolder(options.out)
    cells = session.cells(options.partition, options.split)
    cells.sort(key=lambda cell: cell.order)
    settings = session.settings(options)
    intervals = Resampling(options.resamples, options.seed)
    protocols = known_protocols()
    submissions = _submissions(options, cells, protocols)
    results, scored = session.score(cells, protocols[0], settings)
    warn(warnings(results.cells, vector_files(jobs)))
    # The pages do not depend on the cache; the summary printed at the end reports its share.
    scored = {key: replace(cell_scores, cached=None) for key, cell_scores in scored.items()}
    content = gather(
        jobs,
        results.signatures,
        cells,
        scored,
        submissions,
        protocols,
        intervals,
        significance,
    )
    reproduced = _tables(session, options, cells, significance)
    tables = [table for table, _ in reproduced]
    shares = [cached(results.cells), *(doc["cache"] for _, doc in reproduced if "cache" in doc)]
    from_cache = sum(share["from_cache"] for share in shares)
    configs = configurations(jobs, cells, session.cache, settings)
    with progress_bar("explaining") as progress:
        build(folder, content, tables, session.cache, configs, settings, progress)
    size = sum(folder.sizes.values())
    written = f"{folder.folder / 'index.html'}: {len(folder.sizes)} files, {size / 1e6:.1f} MB"
    total = sum(share["cells"] for share in shares)
    return f"{written}; {from_cache} of {total} cells from cache"


def _submissions(
    options: Options, cells: list[Cell], protocols: list[Protocol]
) -> list[Submission]:
    """The submissions of the folder, each verified."""
    folder = options.submissions
    if folder is None:
        return []
    if not folder.is_dir():
        raise SubmissionError(f"submissions={folder}: no such folder")
    paths = sorted(folder.glob("*.zip"))
    if not paths:
        raise SubmissionError(f"submissions={folder}: the folder contains no submission (*.zip)")
    pair_sets = {cell: cell.load(options.on_error) for cell in cells}
    digests = {cell: cell.digest() for cell in cells}
    return [read_submission(path, pair_sets, digests, protocols) for path in paths]


def _tables(
    session: Session, options: Options, cells: list[Cell], significance: Significance
) -> list[tuple[Table, dict[str, Any]]]:
    """The published tables with their values, if all cells of the test split are available.

    With ``tables=auto`` they have the rows of the site's metrics only, so that no other metric is
    scored or trained.
    """
    cells = [cell for cell in cells if cell.in_benchmark]
    if options.tables == "off" or {cell.column for cell in cells} != set(COLUMNS):
        return []
    datasets = list(dict.fromkeys(cell.dataset for cell in cells))
    significance = replace(significance, permutations=options.table_permutations)
    tables: Sequence[Mapping[str, Any]] = session.request.tables
    if options.tables == "auto":
        metrics = {job.base for job in session.jobs}
        restricted = (rows_of_metrics(t, metrics, session.request.config_dir) for t in tables)
        tables = [config for config in restricted if config is not None]
    made = reproduce(
        tables,
        datasets,
        options.seeds,
        significance,
        session.cache,
        session.settings(options),
        session.request.config_dir,
    )
    return list(made)
