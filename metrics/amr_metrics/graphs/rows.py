"""Rows of groups: how all tables of this package hold many graphs in flat arrays.

The rows (nodes, edges, facts) of graph 0 come first, then those of graph 1, and so on. ``start``
says where those of each graph start; it has one more element, the end. Nodes are numbered within
their graph. Two graphs with 2 and 3 nodes, and with 1 and 2 edges::

    node_start  0         2              5
    labels      sleep cat | see dog bird |
    position    0     1   | 0   1   2    |
    edge_start  0         1              3
    sources     0         | 0   0        |
    targets     1         | 1   2        |

The row of a node in the table is ``node_start[g] + position``. `count_rows` are the sizes of the
groups.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from amr_metrics.kernels.library import declare_kernel
from amr_metrics.types import Bools, Ints


class Rows(NamedTuple):
    """Where the rows of some groups are, after their selection.

    Attributes:
        start: int64 groups + 1, where the rows of each group start in the selection.
        rows: int64, the original row of each row of the selection.
    """

    start: Ints
    rows: Ints


def select_group_rows(start: Ints, groups: Ints) -> Rows:
    """Select the rows of some groups, where group ``g`` has the rows ``start[g]:start[g + 1]``.

    >>> select_group_rows(np.array([0, 2, 5]), np.array([1, 0, 1]))
    Rows(start=array([0, 3, 5, 8]), rows=array([2, 3, 4, 0, 1, 2, 3, 4]))
    """
    # Row x of the selection is row x - (start of its group in the selection) + (its start before).
    sizes = start[groups + 1] - start[groups]
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    rows = np.arange(total) + np.repeat(start[groups] - ends + sizes, sizes)
    return Rows(starts(sizes), rows)


def select_rows(start: Ints, groups: Ints) -> tuple[Ints, Ints | slice]:
    """Do the same as `select_group_rows`, but return the rows of consecutive groups as a slice.

    >>> select_rows(np.array([0, 2, 5]), np.array([1]))
    (array([0, 3]), slice(2, 5, None))
    """
    if (span := find_span(groups)) is None:
        return select_group_rows(start, groups)
    selected = start[span.start : span.stop + 1]
    return selected - selected[0], slice(int(selected[0]), int(selected[-1]))


def find_span(positions: Ints) -> slice | None:
    """Return the slice with the same positions, if these are consecutive; else None.

    >>> find_span(np.array([3, 4, 5])), find_span(np.array([5, 3, 4]))
    (slice(3, 6, None), None)
    """
    count = len(positions)
    first = int(positions[0]) if count else 0
    if count and int(positions[-1]) - first != count - 1:  # nearly always enough to decide
        return None
    return slice(first, first + count) if (positions[1:] > positions[:-1]).all() else None


def starts(sizes: Iterable[int] | Ints) -> Ints:
    """Return where groups of the given sizes start: int64, one more than there are groups.

    >>> starts([2, 3]).tolist()
    [0, 2, 5]
    """
    sizes = sizes if isinstance(sizes, np.ndarray) else [*sizes]
    start = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, dtype=np.int64, out=start[1:])
    return start


def count_rows(start: Ints) -> Ints:
    """Return the number of rows of each group: `np.diff` in a third of its time.

    >>> count_rows(np.array([0, 2, 5])).tolist()
    [2, 3]
    """
    return start[1:] - start[:-1]


def count_largest_group(start: Ints) -> int:
    """Return the number of rows of the largest group, for which memory is allocated.

    >>> count_largest_group(np.array([0, 2, 5])), count_largest_group(np.array([0]))
    (3, 0)
    """
    return int(count_rows(start).max(initial=0))


def per_row(values: Ints, start: Ints) -> Ints:
    """Repeat each graph's value for each of its rows."""
    return values.repeat(start[1:] - start[:-1])


def list_groups(start: Ints) -> Ints:
    """Return the group of each row.

    >>> list_groups(np.array([0, 2, 5])).tolist()
    [0, 0, 1, 1, 1]
    """
    return per_row(np.arange(len(start) - 1), start)


def row_positions(start: Ints) -> Ints:
    """Return the position of each row among those of its graph.

    >>> row_positions(np.array([0, 2, 5])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(start[-1]) - per_row(start[:-1], start)


def starts_of_kept(mask: Bools, start: Ints) -> Ints:
    """Return where the rows of each graph start after the rows outside of a mask are removed.

    >>> starts_of_kept(np.array([True, False, True]), np.array([0, 2, 3])).tolist()
    [0, 1, 2]
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(mask)])[start]


def merge_rows(*start: Ints) -> tuple[Ints, Ints]:
    """Merge several groupings of rows by the same graphs: first the rows of the first grouping.

    Args:
        start: where the rows of each graph start, for each grouping.

    Returns:
        where the merged rows of each graph start, and the order of the merged rows: positions in
        the concatenation of all groupings.

    >>> merge_rows(np.array([0, 1, 3]), np.array([0, 1, 1]))
    (array([0, 2, 4]), array([0, 3, 1, 2]))
    """
    groupings = np.stack(start)
    merged, order = np.empty(len(start[0]), np.int64), np.empty(groupings[:, -1].sum(), np.int64)
    _merge_rows(len(start), len(merged) - 1, len(order), groupings, merged, order)
    return merged, order


_merge_rows = declare_kernel("merge_rows")
