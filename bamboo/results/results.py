"""The results of metrics under one protocol, and their JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_metrics.version import VERSION
from bamboo.benchmark.columns import MEANS
from bamboo.display.table import Display, Table
from bamboo.errors import ConfigError
from bamboo.files import load_json
from bamboo.results.cell_results import (
    CELL,
    CellResult,
    MeanResult,
    compute_means,
    make_cells,
    make_frame,
)
from bamboo.results.pair_scores import read_scores
from bamboo.results.result_table import (
    cache_notes,
    cached,
    metric_notes,
    resampling_note,
    result_table,
)
from bamboo.statistics.resampling import METHODS, Method

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1
OPTIONAL = ("resample", "missing", "empty", "unproven", "cached")  # values that a cell may lack


@dataclass(frozen=True, eq=False, repr=False)
class Results(Display):
    """The results of metrics under one protocol; values are correlations or shares, times 100.

    Attributes:
        cells: one `CellResult` per metric and cell. ``value`` is the
            statistic of ``pairs`` pairs, None if it is undefined (constant scores); ``low`` and
            ``high`` are its interval, None without one, and ``resample`` says how it was computed;
            ``published`` and ``difference`` are None where nothing is published. ``missing`` pairs
            have no score; ``empty`` pairs could not be read or scored and count as if the first
            graph were empty. ``unproven`` pairs have an alignment that is not proven optimal;
            ``source`` says where the partition comes from (``released``, ``built``, ``local``);
            ``seconds`` is the time of scoring; ``cached`` whether scores come from the cache.
        means: one `MeanResult` per metric and mean over its cells; see `compute_means`.
        signatures: the signature of each metric, by its name, in the order of the rows.
        metric_notes: further information by metric, such as values published for other options.
        problems: the pairs that could not be read or scored: metric, dataset, partition, split,
            pair (the benchmark's number), file, line, reason and counted_as.
        notes: notes on all rows.
        data: SHA-256 of the data of each cell, by ``dataset partition split``.
        folder: the folder of the run with ``config.yaml``, ``result.json`` and ``scores.csv``.
        version: the version of the package that computed the results.
    """

    protocol: str
    cells: tuple[CellResult, ...]
    means: tuple[MeanResult, ...]
    signatures: Mapping[str, str]
    metric_notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    problems: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    data: Mapping[str, str] = field(default_factory=dict)
    folder: Path = Path()
    version: str = VERSION

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Results) and self.to_json() == other.to_json()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per metric and cell, in the order of the table; see `cells`.

        Missing values are NaN or NA.
        """
        return make_frame(self.cells)

    def of(self, metric: str) -> list[CellResult]:
        """Return the results of a metric on the cells."""
        return [cell for cell in self.cells if cell.metric == metric]

    def mean(self, metric: str, name: str) -> MeanResult | None:
        """Return a metric's mean; None if it has no such mean."""
        return next((m for m in self.means if (m.metric, m.mean) == (metric, name)), None)

    def tables(self) -> list[Table]:
        """Return a table of measured and published values."""
        notes = [*self.notes]
        for metric, signature in self.signatures.items():
            notes.append(f"{metric}: signature {signature}")
            further = self.metric_notes.get(metric, ())
            notes += metric_notes(self.of(metric), further)
        if methods := self._methods():
            notes.append(resampling_note(methods))
        notes += cache_notes(cached(self.cells))
        return [result_table(self.protocol, self.cells, self.means, tuple(notes))]

    @property
    def resample(self) -> Method | None:
        """How the interval of the mean is computed, or of the only cell; None without any."""
        return max(self._methods().values(), key=[*METHODS].index, default=None)

    def _methods(self) -> dict[str, Method]:
        return {
            f"{cell.partition} {cell.dataset}": cell.resample
            for cell in self.cells
            if cell.resample is not None
        }

    def pair_scores(self) -> pd.DataFrame:
        """Return the score of every pair by every metric: ``scores.csv``, see `write_scores`.

        Raises:
            ConfigError: the file was removed or is damaged.
        """
        return read_scores(self.folder / "scores.csv")

    def to_json(self) -> dict[str, Any]:
        """Return the results as plain values, in the schema of ``result.json``."""
        return {
            "schema": SCHEMA,
            "version": self.version,
            "protocol": self.protocol,
            "rows": [self._metric_json(metric) for metric in self.signatures],
            "notes": list(self.notes),
            "problems": [dict(problem) for problem in self.problems],
            **({} if self.resample is None else {"resample": self.resample}),
            **({"cache": cache} if (cache := cached(self.cells))["cells"] else {}),
        }

    def _metric_json(self, metric: str) -> dict[str, Any]:
        means = {mean.mean: mean for mean in self.means if mean.metric == metric}
        document: dict[str, Any] = {
            "metric": metric,
            "signature": self.signatures[metric],
            "cells": [*map(_cell_json, self.of(metric))],
            "notes": list(self.metric_notes.get(metric, ())),
        }
        for name in MEANS:
            document[name] = means[name].value if name in means else None
            document[f"published_{name}"] = means[name].published if name in means else None
        for name, mean in means.items():
            if name not in MEANS:
                document["mean"] = {"cells": mean.cells, "value": mean.value}
            if mean.low is not None:
                document.setdefault("intervals", {})[name] = [mean.low, mean.high]
        return document


def _cell_json(cell: CellResult) -> dict[str, Any]:
    """Return a cell in the schema of ``result.json``, without values that do not apply."""
    names = (*CELL, "value", "missing", "seconds", "published", "source")
    document = {name: getattr(cell, name) for name in names} | {"n": cell.pairs}
    if cell.low is not None:
        document["interval"] = [cell.low, cell.high]
    if cell.empty:
        document["empty"] = cell.empty
    optional = {name: getattr(cell, name) for name in ("resample", "unproven", "cached")}
    return document | {name: value for name, value in optional.items() if value is not None}


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
        return from_json(document, Path(folder).absolute())
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ConfigError(f"{path} is damaged: {problem}") from None


def from_json(document: Mapping[str, Any], folder: Path = Path()) -> Results:
    """Return the results that `Results.to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: the document has another schema.
    """
    records: list[dict[str, Any]] = []
    published: dict[str, dict[str, float]] = {}
    intervals: dict[tuple[str, str], tuple[float, float]] = {}
    for row in document["rows"]:
        name = row["metric"]
        records += [_record(name, cell) for cell in row["cells"]]
        means = {mean: row[f"published_{mean}"] for mean in MEANS}
        published[name] = {mean: value for mean, value in means.items() if value is not None}
        intervals |= {(name, mean): ends for mean, ends in row.get("intervals", {}).items()}
    cells = make_cells(records)
    return Results(
        document["protocol"],
        cells,
        compute_means(cells, published, intervals),
        {row["metric"]: row["signature"] for row in document["rows"]},
        {row["metric"]: tuple(row["notes"]) for row in document["rows"] if row["notes"]},
        tuple(document["problems"]),
        tuple(document["notes"]),
        dict(document.get("provenance", {}).get("data", {})),
        folder,
        document["version"],
    )


def _record(metric: str, cell: Mapping[str, Any]) -> dict[str, Any]:
    low, high = cell.get("interval", (None, None))
    required = {name: cell[name] for name in (*CELL, "value", "published", "source", "seconds")}
    optional = {name: cell.get(name) for name in OPTIONAL}
    ends = {"low": low, "high": high}
    return {"metric": metric, "pairs": cell["n"], **required, **optional, **ends}
