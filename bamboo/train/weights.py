"""Learned values with all they came from, as a file a person can read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bamboo.documents import json_text, plain
from bamboo.errors import BambooError
from bamboo.train.loop import Evaluation, read_evaluation
from metrics.version import VERSION

SCHEMA = 2


class WeightsError(BambooError):
    """A weights file that cannot be used."""


@dataclass(frozen=True)
class Weights:
    """What a training found.

    Attributes:
        metric: signature of the metric that was trained.
        source: data set, partition, digests of its train and dev splits, trainer and seed.
        start: value of each parameter before training.
        values: learned value of each parameter.
        occurrences: how often the training pairs use each.
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
        """Pearson on dev of the values kept."""
        return max(line.best for line in self.history)

    def write(self, path: Path) -> None:
        """Write the file; `read_weights` reads it."""
        names = sorted(self.values, key=lambda name: (-self.occurrences[name], name))
        document = {
            "schema": SCHEMA,
            "version": VERSION,
            "metric": self.metric,
            "source": dict(self.source),
            "dev": self.dev,
            "weights": [
                {
                    "label": n,
                    "weight": self.values[n],
                    "start": self.start[n],
                    "occurrences": self.occurrences[n],
                }
                for n in names
            ],
            "history": [plain(asdict(evaluation)) for evaluation in self.history],
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_text(json_text(document, indent=1) + "\n", "utf-8")
        partial.replace(path)


def read_weights(path: Path) -> Weights:
    """Read a weights file.

    Raises:
        WeightsError: if there is none, or it is not one of ours.
    """
    try:
        document = json.loads(path.read_text("utf-8"))
        if document["schema"] != SCHEMA:
            raise ValueError(f"schema {document['schema']}, not {SCHEMA}")
        entries = document["weights"]
        start, values, uses = (
            {str(entry["label"]): float(entry[column]) for entry in entries}
            for column in ("start", "weight", "occurrences")
        )
        if not all(map(math.isfinite, values.values())):
            raise ValueError("a weight is not a finite number")
        return Weights(
            document["metric"],
            document["source"],
            start,
            values,
            uses,
            tuple(read_evaluation(line) for line in document["history"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WeightsError(f"{path} is no weights file ({error}): train writes them") from None
