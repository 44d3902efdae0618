"""The jobs of ``--multirun``: what they returned, in one table."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

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


class JobsTable(Callback):
    """Prints a table of all jobs at the end of ``--multirun``."""

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Forget the failures of an earlier sweep in the same folder."""
        for path in Path(config.hydra.sweep.dir).glob(f"*/{FAILED}"):
            path.unlink()

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Print the table.

        Raises:
            SystemExit: jobs failed.
        """
        sweep = Path(config.hydra.sweep.dir)
        folders = sorted(
            (path for path in sweep.iterdir() if path.is_dir() and path.name.isdecimal()),
            key=lambda path: int(path.name),
        )
        words = {folder: _read_words(folder) for folder in folders if (folder / HYDRA).is_dir()}
        if config.report in PRINTED and words:
            print(render([_tabulate_jobs(words)], config.report), flush=True)
        if failed := [folder.name for folder in folders if (folder / FAILED).is_file()]:
            raise SystemExit(f"{len(failed)} of {len(folders)} jobs failed: {', '.join(failed)}")


def _read_words(folder: Path) -> dict[str, str]:
    """Return the options that were typed for a job, by name."""
    words = OmegaConf.load(folder / HYDRA / "overrides.yaml")
    return dict(str(word).partition("=")[::2] for word in words)


def _tabulate_jobs(words: Mapping[Path, Mapping[str, str]]) -> Table:
    """Return a table with the options that differ between jobs, and the means of their metrics."""
    keys = dict.fromkeys(key for typed in words.values() for key in typed)
    varying = [key for key in keys if len({typed.get(key) for typed in words.values()}) > 1]
    rows = [
        (int(folder.name), *(typed.get(key, "") for key in varying), name, value)
        for folder, typed in words.items()
        for name, value in list_means(folder) or [("failed", None)]
    ]
    return Table("Jobs", ("job", *varying, "metric", "value"), tuple(rows))
