"""The session that all commands share: the request, and the objects built from it.

The modules of these objects are imported when one is built, since most commands need few of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bamboo.config.jobs import Job, compose_group
from bamboo.config.metrics import build_metric
from bamboo.config.options import read_options
from bamboo.config.published import PROTOCOLS
from bamboo.config.request import Request
from bamboo.errors import ConfigError
from bamboo.files import write_text
from bamboo.messages import note
from bamboo.paths import Paths

if TYPE_CHECKING:  # imported by the commands that use them
    from bamboo.benchmark.cells import Cell
    from bamboo.benchmark.datasets import Dataset
    from bamboo.benchmark.protocols import Protocol
    from bamboo.cli.options import ScoringOptions
    from bamboo.results.results import Results
    from bamboo.results.run_folder import RunFolder
    from bamboo.running.cache import Cache, Scored
    from bamboo.running.runner import Settings
    from bamboo.running.texts import PairTexts
    from metrics.base import Metric

T = TypeVar("T")


# Groups that the session builds or that are part of the jobs, so not options of a command.
NOT_OF_COMMANDS = ("paths", "data", "table", "metric", "solver", "vectors")


@dataclass(frozen=True)
class Session:
    """The request of one command and the objects built from it, each created on first use.

    >>> from bamboo.config.request import read_request
    >>> session = Session(read_request("run", ["data=[sts,sick]"]))
    >>> [str(cell) for cell in session.cells("main", "test")]
    ['sts main test', 'sick main test']
    """

    request: Request

    def options(self, cls: type[T]) -> T:
        """The command's own options.

        Raises:
            ConfigError: a value of the wrong type.
        """
        options = self.request.options
        own = {name: value for name, value in options.items() if name not in NOT_OF_COMMANDS}
        return read_options(cls, own)

    @cached_property
    def paths(self) -> Paths:
        """The folders of data and runs."""
        return read_options(Paths, self.request.options.get("paths", {}), "paths")

    @cached_property
    def datasets(self) -> tuple[Dataset, ...]:
        """The requested data sets.

        Raises:
            ConfigError: see `Dataset.from_config`.
        """
        from bamboo.benchmark.datasets import Dataset

        return tuple(Dataset.from_config(config) for config in self.request.data)

    @cached_property
    def cache(self) -> Cache:
        """The scores of earlier runs."""
        from bamboo.running.cache import Cache

        return Cache(self.paths.runs / "cache")

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The requested metrics, with their options."""
        return self.request.jobs

    def single_job(self, message: str) -> Job:
        """The only metric.

        Raises:
            ConfigError: with `message`, if there are several.
        """
        if len(self.jobs) != 1:
            raise ConfigError(message)
        return self.jobs[0]

    def single_dataset(self, message: str) -> Dataset:
        """The only data set.

        Raises:
            ConfigError: with `message`, if there are several.
        """
        if len(self.request.data) != 1:
            raise ConfigError(message)
        return self.datasets[0]

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The requested metrics by name, for graphs that do not belong to a data set."""
        return {job.name: build_metric(job.name, job.metric) for job in self.jobs}

    def cells(
        self, partition: str | Sequence[str], split: str, limit: int | None = None
    ) -> list[Cell]:
        """The cells of the requested data sets; see `chosen_cells`."""
        from bamboo.benchmark.cells import chosen_cells

        return chosen_cells(self.datasets, partition, split, limit)

    def settings(self, options: ScoringOptions) -> Settings:
        """The settings of a run without intervals."""
        from bamboo.running.runner import Settings

        return Settings(
            engine=options.engine,
            cache=options.cache,
            on_error=options.on_error,
            built=self.paths.data / "built",
        )

    def score(
        self,
        cells: Sequence[Cell],
        protocol: Protocol,
        settings: Settings,
        texts: PairTexts | None = None,
    ) -> tuple[Results, Scored]:
        """Score all metrics on the cells, using cached scores where available; shows progress.

        Args:
            texts: collects the ids and sentences of the pairs that are read.
        """
        from bamboo.progress import compilation_shown, progress_bar
        from bamboo.results.evaluate import run

        with progress_bar("reading") as progress, compilation_shown(progress):
            collect = {} if texts is None else {"read": texts.add}
            callbacks = {"progress": progress, **collect}
            return run(self.jobs, cells, protocol, self.cache, settings, **callbacks)

    def run_folder(self, out: Path | None) -> AbstractContextManager[RunFolder]:
        """The folder for the command's files: `out`, or a new folder in ``runs/``."""
        from bamboo.results.run_folder import run_folder

        return run_folder(self.request, self.paths.runs, out)


def known_protocols() -> list[Protocol]:
    """The protocols under which results are shown."""
    from bamboo.benchmark.protocols import Protocol

    return [
        read_options(Protocol, compose_group("run", "protocol", name), "protocol")
        for name in PROTOCOLS
    ]


def write_file(path: Path, text: str) -> None:
    """Write the file named by an option atomically, and print its path.

    Raises:
        ConfigError: if it cannot be written, or its folder does not exist.
    """
    if not path.parent.is_dir():  # probably a mistake in the path
        raise ConfigError(f"cannot write {path}: there is no folder {path.parent}")
    try:
        write_text(path, text)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from None
    say_written(path)


def say_written(path: Path) -> None:
    """Print on standard error where a command has written its files."""
    note(f"written: {path}")
