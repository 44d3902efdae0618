"""Rows of metrics that are given by name, with options."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from amr_metrics.building import option_types
from amr_metrics.errors import OptionError
from amr_metrics.fields import fit
from bamboo.config.composition import (
    EVERY_METRIC,
    PARTS,
    UnknownOptionError,
    base_config,
    composed,
    named_config,
    set_option,
)
from bamboo.config.published import NamedMetric, named_metrics
from bamboo.config.rows import TRAINER, VECTORS, Row, differences
from bamboo.config.settings import Setting
from bamboo.errors import ConfigError, unknown
from bamboo.installation import PATHS

WEIGHTS = "weights"  # the option for a file of learned weights


@dataclass(frozen=True)
class Metrics:
    """The metrics of a command, by name.

    Attributes:
        names: the names.
        settings: the options of metrics.
        others: the other options of the command.
        choices: the name selected in each group.
    """

    names: Sequence[str]
    settings: Sequence[Setting]
    others: Sequence[Setting]
    choices: Mapping[str, str]
    config_dir: str | None

    def rows(self, protocol: Any, every: bool) -> list[Row]:
        """Return a row per name and combination of options, with the meaning in a protocol.

        Args:
            every: the names are those of ``metric=all``.
        """
        usual = base_config(self.config_dir)

        def default(name: str) -> dict[str, Any]:
            return named_config("metric", name, usual, (), self.config_dir)

        meanings = named_metrics(self.names, protocol, every, default)
        root, default_root = self._root(self.others), self._root(())
        combinations = self._combinations(default_root)
        return [
            self._row(meaning, options, root, default_root)
            for meaning in meanings
            for options in combinations
        ]

    def _root(self, settings: Sequence[Setting]) -> DictConfig:
        parts = {group: self.choices.get(group, name) for group, name in PARTS.items()}
        root = composed({"paths": dict(PATHS)}, parts, self.config_dir)
        for setting in settings:
            if setting.key.partition(".")[0] in root:
                set_option(root, setting)
        return root

    def _combinations(self, root: DictConfig) -> list[list[Setting]]:
        """Return the settings of each row: the combinations of options with several values.

        The values of an option that is always a list are one value.
        """
        alternatives: list[list[Setting]] = []
        for setting in self.settings:
            is_list = setting.is_plain_list and any(
                _is_list(setting, named_config("metric", name, root, (), self.config_dir))
                for name in self.names
            )
            values = setting.value if setting.several and not is_list else [setting.value]
            alternatives.append(
                [Setting(setting.key, value, setting.prefix, word=setting.word) for value in values]
            )
        return [list(row) for row in itertools.product(*alternatives)]

    def _row(
        self,
        meaning: NamedMetric,
        options: Sequence[Setting],
        root: DictConfig,
        default_root: DictConfig,
    ) -> Row:
        published = [
            Setting(f"metric.{option}", value, word=f"metric.{option}={value}")
            for option, value in meaning.options.items()
        ]
        try:
            config = named_config(
                "metric", meaning.metric, root, [*published, *options], self.config_dir
            )
        except UnknownOptionError as error:
            if len(self.names) == 1:
                raise
            raise ConfigError(
                f"{error}. Options metric.* apply to every metric of a command: use one command "
                "for each metric, or a name of your own for a metric with options "
                "(docs/extend/metric.md)"
            ) from None
        usual = named_config("metric", meaning.metric, default_root, published, self.config_dir)
        parts = []
        for group, name in self.choices.items():
            value = usual.get(group)  # a name if the metric has its own default
            if group in config and name != (value if isinstance(value, str) else PARTS[group]):
                parts.append(f"{group}={name}")
        if TRAINER in config:
            weights = [s.value for s in self.others if s.key == WEIGHTS and s.value is not None]
            parts += [f"{WEIGHTS}={Path(path).name}" for path in weights]
        label = " ".join([meaning.label, *parts, *differences(config, usual)])
        if isinstance(config.get(VECTORS), str) and VECTORS in self.choices:
            config[VECTORS] = self.choices[VECTORS]
        return Row.of(label, config, meaning.metric, self.config_dir)


def _is_list(setting: Setting, config: Mapping[str, Any]) -> bool:
    """Check that an option of a metric is a list, and cannot be a single value."""
    _, *owners, option = setting.key.split(".")
    for owner in owners:
        config = config.get(owner) or {}
    if isinstance(config.get(option), list):
        return True
    hint = option_types(config).get(option)
    return hint is not None and _fits(setting.value, hint) and not _fits(setting.value[0], hint)


def _fits(value: Any, hint: Any) -> bool:
    try:
        fit(value, hint, "")
    except OptionError:
        return False
    return True


def named_rows(
    requests: Sequence[tuple[str, str, Mapping[str, Any]]], config_dir: str | None = None
) -> list[Row]:
    """Return metrics with options as rows.

    Args:
        requests: label of the row, name of the metric, and its options.

    Raises:
        ConfigError: an unknown metric or option.

    >>> named_rows([("rootless", "smatch", {"root": "none"})])[0].metric.root
    'none'
    """
    root = base_config(config_dir)
    configs: dict[str, dict[str, Any]] = {}
    rows = []
    for name, metric, options in requests:
        if metric not in configs:
            configs[metric] = named_config("metric", metric, root, (), config_dir)
        accepted = [*configs[metric], *EVERY_METRIC]
        if rejected := [key for key in options if key not in accepted]:
            raise ConfigError(unknown(f"option of {metric}", rejected[0], accepted))
        rows.append(Row.of(name, configs[metric] | dict(options), metric, config_dir))
    return rows
