"""The groups and options that YAML files describe, with the comments in these files.

The comment at the beginning of a file describes a name of a group; the comment behind a value
describes an option.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from bamboo.errors import ConfigError
from bamboo.paths import resource

GROUP_TITLES = {  # other groups are titled with their own names
    "metric": "Metrics",
    "data": "Data sets",
    "solver": "Alignment solvers",
    "protocol": "Protocols",
    "trainer": "Trainers",
    "engine": "Engines",
    "vectors": "Word vectors",
    "table": "Published tables",
}


@dataclass
class Option:
    """One option of a YAML file.

    Attributes:
        name: with the names of the mappings around it, as in ``optimiser.batch``.
        default: as it is written in the file.
        meaning: its comment.
        section: a comment on a line of its own above it, which introduces the options below.
        group: its values are the names of a configuration group.
    """

    name: str
    default: str
    meaning: str
    section: str = ""
    group: bool = False


@dataclass
class Described:
    """A YAML file of ``conf/``.

    Attributes:
        header: the comment at its beginning.
        target: the class that ``_target_`` names, if any.
        options: in the file's order.
    """

    header: str
    target: str = ""
    options: list[Option] = field(default_factory=list)


def described(path: Path) -> Described:
    """What a YAML file and its comments say.

    Raises:
        ConfigError: a file that cannot be read or is not a mapping.
    """
    try:
        text = path.read_text("utf-8")
        root = yaml.compose(text)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path} cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"{path}: expected a mapping of options")
    lines = text.splitlines()
    first = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
    page = Described("\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[:first]))
    for key, value in root.value:
        if key.value == "_target_":
            page.target = value.value
        else:
            page.options += list(options_below(text, lines, key, value))
    return page


def without_header(path: Path) -> str:
    """A YAML file after the comment at its beginning."""
    return re.sub(r"\A(#.*\n)*", "", path.read_text("utf-8")).strip("\n")


def options_below(
    text: str, lines: list[str], key: yaml.ScalarNode, value: yaml.Node, prefix: str = ""
) -> Iterator[Option]:
    """The option of a key, or those of the mapping that is its value."""
    name = f"{prefix}{key.value}"
    block = isinstance(value, yaml.MappingNode) and not value.flow_style
    if block and value.value:
        for inner_key, inner_value in value.value:
            yield from options_below(text, lines, inner_key, inner_value, f"{name}.")
        return
    section = heading_above(lines, key.start_mark.line, key.start_mark.column)
    yield Option(name, source(text, value), comment(lines, key, value), section)


def source(text: str, node: yaml.Node) -> str:
    r"""A value as it is written, on one line; a block of lines as a list or mapping in brackets.

    >>> text = "- smatch\n- {metric: sembleu, k: 2}\n- name: wlk\n  K: 1\n"
    >>> source(text, yaml.compose(text))
    '[smatch, {metric: sembleu, k: 2}, {name: wlk, K: 1}]'
    """
    if isinstance(node, yaml.SequenceNode) and not node.flow_style:
        return f"[{', '.join(source(text, item) for item in node.value)}]"
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        pairs = [f"{source(text, key)}: {source(text, value)}" for key, value in node.value]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return json.dumps(node.value.strip(), ensure_ascii=False)
    written = text[node.start_mark.index : node.end_mark.index]
    if "\n" not in written:
        return written
    return " ".join(line.partition(" #")[0].strip() for line in written.splitlines()).strip()


def from_environment(default: str) -> tuple[str, str] | None:
    """A default that is a variable of the environment: its name, and the default without it.

    The latter is "" if it is null or computed, as the option's meaning then says.

    >>> from_environment("${oc.env:BAMBOO_RUNS_DIR,runs}"), from_environment("runs")
    (('BAMBOO_RUNS_DIR', 'runs'), None)
    """
    if (match := re.fullmatch(r"\$\{oc\.env:(\w+),(.*)\}", default)) is None:
        return None
    other = match[2]
    return match[1], "" if other == "null" or other.startswith("$") else other


def comment(lines: list[str], key: yaml.Node, value: yaml.Node) -> str:
    """The comment behind a value, with the lines that continue it.

    The comment on a block of lines is behind its key.
    """
    block = isinstance(value, yaml.CollectionNode) and not value.flow_style
    end = (key if block else value).end_mark
    if end.column == 0:  # a text of several lines ends at the start of the next line
        return ""
    number = end.line
    _, mark, text = lines[number][end.column :].partition("#")
    if not mark:
        return ""
    parts = [text.strip()]
    for line in lines[number + 1 :]:
        if not re.match(r" {6,}#", line):
            break
        parts.append(line.strip().removeprefix("#").strip())
    return " ".join(parts)


def heading_above(lines: list[str], number: int, column: int) -> str:
    """The comment on the lines directly above a key, if it begins in the same column."""
    above: list[str] = []
    start = " " * column + "#"
    while number > 0 and lines[number - 1].startswith(start):
        number -= 1
        above.insert(0, lines[number].strip().removeprefix("#").strip())
    # The header of the file is not about its first key.
    return " ".join(above) if number > 0 else ""


def group_folders() -> Iterator[Path]:
    """The folders of configuration groups, those with a title of their own first."""
    folders = [path for path in resource("conf").iterdir() if any(path.glob("*.yaml"))]
    order = list(GROUP_TITLES)
    yield from sorted(
        folders,
        key=lambda path: (order.index(path.name) if path.name in order else 99, path.name),
    )
