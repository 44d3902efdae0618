"""Score two files of graphs, outside the benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.tables import Table
from metrics.base import Metric, Pair, Scores, checked, pair_up
from metrics.errors import MetricError, PairError
from metrics.reading import read_graphs

SCHEMA = 1
SHOWN = ("precision", "recall", "optimal")


@dataclass(frozen=True, eq=False)
class FileScores:
    """The scores of two files' graphs.

    Attributes:
        pairs: the graphs, in file order.
        scores: one a pair.
        corpus: scores of the whole.
        signature: the metric's.
    """

    pairs: list[Pair]
    scores: Scores
    corpus: Mapping[str, float]
    signature: str

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values."""
        details = {name: column.tolist() for name, column in self.scores.details.items()}
        values = self.scores.values.tolist()
        return {
            "schema": SCHEMA,
            "signature": self.signature,
            "scores": values,
            "pairs": [
                {
                    "pair": k,
                    "id": pair.src.metadata.get("id"),
                    "score": values[k],
                    **{name: column[k] for name, column in details.items()},
                }
                for k, pair in enumerate(self.pairs)
            ],
            "corpus": dict(self.corpus),
        }


def score_files(metric: Metric, src: Path, tgt: Path, format: str = "penman") -> FileScores:
    """Score graph k of `src` with graph k of `tgt`.

    Raises:
        GraphError: a file that cannot be read.
        PairError: files of different lengths, or a pair that cannot be scored; it names the file.
    """
    sides = [read_graphs(path, format) for path in (src, tgt)]
    try:
        pairs = pair_up(*sides)
        scores = checked(metric.evaluate(pairs), len(pairs))
    except MetricError as error:
        raise PairError(f"{src} and {tgt}: {error}") from None
    return FileScores(pairs, scores, metric.corpus(scores), metric.signature)


def score_table(found: FileScores, title: str) -> Table:
    """One score a pair, and the corpus scores below."""
    details = [name for name in SHOWN if name in found.scores.details]
    columns = [found.scores.details[name].tolist() for name in details]
    rows = [
        (str(k), pair.src.metadata.get("id"), value, *(column[k] for column in columns))
        for k, (pair, value) in enumerate(
            zip(found.pairs, found.scores.values.tolist(), strict=True)
        )
    ]
    notes = [f"corpus {name}: {value:.4f}" for name, value in found.corpus.items()]
    if "optimal" in found.scores.details:
        unproven = int(np.sum(~found.scores.details["optimal"]))
        notes.append(
            f"{unproven} of {len(rows)} alignments are NOT proven optimal"
            if unproven
            else f"all {len(rows)} alignments are proven optimal"
        )
    return Table(title, ("pair", "id", "score", *details), tuple(rows), 4, tuple(notes))
