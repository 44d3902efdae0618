"""The data of an agreement: the scores of annotators, couples and sentences.

A couple is two annotators; `Score.pairs` is a number of sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

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

    def name_central(self) -> list[str | None]:
        """Return the central annotator of each sentence; None without two graphs."""
        names = [*self.annotators]
        return [names[k] if k >= 0 else None for k in self.central.tolist()]
