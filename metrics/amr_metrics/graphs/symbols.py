"""Symbols: distinct strings of many graphs, each stored and normalised once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from amr_metrics.types import Ints


@dataclass(frozen=True)
class Symbols:
    """A table of distinct strings: the variables, concepts, roles and constants of graphs.

    Attributes:
        texts: the strings, each once; a symbol is a position in this tuple.

    >>> symbols = Symbols(("dog", "cat"))
    >>> len(symbols), symbols.numbers["cat"]
    (2, 1)
    """

    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)

    def __reduce__(self) -> tuple[Any, ...]:
        return Symbols, (self.texts,)  # without the numbers, which are computed again if needed

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The symbol of each string."""
        return {text: k for k, text in enumerate(self.texts)}

    @classmethod
    def join(cls, tables: Sequence[Symbols]) -> tuple[Symbols, list[Ints]]:
        """Return the symbols of several tables, in order of first use.

        Returns:
            the table, and for each of the given ones the symbol in it of each of its symbols.

        >>> symbols, moved = Symbols.join([Symbols(("dog", "cat")), Symbols(("cat", ":mod"))])
        >>> symbols.texts, [numbers.tolist() for numbers in moved]
        (('dog', 'cat', ':mod'), [[0, 1], [1, 2]])
        """
        first = tables[0]
        numbers = dict(first.numbers)
        moved: list[Ints] = [np.arange(len(first))]
        if all(table.texts == first.texts for table in tables):
            return first, moved * len(tables)
        for table in tables[1:]:
            entries = [numbers.setdefault(text, len(numbers)) for text in table.texts]
            moved.append(np.array(entries, np.int64))
        return cls(tuple(numbers)), moved


class Labels:
    """Numbers distinct labels in order of first use.

    >>> symbols, labels = Symbols(("Dog", "dog", ":mod")), Labels()
    >>> labels.of(symbols, np.array([1, 0]), str.lower), labels.values
    (array([ 0,  0, -1]), ['dog'])
    """

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Hashable, int] = {}

    def number(self, label: Hashable) -> int:
        """Return the number of a label; a new label gets the next number."""
        number = self._numbers.setdefault(label, len(self.values))
        if number == len(self.values):
            self.values.append(label)
        return number

    def of(self, symbols: Symbols, used: Ints, fold: Callable[[str], Hashable]) -> Ints:
        """Return the numbers of the labels into which `fold` converts symbols.

        Args:
            used: the symbols to number; any of them may occur several times.
            fold: converts a symbol's string to its label; called once per distinct symbol.

        Returns:
            int64, one per symbol of the table; -1 for symbols that are not in `used`.
        """
        flags = np.zeros(len(symbols), np.bool_)
        flags[used] = True
        distinct = np.flatnonzero(flags)
        texts = symbols.texts
        numbers = np.full(len(symbols), -1, np.int64)
        numbers[distinct] = [self.number(fold(texts[k])) for k in distinct.tolist()]
        return numbers
