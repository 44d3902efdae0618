"""How the numbers of a report were made: files, versions, and how it was called."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from amr_metrics.version import VERSION
from bamboo.evaluation.pair_scores import COMPARABLE
from bamboo.evaluation.report import ParserReport
from bamboo.pairs.sides import as_path, input_files


class InputFile(NamedTuple):
    """A file that was scored.

    Attributes:
        graphs: their number; None if it is one of several files of a side.
    """

    name: str
    graphs: int | None
    bytes: int
    sha256: str


def input_files_of(sides: Iterable[Any], format: str, graphs: int) -> list[InputFile]:
    """Return the files of sides with their hashes; none of graphs in memory.

    Args:
        sides: files, folders, patterns, or graphs in memory.
        format: of the files.
        graphs: the number of graphs of each side.
    """
    found = []
    for path in filter(None, map(as_path, sides)):
        files, _ = input_files(path, format)
        alone = graphs if len(files) == 1 else None
        found += [InputFile(file.name, alone, file.stat().st_size, _digest(file)) for file in files]
    return found


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def made(report: ParserReport, command: str, files: Iterable[InputFile]) -> dict[str, Any]:
    """Return how a report was made, as plain values.

    The date is the day, so that the same command writes the same bytes on the same day; the
    environment variable SOURCE_DATE_EPOCH sets it.

    Args:
        command: makes the report; "" if there is no such command.
    """
    first = next(iter(report.parsers.values()))
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    has_intervals = any(row.intervals for row in report.results.scores)
    return {
        "short_signature": first.short_signature,
        "signature": first.signature,
        "command": command,
        "date": f"{now:%Y-%m-%d}",
        "version": VERSION,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "seed": report.resampling.seed,
        "resamples": report.resampling.resamples if has_intervals else None,
        "permutations": report.results.permutations if report.results.differences else None,
        "comparable": COMPARABLE.get(report.metric, ""),
        "files": [file._asdict() for file in files],
    }
