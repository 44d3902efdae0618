"""The results of metrics under one protocol, and their JSON form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_metrics.version import VERSION
from bamboo.benchmark.columns import MEANS, column_name
from bamboo.board import BUCKET, MACRO, NAN, Board, Score
from bamboo.board import MEAN as MACRO_MEAN
from bamboo.config.reference import Reference
from bamboo.display.table import Display, Table
from bamboo.errors import ConfigError
from bamboo.files import load_json, plain
from bamboo.results.cell_facts import (
    CELL,
    HUMANS,
    MEAN,
    CellFacts,
    Facts,
    ScoredCell,
    compute_means,
)
from bamboo.results.comparison_table import (
    DIFFERENCES,
    describe_column,
    difference_table,
    list_differences,
    order_rows,
    rank_systems,
    tabulate_ranking,
)
from bamboo.results.pair_scores import read_scores
from bamboo.results.result_table import (
    bucket_notes,
    cache_notes,
    describe_resampling,
    list_warnings,
    metric_notes,
    name_results,
    result_table,
)
from bamboo.statistics.resampling import METHODS, Method, Significance

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1
# The values of a cell in ``result.json``; those of the second line may be missing.
REQUIRED = (
    *("dataset", "partition", "split", "statistic", "value", "missing", "seconds", "published"),
    *("source", "n"),
)
OPTIONAL = ("interval", "empty", "resample", "unproven", "cached", "title")
# The columns of data frames and their types.
FRAME = {
    **dict.fromkeys(("metric", "dataset", "partition", "split", "statistic"), "str"),
    "pairs": "int64",
    **dict.fromkeys(("value", "low", "high", "published", "difference"), "float64"),
    "resample": "str",
    **dict.fromkeys(("missing", "empty"), "int64"),
    "unproven": "Int64",
    "source": "str",
    "seconds": "float64",
    "cached": "boolean",
}


@dataclass(frozen=True, eq=False, repr=False)
class Results(Display):
    """The results of metrics under one protocol, and what a comparison adds to them.

    Attributes:
        board: the values of metrics on cells (kind ``cell``, with parts such as ``main_sts``) and
            the means over cells (kind ``mean``), all times 100: correlations or shares. Values are
            NaN if they are undefined (constant scores). A comparison has the differences between
            the metrics with a score for every pair, in both directions; then their values are
            those on the pairs compared.
        facts: the facts about each value, by metric and part.
        signatures: the signature of each metric, by its name, in the order of the rows.
        metric_notes: further information by metric, such as values published for other options.
        problems: the pairs that could not be read or scored: metric, dataset, partition, split,
            pair (the benchmark's number), file, line, reason and counted_as.
        notes: notes on all rows.
        data: SHA-256 of the data of each cell, by ``dataset partition split``.
        folder: the folder of the run with ``config.yaml``, ``result.json`` and ``scores.csv``.
        version: the version of the package that computed the results.
        tests: how metrics are compared; None if they are not.
        is_clustered: whether pairs that share sentences are drawn and swapped together.
        incomplete: the metrics that are not compared, each with its number of missing pairs by
            part, so that a metric's results never depend on another's missing pairs.
        ceiling: the human ceiling of cells with several raters, and its means (see
            `find_ceilings`).
        references: the sources of the metrics, by name; none for results that were loaded.
        by: what the buckets of pairs are, as for parsers; None without. Their values are in the
            board (kinds ``bucket`` and ``macro``).
    """

    protocol: str
    board: Board
    facts: Facts
    signatures: Mapping[str, str]
    metric_notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    problems: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    data: Mapping[str, str] = field(default_factory=dict)
    folder: Path = Path()
    version: str = VERSION
    tests: Significance | None = None
    is_clustered: bool = False
    incomplete: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    ceiling: tuple[ScoredCell, ...] = ()
    references: Mapping[str, Reference] = field(default_factory=dict)
    by: str | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Results) and self.to_json() == other.to_json()

    def list_scores(
        self, metric: str | None = None, kind: str | None = None, part: str | None = None
    ) -> list[ScoredCell]:
        """Return the scores with these values, and the facts about them.

        Args:
            kind: ``cell``, ``bucket``, ``macro`` or ``mean``.
        """
        rows = self.board.select(system=metric, kind=kind, part=part).scores
        return [(row, self.facts[row.system, row.part]) for row in rows]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per metric and cell, in the order of the table.

        The columns are metric; dataset, partition and split; statistic, pairs (from which it is
        computed), value, low and high (its 95 % interval), published, and difference (value minus
        published); and the other attributes of `CellFacts`. Missing values are NaN or NA.
        """
        return _build_frame(self.list_scores(kind=CELL), FRAME)

    def buckets_frame(self) -> pd.DataFrame:
        """Return one row per metric and bucket of a cell, in the order of the table.

        The columns are those of `to_frame`, after that of the bucket; ``(macro)`` is the mean.
        """
        cells = [cell for cell in self.list_scores() if cell[0].kind in (BUCKET, MACRO)]
        return _build_frame(cells, {"bucket": "str", **FRAME})

    def differences(self) -> pd.DataFrame:
        """Return the differences as a data frame: one row per column and pair of metrics.

        Columns: column, a, b; value_a, value_b, difference (a minus b), low and high (the 95 %
        interval of the difference) and detectable, all times 100; p, p_adjusted, and check; NaN
        where a number does not exist. See `bamboo.board.Difference`.
        """
        import pandas as pd  # slow to import

        rows = list_differences(self.board, self.compared)
        return pd.DataFrame(rows, columns=[*DIFFERENCES])

    def pair_scores(self) -> pd.DataFrame:
        """Return the score of every pair by every metric: ``scores.csv``, see `write_scores`.

        Raises:
            ConfigError: the file was removed or is damaged.
        """
        return read_scores(self.folder / "scores.csv")

    def find_score(self, metric: str, part: str) -> ScoredCell:
        """Return a metric's score on a cell, or a mean; NaN if it has no such mean."""
        none = Score("", MEAN, part, metric, 0, 0, part, NAN), CellFacts("")
        return next(iter(self.list_scores(metric, part=part)), none)

    @property
    def compared(self) -> list[str]:
        """The metrics that are compared: those with a score for every pair that can be read."""
        names = () if self.tests is None else self.signatures
        return [name for name in names if name not in self.incomplete]

    @cached_property
    def parts(self) -> Mapping[str, Board]:
        """The values and differences of the metrics that are compared, by part.

        These are the cells, and if there are several, at last their mean.
        """
        compared = tuple(row for row in self.board.scores if row.system not in self.incomplete)
        board = Board(compared, self.board.differences)
        first = [row.part for row in self.board.scores if row.system == self.board.scores[0].system]
        return {name: board.select(part=name) for name in first if name != "hmean"}

    @property
    def ranking(self) -> str:
        """The part by which metrics are ranked: the mean over the cells, or the only cell."""
        return [*self.parts][-1]

    @property
    def level(self) -> float:
        """The level below which p-values are significant."""
        return (self.tests or Significance()).level

    def best(self) -> dict[str, tuple[str, ...]]:
        """Return the metrics of each part that are not significantly worse than its best.

        Without a comparison, there are none.
        """
        best = {}
        for name, part in ({} if self.tests is None else self.parts).items():
            ranks = rank_systems(part, self.level)
            best[name] = tuple(r.system for r in order_rows(part) if ranks[r.system][0] == 1)
        return best

    def tables(self) -> list[Table]:
        """Return a table of values; of a comparison, those of all differences and the ranking."""
        if self.tests is not None:
            first, parts = self.board.scores[0].system, self.parts
            cells = self.list_scores(kind=CELL)
            methods = {name: self.facts[first, name].resample for name in parts}
            rows = list_differences(self.board, self.compared)
            about = methods, self.tests, self.is_clustered, self.incomplete
            ceilings = []
            for row, facts in self.ceiling:
                is_mean = row.kind == MEAN
                part = f"the {row.part}" if is_mean else f"{facts.partition} {facts.dataset}"
                ceilings.append(f"{row.system} of {part}: {row.value:.2f}.")
            notes = [*self.notes, *ceilings, *cache_notes(self.cache)]
            return [
                difference_table(name_results(self.protocol, cells), rows, *about),
                tabulate_ranking(parts[self.ranking], self.ranking, self.level, tuple(notes)),
            ]
        notes = [*self.notes]
        for metric, signature in self.signatures.items():
            notes.append(f"{metric}: signature {signature}")
            further = self.metric_notes.get(metric, ())
            notes += metric_notes(self.list_scores(metric, CELL), further)
            notes += bucket_notes(self.list_scores(metric))
        if methods := {
            f"{facts.partition} {facts.dataset} {facts.bucket}".rstrip(): facts.resample
            for facts in self.facts.values()
            if facts.resample is not None
        }:
            notes.append(describe_resampling(methods))
        notes += cache_notes(self.cache)
        rows = [*self.list_scores(), *self.ceiling]
        return [result_table(self.protocol, rows, tuple(notes), self.by)]

    @property
    def resample(self) -> Method | None:
        """How the interval of the mean is computed, or of the only cell; None without any."""
        methods = [
            facts.resample
            for facts in self.facts.values()
            if facts.resample is not None and not facts.bucket
        ]
        return max(methods, key=[*METHODS].index, default=None)

    @property
    def cache(self) -> dict[str, int]:
        """The number of cells, and of those from the cache, where this is known."""
        cached = [facts.cached for facts in self.facts.values() if facts.cached is not None]
        return {"cells": len(cached), "from_cache": sum(cached)}

    def list_warnings(self) -> list[str]:
        """Return warnings about unscored pairs."""
        return list_warnings(self.list_scores(kind=CELL))

    def to_json(self) -> dict[str, Any]:
        """Return the results as plain values: of a run in the schema of ``result.json``."""
        shared = {"schema": SCHEMA, "version": self.version, "protocol": self.protocol}
        whole = self._run_json() if self.tests is None else self._tests_json(self.tests)
        document: dict[str, Any] = plain(shared | whole)
        return document

    def _run_json(self) -> dict[str, Any]:
        return {
            **({} if self.by is None else {"by": self.by}),
            "rows": [self._metric_json(metric) for metric in self.signatures],
            "notes": self.notes,
            "problems": self.problems,
            **({} if self.resample is None else {"resample": self.resample}),
            **self._ceiling_json(),
            **({"cache": self.cache} if self.cache["cells"] else {}),
        }

    def _tests_json(self, tests: Significance) -> dict[str, Any]:
        return {
            "metrics": self.compared,
            "incomplete": self.incomplete,
            "resample": self.resample,
            "resamples": tests.resamples,
            "permutations": tests.permutations,
            "seed": tests.seed,
            "level": tests.level,
            "best": self.best(),
            "columns": [self._column_json(*part) for part in self.parts.items()],
            "cache": self.cache,
            "problems": self.problems,
            **self._ceiling_json(),
        }

    def _ceiling_json(self) -> dict[str, Any]:
        cells = [_convert_cell(*cell) for cell in self.ceiling]
        return {"ceiling": cells} if cells else {}

    def _column_json(self, column: str, part: Board) -> dict[str, Any]:
        row = part.scores[0] if part.scores else self.board.select(part=column).scores[0]
        method = self.facts[row.system, column].resample
        about = {"name": column, "statistic": row.score, "pairs": row.pairs, "resample": method}
        return about | describe_column(part, self.level)

    def _cell_json(self, row: Score, facts: CellFacts) -> dict[str, Any]:
        document = _convert_cell(row, facts)
        if self.by is not None:
            place = facts.dataset, facts.partition
            document["buckets"] = [
                {"bucket": about.bucket, **_convert_cell(of_bucket, about)}
                for of_bucket, about in self.list_scores(row.system)
                if of_bucket.kind in (BUCKET, MACRO) and (about.dataset, about.partition) == place
            ]
        return document

    def _metric_json(self, metric: str) -> dict[str, Any]:
        means = {row.part: (row, facts) for row, facts in self.list_scores(metric, MEAN)}
        document: dict[str, Any] = {
            "metric": metric,
            "signature": self.signatures[metric],
            "cells": [self._cell_json(*cell) for cell in self.list_scores(metric, CELL)],
            "notes": self.metric_notes.get(metric, ()),
        }
        for name in MEANS:
            document[name] = means[name][0].value if name in means else None
            document[f"published_{name}"] = means[name][1].published if name in means else None
        for name, (row, _) in means.items():
            if name not in MEANS:
                cells = self.board.select(system=metric, kind=CELL).scores
                document["mean"] = {"cells": len(cells), "value": row.value}
            if row.interval is not None:
                document.setdefault("intervals", {})[name] = row.interval
        return document


def _build_frame(cells: Iterable[ScoredCell], types: Mapping[str, str]) -> pd.DataFrame:
    """Return a row for each score, with the columns of `types`."""
    import pandas as pd  # slow to import

    records = [
        {
            **facts._asdict(),
            **{"metric": row.system, "statistic": row.score, "pairs": row.pairs},
            **{"value": row.value, "low": row.low, "high": row.high},
            "difference": row.value - facts.published,
        }
        for row, facts in cells
    ]
    return pd.DataFrame(records, columns=[*types]).astype(dict(types))


def _convert_cell(row: Score, facts: CellFacts) -> dict[str, Any]:
    """Return a cell in the schema of ``result.json``, without values that do not apply."""
    document = facts._asdict() | {"empty": facts.empty or None, "title": facts.title or None}
    document |= {"statistic": row.score, "value": row.value, "n": row.pairs}
    document["interval"] = row.interval
    optional = [name for name in OPTIONAL if document[name] is not None]
    return {name: document[name] for name in (*REQUIRED, *optional)}


def load_result(folder: str | Path, *, other_version: bool = False) -> Results:
    """Load the results of an earlier run from the folder that it wrote.

    Args:
        folder: the folder, as ``run`` prints it and `Results.folder` names it.
        other_version: accept a run of another version of this package. Its numbers may differ from
            those of this version.

    Raises:
        ConfigError: a folder that is not that of a run, is damaged, or is of another version.
    """
    path = Path(folder) / "result.json"
    try:
        document = load_json(path)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}. Give the folder of a run, which contains "
            "result.json and scores.csv"
        ) from None
    except ValueError as error:
        raise ConfigError(f"{path} is damaged: {error}") from None
    if not isinstance(document, dict) or not {"schema", "version"} <= document.keys():
        raise ConfigError(f"{path} is not the result of a run")
    again = "run the command in its config.yaml again"
    if document["schema"] != SCHEMA:
        raise ConfigError(
            f"{path} was written by version {document['version']} in another format "
            f"(schema {document['schema']}); this is version {VERSION} (schema {SCHEMA}): {again}"
        )
    if document["version"] != VERSION and not other_version:
        raise ConfigError(
            f"{path} was written by version {document['version']}; this is version {VERSION}, "
            f"whose numbers may differ: {again}, or load it with other_version=True"
        )
    try:
        return parse_results(document, Path(folder).absolute())
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ConfigError(f"{path} is damaged: {problem}") from None


