"""Commands run by Hydra: multi-runs with its sweepers and launchers, and its output folders."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from omegaconf import DictConfig, OmegaConf

from bamboo import messages
from bamboo.config.arguments import choices_and_options, default_choices
from bamboo.config.composition import (
    Hydra,
    added,
    group_choices,
    hydra_context,
    parsed_override,
)
from bamboo.config.groups import LISTS, all_names, group_names
from bamboo.config.hydra_flags import HydraFlags
from bamboo.config.overrides import is_sweep, with_quoted_paths
from bamboo.config.path_options import is_path_of_command
from bamboo.config.request import read_request
from bamboo.errors import ConfigError, unknown
from bamboo.results.run_folder import config_document

# Commands whose `out` is a folder for all files: the folder of Hydra's job.
WITH_FOLDER = ("run", "compare", "train", "tables")

Run = Callable[[str, list[str], str | None], str]


@dataclass(frozen=True)
class Task:
    """One job of Hydra's: the command with the options of the job.

    Attributes:
        run: runs a command, given its name, arguments and ``--config-dir``; returns its output.
        command: its name.
        config_dir: the user's own folder of YAML.
        messages: how much is printed.
        arguments: the arguments of a single job, in which a comma makes a list; None: those of
            Hydra's job.
    """

    run: Run
    command: str
    config_dir: str | None
    messages: messages.Messages
    arguments: tuple[str, ...] | None = None

    def __call__(self, config: DictConfig) -> float | None:
        """Run the command, print its output, and return the value that a sweeper optimises."""
        from hydra.core.global_hydra import GlobalHydra
        from hydra.core.hydra_config import HydraConfig
        from hydra.initialize import get_gh_backup, restore_gh_from_backup

        messages.use(self.messages)  # this may be another process
        job = HydraConfig.get()
        arguments = self._arguments_of(job) if self.arguments is None else list(self.arguments)
        folder = Path(job.runtime.output_dir)
        keys = [argument.partition("=")[0].lstrip("+") for argument in arguments]
        if self.command in WITH_FOLDER and "out" not in keys:
            arguments.append(f"out={folder}")
        # The command composes its own configuration, and Hydra has one application at a time.
        backup = get_gh_backup()
        GlobalHydra.instance().clear()
        try:
            print(self.run(self.command, arguments, self.config_dir), flush=True)
        finally:
            restore_gh_from_backup(backup)
        return objective(folder)

    def _arguments_of(self, job: Any) -> list[str]:
        """The arguments of a job of a multi-run."""
        # Not resolved: an escaped `\${` in a path is part of its name.
        overrides = OmegaConf.to_container(job.overrides.task, resolve=False)
        assert isinstance(overrides, list)
        return [_typed(self.command, str(override)) for override in overrides]


def objective(folder: Path) -> float | None:
    """The value of a job for a sweeper such as Optuna's; None if the folder has no result.

    For ``train``, the statistic on dev; for ``run``, the mean of the cells of the first metric.
    """
    if (weights := folder / "weights.json").is_file():
        return float(json.loads(weights.read_text("utf-8"))["dev"])
    if (result := folder / "result.json").is_file():
        cells = json.loads(result.read_text("utf-8"))["rows"][0]["cells"]
        values = [cell["value"] for cell in cells if cell["value"] is not None]
        return sum(values) / len(values) if values else None
    return None


def run_by_hydra(
    run: Run, command: str, arguments: Sequence[str], config_dir: str | None, flags: HydraFlags
) -> str:
    """Run a command as Hydra runs an application, once or for every combination of values.

    Args:
        run: see `Task`.

    Raises:
        ConfigError: an argument that Hydra cannot read.
        BambooError, MetricError: from a job.
    """
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    if not flags.multirun:
        read_request(command, arguments, config_dir)  # for messages with suggestions
    chosen = default_choices(command, config_dir)
    groups, others = [], []
    for argument in arguments:
        key, _, value = argument.partition("=")
        if key in chosen:
            chosen[key] = _checked_names(key, value, config_dir) or chosen[key]
            as_list = value == "all" or (key in LISTS and not flags.multirun)
            groups.append(f"{key}=[{','.join(chosen[key])}]" if as_list else argument)
        else:
            others.append(argument)
    _, typed = choices_and_options(command, others, config_dir)
    with hydra_context(command, config_dir) as hydra, _own_logging():
        options = [_quoted(command, option, hydra, chosen) for option in typed]
        overrides = [*groups, *map(added, options), *hydra.search, *flags.options]
        app = GlobalHydra.instance().hydra
        assert app is not None
        if flags.multirun:
            start, own = app.multirun, None
        else:  # Hydra refuses commas; the command has the arguments as typed
            start, own = app.run, tuple(arguments)
            overrides = [text for text in overrides if not is_sweep(text)]
        task = Task(run, command, config_dir, messages.current(), own)
        try:
            start(config_name=command, task_function=task, overrides=overrides)
        except (HydraException, OmegaConfBaseException) as error:
            hydra.explain(options, chosen)
            raise ConfigError(" ".join(str(error).split())) from None
    return ""


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


def _checked_names(group: str, value: str, config_dir: str | None) -> list[str]:
    """The names in a group's value; none for a function of Hydra's such as ``glob(s*)``.

    Raises:
        ConfigError: an unknown name.
    """
    if "(" in value:
        return []
    if value == "all" and group in LISTS:
        return all_names(group, config_dir)
    names = [name.strip() for name in value.strip("[]").split(",")]
    known = group_names(group, config_dir)
    if strange := [name for name in names if name not in known]:
        raise ConfigError(unknown(group, strange[0], known))
    return names


def _quoted(command: str, option: str, hydra: Hydra, chosen: Mapping[str, list[str]]) -> str:
    """An option with its path in quotes, or each of its paths."""
    key, _, value = option.partition("=")
    if "," not in value or value[0] in "[{'\"" or Path(value).exists():
        return with_quoted_paths(command, [option], hydra, chosen)[0]
    parts = [f"{key}={part}" for part in value.split(",")]
    quoted = with_quoted_paths(command, parts, hydra, chosen)
    values = ",".join(part.removeprefix(f"{key}=") for part in quoted)
    return option if quoted == parts else f"{key}={values}"


def _typed(command: str, override: str) -> str:
    """An option of a job as it would be typed: paths without Hydra's quotation marks."""
    from hydra.core.override_parser.types import QuotedString

    parsed = parsed_override(override)
    key = parsed.get_key_element()
    raw = parsed._value
    if not isinstance(raw, QuotedString):
        return override.removeprefix("++") if key.startswith("++metric.standardize") else override
    is_path = is_path_of_command(command, key.lstrip("+")) or key.startswith(("vectors.", "metric"))
    # Hydra's parser leaves `\${`, which OmegaConf reads as `${`.
    return f"{key}={OmegaConf.create({'v': parsed.value()}).v}" if is_path else override


