"""Remove cached files that were written some time ago.

python -m bamboo clean cache=all older=30

`list cache` shows what is cached. What is removed is computed again when it is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from bamboo.commands.base import Command
from bamboo.commands.options import option
from bamboo.errors import ConfigError
from bamboo.results.history import CACHED, remove_cached


@dataclass(frozen=True, kw_only=True)
class Clean(Command):
    """The options of ``clean``."""

    NAME: ClassVar[str] = "clean"

    cache: Literal["scores", "weights", "checkpoints", "all"] = option(
        "all", "which of the caches that `list cache` shows"
    )
    older: float = option(30, "remove files written more than so many days ago; 0: all files")

    def __post_init__(self) -> None:
        if not self.older >= 0:
            raise ConfigError(f"older={self.older:g}: expected 0 or more days")

    def __call__(self) -> str:
        """Remove the files and report how many."""
        names = CACHED if self.cache == "all" else [self.cache]
        return "\n".join(remove_cached(self.paths.runs, name, self.older) for name in names)
