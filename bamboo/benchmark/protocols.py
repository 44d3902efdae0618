"""Protocols: which statistic each partition has, and which values were published for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amr_metrics.errors import OptionError
from amr_metrics.utils.functions import call_text
from bamboo.config.groups import ConfigDir, compose_group
from bamboo.config.options import read_options
from bamboo.errors import ConfigError
from bamboo.statistics.ratings import statistic_named


@dataclass(frozen=True)
class Published:
    """Values published under a protocol.

    Attributes:
        file: below ``data/published``, with the published rows (`bamboo.benchmark.published`).
        statistic: of each partition, as in the publication; cells that are computed with another
            one have no published value.
    """

    file: str
    statistic: Mapping[str, str]


@dataclass(frozen=True)
class Protocol:
    """A protocol, as described in ``conf/protocol/<name>.yaml``.

    Attributes:
        name: its name, by default that of its YAML file.
        statistic: the statistic of each partition, see `statistic_named`; or a mapping with a
            function as ``_target_`` and its options.
        published: the published values, or None.

    Raises:
        ConfigError: an unknown statistic, or none for main.
    """

    name: str
    statistic: Mapping[str, str | Mapping[str, Any]]
    published: Published | None = None

    def __post_init__(self) -> None:
        for partition in self.statistic:
            statistic_named(self.of(partition))
        if "main" not in self.statistic:
            raise ConfigError(f"protocol {self.name}: statistic.main=... is required")

    def of(self, partition: str) -> str:
        """Return the name of a partition's statistic; by default that of main.

        >>> Protocol("own", {"main": {"_target_": "my.top", "k": 5}}, None).of("main")
        Traceback (most recent call last):
        bamboo.errors.ConfigError: statistic my.top: No module named 'my'
        """
        statistic = self.statistic.get(partition, self.statistic.get("main", ""))
        if isinstance(statistic, str):
            return statistic
        options = {name: value for name, value in statistic.items() if name != "_target_"}
        if not isinstance(target := statistic.get("_target_"), str):
            raise ConfigError(
                f"protocol {self.name}: statistic.{partition}: expected a name, or a function as "
                "_target_ with its options"
            )
        try:
            return call_text(target, options)
        except OptionError as error:
            raise ConfigError(f"statistic {error}") from None

    @property
    def slug(self) -> str:
        """The name with characters that are safe in addresses and names of files."""
        return re.sub(r"[^\w.-]+", "-", self.name)


def read_protocol(name: str, config_dir: ConfigDir = None) -> Protocol:
    """Return a protocol by its name.

    Raises:
        ConfigError: an unknown name, key or statistic.
    """
    return read_options(Protocol, compose_group("protocol", name, config_dir), "protocol")
