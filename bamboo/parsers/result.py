"""`ParserReport`: parsers compared on the same reference graphs, as tables, frames and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from amr_metrics.utils.citations import citations
from amr_metrics.version import VERSION
from bamboo.display.shown import Shown, ShownColumns
from bamboo.display.table import Display, Table
from bamboo.errors import ConfigError
from bamboo.files import plain
from bamboo.parsers.pair_scores import (
    SCHEMA,
    PairScores,
    optimality_note,
    signature_line,
    signature_notes,
)
from bamboo.parsers.parts import aspect_texts
from bamboo.parsers.systems import NAN, SystemDifference, SystemResults, SystemScore
from bamboo.parsers.tables import (
    cost_table,
    meaning_of_marks,
    metric_table,
    parser_table,
    parsers_by_metrics,
    part_table,
    subscore_table,
    worst_table,
)
from bamboo.scoring.sides import InputFile
from bamboo.statistics.resampling import SystemTests

if TYPE_CHECKING:
    import pandas as pd

    from bamboo.parsers.costs import Costs
    from bamboo.parsers.verdict import Verdict
    from bamboo.parsers.worst import WorstPair


@dataclass(frozen=True, eq=False, repr=False)
class ParserReport(Display):
    """Parsers scored on the same reference graphs, with intervals and significance tests.

    Attributes:
        metric: the metric with its options, as tables name it.
        tgt: the reference graphs, by their path or name.
        parsers: the scores of each parser.
        results: corpus scores, 95 % intervals if requested, and the differences of all pairs of
            parsers with p-values.
        aspects: the same for aspects of meaning, if requested.
        aspects_definition, aspects_options, aspects_note: how aspects are defined and compared; the
            definition is None for parts of the score of documents.
        buckets: the same for buckets of pairs, if requested.
        by: what the buckets are: ``size``, a key of metadata, or the name of a file.
        subscores: the same for the sub-scores of Chinese AMR, if requested.
        costs: what the mistakes of parsers cost, if requested; otherwise None.
        worst: the pairs with the lowest scores, if requested.
        resampling: how intervals and p-values are computed.
        reference: the papers that define the metric.
        inputs: the files of each parser and, under ``tgt``, of the reference graphs; empty for
            graphs in memory.
        date: the day (UTC).
    """

    metric: str
    tgt: str
    parsers: Mapping[str, PairScores]
    results: SystemResults
    aspects: SystemResults
    aspects_definition: str | None
    aspects_options: tuple[str, ...]
    aspects_note: str
    buckets: SystemResults
    by: str | None
    subscores: SystemResults
    costs: Costs | None
    worst: Sequence[WorstPair]
    resampling: SystemTests
    reference: str
    inputs: Mapping[str, Sequence[InputFile]]
    date: str

    def __getitem__(self, parser: str) -> PairScores:
        """Return the scores of one parser."""
        return self.parsers[parser]

    @property
    def verdict(self) -> Verdict:
        """Which parser is best, how sure that is, what costs most, and notes about the input."""
        from bamboo.parsers.verdict import verdict  # slow to import

        return verdict(self.parsers, self.results, self.costs)

    @property
    def signature(self) -> str:
        """All that changes the numbers that tables show, in one line."""
        parts = list(self.first.parts)
        if self.aspects_definition is not None:
            parts += [f"aspects={self.aspects_definition}", *self.aspects_options]
        if self.by is not None:
            parts.append(f"by={self.by}")
        results = (self.results, self.aspects, self.buckets, self.subscores)
        has_intervals = any(row.intervals for one in results for row in one.scores)
        has_tests = any(one.differences for one in results)
        if has_intervals or has_tests:
            parts.append(f"resamples={self.resampling.resamples}")
        if has_tests:
            parts.append(f"permutations={self.resampling.number}")
        if has_intervals or has_tests:
            parts += ["unit=pair", f"seed={self.resampling.seed}"]
        return signature_line(parts)

    @property
    def first(self) -> PairScores:
        """The scores of the first parser."""
        return next(iter(self.parsers.values()))

    def shown(self, columns: ShownColumns = "main", digits: int | None = None) -> Shown:
        """Return how tables show the scores."""
        return Shown(self.first.times_100, digits, columns)

    def tables(self, columns: ShownColumns = "main", digits: int | None = None) -> list[Table]:
        """Return the parsers, and what was requested: aspects, buckets, errors, worst pairs ...

        Args:
            columns: ``main``, or ``all`` for those with p-values and means over pairs as well.
            digits: the number of decimals; None for one of scores times 100, else four.
        """
        shown = self.shown(columns, digits)
        title = f"{self.metric} against {self.tgt}"
        table = self.first.nearest(shown) or parser_table(self.results, self.parsers, title, shown)
        notes = [*signature_notes(self.first, self.signature), *citation_notes(self.reference)]
        return [replace(table, notes=(*table.notes, *notes)), *self.part_tables(shown)]

    def bibtex(self) -> str:
        """Return the papers that define the metric in BibTeX; nothing if they are not known."""
        return "\n\n".join(citations(self.reference).values())

    def part_tables(self, shown: Shown, suffix: str = "") -> list[Table]:
        """Return the tables besides that of the whole corpus.

        Args:
            suffix: the end of their titles.
        """
        tables = []
        of_parts = shown._replace(times_100=True)  # F1
        if self.aspects.scores:
            texts = aspect_texts(self.aspects_definition)
            note = f"{self.aspects_note}; pairs in which the aspect does not occur are left out"
            title = f"Aspects{suffix}"
            tables.append(part_table(self.aspects, "aspect", title, (note,), of_parts, texts))
        if self.buckets.scores:
            title = f"By {self.by}{suffix}"
            tables.append(part_table(self.buckets, "bucket", title, (), shown))
        if self.subscores.scores:
            tables.append(subscore_table(self.subscores, of_parts))
        if self.costs is not None:
            tables.append(cost_table(self.costs, self.verdict, of_parts))
        numbered = self.first.values.pairs.tgt_count > 0
        return tables + ([worst_table(self.worst, numbered, shown)] if self.worst else [])

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values, in the schema of ``score report=json``."""
        documents = [self._parser_json(parser) for parser in self.parsers]
        of_report: dict[str, Any] = {
            "short_signature": self.signature,
            "version": VERSION,
            "date": self.date,
            "citations": [*citations(self.reference)],
            "inputs": {
                side: [file._asdict() for file in files] for side, files in self.inputs.items()
            },
        }
        if self.costs is not None:
            of_report["verdict"] = plain(asdict(self.verdict))
        if len(documents) == 1:
            return documents[0] | of_report
        return {
            "schema": SCHEMA,
            "signature": self.first.signature,
            **of_report,
            "tgt": self.tgt,
            "parsers": documents,
            "comparisons": comparisons_json(self.results),
        }

    def _parser_json(self, parser: str) -> dict[str, Any]:
        draws = {
            "resamples": self.resampling.resamples,
            "permutations": self.results.permutations if self.results.differences else None,
            "aspect_permutations": self.aspects.permutations if self.aspects.differences else None,
            "seed": self.resampling.seed,
        }
        return {
            **self.parsers[parser].to_json(),
            "parser": parser,
            "src": self.parsers[parser].src,
            **parser_json(self.results, parser),
            "sampling": {**draws, "level": 0.95},
            "aspects_definition": self.aspects_definition,
            "aspects": parts_json(
                self.aspects, "aspect", parser, aspect_texts(self.aspects_definition)
            ),
            "by": self.by,
            "buckets": parts_json(self.buckets, "bucket", parser),
            "subscores": subscores_json(self.subscores, parser),
            **({} if self.costs is None else {"errors": errors_json(self.costs, parser)}),
            "worst": [plain(asdict(pair)) for pair in self.worst if pair.parser == parser],
        }

    def to_frame(self) -> pd.DataFrame:
        """One row per parser and corpus score: parser, score (its name), value, low and high.

        The interval is NaN unless it was requested with ``ci=True``.
        """
        import pandas as pd  # slow to import, and needed only here

        rows = [
            (row.system, name, value, *row.intervals.get(name, (NAN, NAN)))
            for row in self.results.scores
            for name, value in row.scores.items()
        ]
        return pd.DataFrame(rows, columns=["parser", "score", "value", "low", "high"])

    def differences(self) -> pd.DataFrame:
        """Return one row per pair of parsers and corpus score: difference, interval and p-values.

        Columns: first, second, pairs, score (its name), difference (first minus second), low and
        high (95 % interval), p_bootstrap, p_permutation, p_adjusted, which is corrected for all
        pairs of parsers and exists for the score by which parsers are ranked, otherwise NaN.
        """
        import pandas as pd  # slow to import, and needed only here

        frame = pd.DataFrame(self.results.differences, columns=SystemDifference._fields)
        names = {"value": "difference", "p": "p_permutation"}
        return frame.drop(columns="part").rename(columns=names)

    def errors(self) -> pd.DataFrame:
        """Return one row per construction and parser, by what they cost on average.

        Columns: construction, parser, missing, wrong, extra (numbers of mistakes), gain (how much
        higher F1 would be without them), gain_missing, gain_wrong, gain_extra, rate (mistakes per
        100 gold triples), items (in the gold graphs), share (of these, missing or wrong),
        difference (of the rate from that of the best parser), low and high (95 % interval), p and
        p_adjusted (corrected for all constructions and parsers); NaN where a number does not
        exist. See `bamboo.parsers.costs.Cost`.

        Raises:
            ConfigError: if the parsers were scored without ``errors=True``.
        """
        import pandas as pd  # slow to import, and needed only here

        from bamboo.parsers.costs import Cost

        if self.costs is None:
            raise ConfigError("there are no errors: score with errors=True")
        return pd.DataFrame(self.costs.rows, columns=Cost._fields)

    def aspects_frame(self) -> pd.DataFrame:
        """Return one row per aspect and parser.

        Columns: aspect, parser, pairs (in which the aspect occurs), precision, recall, f1, low and
        high (95 % interval of f1, if requested), best (the parser with the highest f1; of several
        the row's own, otherwise the first by name), difference (from it), p and p_adjusted
        (corrected for all aspects and pairs of parsers); NaN where a number does not exist.
        """
        return _parts_frame(self.aspects, "aspect", ("precision", "recall", "f1"))

    def buckets_frame(self) -> pd.DataFrame:
        """Return one row per bucket and parser, with the columns of `aspects_frame`.

        Its first column is bucket; a metric without F1 has its main score.
        """
        main = self.results.main
        names = ("precision", "recall", "f1") if main == "f1" else (main,)
        return _parts_frame(self.buckets, "bucket", names)


