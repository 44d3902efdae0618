"""How many nodes of the graphs have a word vector, for metrics that look them up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bamboo.config.jobs import Job
from bamboo.config.metrics import build_metric
from metrics.base import Scores
from metrics.vectors import NODES, WITH_VECTOR

LOW = 0.5  # share of nodes with a vector below which a warning is printed


@dataclass(frozen=True)
class Coverage:
    """The number of nodes in both graphs of all pairs, and how many have a word vector.

    Attributes:
        nodes: how many the metric looked up.
        with_vector: how many of them have a vector.
    """

    nodes: int
    with_vector: int

    @property
    def share(self) -> float:
        """The share with a vector, in 0..1; 1 if there are no nodes."""
        return self.with_vector / self.nodes if self.nodes else 1.0

    @classmethod
    def of(cls, scores: Scores) -> Coverage | None:
        """Return the coverage of the pairs that have a score, or None for a metric without vectors.

        >>> columns = {NODES: np.array([4, 6]), WITH_VECTOR: np.array([4, 4])}
        >>> Coverage.of(Scores(np.ones(2), columns)).share
        0.8
        """
        if NODES not in scores.details or WITH_VECTOR not in scores.details:
            return None
        return cls(*(int(np.nansum(scores.details[name])) for name in (NODES, WITH_VECTOR)))

    @classmethod
    def total(cls, parts: Iterable[Coverage | None]) -> Coverage | None:
        """Return the sum of several coverages; None if there are none."""
        counts = [part for part in parts if part is not None]
        if not counts:
            return None
        return cls(sum(part.nodes for part in counts), sum(part.with_vector for part in counts))

    def __str__(self) -> str:
        share = _percent(self.share)
        return f"{self.with_vector:,} of {self.nodes:,} nodes ({share}) have a word vector"

    def to_json(self) -> dict[str, Any]:
        """Return both counts and the share."""
        return {"nodes": self.nodes, "nodes_with_vector": self.with_vector, "share": self.share}


def coverage_notes(coverages: Mapping[str, Coverage | None]) -> list[str]:
    """Return one line per coverage, starting with its name."""
    return [f"{name}: {coverage}." for name, coverage in coverages.items() if coverage is not None]


def coverage_warnings(
    coverages: Mapping[str, Coverage | None], files: Mapping[str, str | None]
) -> list[str]:
    """Return a warning for each coverage below `LOW`.

    Args:
        coverages: the coverages by name.
        files: the file of vectors of each metric, if it has one.

    >>> coverage_warnings({"wwlk": Coverage(10, 8)}, {})
    []
    """
    texts = []
    for name, coverage in coverages.items():
        if coverage is None or not coverage.nodes or coverage.share >= LOW:
            continue
        source = files.get(name) or "the vectors given"
        if coverage.with_vector:
            problem = f"only {coverage} in {source}, less than {_percent(LOW)}"
        else:
            problem = f"NONE of the {coverage.nodes:,} nodes has a word vector in {source}"
        texts.append(
            f"{name}: {problem}: concepts are hardly compared by meaning, so the scores do not "
            "represent the metric with suitable vectors. Set BAMBOO_VECTORS or "
            "vectors.file= to a file of lower-case words such as glove.6B.100d.txt"
        )
    return texts


def vector_files(jobs: Iterable[Job]) -> dict[str, str]:
    """Return the files of the word vectors of the metrics that have one, by name.

    Raises:
        ConfigError: as `build_metric`.
        VectorError: a file that cannot be found.
    """
    files = {job.name: build_metric(job.name, job.metric).vector_file for job in jobs}
    return {name: file for name, file in files.items() if file is not None}


def _percent(share: float) -> str:
    """Return a share as a percentage with one decimal; only 0 and 1 give 0.0 % and 100.0 %.

    >>> _percent(0.5), _percent(0.99996), _percent(0.0)
    ('50.0 %', '99.9 %', '0.0 %')
    """
    percent = 100 * share
    if 0 < percent < 100:
        percent = min(max(percent, 0.1), 99.9)
    return f"{percent:.1f} %"
