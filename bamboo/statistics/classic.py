"""Closed-form tests: Williams and McNemar."""

from __future__ import annotations

import math

from bamboo.errors import StatisticsError


def williams(r_ay: float, r_by: float, r_ab: float, n: int) -> tuple[float, float]:
    """Test with Williams' t whether metrics a and b correlate equally with ratings y.

    Source: Williams (1959), The comparison of regression variables, as given by Steiger (1980),
    Tests for comparing elements of a correlation matrix, equation 7.

    Returns:
        t, with n - 3 degrees of freedom, and the two-sided p.

    Raises:
        StatisticsError: fewer than four pairs, or a correlation outside -1..1.

    >>> t, p = williams(0.4, 0.5, 0.1, 103)
    >>> round(t, 2), round(p, 2)
    (-0.89, 0.37)
    """
    if n < 4:
        raise StatisticsError(f"Williams' test needs at least 4 pairs, not {n}")
    if not all(-1 <= r <= 1 for r in (r_ay, r_by, r_ab)):
        raise StatisticsError("a correlation must be between -1 and 1")
    from scipy.special import stdtr

    difference = r_ay - r_by
    # Of the matrix of the three correlations; below 0 only by rounding.
    determinant = 1 - r_ay * r_ay - r_by * r_by - r_ab * r_ab + 2 * r_ay * r_by * r_ab
    mean, rest = (r_ay + r_by) / 2, 1 - r_ab
    variance = 2 * (n - 1) / (n - 3) * max(determinant, 0.0) + mean * mean * rest * rest * rest
    if abs(r_ab) == 1 or difference == 0:
        # Either the two metrics have the same scores, so their correlations are equal; or opposite
        # ones, for which the test is not defined.
        return 0.0, 1.0
    if variance == 0:  # the ratings are the difference of the two metrics
        return math.copysign(math.inf, difference), 0.0
    t = difference * math.sqrt((n - 1) * (1 + r_ab) / variance)
    return t, float(2 * stdtr(n - 3, -abs(t)))


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the two-sided p of McNemar's exact test: are two metrics right equally often?

    Source: McNemar (1947), Note on the sampling error of the difference between correlated
    proportions or percentages; the exact version is the sign test on the discordant items.

    Args:
        only_a: the number of items that a gets right and b wrong.
        only_b: the reverse.

    >>> mcnemar(0, 5)  # 2 / 2**5
    0.0625
    """
    if min(only_a, only_b) < 0:
        raise StatisticsError("counts of items must not be negative")
    # The distribution function of scipy.stats.binomtest. For a probability of one half both tails
    # are equal, and binomtest, which searches for the other tail, agrees to 14 digits (a test
    # compares them), but is a hundred times slower.
    from scipy.special import bdtr

    total = only_a + only_b
    return min(1.0, float(2 * bdtr(min(only_a, only_b), total, 0.5))) if total else 1.0
