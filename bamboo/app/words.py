"""The words of a command line: as values, and as overrides of Hydra.

Hydra's grammar has ``group=name`` for one name, a comma for several jobs, and quotation marks for
most characters of paths. A command line here has ``metric=a,b`` for two rows of a table, files
without a name, and paths as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from amr_metrics.utils.conf import NAME, PARTS
from bamboo.app.commands import OPTIONS, REQUIRED, Command
from bamboo.config.groups import CHOICES, LISTS, ConfigDir, group_names, parse_names, quote_string
from bamboo.errors import ConfigError, describe_unknown
from bamboo.log import NAMES as MESSAGES

OF_HYDRA = ("hydra.", "hydra/")  # begin Hydra's own options
SEVERAL = "..."  # ends the name of a positional option that takes several words
# Values that are written in Hydra's grammar: numbers, constants, quoted strings, lists, mappings
# and functions. A number such as 007 is text.
INTEGER = re.compile(r"[+-]?(0|[1-9](_?[0-9])*)")
NUMBER = re.compile(
    rf"{INTEGER.pattern}(\.[0-9]*)?(e[+-]?[0-9]+)?|[+-]?\.[0-9]+(e[+-]?[0-9]+)?", re.IGNORECASE
)
CONSTANTS = {"true": True, "false": False, "null": None}
QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
LIST = re.compile(r"\[.*\]", re.DOTALL)
OTHERS = re.compile(r"\{.*\}|(choice|range|glob|interval|shuffle|sort|tag)\(.*\)", re.DOTALL)
PART = re.compile(rf"(?:^|,)((?:{QUOTED.pattern})(?=,|$)|[^,]*)", re.DOTALL)  # between commas


class HydraNeeded(Exception):
    """A word has a meaning in Hydra's grammar only."""


class Grammar(str):
    """A value in Hydra's grammar; other strings are text as it was typed."""

    @property
    def value(self) -> Any:
        r"""The value of a number, a constant or a quoted string.

        Raises:
            HydraNeeded: a list, a mapping, a function, or an interpolation.

        >>> Grammar("1_000").value, Grammar("null").value, Grammar(r"'it\'s'").value
        (1000, None, "it's")
        """
        if INTEGER.fullmatch(self):
            return int(self)
        if NUMBER.fullmatch(self):
            return float(self)
        if self.lower() in CONSTANTS:
            return CONSTANTS[self.lower()]
        if not QUOTED.fullmatch(self) or "${" in self:
            raise HydraNeeded
        # Backslashes are doubled before a quotation mark and at the end.
        return re.sub(rf"\\+({self[0]}|\Z)", lambda match: match[0][1::2], self[1:-1])


class Setting(NamedTuple):
    """An option that was typed.

    Attributes:
        key: its name as the functions have it, with those of the options in it:
            ``options.solver.seed``.
        parts: the values between commas.
        is_list: whether they are those of a list; otherwise several are those of jobs.
        prefix: begins the override of Hydra.
    """

    key: str
    parts: Sequence[str]
    is_list: bool = False
    prefix: str = ""

    @property
    def override(self) -> str:
        """The override of Hydra."""
        parts = (part if isinstance(part, Grammar) else quote_string(part) for part in self.parts)
        joined = ",".join(parts)
        return f"{self.prefix}{self.key}={f'[{joined}]' if self.is_list else joined}"

    @property
    def value(self) -> Any:
        """The value.

        Raises:
            HydraNeeded: only Hydra can read it.
        """
        values = [part.value if isinstance(part, Grammar) else part for part in self.parts]
        if REQUIRED in values:  # a missing value for OmegaConf
            raise HydraNeeded
        return values if self.is_list else values[0]


