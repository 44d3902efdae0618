"""Numbering of features: each distinct triple of integers gets its own number.

A path ``a :r b :s c`` is the triple (number of ``a :r b``, ``:s``, ``c``), and so on. Keys are
compared, never only hashed: equal numbers mean equal features.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.compiled import compiled
from metrics.types import Ints


class Numbering(NamedTuple):
    """An open-addressing hash table from triples to 0, 1, 2 ... in order of first occurrence.

    Attributes:
        slots: the number in each slot, -1 in free slots. Its length is a power of two, at least
            twice the largest possible size.
        keys: the triple of each number.
        places: the slot of each number.
        size: the number of triples, as an array of one element.
    """

    slots: Ints
    keys: Ints
    places: Ints
    size: Ints


@compiled
def numbering(capacity: int) -> Numbering:
    """Create an empty table with the given capacity."""
    slots = 8
    while slots < 2 * capacity:
        slots *= 2
    return Numbering(
        np.full(slots, -1, np.int64),
        np.empty((slots // 2, 3), np.int64),
        np.empty(slots // 2, np.int64),
        np.zeros(1, np.int64),
    )


@compiled
def emptied(table: Numbering, capacity: int) -> Numbering:
    """Clear and return the table, or create a larger one if its capacity is too small."""
    if capacity > table.places.size:
        return numbering(capacity)
    for k in range(table.size[0]):
        table.slots[table.places[k]] = -1
    table.size[0] = 0
    return table


@compiled
def number(table: Numbering, a: int, b: int, c: int) -> int:
    """Return the number of a triple; a new triple is added. The table must not be full."""
    mask = table.slots.size - 1  # a power of two less 1: `& mask` is the remainder
    mixed = a * 73856093 + b * 19349663 + c * 83492791  # primes small enough not to overflow
    slot = (mixed ^ (mixed >> 17)) & mask
    while table.slots[slot] >= 0:
        k = table.slots[slot]
        if table.keys[k, 0] == a and table.keys[k, 1] == b and table.keys[k, 2] == c:
            return int(k)
        slot = (slot + 1) & mask
    k = table.size[0]
    table.size[0] += 1
    table.slots[slot] = k
    table.places[k] = slot
    table.keys[k, 0] = a
    table.keys[k, 1] = b
    table.keys[k, 2] = c
    return int(k)
