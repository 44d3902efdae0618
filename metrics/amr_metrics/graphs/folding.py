"""Foldings of symbols: how labels are normalised before they are compared.

A metric chooses the foldings that its definition requires. Some differ only in rare labels; they
are kept apart because the definitions and the published scores differ.
"""

from __future__ import annotations

import re

SENSE = re.compile(r"-\d+$")  # the sense at the end of a concept
HYPHEN_AND_NUMBER = re.compile(r"-[0-9]+")  # anywhere in a label


def keep_label(label: str) -> str:
    """Return the label itself."""
    return label


def lower(label: str) -> str:
    """Return the label in lower case."""
    return label.lower()


def lower_without_outer_quotes(label: str) -> str:
    """Return the label in lower case, without quotes at its ends.

    >>> lower_without_outer_quotes('"Berlin"'), lower_without_outer_quotes('"3.5" disk"')
    ('berlin', '3.5" disk')
    """
    return label.strip('"').lower()


def lower_without_quotes(label: str) -> str:
    """Return the label in lower case, without any double quotes.

    >>> lower_without_quotes('"Berlin"'), lower_without_quotes('"3.5" disk"')
    ('berlin', '3.5 disk')
    """
    return label.lower().replace('"', "")


def drop_numbers(label: str) -> str:
    """Return the label without hyphens followed by digits, wherever they are.

    >>> drop_numbers("cut-up-08"), drop_numbers("covid-19-test")
    ('cut-up', 'covid-test')
    """
    return HYPHEN_AND_NUMBER.sub("", label)
