"""Checks and forms of options that several metrics share."""

from __future__ import annotations

from collections.abc import Sequence

from metrics.errors import OptionError


def one_of(option: str, value: object, values: Sequence[str]) -> None:
    """Check an option whose value is one of some names.

    Args:
        option: its name, for the message.
        values: the names.

    Raises:
        OptionError: any other value.

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
    """Numbers as floats; a name, or None, as it is.

    >>> optional_floats((1, 2)), optional_floats("uniform")
    ([1.0, 2.0], 'uniform')
    """
    return value if value is None or isinstance(value, str) else [*map(float, value)]
