"""Explain a command or a name and its options."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Sequence

from bamboo.app.list import listing, read_arguments
from bamboo.app.pages import (
    GROUPS,
    NAMES,
    OF_EVERY_METRIC,
    STANDARDIZE,
    Option,
    name_page,
    page,
    purpose,
)
from bamboo.config.groups import group_names
from bamboo.errors import ConfigError, unknown
from bamboo.installation import as_called, program_name, resource
from bamboo.results.table import render

NAME_WIDTH = 26  # longer options have their meaning on the next line
WIDEST = 100  # characters of a line of help


OPTIONS = {
    "topic": "a command, or a group such as metric, data, protocol or solver.",
    "name": "a name of the group.",
}
EXAMPLE = "help metric wwlk"


def main(arguments: Sequence[str], config_dir: str | None) -> str:
    """Show the help on a command, a group, or a name and its options.

    `help run` is the same as `run --help`; `help metric` lists the metrics.
    """
    options = read_arguments("help", arguments, ["topic", "name"])
    if "name" in options and "topic" not in options:
        raise ConfigError(f"name={options['name']} requires topic=GROUP, such as topic=metric")
    return topic_help([*options.values()], config_dir)


def topic_help(words: Sequence[str], config_dir: str | None = None) -> str:
    """Return the help on a command, a group, or a name of a group.

    Args:
        words: nothing, a command, a group, a name, or a group and a name.

    Raises:
        ConfigError: an unknown topic.
    """
    if not words:
        return overview()
    topic, *names = words
    if names:
        if topic not in GROUPS:
            raise ConfigError(unknown("group", topic, GROUPS))
        return name_help(topic, names[0], config_dir)
    if topic in NAMES:
        return command_help(topic, config_dir)
    if topic in GROUPS:
        return render([listing(topic, config_dir)], "table")
    names_of = {group: group_names(group, config_dir) for group in GROUPS}
    for group, known in names_of.items():
        if topic in known:
            return name_help(group, topic, config_dir)
    every = [*NAMES, *GROUPS, *(name for known in names_of.values() for name in known)]
    problem = unknown("help topic", topic, every).partition(" Use one of: ")[0]
    if "did you mean" not in problem:
        problem += f" Use a command ({', '.join(NAMES)}) or a group ({', '.join(GROUPS)})"
    raise ConfigError(problem)


def overview() -> str:
    """Return the list of commands."""
    name = program_name()
    commands = [f"  {command:10} {purpose(command).removesuffix('.')}" for command in NAMES]
    lines = [
        *(f"{name} COMMAND key=value ... [--config-dir FOLDER]", "", *commands, ""),
        f"{name} COMMAND --help shows the options of a command.",
        f"{name} list shows what can be listed: metrics, data, partitions, ...",
        f"{name} help GROUP NAME shows the options of a name: help metric wwlk.",
        "Options of every command: quiet=true, verbose=true, debug=true (tracebacks).",
        f"{name} --version shows versions.",
        f"The pages docs/... mentioned in help and messages are in {resource('docs')}",
    ]
    return "\n".join(lines)


def command_help(command: str, config_dir: str | None = None) -> str:
    """Return the purpose and all options of a command."""
    about = page(command)
    takes_metrics = any(group.name == "metric" for group in about.groups)
    lines = [about.purpose, "", f"  {as_called(about.example)}"]
    lines += ["", _wrapped(about.more)] if about.more else []
    if about.groups:
        lines += _titled("Groups", about.groups)
        lines += [
            "",
            f"  {program_name()} list GROUP shows the names in a group,",
            f"  {program_name()} help GROUP NAME the options of one.",
        ]
    lines += _titled("Options", about.options)
    if takes_metrics:
        standardize = Option(f"metric.{STANDARDIZE}", "null", OF_EVERY_METRIC[STANDARDIZE])
        lines += _titled("Options of every metric", [standardize])
    lines += _titled("Options of every command", about.shared)
    if takes_metrics:
        lines += ["", _wrapped(f"metrics: {', '.join(group_names('metric', config_dir))}")]
    return "\n".join(line.rstrip() for line in lines)


def name_help(group: str, name: str, config_dir: str | None = None) -> str:
    """Return the description and all options of one name of a group, such as ``metric wwlk``.

    Raises:
        ConfigError: an unknown name, or a YAML file that cannot be read.
    """
    about = name_page(group, name, config_dir)
    parts = [f"{group}={name}", _wrapped(about.purpose)]
    if not about.target:  # its YAML, with comments
        return "\n\n".join(part for part in (*parts, about.more) if part)
    parts += [f"Class: {about.target}", *map(_wrapped, re.split(r"\n\s*\n", about.more))]
    parts.append("; ".join(f"{fact}: {value}" for fact, value in about.facts.items()))
    parts.append("\n".join(_titled("Options", about.options)[1:]))
    for part in (entry.name for entry in about.options if entry.group):
        names = ", ".join(group_names(part, config_dir))
        parts.append(f"{part}={names}: see {program_name()} help {part} NAME")
    return "\n\n".join(part for part in parts if part)


def _titled(title: str, options: Sequence[Option]) -> list[str]:
    """Return an empty line, a title and the lines on options; nothing if there are none."""
    lines = ["", f"{title}:"] if options else []
    for entry in options:
        if entry.section:
            lines += ["", _wrapped(entry.section)]
        head = f"  {entry.name}={_default(entry.default)}"
        meaning = _wrapped(entry.meaning, NAME_WIDTH)
        if len(head) < NAME_WIDTH and meaning:
            lines.append(f"{head:{NAME_WIDTH}}{meaning}")
        else:
            lines += [
                f"  {_wrapped(head.strip(), 6)}",
                *([f"{'':{NAME_WIDTH}}{meaning}"] * bool(meaning)),
            ]
    return lines


def _default(default: str) -> str:
    if (variable := from_environment(default)) is not None:
        name, other = variable
        return f"${name} or {other}" if other else f"${name}"
    return (
        "(required)"
        if default == "???"
        else re.sub(r"\$\{(?:resource:)?([^}]*)\}", r"<\1>", default)
    )


def from_environment(default: str) -> tuple[str, str] | None:
    """Return the variable of the environment that a default is, and the default without it.

    The latter is "" if it is null or computed, as the option's meaning then says.

    >>> from_environment("${oc.env:BAMBOO_RUNS_DIR,runs}"), from_environment("runs")
    (('BAMBOO_RUNS_DIR', 'runs'), None)
    """
    if (match := re.fullmatch(r"\$\{oc\.env:(\w+),(.*)\}", default)) is None:
        return None
    other = match[2]
    return match[1], "" if other == "null" or other.startswith("$") else other


def _wrapped(text: str, indent: int = 0) -> str:
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
