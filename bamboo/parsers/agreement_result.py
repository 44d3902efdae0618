"""`Agreement`: what `agree` returns, with its tables and its JSON document.

A couple is two annotators; `Score.pairs` is a number of sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from amr_metrics.types import Floats, Ints
from amr_metrics.utils.citations import citations
from amr_metrics.utils.text import format_count
from amr_metrics.version import VERSION
from bamboo.board import CORPUS, WHOLE, Board, Score
from bamboo.display.shown import Shown, ShownColumns
from bamboo.display.table import LEVEL, Display, Table
from bamboo.files import plain
from bamboo.parsers.result import MetricFacts
from bamboo.parsers.signatures import format_signature, list_citations
from bamboo.parsers.tables import Key, lay_out
from bamboo.statistics.corpus import LEVEL as INTERVAL_LEVEL
from bamboo.statistics.resampling import Resampling

if TYPE_CHECKING:
    import pandas as pd

    from bamboo.parsers.worst import WorstPair

ALL = ""  # the system that stands for all annotators
COUPLE = "couple"  # the kind of parts that are named after the other annotator
SCHEMA = 1
CENTRAL = (
    "central: share of sentences on which an annotator agrees best with the others (of k that are "
    "tied, each has 1/k)"
)
Couple = tuple[str, str]


@dataclass(frozen=True)
class LowSentence:
    """A sentence with low agreement.

    Attributes:
        score: the mean of its scores over couples.
        central: the annotator who agrees best with the others; of equals, the first.
        others: for each of the others, how their graph differs from that of the central annotator;
            their name is `WorstPair.parser`.
    """

    score: float
    central: str
    others: tuple[WorstPair, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Display):
    """How far annotators agree with each other, without a gold standard.

    Attributes:
        board: annotators are systems, and ``""`` stands for all of them. The micro agreement is the
            mean of the corpus scores of couples (``f1``, or ``mean`` for a metric without counts),
            the macro agreement the mean over sentences of the mean over couples (``macro_f1``, or
            ``macro_mean``). A row of kind ``couple`` has an annotator's scores with the one that
            the part names; ``central`` is the share of sentences on which an annotator agrees best
            with the others, if there are three or more: k annotators who are equal have 1/k each.
        metric: the name of the metric.
        facts: how the scores were computed.
        is_symmetric: whether the metric is; otherwise scores are means of both directions.
        annotators: by name, the file of each annotator, or the name of their graphs.
        couples: by couple, the score of each sentence, (sentences,); NaN without two graphs.
        ids: the id of each sentence; None where there is none.
        means: (sentences,), the mean over couples; NaN without two graphs.
        central: (sentences,), the position in `annotators` of the one who agrees best with the
            others, of equals the first; -1 without two graphs.
        tests: how intervals were computed.
        remarks: what alignment marks and repeated triples change in the scores of couples.
        by: what the buckets are: ``size``, a key of metadata, or the name of a file; None without.
        lowest: the sentences with the lowest agreement.

    >>> import bamboo
    >>> agreement = bamboo.agree({"a": "(c / cat)", "b": "(c / cat)", "c": "(d / dog)"})
    >>> agreement.value("a", "b"), agreement.value("c", "a"), round(agreement.micro, 4)
    (1.0, 0.5, 0.6667)
    """

    board: Board
    metric: str
    facts: MetricFacts
    is_symmetric: bool
    annotators: Mapping[str, str]
    couples: Mapping[Couple, Floats]
    ids: Sequence[str | None]
    means: Floats
    central: Ints
    tests: Resampling
    remarks: tuple[str, ...] = ()
    by: str | None = None
    lowest: tuple[LowSentence, ...] = ()

    def __len__(self) -> int:
        """Return the number of sentences, including those that are left out."""
        return len(self.ids)

    @property
    def main(self) -> str:
        """The corpus score of couples: ``f1``, or ``mean`` for a metric without counts."""
        return self.board.main

    @property
    def micro(self) -> float:
        """The micro agreement: the mean of the corpus scores of couples."""
        return self._find_scores(CORPUS, WHOLE, ALL)[self.main].value

    @property
    def macro(self) -> float:
        """The macro agreement: the mean over sentences of the mean over couples."""
        return self._find_scores(CORPUS, WHOLE, ALL)[f"macro_{self.main}"].value

    def value(self, first: str, second: str) -> float:
        """Return the corpus score of a couple; NaN if they have no sentence in common."""
        return self._find_scores(COUPLE, second, first)[self.main].value

    def _find_scores(self, kind: str, part: str, annotator: str) -> Mapping[str, Score]:
        """Return the scores of an annotator by name; of a couple, the part is the second one."""
        return self.board.rows[self.metric, kind, part, annotator]

    @property
    def signature(self) -> str:
        """What the numbers of tables depend on; options that have their defaults are left out.

        In JSON this is ``short_signature``, and ``signature`` is what the scores of sentences
        depend on, with all options of the metric.
        """
        resampling = f"resamples={self.tests.resamples}", "unit=sentence", f"seed={self.tests.seed}"
        return format_signature([*self.facts.list_settings(self.by), *resampling])

    def tables(self, columns: ShownColumns = "main", digits: int | None = None) -> list[Table]:
        """Return the agreement of all, the matrix of couples, parts, and the lowest sentences.

        Args:
            columns: ``main``, or ``all`` for a table of couples, and for the annotators' scores on
                parts.
            digits: the number of decimals; None for 1 if scores are shown times 100, otherwise 4.
        """
        style = Shown(self.facts.times_100, digits, columns)
        tables = [self._tabulate_all(style), self._tabulate_matrix(style)]
        if columns == "all":
            tables.append(self._tabulate_couples(style))
        kinds = {row.kind for row in self.board.scores}
        if "aspect" in kinds and (plan := self.facts.aspects) is not None:
            f1 = style._replace(times_100=True)  # the score of aspects, whatever the metric's is
            note = f"{plan.note}; sentences in which the aspect does not occur are left out"
            tables.append(self._tabulate_parts("aspect", "By aspect", note, f1))
        if "bucket" in kinds:
            tables.append(self._tabulate_parts("bucket", f"By {self.by}", "", style))
        return tables + ([self._tabulate_lowest(style)] if self.lowest else [])

    def _tabulate_all(self, style: Shown) -> Table:
        board = self.board.select(kind=CORPUS, system=ALL)
        sentences = board.scores[0].pairs
        notes = []
        if left_out := len(self) - sentences:
            are = "is" if left_out == 1 else "are"
            notes.append(
                f"{left_out:,} of {format_count(len(self), 'sentence')} {are} left out, with fewer "
                "than two graphs"
            )
        if sentences == 1:
            notes.append("One sentence: there is no interval")
        if not self.is_symmetric:
            notes.append(
                f"{self.metric} is not symmetric: each number is the mean of both directions"
            )
        notes += [f"signature: {self.signature}", *list_citations(self.facts.reference)]
        title = f"Agreement of {format_count(len(self.annotators), 'annotator')}, {self.metric}"
        keys: dict[str, Key] = {"sentences": "pairs"}
        return lay_out(title, board, keys, _list_columns(self.main), style, notes=notes)

    def _tabulate_matrix(self, style: Shown) -> Table:
        """Return one row per annotator: its corpus scores with the others, and their mean."""
        names = [*self.annotators]
        couples = self.board.select(kind=COUPLE, score=self.main).scores
        whole = self.board.select(kind=CORPUS, score=self.main).scores
        board = Board((*couples, *(row for row in whole if row.system != ALL)))
        # Columns are parts: of couples the second annotator, of an annotator's mean the corpus.
        mean = "mean of couples" if "mean" in names else "mean"
        columns = {**{name: name for name in names}, mean: WHOLE}
        keys: dict[str, Key] = {"annotator": "system"}
        note = "Each number is the corpus score of two annotators; mean: with the others"
        shares = [100 * row.value for row in self.board.select(score="central").scores]
        if shares:
            note += f"; {CENTRAL}, in per cent"
        table = lay_out("Couples", board, keys, columns, style, across="part", notes=[note])
        if not shares:
            return table
        return table.with_column(len(table.columns), "central", shares, style.decimals)

    def tabulate_annotators(self) -> Table:
        """Return one row per annotator: its sentences, mean scores and how often it is central."""
        rows = tuple(row for row in self.board.select(kind=CORPUS).scores if row.system != ALL)
        scored = {row.system: row for row in rows if row.score == self.main}
        keys: dict[str, Key] = {
            "annotator": "system",
            "sentences": lambda row: scored[row.system].pairs,
        }
        columns, note = _list_columns(self.main), "Scores with the others"
        if any(row.score == "central" for row in rows):
            columns["central"] = "central"
            note += f"; {CENTRAL}"
        if any(row.left_out for row in scored.values()):
            keys["missing"] = lambda row: scored[row.system].left_out
            note += (
                "; missing: sentences with graphs of two others, but none of the annotator that "
                "could be scored"
            )
        style = Shown(self.facts.times_100)
        return lay_out("Annotators", Board(rows), keys, columns, style, notes=[note])

    def _tabulate_couples(self, style: Shown) -> Table:
        """Return one row per couple, of which the board has both directions.

        Of an asymmetric metric, ``as_src`` is the score with the first one's graphs as src.
        """
        rows = tuple(
            row
            for row in self.board.select(kind=COUPLE).scores
            if (row.system, row.part) in self.couples
        )
        of_couples = Board(rows).list_names("score")
        names = [name for name in ("precision", "recall", "as_src") if name in of_couples]
        scores = {self.main: self.main, f"{self.main} {LEVEL}": self.main}
        scores |= {f"macro {self.main}": f"macro_{self.main}"}
        scores |= {name.replace("_", " "): name for name in names}
        keys: dict[str, Key] = {"first": "system", "second": "part", "sentences": "pairs"}
        note = "precision: the share of the first one's triples that the second one has"
        notes = [note] if "precision" in names else []
        return lay_out("Scores of couples", Board(rows), keys, scores, style, notes=notes)

    def _tabulate_parts(self, kind: str, title: str, note: str, style: Shown) -> Table:
        """Return one row per aspect or bucket."""
        board = self.board.select(kind=kind)
        keys: dict[str, Key] = {kind: "part", "sentences": "pairs"}
        of_all, notes = board.select(system=ALL), (note,) if note else ()
        main = of_all.main  # of aspects always F1
        table = lay_out(title, of_all, keys, _list_columns(main), style, notes=notes)
        if style.columns == "main":
            return table
        for annotator in self.annotators:  # each has a row for every part, in the same order
            values = [row.value for row in board.select(system=annotator, score=main).scores]
            table = table.with_column(
                len(table.columns), annotator, values, style.decimals, style.times_100
            )
        return table

    def _tabulate_lowest(self, style: Shown) -> Table:
        """Return how the graphs of each sentence differ; in CSV one row per unmatched triple."""
        rows: list[tuple[Any, ...]] = []
        triple_rows: list[tuple[Any, ...]] = []
        ends: list[int] = []  # the number of rows up to the end of each sentence
        has_central = len(self.annotators) > 2  # of two, the first stands in its place
        for low in self.lowest:
            central, first = low.central, low.others[0]
            rows.append((first.name, "", style.number(low.score), first.title))
            rows.append(("", central, "", "central" if has_central else ""))
            for pair in low.others:
                annotator = pair.parser
                text, *texts = pair.list_differences() or [""]
                rows.append(("", annotator, style.number(pair.score), text))
                rows += [("", "", "", text) for text in texts]
                cells = str(pair.pair), pair.id, low.score, annotator, central, pair.score
                triple_rows += [(*cells, *t) for t in pair.list_unmatched(annotator, central)]
            ends.append(len(rows))
        reference = "the central graph" if has_central else "the first one"
        note = f"X instead of Y, added: X, missing: Y: the annotator has X, {reference} Y"
        has_differences = any(pair.differences for low in self.lowest for pair in low.others)
        title, notes = "Lowest agreement", (note,) if has_differences else ()
        columns = ("sentence", "annotator", "score", "sentence, differences")
        of_triples = ("sentence", "id", "agreement", "annotator", "central", "score", "only in")
        long = Table(title, (*of_triples, "triple"), tuple(triple_rows), 4)
        rules = tuple(ends[:-1])
        return Table(style.title(title), columns, tuple(rows), 4, notes, rules, long=long)

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values, in the schema of ``agree report=json``."""
        board = self.board
        names = [*self.annotators]
        whole = {name: self._describe(CORPUS, WHOLE, name) for name in (ALL, *names)}
        parts = {
            kind: [
                {
                    kind: part,
                    **self._describe(kind, part, ALL),
                    "annotators": {name: self._describe(kind, part, name) for name in names},
                }
                for part in board.select(kind=kind).list_names("part")
            ]
            for kind in ("aspect", "bucket")
        }
        return {
            "schema": SCHEMA,
            "metric": self.metric,
            "signature": self.facts.signature,
            "short_signature": self.signature,
            "version": VERSION,
            "citations": [*citations(self.facts.reference)],
            "symmetric": self.is_symmetric,
            "sentences": len(self),
            "agreement": whole[ALL],
            "annotators": [
                {"name": name, "file": self.annotators[name], **whole[name]} for name in names
            ],
            "couples": [
                {
                    "first": first,
                    "second": second,
                    **self._describe(COUPLE, second, first),
                    "reverse": self._describe(COUPLE, first, second),
                }
                for first, second in self.couples
            ],
            "by": self.by,
            "aspects": parts["aspect"],
            "buckets": parts["bucket"],
            "lowest": [plain(asdict(sentence)) for sentence in self.lowest],
            "scores": [*self._list_sentences()],
            "sampling": {
                "resamples": self.tests.resamples,
                "seed": self.tests.seed,
                "level": INTERVAL_LEVEL,
            },
        }

    def _describe(self, kind: str, part: str, annotator: str) -> dict[str, Any]:
        """Return the scores of `_find_scores` as JSON values, with their intervals."""
        rows = self._find_scores(kind, part, annotator)
        first = next(iter(rows.values()))
        return {
            "sentences": first.pairs,
            "left_out": first.left_out,
            "scores": plain({name: row.value for name, row in rows.items()}),
            "intervals": plain({n: r.interval for n, r in rows.items() if r.interval is not None}),
        }

    def _name_central(self) -> list[str | None]:
        """Return the central annotator of each sentence; None without two graphs."""
        names = [*self.annotators]
        return [names[k] if k >= 0 else None for k in self.central.tolist()]

    def _list_sentences(self) -> Iterator[dict[str, Any]]:
        """Yield the scores of each sentence."""
        rows = zip(self.ids, self.means.tolist(), self._name_central(), strict=True)
        for k, (graph_id, mean, central) in enumerate(rows):
            yield plain(
                {
                    "sentence": k,
                    "id": graph_id,
                    "agreement": mean,
                    "central": central,
                    "couples": [float(values[k]) for values in self.couples.values()],
                }
            )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per score.

        Columns: metric, kind (corpus, couple, aspect or bucket), part (of a couple, the other
        annotator), annotator ("" for all), pairs (sentences with a score), left_out, score (its
        name), value, low and high (95 % interval).
        """
        return self.board.to_frame("annotator")

    def sentence_scores(self) -> pd.DataFrame:
        """Return one row per sentence and couple.

        Columns: sentence (its position), id, first, second, score (NaN without two graphs),
        agreement (the mean over couples), and central (the annotator; None without two graphs).
        """
        import pandas as pd

        columns = {
            "sentence": np.arange(len(self)),
            "id": self.ids,
            "agreement": self.means,
            "central": self._name_central(),
        }
        frames = [
            pd.DataFrame({**columns, "first": first, "second": second, "score": values})
            for (first, second), values in self.couples.items()
        ]
        return pd.concat(frames, ignore_index=True)


def _list_columns(main: str) -> dict[str, str]:
    """Return the columns of micro and macro agreement by heading, each followed by its interval.

    `lay_out` shows the interval of a score instead of its value if the heading ends with `LEVEL`.

    Args:
        main: the corpus score of couples.
    """
    macro = f"macro_{main}"
    return {"micro": main, f"micro {LEVEL}": main, "macro": macro, f"macro {LEVEL}": macro}
