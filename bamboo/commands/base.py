"""What the commands share: declared options, and what is built from a configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from amr_metrics.base import Metric
from amr_metrics.errors import VectorError
from amr_metrics.utils.extras import lacking
from bamboo.commands import command_class
from bamboo.commands.options import option
from bamboo.config.configuration import Configuration, configure
from bamboo.config.options import read_options
from bamboo.config.rows import Row, given_rows
from bamboo.config.settings import Setting, python_settings, read_words
from bamboo.errors import ConfigError, message
from bamboo.files import write_text
from bamboo.installation import PATHS, Paths
from bamboo.log import note, warn

# Options of functions whose default is None, and whose values are names, also with commas.
BY_NAME = ("metric", "data", "partition")

# The configurations of functions called before.
_CONFIGURED: dict[str, Configuration] = {}
MOST_CONFIGURED = 64


@dataclass(frozen=True, kw_only=True)
class Command:
    """The options of a command, and what it does.

    Attributes:
        configuration: the configuration that the options are from.
    """

    NAME: ClassVar[str]
    POSITIONAL: ClassVar[tuple[str, ...]] = ()  # options that can be given without their names
    EXTRA: ClassVar[tuple[str, str] | None] = None  # an optional dependency, and what needs it

    configuration: Configuration
    paths: Paths = option(
        PATHS,
        {
            "data": "folder of downloads and built partitions; by default data/ in a checkout, "
            "otherwise a folder per user (docs/installation.md)",
            "runs": "folder of results",
        },
    )

    @classmethod
    def configured(
        cls,
        settings: Sequence[Setting],
        config_dir: str | None = None,
    ) -> Configuration:
        """Return the configuration with some settings; arguments as of `configure`.

        Raises:
            ConfigError: an unknown name or option.
        """
        declared = {f.name: f.metadata["default"] for f in fields(cls) if "default" in f.metadata}
        return configure(cls.NAME, declared, cls.adjusted(settings, config_dir), config_dir)

    @classmethod
    def adjusted(cls, settings: Sequence[Setting], config_dir: str | None) -> Sequence[Setting]:
        """Return the settings that some settings mean; by default, the same.

        Raises:
            ConfigError: settings that the command does not support.
        """
        return settings

    @classmethod
    def from_words(cls, words: Sequence[str], config_dir: str | None = None) -> Self:
        """Build the command from ``key=value`` words; see `configured`."""
        return cls.of(configured(cls.NAME, words, config_dir))

    @classmethod
    def from_values(cls, options: Mapping[str, Any], config_dir: str | Path | None = None) -> Self:
        """Build the command from keyword arguments; None as ``metric`` or ``data`` is the default.

        Raises:
            ConfigError: an unknown option, or an invalid value.
        """
        given = {k: v for k, v in options.items() if v is not None or k not in BY_NAME}
        metric = given.get("metric")
        settings = []
        for key in BY_NAME:
            if (value := given.pop(key, None)) is not None:
                names = given_rows(value, given) if key == "metric" else names_given(value)
                shown = ",".join(name.name if isinstance(name, Row) else name for name in names)
                settings.append(Setting(key, names, several=True, word=f"{key}={shown}"))
        settings += python_settings(given)
        folder = None if config_dir is None else str(config_dir)
        # Composing takes much longer than scoring a few pairs; a user's files may change.
        variables = sorted(item for item in os.environ.items() if item[0].startswith("BAMBOO_"))
        key = repr((cls.NAME, settings, variables, os.getcwd()))
        has_objects = not (metric is None or isinstance(metric, str))
        configuration = None if folder or has_objects else _CONFIGURED.get(key)
        if configuration is None:
            configuration = cls.configured(settings, folder)
            if not (folder or has_objects) and len(_CONFIGURED) < MOST_CONFIGURED:
                _CONFIGURED[key] = configuration
        usable, left_out = available(configuration)
        warn(left_out)
        return cls.of(usable)

    @classmethod
    def of(cls, configuration: Configuration) -> Self:
        """Build the command from a configuration.

        Raises:
            ConfigError: a value of the wrong type.
        """
        built = {
            "configuration": configuration,
            "metric": configuration.rows,
            "data": configuration.data,
            "table": configuration.tables,
        }
        own = {field.name: built[field.name] for field in fields(cls) if field.name in built}
        return read_options(cls, {**configuration.options, **own})

    def __call__(self) -> str:
        """Do the work and return the text to print."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class MetricCommand(Command):
    """A command that uses metrics."""

    metric: tuple[Row, ...]
    solver: Mapping[str, Any] = option("exact", "exact | hillclimb, for metrics that align nodes")
    vectors: Mapping[str, Any] = option("glove", "word vectors, for metrics that use them")

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The metrics by name, for graphs that do not belong to a data set."""
        return {row.name: row.on() for row in self.metric}

    def single_metric(self, message: str) -> Row:
        """Return the only metric.

        Raises:
            ConfigError: with `message`, if there are several.
        """
        if len(self.metric) != 1:
            raise ConfigError(message)
        return self.metric[0]


def names_given(value: str | Sequence[str]) -> list[str]:
    """Return the names of a list, or of a text with commas."""
    return value.split(",") if isinstance(value, str) else [*map(str, value)]


def configured(name: str, words: Sequence[str], config_dir: str | None = None) -> Configuration:
    """Return the configuration of a command with its ``key=value`` words.

    Raises:
        ConfigError: an unknown name or option, or a word that is not ``key=value``.

    >>> configuration = configured("run", ["metric.root=none", "data=all"])
    >>> configuration.rows[0].metric.root, [data["name"] for data in configuration.data]
    ('none', ['sts', 'sick', 'para'])
    """
    command = command_class(name)
    return command.configured(read_words(name, words, command.POSITIONAL), config_dir)


def check_extra(command: type[Command]) -> None:
    """Check that the optional packages of a command are installed.

    Raises:
        ConfigError: if one is not; the message says how to install it.
    """
    if command.EXTRA is not None and (problem := lacking(*command.EXTRA)) is not None:
        raise ConfigError(problem)


def available(configuration: Configuration) -> tuple[Configuration, tuple[str, ...]]:
    """Leave out the metrics of ``metric=all`` that cannot be computed here.

    Returns:
        the configuration, and a warning for each reason to leave out metrics.

    Raises:
        ConfigError: a metric that was named, or each one, cannot be computed: its word vectors
            are missing, or a package.
    """
    if len(configuration.rows) == 1:  # the command says what the metric lacks when it builds it
        return configuration, ()
    rows, reasons = [], dict[str, list[str]]()
    for row in configuration.rows:
        try:
            _ = row.on().signature  # includes a digest of word vectors
            rows.append(row)
        except VectorError as error:
            reasons.setdefault(message(error), []).append(row.name)
        except Exception:  # reported by the command when it builds or uses the metric
            rows.append(row)
    problems = [f"{', '.join(names)}: {reason}" for reason, names in reasons.items()]
    if problems and (not configuration.every_metric or not rows):
        raise ConfigError(problems[0])
    left_out = tuple(f"metric=all without {problem}" for problem in problems)
    return replace(configuration, rows=tuple(rows)), left_out


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
