"""Options as keys and values: words of a command line, parsed by Hydra, or Python values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any

from bamboo.errors import ConfigError

SPECIAL = re.compile(r"[=,()\[\]{}'\"$\\]")  # they have a meaning in Hydra's grammar
# Strings in Hydra's grammar, whose parser takes a tenth of a second to import.
STRING = re.compile(r"(?!(?i:true|false|null|nan|inf)$)(\.{0,2}/)?[A-Za-z][\w./-]*", re.ASCII)
SEVERAL = "..."  # ends the name of a positional option that takes several words
KEY = re.compile(r"[A-Za-z_]\w*(\.[\w:-]+)*")


@dataclass(frozen=True)
class Setting:
    """One option.

    Attributes:
        key: its name, with dots in front of nested options: ``metric.K``.
        value: its value; with `several`, a list of values.
        prefix: ``+`` or ``++`` to add an option that may be new, ``~`` to remove one.
        several: several values were given, separated by commas.
        word: how it is written on the command line.
    """

    key: str
    value: Any
    prefix: str = ""
    several: bool = False
    word: str = ""

    @property
    def is_plain_list(self) -> bool:
        """Check that several values were written as ``a,b``, not as ``range(1,4)``."""
        return self.several and "(" not in self.word


def read_words(command: str, words: Sequence[str], positional: Sequence[str]) -> list[Setting]:
    """Read ``key=value`` words, and words without a key as the positional options in turn.

    Args:
        positional: the names of these options; the first with ``...`` if it takes several words.

    Raises:
        ConfigError: a word that is not of the form ``key=value``, or that Hydra cannot read.

    >>> [s.value for s in read_words("score", ["a b.amr", "ids=check"], ["src", "tgt"])]
    ['a b.amr', 'check']
    >>> [s.value for s in read_words("score", ["a.amr", "b.amr", "c.amr"], ["src...", "tgt"])]
    [['a.amr', 'b.amr'], 'c.amr']
    """
    settings = [_read(word, command) for word in _with_names(command, words, positional)]
    several = positional[0].removesuffix(SEVERAL) if positional else ""
    same = [setting for setting in settings if setting.key == several]
    if len(same) < 2 or not positional[0].endswith(SEVERAL):
        return settings
    listed = [s.value if isinstance(s.value, list) else [s.value] for s in same]
    values = [value for entry in listed for value in entry]
    word = f"{several}={','.join(setting.word.partition('=')[2] for setting in same)}"
    joined = Setting(several, values, several=True, word=word)
    return [joined, *(setting for setting in settings if setting.key != several)]


def _with_names(command: str, words: Sequence[str], positional: Sequence[str]) -> list[str]:
    without = [word for word in words if "=" not in word and word[:1] not in ("~", "-")]
    without += ["-"] * list(words).count("-")
    if not without or not positional:
        return list(words)
    more = max(0, len(without) - len(positional)) if positional[0].endswith(SEVERAL) else 0
    first, *others = [name.removesuffix(SEVERAL) for name in positional]
    positional = [first] * (1 + more) + others
    if len(without) > len(positional):
        raise ConfigError(
            f"{without[len(positional)]!r}: {command} takes {len(positional)} files without a "
            f"name, {' and '.join(positional)}; options: key=value"
        )
    keyed = {word.partition("=")[0]: word for word in words if "=" in word}
    for name, word in zip(positional, without, strict=False):
        if name in keyed:
            free = [other for other in positional if other not in keyed]
            one = len(without) == 1 and free
            hint = f"did you mean {free[0]}={word}?" if one else "leave out one of them"
            raise ConfigError(f"{name} is given twice: {word} and {keyed[name]}; {hint}")
    names = iter(positional)
    return [f"{next(names)}={word}" if word in without else word for word in words]


def _read(word: str, command: str) -> Setting:
    key, equals, text = word.partition("=")
    name = key.lstrip("+~")
    prefix = key[: len(key) - len(name)]
    if not (name and prefix in ("", "+", "++", "~") and (equals or prefix == "~")) or "-" in name:
        raise ConfigError(_not_an_option(word, command))
    if STRING.fullmatch(text) and prefix != "~":
        return Setting(name, text, prefix, word=word)
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import Override, Transformer
    from hydra.errors import HydraException

    try:
        override = OverridesParser.create().parse_override(word)
    except HydraException as error:
        if text and not SPECIAL.search(text):  # such as ~/a.amr, or letters beyond ASCII
            return Setting(name, text, prefix, word=word)
        problem = str(error).splitlines()[0]
        raise ConfigError(
            f"{word!r} cannot be read: {problem}. Quote the value twice, for the shell and for "
            f"Hydra: {key}=\"'...'\""
        ) from None
    if not override.is_sweep_override():
        return Setting(name, _with_nan(override.value()), prefix, word=word)
    values = override.sweep_iterator(transformer=Transformer.identity)
    converted = [_with_nan(Override._convert_value(value)) for value in values]
    return Setting(name, converted, prefix, several=True, word=word)


def _not_an_option(word: str, command: str) -> str:
    hint = f"see {command} --help"
    if word.startswith("-"):
        option = word.lstrip("-").partition("=")[0].replace("-", "_")
        hint = (
            f"did you mean {option}=...? Flags are --config-dir, --help, and those of Hydra "
            "(--multirun, --cfg, --info)"
        )
    return f"{word!r} is not of the form key=value: {hint}"


def _with_nan(value: Any) -> Any:
    """Return a value in which ``nan``, parsed by Hydra as a number, is a string again."""
    if isinstance(value, dict):
        return {name: _with_nan(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_nan(item) for item in value]
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def python_settings(options: Mapping[str, Any]) -> list[Setting]:
    """Return the settings of keyword arguments: ``metric__K=3`` is ``metric.K=3``.

    Raises:
        ConfigError: a name or a value that is not that of an option.
    """
    settings = []
    for name, value in options.items():
        key = name.replace("__", ".")
        if not KEY.fullmatch(key):
            raise ConfigError(f"{name!r} is not the name of an option")
        prefix = "++" if isinstance(value, Mapping) else ""
        settings.append(Setting(key, _plain(name, value), prefix, word=f"{key}={shown(value)}"))
    return settings


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(name, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(name, item) for item in value]
    if isinstance(value, str | Path):  # OmegaConf would replace ${...}
        return re.sub(r"(\\*)\$\{", r"\1\1\\${", str(value))
    if value is None or isinstance(value, bool | int | float):
        return value
    raise ConfigError(
        f"{name}: {type(value).__name__} is not the value of an option: expected a string, a "
        "number, True, False, None, or a list or dictionary of these"
    )


def shown(value: Any) -> str:
    """Return a value as it is written on the command line, for labels and messages.

    >>> shown([True, None, {"a": 0.5}])
    '[true,null,{a:0.5}]'
    """
    if isinstance(value, Mapping):
        return f"{{{','.join(f'{key}:{shown(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(shown, value))}]"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return type(value).__name__ if is_dataclass(value) else str(value)
