"""``compare``: tell which differences between metrics are real."""

from __future__ import annotations

import json

from bamboo.compare import Draws, compare, comparison_tables
from bamboo.config import Request, resolved
from bamboo.datasets import Dataset
from bamboo.errors import ConfigError
from bamboo.protocols import Protocol
from bamboo.report import run_folder, write_run
from bamboo.run import Settings, chosen_places
from bamboo.tables import check_format, render
from bamboo.verbs.run import run_cells


def main(request: Request) -> str:
    """Score what is missing, test all pairs of metrics; write the run's folder; report."""
    options = request.options
    check_format(options.report)
    if len(request.jobs) < 2:
        raise ConfigError("compare wants two metrics or more, such as metric=[smatch,sema]")
    draws = Draws(options.resamples, options.permutations, options.seed, options.level)
    datasets = [Dataset.from_config(resolved(config)) for config in request.data]
    places = chosen_places(datasets, options.partition, options.split)
    settings = Settings(options.cache, options.on_error, options.engine.jobs)
    protocol = Protocol.from_config(resolved(options.protocol))
    folder = run_folder(request, "compare")
    result, scored = run_cells(request, request.jobs, places, protocol, settings)
    found = compare([job.name for job in request.jobs], places, scored, protocol, draws)
    write_run(folder, result, scored)
    document, tables = found.to_json(), comparison_tables(found)
    (folder / "comparison.json").write_text(json.dumps(document) + "\n", "utf-8")
    (folder / "comparison.md").write_text(render(tables, "markdown") + "\n", "utf-8")
    return render(tables, options.report, document)
