"""The words of a command line as overrides of Hydra.

Hydra's grammar has ``group=name`` for one name, a comma for several jobs, and quotation marks for
most characters of paths. A command line here has ``metric=a,b`` for two rows of a table, files
without a name, and paths as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from bamboo.app.commands import OPTIONS, Command
from bamboo.config.groups import (
    CHOICES,
    LISTS,
    PARTS,
    group_names,
    names_in,
    quoted,
)
from bamboo.config.rows import NAME
from bamboo.errors import ConfigError, unknown
from bamboo.log import NAMES as MESSAGES

SEVERAL = "..."  # ends the name of a positional option that takes several words
NUMBER = re.compile(r"[+-]?(\d[\d_]*\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
CONSTANT = re.compile(r"true|false|null", re.IGNORECASE)
# Values that are written in Hydra's grammar: quoted strings, lists, mappings and functions.
QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
LIST = re.compile(r"\[.*\]", re.DOTALL)
OTHERS = re.compile(r"\{.*\}|(choice|range|glob|interval|shuffle|sort|tag)\(.*\)", re.DOTALL)
PART = re.compile(rf"(?:^|,)((?:{QUOTED.pattern})(?=,|$)|[^,]*)", re.DOTALL)  # between commas


def overrides(
    command: Command, words: Sequence[str], config_dir: str | None, multirun: bool
) -> list[str]:
    """Return the overrides of Hydra for the words of a command line.

    Args:
        multirun: a comma separates the values of different jobs, not those of a list.

    Raises:
        ConfigError: a word that is not ``key=value``, an unknown option or name.
    """
    words = _with_names(command, words)
    result: list[str] = []
    given: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        name = key.lstrip("+")
        root, dot, rest = name.partition(".")
        if not name or not equals:
            raise ConfigError(_not_an_option(word, command))
        if name.startswith(("hydra.", "hydra/")):
            result.append(word)
        elif root not in command.options:
            raise ConfigError(unknown("option", root, (*command.options, *MESSAGES)))
        elif root in PARTS:
            result.append(f"++options.{root}.{rest or NAME}={_untyped(value, multirun)}")
        elif dot and OPTIONS.get(root) in command.parameters:
            result.append(f"++{OPTIONS[root]}.{rest}={_untyped(value, multirun)}")
        elif dot and root not in CHOICES and root != "seeds":
            raise ConfigError(f"{word}: {root} is a value, without options: set {root}=...")
        elif dot:
            result.append(f"++{name}={_untyped(value, multirun)}")
        elif root in given:
            raise ConfigError(f"{root} is given twice: write {root}={given[root]},{value}")
        elif root in LISTS:
            given[root] = value
            result.append(f"names.{root}={_names(root, value, config_dir, multirun)}")
        elif root in CHOICES:
            result.append(f"{name}={_choice(name, value, config_dir, multirun)}")
        else:
            result.append(f"{name}={_typed(value, command.options[name].type, multirun)}")
    return result


def _names(group: str, value: str, config_dir: str | None, multirun: bool) -> str:
    """Return names as a list; with ``--multirun``, a comma separates jobs."""
    if value == "null":
        return value
    of_jobs = multirun and value != "all" and not LIST.fullmatch(value)
    listed = [name.strip(" '\"") for name in value.strip("[]").split(",")]
    names_in(group, listed, config_dir)  # before the first of several jobs
    text = ",".join(map(quoted, listed))
    return text if of_jobs else f"[{text}]"


def _choice(group: str, value: str, config_dir: str | None, multirun: bool) -> str:
    """Return a name of a group with one choice; with ``--multirun`` there can be several."""
    if value != "null" and not OTHERS.fullmatch(value):
        names = value.split(",")
        for one in names if multirun else [names]:
            names_in(group, one, config_dir)
    return value


def _typed(value: str, hint: Any, multirun: bool) -> str:
    """Return the value of an option in Hydra's grammar, given its type."""
    members = _members_of(hint)
    if value.lower() == "null" and NoneType in members:
        return value
    tuples = [member for member in members if get_origin(member) is tuple]
    scalars = {*members, *(inner for member in tuples for inner in get_args(member))}
    is_text = any(one in (str, Path, Any) or get_origin(one) is Literal for one in scalars)
    if int in scalars and re.fullmatch(r"-?\d+", value):  # such as the number of a pair
        return value
    return _in_grammar(value, is_text, not is_text or bool(tuples) or Any in members, multirun)


def _members_of(hint: Any) -> list[Any]:
    if get_origin(hint) in (Union, UnionType):
        return [inner for member in get_args(hint) for inner in _members_of(member)]
    return [hint]


def _in_grammar(value: str, is_text: bool, is_list: bool, multirun: bool) -> str:
    """Return a value in Hydra's grammar.

    Args:
        is_text: a string, also if it looks like a number or a mapping.
        is_list: a comma makes a list.
    """
    if (
        QUOTED.fullmatch(value)
        or (is_list and LIST.fullmatch(value))
        or (OTHERS.fullmatch(value) and (multirun or not is_text))
    ):
        return value
    parts = PART.findall(value) if is_list or multirun else [value]
    texts = [_scalar(part, is_text) for part in parts]
    joined = ",".join(texts)
    return f"[{joined}]" if len(texts) > 1 and not multirun else joined


def _untyped(value: str, multirun: bool) -> str:
    """Return the value of an option of unknown type, such as ``metric.K``, in Hydra's grammar."""
    parts = _split(value) if value else []
    texts = [
        part if LIST.fullmatch(part) or OTHERS.fullmatch(part) else _scalar(part, is_text=False)
        for part in parts
    ]
    joined = ",".join(texts)
    return f"[{joined}]" if len(texts) > 1 and not multirun else joined


def _scalar(value: str, is_text: bool) -> str:
    is_plain = NUMBER.fullmatch(value) or CONSTANT.fullmatch(value)
    return value if QUOTED.fullmatch(value) or (is_plain and not is_text) else quoted(value)


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


def _with_names(command: Command, words: Sequence[str]) -> list[str]:
    """Give names to files without a name, such as ``a.amr b.amr gold.amr``."""
    positional = command.positional
    without = [word for word in words if "=" not in word and (word[:1] != "-" or word == "-")]
    several = positional[0].removesuffix(SEVERAL) if positional else ""
    if not without or not positional:
        return _joined(list(words), several)
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
            free = [other for other in names if other not in keyed]
            one = len(without) == 1 and free
            hint = f"did you mean {free[0]}={word}?" if one else "leave out one of them"
            raise ConfigError(f"{name} is given twice: {word} and {keyed[name]}; {hint}")
    left = iter(names)
    named = [f"{next(left)}={quoted(word)}" if word in without else word for word in words]
    return _joined(named, several)


def _joined(words: list[str], several: str) -> list[str]:
    """Join the words of an option that is given several times."""
    values = [word.partition("=")[2] for word in words if word.startswith(f"{several}=")]
    if len(values) < 2 or not several:
        return words
    kept = [word for word in words if not word.startswith(f"{several}=")]
    listed = [
        value[1:-1]
        if LIST.fullmatch(value)
        else ",".join(_scalar(part, is_text=True) for part in PART.findall(value))
        for value in values
    ]
    return [f"{several}=[{','.join(listed)}]", *kept]


def _not_an_option(word: str, command: Command) -> str:
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
