"""How the numbers of a report were made: files, versions, and how it was called."""

from __future__ import annotations

import platform
from pathlib import PurePath
from typing import Any

from amr_metrics.version import VERSION
from bamboo.board import CORPUS
from bamboo.parsers.result import Report
from bamboo.parsers.signatures import COMPARABLE
from bamboo.parsers.tables import have_intervals


def record_provenance(report: Report, command: str) -> dict[str, Any]:
    """Return how a report was made, by name, as the page of scores shows and exports it.

    Args:
        command: makes the report; "" if there is no such command.
    """
    corpus = report.board.select(kind=CORPUS)
    return {
        "short_signature": report.signature,
        "signature": report.facts.signature,
        "command": command,
        # The day without the time: on one day, the same command writes the same bytes.
        "date": report.date,
        "version": VERSION,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "seed": report.tests.seed,
        "resamples": report.tests.resamples if have_intervals(corpus) else None,
        "permutations": report.tests.number if corpus.differences else None,
        "comparable": COMPARABLE.get(report.metric, ""),
        "files": [
            {
                "name": PurePath(file.path).name,
                # Of each of several files, the number of graphs is unknown.
                "graphs": len(report) if len(files) == 1 else None,
                "bytes": file.bytes,
                "sha256": file.sha256,
            }
            for files in report.inputs.values()
            for file in files
        ],
    }
