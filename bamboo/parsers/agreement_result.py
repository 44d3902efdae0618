"""`Agreement`: what `agree` returns, as tables, as JSON values and as data frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from amr_metrics.utils.citations import citations
from amr_metrics.utils.text import format_count
from amr_metrics.version import VERSION
from bamboo.board import CORPUS, WHOLE, Board
from bamboo.display.shown import Shown, ShownColumns
from bamboo.display.table import ABSENT, LEVEL, Display, Table, find_blocks
from bamboo.files import plain
from bamboo.parsers.agreement_data import (
    ALL,
    COUPLE,
    KINDS,
    AgreementData,
    SentenceTriples,
    SharedTriple,
)
from bamboo.parsers.analyses.aspects import Aspects
from bamboo.parsers.analyses.buckets import name_buckets
from bamboo.parsers.analysis import find_analysis
from bamboo.parsers.layout import Key, lay_out
from bamboo.parsers.signatures import list_citations
from bamboo.statistics.corpus import LEVEL as INTERVAL_LEVEL

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1
LABELS = 15  # labels that tables show, of many
HAS = "x"  # the mark of who has a triple
CENTRAL = (
    "central: share of sentences on which an annotator agrees best with the others (of k that are "
    "tied, each has 1/k)"
)


class Agreement(AgreementData, Display):
    """How far annotators agree with each other, without a gold standard; see `AgreementData`.

    >>> import bamboo
    >>> agreement = bamboo.agree({"a": "(c / cat)", "b": "(c / cat)", "c": "(d / dog)"})
    >>> agreement.value("a", "b"), agreement.value("c", "a"), round(agreement.micro, 4)
    (1.0, 0.5, 0.6667)
    """

    __repr__ = Display.__repr__

    @property
    def by(self) -> str | None:
        """What the buckets are; None without."""
        return name_buckets(self.analyses)

    def tables(self, columns: ShownColumns = "main", digits: int | None = None) -> list[Table]:
        """Return the agreement of all, the matrix of couples, parts, and the lowest sentences.

        Args:
            columns: ``main``, or ``all`` for a table of couples, and for the annotators' scores on
                parts.
            digits: the number of decimals; None for 1 if scores are shown times 100, otherwise 4.
        """
        style = Shown(self.facts.times_100, digits, columns)
        tables = [_tabulate_all(self, style), _tabulate_matrix(self, style)]
        if columns == "all":
            tables.append(_tabulate_couples(self, style))
        kinds = {row.kind for row in self.board.scores}
        if "aspect" in kinds and (aspects := find_analysis(self.analyses, Aspects)) is not None:
            plan = aspects.plans[self.metric]
            f1 = style._replace(times_100=True)  # the score of aspects, whatever the metric's is
            note = f"{plan.note}; sentences in which the aspect does not occur are left out"
            tables.append(_tabulate_parts(self, "aspect", "By aspect", note, f1))
        if "bucket" in kinds:
            tables.append(_tabulate_parts(self, "bucket", f"By {self.by}", "", style))
        if self.triples:
            tables.append(_tabulate_labels(self, style))
        tables += [_tabulate_lowest(self, style)] if self.lowest else []
        if self.lowest and self.triples and len(self.annotators) > 2:
            tables.append(_tabulate_disputed(self))
        return tables

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

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values, in the schema of ``agree report=json``."""
        board = self.board
        names = [*self.annotators]
        whole = {name: _describe(self, CORPUS, WHOLE, name) for name in (ALL, *names)}
        parts = {
            kind: [
                {
                    kind: part,
                    **_describe(self, kind, part, ALL),
                    "annotators": {name: _describe(self, kind, part, name) for name in names},
                }
                for part in board.select(kind=kind).list_names("part")
            ]
            for kind in ("aspect", "bucket")
        }
        sentences = zip(self.ids, self.means.tolist(), self.name_central(), strict=True)
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
                    **_describe(self, COUPLE, second, first),
                    "reverse": _describe(self, COUPLE, first, second),
                }
                for first, second in self.couples
            ],
            "by": self.by,
            "aspects": parts["aspect"],
            "buckets": parts["bucket"],
            "lowest": [plain(asdict(sentence)) for sentence in self.lowest],
            "labels": [plain(asdict(row)) for row in self.measure_labels()],
            "disagreements": [
                {
                    "sentence": sentence.position,
                    "id": sentence.id,
                    "central": sentence.central,
                    "annotators": [*sentence.annotators],
                    "triples": [plain(triple._asdict()) for triple in sentence.disputed],
                }
                for sentence in self.triples
                if sentence.disputed
            ],
            "scores": [
                plain(
                    {
                        "sentence": k,
                        "id": graph_id,
                        "agreement": mean,
                        "central": central,
                        "couples": [float(values[k]) for values in self.couples.values()],
                    }
                )
                for k, (graph_id, mean, central) in enumerate(sentences)
            ],
            "sampling": {
                "resamples": self.tests.resamples,
                "seed": self.tests.seed,
                "level": INTERVAL_LEVEL,
            },
        }

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
            "central": self.name_central(),
        }
        frames = [
            pd.DataFrame({**columns, "first": first, "second": second, "score": values})
            for (first, second), values in self.couples.items()
        ]
        return pd.concat(frames, ignore_index=True)


