"""The flags of a command line, most of which are Hydra's; other words are options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from bamboo.errors import ConfigError


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message} (docs/hydra.md)")


def parse_flags(arguments: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the value of each flag, with the other words as ``words``; and unknown flags.

    Raises:
        ConfigError: flags that exclude one another, or a value that is missing or not allowed.

    >>> flags, unknown_flags = parse_flags(["run", "-m", "metric=smatch,wlk", "--fast"])
    >>> flags["multirun"], flags["words"], unknown_flags
    (True, ['run', 'metric=smatch,wlk'], ['--fast'])
    """
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--config-dir", "-cd", action="append")
    parser.add_argument("--shell-completion", "-sc")
    parser.add_argument("--package", "-p")
    for names in (["--help", "-h"], ["--version"], ["--resolve"]):
        parser.add_argument(*names, action="store_true")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--multirun", "-m", action="store_true")
    modes.add_argument("--cfg", "-c", choices=("job", "hydra", "all"))
    kinds = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")
    modes.add_argument("--info", "-i", nargs="?", const="all", choices=kinds)
    flags, unknown_flags = parser.parse_known_intermixed_args(arguments)
    return vars(flags), unknown_flags
