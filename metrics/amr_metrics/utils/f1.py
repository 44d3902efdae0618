"""Precision, recall and F1 of matching triples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from amr_metrics.types import Floats

COUNTS = ("matches", "src_total", "tgt_total")  # the columns from which these are computed


def precision_recall_f1(
    matches: Floats, src_total: Floats, tgt_total: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return ``M / S``, ``M / T`` and ``2 M / (S + T)``, each 1 if neither side has facts.

    >>> [v.tolist() for v in precision_recall_f1(np.array([2.0]), np.array([4.0]), np.array([2.0]))]
    [[0.5], [1.0], [0.6666666666666666]]
    """
    return (
        share(matches, src_total, tgt_total),
        share(matches, tgt_total, src_total),
        share(2 * matches, src_total + tgt_total, src_total + tgt_total),
    )


def share(matches: Floats, total: Floats, other_total: Floats) -> Floats:
    """Return ``matches / total``; without facts, 1 if the other side has none either, else 0."""
    if_empty = ((total == 0) & (other_total == 0)).astype(np.float64)
    return np.asarray(np.divide(matches, total, out=np.asarray(if_empty), where=total > 0))


def harmonic_mean(precision: Floats, recall: Floats) -> Floats:
    """Return ``2 P R / (P + R)``, for a precision and a recall with different matches; 0 for 0.

    >>> harmonic_mean(np.array([0.5, 0.0]), np.array([1.0, 0.0])).tolist()
    [0.6666666666666666, 0.0]
    """
    both = precision + recall
    mean = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)
    return np.asarray(mean)


def micro_average(sums: Mapping[str, Floats], columns: Sequence[str] = COUNTS) -> dict[str, Floats]:
    """Return micro-averaged precision, recall and F1 from sums over pairs.

    Args:
        sums: the sum of each column, in any number of corpora.
        columns: those with the matches and the totals of both sides.

    >>> sums = {"matches": np.array(2.0), "src_total": np.array(4.0), "tgt_total": np.array(4.0)}
    >>> float(micro_average(sums)["f1"])
    0.5
    """
    values = precision_recall_f1(*map(sums.__getitem__, columns))
    return dict(zip(("precision", "recall", "f1"), values, strict=True))


def upper_f1(f1: Floats, bound: Floats, src_total: Floats, tgt_total: Floats) -> Floats:
    """Return an upper bound of the F1 of all alignments.

    Args:
        f1: the F1 of the alignments.
        bound: an upper bound of the matches.

    >>> upper_f1(*(np.array([v]) for v in (0.5, 3.0, 6.0, 4.0))).tolist()  # 3 of 6 and 4
    [0.6]
    """
    return np.maximum(f1, precision_recall_f1(bound, src_total, tgt_total)[2])
