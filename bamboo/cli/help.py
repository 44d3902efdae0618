"""``help``: explain a command, or a name of a group, and its options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bamboo.config.information import information_options
from bamboo.errors import ConfigError
from bamboo.reference.help import topic_help


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options in ``conf/help.yaml``."""

    topic: str | None
    name: str | None

    def __post_init__(self) -> None:
        if self.name is not None and self.topic is None:
            raise ConfigError(f"name={self.name} requires topic=GROUP, such as topic=metric")


def main(arguments: Sequence[str], config_dir: str | None) -> str:
    """The text of the help."""
    options = information_options(Options, "help", arguments, ["topic", "name"])
    return topic_help([word for word in (options.topic, options.name) if word], config_dir)
