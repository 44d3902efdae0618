"""Run a command as an application of Hydra, which composes the options."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException, OverrideParseException
from hydra.types import RunMode
from omegaconf import OmegaConf
from omegaconf.errors import MissingMandatoryValue

from bamboo.app.arguments import complete_arguments
from bamboo.app.commands import COMMANDS, NAMES, OPTIONS, Command, report_missing
from bamboo.app.words import read_words
from bamboo.config.groups import (
    CHOICES,
    CONF,
    LISTS,
    WITHOUT_HYDRA,
    ConfigDir,
    add_name,
    compose_config,
    format_in_one_line,
    hydra_errors,
    list_folders,
    literal,
    overridden,
    register_resolver,
    search_path,
)
from bamboo.display.table import Table, render
from bamboo.errors import ConfigError
from bamboo.files import json_text
from bamboo.installation import paths

# Commands whose `out` is a folder for all files: with --multirun, that of Hydra's job.
WITH_FOLDER = ("run", "compare", "train", "tables")

# Members of Hydra's own groups for its application.
QUIET = dict.fromkeys(("hydra_logging", "job_logging"), "none")

CommandCall = Callable[[Mapping[str, Any]], None]


def run_command(
    command: Command,
    words: Sequence[str],
    flags: Sequence[str],
    config_dir: ConfigDir,
    call: CommandCall,
) -> None:
    """Compose the options of a command, and call its function with them.

    Args:
        words: ``key=value``, and files without a name.
        flags: those of Hydra, such as ``--multirun``.
        call: calls the function, and prints what it returns.

    Raises:
        ConfigError: an option that Hydra refuses.
        BambooError, MetricError: from the function.
    """
    settings = read_words(command, words, config_dir, "--multirun" in flags)
    typed = [setting.override for setting in settings]
    _register(command, QUIET if flags else WITHOUT_HYDRA)
    if flags:
        folders = list_folders(config_dir)
        # Hydra takes one such folder.
        searched = [part for f in folders[:1] for part in ("--config-dir", str(f.resolve()))]
        searched += [search_path(folders[1:])] if len(folders) > 1 else []
        with (
            TemporaryDirectory() as folder,
            _translate_errors(),
            _replace_arguments([*searched, *typed, *flags]),
        ):
            job = _Job(command, config_dir, call, Path(folder) / "jobs")
            _build_decorator(command)(job)()
            if table := job.table():
                print(table)
        return
    with _translate_errors():
        config = compose_config(typed, config_dir, command.name)
        OmegaConf.set_struct(config, False)
        choices = config["hydra"]["runtime"]["choices"]
        del config["hydra"]
        arguments = _read_arguments(command, config, choices, words, config_dir)
    call(arguments)


@contextlib.contextmanager
def _translate_errors() -> Iterator[None]:
    """Raise the errors of Hydra with the options as they are typed.

    Raises:
        ConfigError: instead of them.
    """
    try:
        yield
    except OverrideParseException as error:
        problem = str(error).splitlines()[0]
        raise ConfigError(_rename_options(f"{error.override} cannot be read: {problem}")) from None
    except hydra_errors() as error:
        raise ConfigError(_rename_options(format_in_one_line(error))) from None


def complete(request: str) -> None:
    """Print what Hydra's completion needs: the script to install, or the words that fit.

    Hydra completes the options of one application: the name of the command is taken out of the
    line, and completed here.

    Args:
        request: ``install=bash``, ``uninstall=bash`` or ``query=bash``, also of another shell.

    Raises:
        ConfigError: another request.
    """
    program, _, line = os.environ.get("COMP_LINE", "").partition(" ")
    name, space, rest = line.partition(" ")
    if request.startswith("query=") and not space:
        print(" ".join(command for command in NAMES if command.startswith(name)))
        return
    os.environ["COMP_LINE"] = f"{program} {rest}"
    try:
        command = COMMANDS.get(name, COMMANDS["run"])
        _register(command)
        with _replace_arguments(["-sc", request]):
            _build_decorator(command)(lambda config: None)()
    except (HydraException, ValueError) as error:
        raise ConfigError(f"-sc {request}: {format_in_one_line(error)}") from None


def _build_decorator(command: Command) -> Callable[[Callable[[Any], Any]], Callable[[], Any]]:
    """Return Hydra's decorator for the function of a command."""
    register_resolver()
    return hydra.main(str(CONF), command.name, version_base="1.3")


@contextlib.contextmanager
def _replace_arguments(arguments: Sequence[str]) -> Iterator[None]:
    """Let Hydra read these arguments, and undo the changes that it makes to logging."""
    os.environ["HYDRA_FULL_ERROR"] = "1"  # raise errors
    root, argv = logging.getLogger(), sys.argv
    handlers, level = list(root.handlers), root.level
    sys.argv = [argv[0], *arguments]
    try:
        yield
    finally:
        sys.argv = argv
        root.handlers[:] = handlers
        root.setLevel(level)


def _rename_options(text: str) -> str:
    """Return a message with the options' names as on the command line."""
    text = re.sub(r"\blists\.(\w+)='([\w.]+)'", r"\1=\2", text)
    text = re.sub(r"\blists\.(?=\w)", "", text)
    for group, options in OPTIONS.items():
        text = re.sub(rf"(\+\+)?\b{options}\.", f"{group}.", text)
    return text


