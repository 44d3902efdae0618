"""Memory for the numbering of features: each distinct triple of integers gets its own number.

A path ``a :r b :s c`` is the triple (number of ``a :r b``, ``:s``, ``c``), and so on. The table is
``Numbering`` in ``kernels/kernels.h``.
"""

from __future__ import annotations

import numpy as np

from amr_metrics.types import Ints


def count_slots(capacity: int) -> int:
    """Return the number of slots of a table with the given capacity, a power of two.

    >>> count_slots(4), count_slots(5)
    (8, 16)
    """
    slots = 8
    while slots < 2 * capacity:
        slots *= 2
    return slots


def allocate_numbers(capacity: int) -> tuple[int, Ints]:
    """Return the number of slots of a table with the given capacity, and its memory."""
    slots = count_slots(capacity)
    return slots, np.empty(3 * slots, np.int64)
