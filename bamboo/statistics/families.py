"""P-values of many tests at once, from permutations that the tests share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amr_metrics.types import Floats

SAME = 1e-9  # relative; smaller differences are rounding errors


def correct_holm(p: Floats) -> Floats:
    """Return p-values corrected for all of them: (tests,), NaN where one is.

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
    smallest observed one among all tests, with the next among the others, and so on. Within a
    permutation, the p-value of a test is that of its difference over the standard deviation, so
    the smallest is that of the largest ratio, and no permutation has to be kept. The correction is
    smaller than Holm's if tests depend on each other.

    Source: Westfall and Young (1993), Resampling-based multiple testing, section 2.6; Ge, Dudoit
    and Speed (2003), Resampling-based multiple testing for microarray data analysis.

    Attributes:
        observed: (tests,): the differences; NaN for one that is not tested.
        scale: (tests,): their standard deviations over permutations, or multiples of these.
    """

    observed: Floats
    scale: Floats

    def count(self, differences: Floats) -> Floats:
        """Count the permutations of which a step finds that they are as extreme as observed.

        Args:
            differences: (permutations, tests).

        Returns:
            (tests,), from the largest observed ratio to the smallest.
        """
        observed, order = self._steps()
        ratios = self._ratios(differences)[:, order]
        largest = np.maximum.accumulate(ratios[:, ::-1], axis=1)[:, ::-1]
        return np.asarray((largest >= observed * (1 - SAME)).sum(axis=0), np.float64)

    def corrected(self, counts: Floats, permutations: int) -> Floats:
        """Return the corrected p-values: (tests,), NaN where a difference is.

        Args:
            counts: the sum of `count` over all permutations.

        >>> family = Family(np.array([3.0, 1.0]), np.ones(2))
        >>> draws = np.array([[0.5, 2.0], [1.0, 0.5], [-4.0, 0.0], [0.0, 0.0]])
        >>> family.corrected(family.count(draws), 4).tolist()  # (1 + 1) / 5 and (1 + 1) / 5
        [0.4, 0.4]
        """
        _, order = self._steps()
        p = np.empty(len(order))
        p[order] = np.maximum.accumulate((counts + 1) / (permutations + 1))
        return np.where(np.isnan(self.observed), np.nan, p)

    def _steps(self) -> tuple[Floats, np.ndarray]:
        ratios = self._ratios(self.observed)
        order = np.argsort(-ratios, kind="stable")
        return ratios[order], order

    def _ratios(self, differences: Floats) -> Floats:
        # A difference that no permutation changes has no standard deviation to divide by.
        varies = np.isfinite(self.observed) & (self.scale > SAME * np.abs(self.observed))
        sizes = np.where(varies, np.nan_to_num(np.abs(differences)), 0)
        return np.asarray(sizes / np.where(varies, self.scale, 1))
