"""`PairScores`: the scores of pairs of graphs, as a frame, as JSON values and as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from amr_metrics.base import Metric
from amr_metrics.building import metrics_in
from amr_metrics.types import Floats
from amr_metrics.utils.text import proven
from amr_metrics.version import VERSION
from bamboo.display.shown import Shown
from bamboo.display.table import Display, Table, with_capital
from bamboo.files import plain
from bamboo.parsers.removals import RemovalEffect
from bamboo.scoring.chunks import Reading
from bamboo.scoring.problems import OnError, Problem, summary
from bamboo.scoring.scored import Scored
from bamboo.statistics.corpus import main_score

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1
SHOWN = ("precision", "recall", "upper", "optimal")
NEAREST = 3  # graphs of tgt that are listed for each of src, if every pair is scored
GRAPHS = 100  # graphs of src for which they are listed
# What the scores of metrics with default options are comparable with (docs/comparable.md).
COMPARABLE = {
    "smatch_1.0": (
        "Comparable with the smatch package since 1.0.3, whose search may find lower scores, "
        "usually by less than one point of 100."
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
LISTED = 20  # pairs that are shown
DIGEST = 8  # characters of a digest that are shown


@dataclass(frozen=True, eq=False, repr=False)
class PairScores(Display):
    """The scores of pairs of graphs.

    Attributes:
        metric: the metric with its options, as tables name it.
        src, tgt: the sides, by their paths or names.
        values: the scores, of all pairs.
        corpus: the corpus scores by name, over the pairs that have a score.
        signature: what the scores depend on, with all options.
        parts: what the scores depend on, without options that have their defaults.
        on_error: how pairs that could not be read or scored were treated.
        times_100: whether the scores are in 0..1, so that tables show them times 100.
        effects: what alignment marks and repeated triples change.

    >>> import bamboo
    >>> scores = bamboo.score("(c / cat)", ["(c / cat)"])
    >>> scores.score, scores.scores.tolist(), scores.corpus["precision"]
    (1.0, [1.0], 1.0)
    """

    metric: str
    src: str
    tgt: str
    values: Scored
    corpus: Mapping[str, float]
    signature: str
    parts: tuple[str, ...]
    on_error: OnError
    times_100: bool = True
    effects: tuple[RemovalEffect, ...] = ()

    @property
    def title(self) -> str:
        """The metric and the two sides."""
        return f"{self.metric}: {self.src} against {self.tgt}"

    @property
    def scores(self) -> Floats:
        """float64, one score per pair, as the metric defines it; NaN for a missing pair."""
        return self.values.scores.values

    @property
    def score(self) -> float:
        """The corpus score: ``f1`` (micro F1) if the metric has one, otherwise the mean.

        NaN if no pair could be scored.
        """
        return float(self.corpus[main_score(self.corpus)]) if self.corpus else float("nan")

    @property
    def ids(self) -> list[str | None]:
        """The ``::id`` of each pair, None without one; with the option ``pairs`` both ids."""
        return [*self.values.pairs.ids]

    @property
    def problems(self) -> Mapping[int, Problem]:
        """Which pairs could not be read or scored, and why, by position."""
        return self.values.problems

    @property
    def short_signature(self) -> str:
        """The metric and all options that change the scores, and the version, in one line."""
        return signature_line(self.parts)

    def __len__(self) -> int:
        return len(self.scores)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair: pair (its position), id, score, and the columns of the metric.

        With the option ``pairs`` there are, in place of id, src and tgt (the positions of the
        graphs, from 1), src_id and tgt_id.
        """
        import pandas as pd  # slow to import, and needed only here

        values = self.values
        return pd.DataFrame({**values.pairs.to_columns(), **values.scores.columns()})

    def to_json(self) -> dict[str, Any]:
        """Return the scores as JSON values, in the schema of ``score report=json``."""
        columns = self.values.columns()
        rows = zip(*columns.values(), strict=True)
        pairs = [dict(zip(columns, row, strict=True)) for row in rows]
        for k, why in self.problems.items():
            pairs[k]["problem"] = str(why)
        return {
            "schema": SCHEMA,
            "signature": self.signature,
            "scores": columns["score"],
            "pairs": pairs,
            "corpus": plain(self.corpus),
            "on_error": self.on_error,
            "problems": [{"pair": k, **why.to_json()} for k, why in self.problems.items()],
            "short_signature": self.short_signature,
        }

    def warnings(self) -> list[str]:
        """Return warnings about pairs that could not be read or scored."""
        return summary(self.problems, len(self), self.on_error) if self.problems else []

    def nearest(self, shown: Shown | None = None) -> Table | None:
        """Return the nearest tgt graphs of each src graph; None unless all pairs are scored.

        Args:
            shown: how scores are shown; None: with the usual number of decimals.
        """
        scores = scores_of_every_pair(self.values)
        shown = shown or Shown(self.times_100)
        return None if scores is None else nearest_table(self, scores, shown)

    def tables(self) -> list[Table]:
        """Return the corpus scores and, of up to `LISTED` pairs, the score of each.

        If every graph is compared with every other, return the nearest graphs of each.
        """
        signature = signature_notes(self, self.short_signature)
        if (nearest := self.nearest()) is not None:
            return [replace(nearest, notes=(*nearest.notes, *signature))]
        shown = Shown(self.times_100)
        if len(self) <= LISTED:
            table = score_table(self, shown)
            return [replace(table, notes=(*table.notes, *signature))]
        rows = tuple((name, plain(value)) for name, value in self.corpus.items())
        notes = [*pair_notes(self), *signature]
        notes.append(f"{len(self):,} pairs: to_frame() has the score of each")
        title, columns = shown.title(self.title), ("corpus", "score")
        return [Table(title, columns, rows, shown.decimals, tuple(notes), (), shown.scaled((1,)))]


