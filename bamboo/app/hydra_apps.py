"""The commands that are applications of Hydra: its composition becomes the arguments of functions.

Each has a primary configuration ``conf/COMMAND.yaml`` with all options.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from amr_metrics.configurations import (
    ABOUT,
    ALL_METRICS,
    DEFAULT,
    KEYED,
    PARTS,
    find_files,
)
from amr_metrics.errors import is_interrupt
from bamboo.app.commands import Command
from bamboo.app.composition import check_files, check_words, describe_problem, is_of_hydra
from bamboo.app.jobs import (
    average_cells,
    describe_error,
    format_configuration,
    record_failure,
)
from bamboo.benchmark.datasets import dataset_from
from bamboo.benchmark.protocols import Protocol
from bamboo.config.groups import CONF, ConfigDir, group_names, list_files
from bamboo.config.options import read_options
from bamboo.config.requests import build_composed_rows, drop_uncomputable
from bamboo.config.rows import Row
from bamboo.errors import ConfigError
from bamboo.files import format_value
from bamboo.installation import paths, resource
from bamboo.log import Messages, print_messages, warnings_printed
from bamboo.results.record import Job
from bamboo.results.run_folder import describe_unwritable
from bamboo.user_code import find_modules_in

LONGEST = 100  # characters of the name of a folder
PUBLISHED = "published"  # the protocol that stands for those of the tables
IN_FOLDER = ("run", "compare", "train", "tables")  # commands that write to the folder of the job
CommandCall = Callable[[Mapping[str, Any]], None]


def run_application(
    command: Command,
    words: Sequence[str],
    config_dir: ConfigDir,
    call: CommandCall,
    messages: Messages,
) -> None:
    """Let Hydra read the words of a command, and call its function once for each job.

    Args:
        words: overrides and flags of Hydra.
        call: calls the function of the command with arguments, and prints what it returns.
        messages: what jobs print on standard error, also in other processes.

    Raises:
        ConfigError: words that Hydra refuses; jobs of ``--multirun`` that failed.
        BambooError, MetricError: from the function.
    """
    flags, overrides = check_words(command, words, config_dir)
    register(config_dir)
    problems: list[Exception] = []

    def task(config: DictConfig) -> float | None:
        """Run one job; returns the value that a sweeper optimises."""
        settings: Any = HydraConfig.get()
        folder = Path(settings.runtime.output_dir)
        try:
            with contextlib.ExitStack() as stack:
                stack.enter_context(print_messages(messages))
                stack.enter_context(warnings_printed())
                for path in reversed(_list_folders(settings)):
                    stack.enter_context(find_modules_in(path))
                with contextlib.redirect_stdout(sys.stderr):  # as `call` does: a module may print
                    arguments = _read_arguments(command, config, flags)
                call(arguments)
        except Exception as error:
            if is_interrupt(error):
                problems.append(error)
                raise KeyboardInterrupt from None  # ends a sweep
            if settings.mode == RunMode.RUN:  # Hydra would print a line of its own before it
                problems.append(error)
                with contextlib.suppress(OSError):  # it has files
                    folder.rmdir()
                return None
            if (text := describe_error(error)) is None:  # a defect
                raise
            record_failure(config, folder, text)
            return None
        return average_cells(folder)

    with _set_folders(), replace_arguments([*_complete_paths(flags), *overrides]):
        try:
            hydra.main(str(CONF), command.name, version_base="1.3")(task)()
        except KeyboardInterrupt:
            if not problems:
                raise
        except SystemExit as error:  # jobs of a sweep failed
            if error.code:
                raise ConfigError(str(error.code)) from None
        except Exception as error:
            if is_of_hydra(error):
                raise ConfigError(describe_problem(error, config_dir)) from None
            if isinstance(error, OSError) and error.filename:  # Hydra creates the folder of a job
                raise describe_unwritable(error) from None
            raise
    if problems:
        raise problems[0]


def register(config_dir: ConfigDir) -> None:
    """Register what the configurations refer to besides files."""
    OmegaConf.register_new_resolver("folder", name_folder, replace=True)
    # What metric=all means under a protocol of the user's.
    known = find_files(ALL_METRICS)
    for protocol in group_names("protocol", config_dir):
        if protocol not in known:
            node = {"defaults": [DEFAULT]}
            ConfigStore.instance().store(protocol, node, group=ALL_METRICS, package="_global_")


def name_folder(overrides: str) -> str:
    """Return the name of a folder from the options that were typed.

    >>> name_folder("data=sts,metric=[smatch,wlk],weights=a/b.json")
    'data=sts,metric=smatch+wlk,weights=a-b.json'
    """
    text = re.sub(r"\[([^\]]*)\]", lambda match: match[1].replace(",", "+"), overrides)
    return re.sub(r"[^\w.,=+-]+", "-", text)[:LONGEST].strip("-,") or "default"


@contextlib.contextmanager
def _set_folders() -> Iterator[None]:
    """Set the variables that ``conf/paths`` refers to, as absolute paths."""
    folders = paths()
    values = {
        "BAMBOO_DATA_DIR": folders.data,
        "BAMBOO_RUNS_DIR": folders.runs,
        "BAMBOO_RESOURCES": resource("data"),
    }
    before = {name: os.environ.get(name) for name in values}
    os.environ |= {name: os.path.abspath(path) for name, path in values.items()}
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            os.environ |= {} if value is None else {name: value}


@contextlib.contextmanager
def replace_arguments(arguments: Sequence[str]) -> Iterator[None]:
    """Let Hydra read these arguments, and undo the changes that it makes to logging."""
    os.environ["HYDRA_FULL_ERROR"] = "1"  # raise errors
    root, argv = logging.getLogger(), sys.argv
    handlers, level = list(root.handlers), root.level
    sys.argv = [argv[0], *arguments]
    try:
        yield
    finally:
        sys.argv = argv
        for handler in {*root.handlers} - {*handlers}:
            handler.close()
        root.handlers[:] = handlers
        root.setLevel(level)


def _complete_paths(flags: Sequence[str]) -> list[str]:
    """Return the flags with an absolute path after ``--config-path``, which may be a run's.

    For Hydra, a relative path starts from the folder of this module.
    """
    words = [part for flag in flags for part in (flag.split("=", 1) if flag[:1] == "-" else [flag])]
    for k, word in enumerate(words[:-1]):
        if word in ("--config-path", "-cp") and "://" not in words[k + 1]:
            words[k + 1] = os.path.abspath(words[k + 1])
    return words


def _read_arguments(command: Command, config: DictConfig, flags: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of a command's function from what Hydra composed.

    Args:
        flags: what was typed besides options, for the record.

    Raises:
        ConfigError: a value that is missing or cannot be resolved, or an unsuitable one.
    """
    settings: Any = HydraConfig.get()
    config_dir = _list_folders(settings)
    check_files(settings, config_dir)
    try:
        values: Any = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except OmegaConfBaseException as error:
        raise ConfigError(describe_problem(error, config_dir)) from None
    _check_values(command, values, settings)
    _check_parts(config, settings.overrides.task)
    arguments = {
        key: value for key, value in values.items() if key in command.options and key not in PARTS
    }
    arguments["config_dir"] = config_dir
    if "protocol" in values:
        arguments |= _read_metrics(command, values, settings, config_dir)
    if "data" in values:
        arguments["data"] = [
            dataset_from(
                name,
                node,
                # From the current folder; that of a file starts from the folder of the file.
                {"root": node["root"]} if "root" in _list_typed(settings, f"data.{name}") else {},
                config_dir,
            )
            for name, node in values["data"].items()
        ]
    if "table" in values:
        arguments["table"] = [*values["table"].values()]
    if command.name in IN_FOLDER:
        del arguments["out"]
        arguments["job"] = _describe_job(command, config, flags)
    return arguments


