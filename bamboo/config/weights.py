"""Learned weights and their origin, as a readable file."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from amr_metrics.parameters import Parametric
from amr_metrics.version import VERSION
from bamboo.errors import BambooError
from bamboo.files import json_text, load_json, plain, write_text

SCHEMA = 2


class Evaluation(NamedTuple):
    """One line of a training's history.

    Attributes:
        step: number of steps so far.
        loss: mean loss of the batches since the last evaluation; NaN if all were skipped.
        dev: Pearson on dev.
        best: the highest Pearson on dev so far.
        skipped: number of batches since the last evaluation that were skipped because their
            ratings or scores are constant.
    """

    step: int
    loss: float
    dev: float
    best: float
    skipped: int


def read_evaluation(line: Mapping[str, Any]) -> Evaluation:
    """Read a line of the history from JSON, where NaN is null.

    Raises:
        ValueError: it has a value that is not a number.
        TypeError: it is not such a line.
    """
    numbers: dict[str, Any] = {k: math.nan if v is None else v for k, v in line.items()}
    evaluation = Evaluation(**numbers)
    if not all(type(value) in (int, float) for value in evaluation):
        raise ValueError("a line of the history has a value that is not a number")
    return evaluation


class WeightsError(BambooError):
    """A weights file that cannot be used."""


@dataclass(frozen=True)
class Weights:
    """The result of a training.

    Attributes:
        metric: signature of the metric that was trained.
        source: data set, partition, digests of its train and dev splits, trainer and seed.
        start: initial value of each parameter.
        values: learned value of each parameter.
        occurrences: how often the training pairs use each parameter.
        history: the evaluations.
    """

    metric: str
    source: Mapping[str, Any]
    start: Mapping[str, float]
    values: Mapping[str, float]
    occurrences: Mapping[str, float]
    history: tuple[Evaluation, ...]

    @property
    def dev(self) -> float:
        """Pearson on dev of the learned values."""
        return self.history[-1].best

    @property
    def untrained(self) -> Evaluation | None:
        """The evaluation before the first step; None for trainers that compare candidates."""
        return None if self.history[0].step else self.history[0]

    def write(self, path: Path) -> None:
        """Write the file, atomically; `read_weights` reads it."""
        names = sorted(self.values, key=lambda name: (-self.occurrences[name], name))
        document = {
            "schema": SCHEMA,
            "version": VERSION,
            "metric": self.metric,
            "source": dict(self.source),
            "dev": self.dev,
            "weights": [
                {
                    "label": name,
                    "weight": self.values[name],
                    "start": self.start[name],
                    "occurrences": self.occurrences[name],
                }
                for name in names
            ],
            "history": [plain(evaluation._asdict()) for evaluation in self.history],
        }
        write_text(path, json_text(document, indent=1) + "\n")


def read_weights(path: Path) -> Weights:
    """Read a weights file.

    Raises:
        WeightsError: the file cannot be read or is not a weights file.
    """
    try:
        document = load_json(path)
        if not isinstance(document, dict):
            raise ValueError("it is not a JSON object")
        if document["schema"] != SCHEMA:
            raise ValueError(f"schema {document['schema']}, not {SCHEMA}")
        entries = document["weights"]
        start, values, occurrences = (
            {str(entry["label"]): float(entry[column]) for entry in entries}
            for column in ("start", "weight", "occurrences")
        )
        if not all(map(math.isfinite, values.values())):
            raise ValueError("a weight is not a finite number")
        if len(values) < len(entries):
            raise ValueError("a label has two weights")
        return Weights(
            str(document["metric"]),
            dict(document["source"]),
            start,
            values,
            occurrences,
            tuple(read_evaluation(line) for line in document["history"]),
        )
    except KeyError as error:
        problem = f"{error} is missing"
    except OSError as error:
        raise unreadable(path, error) from None
    except (ValueError, OverflowError, TypeError, AttributeError) as error:
        problem = str(error)
    raise WeightsError(f"{path} is not a weights file ({problem}); create one with `train`")


def check_fits(weights: Weights, metric: Parametric, path: Path) -> None:
    """Check that weights were learned for a metric with the same options.

    Raises:
        WeightsError: they were not; the message says where the two differ.
    """
    trained, requested = (_strip_versions(s) for s in (weights.metric, metric.signature))
    if trained != requested:
        first, second = _find_difference(trained, requested)
        raise WeightsError(
            f"{path} was learned for another metric or other options: {first} in the file, "
            f"{second} here. Use the options of the file, or train again. In full:\n"
            f"  {trained}\n  {requested}"
        )


def _strip_versions(signature: str) -> str:
    # Without versions of this package, and digests of the files of one version of WordNet.
    return re.sub(r"\|(v[0-9]|wordnet_files=)[^|,]*", "", signature)


def _find_difference(first: str, second: str) -> tuple[str, str]:
    """Return the options that differ between two signatures: as in the first, and in the second."""
    first_parts, second_parts = (re.split(r"[(),|]+", text) for text in (first, second))
    only_first = [part for part in first_parts if part and part not in second_parts]
    only_second = [part for part in second_parts if part and part not in first_parts]
    return ", ".join(only_first[:6]) or "nothing", ", ".join(only_second[:6]) or "nothing"


def unreadable(path: Path, error: OSError) -> WeightsError:
    """Return the error for a file that cannot be read."""
    return WeightsError(
        f"{path} cannot be read: {error.strerror}. Create a weights file with `train`"
    )
