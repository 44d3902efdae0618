"""The sessions of functions of the Python API."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bamboo.api.arguments import Metrics, check_metric_options, label, request
from bamboo.cli.available import available
from bamboo.cli.session import Session
from bamboo.errors import ConfigError
from bamboo.pairs.problems import warn
from metrics.base import Metric

# The options of `score` that only the command line has, and what Python has instead.
OF_COMMAND_LINE = {
    "report": "the result has to_markdown(), to_latex(), to_frame() and to_json()",
    "per_pair": "the result has to_frame(), with one row per pair",
    "worst": "sort the rows of to_frame() by score, and see explain",
    "out": "the result of explain has to_svg()",
    "shards": "many files are scored by the command: bamboo score shards=FOLDER",
    "shard_format": "many files are scored by the command: bamboo score shards=FOLDER",
}


def session_of(
    command: str,
    metric: Metrics | None,
    given: Mapping[str, Any],
    options: Mapping[str, Any],
    config_dir: str | Path | None,
) -> Session:
    """The session of a command; `given` values that are None have the default of the command."""
    chosen = {name: value for name, value in given.items() if value is not None}
    for name in ("data", "partition"):
        if isinstance(value := chosen.get(name), list | tuple):
            chosen[name] = ",".join(map(str, value))
    if "report" in options:
        raise ConfigError(f"report: {OF_COMMAND_LINE['report']}")
    usable, left_out = available(request(command, metric, {**chosen, **options}, config_dir))
    warn(left_out)
    return Session(usable)


def check_options(options: Mapping[str, Any]) -> None:
    """Check that no option is one that only the command line has."""
    for name in options:
        if name in OF_COMMAND_LINE:
            raise ConfigError(f"{name}: {OF_COMMAND_LINE[name]}")


def one_metric(
    command: str,
    metric: str | Metric | None,
    given: Mapping[str, Any],
    options: Mapping[str, Any],
    config_dir: str | Path | None,
) -> tuple[str, Metric | None, Session]:
    """The label of a metric, the metric if it was given as one, and the session of a command."""
    if isinstance(metric, Metric):
        check_metric_options(options)
        return label(metric), metric, session_of(command, None, given, options, config_dir)
    session = session_of(command, metric, given, options, config_dir)
    job = session.single_job(f"{command} requires exactly one metric, with one value per option")
    return job.name, None, session