def _check_values(command: Command, values: Mapping[str, Any], settings: Any) -> None:
    """Check what Hydra takes in silence: keys that are no options, and values for mappings.

    Raises:
        ConfigError: one of them.
    """
    for group in (*KEYED, ABOUT):
        for name, node in (values.get(group) or {}).items():
            if not isinstance(node, Mapping):
                text = f"{group}.{name}={format_value(node)}"
                raise ConfigError(f"{text}: expected a mapping of options")
    known = {*command.options, *PARTS, ABOUT, "paths", "rows", *settings.runtime.choices}
    for word in settings.overrides.task:
        name = re.split("[=.@]", word.lstrip("+"))[0]
        if word.startswith("+") and name not in known:
            raise ConfigError(f"{word}: there is no option {name}, nor a folder {name} of YAML")


def _check_parts(config: DictConfig, typed: Sequence[str]) -> None:
    """Check that a solver or word vectors that were typed are those of some metric.

    Raises:
        ConfigError: no metric refers to them.
    """
    for word in typed:
        part = re.split("[=.]", word)[0]
        if part in PARTS and f"${{{part}" not in OmegaConf.to_yaml(config.metric):
            raise ConfigError(f"{word}: no metric of this command refers to ${{{part}}}")


def _list_folders(settings: Any) -> tuple[Path, ...]:
    """Return the user's folders of YAML files, in the order in which Hydra searches them."""
    folders, cwd = [], Path(settings.runtime.cwd)
    for source in settings.runtime.config_sources:
        path = str(source.path)
        if source.schema == "pkg" and source.provider not in ("hydra", "schema"):
            module = import_module(path)
            folders += [Path(folder) for folder in module.__path__]
        elif source.schema == "file" and path and not CONF.samefile(start := cwd / path):
            folders.append(start)
    return tuple(folders)


