"""Run a command as an application of Hydra."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import hydra
from hydra._internal.utils import get_args_parser
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException, OverrideParseException
from hydra.types import RunMode
from omegaconf import OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException
from yaml import YAMLError

from amr_metrics.building import TARGET, default_options
from bamboo.api.names import All
from bamboo.app.commands import COMMANDS, INFORMATION, OPTIONS, PARTS, Command
from bamboo.app.words import NODE, overrides
from bamboo.config.composition import in_one_line, literal, register_resolver
from bamboo.config.groups import CHOICES, all_names
from bamboo.config.named import Named
from bamboo.config.rows import VECTORS, differences
from bamboo.errors import ConfigError
from bamboo.files import plain
from bamboo.installation import CALLED_AS, Paths, paths, resource

# Commands whose `out` is a folder for all files: the folder of Hydra's job.
WITH_FOLDER = ("run", "compare", "train", "tables")
SEE = " (docs/hydra.md)"
HERE = "."  # hydra.run.dir, unless it is set

Call = Callable[[Mapping[str, Any]], None]


def run_command(
    command: Command,
    words: Sequence[str],
    flags: Sequence[str],
    config_dir: str | None,
    call: Call,
) -> None:
    """Compose the options of a command, and call its function with them.

    Args:
        words: ``key=value``, and files without a name.
        flags: those of Hydra, such as ``--multirun``.
        call: calls the function, and prints what it returns.

    Raises:
        ConfigError: an option or a flag that Hydra refuses.
        BambooError, MetricError: from the function.
    """
    multirun = any(flag in ("-m", "--multirun") for flag in flags)
    folder = [] if config_dir is None else ["--config-dir", str(Path(config_dir).resolve())]
    arguments = [*folder, *overrides(command, words, config_dir, multirun), *flags]
    _check_flags(flags)
    register_resolver()
    _register(command)
    job = _Job(command, tuple(words), config_dir, call)
    main = hydra.main(str(resource("conf")), command.name, version_base="1.3")
    try:
        with (
            _own_logging(),
            mock.patch.object(sys, "argv", [sys.argv[0], *arguments]),
            mock.patch.dict(os.environ, {"HYDRA_FULL_ERROR": "1"}),  # raise errors
        ):
            main(job)()
        if job.errors:
            raise job.errors[0]
    except OverrideParseException as error:
        problem = str(error).splitlines()[0]
        raise ConfigError(_as_typed(f"{error.override} cannot be read: {problem}")) from None
    except (HydraException, OmegaConfBaseException, YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(_as_typed(in_one_line(error))) from None


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
        print(" ".join(one for one in (*COMMANDS, *INFORMATION) if one.startswith(name)))
        return
    command = COMMANDS.get(name, COMMANDS["run"])
    _register(command)
    main = hydra.main(str(resource("conf")), command.name, version_base="1.3")
    with (
        mock.patch.object(sys, "argv", [sys.argv[0], "-sc", request]),
        mock.patch.dict(os.environ, {"COMP_LINE": f"{program} {rest}", "HYDRA_FULL_ERROR": "1"}),
    ):
        try:
            main(lambda config: None)()
        except (HydraException, ValueError) as error:
            raise ConfigError(f"-sc {request}: {in_one_line(error)}") from None


def _check_flags(flags: Sequence[str]) -> None:
    """Check flags before Hydra does, which prints its usage or raises a ValueError."""
    usage = io.StringIO()
    try:
        with contextlib.redirect_stderr(usage):
            given = get_args_parser().parse_args(flags)
    except SystemExit:
        raise ConfigError(f"{usage.getvalue().rpartition('error: ')[2].strip()}{SEE}") from None
    if sum(map(bool, (given.run, given.multirun, given.cfg, given.info))) > 1:
        raise ConfigError(f"--run, --multirun, --cfg and --info exclude one another{SEE}")
    if (given.resolve or given.package is not None) and not given.cfg:
        raise ConfigError(f"--resolve and --package require --cfg{SEE}")


def _as_typed(text: str) -> str:
    """Return a message with the options' names as on the command line."""
    text = re.sub(rf"\b({'|'.join(OPTIONS)})\.{NODE}\d+", r"\1", text)
    for group, options in OPTIONS.items():
        text = re.sub(rf"(\+\+)?\b{options}\.", f"{group}.", text)
    return text


def _words_of(task: Sequence[str]) -> tuple[str, ...]:
    """Return what to type for a job with some overrides.

    >>> _words_of(["+metric@metric.row0=wlk", "++options.K=3", "+metric@metric.row1=sema"])
    ('metric=wlk,sema', 'metric.K=3')
    """
    names: dict[str, list[str]] = {}
    others = []
    for override in task:
        if member := re.fullmatch(rf"\+(\w+)@\1\.{NODE}\d+=(.*)", override):
            names.setdefault(member[1], []).append(member[2].strip("'"))
        else:
            others.append(_as_typed(override))
    return (*(f"{group}={','.join(listed)}" for group, listed in names.items()), *others)


