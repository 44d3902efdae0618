"""Scores of pairs of graphs, and parsers compared on the same reference graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from amr_metrics.types import Floats
from bamboo.evaluation.file_scores import (
    SCHEMA,
    nearest_table,
    score_notes,
    score_table,
    scores_json,
    scores_of_every_pair,
    short_signature,
    signature_notes,
)
from bamboo.evaluation.parsers import (
    WorstPair,
    comparisons_json,
    parser_json,
    parser_table,
    worst_table,
)
from bamboo.evaluation.parts import (
    aspect_table,
    aspect_texts,
    aspects_json,
    subscore_table,
    subscores_json,
)
from bamboo.evaluation.systems import NAN, ShownColumns, SystemDifference, SystemResults, main_score
from bamboo.files import plain
from bamboo.pairs.problems import Problem
from bamboo.results.table import Display, Table
from bamboo.scoring.files import FileScores
from bamboo.statistics.resampling import SystemTests

if TYPE_CHECKING:
    import pandas as pd

LISTED = 20  # pairs that are shown


@dataclass(frozen=True, eq=False, repr=False)
class PairScores(Display):
    """The scores of pairs of graphs.

    Attributes:
        metric: the metric with its options, as tables name it.
        src, tgt: the sides, by their paths or names.
        values: the scores, of all pairs.

    >>> import bamboo
    >>> scores = bamboo.score("(c / cat)", ["(c / cat)"])
    >>> scores.score, scores.scores.tolist(), scores.corpus["precision"]
    (1.0, [1.0], 1.0)
    """

    metric: str
    src: str
    tgt: str
    values: FileScores

    @property
    def title(self) -> str:
        """The metric and the two sides."""
        return f"{self.metric}: {self.src} against {self.tgt}"

    @property
    def scores(self) -> Floats:
        """float64, one score per pair, as the metric defines it; NaN for a missing pair."""
        return self.values.scores.values

    @property
    def corpus(self) -> Mapping[str, float]:
        """The corpus scores by name, over the pairs that have a score."""
        return self.values.corpus

    @property
    def score(self) -> float:
        """The corpus score: ``f1`` (micro F1) if the metric has one, otherwise the mean."""
        return float(self.corpus[main_score(self.corpus)])

    @property
    def ids(self) -> list[str | None]:
        """The ``::id`` of each pair; None without one."""
        return self.values.ids

    @property
    def problems(self) -> Mapping[int, Problem]:
        """Which pairs could not be read or scored, and why, by position."""
        return self.values.problems

    @property
    def signature(self) -> str:
        """What the scores depend on."""
        return self.values.signature

    @property
    def short_signature(self) -> str:
        """The metric, its options that differ from the defaults, and the version, in one line."""
        return short_signature(self.metric, self.values.on_error)

    def __len__(self) -> int:
        return len(self.scores)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair: pair (its position), id, score, and the columns of the metric.

        With the option ``pairs`` there are, in place of id, src and tgt (the positions of the
        graphs, from 1), src_id and tgt_id.
        """
        import pandas as pd  # slow to import, and needed only here

        columns = {"pair": range(len(self)), **self.values.names(), "score": self.scores}
        return pd.DataFrame({**columns, **self.values.scores.details})

    def to_json(self) -> dict[str, Any]:
        """Return the scores as JSON values, in the schema of ``score report=json``."""
        return {**scores_json(self.values), "short_signature": self.short_signature}

    def nearest(self) -> Table | None:
        """Return the nearest tgt graphs of each src graph; None unless all pairs are scored."""
        scores = scores_of_every_pair(self.values)
        if scores is None:
            return None
        return nearest_table(self.values, scores, self.title, same=self.src == self.tgt)

    def tables(self) -> list[Table]:
        """Return the corpus scores and, of up to `LISTED` pairs, the score of each.

        If every graph is compared with every other, return the nearest graphs of each.
        """
        signature = signature_notes(self.metric, self.values.on_error)
        if (nearest := self.nearest()) is not None:
            return [replace(nearest, notes=(*nearest.notes, *signature))]
        if len(self) <= LISTED:
            table = score_table(self.values, self.title)
            return [replace(table, notes=(*table.notes, *signature))]
        rows = tuple((name, plain(value)) for name, value in self.corpus.items())
        notes = [note for note in score_notes(self.values) if not note.startswith("corpus ")]
        notes += signature
        notes.append(f"{len(self):,} pairs: to_frame() has the score of each")
        return [Table(self.title, ("corpus", "score"), rows, 4, tuple(notes))]


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
    worst: Sequence[WorstPair]
    resampling: SystemTests

    def __getitem__(self, parser: str) -> PairScores:
        """Return the scores of one parser."""
        return self.parsers[parser]

    def tables(self, columns: ShownColumns = "main") -> list[Table]:
        """Return the parsers, and what was requested: aspects, sub-scores and the worst pairs.

        Args:
            columns: ``main``, or ``all`` for those with p-values and means over pairs as well.
        """
        files = {name: scores.values for name, scores in self.parsers.items()}
        title = f"{self.metric} against {self.tgt}"
        nearest = [scores.nearest() for scores in self.parsers.values()]
        table = nearest[0] or parser_table(self.results, files, title, columns)
        on_error = next(iter(files.values())).on_error
        notes = (*table.notes, *signature_notes(self.metric, on_error))
        tables = [replace(table, notes=notes)]
        if self.aspects.scores:
            texts = aspect_texts(self.aspects_definition)
            tables.append(aspect_table(self.aspects, self.aspects_note, texts, columns))
        if self.subscores.scores:
            tables.append(subscore_table(self.subscores, columns))
        numbered = any(scores.index is not None for scores in files.values())
        return tables + ([worst_table(self.worst, numbered)] if self.worst else [])

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values, in the schema of ``score report=json``."""
        documents = [self._parser_json(parser) for parser in self.parsers]
        if len(documents) == 1:
            return documents[0]
        first = next(iter(self.parsers.values()))
        return {
            "schema": SCHEMA,
            "signature": first.signature,
            "short_signature": first.short_signature,
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
            "aspects": aspects_json(self.aspects, aspect_texts(self.aspects_definition), parser),
            "subscores": subscores_json(self.subscores, parser),
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
