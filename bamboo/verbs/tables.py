"""``tables``: reproduce the published tables."""

from __future__ import annotations

from bamboo.config import Request, compose_protocol, resolved
from bamboo.datasets import PARTITIONS, Dataset
from bamboo.paper_tables import TableSpec, summarise, summary_json, summary_table
from bamboo.protocols import Protocol
from bamboo.report import run_folder, write_tables
from bamboo.run import Place, Settings
from bamboo.tables import check_format, render
from bamboo.verbs.run import run_cells


def main(request: Request) -> str:
    """Compute what is missing of the tables asked for; write the run's folder; report."""
    options = request.options
    check_format(options.report)
    seeds = list(options.seeds)
    datasets = [Dataset.from_config(resolved(data)) for data in request.data]
    places = [Place(d, p, "test") for p in PARTITIONS for d in datasets]
    settings = Settings(cache=options.cache, jobs=options.engine.jobs)
    folder = run_folder(request, "tables")
    tables, documents = [], []
    for config in request.tables:
        spec = TableSpec.from_config(resolved(config))
        protocol = Protocol.from_config(compose_protocol(spec.protocol))
        result, _ = run_cells(request, spec.jobs(seeds), places, protocol, settings)
        rows = summarise(spec, result, seeds)
        tables.append(summary_table(spec, rows))
        documents.append(summary_json(spec, rows, result))
    write_tables(folder, tables, documents)
    return render(tables, options.report, documents)
