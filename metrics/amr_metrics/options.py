"""Validation and conversion of options that several metrics share.

Options that are functions are strings in configurations and signatures, written as a call:
``my_module.function(k=10)``.
"""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

from amr_metrics.errors import OptionError


def one_of(option: str, value: object, values: Sequence[str]) -> None:
    """Check that the value of an option is one of the given strings.

    Args:
        option: name of the option, for the message.
        values: the allowed values.

    Raises:
        OptionError: if it is not.

    >>> one_of("variant", "2021", ("2021", "2023"))
    >>> one_of("variant", 2021, ("2021", "2023"))
    Traceback (most recent call last):
    amr_metrics.errors.OptionError: variant=2021: expected a string: use '2021'
    """
    if value in values:
        return
    if str(value) in values:
        raise OptionError(f"{option}={value!r}: expected a string: use {str(value)!r}")
    raise OptionError(f"{option}={value!r}: use one of {', '.join(values)}")


def optional_floats(value: Sequence[float] | None) -> list[float] | None:
    """Convert numbers to floats; return None unchanged.

    >>> optional_floats((1, 2))
    [1.0, 2.0]
    """
    return None if value is None else [*map(float, value)]


def unknown(what: str, given: object, known: Iterable[str]) -> str:
    """Return a message for an unknown name, with the closest known name.

    >>> unknown("metric", "smacth", ["sema", "smatch"])
    "unknown metric 'smacth': did you mean 'smatch'? Use one of: sema, smatch"
    """
    names = sorted(set(known))
    near = get_close_matches(str(given), names, n=1)
    # A short name in another case has too few letters in common.
    near = near or [name for name in names if name.lower() == str(given).lower()]
    hint = f": did you mean {near[0]!r}?" if near else "."
    return f"unknown {what} {given!r}{hint} Use one of: {', '.join(names)}"


def named_floats(values: Mapping[str, float]) -> dict[str, float]:
    """Convert the values of a mapping to floats."""
    return {name: float(value) for name, value in values.items()}


def select_names(what: str, names: str | Sequence[str], known: Iterable[str]) -> tuple[str, ...]:
    """Return the given names as they are known, ignoring case; ``all`` selects all known ones.

    Args:
        what: the kind of name, for the message.

    Raises:
        OptionError: if a name is unknown; the message suggests the nearest one.

    >>> select_names("aspect", ["NER", "wiki"], ["ner", "wiki", "srl"])
    ('ner', 'wiki')
    """
    known = tuple(known)
    requested = [names] if isinstance(names, str) else list(names)
    if requested == ["all"]:
        return known
    for name in requested:
        if name.lower() not in known:
            raise OptionError(f"unknown {what} {name!r}: {nearest(name.lower(), known)}")
    return tuple(dict.fromkeys(map(str.lower, requested)))


def nearest(name: str, known: Sequence[str]) -> str:
    """Suggest the nearest known name, and list all of them.

    >>> nearest("sri", ["ner", "srl"])
    "did you mean 'srl'? Use one of ner, srl"
    """
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{hint}Use one of {', '.join(known)}"


PLAIN = (str, int, float, bool, type(None))


def call_text(target: str, options: Mapping[str, Any]) -> str:
    """Return a function and its options as text.

    Args:
        target: ``module.function``.
        options: keyword arguments: numbers, strings, True, False, None, and lists and mappings of
            these.

    Raises:
        OptionError: an option of another type.

    >>> call_text("scipy.stats.kendalltau", {"variant": "c"})
    "scipy.stats.kendalltau(variant='c')"
    >>> call_text("math.sqrt", {})
    'math.sqrt'
    """
    for name, value in options.items():
        if not (name.isidentifier() and _is_plain(value)):
            raise OptionError(f"{target}: option {name!r}: expected a plain value, got {value!r}")
    if not options:
        return target
    return f"{target}({', '.join(f'{name}={value!r}' for name, value in options.items())})"


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return isinstance(value, PLAIN) and value == value  # not NaN, which has no literal


def target_of(text: str) -> str:
    """Return the name of the function.

    >>> target_of("scipy.stats.kendalltau(variant='c')")
    'scipy.stats.kendalltau'
    """
    return text.partition("(")[0].strip()


def function_of(text: str) -> Callable[..., Any]:
    """Return the function that a text names, with its options.

    Raises:
        OptionError: a text that is not a call, or a function that cannot be imported.

    >>> function_of("builtins.sorted(reverse=True)")([1, 3, 2])
    [3, 2, 1]
    """
    options = _options(text)
    try:
        function = pkgutil.resolve_name(target_of(text))
    except Exception as error:  # importing a module may raise anything
        raise OptionError(f"{target_of(text)}: {error}") from None
    if not callable(function):
        kind = type(function).__name__
        raise OptionError(f"{target_of(text)}: expected a function, not a {kind}")
    return partial(function, **options) if options else function


def _options(text: str) -> dict[str, Any]:
    if "(" not in text:
        return {}
    how = "expected a function with options, such as module.function(k=10)"
    try:
        call = ast.parse(text.strip(), mode="eval").body
        named = isinstance(call, ast.Call) and isinstance(call.func, ast.Name | ast.Attribute)
        if not isinstance(call, ast.Call) or not named or call.args:
            raise OptionError(f"{text!r}: {how}")
        options = {str(item.arg): ast.literal_eval(item.value) for item in call.keywords}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise OptionError(f"{text!r}: {how}") from None
    if "None" in options:  # **mapping
        raise OptionError(f"{text!r}: {how}")
    return options
