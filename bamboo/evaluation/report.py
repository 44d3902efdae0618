"""`ParserReport`: parsers compared on the same reference graphs, as tables, frames and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from bamboo.errors import ConfigError
from bamboo.evaluation.costs import Cost, Costs
from bamboo.evaluation.pair_scores import SCHEMA, PairScores, signature_notes
from bamboo.evaluation.parts import aspect_texts
from bamboo.evaluation.systems import NAN, SystemDifference, SystemResults, SystemScore
from bamboo.evaluation.tables import (
    ShownColumns,
    aspect_table,
    cost_table,
    parser_table,
    subscore_table,
    worst_table,
)
from bamboo.evaluation.verdict import Verdict
from bamboo.evaluation.verdict import verdict as find_verdict
from bamboo.files import plain
from bamboo.results.table import Display, Table
from bamboo.statistics.resampling import SystemTests

if TYPE_CHECKING:
    import pandas as pd

    from bamboo.evaluation.worst import WorstPair


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
        aspects_definition, aspects_note: how aspects are defined and compared.
        subscores: the same for the sub-scores of Chinese AMR, if requested.
        costs: what the mistakes of parsers cost, if requested; otherwise None.
        worst: the pairs with the lowest scores, if requested.
        resampling: how intervals and p-values are computed.
    """

    metric: str
    tgt: str
    parsers: Mapping[str, PairScores]
    results: SystemResults
    aspects: SystemResults
    aspects_definition: str | None
    aspects_note: str
    subscores: SystemResults
    costs: Costs | None
    worst: Sequence[WorstPair]
    resampling: SystemTests

    def __getitem__(self, parser: str) -> PairScores:
        """Return the scores of one parser."""
        return self.parsers[parser]

    @property
    def verdict(self) -> Verdict:
        """Which parser is best, how sure that is, what costs most, and notes about the input."""
        return find_verdict(self.parsers, self.results, self.costs)

    def tables(self, columns: ShownColumns = "main") -> list[Table]:
        """Return the parsers, and what was requested: aspects, sub-scores, errors, worst pairs.

        Args:
            columns: ``main``, or ``all`` for those with p-values and means over pairs as well.
        """
        first = next(iter(self.parsers.values()))
        title = f"{self.metric} against {self.tgt}"
        table = first.nearest() or parser_table(self.results, self.parsers, title, columns)
        notes = (*table.notes, *signature_notes(first))
        tables = [replace(table, notes=notes)]
        if self.aspects.scores:
            texts = aspect_texts(self.aspects_definition)
            tables.append(aspect_table(self.aspects, self.aspects_note, texts, columns))
        if self.subscores.scores:
            tables.append(subscore_table(self.subscores, columns))
        if self.costs is not None:
            tables.append(cost_table(self.costs, self.verdict, columns))
        numbered = "src" in first.values.pairs
        return tables + ([worst_table(self.worst, numbered)] if self.worst else [])

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values, in the schema of ``score report=json``."""
        documents = [self._parser_json(parser) for parser in self.parsers]
        verdict = {} if self.costs is None else {"verdict": plain(asdict(self.verdict))}
        if len(documents) == 1:
            return {**documents[0], **verdict}
        first = next(iter(self.parsers.values()))
        return {
            "schema": SCHEMA,
            "signature": first.signature,
            "short_signature": first.short_signature,
            "tgt": self.tgt,
            "parsers": documents,
            "comparisons": comparisons_json(self.results),
            **verdict,
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
            "aspects": aspects_json(self.aspects, aspect_texts(self.aspects_definition), parser),
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
        exist. See `bamboo.evaluation.costs.Cost`.

        Raises:
            ConfigError: if the parsers were scored without ``errors=True``.
        """
        import pandas as pd  # slow to import, and needed only here

        if self.costs is None:
            raise ConfigError("there are no errors: score with errors=True")
        return pd.DataFrame(self.costs.rows, columns=Cost._fields)

    def aspects_frame(self) -> pd.DataFrame:
        """Return one row per aspect and parser.

        Columns: aspect, parser, pairs (in which the aspect occurs), precision, recall, f1, low and
        high (95 % interval of f1, if requested), best (the parser with the highest f1), difference
        (from it), p and p_adjusted (corrected for all aspects and pairs of parsers); NaN where a
        number does not exist.
        """
        import pandas as pd  # slow to import, and needed only here

        rows = []
        for row in self.aspects.scores:
            best, one = self.aspects.versus_best(row)
            scores = [row.scores.get(name, NAN) for name in ("precision", "recall", "f1")]
            tested = (NAN, NAN, NAN) if one is None else (one.value, one.p, one.p_adjusted)
            interval = row.intervals.get("f1", (NAN, NAN))
            rows.append((row.part, row.system, row.pairs, *scores, *interval, best, *tested))
        columns = ("aspect", "parser", "pairs", "precision", "recall", "f1", "low", "high")
        return pd.DataFrame(rows, columns=[*columns, "best", "difference", "p", "p_adjusted"])


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


def aspects_json(
    results: SystemResults, texts: Mapping[str, str], parser: str
) -> list[dict[str, Any]]:
    """Return a parser's scores of aspects as JSON values.

    Args:
        texts: see `aspect_texts`.
    """
    return [
        {
            "aspect": row.part,
            "compared": texts.get(row.part),
            "pairs": row.pairs,
            "left_out": row.left_out,
            "corpus": plain(row.scores),
            "interval": plain(row.intervals.get("f1")),
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
    values = {"pairs": one.pairs, "f1": one.value, "p": one.p, "p_adjusted": one.p_adjusted}
    return {"best": best, "versus_best": plain(values)}
