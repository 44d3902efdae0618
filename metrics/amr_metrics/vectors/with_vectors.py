"""Base class of metrics that use word vectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.vectors.sif import SIF
from amr_metrics.vectors.sources import Vectors


class WithVectors(Metric):
    """A metric with the field `vectors`, its word vectors.

    The vectors are part of the signature, and so are the frequencies of labels if the metric uses
    them (see `_frequencies`).
    """

    if TYPE_CHECKING:  # a field of each subclass, in the order of its own options

        @property
        def vectors(self) -> Vectors:
            """The word vectors."""

    @property
    def _frequencies(self) -> SIF | None:
        """The frequencies that the scores depend on; None if they depend on none."""
        return None

    @property
    def signature(self) -> str:
        """The metric, all its options, the word vectors, the frequencies and the version."""
        frequencies = self._frequencies
        last = "" if frequencies is None else f"|frequencies={frequencies.digest}"
        return f"{super().signature}|vectors={self.vectors.digest}{last}"

    @abstractmethod
    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """See `Metric.evaluate`."""

    def warm_up(self) -> None:
        """Load kernels and vectors."""
        self.evaluate([])
