"""Where the pairs and ratings of a partition are: parallel files, a table, or a user's function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from bamboo.benchmark.protocols import PAIR_ACCURACY, statistic_named
from bamboo.errors import ConfigError, unknown

SPLITS = ("train", "dev", "test")
SPLIT = "{split}"  # in the name of a file: train, dev or test
FILES, ALTERNATING = "files", "alternating"
TABLES = (".tsv", ".csv", ".jsonl")

ColumnName = str | int


@dataclass(frozen=True, kw_only=True)
class TableColumns:
    """The columns of a table of pairs.

    A name is that in the header row, or the key of a JSON object. Numbers count the columns from 1,
    in a table without a header row.

    Attributes:
        src, tgt: the graphs, in Penman notation.
        rating: the rating.
        src_sentence, tgt_sentence: the sentences; None if the table has none.
    """

    src: ColumnName = "src"
    tgt: ColumnName = "tgt"
    rating: ColumnName = "rating"
    src_sentence: ColumnName | None = None
    tgt_sentence: ColumnName | None = None

    @property
    def chosen(self) -> list[ColumnName]:
        """The columns that are read."""
        return [column for column in vars(self).values() if column is not None]


@dataclass(frozen=True, kw_only=True)
class RatingSource:
    """Ratings that are not one number per line of a file.

    Attributes:
        file: a table with one row per pair; ``column`` is its column of ratings.
        metadata: a key in the metadata of the graphs: ``score`` for lines ``# ::score 0.5``.
        of: the graph of a pair with the metadata.
    """

    file: str | None = None
    column: ColumnName | None = None
    metadata: str | None = None
    of: Literal["src", "tgt"] = "tgt"


@dataclass(frozen=True)
class Partition:
    """The location of one partition of a data set.

    Names of files are relative to the data set's root and may contain ``{split}``.

    Attributes:
        folder: the partition's folder, in BAMBOO's layout; elsewhere a name, by default that of
            the partition.
        ratings: ``files`` (``{split}.y`` in the root, or the table's column); ``alternating``: the
            altered graph's pair first (0), the original's second (1); the name of a file with one
            number per line; or a `RatingSource`.
        pairs: number of pairs by split, None if unknown. By default the splits are those whose
            files exist.
        root: the parent of the folder, for a built partition; None for the data set's root.
        src, tgt: the files of graphs; by default ``src.{split}.amr`` and ``tgt.{split}.amr`` in the
            folder.
        table: a file with one pair per row, in place of `src` and `tgt`: TSV, CSV or JSON lines.
        columns: the columns of the table.
        loader: in place of files of graphs, a Python function as ``_target_`` with its options. It
            receives the paths of `files` and returns (src, tgt, rating) for each pair.
        files: the files that the loader reads.
        statistic: the name of the statistic, whatever the protocol; None for the protocol's.
    """

    folder: str = ""
    ratings: str | RatingSource = FILES
    pairs: Mapping[str, int | None] = field(default_factory=dict)
    root: Path | None = None
    src: str | None = None
    tgt: str | None = None
    table: str | None = None
    columns: TableColumns | None = None
    loader: Mapping[str, Any] | None = None
    files: tuple[str, ...] = ()
    statistic: str | None = None

    @property
    def alternating(self) -> bool:
        """Whether altered and original pairs alternate."""
        return self.ratings == ALTERNATING

    @property
    def is_parallel(self) -> bool:
        """Whether its pairs are two files of graphs."""
        return self.table is None and self.loader is None

    def paths(self, root: Path, split: str) -> list[Path]:
        """Return the files of a split: src, tgt and any ratings; or the table; or the loader's."""
        if self.table is not None:
            return [root / self.table.replace(SPLIT, split)]
        if self.loader is not None:
            return [root / name.replace(SPLIT, split) for name in self.files]
        home = root if self.root is None else self.root
        graphs = [
            f"{self.folder}/{side}.{SPLIT}.amr" if name is None else name
            for side, name in (("src", self.src), ("tgt", self.tgt))
        ]
        paths = [home / name.replace(SPLIT, split) for name in graphs]
        ratings = f"{SPLIT}.y" if self.ratings == FILES else self.ratings
        if isinstance(ratings, RatingSource):
            ratings = ratings.file or ALTERNATING
        return paths if ratings == ALTERNATING else [*paths, root / ratings.replace(SPLIT, split)]

    def completed(self, name: str, root: Path) -> Partition:
        """Return the partition with the defaults of folder and splits.

        Raises:
            ConfigError: options that exclude each other, a table of an unknown kind, an unknown
                statistic, or no split is named and no split's files exist.
        """
        if self.is_parallel and self.src is self.tgt is None and not self.folder:
            raise ConfigError(
                f"data.partitions.{name}.folder=... is required, or src and tgt, table or loader"
            )
        if problem := _problem(self):
            raise ConfigError(f"partition {name}: {problem}")
        if self.statistic is not None:
            statistic_named(self.statistic)
        part = replace(self, folder=self.folder or name)
        if part.pairs:
            return part
        fixed = part.paths(root, SPLITS[0]) == part.paths(root, SPLITS[-1])
        splits = [
            split
            for split in (SPLITS[-1:] if fixed else SPLITS)
            if all(path.is_file() for path in part.paths(root, split))
        ]
        if not splits:
            missing = [p for p in part.paths(root, SPLITS[-1]) if not p.is_file()]
            raise ConfigError(
                f"partition {name}: {missing[0]} does not exist, nor do the files of another "
                "split. Names of files are relative to the data set's root"
            )
        return replace(part, pairs=dict.fromkeys(splits))

    def digest(self) -> str:
        """Return the options for reading files that are not in BAMBOO's layout."""
        options = {
            "columns": self.columns if self.columns or not self.table else TableColumns(),
            "ratings": self.ratings if isinstance(self.ratings, RatingSource) else None,
            "loader": None if self.loader is None else sorted(self.loader.items()),
        }
        return "".join(f" {name}={value}" for name, value in options.items() if value is not None)


def _problem(part: Partition) -> str | None:
    """Return the problem with the options of a partition, or None."""
    kinds = (FILES, ALTERNATING)
    if part.statistic == PAIR_ACCURACY and not part.alternating:
        return f"statistic: {PAIR_ACCURACY} requires ratings: {ALTERNATING}"
    if (part.src is None) != (part.tgt is None):
        return "src and tgt go together"
    sources = {"src": part.src, "table": part.table, "loader": part.loader}
    kinds_set = [name for name, value in sources.items() if value is not None]
    if len(kinds_set) > 1:
        return f"{' and '.join(kinds_set)} exclude each other"
    if part.table is not None:
        return _problem_of_table("table", part.table, (part.columns or TableColumns()).chosen) or (
            "ratings of a table are a column: set columns.rating"
            if part.ratings not in kinds
            else None
        )
    if part.columns is not None:
        return "columns go with a table"
    if part.loader is not None:
        if not isinstance(part.loader.get("_target_"), str) or not part.files:
            return "a loader needs a function as _target_, and the files that it reads as files"
        return "ratings come from the loader" if part.ratings not in kinds else None
    if part.files:
        return "files go with a loader"
    return _problem_of_ratings(part.ratings)


def _problem_of_ratings(ratings: str | RatingSource) -> str | None:
    """Return the problem with the ratings of parallel files, or None."""
    if isinstance(ratings, str):
        is_file = "." in ratings or "/" in ratings or ratings in (FILES, ALTERNATING)
        return (
            None if is_file else f"{unknown('ratings', ratings, (FILES, ALTERNATING))}, or a file"
        )
    if (ratings.metadata is None) == (ratings.file is None):
        return "ratings: expected either file and column, or metadata"
    if ratings.file is None:
        return None if ratings.column is None else "ratings: column goes with file"
    if ratings.column is None:
        return "ratings: column=... is required; write a file of one number per line as its name"
    return _problem_of_table("ratings.file", ratings.file, [ratings.column])


def _problem_of_table(option: str, name: str, columns: Sequence[ColumnName]) -> str | None:
    """Return the problem with the name or the columns of a table, or None."""
    if not name.endswith(TABLES):
        return f"{option}: {name}: expected a file named *.tsv, *.csv or *.jsonl"
    numbers = [column for column in columns if isinstance(column, int)]
    if numbers and name.endswith(".jsonl"):
        return f"{option}: {name}: the columns of JSON lines are keys, not numbers"
    if numbers and len(numbers) < len(columns):
        return "columns: use either names (of a header row) or numbers for all of them"
    if any(number < 1 for number in numbers):
        return "columns are counted from 1"
    if len(set(columns)) < len(columns):
        return "columns: two of them are the same"
    return None
