"""The jobs of ``--multirun``: what they returned, in one table."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from hydra.core.hydra_config import HydraConfig
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from amr_metrics.configurations import read_yaml
from amr_metrics.errors import MetricError
from bamboo.display.table import Table, render
from bamboo.errors import BambooError, describe_system_problem, message
from bamboo.log import visible
from bamboo.results.run_folder import HYDRA
from bamboo.user_code import user_code_error

FAILED = "error.txt"  # in the folder of a job that failed
PRINTED = ("table", "markdown", "latex")  # reports after which the table of the jobs is printed


def average_cells(folder: Path) -> float | None:
    """Return the value of a job for a sweeper such as Optuna's; None if there is no result.

    It is the statistic on dev for ``train``, and the mean of the cells of the first metric for
    ``run`` and ``compare``.
    """
    means = list_means(folder)
    return means[0][1] if means else None


def list_means(folder: Path) -> list[tuple[str, float | None]]:
    """Return the mean of each metric over its cells, in points; of ``train``, the value on dev.

    It is None if a cell has no value.
    """
    if (weights := folder / "weights.json").is_file():
        return [("on dev", 100 * float(json.loads(weights.read_text("utf-8"))["dev"]))]
    if not (result := folder / "result.json").is_file():
        return []
    means: list[tuple[str, float | None]] = []
    for row in json.loads(result.read_text("utf-8"))["rows"]:
        values = [cell["value"] for cell in row["cells"]]
        means.append((row["metric"], None if None in values else sum(values) / len(values)))
    return means


def format_configuration(config: DictConfig) -> dict[str, str]:
    """Return the files in which Hydra keeps the configuration of a job, by name."""
    settings: Any = HydraConfig.instance().cfg
    return {
        f"{HYDRA}/config.yaml": OmegaConf.to_yaml(config),
        f"{HYDRA}/hydra.yaml": OmegaConf.to_yaml(settings),
        f"{HYDRA}/overrides.yaml": OmegaConf.to_yaml(settings.hydra.overrides.task),
    }


def record_failure(config: DictConfig, folder: Path, text: str) -> None:
    """Print the error of a job, and write it to the job's folder, with the configuration."""
    settings: Any = HydraConfig.get()
    words = " ".join(settings.overrides.task)
    print(f"job {settings.job.num} ({words}): error: {visible(text)}", file=sys.stderr)
    for name, content in {**format_configuration(config), FAILED: f"{text}\n"}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, "utf-8")


def describe_error(error: Exception) -> str | None:
    """Return the message of an error that a command reports; None for a defect."""
    if isinstance(error, BambooError | MetricError):
        return message(error)
    of_user = user_code_error(error)
    return describe_system_problem(error) if of_user is None else message(of_user)


class SweptJob(NamedTuple):
    """A job of a sweep: its number, its folder, and the options that were typed, by name."""

    number: int
    folder: Path
    words: Mapping[str, str]

    @classmethod
    def find(cls, sweep: Path) -> list[Self]:
        """Return the jobs in the folder of a sweep, by their numbers."""
        jobs = []
        for path in sweep.rglob(f"{HYDRA}/hydra.yaml"):
            settings = read_yaml(path)["hydra"]
            words = dict(str(word).partition("=")[::2] for word in settings["overrides"]["task"])
            if isinstance(number := settings["job"]["num"], int):  # not of a single run
                jobs.append(cls(number, path.parents[1], words))
        return sorted(jobs, key=lambda job: job.number)

    @property
    def has_failed(self) -> bool:
        """Whether it has written an error."""
        return (self.folder / FAILED).is_file()


class JobsTable(Callback):
    """Prints a table of all jobs at the end of ``--multirun``."""

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Forget the failures of an earlier sweep in the same folder."""
        for path in Path(config.hydra.sweep.dir).rglob(FAILED):
            path.unlink()

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Print the table.

        Raises:
            SystemExit: jobs failed.
        """
        jobs = SweptJob.find(Path(config.hydra.sweep.dir))
        if config.get("report", PRINTED[0]) in PRINTED and jobs:
            print(render([_tabulate(jobs)], config.get("report", PRINTED[0])), flush=True)
        if failed := [str(job.number) for job in jobs if job.has_failed]:
            raise SystemExit(f"{len(failed)} of {len(jobs)} jobs failed: {', '.join(failed)}")


def _tabulate(jobs: Sequence[SweptJob]) -> Table:
    """Return a table with the options that differ between jobs, and the means of their metrics."""
    keys = dict.fromkeys(key for job in jobs for key in job.words)
    varying = [key for key in keys if len({job.words.get(key) for job in jobs}) > 1]
    rows = [
        (job.number, *(job.words.get(key, "") for key in varying), name, value)
        for job in jobs
        for name, value in list_means(job.folder) or [("failed", None)]
    ]
    return Table("Jobs", ("job", *varying, "metric", "value"), tuple(rows))
