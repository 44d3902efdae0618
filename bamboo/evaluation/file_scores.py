"""The scores of files by one metric as JSON values, a table and notes."""

from __future__ import annotations

from typing import Any

import numpy as np

from bamboo.files import plain
from bamboo.results.coverage import Coverage
from bamboo.results.table import Table
from bamboo.scoring.files import FileScores
from metrics.utils.text import proven

SCHEMA = 1
SHOWN = ("precision", "recall", "upper", "optimal")


def scores_json(files: FileScores) -> dict[str, Any]:
    """Return the scores as JSON values; null for a missing score."""
    columns = files.columns()
    pairs = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for k, why in files.problems.items():
        pairs[k]["problem"] = str(why)
    coverage = Coverage.of(files.scores)
    return {
        "schema": SCHEMA,
        "signature": files.signature,
        "scores": columns["score"],
        "pairs": pairs,
        "corpus": plain(files.corpus),
        "on_error": files.on_error,
        "problems": [{"pair": k, **why.to_json()} for k, why in files.problems.items()],
        **({} if coverage is None else {"coverage": coverage.to_json()}),
    }


def score_table(files: FileScores, title: str) -> Table:
    """Return one row per pair, and the corpus scores in the notes."""
    details = [name for name in SHOWN if name in files.scores.details]
    if "upper" in details and files.scores.details["optimal"].all():
        details.remove("upper")
    columns = files.columns()
    names = ["pair", *files.names(), "score", *details]
    rows = zip(map(str, columns["pair"]), *(columns[name] for name in names[1:]), strict=True)
    return Table(title, tuple(names), tuple(rows), 4, score_notes(files))


def score_notes(files: FileScores) -> tuple[str, ...]:
    """Describe the corpus scores, proofs of optimality, and pairs with a problem."""
    notes = [f"corpus {name}: {value:.4f}" for name, value in files.corpus.items()]
    if (proven := optimality_note(files)) is not None:
        notes.append(proven)
    counted = {"missing": "is missing", "empty": "counts as an empty parse"}
    notes += [f"pair {k} {counted[why.counted_as]}: {why}" for k, why in files.problems.items()]
    return tuple(notes)


def optimality_note(files: FileScores) -> str | None:
    """Return whether the alignments are proven optimal; None for a metric without that column."""
    if "optimal" not in files.scores.details:
        return None
    optimal = files.scores.details["optimal"][~np.isnan(files.scores.values)]
    return proven(int(np.sum(~optimal)), len(optimal))