def signature_parts(name: str, metric: Metric, reading: Reading) -> tuple[str, ...]:
    """Return what the scores of a metric depend on.

    Args:
        name: the metric's name with the options that differ from the defaults.

    >>> from amr_metrics import get
    >>> reading = Reading(on_error="zero", drop=("wiki",))
    >>> signature_line(signature_parts("smatch", get("smatch"), reading)).replace(VERSION, "1.0")
    'smatch|drop=wiki|on_error=zero|bamboo v1.0'
    """
    options = {
        "drop": ",".join(reading.drop) or None,
        "on_error": None if reading.on_error == "stop" else reading.on_error,
        "ids": "match" if reading.ids == "match" else None,
        "limit": reading.limit,
    }
    given = [f"{key}={value}" for key, value in options.items() if value is not None]
    return name, *dict.fromkeys(_vectors(metric)), *given


def signature_line(parts: Sequence[str]) -> str:
    """Return a signature as a line, with the version."""
    return "|".join([*parts, f"bamboo v{VERSION}"])


def _vectors(metric: Metric) -> Iterator[str]:
    """Yield the name and a digest of the word vectors of a metric and of those in it."""
    for one in metrics_in(metric):
        vectors: Any = getattr(one, "vectors", None)
        if (digest := getattr(vectors, "digest", None)) is not None:
            file = getattr(vectors, "file", None)
            name = Path(file).name if file else getattr(vectors, "name", type(vectors).__name__)
            yield f"vectors={name}:{digest[:DIGEST]}"


def signature_notes(scores: PairScores, signature: str) -> list[str]:
    """Return a signature, and what the scores are comparable with."""
    comparable = COMPARABLE.get(scores.metric)
    dropped = any(part.startswith("drop=") for part in scores.parts)
    return [f"signature: {signature}", *([comparable] if comparable and not dropped else [])]


def with_signature(table: Table, signature: str) -> Table:
    """Return a table for CSV with a column of the signature."""
    table = (table.long or table).with_marks()
    return table.with_column(len(table.columns), "signature", [signature] * len(table.rows))


def score_table(scores: PairScores, shown: Shown) -> Table:
    """Return one row per pair, and the corpus scores in the notes."""
    known = scores.values.scores.details
    details = [name for name in SHOWN if name in known]
    if "upper" in details and known["optimal"].all():
        details.remove("upper")
    columns = scores.values.columns()
    names = [*scores.values.pairs.to_columns(), "score", *details]
    rows = zip(map(str, columns["pair"]), *(columns[name] for name in names[1:]), strict=True)
    scaled = [
        k for k, name in enumerate(names) if name in ("score", "precision", "recall", "upper")
    ]
    return Table(
        shown.title(scores.title),
        tuple(names),
        tuple(rows),
        shown.decimals,
        score_notes(scores, shown),
        times_100=shown.scaled(scaled),
    )


