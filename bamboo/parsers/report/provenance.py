"""How the numbers of a report were made: files, versions, and how it was called."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from amr_metrics.version import VERSION
from bamboo.board import CORPUS
from bamboo.parsers.result import Report
from bamboo.parsers.signatures import COMPARABLE
from bamboo.parsers.tables import have_intervals


@dataclass(frozen=True)
class FileRecord:
    """A file that was read; the number of its graphs is None if it is one of several."""

    name: str
    graphs: int | None
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Provenance:
    """How a report was made.

    Attributes:
        command: makes the report; "" if there is no such command.
        date: the day, so that the same command writes the same bytes on the same day.
        version: of bamboo; `python` and `platform` of what it ran on.
        resamples, permutations: their numbers; None without intervals, and without tests.
        comparable: with which other programs scores can be compared.
    """

    short_signature: str
    signature: str
    command: str
    date: str
    version: str
    python: str
    platform: str
    seed: int
    resamples: int | None
    permutations: int | None
    comparable: str
    files: Sequence[FileRecord]


def record_provenance(report: Report, command: str) -> Provenance:
    """Return how a report was made.

    Args:
        command: makes the report; "" if there is no such command.
    """
    corpus, graphs = report.board.select(kind=CORPUS), len(report)
    return Provenance(
        short_signature=report.signature,
        signature=report.facts.signature,
        command=command,
        date=report.date,
        version=VERSION,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        seed=report.tests.seed,
        resamples=report.tests.resamples if have_intervals(corpus) else None,
        permutations=report.tests.number if corpus.differences else None,
        comparable=COMPARABLE.get(report.metric, ""),
        files=[
            FileRecord(
                PurePath(file.path).name,
                graphs if len(files) == 1 else None,
                file.bytes,
                file.sha256,
            )
            for files in report.inputs.values()
            for file in files
        ],
    )
