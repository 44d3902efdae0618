"""The scores of files by one metric as JSON values, a table and notes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from amr_metrics.types import Floats
from amr_metrics.utils.text import proven
from amr_metrics.version import VERSION
from bamboo.files import plain
from bamboo.pairs.problems import OnError
from bamboo.results.table import Table
from bamboo.scoring.files import FileScores

SCHEMA = 1
SHOWN = ("precision", "recall", "upper", "optimal")
NEAREST = 3  # graphs of tgt that are listed for each of src, if every pair is scored
GRAPHS = 100  # graphs of src for which they are listed
# What the scores of metrics with default options are comparable with (docs/comparable.md).
COMPARABLE = {
    "smatch_1.0": (
        "Comparable with the smatch package since 1.0.3, whose search may find lower scores, by up "
        "to 0.4 points of 100."
    ),
    "smatch": (
        "Not comparable with the smatch package, which ignores the root's concept and quotation "
        "marks and reads :mod as :domain reversed. Its scores of parsers are usually about one "
        "point of 100 higher: metric=smatch_1.0."
    ),
    "smatchpp": (
        "Comparable with smatchpp 1.8.0 with its ILP solver and AMRStandardizer. For the smatch "
        "package: metric=smatch_1.0."
    ),
}


def scores_json(files: FileScores) -> dict[str, Any]:
    """Return the scores as JSON values; null for a missing score."""
    columns = files.columns()
    pairs = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for k, why in files.problems.items():
        pairs[k]["problem"] = str(why)
    return {
        "schema": SCHEMA,
        "signature": files.signature,
        "scores": columns["score"],
        "pairs": pairs,
        "corpus": plain(files.corpus),
        "on_error": files.on_error,
        "problems": [{"pair": k, **why.to_json()} for k, why in files.problems.items()],
    }


def short_signature(metric: str, on_error: OnError) -> str:
    """Return a signature for tables: the metric, its options, and the version.

    Args:
        metric: its name with the options that differ from the defaults.

    >>> short_signature("smatch root=none", "zero").replace(VERSION, "1.0")
    'smatch root=none|on_error=zero|bamboo v1.0'
    """
    treated = "" if on_error == "stop" else f"on_error={on_error}|"
    return f"{metric}|{treated}bamboo v{VERSION}"


def signature_notes(metric: str, on_error: OnError) -> list[str]:
    """Return the signature, and what the scores are comparable with."""
    notes = [f"signature: {short_signature(metric, on_error)}"]
    return notes + ([COMPARABLE[metric]] if metric in COMPARABLE else [])


def with_signatures(table: Table, signatures: Sequence[str]) -> Table:
    """Return a table for CSV with a column of signatures: one for each row, or one for all."""
    table = table.long or table
    rows = zip(table.rows, itertools.cycle(signatures), strict=False)
    return replace(
        table,
        columns=(*table.columns, "signature"),
        rows=tuple((*row, signature) for row, signature in rows),
        digits=table.digits if isinstance(table.digits, int) else (*table.digits, 0),
    )


def score_table(files: FileScores, title: str) -> Table:
    """Return one row per pair, and the corpus scores in the notes."""
    details = [name for name in SHOWN if name in files.scores.details]
    if "upper" in details and files.scores.details["optimal"].all():
        details.remove("upper")
    columns = files.columns()
    names = ["pair", *files.names(), "score", *details]
    rows = zip(map(str, columns["pair"]), *(columns[name] for name in names[1:]), strict=True)
    return Table(title, tuple(names), tuple(rows), 4, score_notes(files))


def scores_of_every_pair(files: FileScores) -> Floats | None:
    """Return the scores of every src graph (rows) with every tgt graph, if these are the pairs."""
    if files.index is None or not len(files):
        return None
    src, tgt = files.index
    rows, columns = int(src[-1]) + 1, int(tgt[-1]) + 1
    is_every_pair = len(files) == rows * columns  # else limit= ends within a graph of src
    return files.scores.values.reshape(rows, columns) if is_every_pair else None


def nearest_table(files: FileScores, scores: Floats, title: str, same: bool) -> Table:
    """Return for each src graph the tgt graphs with the highest scores; ties in their order.

    Args:
        scores: see `scores_of_every_pair`.
        same: both sides are the same graphs: each graph itself is left out.
    """
    if same:
        scores = np.where(np.eye(len(scores), dtype=np.bool_), np.nan, scores)
    rows, columns = scores.shape
    src_ids = [own or str(k + 1) for k, own in enumerate(files.src_ids[::columns])]
    tgt_ids = [own or str(k + 1) for k, own in enumerate(files.tgt_ids[:columns])]
    order = np.argsort(-scores, axis=1, kind="stable")[:, :NEAREST]  # NaN comes last
    nearest = [
        (src, *(cell for k in row for cell in (tgt_ids[k], float(scores[j, k]))))
        for j, (src, row) in enumerate(zip(src_ids[:GRAPHS], order.tolist(), strict=False))
    ]
    headings = ("src", "nearest", "score", "second", "score 2", "third", "score 3")
    notes = []
    if None in files.src_ids or None in files.tgt_ids:
        notes.append("Graphs without an id are named by their numbers, from 1.")
    notes += ["Each graph itself is left out."] if same else []
    if rows > GRAPHS:
        notes.append(f"The first {GRAPHS} of {rows:,} graphs; report=csv has the scores of all.")
    return Table(title, headings[: 1 + 2 * order.shape[1]], tuple(nearest), 4, tuple(notes))


def score_notes(files: FileScores) -> tuple[str, ...]:
    """Describe the corpus scores, proofs of optimality, and pairs with a problem."""
    notes = []
    if scores_of_every_pair(files) is None:  # else a corpus score would mean nothing
        notes += [f"corpus {name}: {value:.4f}" for name, value in files.corpus.items()]
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
