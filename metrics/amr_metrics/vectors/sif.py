"""Weights of concepts and relations by the share of graphs that contain them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from amr_metrics.errors import OptionError
from amr_metrics.graphs.folding import lower_without_quotes
from amr_metrics.graphs.graph import Graph
from amr_metrics.types import Floats
from amr_metrics.utils.digests import file_digest

TABLES = Path(__file__).parents[1] / "tables"
BUNDLED = TABLES / "concept_frequencies.tsv"
RELATIONS = TABLES / "relation_frequencies.tsv"
TOTAL = "graphs"  # name of the first line, which gives the number of graphs


class Frequencies(NamedTuple):
    """In how many graphs each label occurs.

    Attributes:
        graphs: number of graphs.
        counts: the number of graphs with each label; other labels occur in none.
    """

    graphs: int
    counts: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class SIF:
    """Weights a / (a + p), where p is the share of graphs with a label (Arora et al. 2017).

    Frequent concepts such as ``and`` or ``person`` weigh little, rare ones nearly 1.

    Attributes:
        a: the smaller, the less frequent concepts weigh; positive.
        file: a table of frequencies as written by `write_frequencies`. None: the bundled table,
            counted on the train splits of BAMBOO's Main, Reify and Syno partitions.

    Raises:
        OptionError: if `a` is not positive and finite.

    >>> SIF().weights(["and", "sleep-01", "unheard-of-99"]).round(2).tolist()
    [0.13, 0.96, 1.0]
    """

    a: float = 0.03
    file: Path | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not 0 < self.a < np.inf:
            raise OptionError(f"a={self.a}: must be positive and finite")

    @property
    def digest(self) -> str:
        """The SHA-256 of the table.

        Raises:
            OptionError: if it cannot be read.
        """
        return _digest(self.file or BUNDLED)

    def weights(self, labels: Sequence[str]) -> Floats:
        """Return the weight of each label, in 0..1.

        Labels are concepts and constants in lower case, without quotes.

        Raises:
            OptionError: if the table cannot be read or is not a table of frequencies.
        """
        graphs, counts = _counts(self.file or BUNDLED, labels)
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
    graphs, counts = _counts(RELATIONS, relations)
    return np.asarray(1 - np.log(counts + 1) / np.log(graphs + 1))


def information_digest() -> str:
    """Return the SHA-256 of the frequencies of relations."""
    return _digest(RELATIONS)


def count_labels(graphs: Iterable[Graph]) -> Frequencies:
    """Count the graphs that contain each concept or constant, in lower case and without quotes.

    >>> from amr_metrics import parse_graph
    >>> count_labels([parse_graph("(s / Sleep-01 :polarity -)"), parse_graph("(s / sleep-01)")])
    Frequencies(graphs=2, counts={'-': 1, 'sleep-01': 2})
    """
    total, counts = 0, Counter[str]()
    for graph in graphs:
        total += 1
        constants = [attribute.constant for attribute in graph.attributes]
        counts.update({lower_without_quotes(label) for label in (*graph.concepts, *constants)})
    return Frequencies(total, dict(sorted(counts.items())))


def write_frequencies(path: Path, frequencies: Frequencies, least: int = 1) -> None:
    """Write a table: one line per label, its name and the number of graphs, separated by a tab.

    Args:
        least: leave out labels that occur in fewer graphs.
    """
    lines = [f"{TOTAL}\t{frequencies.graphs}"]
    lines += [f"{name}\t{n}" for name, n in sorted(frequencies.counts.items()) if n >= least]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _digest(path: Path) -> str:
    path = Path(path).expanduser()
    try:
        return file_digest(path)
    except OSError as error:
        raise _unreadable(path, error.strerror or "unknown error") from None


def _counts(path: Path, labels: Sequence[str]) -> tuple[int, Floats]:
    """Return the number of graphs, and the number of graphs with each label."""
    table = _read(Path(path).expanduser(), _digest(path))
    return table.graphs, np.array([table.counts.get(label, 0) for label in labels], np.float64)


@cache
def _read(path: Path, digest: str) -> Frequencies:
    """Read a table; the digest identifies its content."""
    try:
        first, *lines = path.read_text("utf-8").splitlines()
        name, total = first.split("\t")
        graphs = int(total)
        counts = {}
        for number, line in enumerate(lines, 2):
            label, count = line.rsplit("\t", 1)
            counts[label] = int(count)
            if not 0 <= counts[label] <= graphs:
                raise ValueError(f"line {number}: {count} is not in 0..{graphs}")
        if name != TOTAL or graphs < 1:
            raise ValueError(f"line 1 is not {TOTAL!r}, a tab and a positive number")
    except UnicodeDecodeError:
        raise _unreadable(path, "it is not UTF-8 text") from None
    except OSError as error:
        raise _unreadable(path, error.strerror or "unknown error") from None
    except ValueError as error:
        raise _unreadable(path, str(error)) from None
    return Frequencies(graphs, counts)


def _unreadable(path: Path, problem: str) -> OptionError:
    return OptionError(
        f"{path}: not a table of frequencies ({problem}). Expected a line with {TOTAL!r} and the "
        "number of graphs, then a label and the number of graphs with it on each line, "
        "separated by tabs"
    )
