"""Numbering of features: each distinct triple of integers gets its own number.

A path ``a :r b :s c`` is the triple (number of ``a :r b``, ``:s``, ``c``), and so on. Keys are
compared, never only hashed: equal numbers mean equal features.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amr_metrics.compiled import compiled, hot, inner
from amr_metrics.types import Ints

FACTORS = np.array([73856093, 19349663, 83492791])  # primes small enough not to overflow
PRIME = 2**27 - 39  # later factors are at most this


class Numbering(NamedTuple):
    """An open-addressing hash table from triples to 0, 1, 2 ... in order of first occurrence.

    Attributes:
        slots: the number in each slot, -1 in free slots. Its length is a power of two, at least
            twice the largest possible size.
        keys: the triple of each number.
        places: the slot of each number.
        size: the number of triples, as an array of one element.
        factors: of the three integers; the weighted sum determines the first slot of a triple.
        steps: how far the triples are from their first slots, in total, as an array of one
            element. If this exceeds the number of slots, as it does for a graph made to collide,
            the factors change, but not the numbers.
    """

    slots: Ints
    keys: Ints
    places: Ints
    size: Ints
    factors: Ints
    steps: Ints


def count_slots(capacity: int) -> int:
    """Return the number of slots of a table with the given capacity, a power of two.

    Kernels in C take working memory for three integers per slot.

    >>> count_slots(4), count_slots(5)
    (8, 16)
    """
    slots = 8
    while slots < 2 * capacity:
        slots *= 2
    return slots


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
        FACTORS.copy(),
        np.zeros(1, np.int64),
    )


@compiled
def emptied(table: Numbering, capacity: int) -> Numbering:
    """Clear and return the table, or create a larger one if its capacity is too small."""
    if capacity > table.places.size:
        return numbering(capacity)
    # Only the slots in use are freed: the time depends on the last graph, not on the largest.
    for k in range(table.size[0]):
        table.slots[table.places[k]] = -1
    table.size[0] = table.steps[0] = 0
    return table


@hot
def number(table: Numbering, a: int, b: int, c: int) -> int:
    """Return the number of a triple; a new triple is added. The table must not be full."""
    # Linear probing: a triple is in its first slot, or in one of those behind it up to a free one.
    # At least half of the slots are free, so that this ends.
    mask = table.slots.size - 1  # a power of two less 1: `& mask` is the remainder
    slot = first = _first_slot(table, a, b, c)
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
    table.steps[0] += (slot - first) & mask
    if table.steps[0] > table.slots.size:
        _rehash(table)
    return int(k)


@inner
def _first_slot(table: Numbering, a: int, b: int, c: int) -> int:
    mixed = a * table.factors[0] + b * table.factors[1] + c * table.factors[2]
    return int((mixed ^ (mixed >> 17)) & (table.slots.size - 1))


@inner
def _rehash(table: Numbering) -> None:
    """Enter the triples again, with other factors until few steps are needed."""
    mask, limit = table.slots.size - 1, table.slots.size
    while table.steps[0] > limit:
        limit += table.slots.size  # this ends, whatever the triples are
        table.steps[0] = 0
        for k in range(table.size[0]):
            table.slots[table.places[k]] = -1
        for i in range(3):
            table.factors[i] = table.factors[i] * 16807 % PRIME | 1
        for k in range(table.size[0]):
            slot = first = _first_slot(table, table.keys[k, 0], table.keys[k, 1], table.keys[k, 2])
            while table.slots[slot] >= 0:
                slot = (slot + 1) & mask
            table.slots[slot] = k
            table.places[k] = slot
            table.steps[0] += (slot - first) & mask
            if table.steps[0] > limit:
                break
