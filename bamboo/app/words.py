"""The words of the commands on files, without Hydra: files, and ``key=value``.

A value is text, a number, ``true``, ``false``, ``null``, or a list of these with commas or in
brackets; the type of an option decides. Files need no quotation marks but those of the shell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from amr_metrics.configurations import NAME, PARTS, parse_yaml
from amr_metrics.utils.text import format_count
from bamboo.app.commands import OPTIONS, REQUIRED, Command, Option, report_missing
from bamboo.config.groups import CHOICES, LISTS, ConfigDir, compose_group, group_names, list_folders
from bamboo.errors import ConfigError, describe_unknown
from bamboo.log import NAMES as MESSAGES

SEVERAL = "..."  # ends the name of a positional option that takes several words
QUOTED = re.compile(r"""'[^']*'|"[^"]*\"""")


def read_arguments(command: Command, words: Sequence[str], config_dir: ConfigDir) -> dict[str, Any]:
    """Return the arguments of a command's function from its words.

    Raises:
        ConfigError: a word that is neither a file nor ``key=value``, an unknown option, one that is
            given twice or is missing.
    """
    files, settings = _name_files(command, words)
    values: dict[str, Any] = dict(files)
    typed: dict[str, str] = {}
    for key, text in settings:
        root, _, rest = key.partition(".")
        if root not in command.options:
            raise ConfigError(describe_unknown("option", root, (*command.options, *MESSAGES)))
        if key in typed:
            raise ConfigError(f"{key} is given twice: write {key}={typed[key]},{text}")
        typed[key] = text
        if root in PARTS:
            values = _set_value(values, ["options", root, *(rest or NAME).split(".")], text)
        elif rest and OPTIONS.get(root) in command.parameters:
            _check_key(root, key, rest)
            values = _set_value(values, [OPTIONS[root], *rest.split(".")], text)
        elif rest and root in (*CHOICES, "seeds"):
            values = _set_value(values, [root, *rest.split(".")], text)
        elif rest:
            raise ConfigError(f"{key}={text}: {root} is a value, without options: set {root}=...")
        elif root in LISTS and text != "null":
            values[root] = [name.strip(" '\"") for name in text.strip("[]").split(",")]
        elif root in CHOICES and text != "null":
            values[root] = {**compose_group(root, text, config_dir), **values.get(root, {})}
        else:
            values[root] = _read_typed(text, command.options[root].type)
    for group in CHOICES:
        if isinstance(options := values.get(group), Mapping) and NAME not in options:
            usual = compose_group(group, command.options[group].default, config_dir)
            values[group] = {**usual, **options}
    defaults = {n: option.default for n, option in command.options.items() if n not in PARTS}
    for name, default in defaults.items():
        if default == REQUIRED and name not in values:
            raise report_missing(command.name, name)
    _check_metric_options(values)
    for name, default in defaults.items():
        if isinstance(default, Mapping) and isinstance(value := values.get(name), Mapping):
            values[name] = {**default, **value}
    arguments = {**defaults, **values, "config_dir": config_dir}
    if "command_line" in command.parameters:
        flags = [part for f in list_folders(config_dir) for part in ("--config-dir", str(f))]
        arguments["command_line"] = (command.name, *words, *flags)
    return arguments


def _check_key(root: str, key: str, rest: str) -> None:
    """Check that the name in a key has no dot.

    Raises:
        ConfigError: it has, as that of ``smatch_1.0`` would.
    """
    for name in ("smatch_1.0.2", "smatch_1.0"):
        if root == "metric" and rest.startswith(f"{name}."):
            right = key.replace(name, name.replace(".", "_"), 1)
            raise ConfigError(f"{key}=...: a dot ends a key: write {right}=...")


def _check_metric_options(values: Mapping[str, Any]) -> None:
    """Check that options of metrics say of which metric they are.

    Raises:
        ConfigError: several metrics are named, and an option is below none of them.
    """
    names, options = list(values.get("metric") or []), values.get("options") or {}
    without = [key for key in options if key not in (*PARTS, *group_names("metric"), *names)]
    if len(names) > 1 and without:
        raise ConfigError(
            f"metric.{without[0]}: there are several metrics: write metric.NAME.{without[0]}=..., "
            f"such as metric.{names[0]}.{without[0]}=..."
        )


def _set_value(values: Mapping[str, Any], names: Sequence[str], text: str) -> dict[str, Any]:
    """Return values in which one is set; mappings on the way to it are created.

    >>> _set_value({"a": 1, "b": {"c": 2}}, ["b", "d"], "3")
    {'a': 1, 'b': {'c': 2, 'd': 3}}
    """
    first, others = names[0], list(names[1:])
    if not others:
        return {**values, first: read_value(text)}
    below = values.get(first)
    return {**values, first: _set_value(below if isinstance(below, Mapping) else {}, others, text)}


def read_value(text: str) -> Any:
    """Read the value of an option of unknown type, such as ``metric.K``, as YAML has it.

    >>> read_value("3"), read_value("none,[lower,unquote],1e-5"), read_value("{a: [1]}")
    (3, ['none', ['lower', 'unquote'], 1e-05], {'a': [1]})
    >>> read_value("[:wiki,:mode]")
    [':wiki', ':mode']
    """
    try:
        values = parse_yaml(f"[{text}]")
    except ValueError:  # roles without quotation marks
        return _split_list(text) or text
    return values[0] if len(values) == 1 else values or text