def _tabulate_all(agreement: AgreementData, style: Shown) -> Table:
    board = agreement.board.select(kind=CORPUS, system=ALL)
    sentences = board.scores[0].pairs
    notes = []
    if left_out := len(agreement) - sentences:
        are = "is" if left_out == 1 else "are"
        notes.append(
            f"{left_out:,} of {format_count(len(agreement), 'sentence')} {are} left out, with "
            "fewer than two graphs"
        )
    if sentences == 1:
        notes.append("One sentence: there is no interval")
    if not agreement.is_symmetric:
        notes.append(
            f"{agreement.metric} is not symmetric: each number is the mean of both directions"
        )
    notes += [f"signature: {agreement.signature}", *list_citations(agreement.facts.reference)]
    title = (
        f"Agreement of {format_count(len(agreement.annotators), 'annotator')}, {agreement.metric}"
    )
    keys: dict[str, Key] = {"sentences": "pairs"}
    return lay_out(title, board, keys, _list_columns(agreement.main), style, notes=notes)


def _tabulate_matrix(agreement: AgreementData, style: Shown) -> Table:
    """Return one row per annotator: its corpus scores with the others, and their mean."""
    names = [*agreement.annotators]
    couples = agreement.board.select(kind=COUPLE, score=agreement.main).scores
    whole = agreement.board.select(kind=CORPUS, score=agreement.main).scores
    board = Board((*couples, *(row for row in whole if row.system != ALL)))
    # Columns are parts: of couples the second annotator, of an annotator's mean the corpus.
    mean = "mean of pairs" if "mean" in names else "mean"
    columns = {**{name: name for name in names}, mean: WHOLE}
    keys: dict[str, Key] = {"annotator": "system"}
    note = "Each number is the corpus score of two annotators; mean: with the others"
    shares = [100 * row.value for row in agreement.board.select(score="central").scores]
    if shares:
        note += f"; {CENTRAL}, in per cent"
    table = lay_out("Pairs of annotators", board, keys, columns, style, across="part", notes=[note])
    if not shares:
        return table
    return table.with_column(len(table.columns), "central", shares, style.decimals)


def _tabulate_couples(agreement: AgreementData, style: Shown) -> Table:
    """Return one row per couple, of which the board has both directions.

    Of an asymmetric metric, ``as_src`` is the score with the first one's graphs as src.
    """
    rows = tuple(
        row
        for row in agreement.board.select(kind=COUPLE).scores
        if (row.system, row.part) in agreement.couples
    )
    of_couples = Board(rows).list_names("score")
    names = [name for name in ("precision", "recall", "as_src") if name in of_couples]
    scores = {agreement.main: agreement.main, f"{agreement.main} {LEVEL}": agreement.main}
    scores |= {f"macro {agreement.main}": f"macro_{agreement.main}"}
    scores |= {name.replace("_", " "): name for name in names}
    keys: dict[str, Key] = {"first": "system", "second": "part", "sentences": "pairs"}
    note = "precision: the share of the first one's triples that the second one has"
    notes = [note] if "precision" in names else []
    return lay_out("Scores of pairs of annotators", Board(rows), keys, scores, style, notes=notes)


def _tabulate_parts(
    agreement: AgreementData, kind: str, title: str, note: str, style: Shown
) -> Table:
    """Return one row per aspect or bucket."""
    board = agreement.board.select(kind=kind)
    keys: dict[str, Key] = {kind: "part", "sentences": "pairs"}
    of_all, notes = board.select(system=ALL), (note,) if note else ()
    main = of_all.main  # of aspects always F1
    table = lay_out(title, of_all, keys, _list_columns(main), style, notes=notes)
    if style.columns == "main":
        return table
    for annotator in agreement.annotators:  # each has a row for every part, in the same order
        values = [row.value for row in board.select(system=annotator, score=main).scores]
        table = table.with_column(
            len(table.columns), annotator, values, style.decimals, style.times_100
        )
    return table


