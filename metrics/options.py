"""Validation and conversion of options that several metrics share."""

from __future__ import annotations

from collections.abc import Sequence

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