def read_words(
    command: Command, words: Sequence[str], config_dir: ConfigDir, multirun: bool = False
) -> list[Setting]:
    """Return the options that the words of a command line set.

    Args:
        multirun: a comma separates the values of different jobs, not those of a list.

    Raises:
        ConfigError: a word that is not ``key=value``, an unknown option or name.
    """
    settings: list[Setting] = []
    typed: dict[str, str] = {}  # the groups with several names
    for word in _name_files(command, words):
        key, equals, value = word.partition("=")
        name = key.lstrip("+")
        root, dot, rest = name.partition(".")
        if not name or not equals:
            raise ConfigError(_describe_non_option(word, command))
        if name.startswith(OF_HYDRA):
            settings.append(Setting(key, [Grammar(value)]))
        elif root not in command.options:
            raise ConfigError(describe_unknown("option", root, (*command.options, *MESSAGES)))
        elif root in PARTS:
            settings.append(_read_untyped(f"options.{root}.{rest or NAME}", value, multirun))
        elif dot and OPTIONS.get(root) in command.parameters:
            settings.append(_read_untyped(f"{OPTIONS[root]}.{rest}", value, multirun))
        elif dot and root not in CHOICES and root != "seeds":
            raise ConfigError(f"{word}: {root} is a value, without options: set {root}=...")
        elif dot:
            settings.append(_read_untyped(name, value, multirun))
        elif root in typed:
            raise ConfigError(f"{root} is given twice: write {root}={typed[root]},{value}")
        elif root in LISTS:
            typed[root] = value
            # Rows of tables, too, are names of metrics there.
            check = not (root == "metric" and command.name == "tables")
            settings.append(_read_names(root, value, config_dir, multirun, check))
        elif root in CHOICES:
            if value != "null" or command.options[root].default is not None:
                settings.append(_read_choice(root, value, config_dir, multirun))
        elif multirun and root == "out":
            if "${" not in value:
                raise ConfigError(
                    f"-m: each job would replace out={value}: leave out= out, or give each job its "
                    "own, as in 'out=tried-${seed}'"
                )
            settings.append(Setting(name, [Grammar(value)]))
        else:
            settings.append(_read_typed(name, value, command.options[name].type, multirun))
    return _join_words(settings, command)


def _read_names(
    group: str, value: str, config_dir: ConfigDir, multirun: bool, check: bool
) -> Setting:
    """Read names as a list; with ``--multirun``, a comma separates jobs."""
    if value == "null":
        return Setting(group, [Grammar(value)], prefix="lists.")
    of_jobs = multirun and value != "all" and not LIST.fullmatch(value)
    listed = [name.strip(" '\"") for name in value.strip("[]").split(",")]
    if check:
        parse_names(group, listed, config_dir)  # before the first of several jobs
    return Setting(group, listed, not of_jobs, "lists.")


def _read_choice(group: str, value: str, config_dir: ConfigDir, multirun: bool) -> Setting:
    """Read a name of a group with one choice; with ``--multirun`` there can be several."""
    if not OTHERS.fullmatch(value):
        names = value.split(",")
        for value_of_job in names if multirun else [names]:
            parse_names(group, value_of_job, config_dir)
    return Setting(group, [Grammar(value)])


def _read_typed(key: str, value: str, hint: Any, multirun: bool) -> Setting:
    """Read the value of an option, given its type."""
    members = _list_members(hint)
    if value.lower() == "null" and NoneType in members:
        return Setting(key, [Grammar(value)])
    tuples = [member for member in members if get_origin(member) is tuple]
    scalars = {*members, *(inner for member in tuples for inner in get_args(member))}
    is_text = any(type_ in (str, Path, Any) or get_origin(type_) is Literal for type_ in scalars)
    if int in scalars and re.fullmatch(r"-?(0|[1-9][0-9]*)", value):  # the number of a pair
        return Setting(key, [Grammar(value)])
    is_list = not is_text or bool(tuples) or Any in members
    if QUOTED.fullmatch(value) or (OTHERS.fullmatch(value) and (multirun or not is_text)):
        return Setting(key, [Grammar(value)])
    if is_list and LIST.fullmatch(value):
        return Setting(key, [Grammar(value[1:-1])], is_list=True)
    parts = PART.findall(value) if is_list or multirun else [value]
    texts = [_read_scalar(part, is_text) for part in parts]
    return Setting(key, texts, len(texts) > 1 and not multirun)


