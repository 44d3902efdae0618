"""The configuration of a command: its own options, metrics, data sets and published tables."""

from __future__ import annotations

import itertools
import os
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from bamboo.config.composition import (
    PARTS,
    UnknownOptionError,
    compose_group,
    composed,
    named_config,
    resolved,
    set_option,
)
from bamboo.config.groups import CHOICES, LISTS, check_config_dir, names_in
from bamboo.config.jobs import VECTORS, Job, on_boards, with_parts
from bamboo.config.labels import label
from bamboo.config.metrics import OBJECT, TRAINER
from bamboo.config.options import field_types, fit
from bamboo.config.published import PROTOCOLS, NamedMetric, named_metrics
from bamboo.config.settings import Setting
from bamboo.errors import ConfigError
from bamboo.log import NAMES as MESSAGES


@dataclass(frozen=True)
class Configuration:
    """Everything that a command was asked to do, as plain values with interpolations resolved.

    Attributes:
        options: the command's own options, and those of the groups with one name.
        jobs: the metrics to run; one per row.
        data: the data sets' configurations.
        tables: the published tables' configurations.
        config_dir: the user's own folder of YAML.
        command: the command line, starting with the command's name.
        repeats: the folder of the run that is repeated.
        every_metric: whether the metrics were chosen by ``metric=all``.
        given: the keys of the options that were set.
    """

    options: dict[str, Any]
    jobs: tuple[Job, ...]
    data: tuple[dict[str, Any], ...]
    tables: tuple[dict[str, Any], ...] = ()
    config_dir: str | None = None
    command: tuple[str, ...] = ()
    repeats: Path | None = None
    every_metric: bool = False
    given: frozenset[str] = frozenset()

    @property
    def command_name(self) -> str:
        """The name of the command; ``run`` for a configuration created in code."""
        return self.command[0] if self.command else "run"

    @property
    def document(self) -> dict[str, Any]:
        """What ``config.yaml`` in a run folder contains; the command can be repeated from it."""
        return self.options | {
            "metric": {
                job.name: {key: value for key, value in job.metric.items() if key != OBJECT}
                for job in self.jobs
            },
            "data": {data["name"]: data for data in self.data},
            "command": list(self.command),
            "config_dir": self.config_dir,
            "base": {job.name: job.base for job in self.jobs},
        }


def configure(
    command: str,
    names: Mapping[str, str | None],
    settings: Sequence[Setting],
    config_dir: str | None = None,
) -> Configuration:
    """Compose the configuration of a command.

    Args:
        names: the groups of names in lists that the command has, with their defaults.
        settings: the options that were set. The value of ``metric`` may contain jobs, of metrics
            that were given as objects.

    Raises:
        ConfigError: an unknown name, option or value; the message suggests the closest name.
    """
    check_config_dir(config_dir)
    deleted = tuple(names)
    usual = composed(command, deleted, {}, config_dir)
    given = {setting.key: setting for setting in settings}
    for setting in settings:
        if setting.prefix and (setting.key in names or setting.key in CHOICES):
            raise ConfigError(
                f"{setting.word}: choose a name with {setting.key}=NAME, without {setting.prefix}"
            )
    entries = {
        group: given[group].value if group in given else default
        for group, default in names.items()
        if group in given or default is not None
    }
    lists = {
        group: names_in(group, listed, config_dir)
        for group, value in entries.items()
        if (listed := _without_jobs(value)) != [] or not value
    }
    choices = {
        group: names_in(group, setting.value, config_dir)[0]
        for group, setting in given.items()
        if group in CHOICES and group in usual
    }
    chosen_by_name = (*entries, *choices)
    by_group: dict[str, list[Setting]] = {group: [] for group in LISTS}
    others: list[Setting] = []
    of_parts: list[Setting] = []
    for setting in settings:
        owner, dot, _ = setting.key.partition(".")
        if dot and owner in entries:
            by_group[owner].append(setting)
        elif setting.key not in chosen_by_name:
            (of_parts if dot and owner in PARTS else others).append(_one_value(setting))

    def root(choices: Mapping[str, str], settings: Sequence[Setting]) -> DictConfig:
        config = composed(command, deleted, choices, config_dir)
        for setting in settings:
            set_option(config, setting, choices, (*names, *MESSAGES))
        return config

    whole = root(choices, [*others, *of_parts])
    options = resolved(whole, f"see {command} --help")
    every = entries.get("metric") in ("all", ["all"])
    jobs: list[Job] = []
    if "metric" in entries:
        metrics = Metrics(
            lists.get("metric", []),
            _rows(by_group["metric"], lists.get("metric", []), whole, config_dir),
            [*by_group["metric"], *others, *of_parts],
            choices,
            whole,
            root(choices, others),
            root({k: v for k, v in choices.items() if k not in PARTS}, others),
            config_dir,
            every,
        )
        if command == "site":
            boards = {name: compose_group("protocol", name) for name in PROTOCOLS}
            jobs = on_boards({name: metrics.jobs(board) for name, board in boards.items()})
        else:
            jobs = metrics.jobs(options.get("protocol"))
        if isinstance(value := entries["metric"], list):  # objects and names in their order
            named = iter(jobs)
            own = [entry if isinstance(entry, Job) else next(named) for entry in value]
            jobs = own if any(isinstance(entry, Job) for entry in value) else jobs
    if command == "train" and TRAINER not in given:
        trainer = jobs[0].metric.get(TRAINER)
        if isinstance(trainer, str) and trainer != jobs[0].defaults.get(TRAINER):
            # of the published row, or metric.trainer=
            options[TRAINER] = compose_group(TRAINER, trainer, config_dir)
    labels = [job.name for job in jobs]
    if duplicates := [name for name in labels if labels.count(name) > 1]:
        raise ConfigError(f"{duplicates[0]} is requested twice: give each option value once")
    data = tuple(
        _data_options(name, by_group["data"], whole, config_dir) for name in lists.get("data", ())
    )
    tables = tuple(
        named_config("table", name, whole, by_group["table"], config_dir)
        for name in lists.get("table", ())
    )
    words = [setting.word for setting in settings]
    words += ["--config-dir", config_dir] if config_dir else []
    vectors = choices.get(VECTORS)
    return Configuration(
        options,
        tuple(with_parts(job, config_dir, vectors) for job in jobs),
        data,
        tables,
        config_dir,
        (command, *words),
        every_metric=every,
        given=frozenset(given),
    )