def parse_results(document: Mapping[str, Any], folder: Path = Path()) -> Results:
    """Return the results of a run that `Results.to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: the document has another schema.
    """
    scores: list[Score] = []
    facts: dict[tuple[str, str], CellFacts] = {}
    for row in document["rows"]:
        name, intervals = row["metric"], row.get("intervals", {})
        cells = [_read_cell(name, cell) for cell in row["cells"]]
        for cell, of_cell in zip(row["cells"], cells, strict=True):
            buckets = [_read_cell(name, bucket) for bucket in cell.get("buckets", ())]
            facts |= {(name, score.part): about for score, about in (of_cell, *buckets)}
            scores += [score for score, _ in (of_cell, *buckets)]
        for mean in compute_means([score for score, _ in cells]):
            scores.append(_add_interval(mean, intervals.get(mean.part)))
            published = _read_number(row.get(f"published_{mean.part}"))
            facts[name, mean.part] = CellFacts(cells[0][1].split, published=published)
    return Results(
        document["protocol"],
        Board(tuple(scores)),
        facts,
        {row["metric"]: row["signature"] for row in document["rows"]},
        {row["metric"]: tuple(row["notes"]) for row in document["rows"] if row["notes"]},
        tuple(document["problems"]),
        tuple(document["notes"]),
        dict(document.get("provenance", {}).get("data", {})),
        folder,
        document["version"],
        ceiling=tuple(_read_cell(HUMANS, cell) for cell in document.get("ceiling", ())),
        by=document.get("by"),
    )


def _read_cell(metric: str, cell: Mapping[str, Any]) -> ScoredCell:
    values = {name: cell.get(name) for name in CellFacts._fields}
    facts: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    kind, part, statistic = CELL, column_name(cell["dataset"], cell["partition"]), cell["statistic"]
    if cell["dataset"] == "all":  # the statistic of a mean is its name
        kind, part = MEAN, statistic
    if (bucket := cell.get("bucket")) is not None:
        kind, part = MACRO if bucket == MACRO_MEAN else BUCKET, f"{part} {bucket}"
    value = _read_number(cell["value"])
    row = Score("", kind, part, metric, int(cell["n"]), 0, statistic, value)
    return _add_interval(row, cell.get("interval")), CellFacts(**facts)


def _add_interval(row: Score, interval: Sequence[float] | None) -> Score:
    if interval is None:
        return row
    low, high = map(float, interval)
    return row._replace(low=low, high=high)


def _read_number(value: float | None) -> float:
    return NAN if value is None else float(value)