def _register(command: Command) -> None:
    """Register the options of a command with Hydra.

    They are a mapping, since the structured configurations of OmegaConf have neither `Literal` nor
    unions of a value and a list: the functions check the types.
    """
    node: dict[str, Any] = {}
    groups: list[Any] = []
    for name, option in command.options.items():
        if name in CHOICES:
            groups.append({name: option.default})
        elif name not in OPTIONS:
            node[name] = _plain(option.default)
    folders = paths()
    for group, options in OPTIONS.items():
        if group in command.options:
            node |= {options: {}, group: {}}
    node["paths"] = {"data": literal(folders.data), "runs": literal(folders.runs)}
    node["hydra"] = {"output_subdir": None, "run": {"dir": HERE}}
    if "metric" in command.options:  # whose YAML refers to them
        groups += [{p: name} for p, (name, _) in PARTS.items() if p not in command.options]
    quiet = [{f"override hydra/{log}": "none"} for log in ("hydra_logging", "job_logging")]
    groups += ["_self_", *quiet]
    ConfigStore.instance().store(command.name, {"defaults": groups, **node})


def _plain(default: Any) -> Any:
    if isinstance(default, Mapping):
        return {key: _plain(value) for key, value in default.items()}
    return list(default) if isinstance(default, tuple) else plain(default)


@dataclass
class _Job:
    """A job of Hydra's.

    Attributes:
        errors: of a single job; Hydra would print a line of its own before it.
    """

    command: Command
    words: tuple[str, ...]
    config_dir: str | None
    call: Call
    errors: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.__module__ = self.command.name  # Hydra names the job after it

    def __call__(self, config: Any) -> float | None:
        """Call the function, and return the value that a sweeper optimises."""
        job = HydraConfig.get()
        single = job.mode == RunMode.RUN
        try:
            arguments = _arguments(self.command, config, job, self.config_dir)
            folder = Path(job.runtime.output_dir)
            with_folder = not single or job.run.dir != HERE
            if with_folder and self.command.name in WITH_FOLDER and arguments["out"] is None:
                arguments["out"] = folder
            typed = self.words if single else _words_of(job.overrides.task)
            end = () if self.config_dir is None else ("--config-dir", self.config_dir)
            token = CALLED_AS.set((self.command.name, *typed, *end))
            try:
                self.call(arguments)
            finally:
                CALLED_AS.reset(token)
        except Exception as error:
            if not single:
                raise
            self.errors.append(error)
            return None
        return objective(folder) if with_folder else None


def _arguments(command: Command, config: Any, job: Any, config_dir: str | None) -> dict[str, Any]:
    """Return the arguments of a function from the configuration that Hydra composed.

    Args:
        job: the configuration of Hydra.
    """
    choices = job.runtime.choices
    given = {override.partition("=")[0] for override in job.overrides.task}
    try:
        values: Any = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except MissingMandatoryValue as error:
        key = _as_typed(str(error.full_key))
        raise ConfigError(f"{key}=... is required: see {command.name} --help") from None
    values["config_dir"] = config_dir
    folders = values.pop("paths")
    if "folders" in command.parameters:
        values["folders"] = Paths(data=Path(folders["data"]), runs=Path(folders["runs"]))
    labels = {
        part: _label(part, choices[part], values.pop(part)) for part in PARTS if part in values
    }
    for group in OPTIONS:
        if group not in command.options:
            continue
        nodes = values.pop(group)
        if OPTIONS[group] not in command.parameters and (unused := values.pop(OPTIONS[group])):
            raise ConfigError(
                f"{group}.{min(unused)}: the rows of a table have their own options; {group}=NAME "
                "chooses rows"
            )
        named = []
        for node, content in nodes.items():
            name, texts = choices[f"{group}@{group}.{node}"], labels if group == "metric" else {}
            own = content.get(VECTORS) if group == "metric" else None
            if VECTORS in given and isinstance(own, str) and own != choices[VECTORS]:
                content[VECTORS] = choices[VECTORS]
                texts = {**labels, VECTORS: f"{VECTORS}={choices[VECTORS]}"}
            named.append(Named(name, content, texts))
        every = named and [one.name for one in named] == all_names(group, config_dir)
        values[group] = All(tuple(named)) if every else named or command.options[group].default
    return {str(name): value for name, value in values.items()}


def _label(part: str, name: str, config: Mapping[str, Any]) -> str:
    """Return what labels say of a solver or of word vectors: what differs from the default."""
    texts = [] if name == PARTS[part][0] else [f"{part}={name}"]
    given = {key: value for key, value in config.items() if key != TARGET}
    return " ".join([*texts, *differences(given, default_options(config), f"{part}.")])


def objective(folder: Path) -> float | None:
    """Return the value of a job for a sweeper such as Optuna's; None if there is no result.

    For ``train``, the statistic on dev; for ``run``, the mean of the cells of the first metric.
    """
    if (weights := folder / "weights.json").is_file():
        return float(json.loads(weights.read_text("utf-8"))["dev"])
    if (result := folder / "result.json").is_file():
        cells = json.loads(result.read_text("utf-8"))["rows"][0]["cells"]
        values = [cell["value"] for cell in cells if cell["value"] is not None]
        return sum(values) / len(values) if values else None
    return None


@contextlib.contextmanager
def _own_logging() -> Iterator[None]:
    """Undo the changes that Hydra makes to logging."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        for handler in root.handlers:
            if handler not in handlers:
                handler.close()
        root.handlers[:] = handlers
        root.setLevel(level)