def show(command: str, arguments: Sequence[str], config_dir: str | None, flags: HydraFlags) -> str:
    """What ``--cfg`` and ``--info`` print.

    ``--cfg job`` shows the configuration with all metrics and data sets, as `run` writes it to
    ``config.yaml``; the rest is printed by Hydra, for the first name of each group.

    Raises:
        ConfigError: an unknown package, or an option that cannot be set.
    """
    from hydra.core.global_hydra import GlobalHydra

    request = read_request(command, arguments, config_dir)
    if flags.cfg == "job" and flags.info is None:
        document = config_document(request)
        value: Any = OmegaConf.to_container(OmegaConf.create(document))
        if flags.package not in (None, "_global_"):
            config = OmegaConf.create(document)
            value = OmegaConf.select(config, str(flags.package))
            if value is None:
                first = str(flags.package).partition(".")[0]
                raise ConfigError(
                    f"package {flags.package!r} not found in the configuration"
                    if first in document
                    else unknown("package", first, map(str, document))
                )
            value = OmegaConf.to_container(value) if OmegaConf.is_config(value) else value
        if not isinstance(value, dict | list):
            return str(value)
        return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True)).rstrip("\n")
    chosen, typed = choices_and_options(command, arguments, config_dir)
    text = io.StringIO()
    with (
        hydra_context(command, config_dir) as hydra,
        _own_logging(),
        contextlib.redirect_stdout(text),
    ):
        options = with_quoted_paths(command, typed, hydra, chosen)
        overrides = [
            *itertools.chain(group_choices(chosen), map(added, options), hydra.search),
            *flags.options,
        ]
        app = GlobalHydra.instance().hydra
        assert app is not None
        if flags.info is not None:
            app.show_info(flags.info, command, overrides)
        else:
            assert flags.cfg is not None
            app.show_cfg(command, overrides, flags.cfg, flags.package, flags.resolve)
    return text.getvalue().rstrip("\n")
