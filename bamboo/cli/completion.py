"""``completion``: print the completion script of a shell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bamboo.config.information import information_options
from bamboo.errors import ConfigError, unknown
from bamboo.reference.completion import SHELLS, candidates, script

QUERY = "query"  # the argument with which the scripts ask for candidates


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options in ``conf/completion.yaml``."""

    shell: str | None

    def __post_init__(self) -> None:
        if self.shell is None:
            raise ConfigError(f"completion requires a shell: {', '.join(SHELLS)}")
        if self.shell not in SHELLS:
            raise ConfigError(unknown("shell", self.shell, SHELLS))


def main(arguments: Sequence[str], config_dir: str | None) -> str:
    """The script, or the candidates for the last of the words after ``query``."""
    if arguments and arguments[0] == QUERY:
        return "\n".join(f"{word}\t{meaning}" for word, meaning in candidates(arguments[1:]))
    options = information_options(Options, "completion", arguments, ["shell"])
    return script(options.shell or "")
