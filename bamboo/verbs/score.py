"""``score``: score two files of graphs."""

from __future__ import annotations

from pathlib import Path

from bamboo.config import Request
from bamboo.errors import ConfigError
from bamboo.metric import build_metric
from bamboo.score import score_files, score_table
from bamboo.tables import check_format, render


def main(request: Request) -> str:
    """Score two files."""
    check_format(request.options.report)
    options, (job,) = request.options, request.jobs
    for side in ("src", "tgt"):
        if options.get(side) is None:
            raise ConfigError(f"score wants {side}=FILE (see score --help)")
    found = score_files(
        build_metric(job.name, job.metric), Path(options.src), Path(options.tgt), options.format
    )
    table = score_table(found, f"{job.name}: {options.src} against {options.tgt}")
    return render([table], options.report, found.to_json())
