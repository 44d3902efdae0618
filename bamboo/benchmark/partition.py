"""Where the pairs and ratings of a partition are: parallel files, a table, or a user's function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from bamboo.errors import ConfigError, describe_unknown
from bamboo.scoring.rows import find_row_format
from bamboo.statistics.ratings import PAIR_ACCURACY, compares_twos, statistic_named

SPLITS = ("train", "dev", "test")
SPLIT = "{split}"  # in the name of a file: train, dev or test
FILES, ALTERNATING = "files", "alternating"
TABLES = ("csv", "tsv", "jsonl", "json")  # formats of files with one pair per row

Ids = Literal["match", "ignore"]


@dataclass(frozen=True, kw_only=True)
class TableColumns:
    """The columns of a table of pairs, as named in its header row; of JSON Lines, the fields.

    Attributes:
        src, tgt: the graphs, in Penman notation.
        rating: the rating; or the columns of several raters, whose mean is the rating. A cell is
            empty where a rater gave none.
        src_sentence, tgt_sentence: the sentences; None if the table has none.
        id: the ids of the pairs; None for the column ``id``, if there is one.
    """

    src: str = "src"
    tgt: str = "tgt"
    rating: str | tuple[str, ...] = "rating"
    src_sentence: str | None = None
    tgt_sentence: str | None = None
    id: str | None = None

    @property
    def raters(self) -> tuple[str, ...]:
        """The columns of ratings."""
        return _list_names(self.rating)


@dataclass(frozen=True)
class Partition:
    """The location of one partition of a data set.

    Names of files are relative to the data set's root and may contain ``{split}``.

    Attributes:
        folder: the partition's folder, in BAMBOO's layout; elsewhere a name, by default that of
            the partition.
        ratings: ``files`` (``{split}.y`` in the root, or the table's column); ``alternating``: the
            altered graph's pair first (0), the original's second (1); or the name of a file with
            one number per line; or the files of several raters, whose mean is the rating. A line is
            empty where a rater gave none.
        pairs: number of pairs by split, None if unknown. By default the splits are those whose
            files exist.
        root: the parent of the folder, for a built partition; None for the data set's root.
        src, tgt: the files of graphs; by default ``src.{split}.amr`` and ``tgt.{split}.amr`` in the
            folder.
        table: a file with one pair per row, in place of `src` and `tgt`: CSV, TSV or JSON Lines.
        columns: the columns of the table.
        loader: in place of files of graphs, a Python function as ``_target_`` with its options. It
            receives the paths of `files` and returns (src, tgt, rating) for each pair.
        files: the files that the loader reads.
        ids: how graphs of parallel files are paired: ``match``: those with the same ``::id``, in
            the order of `src`, in which the ratings are; ``ignore``: graph k with graph k; None:
            the same, but an id that both files have must be at the same position.
        statistic: the name of the statistic, whatever the protocol; None for the protocol's.
    """

    folder: str = ""
    ratings: str | tuple[str, ...] = FILES
    pairs: Mapping[str, int | None] = field(default_factory=dict)
    root: Path | None = None
    src: str | None = None
    tgt: str | None = None
    table: str | None = None
    columns: TableColumns = TableColumns()
    loader: Mapping[str, Any] | None = None
    files: tuple[str, ...] = ()
    ids: Ids | None = None
    statistic: str | None = None

    @property
    def alternating(self) -> bool:
        """Whether altered and original pairs alternate."""
        return self.ratings == ALTERNATING

    @property
    def lists_raters(self) -> bool:
        """Whether the ratings are a list: of files or of a table's columns, one for each rater."""
        ratings = self.ratings if self.table is None else self.columns.rating
        return not (isinstance(ratings, str) or self.alternating or self.loader is not None)

    @property
    def in_twos(self) -> bool:
        """Whether two consecutive pairs belong together."""
        return self.alternating or (self.statistic is not None and compares_twos(self.statistic))

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
        if self.alternating:
            return paths
        ratings = (f"{SPLIT}.y",) if self.ratings == FILES else _list_names(self.ratings)
        return [*paths, *(root / name.replace(SPLIT, split) for name in ratings)]

    def completed(self, name: str, root: Path) -> Partition:
        """Return the partition with the defaults of folder and splits.

        Raises:
            ConfigError: options that exclude each other, a table of an unknown kind, an unknown
                statistic, or no split is named and no split's files exist.
        """
        if self.is_parallel and self.src is self.tgt is None and not self.folder:
            raise ConfigError(
                f"partition {name}: folder is required, or src and tgt, table or loader"
            )
        if problem := _find_problem(self):
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
            others = "" if fixed else ", nor do the files of another split"
            raise ConfigError(
                f"partition {name}: {missing[0]} does not exist{others}. Names of files are "
                "relative to the data set's root"
            )
        return replace(part, pairs=dict.fromkeys(splits))

    def digest(self) -> str:
        """Return the options that determine which graphs and ratings belong together."""
        options = {
            "columns": None if self.table is None else self.columns,
            "loader": None if self.loader is None else sorted(self.loader.items()),
            "ids": self.ids,
        }
        return "".join(f" {name}={value}" for name, value in options.items() if value is not None)


def _find_problem(part: Partition) -> str | None:
    """Return the problem with the options of a partition, or None."""
    if part.statistic == PAIR_ACCURACY and not part.alternating:
        return f"statistic: {PAIR_ACCURACY} requires ratings: {ALTERNATING}"
    if (part.src is None) != (part.tgt is None):
        return "src and tgt go together"
    sources = {"src": part.src, "table": part.table, "loader": part.loader}
    kinds = [name for name, value in sources.items() if value is not None]
    if len(kinds) > 1:
        return f"{' and '.join(kinds)} exclude each other"
    if part.table is not None and find_row_format(Path(part.table)) not in TABLES:
        return f"table: {part.table}: expected a file named *.csv, *.tsv, *.jsonl or *.json"
    raters = part.columns.raters
    if len(set(raters)) < len(raters) or not raters:
        return f"columns.rating: {list(raters)}: give one or more different columns"
    if part.loader is not None and not ("_target_" in part.loader and part.files):
        return "a loader needs a function as _target_, and the files that it reads as files"
    if part.ids is not None and not part.is_parallel:
        return "ids is for parallel files of graphs"
    if part.ratings in (FILES, ALTERNATING):
        return None
    if not part.is_parallel:
        return "ratings are those of the table (columns.rating) or of the loader"
    files = _list_names(part.ratings)
    if len(set(files)) < len(files) or not files:
        return f"ratings: {list(files)}: give one or more different files"
    unknown = [name for name in files if "." not in name and "/" not in name]
    if unknown:
        known = describe_unknown("ratings", unknown[0], (FILES, ALTERNATING))
        return (
            f"{known}, or a file, whose name has an ending or a folder: ./{unknown[0]} is the file "
            "of this name in the data set's root"
        )
    return None


def _list_names(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names
