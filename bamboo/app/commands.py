"""The commands: their functions, and their options as the signatures declare them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

from bamboo.api.call import parameter_types

# Options in Python that commands have in another form.
OPTIONS = {"metric": "options", "data": "data_options", "table": "table_options"}
ONLY_PYTHON = (*OPTIONS.values(), "progress", "config_dir", "folders", "pages")
REQUIRED = "???"
PARTS = {
    "solver": ("exact", "exact | hillclimb, for metrics that align nodes."),
    "vectors": ("glove", "word vectors, for metrics that use them."),
}
PATHS = {  # their defaults, and their meanings
    "data": (
        "${oc.env:BAMBOO_DATA_DIR,${data_folder:}}",
        "folder of downloads and built partitions; by default data/ in a checkout, otherwise a "
        "folder per user (docs/installation.md).",
    ),
    "runs": ("${oc.env:BAMBOO_RUNS_DIR,runs}", "folder of results."),
}


class Option(NamedTuple):
    """An option of a command: its default, its type, and its meaning."""

    default: Any
    type: Any
    meaning: str


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes:
        name: its name, and that of its function in `bamboo.api` and in `bamboo.app.show`.
        example: the arguments of an example.
        positional: options that can be given without their names; ``...`` ends the name of one
            that takes several words.
    """

    name: str
    example: str
    positional: tuple[str, ...] = ()

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function that does the work."""
        found: Callable[..., Any] = getattr(import_module(f"bamboo.api.{self.name}"), self.name)
        return found

    @cached_property
    def show(self) -> Callable[..., str]:
        """The function that calls it and returns the text to print."""
        found: Callable[..., str] = getattr(import_module("bamboo.app.show"), self.name)
        return found

    @cached_property
    def options(self) -> Mapping[str, Option]:
        """The options by name: those of the function, and those on the output."""
        options = {
            name: option
            for function in (self.function, self.show)
            for name, option in declared(function).items()
            if name not in (*ONLY_PYTHON, "call")
        }
        if "metric" in options and self.name != "tables":
            parts = {name: Option(default, str, text) for name, (default, text) in PARTS.items()}
            options |= parts
        return options

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters of the function."""
        return inspect.signature(self.function).parameters

    @property
    def description(self) -> str:
        """The docstring of the function."""
        return inspect.getdoc(self.function) or ""


def declared(function: Callable[..., Any]) -> dict[str, Option]:
    """Return the parameters of a function, with their meanings in its docstring.

    >>> def double(number: int = 2) -> int:
    ...     '''Double a number.
    ...
    ...     Args:
    ...         number: the number
    ...             to double.
    ...     '''
    ...     return 2 * number
    >>> declared(double)["number"].meaning
    'the number to double.'
    """
    types, meanings = parameter_types(function), _meanings(inspect.getdoc(function) or "")
    options = {}
    for name, parameter in inspect.signature(function).parameters.items():
        default = REQUIRED if parameter.default is parameter.empty else parameter.default
        if hasattr(default, "name"):  # an engine
            default = default.name
        options[name] = Option(default, types[name], meanings.get(name, ""))
    return options


def _meanings(docstring: str) -> dict[str, str]:
    """Return the meaning of each parameter from the section ``Args`` of a docstring."""
    section = re.search(r"^Args:\n(.*?)(?:\n\S|\Z)", docstring, re.DOTALL | re.MULTILINE)
    entries = re.findall(
        r"^    (\w+): (.*?)(?=^    \w|\Z)", section[1] + "\n" if section else "", re.DOTALL | re.M
    )
    return {name: " ".join(text.split()) for name, text in entries}


COMMANDS = {
    command.name: command
    for command in (
        Command("run", "metric=smatch data=sts"),
        Command("score", "src=parser.amr tgt=gold.amr", ("src...", "tgt")),
        Command("compare", "metric=smatch,wlk data=all"),
        Command("explain", "metric=smatch data=sts pair=3", ("src", "tgt")),
        Command("train", "metric=wwlk_theta data=sts"),
        Command("tables", "table=4"),
        Command("site", "metric=smatch,wlk out=site"),
        Command("build", "data=sts partition=reify"),
        Command("check", "metric=mine --config-dir FOLDER"),
        Command("fetch", "data=all"),
    )
}
INFORMATION = {
    "list": "Show the names of metrics, data sets and other things.",
    "help": "Explain a command, or a name and its options.",
}
