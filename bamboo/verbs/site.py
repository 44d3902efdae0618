"""``site``: build a static site of results and pairs."""

from __future__ import annotations

from pathlib import Path

from bamboo.cache import Cache
from bamboo.compare import Draws
from bamboo.config import BENCHMARK, Request, compose_protocol, resolved
from bamboo.datasets import PARTITIONS, Dataset, digest, load
from bamboo.errors import ConfigError, SubmissionError
from bamboo.paper_tables import TableSpec, summarise, summary_table
from bamboo.progress import progress_bar
from bamboo.protocols import Protocol
from bamboo.run import Place, Settings, chosen_places
from bamboo.site.build import build
from bamboo.site.content import gather, in_order
from bamboo.site.folder import SiteFolder
from bamboo.submission import Submission, read_submission
from bamboo.tables import Table
from bamboo.verbs.run import run_cells

PROTOCOLS = ("paper", "v0.2")


def main(request: Request) -> str:
    """Score what is missing; write the site; say where it is."""
    options = request.options
    if options.out is None:
        raise ConfigError("site wants out=FOLDER (see site --help)")
    if options.tables not in ("auto", "off"):
        raise ConfigError(f"tables={options.tables}: use auto or off")
    draws = Draws(options.resamples, options.permutations, options.seed, options.level)
    folder = SiteFolder(Path(options.out).expanduser())
    datasets = [Dataset.from_config(resolved(config)) for config in request.data]
    places = in_order(chosen_places(datasets, options.partition, options.split))
    settings = Settings(
        options.cache, options.on_error, options.engine.jobs, options.resamples, options.seed
    )
    protocols = [Protocol.from_config(compose_protocol(name)) for name in PROTOCOLS]
    plain = Settings(options.cache, options.on_error, options.engine.jobs)
    result, scored = run_cells(request, request.jobs, places, protocols[0], plain)
    content = gather(
        request.jobs,
        {row.metric: row.signature for row in result.rows},
        places,
        scored,
        _submissions(request, places, protocols),
        protocols,
        settings,
        draws,
    )
    tables = _tables(request, places, plain) if options.tables == "auto" else []
    cache = Cache(Path(options.paths.runs) / "cache")
    with progress_bar("explaining") as progress:
        build(folder, content, tables, cache, options.engine.jobs, options.on_error, progress)
    size = sum(folder.sizes.values())
    return f"{folder.folder / 'index.html'}: {len(folder.sizes)} files, {size / 1e6:.1f} MB"


def _submissions(
    request: Request, places: list[Place], protocols: list[Protocol]
) -> list[Submission]:
    """The submissions of the folder, each verified."""
    if request.options.submissions is None:
        return []
    folder = Path(request.options.submissions).expanduser()
    if not folder.is_dir():
        raise SubmissionError(f"submissions={folder}: no such folder")
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise SubmissionError(f"submissions={folder}: no submission (*.json) is in it")
    pair_sets = {place: load(place.dataset, place.partition, place.split) for place in places}
    digests = {place: digest(place.dataset, place.partition, place.split) for place in places}
    return [read_submission(path, pair_sets, digests, protocols) for path in paths]


def _tables(request: Request, places: list[Place], settings: Settings) -> list[Table]:
    """The published tables, if all cells of the benchmark's test split are there."""
    options, tables = request.options, []
    places = [p for p in places if p.split == "test" and p.dataset.name in BENCHMARK]
    have = {(p.dataset.name, p.partition) for p in places}
    if not have >= {(d, p) for d in BENCHMARK for p in PARTITIONS}:
        return []
    for config in request.tables:
        spec = TableSpec.from_config(resolved(config))
        protocol = Protocol.from_config(compose_protocol(spec.protocol))
        seeds = list(options.seeds)
        result, _ = run_cells(request, spec.jobs(seeds), places, protocol, settings)
        tables.append(summary_table(spec, summarise(spec, result, seeds)))
    return tables