def _register(command: Command, hydra_groups: Mapping[str, str | None] = QUIET) -> None:
    """Register the options of a command with Hydra, and the members of Hydra's own groups.

    They are a mapping, since the structured configurations of OmegaConf have neither `Literal` nor
    unions of a value and a list: the functions check the types.
    """
    defaults, folders = command.defaults, paths()
    # Names are apart from the others, where Hydra would take them for its groups.
    node = {name: value for name, value in defaults.items() if name not in LISTS}
    node["paths"] = {"data": literal(folders.data), "runs": literal(folders.runs)}
    node["lists"] = {name: value for name, value in defaults.items() if name in LISTS}
    node["hydra"] = {"output_subdir": None}
    options = command.options
    groups: list[Any] = [{name: options[name].default} for name in options if name in CHOICES]
    groups += ["_self_", *overridden(hydra_groups)]
    ConfigStore.instance().store(command.name, {"defaults": groups, **node})


@dataclass
class _Job:
    """A job of ``--multirun``.

    Attributes:
        file: where jobs write their values, as they may run in other processes.
    """

    command: Command
    config_dir: ConfigDir
    call: CommandCall
    file: Path

    def __post_init__(self) -> None:
        self.__module__ = self.command.name  # Hydra names the job after it

    def __call__(self, config: Any) -> float | None:
        """Call the function, and return the value that a sweeper optimises."""
        job = HydraConfig.get()
        words = [_rename_options(override) for override in job.overrides.task]
        choices = job.runtime.choices
        arguments = _read_arguments(self.command, config, choices, words, self.config_dir)
        folder = Path(job.runtime.output_dir)
        if self.command.name in WITH_FOLDER and arguments["out"] is None:
            arguments["out"] = folder
        self.call(arguments)
        if len(words) > 0 and HydraConfig.get().mode == RunMode.MULTIRUN:
            line = {"job": job.job.num, "words": words, "values": self.list_values(folder)}
            line["report"] = arguments.get("report", "table")
            with self.file.open("a", encoding="utf-8") as file:
                file.write(f"{json_text(line)}\n")
        return objective(folder)

    def list_values(self, folder: Path) -> list[tuple[str, float | None]]:
        """Return the mean of each metric over its cells in points; None if a value is missing."""
        scale = 100 if self.command.name == "train" else 1  # the values of cells are in points
        return [
            (name, None if None in values else scale * sum(v or 0.0 for v in values) / len(values))
            for name, values in _read_cells(folder)
        ]

    def table(self) -> str:
        """Return a table of all jobs, with the options that differ; nothing without values."""
        if not self.file.is_file():
            return ""
        jobs = [json.loads(line) for line in self.file.read_text("utf-8").splitlines()]
        jobs.sort(key=lambda job: job["job"])
        typed = [dict(word.partition("=")[::2] for word in job["words"]) for job in jobs]
        keys = dict.fromkeys(key for of_job in typed for key in of_job)
        varying = [k for k in keys if len({of_job.get(k) for of_job in typed}) > 1]
        rows = [
            (job["job"], *(of_job.get(key, "") for key in varying), name, value)
            for job, of_job in zip(jobs, typed, strict=True)
            for name, value in job["values"]
        ]
        heads = ("job", *varying, "metric", "value")
        report = jobs[0]["report"]
        is_printed = rows and report in ("table", "markdown", "latex")
        return render([Table("Jobs", heads, tuple(rows))], report) if is_printed else ""


def _read_cells(folder: Path) -> list[tuple[str, list[float | None]]]:
    """Return the values of each metric of ``run``, by cell; of ``train`` the statistic on dev."""
    if (weights := folder / "weights.json").is_file():
        return [("on dev", [float(json.loads(weights.read_text("utf-8"))["dev"])])]
    if (result := folder / "result.json").is_file():
        rows = json.loads(result.read_text("utf-8"))["rows"]
        return [(row["metric"], [cell["value"] for cell in row["cells"]]) for row in rows]
    return []


def _read_arguments(
    command: Command,
    config: Any,
    choices: Mapping[str, str],
    words: Sequence[str],
    config_dir: ConfigDir,
) -> dict[str, Any]:
    """Return the arguments of a function from the configuration that Hydra composed.

    Args:
        choices: the name that was chosen in each group.
        words: those of the command, for functions that record them.
    """
    try:
        values: Any = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except MissingMandatoryValue as error:
        raise report_missing(command.name, _rename_options(str(error.full_key))) from None
    del values["paths"]
    lists = values.pop("lists")
    for group in CHOICES:
        if isinstance(values.get(group), Mapping):
            values[group] = add_name(group, choices[group], values[group])
    return complete_arguments(command, {**values, **lists}, words, config_dir)


def objective(folder: Path) -> float | None:
    """Return the value of a job for a sweeper such as Optuna's; None if there is no result.

    For ``train``, the statistic on dev; for ``run``, the mean of the cells of the first metric.
    """
    cells = _read_cells(folder)
    values = [value for value in cells[0][1] if value is not None] if cells else []
    return sum(values) / len(values) if values else None
