"""Check plain values from YAML and the command line against the fields of a dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from amr_metrics import building, options
from amr_metrics.errors import OptionError
from bamboo.errors import ConfigError

T = TypeVar("T")


def read_options(cls: type[T], values: Mapping[str, Any], where: str = "") -> T:
    """Build a dataclass from a value for each field; see `amr_metrics.options.read_options`.

    Raises:
        ConfigError: an unknown or missing option, or a value of the wrong type.
    """
    try:
        return options.read_options(cls, values, where)
    except OptionError as error:
        raise ConfigError(str(error)) from None


def build(config: Mapping[str, Any], where: str = "") -> Any:
    """Call the ``_target_`` of a configuration with its options; see `amr_metrics.building.build`.

    Raises:
        ConfigError: a target that cannot be imported, or options that it does not accept.
    """
    try:
        return building.build(config, where)
    except OptionError as error:
        raise ConfigError(str(error)) from error