def _list_typed(settings: Any, owner: str) -> set[str]:
    """Return the options below a key that were typed."""
    begin = f"{owner}."
    keys = [word.lstrip("+").partition("=")[0] for word in settings.overrides.task]
    return {key.removeprefix(begin).partition(".")[0] for key in keys if key.startswith(begin)}


def _read_metrics(
    command: Command, values: Mapping[str, Any], settings: Any, config_dir: ConfigDir
) -> dict[str, Any]:
    """Return the protocol and the metrics.

    Raises:
        ConfigError: an unknown or unsuitable option.
    """
    choices = settings.runtime.choices
    content = {"name": choices.get("protocol"), **values["protocol"]}
    is_own = content["name"] != PUBLISHED
    protocol = read_options(Protocol, content, "protocol") if is_own else None
    metrics: list[Row] = []
    names: list[str] = []  # choose rows of tables
    files = list_files("metric", config_dir)
    for name, node in values["metric"].items():
        options = _list_typed(settings, f"metric.{name}")
        rows = build_composed_rows(
            name,
            node,
            values["about"].get(name) or {},
            options,
            protocol=content["name"] if is_own else None,
            config_dir=config_dir,
        )
        is_plain = [row.name for row in rows] == [rows[0].base] and not options
        if command.name == "tables" and is_plain and name in files:
            names.append(rows[0].base)
        else:
            metrics += rows
    if command.name == "tables":
        return {"protocol": protocol, "metric": [*(values["rows"] or ()), *names, *metrics] or None}
    rows_to_score = drop_uncomputable(tuple(metrics), choices.get("metric") == "all")
    return {"protocol": protocol, "metric": list(rows_to_score)}


def _describe_job(command: Command, config: DictConfig, flags: Sequence[str]) -> Job:
    """Return the folder of a job, and the configuration that is written to it."""
    settings: Any = HydraConfig.get()
    task, of_hydra = list(settings.overrides.task), list(settings.overrides.hydra)
    if "protocol" in config and "name" not in config.protocol:  # that of its file
        with open_dict(config):
            config.protocol.name = settings.runtime.choices.get("protocol")
    is_typed = any(
        word.lstrip("+").startswith(("out=", "hydra.run.dir=")) for word in [*task, *of_hydra]
    )
    folder, origin = Path(settings.runtime.output_dir), Path(settings.runtime.cwd)
    if folder.is_relative_to(origin) and not settings.job.chdir:
        folder = folder.relative_to(origin)
    of_one_job = [flag for flag in flags if flag not in ("-m", "--multirun")]
    of_one_job += [word for word in of_hydra if word.startswith("hydra.searchpath=")]
    return Job(
        (command.name, *task, *of_one_job),
        folder,
        is_typed or settings.mode == RunMode.MULTIRUN,
        bool(settings.job.chdir),
        format_configuration(config),
    )
