"""The texts of `bamboo help` and `--help`: commands, groups, and the options of each name."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence

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
from bamboo.reference.listing import group_file, listing, metric_facts
from bamboo.reference.yaml_files import (
    Option,
    call,
    command_files,
    described,
    from_environment,
    group_folders,
)
from bamboo.results.table import render

NAME_WIDTH = 26  # longer options have their meaning on the next line
WIDEST = 100  # characters of a line of help
STANDARDIZE = Option(
    "metric.standardize",
    "null",
    "amr | generic | none | [step,...]: standardise the graphs first; works with every metric",
)


def overview() -> str:
    """The list of commands."""
    name = program_name()
    commands = [
        f"  {path.stem:10} {call(described(path).header)[0].removesuffix('.')}"
        for path in command_files()
    ]
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
    """The purpose and all options of a command."""
    page = described(resource("conf") / f"{command}.yaml")
    purpose, example, rest = call(page.header)
    name = program_name()
    lines = [purpose, "", f"  {example.replace('python -m bamboo', name)}"]
    lines += ["", _wrapped(rest)] if rest else []
    groups = [option for option in page.options if option.group]
    own = [option for option in page.options if not option.group]
    if groups:
        lines += _titled("Groups", groups)
        lines += [
            "",
            f"  {name} list GROUP shows the names in a group,",
            f"  {name} help GROUP NAME the options of one.",
        ]
    lines += _titled("Options", own)
    if any(option.name == "metric" for option in groups):
        lines += _titled("Options of every metric", [STANDARDIZE])
    for included in sorted(page.includes, key="base".__eq__):  # those of every command come last
        options = described(resource("conf") / f"{included}.yaml").options
        title = "Options of every command" if included == "base" else included.capitalize()
        lines += _titled(title, options)
    lines += ["", _wrapped(f"metrics: {', '.join(group_names('metric', config_dir))}")]
    return "\n".join(line.rstrip() for line in lines)


def name_help(group: str, name: str, config_dir: str | None = None) -> str:
    """The description and all options of one name of a group, such as ``metric wwlk``.

    The meaning of an option is the comment in the YAML file and the entry in the docstring of the
    class.

    Raises:
        ConfigError: an unknown name, or a YAML file that cannot be read.
    """
    page = described(group_file(group, name, config_dir))
    source = class_source(page.target) if page.target else None
    title = f"{group}={name}"
    lines = [title, "", *([_wrapped(page.header), ""] if page.header else [])]
    if page.target:
        lines += [f"Class: {page.target}", ""]
    if source is not None and (text := summary(source.docstring)):
        lines += [_plain_markup(_paragraphs(text)), ""]
    if group == "metric":
        facts = metric_facts(page)
        lines += ["; ".join(f"{key}: {value}" for key, value in facts.items()), ""]
    documented = documented_options(source) if source is not None else {}
    options = [
        Option(
            f"{group}.{option.name}",
            option.default,
            _meaning(option.meaning, documented.get(option.name, "")),
            option.section,
        )
        for option in page.options
        if not option.group
    ]
    names = {option.name for option in page.options}
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
    parts = [option.default.strip("${}") for option in page.options if option.default[:2] == "${"]
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
    commands = [path.stem for path in command_files()]
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
    for option in options:
        if option.section:
            lines += ["", _wrapped(option.section)]
        head = f"  {option.name}={_default(option.default)}"
        paragraphs = _plain_markup(option.meaning).splitlines() or [""]
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
