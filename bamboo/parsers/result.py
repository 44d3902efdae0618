"""`Report`: what `score` returns; its methods are the writers of its data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from amr_metrics.utils.citations import citations
from bamboo.board import MISTAKE, NAN, Board, Difference
from bamboo.display.shown import Shown, ShownColumns
from bamboo.display.table import Display, Table
from bamboo.errors import ConfigError
from bamboo.parsers.layout import have_checks
from bamboo.parsers.report_data import ReportData
from bamboo.parsers.tables import LISTED, list_tables, tabulate_nearest_graphs
from bamboo.scoring.scored import collect_mistakes

if TYPE_CHECKING:
    import pandas as pd

    from bamboo.parsers.analyses.validity import ReportValidity
    from bamboo.parsers.analyses.worst import WorstPair
    from bamboo.parsers.verdict import Verdict


class Report(ReportData, Display):
    """Parsers scored by metrics on the same gold graphs, with intervals and tests.

    ``report[metric]`` and ``report[parser]`` are the report of one metric, or of one parser. A
    report of a single parser and metric has the scores of its pairs: ``scores``, ``ids``... Its
    attributes are those of `ReportData`.

    >>> import bamboo
    >>> report = bamboo.score("(c / cat)", ["(c / cat)"])
    >>> report.score, report.scores.tolist(), report.corpus["precision"]
    (1.0, [1.0], 1.0)
    """

    __repr__ = Display.__repr__

    @property
    def verdict(self) -> Verdict:
        """Which parser is best, how sure that is, what costs most, and notes about the input."""
        from bamboo.parsers.verdict import verdict  # slow to import

        return verdict(self)

    @property
    def has_mistakes(self) -> bool:
        """Whether the mistakes of the parsers were requested."""
        return bool(collect_mistakes(self.by_parser))

    @property
    def by(self) -> str | None:
        """What the buckets are: ``size``, a key, or the name of a file; None without."""
        from bamboo.parsers.analyses.buckets import name_buckets

        return name_buckets(self.analyses)

    @property
    def worst(self) -> tuple[WorstPair, ...]:
        """The pairs with the lowest scores, if requested."""
        from bamboo.parsers.analyses.worst import list_worst

        return list_worst(self)

    @property
    def validity(self) -> ReportValidity | None:
        """The flags of graphs, if requested."""
        from bamboo.parsers.analyses.validity import find_validity

        return find_validity(self)

    def bibtex(self) -> str:
        """Return the papers that define the metrics in BibTeX; nothing if they are not known."""
        return "\n\n".join(citations(self.reference).values())

    def tables(
        self,
        columns: ShownColumns = "main",
        digits: int | None = None,
        listed: int | None = LISTED,
    ) -> list[Table]:
        """Return the scores, and what was requested: aspects, buckets, mistakes, worst pairs.

        Several metrics have one row each; with several parsers, these have the rows.

        Args:
            columns: ``main``, or ``all`` for those with p-values and means over pairs as well.
            digits: the number of decimals; None for one of scores times 100, else four.
            listed: a table of the pairs comes first if there are at most so many, of one parser
                and metric; None for no notes on them either.
        """
        return list_tables(self, columns, digits, listed)

    def nearest(self) -> Table | None:
        """Return the nearest tgt graphs of each src graph; None unless all pairs are scored."""
        return tabulate_nearest_graphs(self, Shown(self.facts.times_100))

    def to_csv(self) -> str:
        """Return the scores as ``score report=csv`` prints them, with a column of signatures."""
        from bamboo.parsers.exports import write_csv

        return write_csv(self)

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values, in the schema of ``score report=json``."""
        from bamboo.parsers.exports import build_document

        return build_document(self)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per score.

        Columns: metric, kind (corpus, aspect, bucket, macro, subscore, mistake or flag; for parts
        of the score of documents such as bucket of coreference), part, parser, pairs, left_out
        (pairs in which the part does not occur), score (its name), value, low and high (95 %
        interval, NaN unless requested).
        """
        return self.board.to_frame("parser")

    def differences(self) -> pd.DataFrame:
        """Return one row per score and pair of parsers.

        Columns: metric, kind, part, first, second, pairs, score, difference (first minus second),
        low and high (95 % interval), p_bootstrap, p_permutation, p_adjusted (corrected for all
        tests of the kind, for the score by which parsers are ranked, otherwise NaN), and detectable
        (the true difference that is found with 80 % power).
        """
        import pandas as pd  # slow to import

        frame = pd.DataFrame(self.board.differences, columns=Difference._fields)
        frame = frame if have_checks(self.board) else frame.drop(columns="check")
        return frame.rename(columns={"value": "difference", "p": "p_permutation", "check": "p_z"})

    def pair_scores(self) -> pd.DataFrame:
        """Return one row per metric, parser and pair.

        Columns: metric, parser, pair (its position), id, score, and the columns of the metrics.
        With the option ``pairs`` there are, in place of id, src and tgt (the positions of the
        graphs, from 1), src_id and tgt_id.
        """
        import pandas as pd

        frames = [
            pd.DataFrame({"metric": metric, "parser": parser, **columns})
            for metric, by_parser in self.pairs.items()
            for parser, scored in by_parser.items()
            for columns in [{**scored.pairs.to_columns(), **scored.scores.columns()}]
        ]
        return pd.concat(frames, ignore_index=True)

    def errors(self) -> pd.DataFrame:
        """Return one row per construction and parser, by what they cost on average.

        Columns: construction, parser, missing, wrong, extra (numbers of mistakes), gain (how much
        higher F1 would be without them), gain_missing, gain_wrong, gain_extra, rate (mistakes per
        100 gold triples), items (in the gold graphs), share (of these, missing or wrong),
        difference (of the rate from that of the best parser), low and high (95 % interval), p and
        p_adjusted (corrected for all constructions and parsers); NaN where a number does not
        exist. See `bamboo.parsers.analyses.errors.Cost`.

        Raises:
            ConfigError: if the parsers were scored without ``errors=True``.
        """
        if not self.has_mistakes:
            raise ConfigError("there are no errors: score with errors=True")
        import pandas as pd

        from bamboo.parsers.analyses.errors import Cost, group_costs

        costs = group_costs(self.board.select(kind=MISTAKE)).values()
        rows = [row for by_parser in costs for row in by_parser.values()]
        return pd.DataFrame(rows, columns=Cost._fields)

    def aspects_frame(self) -> pd.DataFrame:
        """Return one row per aspect and parser.

        Columns: aspect, parser, pairs (in which the aspect occurs), precision, recall, f1, low and
        high (95 % interval of f1, if requested), best (the parser with the highest f1; of several
        the row's own, otherwise the first by name), difference (from it), p and p_adjusted
        (corrected for all aspects and pairs of parsers); NaN where a number does not exist.
        """
        return _frame_parts(self.board.select(kind="aspect"), "aspect")

    def buckets_frame(self, aspect: str = "") -> pd.DataFrame:
        """Return one row per bucket and parser, with the columns of `aspects_frame`.

        Its first column is bucket; a metric without F1 has its main score. The bucket ``(macro)``
        has the mean of the F1 of all with a name, if there are several; of sizes there is none.

        Args:
            aspect: the part of the score of documents whose scores to return; "" for the score.
        """
        from bamboo.parsers.analyses.macro import select_buckets

        return _frame_parts(select_buckets(self.board, aspect), "bucket")


def _frame_parts(board: Board, heading: str) -> pd.DataFrame:
    """Return one row per part and parser.

    Args:
        heading: of the column of parts.
    """
    import pandas as pd

    names = ("precision", "recall", "f1") if board.main == "f1" else (board.main,)
    rows = []
    for key, scores in board.rows.items():
        best, difference = board.compare_with_best(*key)
        main = scores[board.main]
        values = [scores[name].value if name in scores else NAN for name in names]
        tested = [getattr(difference, name, NAN) for name in ("value", "p", "p_adjusted")]
        rows.append((*key[2:], main.pairs, *values, main.low, main.high, best, *tested))
    columns = (heading, "parser", "pairs", *names, "low", "high", "best", "difference")
    return pd.DataFrame(rows, columns=[*columns, "p", "p_adjusted"])
