"""Weights of concepts and relations by the share of graphs that contain them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from amr_metrics.errors import OptionError
from amr_metrics.types import Floats
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.elementary import log
from amr_metrics.utils.files import TABLES

CONCEPTS = TABLES / "concept_frequencies.tsv"
RELATIONS = TABLES / "relation_frequencies.tsv"


@dataclass(frozen=True, kw_only=True)
class SIF:
    """Weights a / (a + p), where p is the share of graphs with a label (Arora et al. 2017).

    The graphs are those of the train splits of BAMBOO's Main, Reify and Syno partitions.
    Frequent concepts such as ``and`` or ``person`` weigh little, rare ones nearly 1.

    Attributes:
        a: the smaller, the less frequent concepts weigh; positive.

    Raises:
        OptionError: if `a` is not positive and finite.

    >>> SIF().weights(["and", "sleep-01", "unheard-of-99"]).round(2).tolist()
    [0.13, 0.96, 1.0]
    """

    a: float = 0.03

    def __post_init__(self) -> None:
        if not 0 < self.a < np.inf:
            raise OptionError(f"a={self.a}: must be positive and finite")

    @property
    def digest(self) -> str:
        """The SHA-256 of the table of frequencies."""
        return file_digest(CONCEPTS)

    def weights(self, labels: Sequence[str]) -> Floats:
        """Return the weight of each label, in 0..1.

        Labels are concepts and constants in lower case, without quotes.
        """
        graphs, counts = _read_counts(CONCEPTS, labels)
        return np.asarray(self.a / (self.a + counts / graphs))


def information(relations: Sequence[str]) -> Floats:
    """Return the information of relations, 1 - log(n + 1) / log(N + 1), in 0..1.

    n is the number of graphs with the relation and N the number of all graphs, counted on the train
    splits of BAMBOO's Main, Reify and Syno partitions: 1 for a relation that occurs in none, such
    as one with an unusual role.

    Args:
        relations: ``source :role target`` without senses and in lower case.

    >>> information(["play-01 :arg1 guitar", "play :arg1 guitar"]).round(2).tolist()
    [1.0, 0.36]
    """
    graphs, counts = _read_counts(RELATIONS, relations)
    return np.asarray(1 - log(counts + 1) / log(graphs + 1))


def information_digest() -> str:
    """Return the SHA-256 of the frequencies of relations."""
    return file_digest(RELATIONS)


def _read_counts(path: Path, labels: Sequence[str]) -> tuple[int, Floats]:
    """Return the number of graphs, and the number of graphs with each label."""
    graphs, counts = _read_table(path)
    return graphs, np.array([counts.get(label, 0) for label in labels], np.float64)


@cache
def _read_table(path: Path) -> tuple[int, dict[str, int]]:
    """Read a table: the number of graphs, then a label and its number of graphs on each line."""
    first, *lines = path.read_text("utf-8").splitlines()
    rows = (line.rsplit("\t", 1) for line in lines)
    return int(first.split("\t")[1]), {label: int(count) for label, count in rows}