def _read_typed(text: str, hint: Any) -> Any:
    """Read the value of an option, given its type."""
    members = _list_members(hint)
    if text.lower() == "null" and NoneType in members:
        return None
    tuples = [member for member in members if get_origin(member) is tuple]
    scalars = {*members, *(inner for member in tuples for inner in get_args(member))}
    is_text = any(kind in (str, Path, Any) or get_origin(kind) is Literal for kind in scalars)
    if not is_text:
        return read_value(text)
    if int in scalars and text.lstrip("-").isdecimal():  # the number of a pair
        return int(text)
    listed = _split_list(text) if tuples or Any in members else []
    return listed or _unquote(text)


def _split_list(text: str) -> list[str]:
    """Return the parts of a list, with commas or in brackets; [] for a single value."""
    is_list = text[:1] == "[" and text[-1:] == "]"
    parts = _split(text[1:-1] if is_list else text)
    return [_unquote(part.strip()) for part in parts] if is_list or len(parts) > 1 else []


def _unquote(text: str) -> str:
    return text[1:-1] if QUOTED.fullmatch(text) else text


def _list_members(hint: Any) -> list[Any]:
    if get_origin(hint) in (Union, UnionType):
        return [inner for member in get_args(hint) for inner in _list_members(member)]
    return [hint]


def _split(text: str) -> list[str]:
    """Split a value at its commas, but not within brackets or quotation marks.

    >>> _split("none,[lower,unquote],'a,b'")
    ['none', '[lower,unquote]', "'a,b'"]
    """
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        else:
            depth += (character in "[{(") - (character in ")}]")
        if character == "," and depth <= 0 and not quote:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _name_files(
    command: Command, words: Sequence[str]
) -> tuple[Mapping[str, str | list[str]], Sequence[tuple[str, str]]]:
    """Return the files without a name by that of their option, and the options that are typed.

    Several files of an option are a list.
    """
    options: list[tuple[str, str]] = []
    files: list[str] = []
    for word in words:
        key, equals, text = word.partition("=")
        if equals and key.lstrip("+"):
            options.append((key.lstrip("+"), text))
        elif not command.positional or (word.startswith("-") and word != "-"):
            raise ConfigError(describe_other_word(word, command))
        elif not Path(word).exists() and (setting := suggest_setting(word, command)):
            raise ConfigError(f"{word!r}: there is no such file: did you mean {setting}?")
        else:
            files.append(word)
    return (_place_files(command, files, dict(options)) if files else {}), options


def _place_files(
    command: Command, files: Sequence[str], keyed: Mapping[str, str]
) -> Mapping[str, str | list[str]]:
    """Return the options that files without a name set."""
    first, *others = [name.removesuffix(SEVERAL) for name in command.positional]
    takes_several = command.positional[0].endswith(SEVERAL)
    more = max(0, len(files) - len(command.positional)) if takes_several else 0
    names = [first] * (1 + more) + others
    if len(files) > len(names):
        raise ConfigError(
            f"{files[len(names)]!r}: {command.name} takes {format_count(len(names), 'file')} "
            f"without a name, {' and '.join(names)}; options: key=value"
        )
    for name, file in zip(names, files, strict=False):
        if name in keyed:
            free = [option for option in names if option not in keyed]
            is_clear = len(files) == 1 and free
            hint = f"did you mean {free[0]}={file}?" if is_clear else "leave out one of them"
            raise ConfigError(f"{name} is given twice: {file} and {name}={keyed[name]}; {hint}")
    by_name: dict[str, list[str]] = {}
    for name, file in zip(names, files, strict=False):
        by_name.setdefault(name, []).append(file)
    return {name: listed if len(listed) > 1 else listed[0] for name, listed in by_name.items()}


def describe_other_word(word: str, command: Command) -> str:
    """Return the message for a word that is neither ``key=value`` nor a file."""
    hint = f"see {command.name} --help"
    if word.startswith("-"):
        option = word.lstrip("-").partition("=")[0].replace("-", "_")
        hint = f"did you mean {option}=...? Flags are --config-dir and --help"
    elif setting := suggest_setting(word, command):
        hint = f"did you mean {setting}?"
    return f"{word!r} is not of the form key=value: {hint}"


def suggest_setting(word: str, command: Command) -> str | None:
    """Return the setting that a word without ``=`` may stand for, or None.

    >>> from bamboo.app.commands import COMMANDS
    >>> [suggest_setting(word, COMMANDS["score"]) for word in ("ci", "worst", "smatchpp", "json")]
    ['ci=true', 'worst=...', 'metric=smatchpp', 'report=json']
    """
    if word in command.options:
        return f"{word}={'true' if command.options[word].type is bool else '...'}"
    for option in command.options.values():
        if word in list_values(option) and word != "null":
            return f"{option.name}={word}"
    return None


def list_values(option: Option) -> list[str]:
    """Return the values of an option that has few; [] for any other option."""
    if option.name in (*LISTS, *CHOICES, *PARTS):
        return group_names(option.name)
    if option.type is bool:
        return ["false", "true"]
    members = _list_members(option.type)
    values = [
        str(v) for member in members if get_origin(member) is Literal for v in get_args(member)
    ]
    return [*values, *["null"] * (bool(values) and NoneType in members)]
