"""Functions with their options as text, as configurations and signatures hold them.

The text is a call with constants, such as ``my_module.function(k=10)``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from amr_metrics.errors import ExitError, OptionError
from amr_metrics.utils.user_code import import_user_code

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


def extract_target(text: str) -> str:
    """Return the name of the function.

    >>> extract_target("scipy.stats.kendalltau(variant='c')")
    'scipy.stats.kendalltau'
    """
    return text.partition("(")[0].strip()


def import_function(text: str) -> Callable[..., Any]:
    """Return the function that a text names, with its options.

    Raises:
        OptionError: a text that is not a call, or a function that cannot be imported.
        ExitError: the function's module ends the process.

    >>> import_function("builtins.sorted(reverse=True)")([1, 3, 2])
    [3, 2, 1]
    """
    options = _parse_options(text)
    try:
        function = import_user_code(extract_target(text))
    except ExitError:
        raise
    except Exception as error:  # importing a module may raise anything
        raise OptionError(f"{extract_target(text)}: {error}") from None
    if not callable(function):
        kind = type(function).__name__
        raise OptionError(f"{extract_target(text)}: expected a function, not a {kind}")
    return partial(function, **options) if options else function


def _parse_options(text: str) -> dict[str, Any]:
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