def _list_members(hint: Any) -> list[Any]:
    if get_origin(hint) in (Union, UnionType):
        return [inner for member in get_args(hint) for inner in _list_members(member)]
    return [hint]


def _read_untyped(key: str, value: str, multirun: bool) -> Setting:
    """Read the value of an option of unknown type, such as ``metric.K``."""
    texts = [
        Grammar(part)
        if LIST.fullmatch(part) or OTHERS.fullmatch(part)
        else _read_scalar(part, is_text=False)
        for part in _split(value)
    ]
    return Setting(key, texts, len(texts) > 1 and not multirun, "++")


def _read_scalar(value: str, is_text: bool) -> str:
    """Read a scalar.

    Args:
        is_text: a string, also if it looks like a number.
    """
    is_plain = NUMBER.fullmatch(value) or value.lower() in CONSTANTS
    return Grammar(value) if QUOTED.fullmatch(value) or (is_plain and not is_text) else value


def _split(value: str) -> list[str]:
    """Split a value at its commas, but not within brackets or quotation marks.

    >>> _split("none,[lower,unquote],'a,b'")
    ['none', '[lower,unquote]', "'a,b'"]
    """
    parts, depth, quote = [""], 0, ""
    for character in value:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        depth += (character in "[{(") - (character in ")}]")
        if character == "," and depth <= 0 and not quote:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _name_files(command: Command, words: Sequence[str]) -> list[str]:
    """Give names to files without a name, such as ``a.amr b.amr gold.amr``."""
    positional = command.positional
    without = [word for word in words if "=" not in word and (word[:1] != "-" or word == "-")]
    if not without or not positional:
        return list(words)
    more = max(0, len(without) - len(positional)) if positional[0].endswith(SEVERAL) else 0
    first, *others = [name.removesuffix(SEVERAL) for name in positional]
    names = [first] * (1 + more) + others
    if len(without) > len(names):
        raise ConfigError(
            f"{without[len(names)]!r}: {command.name} takes {len(names)} files without a "
            f"name, {' and '.join(names)}; options: key=value"
        )
    keyed = {word.partition("=")[0]: word for word in words if "=" in word}
    for name, word in zip(names, without, strict=False):
        if name in keyed:
            free = [option for option in names if option not in keyed]
            is_clear = len(without) == 1 and free
            hint = f"did you mean {free[0]}={word}?" if is_clear else "leave out one of them"
            raise ConfigError(f"{name} is given twice: {word} and {keyed[name]}; {hint}")
    left = iter(names)
    return [f"{next(left)}={quote_string(word)}" if word in without else word for word in words]


def _join_words(settings: list[Setting], command: Command) -> list[Setting]:
    """Join the words of an option that takes several."""
    several = "".join(command.positional[:1]).removesuffix(SEVERAL)
    same = [setting for setting in settings if setting.key == several]
    if len(same) < 2:
        return settings
    parts = [part for setting in same for part in setting.parts]
    others = [setting for setting in settings if setting.key != several]
    return [Setting(several, parts, is_list=True), *others]


def _describe_non_option(word: str, command: Command) -> str:
    hint = f"see {command.name} --help"
    if word.startswith("-"):
        option = word.lstrip("-").partition("=")[0].replace("-", "_")
        hint = (
            f"did you mean {option}=...? Flags are --config-dir, --help, and those of Hydra "
            "(--multirun, --cfg, --info)"
        )
    elif word in group_names("metric"):
        hint = f"did you mean metric={word}?"
    return f"{word!r} is not of the form key=value: {hint}"
