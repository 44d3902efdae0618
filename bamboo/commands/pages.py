"""What help, completion and the documentation show of a command: its docstring and its options."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from bamboo.commands import COMMANDS, INFORMATION, command_class
from bamboo.config.groups import CHOICES, LISTS
from bamboo.config.settings import shown
from bamboo.log import Messages
from bamboo.reference.classes import attributes
from bamboo.reference.yaml_files import Option

NAMES = sorted((*COMMANDS, *INFORMATION))
ORDER = ("metric", "data", "table", "solver", "vectors", "protocol", "trainer", "engine")


@dataclass(frozen=True)
class Page:
    """A command as help shows it.

    Attributes:
        groups: the options whose values are names; options: its others; shared: those of every
            command.
    """

    name: str
    groups: list[Option]
    options: list[Option]
    shared: list[Option]


def header(name: str) -> tuple[str, str, str]:
    """Return a command's purpose, an example of its use, and more about it.

    >>> header("run")[:2]
    ('Score a metric on the benchmark.', 'python -m bamboo run metric=smatch data=sts')
    """
    # Parsed, since the modules of commands are slow to import.
    source = (Path(__file__).parent / f"{name}.py").read_text("utf-8")
    text = ast.get_docstring(ast.parse(source)) or ""
    purpose, example, *rest = text.split("\n\n", 2)
    return purpose, example, "".join(rest)


def page(name: str) -> Page:
    """Return the options of a command, from the fields of its class."""
    command = command_class(name)
    options = list(_options(command))
    groups = [option for option in options if option.group]
    own = [option for option in options if not option.group and option.name[:6] != "paths."]
    shared = [option for option in options if option.name[:6] == "paths."]
    if shared:
        meanings = attributes(inspect.getdoc(Messages) or "")
        shared += [Option(key, "false", meaning) for key, meaning in meanings.items()]
    return Page(name, sorted(groups, key=lambda o: ORDER.index(o.name)), own, shared)


def _options(command: type) -> Iterator[Option]:
    for field in fields(command):
        if "default" not in field.metadata:
            continue
        default, meaning = field.metadata["default"], field.metadata["help"]
        is_group = field.name in (*LISTS, *CHOICES)
        if isinstance(meaning, Mapping):
            for key, text in meaning.items():
                yield Option(f"{field.name}.{key}", shown(default[key]), text)
        else:
            section = field.metadata["section"]
            yield Option(field.name, shown(default), meaning, section, group=is_group)


def option_types(name: str) -> dict[str, str]:
    """Return the annotation of each option of a command."""
    return {field.name: str(field.type) for field in fields(command_class(name))}
