"""``score``: score two files of graphs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bamboo.config import Request
from bamboo.errors import ConfigError
from bamboo.metric import build_metric
from bamboo.pairs import OnError
from bamboo.score import score_files, score_table
from bamboo.tables import Format, render
from bamboo.verbs import own_options


@dataclass(frozen=True, kw_only=True)
class ScoreOptions:
    """What ``conf/score.yaml`` asks for, beside the metric."""

    src: Path
    tgt: Path
    format: Literal["penman", "tsv"]
    on_error: OnError
    report: Format


def main(request: Request) -> str:
    """Score the two files; report."""
    options = own_options(ScoreOptions, request, "metric", "solver", "paths")
    if len(request.jobs) != 1:
        raise ConfigError("score takes one metric, with one value an option")
    (job,) = request.jobs
    metric = build_metric(job.name, job.metric)
    found = score_files(metric, options.src, options.tgt, options.format, options.on_error)
    table = score_table(found, f"{job.name}: {options.src} against {options.tgt}")
    return render([table], options.report, found.to_json())
