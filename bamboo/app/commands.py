"""The commands: their functions, and their options as the signatures declare them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

from amr_metrics.configurations import PARTS
from bamboo.api.call import parameter_types
from bamboo.errors import ConfigError

# Options in Python that commands have in another form.
OPTIONS = {"metric": "options", "data": "data_options"}
ONLY_PYTHON = (
    *(*OPTIONS.values(), "progress", "config_dir", "command_line", "job"),
    *("pages", "call", "src_ids", "analyses"),
)
# The end of a description, which commands do not show.
ONLY_IN_PYTHON = re.compile(r" In Python\b.*")
REQUIRED = "???"
OF_PARTS = {
    "solver": "exact | hillclimb, for metrics that align nodes.",
    "vectors": "word vectors, for metrics that use them.",
}


class Option(NamedTuple):
    """An option: its name, its default, its meaning, and its type."""

    name: str
    default: Any
    meaning: str
    type: Any = Any


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes:
        name: its name, and that of its function in `bamboo.api`.
        example: the arguments of an example.
        positional: options that can be given without their names; ``...`` ends the name of one
            that takes several words.
        titles: those of the lists of options in its help, by the first option of each list.
        is_application: whether Hydra reads its words.
    """

    name: str
    example: str
    positional: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    is_application: bool = False

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function that does the work.

        Raises:
            TypeError: there is none, or it does not check its arguments.
        """
        module = import_module(f"bamboo.api.{self.name}")
        function: Callable[..., Any] | None = getattr(module, self.name, None)
        if function is None or not hasattr(function, "__wrapped__"):
            raise TypeError(f"{module.__name__}: write @check_call and def {self.name}(...)")
        return function

    @cached_property
    def show(self) -> Callable[..., str]:
        """The function that calls it and returns the text to print.

        Raises:
            TypeError: there is none, and the result has no tables.
        """
        from bamboo.app import show  # slow to import
        from bamboo.display.table import Display

        own: Callable[..., str] | None = getattr(show, self.name, None)
        if own is not None and own.__module__ == show.__name__:
            return own
        result = parameter_types(self.function).get("return")
        if not (isinstance(result, type) and issubclass(result, Display)):
            raise TypeError(
                f"{self.name}: write the type of its result, a subclass of Display with the "
                f"methods tables and to_json, or def {self.name}(call) in {show.__name__}"
            )
        return show.tables

    @cached_property
    def options(self) -> Mapping[str, Option]:
        """The options by name: those of the function, and those on the output.

        Raises:
            TypeError: one without a type or a meaning.
        """
        of_function, of_output = collect_parameters(self.function), collect_parameters(self.show)
        declared = of_function | of_output | of_function
        options = {name: option for name, option in declared.items() if name not in ONLY_PYTHON}
        for name, option in options.items():
            if not option.meaning:
                raise TypeError(
                    f"{self.name}: write the meaning of {name} in Args of its docstring"
                )
        if "metric" in options and self.name != "tables":
            options |= {part: Option(part, PARTS[part], OF_PARTS[part], str) for part in PARTS}
        return options

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters of the function."""
        return inspect.signature(self.function).parameters


def report_missing(command: str, option: str) -> ConfigError:
    """Return the error for an option that a command requires."""
    return ConfigError(f"{option}=... is required: see {command} --help")


def collect_parameters(function: Callable[..., Any]) -> dict[str, Option]:
    """Return the parameters of a function, with their meanings in its docstring.

    What holds only in Python is at the end of a meaning, and left out.

    >>> def double(number: int = 2) -> int:
    ...     '''Double a number.
    ...
    ...     Args:
    ...         number: the number
    ...             to double. In Python also a list.
    ...     '''
    ...     return 2 * number
    >>> collect_parameters(double)["number"].meaning
    'the number to double.'
    """
    types, texts = parameter_types(function), meanings(read_docstring(function))
    texts = {name: ONLY_IN_PYTHON.sub("", text) for name, text in texts.items()}
    options = {}
    for name, parameter in inspect.signature(function).parameters.items():
        default = REQUIRED if parameter.default is parameter.empty else parameter.default
        if hasattr(default, "name"):  # an engine
            default = default.name
        options[name] = Option(name, default, texts.get(name, ""), types[name])
    return options


def read_docstring(thing: Any) -> str:
    """Return a docstring; nothing for that which dataclasses write."""
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    return "" if text.startswith(f"{getattr(thing, '__name__', None)}(") else text


def meanings(text: str) -> dict[str, str]:
    """Return the meaning of each parameter or attribute that a docstring describes.

    >>> meanings('''A title.
    ...
    ... Attributes:
    ...     a, b: both
    ...         of them.
    ...
    ... Raises:
    ...     Error: never.''')
    {'a': 'both of them.', 'b': 'both of them.'}
    """
    section = re.search(r"^(?:Args|Attributes):\n(.*?)(?=^\S|\Z)", f"{text}\n", re.DOTALL | re.M)
    entries = re.findall(
        r"^    (\w[\w, ]*): (.*?)(?=^    \w|\Z)", section[1] if section else "", re.DOTALL | re.M
    )
    return {
        name: " ".join(meaning.split()) for names, meaning in entries for name in names.split(", ")
    }


SCORE_TITLES = {
    "src": "Graphs",
    "subscores": "Further scores",
    "ci": "Intervals and tests",
    "per_pair": "Output",
    "metric.NAME.standardize": "Metric",
}
COMMANDS = {
    command.name: command
    for command in (
        Command("run", "metric=smatch data=sts", is_application=True),
        Command("score", "src=parser.amr tgt=gold.amr", ("src...", "tgt"), SCORE_TITLES),
        Command("agree", "a.amr b.amr c.amr", ("files...",)),
        Command("compare", "'metric=[smatch,wlk]' data=all", is_application=True),
        Command("explain", "metric=smatch data=sts pair=3", ("src", "tgt")),
        Command("train", "metric=wwlk_theta data=sts", is_application=True),
        Command("tables", "table=table4", is_application=True),
        Command("site", "metric=smatch,wlk out=site"),
        Command("build", "data=sts partition=reify", is_application=True),
        Command("check", "metric=mine --config-dir FOLDER"),
        Command("fetch", "data=all"),
    )
}
INFORMATION = {  # commands that show names and help, and their examples
    "list": "metrics",
    "help": "metric wwlk",
}
NAMES = sorted((*COMMANDS, *INFORMATION))
