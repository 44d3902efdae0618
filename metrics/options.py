"""Validation and conversion of options that several metrics share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from metrics.errors import OptionError


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
    metrics.errors.OptionError: variant=2021: expected a string: use '2021'
    """
    if value in values:
        return
    if str(value) in values:
        raise OptionError(f"{option}={value!r}: expected a string: use {str(value)!r}")
    raise OptionError(f"{option}={value!r}: use one of {', '.join(values)}")


def optional_floats(value: str | Sequence[float] | None) -> str | list[float] | None:
    """Convert numbers to floats; return a string or None unchanged.

    >>> optional_floats((1, 2)), optional_floats("uniform")
    ([1.0, 2.0], 'uniform')
    """
    return value if value is None or isinstance(value, str) else [*map(float, value)]


def unknown(what: str, given: object, known: Iterable[str]) -> str:
    """A message for an unknown name, with the closest known name.

    >>> unknown("metric", "smacth", ["sema", "smatch"])
    "unknown metric 'smacth': did you mean 'smatch'? Use one of: sema, smatch"
    """
    names = sorted(known)
    near = get_close_matches(str(given), names, n=1, cutoff=0.5)
    # A short name in another case has too few letters in common.
    near = near or [name for name in names if name.lower() == str(given).lower()]
    hint = f": did you mean {near[0]!r}?" if near else "."
    return f"unknown {what} {given!r}{hint} Use one of: {', '.join(names)}"
