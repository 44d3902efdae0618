"""What was computed: recorded in the folder of a run and in its name."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bamboo.benchmark.datasets import Dataset
from bamboo.config.rows import Row

UNRECORDED = ("progress", "job", "metric", "data", "table", "options", "data_options")


@dataclass(frozen=True)
class Job:
    """A job of Hydra that calls a function.

    Attributes:
        words: its command line.
        folder: the folder of its results.
        may_replace: whether results with other numbers in that folder may be replaced.
        is_current: whether the folder is the working directory (``hydra.job.chdir``).
        files: what is written to it besides the results, by name: the configuration.
    """

    words: tuple[str, ...]
    folder: Path | None = None
    may_replace: bool = True
    is_current: bool = False
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Record:
    """A call of a function.

    Attributes:
        command: its name.
        options: its arguments.
        rows, datasets: the metrics and the data sets.
        tables: the configurations of published tables.
    """

    command: str
    options: Mapping[str, Any]
    rows: Sequence[Row] = ()
    datasets: Sequence[Dataset] = ()
    tables: Sequence[Mapping[str, Any]] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The command line; the name alone for a call in Python."""
        return (self.command,) if self.job is None else self.job.words

    @property
    def job(self) -> Job | None:
        """The job that called the function; None for a call in Python."""
        return self.options.get("job")

    @property
    def document(self) -> dict[str, Any]:
        """The content of ``config.yaml``."""
        options = {k: convert_to_yaml(v) for k, v in self.options.items() if k not in UNRECORDED}
        return options | {
            "metric": {row.name: convert_to_yaml(row.document) for row in self.rows},
            "data": {dataset.name: convert_to_yaml(dataset) for dataset in self.datasets},
            "command": list(self.words),
        }


def convert_to_yaml(value: Any) -> Any:
    """Return a value as YAML holds it; of other objects, the name of the class."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: convert_to_yaml(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): convert_to_yaml(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [convert_to_yaml(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    is_plain = value is None or isinstance(value, str | bool | int | float)
    return value if is_plain else type(value).__name__
