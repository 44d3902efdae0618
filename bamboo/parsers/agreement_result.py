"""`Agreement`: what `agree` returns; its methods are the writers of its data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bamboo.display.shown import ShownColumns
from bamboo.display.table import Display, Table
from bamboo.parsers.agreement_data import AgreementData
from bamboo.parsers.agreement_writers import (
    build_document,
    frame_sentences,
    list_tables,
    tabulate_annotators,
)
from bamboo.parsers.analyses.buckets import name_buckets

if TYPE_CHECKING:
    import pandas as pd


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
        return list_tables(self, columns, digits)

    def tabulate_annotators(self) -> Table:
        """Return one row per annotator: its sentences, mean scores and how often it is central."""
        return tabulate_annotators(self)

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values, in the schema of ``agree report=json``."""
        return build_document(self)

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
        return frame_sentences(self)
