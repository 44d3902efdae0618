"""Sums over resamples that are equal on every processor."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from amr_metrics.types import Floats

BITS = 52  # of a number, besides the first one


class Addends(NamedTuple):
    """Columns as the sum of two, whose sums with whole-number weights have no rounding errors.

    The order in which a matrix product adds depends on the processor, and on where a column is in
    the matrix. Without rounding errors, every order gives the same sums, and equal columns have
    equal ones.

    Attributes:
        high: float64, the columns, rounded to multiples of a power of two.
        low: what this leaves out, rounded likewise; the rest is below the precision of the sums.
    """

    high: Floats
    low: Floats

    @classmethod
    def of(cls, columns: Floats, total: float) -> Self:
        """Return the addends of one column, or of several: (rows, columns).

        Args:
            total: the weights of the rows add up to this at most, in absolute value.
        """
        columns = np.asarray(columns, np.float64)
        high = _round_columns(columns, total)
        rest = np.subtract(columns, high, out=np.zeros_like(high), where=np.isfinite(high))
        return cls(high, _round_columns(rest, total))

    def sum(self, weights: Floats) -> Floats:
        """Return the sums with each row of weights, which are whole numbers: (draws, ...)."""
        # Adding 0 makes -0 to 0: a product has either, depending on the processor.
        sums = weights @ self.high + 0.0
        return np.asarray(sums + weights @ self.low if self.low.any() else sums)


def _round_columns(columns: Floats, total: float) -> Floats:
    """Round to multiples of a power of two, of which all sums have at most 53 bits.

    >>> _round_columns(np.array([1.0, 2**-50, 0.75 * 2**-48]), 4).tolist() == [1.0, 0.0, 2**-48]
    True
    """
    largest = np.abs(columns).max(axis=0, initial=0.0)
    # The sums are below the product of the two powers of two above `largest` and `total`.
    power = np.frexp(largest)[1] + np.frexp(total)[1] - BITS
    return np.asarray(np.ldexp(np.rint(np.ldexp(columns, -power)), power))