def _tabulate_labels(agreement: AgreementData, style: Shown) -> Table:
    """Return one row per kind of triple, then one per label; with the main columns the frequent."""
    rows = agreement.measure_labels()
    kinds = sum(row.name in KINDS for row in rows)
    shown = rows[: kinds + LABELS] if style.columns == "main" else rows
    first = "central" if len(agreement.annotators) > 2 else "first"
    notes = [
        "count: triples of all annotators; agreement: their F1, of all pairs of annotators "
        f"together, with graphs aligned to the {first} one"
    ]
    if hidden := len(rows) - len(shown):
        notes.append(f"columns=all: also {format_count(hidden, 'less frequent label')}")
    f1 = style._replace(times_100=True)
    return Table(
        f1.title("Agreement by label"),
        ("triples", "count", "agreement"),
        tuple((row.name, row.count, row.agreement) for row in shown),
        f1.decimals,
        tuple(notes),
        (kinds,),
        f1.scaled([2]),
    )


def _tabulate_disputed(agreement: AgreementData) -> Table:
    """Return who has the triples that are disputed in the listed sentences; in CSV, in all."""
    names = [*agreement.annotators]
    listed = [low.others[0].pair for low in agreement.lowest]
    of_sentences = {sentence.position: sentence for sentence in agreement.triples}
    rows: list[tuple[Any, ...]] = []
    for sentence in (of_sentences[k] for k in listed):
        title = sentence.sentence or "(no sentence)"
        central = ["central" if name == sentence.central else "" for name in names]
        rows.append((sentence.name, *central, title))
        rows += [
            ("", *mark_holders(sentence, triple, names), triple.text)
            for triple in sentence.disputed
        ]
    long = tuple(
        (
            str(sentence.position),
            sentence.id,
            sentence.central,
            *mark_holders(sentence, triple, names),
            triple.text,
        )
        for sentence in agreement.triples
        for triple in sentence.disputed
    )
    note = f"{HAS}: has the triple; {ABSENT}: no graph. Nodes are aligned to the central graph"
    hidden = sum(bool(s.disputed) for s in agreement.triples if s.position not in listed)
    more = f"{format_count(hidden, 'more sentence')} with disagreements: worst=N, report=html"
    return Table(
        "Disagreements",
        ("sentence", *names, "sentence, triples"),
        tuple(rows),
        notes=(note, more) if hidden else (note,),
        rules=find_blocks(rows),
        long=Table("Disagreements", ("sentence", "id", "central", *names, "triple"), long),
    )


def tabulate_sentence(sentence: SentenceTriples) -> Table:
    """Return who has the disputed triples of a sentence, for its section of a page."""
    names = sentence.annotators
    central = [f"{name} (central)" if name == sentence.central else name for name in names]
    rows = [(triple.text, *mark_holders(sentence, triple, names)) for triple in sentence.disputed]
    return Table(f"Disagreements on {sentence.name}", ("triple", *central), tuple(rows))


def mark_holders(
    sentence: SentenceTriples, triple: SharedTriple, names: Sequence[str]
) -> list[str | None]:
    """Return for each annotator whether they have a triple; None without a graph."""
    return [
        (HAS if name in triple.annotators else "") if name in sentence.annotators else None
        for name in names
    ]


def _tabulate_lowest(agreement: AgreementData, style: Shown) -> Table:
    """Return how the graphs of each sentence differ; in CSV one row per unmatched triple."""
    rows: list[tuple[Any, ...]] = []
    triple_rows: list[tuple[Any, ...]] = []
    has_central = len(agreement.annotators) > 2  # of two, the first stands in its place
    for low in agreement.lowest:
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
    reference = "the central graph" if has_central else "the first one"
    note = f"X instead of Y, added: X, missing: Y: the annotator has X, {reference} Y"
    has_differences = any(pair.differences for low in agreement.lowest for pair in low.others)
    title, notes = "Lowest agreement", (note,) if has_differences else ()
    columns = ("sentence", "annotator", "score", "sentence, differences")
    of_triples = ("sentence", "id", "agreement", "annotator", "central", "score", "only in")
    long = Table(title, (*of_triples, "triple"), tuple(triple_rows), 4)
    blocks = find_blocks(rows)
    return Table(style.title(title), columns, tuple(rows), 4, notes, blocks, long=long)


def _list_columns(main: str) -> dict[str, str]:
    """Return the columns of micro and macro agreement by heading, each followed by its interval.

    `lay_out` shows the interval of a score instead of its value if the heading ends with `LEVEL`.

    Args:
        main: the corpus score of couples.
    """
    macro = f"macro_{main}"
    return {"micro": main, f"micro {LEVEL}": main, "macro": macro, f"macro {LEVEL}": macro}


def _describe(agreement: AgreementData, kind: str, part: str, annotator: str) -> dict[str, Any]:
    """Return the scores of `find_scores` as JSON values, with their intervals."""
    rows = agreement.find_scores(kind, part, annotator)
    first = next(iter(rows.values()))
    return {
        "sentences": first.pairs,
        "left_out": first.left_out,
        "scores": plain({name: row.value for name, row in rows.items()}),
        "intervals": plain({n: r.interval for n, r in rows.items() if r.interval is not None}),
    }
