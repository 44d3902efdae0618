"""Explain a command, or a name and its options."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from amr_metrics.configurations import PARTS
from bamboo.app.commands import COMMANDS, NAMES, REQUIRED, Option
from bamboo.app.list import list_members
from bamboo.app.pages import GROUPS, Page, name_page, page, purpose
from bamboo.config.groups import ConfigDir, group_names
from bamboo.display.table import render
from bamboo.errors import ConfigError, describe_unknown
from bamboo.files import format_value
from bamboo.installation import MODULE, resource

WORDS = {
    True: "The words are those of Hydra: docs/hydra.md.",
    False: "The words are files, and key=value; lists have commas. They are not those of Hydra.",
}
NAME_WIDTH = 26  # longer options have their meaning on the next line
WIDEST = 100  # characters of a line of help


def main(words: Sequence[str], config_dir: ConfigDir = None) -> str:
    """Show the help on a command, a group, or a name of a group and its options.

    `help run` is the same as `run --help`; `help metric` lists the metrics.
    """
    topic, *names = words or [""]
    if not topic:
        return overview()
    if topic in NAMES and not names:
        return command_help(topic, config_dir)
    if topic in GROUPS and not names:
        return render([list_members(topic, config_dir)], "table")
    if topic in GROUPS and len(names) == 1:
        return name_help(topic, names[0], config_dir)
    if topic in (*NAMES, *GROUPS):
        raise ConfigError(f"unexpected {names[-1]!r}: help takes COMMAND, or GROUP NAME")
    raise ConfigError(describe_unknown("help topic", topic, [*NAMES, *GROUPS]))


def overview() -> str:
    """Return the list of commands."""
    commands = [f"  {command:10} {purpose(command).removesuffix('.')}" for command in NAMES]
    lines = [
        *(f"{MODULE} COMMAND key=value ... [--config-dir FOLDER]", "", *commands, ""),
        f"{MODULE} COMMAND --help shows the options of a command.",
        f"{MODULE} list shows what can be listed: metrics, data, protocols, ...",
        f"{MODULE} help GROUP NAME shows the options of a name: help metric wwlk.",
        "Options of every command: quiet=true, verbose=true, debug=true (tracebacks).",
        f"{MODULE} --version shows versions.",
        f"The pages docs/... mentioned in help and messages are in {resource('docs')}",
    ]
    return "\n".join(lines)


def command_help(command: str, config_dir: ConfigDir = None) -> str:
    """Return the purpose and all options of a command."""
    about = page(command)
    parts = [about.purpose, f"  {about.example}", _wrap_text(about.more)]
    parts += [_wrap_text(WORDS[COMMANDS[command].is_application])] if command in COMMANDS else []
    parts += _list_options(about)
    groups = about.options.get("Groups")
    if groups:
        parts.append(f"{MODULE} help GROUP lists the names in a group.")
    if groups and groups[0].name == "metric":
        parts.append(_wrap_text(f"metrics: {', '.join(group_names('metric', config_dir))}"))
    return "\n\n".join(part for part in parts if part)


def name_help(group: str, name: str, config_dir: ConfigDir = None) -> str:
    """Return the description and all options of one name of a group, such as ``metric wwlk``.

    Raises:
        ConfigError: an unknown name, or a YAML file that cannot be read.
    """
    about = name_page(group, name, config_dir)
    parts = [f"{group}={name}", _wrap_text(about.purpose)]
    if not about.target:  # its YAML, with comments
        return "\n\n".join(part for part in (*parts, about.more) if part)
    parts += [f"Class: {about.target}", *map(_wrap_text, re.split(r"\n\s*\n", about.more))]
    parts.append("; ".join(f"{fact}: {value}" for fact, value in about.facts.items()))
    parts += _list_options(about)
    for part in (option.name for option in about.options["Options"] if option.name in PARTS):
        names = ", ".join(group_names(part, config_dir))
        parts.append(f"{part}={names}: see {MODULE} help {part} NAME")
    return "\n\n".join(part for part in parts if part)


def _list_options(about: Page) -> list[str]:
    """Return the lists of options, each below its title."""
    return [
        "\n".join([f"{title}:", *map(_format_option, options)])
        for title, options in about.options.items()
        if options
    ]


def _format_option(option: Option) -> str:
    head = f"  {option.name}={default_text(option.default)}"
    meaning = _wrap_text(option.meaning, NAME_WIDTH)
    if len(head) < NAME_WIDTH and meaning:
        return f"{head:{NAME_WIDTH}}{meaning}"
    return "\n".join(
        [f"  {_wrap_text(head.strip(), 6)}", *[f"{'':{NAME_WIDTH}}{meaning}"] * bool(meaning)]
    )


def default_text(default: Any) -> str:
    """Return a default as help shows it."""
    return "(required)" if default == REQUIRED else format_value(default) or "''"


def _wrap_text(text: str, indent: int = 0) -> str:
    """Fold a text to the width of the terminal, and to at most `WIDEST`, also in a pipe.

    Args:
        indent: spaces before each line but the first.
    """
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDEST
    lines = textwrap.wrap(
        text.replace("`", ""),
        max(min(width, WIDEST) - indent, 30),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"\n{' ' * indent}".join(lines)
