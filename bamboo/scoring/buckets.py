"""Buckets of pairs: by a line of metadata, by a file, or by the number of nodes."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np

from amr_metrics.errors import GraphError
from amr_metrics.types import Bools, Ints
from amr_metrics.utils.arrays import sort_distinct
from amr_metrics.utils.decoding import load_text
from amr_metrics.utils.text import split_lines
from bamboo.board import NONE
from bamboo.errors import ConfigError, DataError
from bamboo.files import csv_rows
from bamboo.scoring.file_pairs import FilePairs
from bamboo.scoring.scored import Scored

SIZE = "size"
LANGUAGE = "language"
OF_LANGUAGE = re.compile(r"([a-z]{2,3})-")  # begins the name of a file
CLASSES = 6  # of the size of graphs
MOST = 100  # buckets: there are tests for each
OR_FILES = ", and no file of two folders with equal names a name such as en-0001.umr"


@dataclass(frozen=True)
class Grouping:
    """How pairs are divided into buckets.

    Attributes:
        name: ``size``, for classes of about the same number of pairs by the number of nodes of the
            gold graph; or the key of a line of metadata, such as ``genre`` for
            ``# ::genre news``, of the gold graph or else of the parse. Without a line,
            ``language`` is that with which the name of the file begins, as in ``en-0001.umr``, if
            the files of two folders are paired by name.
        by_id: the bucket of each ``::id``, or name of a file of a folder, if they are read from a
            file.
    """

    name: str
    by_id: Mapping[str, str] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, by: str | Path) -> Self:
        """Return the grouping that ``by=`` means: a file if there is such a file, else a key.

        Raises:
            ConfigError: an empty name.
            DataError: a file that cannot be read.
        """
        path = Path(by)
        if path.is_file() or len(path.parts) > 1 or path.suffix:
            return cls(path.name, read_buckets(path))
        name = str(by).removeprefix("::")
        if not name or " " in name:
            raise ConfigError(f"by={by}: expected size, a key such as genre, or a file")
        return cls(name)

    @property
    def is_size(self) -> bool:
        """Whether buckets are classes of sizes."""
        return self.name == SIZE and self.by_id is None

    def column(
        self, pairs: FilePairs, ids: Sequence[str | None], file: Path | None = None
    ) -> Ints | list[str | None]:
        """Return the bucket of each pair, None without; for ``size`` the number of nodes.

        Args:
            ids: of the pairs.
            file: the file of the gold graphs, if the files of two folders are paired by name.
        """
        if self.by_id is not None:
            of_file = None if file is None else self.by_id.get(file.name)
            return [of_file if name is None else self.by_id.get(name, of_file) for name in ids]
        if self.name == SIZE:
            return pairs.sizes(1)
        of_file = None
        if self.name == LANGUAGE and file is not None:
            begin = OF_LANGUAGE.match(file.name)
            of_file = None if begin is None else begin[1]
        both = zip(pairs.metadata(1, self.name), pairs.metadata(0, self.name), strict=True)
        return [next((b for b in (tgt, src) if b is not None), of_file) for tgt, src in both]


def read_buckets(path: Path) -> dict[str, str]:
    """Read a file of buckets: per line an id or the name of a file, a tab, the name of a bucket.

    Raises:
        DataError: it cannot be read, has a line of another form, or an id in two buckets.
    """
    try:
        lines = split_lines(load_text(path))
    except (OSError, GraphError) as error:
        raise DataError(f"by={path} cannot be read: {error}") from None
    buckets: dict[str, str] = {}
    for line, row in csv_rows(path, lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        if not row:
            continue
        if len(row) != 2 or not all(row):
            raise DataError(f"{path}, line {line}: expected an id, a tab and the name of a bucket")
        if buckets.setdefault(row[0], row[1]) != row[1]:
            raise DataError(f"{path}, line {line}: the id {row[0]} is already in another bucket")
    return buckets


def find_members(parsers: Mapping[str, Scored], grouping: Grouping) -> dict[str, dict[str, Bools]]:
    """Return which pairs of each parser are in each bucket."""
    columns = {name: scored.pairs.buckets for name, scored in parsers.items()}
    if grouping.is_size:
        classes = divide_sizes(np.concatenate([*columns.values()]))
        return {
            f"{label} node{'s' if label != '1' else ''}": {
                name: (sizes >= low) & (sizes < end) for name, sizes in columns.items()
            }
            for label, (low, end) in classes.items()
        }
    labels = {name: np.array([NONE if b is None else b for b in c]) for name, c in columns.items()}
    names = sorted({str(label) for column in labels.values() for label in column} - {NONE})
    if not names:
        raise ConfigError(
            f"by={grouping.name}: no graph has such a line of metadata (# ::{grouping.name} ...), "
            f"and no row such a column{OR_FILES if grouping.name == LANGUAGE else ''}"
            if grouping.by_id is None
            else f"by={grouping.name}: the file has the id of no graph"
        )
    if len(names) > MOST:
        raise ConfigError(
            f"by={grouping.name}: there are {len(names):,} buckets, more than {MOST}: choose a key "
            "with fewer values"
        )
    if any((labels[name] == NONE)[scored.present].any() for name, scored in parsers.items()):
        names.append(NONE)
    return {label: {name: column == label for name, column in labels.items()} for label in names}


def divide_sizes(sizes: Ints, fewest: int = 1) -> dict[str, tuple[int, int]]:
    """Divide numbers of nodes into up to `CLASSES` classes of about the same number of graphs.

    Args:
        sizes: of each graph; -1 for one that belongs to no class.
        fewest: the graphs that each class has at least, if there are so many: there are as many
            classes as this allows.

    Returns:
        for each class the lowest number, and the first number above it.

    >>> divide_sizes(np.array([1, 2, 2, 3, 9, -1]))
    {'1': (1, 2), '2': (2, 3), '3': (3, 9), '9': (9, 10)}
    >>> divide_sizes(np.array([1, 1, 2, 3, 3, 9]), fewest=2)
    {'1–2': (1, 3), '3–9': (3, 10)}
    """
    existing = sizes[sizes >= 0]
    if not len(existing):
        return {}
    # Equal sizes are not divided, so a class can be smaller than its share.
    for count in range(CLASSES, 0, -1):
        shares = np.linspace(0, 1, count + 1)[:-1]
        lows = sort_distinct(np.quantile(existing, shares, method="higher")).tolist()
        if np.histogram(existing, [*lows, np.inf])[0].min() >= fewest:
            break
    classes = {}
    for low, end in zip(lows, [*lows[1:], int(existing.max()) + 1], strict=True):
        highest = int(existing[existing < end].max())
        classes[f"{low}" if highest == low else f"{low}–{highest}"] = (low, end)
    return classes
