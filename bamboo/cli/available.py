"""What a command needs and is not there: optional packages, word vectors."""

from __future__ import annotations

from dataclasses import replace

from bamboo.config.metrics import build_metric
from bamboo.config.request import Request
from bamboo.errors import ConfigError, message
from metrics.errors import VectorError
from metrics.utils.extras import lacking

# The extras that commands need as a whole, and for what.
NEEDED = {"site": ("site", "the pages of the site"), "train": ("plots", "the plots of training")}


def check_command(command: str) -> None:
    """Check that the packages of a command are installed.

    Raises:
        ConfigError: if one is not; the message says how to install it.
    """
    if command in NEEDED and (problem := lacking(*NEEDED[command])) is not None:
        raise ConfigError(problem)


def available(request: Request) -> tuple[Request, tuple[str, ...]]:
    """The request without the metrics of ``metric=all`` that cannot be computed here.

    Returns:
        the request, and a warning for each reason to leave out metrics.

    Raises:
        ConfigError: a metric that was named on the command line, or each one, cannot be computed:
            its word vectors are missing, or a package.
    """
    if len(request.jobs) == 1:  # the command says what the metric lacks when it builds it
        return request, ()
    jobs, reasons = [], dict[str, list[str]]()
    for job in request.jobs:
        try:
            _ = build_metric(job.name, job.metric).signature  # includes a digest of word vectors
            jobs.append(job)
        except VectorError as error:
            reasons.setdefault(message(error), []).append(job.name)
        except Exception:  # reported by the command when it builds or uses the metric
            jobs.append(job)
    problems = [f"{', '.join(names)}: {reason}" for reason, names in reasons.items()]
    if problems and (not request.every_metric or not jobs):
        raise ConfigError(problems[0])
    left_out = tuple(f"metric=all without {problem}" for problem in problems)
    return replace(request, jobs=tuple(jobs)), left_out
