"""The data of an agreement: the scores of annotators, couples and sentences.

A couple is two annotators; `Score.pairs` is a number of sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from amr_metrics.types import Floats, Ints
from bamboo.board import CORPUS, WHOLE, Board, Score
from bamboo.parsers.analysis import Analysis
from bamboo.parsers.report_data import MetricFacts
from bamboo.parsers.signatures import format_signature
from bamboo.statistics.resampling import Resampling

if TYPE_CHECKING:
    from bamboo.parsers.analyses.worst import WorstPair

ALL = ""  # the system that stands for all annotators
COUPLE = "couple"  # the kind of parts that are named after the other annotator
Couple = tuple[str, str]
ROOT, CONCEPT, RELATION, ATTRIBUTE = KINDS = "root", "concept", "relation", "attribute"


class SharedTriple(NamedTuple):
    """A triple of a sentence, and who has it.

    Attributes:
        kind: ``concept``, ``relation``, ``attribute`` or ``root``.
        label: the role of a relation or attribute, else empty.
        source: a node; nodes that are aligned have the same name.
        target: a node, a constant or a concept; empty for the root.
        annotators: those whose graph has it.
        text: the triple with the concepts of its nodes.
    """

    kind: str
    label: str
    source: str
    target: str
    annotators: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class SentenceTriples:
    """The triples of a sentence, and who has them.

    Attributes:
        position: of the sentence.
        id, sentence: its id and text, if there are any.
        annotators: those with a graph.
        central: the one to whose graph all are aligned.
        triples: those of all graphs.
    """

    position: int
    id: str | None
    sentence: str
    annotators: tuple[str, ...]
    central: str
    triples: tuple[SharedTriple, ...]

    @property
    def name(self) -> str:
        """The number of the sentence, and its id if it has one."""
        number = f"{self.position}"
        return number if self.id in (None, number) else f"{number} ({self.id})"

    @property
    def disputed(self) -> list[SharedTriple]:
        """The triples that some annotators have and others have not, those of a node together."""
        places = {t.source: k for k, t in reversed([*enumerate(self.triples)])}
        disputed = [t for t in self.triples if len(t.annotators) < len(self.annotators)]
        return sorted(disputed, key=lambda t: (places[t.source], KINDS.index(t.kind)))


@dataclass(frozen=True)
class LabelAgreement:
    """How far annotators agree on the triples of a kind or with a label.

    Attributes:
        name: the kind, or the label.
        count: the number of these triples in all graphs.
        agreement: their F1, from the sums over all couples and sentences. A triple that k of n
            annotators have adds k(k - 1) matches to k(n - 1) triples.
    """

    name: str
    count: int
    agreement: float


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


@dataclass(frozen=True, eq=False)
class AgreementData:
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
        analyses: the aspects and the buckets, if requested.
        lowest: the sentences with the lowest agreement.
        triples: who has which triple of each sentence with two graphs; nothing for documents, and
            for a metric without an alignment.
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
    analyses: tuple[Analysis, ...] = ()
    lowest: tuple[LowSentence, ...] = ()
    triples: tuple[SentenceTriples, ...] = ()

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
        return self.find_scores(CORPUS, WHOLE, ALL)[self.main].value

    @property
    def macro(self) -> float:
        """The macro agreement: the mean over sentences of the mean over couples."""
        return self.find_scores(CORPUS, WHOLE, ALL)[f"macro_{self.main}"].value

    def value(self, first: str, second: str) -> float:
        """Return the corpus score of a couple; NaN if they have no sentence in common."""
        return self.find_scores(COUPLE, second, first)[self.main].value

    def find_scores(self, kind: str, part: str, annotator: str) -> Mapping[str, Score]:
        """Return the scores of an annotator by name; of a couple, the part is the second one."""
        return self.board.rows[self.metric, kind, part, annotator]

    @property
    def signature(self) -> str:
        """What the numbers of tables depend on; options that have their defaults are left out.

        In JSON this is ``short_signature``, and ``signature`` is what the scores of sentences
        depend on, with all options of the metric.
        """
        resampling = f"resamples={self.tests.resamples}", "unit=sentence", f"seed={self.tests.seed}"
        return format_signature([*self.facts.settings, *self.facts.analyses, *resampling])

    def measure_labels(self) -> list[LabelAgreement]:
        """Return the agreement on each kind of triple, then on each label, most frequent first."""
        sums: dict[str, list[int]] = {kind: [0, 0, 0] for kind in KINDS}
        for sentence in self.triples:
            others = len(sentence.annotators) - 1
            for triple in sentence.triples:
                have = len(triple.annotators)
                for name in filter(None, (triple.kind, triple.label)):
                    of_name = sums.setdefault(name, [0, 0, 0])
                    for k, number in enumerate((have, have * (have - 1), have * others)):
                        of_name[k] += number
        measured = [
            LabelAgreement(name, count, matches / total)
            for name, (count, matches, total) in sums.items()
            if count
        ]
        kinds = [row for row in measured if row.name in KINDS]
        labels = [row for row in measured if row.name not in KINDS]
        return [*kinds, *sorted(labels, key=lambda row: -row.count)]

    def name_central(self) -> list[str | None]:
        """Return the central annotator of each sentence; None without two graphs."""
        names = [*self.annotators]
        return [names[k] if k >= 0 else None for k in self.central.tolist()]
