"""The configuration of a command: its own options, metrics, data sets and published tables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from bamboo.config.composition import (
    PARTS,
    compose_group,
    composed,
    named_config,
    resolved,
    set_option,
)
from bamboo.config.groups import CHOICES, LISTS, check_config_dir, names_in
from bamboo.config.named import Metrics
from bamboo.config.published import PROTOCOLS
from bamboo.config.rows import TRAINER, Row, distinct, on_boards
from bamboo.config.settings import Setting
from bamboo.errors import ConfigError
from bamboo.log import NAMES as MESSAGES


@dataclass(frozen=True)
class Configuration:
    """The configuration of a command as plain values, with interpolations resolved.

    Attributes:
        options: the options of the command, and those of the groups with one name.
        rows: the metrics to run.
        data: the data sets' configurations.
        tables: the published tables' configurations.
        config_dir: the user's folder of YAML.
        command: the command line, starting with the command's name.
        every_metric: whether the metrics are those of ``metric=all``.
        given: the keys of the options that were set.
    """

    options: dict[str, Any]
    rows: tuple[Row, ...]
    data: tuple[dict[str, Any], ...]
    tables: tuple[dict[str, Any], ...] = ()
    config_dir: str | None = None
    command: tuple[str, ...] = ()
    every_metric: bool = False
    given: frozenset[str] = frozenset()

    @property
    def command_name(self) -> str:
        """The name of the command; ``run`` for a configuration created in code."""
        return self.command[0] if self.command else "run"

    @property
    def document(self) -> dict[str, Any]:
        """The content of ``config.yaml`` in a run folder."""
        return self.options | {
            "metric": {row.name: row.document for row in self.rows},
            "data": {data["name"]: data for data in self.data},
            "command": list(self.command),
            "config_dir": self.config_dir,
        }


def configure(
    command: str,
    declared: Mapping[str, Any],
    settings: Sequence[Setting],
    config_dir: str | None = None,
) -> Configuration:
    """Compose the configuration of a command.

    Args:
        declared: the default of each option; for a group, a name in it.
        settings: the options that were set. The value of ``metric`` may contain jobs, of metrics
            that were given as objects.

    Raises:
        ConfigError: an unknown name, option or value; the message suggests the closest name.
    """
    check_config_dir(config_dir)
    set_options = {setting.key: setting for setting in settings}
    groups = [group for group in (*LISTS, *CHOICES) if group in declared]
    for setting in settings:
        if setting.prefix and setting.key in groups:
            raise ConfigError(
                f"{setting.word}: choose a name with {setting.key}=NAME, without {setting.prefix}"
            )
    values = {
        group: set_options[group].value if group in set_options else declared[group]
        for group in groups
        if group in set_options or declared[group] is not None
    }
    names = {
        group: names_in(group, listed, config_dir)
        for group, value in values.items()
        if (listed := _without_jobs(value)) != [] or not value
    }
    choices = {group: names[group][0] for group in CHOICES if group in values}
    by_group: dict[str, list[Setting]] = {group: [] for group in LISTS}
    others: list[Setting] = []
    for setting in settings:
        owner, dot, _ = setting.key.partition(".")
        if dot and owner in LISTS and owner in groups:
            by_group[owner].append(setting)
        elif setting.key not in groups:
            others.append(_one_value(setting))
    named = {group: name for group, name in choices.items() if group in set_options}
    whole = composed({k: v for k, v in declared.items() if k not in groups}, choices, config_dir)
    for setting in others:
        set_option(whole, setting, named, (*groups, *MESSAGES))
    options = resolved(whole, f"see {command} --help")
    every = values.get("metric") in ("all", ["all"])
    rows: list[Row] = []
    if "metric" in values:
        parts = {group: named[group] for group in PARTS if group in named}
        metrics = Metrics(names.get("metric", []), by_group["metric"], others, parts, config_dir)
        if command == "site":
            boards = {name: compose_group("protocol", name) for name in PROTOCOLS}
            rows = on_boards({name: metrics.rows(board, every) for name, board in boards.items()})
        else:
            rows = metrics.rows(options.get("protocol"), every)
        entries = values["metric"]
        if isinstance(entries, list) and any(isinstance(entry, Row) for entry in entries):
            named_rows = iter(rows)  # objects and names keep their order
            rows = [entry if isinstance(entry, Row) else next(named_rows) for entry in entries]
    if command == "train" and TRAINER not in set_options:
        trainer = rows[0].trainer  # of the published row, or metric.trainer=
        if trainer is not None and trainer.get("name") != options[TRAINER].get("name"):
            options[TRAINER] = trainer
    data = [_data_options(n, by_group["data"], whole, config_dir) for n in names.get("data", ())]
    tables = [
        named_config("table", name, whole, by_group["table"], config_dir)
        for name in names.get("table", ())
    ]
    words = [setting.word for setting in settings]
    words += ["--config-dir", config_dir] if config_dir else []
    return Configuration(
        options,
        distinct(rows),
        tuple(data),
        tuple(tables),
        config_dir,
        (command, *words),
        every_metric=every,
        given=frozenset(set_options),
    )


def _without_jobs(value: Any) -> Any:
    return [v for v in value if not isinstance(v, Row)] if isinstance(value, list) else value


def _one_value(setting: Setting) -> Setting:
    """Return a setting with a list in place of several values.

    Raises:
        ConfigError: values such as ``range(1,4)``.
    """
    if setting.several and not setting.is_plain_list:
        raise ConfigError(
            f"{setting.word}: only options of a metric can have several values; "
            f"write a list as {setting.key}=[...]"
        )
    return setting


def _data_options(
    name: str, settings: Sequence[Setting], root: DictConfig, config_dir: str | None
) -> dict[str, Any]:
    """Return the options of a data set with their defaults: name, title, and the folder.

    In the user's YAML, the root is relative to the folder of the file; on the command line, it is
    relative to the current folder.

    Raises:
        ConfigError: a root that exists only relative to the current folder.
    """
    options = named_config("data", name, root, settings, config_dir)
    complete = {"name": name, "title": options.get("name", name), "root": ".", **options}
    typed = any(setting.key == "data.root" for setting in settings)
    folder = Path(config_dir or "") / "data"
    in_user_yaml = config_dir is not None and (folder / f"{name}.yaml").is_file()
    data_root = complete["root"]
    if (
        typed
        or not in_user_yaml
        or not isinstance(data_root, str)
        or Path(data_root).expanduser().is_absolute()
    ):
        return complete
    path = os.path.abspath(folder / data_root)
    if not Path(path).exists() and Path(data_root).exists():
        raise ConfigError(
            f"{folder / name}.yaml: root: a relative path starts from the folder of the file: "
            f"write root: {os.path.relpath(data_root, folder)}"
        )
    return {**complete, "root": path}
