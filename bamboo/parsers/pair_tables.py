"""Tables of the scores of pairs: one row per pair, or the nearest graphs of each graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from amr_metrics.types import Floats
from amr_metrics.utils.text import proven
from bamboo.display.shown import Shown
from bamboo.display.table import Table, capitalize_f1
from bamboo.parsers.layout import choose_scores
from bamboo.scoring.problems import Problem
from bamboo.scoring.scored import Scored

SCORES = ("precision", "recall", "upper")  # of pairs, besides the score
NEAREST = 3  # graphs of tgt that are listed for each of src, if every pair is scored
GRAPHS = 100  # graphs of src for which they are listed


def tabulate_pairs(title: str, scored: Scored, corpus: Mapping[str, float], style: Shown) -> Table:
    """Return one row per pair, and the corpus scores in the notes."""
    details = scored.scores.details
    of_scores = [name for name in (*SCORES, "optimal") if name in details]
    if "upper" in of_scores and details["optimal"].all():
        of_scores.remove("upper")
    columns = scored.columns()
    names = [*scored.pairs.to_columns(), "score", *of_scores]
    rows = zip(map(str, columns["pair"]), *(columns[name] for name in names[1:]), strict=True)
    scaled = [k for k, name in enumerate(names) if name in ("score", *SCORES)]
    notes = describe_pairs(scored)
    if arrange_every_pair(scored) is None:  # else a corpus score means nothing
        shown = choose_scores([*corpus], (), (), style).values()
        texts = (f"corpus {capitalize_f1(name)}: {style.number(corpus[name])}" for name in shown)
        notes = [*texts, *notes]
    return Table(
        style.title(title),
        tuple(names),
        tuple(rows),
        style.decimals,
        tuple(notes),
        times_100=style.scaled(scaled),
    )


def arrange_every_pair(scored: Scored) -> Floats | None:
    """Return the scores of every src graph (rows) with every tgt graph, if these are the pairs."""
    if not scored.pairs.tgt_count or not len(scored):
        return None
    columns = min(scored.pairs.tgt_count, len(scored))
    rows, rest = divmod(len(scored), columns)
    is_every_pair = not rest  # else limit= ends within a graph of src
    return scored.scores.values.reshape(rows, columns) if is_every_pair else None


def tabulate_nearest(
    title: str, scored: Scored, scores: Floats, is_same: bool, style: Shown
) -> Table:
    """Return for each src graph the tgt graphs with the highest scores; ties in their order.

    Args:
        scores: see `arrange_every_pair`.
        is_same: whether both sides are the same file, so that the scores of each graph with itself
            are left out.
    """
    if is_same:
        scores = np.where(np.eye(len(scores), dtype=np.bool_), np.nan, scores)
    rows, columns = scores.shape
    pairs = scored.pairs
    src_ids = _name_graphs([pairs.src_ids[k * columns : (k + 1) * columns] for k in range(rows)])
    tgt_ids = _name_graphs([pairs.tgt_ids[k::columns] for k in range(columns)])
    order = np.argsort(-scores, axis=1, kind="stable")[:, :NEAREST]  # NaN comes last
    nearest = [
        (src, *(cell for k in row for cell in _format_graph(tgt_ids[k], scores[j, k])))
        for j, (src, row) in enumerate(zip(src_ids[:GRAPHS], order.tolist(), strict=False))
    ]
    headings = ("src", "nearest", "score", "second", "score 2", "third", "score 3")
    notes = []
    if None in pairs.src_ids or None in pairs.tgt_ids:
        notes.append("Graphs without an id are named by their numbers, from 1.")
    notes += ["Each graph itself is left out."] if is_same else []
    if rows > GRAPHS:
        notes.append(f"The first {GRAPHS} of {rows:,} graphs; report=csv has the scores of all.")
    columns = headings[: 1 + 2 * order.shape[1]]
    return Table(
        style.title(title),
        columns,
        tuple(nearest),
        style.decimals,
        tuple(notes),
        times_100=style.scaled(range(2, len(columns), 2)),
    )


def _name_graphs(ids: Sequence[Sequence[str | None]]) -> list[str]:
    """Return a name for each graph, its id or else its number, from the ids in all its pairs."""
    of_graphs = (next((name for name in of_pairs if name), None) for of_pairs in ids)
    return [name or str(k) for k, name in enumerate(of_graphs, 1)]


def _format_graph(name: str, score: float) -> tuple[str, float | None]:
    """Return the cells of a graph and its score; empty for a pair without a score."""
    return ("", None) if np.isnan(score) else (name, float(score))


def describe_pairs(scored: Scored) -> list[str]:
    """Describe proofs of optimality, and pairs with a problem."""
    counted = {"missing": "is missing", "empty": "counts as an empty parse"}

    def describe(k: int, why: Problem) -> str:
        return f"pair {k} {counted[why.counted_as]}: {why}"

    proofs = describe_proofs(scored)
    problems = [describe(k, why) for k, why in scored.problems.items()]
    return [*([] if proofs is None else [proofs]), *problems]


def describe_proofs(scored: Scored) -> str | None:
    """Return whether the alignments are proven optimal; None for a metric without that column."""
    if "optimal" not in scored.scores.details:
        return None
    optimal = scored.scores.details["optimal"][scored.present]
    return proven(int(np.sum(~optimal)), len(optimal))