def _parts_frame(results: SystemResults, what: str, names: Sequence[str]) -> pd.DataFrame:
    import pandas as pd  # slow to import, and needed only here

    rows = []
    for row in results.scores:
        best, one = results.versus_best(row)
        scores = [row.scores.get(name, NAN) for name in names]
        tested = (NAN, NAN, NAN) if one is None else (one.value, one.p, one.p_adjusted)
        interval = row.intervals.get(names[-1], (NAN, NAN))
        rows.append((row.part, row.system, row.pairs, *scores, *interval, best, *tested))
    columns = (what, "parser", "pairs", *names, "low", "high")
    return pd.DataFrame(rows, columns=[*columns, "best", "difference", "p", "p_adjusted"])


@dataclass(frozen=True, eq=False, repr=False)
class ReportsByMetric(Display, Mapping[str, "ParserReport | PairScores"]):
    """Parsers scored by several metrics.

    A mapping from the metrics to a `ParserReport`, or to the `PairScores` of a single parser that
    was not given in a list or mapping.

    Attributes:
        reports: a report for each metric.
        single: whether the values of the mapping are `PairScores`.
    """

    reports: Mapping[str, ParserReport]
    single: bool

    @property
    def reference(self) -> str:
        """The papers that define the metrics."""
        return " ".join(report.reference for report in self.reports.values())

    def __getitem__(self, metric: str) -> ParserReport | PairScores:
        return self.reports[metric].first if self.single else self.reports[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.reports)

    def __len__(self) -> int:
        return len(self.reports)

    def tables(self, columns: ShownColumns = "main", digits: int | None = None) -> list[Table]:
        """Return a row per parser and a column per metric; for one parser, a row per metric.

        Tables of aspects and buckets follow for each metric.

        Args: as `ParserReport.tables`.
        """
        reports = self.reports
        first = next(iter(reports.values()))
        scaled = all(report.first.times_100 for report in reports.values())
        shown = Shown(scaled, digits, columns)
        results = {metric: report.results for metric, report in reports.items()}
        notes = [*_notes(reports), *citation_notes(self.reference)]
        if len(first.parsers) > 1:
            of_marks = next((r for r in results.values() if r.differences), None)
            if of_marks is not None:
                notes.insert(0, f"{meaning_of_marks(of_marks.permutations)} for each metric)")
            table = parsers_by_metrics(results, f"Against {first.tgt}", notes, shown)
        else:
            title = f"{first.first.src} against {first.tgt}"
            table = metric_table(results, title, notes, shown)
        parts = [
            table
            for metric, report in reports.items()
            for table in report.part_tables(report.shown(columns, digits), f", {metric}")
        ]
        return [table, *parts]

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values, in the schema of ``score report=json``."""
        first = next(iter(self.reports.values()))
        documents = [{"metric": name, **report.to_json()} for name, report in self.reports.items()]
        src = [scores.src for scores in first.parsers.values()]
        return {
            "schema": SCHEMA,
            "src": src[0] if len(src) == 1 else src,
            "tgt": first.tgt,
            "metrics": documents,
        }

    def to_csv(self) -> str:
        """Return `to_frame` as CSV, with a column of signatures."""
        frame = self.to_frame()
        signatures = {metric: report.signature for metric, report in self.reports.items()}
        frame["signature"] = frame["metric"].map(signatures)
        return str(frame.to_csv(index=False))

    def bibtex(self) -> str:
        """Return the papers that define the metrics in BibTeX."""
        return "\n\n".join(citations(self.reference).values())

    def to_frame(self) -> pd.DataFrame:
        """Return one row per metric, parser and corpus score: see `ParserReport.to_frame`.

        The first column is metric.
        """
        return self._joined([report.to_frame() for report in self.reports.values()])

    def differences(self) -> pd.DataFrame:
        """Return one row per metric, pair of parsers and corpus score.

        See `ParserReport.differences`; the first column is metric.
        """
        return self._joined([report.differences() for report in self.reports.values()])

    def _joined(self, frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
        import pandas as pd  # slow to import, and needed only here

        for metric, frame in zip(self.reports, frames, strict=True):
            frame.insert(0, "metric", metric)
        return pd.concat(frames, ignore_index=True)


def citation_notes(reference: str) -> list[str]:
    """Say which papers to cite."""
    keys = ", ".join(citations(reference))
    return [f"cite: {keys} (cite=true prints BibTeX)"] if keys else []


def _notes(reports: Mapping[str, ParserReport]) -> list[str]:
    """Return what is to be said of several metrics, equal lines once, and their signatures."""
    names: dict[str, list[str]] = {}
    for metric, report in reports.items():
        for parser, scores in report.parsers.items():
            texts = scores.warnings()
            if not scores.corpus:
                reason = next(iter(scores.problems.values()))
                texts = [f"no pair could be scored; first problem: {reason}"]
            elif (proven := optimality_note(scores.values)) is not None:
                texts = [*([proven] if len(report.parsers) == 1 else []), *texts]
            whose = "" if len(report.parsers) == 1 else f"{parser}: "
            for text in texts:
                names.setdefault(f"{whose}{text}", []).append(metric)
    signatures: dict[str, list[str]] = {}
    for metric, report in reports.items():
        options = report.signature.removeprefix(metric)
        signatures.setdefault(options, []).append(metric)
    return [
        *(f"{', '.join(metrics)}: {text}" for text, metrics in names.items()),
        *(f"signature: {', '.join(metrics)}{rest}" for rest, metrics in signatures.items()),
    ]


def errors_json(costs: Costs, parser: str) -> list[dict[str, Any]]:
    """Return what the mistakes of a parser cost as JSON values, one entry per construction."""
    return [plain(row._asdict()) for row in costs.rows if row.parser == parser]


def comparisons_json(results: SystemResults) -> list[dict[str, Any]]:
    """Return the differences of parsers as JSON values, one entry per pair of parsers."""
    entries = []
    for main in (one for one in results.differences if one.score == results.main):
        tested = {
            one.score: {
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "p_bootstrap": one.p_bootstrap,
                "p_permutation": one.p,
                "detectable": one.detectable,
            }
            for one in results.differences
            if (one.first, one.second) == (main.first, main.second)
        }
        named = {"first": main.first, "second": main.second, "pairs": main.pairs}
        entries.append(plain({**named, "p_adjusted": main.p_adjusted, "differences": tested}))
    return entries


def parser_json(results: SystemResults, parser: str) -> dict[str, Any]:
    """Return a parser's means over pairs, and the intervals of its scores, as JSON values."""
    (row,) = (row for row in results.scores if row.system == parser)
    macro = {k.removeprefix("macro_"): v for k, v in row.scores.items() if k.startswith("macro_")}
    return {"macro": plain(macro), "intervals": plain(row.intervals)}


def parts_json(
    results: SystemResults, what: str, parser: str, texts: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return a parser's scores of aspects or buckets as JSON values.

    Args:
        what: ``aspect`` or ``bucket``.
        texts: see `aspect_texts`.
    """
    return [
        {
            what: row.part,
            **({} if texts is None else {"compared": texts.get(row.part)}),
            "pairs": row.pairs,
            "left_out": row.left_out,
            "corpus": plain(row.scores),
            "interval": plain(row.intervals.get(results.main)),
            **_versus_json(results, row),
        }
        for row in results.scores
        if row.system == parser
    ]


def subscores_json(results: SystemResults, parser: str) -> dict[str, Any]:
    """Return a parser's sub-scores as JSON values."""
    return {
        row.part: {**plain(row.scores), **_versus_json(results, row)}
        for row in results.scores
        if row.system == parser
    }


def _versus_json(results: SystemResults, row: SystemScore) -> dict[str, Any]:
    best, one = results.versus_best(row)
    if best is None:
        return {}
    if one is None:
        return {"best": best, "versus_best": None}
    values = {"pairs": one.pairs, results.main: one.value, "p": one.p, "p_adjusted": one.p_adjusted}
    return {"best": best, "versus_best": plain(values)}
