"""Explain a command or a name and its options.

python -m bamboo help metric wwlk

`help run` is the same as `run --help`; `help metric` lists the metrics.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bamboo.commands.information import information_options
from bamboo.commands.list import group_file, listing, metric_facts
from bamboo.commands.options import option
from bamboo.commands.pages import NAMES, header, page
from bamboo.config.groups import group_names
from bamboo.errors import ConfigError, unknown
from bamboo.paths import resource
from bamboo.program import program_name
from bamboo.reference.classes import (
    class_source,
    documented_options,
    fields,
    summary,
)
from bamboo.reference.yaml_files import (
    Option,
    described,
    from_environment,
    group_folders,
)
from bamboo.results.table import render


@dataclass(frozen=True, kw_only=True)
class Help:
    """The options of ``help``."""

    topic: str | None = option(
        None, "a command, or a group such as metric, data, protocol or solver"
    )
    name: str | None = option(None, "a name of the group")

    def __post_init__(self) -> None:
        if self.name is not None and self.topic is None:
            raise ConfigError(f"name={self.name} requires topic=GROUP, such as topic=metric")


def main(arguments: Sequence[str], config_dir: str | None) -> str:
    """The text of the help."""
    options = information_options(Help, "help", arguments, ["topic", "name"])
    return topic_help([word for word in (options.topic, options.name) if word], config_dir)


NAME_WIDTH = 26  # longer options have their meaning on the next line
WIDEST = 100  # characters of a line of help
STANDARDIZE = Option(
    "metric.standardize",
    "null",
    "amr | generic | none | [step,...]: standardise the graphs first; works with every metric",
)


def overview() -> str:
    """Return the list of commands."""
    name = program_name()
    commands = [f"  {command:10} {header(command)[0].removesuffix('.')}" for command in NAMES]
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
    purpose, example, rest = header(command)
    about = page(command)
    name = program_name()
    lines = [purpose, "", f"  {example.replace('python -m bamboo', name)}"]
    lines += ["", _wrapped(rest)] if rest else []
    if about.groups:
        lines += _titled("Groups", about.groups)
        lines += [
            "",
            f"  {name} list GROUP shows the names in a group,",
            f"  {name} help GROUP NAME the options of one.",
        ]
    lines += _titled("Options", about.options)
    if any(group.name == "metric" for group in about.groups):
        lines += _titled("Options of every metric", [STANDARDIZE])
    lines += _titled("Options of every command", about.shared)
    if any(group.name == "metric" for group in about.groups):
        lines += ["", _wrapped(f"metrics: {', '.join(group_names('metric', config_dir))}")]
    return "\n".join(line.rstrip() for line in lines)


def name_help(group: str, name: str, config_dir: str | None = None) -> str:
    """The description and all options of one name of a group, such as ``metric wwlk``.

    The meaning of an option is the comment in the YAML file and the entry in the docstring of the
    class.

    Raises:
        ConfigError: an unknown name, or a YAML file that cannot be read.
    """
    about = described(group_file(group, name, config_dir))
    source = class_source(about.target) if about.target else None
    title = f"{group}={name}"
    lines = [title, "", *([_wrapped(about.header), ""] if about.header else [])]
    if about.target:
        lines += [f"Class: {about.target}", ""]
    if source is not None and (text := summary(source.docstring)):
        lines += [_plain_markup(_paragraphs(text)), ""]
    if group == "metric":
        facts = metric_facts(about)
        lines += ["; ".join(f"{key}: {value}" for key, value in facts.items()), ""]
    documented = documented_options(source) if source is not None else {}
    options = [
        Option(
            f"{group}.{entry.name}",
            entry.default,
            _meaning(entry.meaning, documented.get(entry.name, "")),
            entry.section,
        )
        for entry in about.options
        if not entry.group
    ]
    names = {entry.name for entry in about.options}
    if group == "metric" and "standardize" not in names:
        options.append(STANDARDIZE)
    lines = [*lines[:-1], *_titled("Options", options)] if options else lines
    if source is not None:
        written = fields(source)
        more = [
            Option(f"+{group}.{key}", default, documented.get(key, ""))
            for key, default in written.items()
            if key not in names and not any(name.startswith(f"{key}.") for name in names)
        ]
        lines += _titled("Options that the YAML does not set", more)
    parts = [entry.default.strip("${}") for entry in about.options if entry.default[:2] == "${"]
    parts = [part for part in dict.fromkeys(parts) if (resource("conf") / part).is_dir()]
    for part in parts:
        names_of_part = ", ".join(group_names(part, config_dir))
        lines += ["", f"{part}={names_of_part}: see {program_name()} help {part} NAME"]
    return "\n".join(lines).rstrip("\n")


def topic_help(words: Sequence[str], config_dir: str | None = None) -> str:
    """The help on a command, a group, or a name of a group.

    Args:
        words: nothing, a command, a group, a name, or a group and a name.

    Raises:
        ConfigError: an unknown topic.
    """
    if not words:
        return overview()
    commands = NAMES
    groups = [path.name for path in group_folders()]
    topic, *names = words
    if len(names) > 1:
        raise ConfigError(f"help {' '.join(words)}: expected a command, or a group and one name")
    if names:
        if topic not in groups:
            raise ConfigError(unknown("group", topic, groups))
        return name_help(topic, names[0], config_dir)
    if topic in commands:
        return command_help(topic, config_dir)
    if topic in groups:
        return render([listing(topic, config_dir)], "table")
    holders = {group: group_names(group, config_dir) for group in groups}
    for group in groups:
        if topic in holders[group]:
            return name_help(group, topic, config_dir)
    every = [*commands, *groups, *(name for known in holders.values() for name in known)]
    problem = unknown("help topic", topic, every).partition(" There are: ")[0]
    raise ConfigError(
        f"{problem} There are the commands {', '.join(commands)}, and the groups "
        f"{', '.join(groups)}"
    )


def _meaning(comment: str, documented: str) -> str:
    """The comment on an option, and its documentation unless that says the same."""
    if not documented or documented.rstrip(".").lower() in comment.lower():
        return comment
    if not comment or comment.lower() in documented.lower():
        return documented
    return f"{comment}\n{documented}"


def _titled(title: str, options: Sequence[Option]) -> list[str]:
    """An empty line, a title and the lines on options; nothing if there are none."""
    return ["", f"{title}:", *_option_lines(options)] if options else []


def _option_lines(options: Iterable[Option]) -> list[str]:
    """The lines on options: name and default, and the meaning beside or below it."""
    lines: list[str] = []
    for entry in options:
        if entry.section:
            lines += ["", _wrapped(entry.section)]
        head = f"  {entry.name}={_default(entry.default)}"
        paragraphs = _plain_markup(entry.meaning).splitlines() or [""]
        meaning = [
            line
            for paragraph in paragraphs
            for line in textwrap.wrap(
                paragraph,
                max(_width() - NAME_WIDTH, 30),
                break_long_words=False,
                break_on_hyphens=False,
            )
        ]
        if len(head) >= NAME_WIDTH or not meaning:
            lines.append(f"  {_wrapped(head, 6)}")
        else:
            lines.append(f"{head:{NAME_WIDTH}}{meaning.pop(0)}")
        lines += [f"{'':{NAME_WIDTH}}{line}" for line in meaning]
    return lines


def _default(default: str) -> str:
    """The default of an option as help shows it."""
    if (variable := from_environment(default)) is not None:
        name, other = variable
        return f"${name} or {other}" if other else f"${name}"
    return "(required)" if default == "???" else default or "null"


def _width() -> int:
    """The width of the terminal, at most `WIDEST`, which is also that of a pipe."""
    return min(shutil.get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else WIDEST


def _wrapped(text: str, indent: int = 0) -> str:
    """The lines of a comment as one paragraph, folded to the width of the terminal."""
    lines = textwrap.wrap(
        _plain_markup(" ".join(text.split())),
        max(_width() - indent, 30),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"\n{' ' * indent}".join(lines)


def _paragraphs(text: str) -> str:
    return "\n\n".join(_wrapped(paragraph) for paragraph in re.split(r"\n\s*\n", text))


def _plain_markup(text: str) -> str:
    """A docstring's text without its marks for code."""
    return text.replace("``", "").replace("`", "")