def scores_of_every_pair(scored: Scored) -> Floats | None:
    """Return the scores of every src graph (rows) with every tgt graph, if these are the pairs."""
    if not scored.pairs.tgt_count or not len(scored):
        return None
    columns = min(scored.pairs.tgt_count, len(scored))
    rows, rest = divmod(len(scored), columns)
    is_every_pair = not rest  # else limit= ends within a graph of src
    return scored.scores.values.reshape(rows, columns) if is_every_pair else None


def nearest_table(found: PairScores, scores: Floats, shown: Shown) -> Table:
    """Return for each src graph the tgt graphs with the highest scores; ties in their order.

    Args:
        scores: see `scores_of_every_pair`. If both sides are the same file, the scores of each
            graph with itself are left out.
    """
    same = found.src == found.tgt
    if same:
        scores = np.where(np.eye(len(scores), dtype=np.bool_), np.nan, scores)
    rows, columns = scores.shape
    pairs = found.values.pairs
    src_ids = _graph_names([pairs.src_ids[k * columns : (k + 1) * columns] for k in range(rows)])
    tgt_ids = _graph_names([pairs.tgt_ids[k::columns] for k in range(columns)])
    order = np.argsort(-scores, axis=1, kind="stable")[:, :NEAREST]  # NaN comes last
    nearest = [
        (src, *(cell for k in row for cell in _named_score(tgt_ids[k], scores[j, k])))
        for j, (src, row) in enumerate(zip(src_ids[:GRAPHS], order.tolist(), strict=False))
    ]
    headings = ("src", "nearest", "score", "second", "score 2", "third", "score 3")
    notes = []
    if None in pairs.src_ids or None in pairs.tgt_ids:
        notes.append("Graphs without an id are named by their numbers, from 1.")
    notes += ["Each graph itself is left out."] if same else []
    if rows > GRAPHS:
        notes.append(f"The first {GRAPHS} of {rows:,} graphs; report=csv has the scores of all.")
    columns = headings[: 1 + 2 * order.shape[1]]
    return Table(
        shown.title(found.title),
        columns,
        tuple(nearest),
        shown.decimals,
        tuple(notes),
        times_100=shown.scaled(range(2, len(columns), 2)),
    )


def _graph_names(ids: Sequence[Sequence[str | None]]) -> list[str]:
    """Return a name for each graph, its id or else its number, from the ids in all its pairs."""
    of_graphs = (next((name for name in of_pairs if name), None) for of_pairs in ids)
    return [name or str(k) for k, name in enumerate(of_graphs, 1)]


def _named_score(name: str, score: float) -> tuple[str, float | None]:
    """Return the cells of a graph and its score; empty for a pair without a score."""
    return ("", None) if np.isnan(score) else (name, float(score))


def score_notes(scores: PairScores, shown: Shown) -> tuple[str, ...]:
    """Describe the corpus scores, proofs of optimality, and pairs with a problem."""
    every_pair = scores_of_every_pair(scores.values) is not None  # a corpus score means nothing
    return (*([] if every_pair else corpus_notes(scores, shown)), *pair_notes(scores))


def pair_notes(scores: PairScores) -> list[str]:
    """Describe proofs of optimality, and pairs with a problem."""
    proven = optimality_note(scores.values)
    counted = {"missing": "is missing", "empty": "counts as an empty parse"}
    problems = [f"pair {k} {counted[why.counted_as]}: {why}" for k, why in scores.problems.items()]
    return [*([] if proven is None else [proven]), *problems]


def corpus_notes(scores: PairScores, shown: Shown) -> list[str]:
    """Return the corpus scores, one per line."""
    corpus = scores.corpus.items()
    return [f"corpus {with_capital(name)}: {shown.number(value)}" for name, value in corpus]


def optimality_note(scored: Scored) -> str | None:
    """Return whether the alignments are proven optimal; None for a metric without that column."""
    if "optimal" not in scored.scores.details:
        return None
    optimal = scored.scores.details["optimal"][scored.present]
    return proven(int(np.sum(~optimal)), len(optimal))
