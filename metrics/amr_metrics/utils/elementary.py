"""Exponential function and logarithm that are equal on every processor.

Those of NumPy and of the C library have variants for processors. These use only operations that
IEEE 754 defines to the last bit, and are at most one unit in the last place from the exact value.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

import numpy as np

from amr_metrics.types import Floats

# log(2) as the sum of two numbers. Products of the first one with exponents are exact.
LN2_HIGH, LN2_LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
# Both series end below half of the last place: e**r with |r| <= log(2) / 2, and
# 2 artanh(s) = 2 s (1 + z / 3 + z**2 / 5 ...) with z = s**2 <= .0295.
EXP = [1 / factorial(k) for k in range(2, 14)]
ARTANH = [2 / (2 * k + 1) for k in range(1, 11)]


def exp(x: Floats | float) -> Floats:
    """Return e to the power of finite numbers.

    >>> float(exp(0.0)), exp(np.array([-1000.0, 1.0])).round(12).tolist()
    (1.0, [0.0, 2.718281828459])
    """
    # e**x = 2**k e**r, where k is the whole number next to x / log(2): Cody and Waite (1980),
    # Software manual for the elementary functions.
    x = np.clip(x, -800, 800)  # beyond, the result is 0 or infinite
    k = np.rint(x / LN2_HIGH)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    return np.asarray(np.ldexp(1 + (r + r * r * _evaluate(EXP, r)), k.astype(np.int64)))


def log(x: Floats | float) -> Floats:
    """Return the natural logarithm of positive, finite numbers.

    >>> float(log(1.0)), log(np.array([0.5, 8.0])).round(6).tolist()
    (0.0, [-0.693147, 2.079442])
    """
    # x = 2**k (1 + f) with 1 + f between the roots of 1/2 and 2, and log(1 + f) = 2 artanh(s) with
    # s = f / (2 + f): the logarithm of Sun's fdlibm.
    fraction, k = np.frexp(x)
    is_low = fraction < np.sqrt(0.5)
    k, f = k - is_low, np.where(is_low, 2 * fraction, fraction) - 1
    s = f / (2 + f)
    z = s * s
    return np.asarray(k * LN2_HIGH + (f - (s * (f - z * _evaluate(ARTANH, z)) - k * LN2_LOW)))


def _evaluate(coefficients: Sequence[float], x: Floats) -> Floats:
    """Return a polynomial, of which the coefficient of the lowest power comes first."""
    total = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total *= x
        total += coefficient
    return total