def _without_jobs(value: Any) -> Any:
    return [v for v in value if not isinstance(v, Job)] if isinstance(value, list) else value


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


@dataclass(frozen=True)
class Metrics:
    """The metrics of a command, by name.

    Attributes:
        names: the names; rows: the settings of each row, for every name.
        settings: the options in the order in which they were set, for labels.
        choices: the names chosen in groups.
        root: what the YAML of a metric can refer to; plain_root: the same with the default options
            of solver and vectors; usual_root: the same with the default solver and vectors.
        every: the names are those of ``metric=all``.
    """

    names: Sequence[str]
    rows: Sequence[Sequence[Setting]]
    settings: Sequence[Setting]
    choices: Mapping[str, str]
    root: DictConfig
    plain_root: DictConfig
    usual_root: DictConfig
    config_dir: str | None
    every: bool

    def jobs(self, protocol: Any) -> list[Job]:
        """Return the rows: for each name what it means under a protocol, with each combination."""
        meanings = named_metrics(self.names, protocol, self.every, self._defaults)
        return [self._job(meaning, row) for meaning in meanings for row in self.rows]

    def _defaults(self, name: str) -> Mapping[str, Any]:
        return self._config(name, self.plain_root, ())

    def _config(self, name: str, root: DictConfig, settings: Sequence[Setting]) -> dict[str, Any]:
        return named_config("metric", name, root, settings, self.config_dir)

    def _job(self, meaning: NamedMetric, row: Sequence[Setting]) -> Job:
        name = meaning.metric
        published = [
            Setting(f"metric.{option}", value, word=f"metric.{option}={value}")
            for option, value in meaning.options.items()
        ]
        try:
            config = self._config(name, self.root, [*published, *row])
        except UnknownOptionError as error:
            if len(self.names) == 1:
                raise
            raise ConfigError(
                f"{error}. Options metric.* apply to every metric of a command: use one command for "
                "each metric, or a name of your own for a metric with options "
                "(docs/extend/metric.md)"
            ) from None
        usual = self._config(name, self.plain_root, published)
        choices = PARTS | {k: v for k, v in self.choices.items() if k in PARTS}
        usual_choices = dict(PARTS)
        if isinstance(own := usual.get(VECTORS), str):  # the metric has its own default
            usual_choices[VECTORS] = own
            choices[VECTORS] = self.choices.get(VECTORS, own)
        swept = {setting.key for setting in self.settings if setting.several}
        shown = [s for s in self.settings if s.key not in swept and not _is_of(s, "metric")]
        order = {setting.key: k for k, setting in enumerate(self.settings)}
        shown = sorted([*shown, *row], key=lambda s: (s.key in swept, order[s.key]))
        label_ = label(meaning.label, shown, choices, usual_choices, usual, config)
        return Job(label_, config, name, self._config(name, self.usual_root, ()))


def _is_of(setting: Setting, group: str) -> bool:
    return setting.key.startswith(f"{group}.")


def _rows(
    settings: Sequence[Setting], names: Sequence[str], root: DictConfig, config_dir: str | None
) -> list[list[Setting]]:
    """Return the settings of each row: the combinations of options with several values.

    The values of an option that is always a list are one value.
    """
    alternatives: list[list[Setting]] = []
    for setting in settings:
        if setting.several and not (
            setting.is_plain_list
            and any(_is_list(setting, name, root, config_dir) for name in names)
        ):
            alternatives.append(
                [
                    Setting(setting.key, value, setting.prefix, word=setting.word)
                    for value in setting.value
                ]
            )
        else:
            alternatives.append([setting])
    return [list(row) for row in itertools.product(*alternatives)]


def _is_list(setting: Setting, name: str, root: DictConfig, config_dir: str | None) -> bool:
    """Check that an option of a metric is a list, and cannot be a single value."""
    config = named_config("metric", name, root, (), config_dir)
    _, *owners, option = setting.key.split(".")
    for owner in owners:
        config = config.get(owner) or {}
    if isinstance(config.get(option), list):
        return True
    try:
        cls = pkgutil.resolve_name(config.get("_target_", ""))
    except Exception:  # any error is reported when the metric is built
        return False
    hint = field_types(cls).get(option) if isinstance(cls, type) and is_dataclass(cls) else None
    return hint is not None and _fits(setting.value, hint) and not _fits(setting.value[0], hint)


def _fits(value: Any, hint: Any) -> bool:
    try:
        fit(value, hint, "")
    except ConfigError:
        return False
    return True


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
    own = config_dir is not None and (folder / f"{name}.yaml").is_file()
    place = complete["root"]
    if typed or not own or not isinstance(place, str) or Path(place).expanduser().is_absolute():
        return complete
    path = os.path.abspath(folder / place)
    if not Path(path).exists() and Path(place).exists():
        raise ConfigError(
            f"{folder / name}.yaml: root: a relative path starts from the folder of the file: "
            f"write root: {os.path.relpath(place, folder)}"
        )
    return {**complete, "root": path}
