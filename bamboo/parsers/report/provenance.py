"""How the numbers of a report were made: files, versions, and how it was called."""

from __future__ import annotations

import platform
from pathlib import PurePath
from typing import Any

from amr_metrics.version import VERSION
from bamboo.parsers.pair_scores import COMPARABLE
from bamboo.parsers.result import ParserReport


def made(report: ParserReport, command: str) -> dict[str, Any]:
    """Return how a report was made, as plain values.

    The date is the day, so that the same command writes the same bytes on the same day.

    Args:
        command: makes the report; "" if there is no such command.
    """
    has_intervals = any(row.intervals for row in report.results.scores)
    graphs = len(report.first)
    return {
        "short_signature": report.signature,
        "signature": report.first.signature,
        "command": command,
        "date": report.date,
        "version": VERSION,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "seed": report.resampling.seed,
        "resamples": report.resampling.resamples if has_intervals else None,
        "permutations": report.results.permutations if report.results.differences else None,
        "comparable": COMPARABLE.get(report.metric, ""),
        "files": [
            {
                "name": PurePath(file.path).name,
                "graphs": graphs if len(files) == 1 else None,
                "bytes": file.bytes,
                "sha256": file.sha256,
            }
            for files in report.inputs.values()
            for file in files
        ],
    }
