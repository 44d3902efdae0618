"""The result of a run with the folder that it wrote."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bamboo.documents import load_json
from bamboo.errors import ConfigError
from bamboo.pairs.problems import Problem
from bamboo.running.coverage import Coverage
from bamboo.running.report import result_table
from bamboo.running.results import SCHEMA, CellResult, Result, Row, Unscored
from bamboo.tables.display import Display
from bamboo.tables.model import Table
from metrics.version import VERSION

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class RunResult(Display, Result):
    """The result of `bamboo.run`: statistics by metric and cell, beside the published values.

    Attributes:
        folder: the folder with ``config.yaml``, ``result.json`` and ``scores.csv``.
    """

    folder: Path = field(default=Path(), compare=False)

    @classmethod
    def of(cls, result: Result, folder: Path) -> RunResult:
        """A result, and the folder that it was written to."""
        values = {f.name: getattr(result, f.name) for f in dataclasses.fields(Result)}
        return cls(**values, folder=folder.absolute())

    def tables(self) -> list[Table]:
        """A table of measured and published values."""
        return [result_table(self)]

    def pair_scores(self) -> pd.DataFrame:
        """The score of every pair by every metric, one row per metric and pair: ``scores.csv``.

        See `bamboo.running.frames.scores_frame` for the columns.

        Raises:
            ConfigError: the file was removed.
        """
        import pandas as pd  # slow to import, and needed only here

        path = self.folder / "scores.csv"
        try:
            # Numbers are converted below: pandas may not read every digit.
            frame = pd.read_csv(path, dtype="str", keep_default_na=False)
            frame["pair"] = frame["pair"].astype("int64")
            for name in ("score", "rating", "matches", "upper_bound"):
                if name in frame:
                    frame[name] = frame[name].replace("", "nan").astype("float64")
            if "optimal" in frame:
                known = {"True": True, "False": False, "": None, "nan": None}
                frame["optimal"] = frame["optimal"].map(known).astype("boolean")
        except FileNotFoundError:
            raise ConfigError(f"{path}: no such file: run again to write it") from None
        except (KeyError, ValueError) as error:
            raise ConfigError(f"{path} is damaged: {error}") from None
        return frame

    def plot(self) -> Figure:
        """A bar for each metric and cell, with its interval if there is one, as a figure.

        A diamond is the published value. The figure needs no display: a notebook shows it, and
        ``figure.savefig("run.pdf")`` writes it.

        Raises:
            BambooError: matplotlib is not installed, or there is no value to plot.
        """
        from bamboo.api.plots import plot_result

        return plot_result(self)


def load_result(folder: str | Path, *, other_version: bool = False) -> RunResult:
    """The result of an earlier run, from the folder that it wrote.

    Args:
        folder: the folder, as ``run`` prints it and `RunResult.folder` names it.
        other_version: whether the run may have used another version of this package. Its numbers
            may differ from those of this version.

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
    again = "run the command in its provenance again, or bamboo run from=FOLDER"
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
        return RunResult.of(_result(document), Path(folder))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ConfigError(f"{path} is damaged: {problem}") from None


def _result(document: Mapping[str, Any]) -> Result:
    """The result in the schema of ``result.json``."""
    rows = tuple(
        Row(
            row["metric"],
            row["signature"],
            tuple(_cell(cell) for cell in row["cells"]),
            row["published_amean"],
            row["published_hmean"],
            tuple(row["notes"]),
            {name: (low, high) for name, (low, high) in row.get("intervals", {}).items()},
        )
        for row in document["rows"]
    )
    problems = tuple(
        Unscored(
            problem["metric"],
            problem["dataset"],
            problem["partition"],
            problem["split"],
            problem["pair"],
            Problem(
                problem["reason"],
                problem["file"],
                line=problem["line"],
                counted_as=problem["counted_as"],
            ),
        )
        for problem in document["problems"]
    )
    data = document.get("provenance", {}).get("data", {})
    return Result(document["protocol"], rows, problems, tuple(document["notes"]), data)


def _cell(cell: Mapping[str, Any]) -> CellResult:
    names = {f.name for f in dataclasses.fields(CellResult)}
    values = {name: value for name, value in cell.items() if name in names}
    if values.get("interval") is not None:
        low, high = values["interval"]
        values["interval"] = float(low), float(high)
    if values.get("coverage") is not None:
        values["coverage"] = Coverage(
            values["coverage"]["nodes"], values["coverage"]["with_vector"]
        )
    for name in ("value", "published"):
        if not isinstance(values[name], int | float | None):
            raise TypeError(f"{name}={values[name]!r} is not a number")
    return CellResult(**values)
