"""P-values corrected for the number of tests: Holm's, or from permutations that tests share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amr_metrics.types import Floats, Ints

SAME = 1e-9  # smaller relative differences are rounding errors


def correct_holm(p: Floats) -> Floats:
    """Return p-values corrected for their number by Holm's method: (tests,), NaN where one is.

    Source: Holm (1979), A simple sequentially rejective multiple test procedure.

    >>> correct_holm(np.array([0.25, 0.125, np.nan])).tolist()
    [0.25, 0.25, nan]
    """
    order = np.argsort(p)  # NaN last
    left = np.sum(~np.isnan(p)) - np.arange(len(p))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.maximum(left, 1)), 1)
    return corrected


@dataclass(frozen=True, eq=False)
class Family:
    """Tests of differences whose p-values are corrected together, by Westfall and Young's min-p.

    The smallest p-value of a permutation is compared with those observed, step by step: with the
    smallest observed one among all tests, with the next among the others, and so on. Instead of
    p-values, which could only be compared after all permutations, the absolute differences over
    their standard deviations are compared (max-|t|): the largest ratio has the smallest p-value.
    This is exactly min-p if the null distributions of all tests have the same shape. The correction
    is smaller than Holm's if tests depend on each other.

    A test whose difference is NaN, or which no permutation changes, has the ratio 0: it comes last
    and takes nothing from the others. Its p-value is NaN in the first case and 1 in the second.

    Source: Westfall and Young (1993), Resampling-based multiple testing, section 2.6; Ge, Dudoit
    and Speed (2003), Resampling-based multiple testing for microarray data analysis.

    Attributes:
        observed: (tests,), the differences; NaN for one that is not tested.
        scale: (tests,), their standard deviations over permutations, or these times a factor that
            is the same for all tests.
    """

    observed: Floats
    scale: Floats

    def count(self, differences: Floats) -> Floats:
        """Count the permutations that are as extreme as the observed ratio of each test.

        A permutation counts for a test if its largest ratio among this test and those with
        smaller observed ratios reaches the observed ratio. Counts of several blocks of permutations
        can be added.

        Args:
            differences: (permutations, tests).

        Returns:
            (tests,), in the order of the tests.
        """
        order = self._order_tests()
        ratios = self._ratios(differences)[:, order]
        largest = np.maximum.accumulate(ratios[:, ::-1], axis=1)[:, ::-1]
        counts = np.empty(len(order))
        counts[order] = (largest >= self._ratios(self.observed)[order] * (1 - SAME)).sum(axis=0)
        return counts

    def corrected(self, counts: Floats, permutations: int) -> Floats:
        """Return the corrected p-values: (tests,), NaN where a difference is.

        Args:
            counts: the sum of `count` over all permutations.
            permutations: their number.

        >>> family = Family(np.array([1.0, 3.0, 2.0]), np.ones(3))
        >>> draws = np.array([[2.0, 0.5, 1.5], [0.5, 1.0, 2.5], [0.0, -4.0, 0.0], [0.0, 0.0, 0.0]])
        >>> counts = family.count(draws)  # 3 is compared with all, 2 with columns 0 and 2, 1 with 0
        >>> counts.tolist(), family.corrected(counts, 4).tolist()
        ([1.0, 1.0, 2.0], [0.6, 0.4, 0.6])
        """
        order = self._order_tests()
        p = np.empty(len(order))
        p[order] = np.maximum.accumulate((counts[order] + 1) / (permutations + 1))
        return np.where(np.isnan(self.observed), np.nan, p)

    def _order_tests(self) -> Ints:
        """Return the positions of the tests, from the largest observed ratio to the smallest."""
        return np.argsort(-self._ratios(self.observed), kind="stable")

    def _ratios(self, differences: Floats) -> Floats:
        """Return absolute differences over their scales: (..., tests), 0 where there is none."""
        # A difference that no permutation changes has no standard deviation to divide by.
        varies = np.isfinite(self.observed) & (self.scale > SAME * np.abs(self.observed))
        sizes = np.where(varies, np.nan_to_num(np.abs(differences)), 0)
        return np.asarray(sizes / np.where(varies, self.scale, 1))
