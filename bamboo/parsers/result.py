"""`Report`: what `score` returns, for any number of parsers and metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from amr_metrics.types import Floats
from amr_metrics.utils.citations import citations
from bamboo.board import CORPUS, FLAG, GOLD, MISTAKE, NAN, RUN, Board, Difference
from bamboo.display.shown import Shown, ShownColumns
from bamboo.display.table import Display, Table
from bamboo.errors import ConfigError
from bamboo.parsers.left_out import describe_left_out
from bamboo.parsers.macro import describe_mean, list_bucketed, select_buckets
from bamboo.parsers.pair_tables import (
    arrange_every_pair,
    describe_pairs,
    describe_proofs,
    tabulate_nearest,
    tabulate_pairs,
)
from bamboo.parsers.paper import add_paper_form, describe_signatures
from bamboo.parsers.parts import AspectPlan, aspect_texts
from bamboo.parsers.removals import RemovalEffect
from bamboo.parsers.repairs import RepairEffect
from bamboo.parsers.signatures import describe_comparable, format_signature, list_citations
from bamboo.parsers.tables import (
    describe_marks,
    describe_needed,
    describe_runs,
    have_checks,
    have_intervals,
    tabulate_costs,
    tabulate_exact,
    tabulate_metrics,
    tabulate_parsers,
    tabulate_parts,
    tabulate_subscores,
    tabulate_worst,
)
from bamboo.scoring.exact import EXACT, describe_undecided
from bamboo.scoring.extracted import Extract, Extracted
from bamboo.scoring.inputs import InputFile
from bamboo.scoring.problems import OnError, Problem, summary
from bamboo.scoring.scored import Scored
from bamboo.statistics.resampling import SystemTests

if TYPE_CHECKING:
    import pandas as pd

    from bamboo.parsers.validity import ReportValidity
    from bamboo.parsers.verdict import Verdict
    from bamboo.parsers.worst import WorstPair

LISTED = 20  # pairs that are shown
ABOUT_RUNS = "Scores are means over runs; tests are about these runs only"


@dataclass(frozen=True)
class MetricFacts:
    """How the scores of a metric were computed.

    Attributes:
        signature: what the scores depend on, with all options of the metric.
        settings: the same, without options that have their defaults.
        heading: the name of the metric in tables for papers.
        times_100: whether the scores are in 0..1, so that tables show them times 100.
        reference: the papers that define the metric.
        aspects: how aspects were scored; None without.
    """

    signature: str
    settings: tuple[str, ...]
    heading: str = ""
    times_100: bool = True
    reference: str = ""
    aspects: AspectPlan | None = None

    def list_settings(self, by: str | None) -> list[str]:
        """Return what the numbers of tables depend on, without tests and intervals.

        Args:
            by: what the buckets are; None without.
        """
        settings = [*self.settings]
        if self.aspects is not None and self.aspects.definition is not None:
            settings += [f"aspects={self.aspects.definition}", *self.aspects.options]
        return settings if by is None else [*settings, f"by={by}"]


@dataclass(frozen=True, eq=False, repr=False)
class Report(Display):
    """Parsers scored by metrics on the same gold graphs, with intervals and tests.

    ``report[metric]`` and ``report[parser]`` are the report of one metric, or of one parser. A
    report of a single parser and metric has the scores of its pairs: ``scores``, ``ids``...

    Attributes:
        board: the corpus scores; those of parts and mistakes, if requested; 95 % intervals if
            requested; the differences of all pairs of parsers with p-values.
        pairs: the scores of all pairs, by metric and parser (of several runs: by run).
        metrics: how they were computed, by metric.
        parsers: the output of each parser, or of each run of one, by its name: its path, or the
            name.
        tgt: the gold graphs, by their path or name.
        on_error: how pairs that could not be read or scored were treated.
        extract: which graph was taken out of each text of the parsers, if any.
        repair: the rules by which their graphs were repaired.
        tests: how intervals and p-values are computed.
        by: what the buckets are: ``size``, a key of metadata, or the name of a file; None without.
        worst: the pairs with the lowest scores, if requested.
        validity: the flags of graphs, if requested.
        effects: what alignment marks and repeated triples change.
        extracted: what stood around the graphs of each parser, if they were extracted from text.
        repaired: what repairs of the graphs of each parser changed, if rules for them were given.
        paired_by: for each parser whose rows were paired by ids, the field with these.
        failed: which of ``at_least`` and ``no_worse_than`` the parsers fail, in a sentence each.
        inputs: the files of each parser and, under ``tgt``, of the gold graphs; empty for
            graphs in memory.
        date: the day (UTC).

    >>> import bamboo
    >>> report = bamboo.score("(c / cat)", ["(c / cat)"])
    >>> report.score, report.scores.tolist(), report.corpus["precision"]
    (1.0, [1.0], 1.0)
    """

    board: Board
    pairs: Mapping[str, Mapping[str, Scored]]
    metrics: Mapping[str, MetricFacts]
    parsers: Mapping[str, str]
    tgt: str
    on_error: OnError
    tests: SystemTests
    extract: Extract | None = None
    repair: tuple[str, ...] = ()
    by: str | None = None
    worst: tuple[WorstPair, ...] = ()
    validity: ReportValidity | None = None
    effects: tuple[RemovalEffect, ...] = ()
    extracted: Mapping[str, Extracted] = field(default_factory=dict)
    repaired: Mapping[str, RepairEffect] = field(default_factory=dict)
    paired_by: Mapping[str, str] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    inputs: Mapping[str, Sequence[InputFile]] = field(default_factory=dict)
    date: str = ""

    def __getitem__(self, name: str) -> Report:
        """Return the report of one metric, if there are several, or of one parser."""
        if name in self.metrics and (len(self.metrics) > 1 or name not in self.systems):
            return replace(
                self,
                board=Board.join([self.board.select(metric=name), self.board.select(kind=FLAG)]),
                pairs={name: self.pairs[name]},
                metrics={name: self.metrics[name]},
                effects=tuple(effect for effect in self.effects if effect.metric == name),
            )
        if name in self.systems:
            runs = self.systems[name]
            validity = None if self.validity is None else self.validity.select(name)
            rows = (
                row
                for row in self.board.scores
                if row.system == name or (row.kind, row.system) == (FLAG, GOLD)
            )
            return replace(
                self,
                board=Board(tuple(rows)),
                validity=validity,
                pairs={m: {run: by_run[run] for run in runs} for m, by_run in self.pairs.items()},
                parsers={run: self.parsers[run] for run in runs},
                tests=replace(self.tests, runs={name: runs} if self.tests.runs else {}),
                worst=tuple(pair for pair in self.worst if pair.parser == name),
                effects=tuple(effect for effect in self.effects if effect.parser in runs),
                inputs={side: self.inputs[side] for side in (*runs, "tgt") if side in self.inputs},
            )
        raise KeyError(f"{name}: use one of {', '.join([*self.metrics, *self.systems])}")

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the metrics, if there are several, or of the parsers."""
        return iter(self.metrics if len(self.metrics) > 1 else self.systems)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(next(iter(self.of_metric.values())))

    @property
    def gold_name(self) -> str:
        """The name of the gold graphs, without their folder; "." for the working folder."""
        return PurePath(self.tgt).name or self.tgt

    @property
    def metric(self) -> str:
        """The name of the only metric, or of the first one."""
        return next(iter(self.metrics))

    @property
    def facts(self) -> MetricFacts:
        """How the scores of the only metric, or of the first one, were computed."""
        return self.metrics[self.metric]

    @property
    def systems(self) -> Mapping[str, Sequence[str]]:
        """The names of the runs of each parser; without several runs, each parser is its run."""
        return self.tests.runs or {name: (name,) for name in self.parsers}

    @property
    def of_metric(self) -> Mapping[str, Scored]:
        """The scores of all pairs by parser, of the only metric or of the first one."""
        return self.pairs[self.metric]

    @property
    def values(self) -> Scored:
        """The scores of the pairs of the only parser by the only metric, and what describes them.

        Raises:
            ConfigError: there are several.
        """
        self._check_single()
        if len(self.parsers) > 1:
            raise ConfigError(
                f"there are {len(self.parsers)} runs: pair_scores() has the scores of their pairs"
            )
        (scored,) = self.of_metric.values()
        return scored

    def _check_single(self) -> None:
        for what, names in (("metric", self.metrics), ("parser", self.systems)):
            if len(names) > 1:
                first = next(iter(names))
                raise ConfigError(f"there are {len(names)} {what}s: choose one: report[{first!r}]")

    @property
    def scores(self) -> Floats:
        """float64, one score per pair, as the metric defines it; NaN for a missing pair."""
        return self.values.scores.values

    @property
    def corpus(self) -> Mapping[str, float]:
        """The corpus scores by name; empty if no pair could be scored."""
        self._check_single()
        is_scored = any(run.present.any() for run in self.of_metric.values())
        rows = self.board.select(kind=CORPUS).scores if is_scored else ()
        return {row.score: row.value for row in rows if not row.score.startswith("macro_")}

    @property
    def score(self) -> float:
        """The corpus score: ``f1`` (micro F1) if the metric has one, otherwise the mean.

        NaN if no pair could be scored.
        """
        return self.corpus.get(self.board.main, float("nan"))

    @property
    def ids(self) -> list[str | None]:
        """The ``::id`` of each pair, None without one; with the option ``pairs`` both ids.

        Without an id, it is the name of the file if the files of two folders are paired by name.
        """
        return [*self.values.pairs.ids]

    @property
    def problems(self) -> Mapping[int, Problem]:
        """Which pairs could not be read or scored, and why, by position."""
        return self.values.problems

    @property
    def verdict(self) -> Verdict:
        """Which parser is best, how sure that is, what costs most, and notes about the input."""
        from bamboo.parsers.verdict import verdict  # slow to import

        return verdict(self)

    @property
    def signature(self) -> str:
        """All that changes the numbers that tables show; a line for each metric."""
        return "\n".join(format_signature(self.settings(metric)) for metric in self.metrics)

    def settings(self, metric: str) -> list[str]:
        """Return what the numbers of a metric in tables depend on."""
        settings = self.metrics[metric].list_settings(self.by)
        if self.tests.runs:
            settings.append("repeats=true")
        rows = self.board.select(metric=metric)
        is_tested = any(row.kind != MISTAKE for row in rows.differences)
        if have_intervals(rows) or is_tested:
            settings.append(f"resamples={self.tests.resamples}")
            settings += [f"permutations={self.tests.number}"] if is_tested else []
            settings += ["unit=pair", f"seed={self.tests.seed}"]
        return settings

    def warnings(self, metric: str, parser: str) -> list[str]:
        """Return warnings about pairs of a parser that a metric could not read or score."""
        scored = self.pairs[metric][parser]
        return summary(scored.problems, len(scored), self.on_error) if scored.problems else []

    @property
    def reference(self) -> str:
        """The papers that define the metrics."""
        return " ".join(facts.reference for facts in self.metrics.values())

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
        times_100 = all(facts.times_100 for facts in self.metrics.values())
        style = Shown(times_100, digits, columns)
        if len(self.metrics) > 1:
            parts = [
                table
                for name, facts in self.metrics.items()
                for table in self[name].part_tables(
                    style._replace(times_100=facts.times_100), f", {name}"
                )
            ]
            table, *others = self._tabulate_metrics(style)
            table = add_paper_form(table, self, times_100)
            return [table, *others, *self._tabulate_flags(style), *parts]
        facts = self.facts
        notes = [
            *self._describe_texts(),
            f"signature: {self.signature}",
            *describe_comparable(facts.settings),
            *list_citations(facts.reference),
        ]
        tables = [self._tabulate_parsers(style)]
        if len(self.parsers) == 1 and listed is not None:
            if len(self) <= listed:
                title = f"{self.metric}: {next(iter(self.parsers.values()))} against {self.tgt}"
                tables.insert(0, tabulate_pairs(title, self.values, self.corpus, style))
            else:
                notes = [*describe_pairs(self.values), *notes]
        *before, table = tables
        table = replace(table, notes=(*table.notes, *notes))
        if not next(iter(self.of_metric.values())).pairs.tgt_count:
            table = add_paper_form(table, self, times_100)
        return [*before, table, *self._tabulate_flags(style), *self.part_tables(style)]

    def nearest(self) -> Table | None:
        """Return the nearest tgt graphs of each src graph; None unless all pairs are scored."""
        return self._tabulate_nearest(Shown(self.facts.times_100))

    def _tabulate_nearest(self, style: Shown) -> Table | None:
        scored = next(iter(self.of_metric.values()))
        scores, src = arrange_every_pair(scored), next(iter(self.parsers.values()))
        title = f"{self.metric}: {src} against {self.tgt}"
        if scores is None:
            return None
        return tabulate_nearest(title, scored, scores, src == self.tgt, style)

    def _tabulate_parsers(self, style: Shown) -> Table:
        if (nearest := self._tabulate_nearest(style)) is not None:
            return nearest
        remarks = [*describe_left_out(self)]
        for name, scored in self.of_metric.items():
            remarks += [f"{name}: {text}" for text in describe_undecided(scored)]
        board = self.board.select(kind=CORPUS)
        title = f"{self.metric} against {self.tgt}"
        table = tabulate_parsers(board, title, remarks, self.tests, style)
        return self._add_flags(table)

    def _add_flags(self, table: Table) -> Table:
        """Add the numbers of unreadable and of flagged graphs."""
        if self.validity is None:
            return table
        from bamboo.parsers.validity import add_flag_columns

        return add_flag_columns(table, self.validity)

    def _tabulate_flags(self, style: Shown) -> list[Table]:
        """Return the kinds of flags, if they were requested."""
        if self.validity is None:
            return []
        from bamboo.parsers.validity import tabulate_flags

        return [tabulate_flags(self.board.select(kind=FLAG), self.validity, style)]

    def _tabulate_metrics(self, style: Shown) -> list[Table]:
        board = self.board.select(kind=CORPUS)
        notes = [*self._describe_metrics(), *list_citations(self.reference)]
        (*others, src) = self.parsers.values()
        title = f"Against {self.tgt}" if others else f"{src} against {self.tgt}"
        if board.differences:
            marks = describe_marks(self.tests.number, board=board)
            needed = [
                f"{metric}: {text}"
                for metric in self.metrics
                for text in describe_needed(board.select(metric=metric), self.tests.detect)
            ]
            notes[:0] = [f"{marks} for each metric)", *describe_runs(board), *needed]
        tables = [self._add_flags(tabulate_metrics(board, title, notes, style))]
        if board.select(score=EXACT).scores and EXACT not in tables[0].columns:
            tables.append(tabulate_exact(board, style._replace(times_100=True)))
        return tables

    def _describe_metrics(self) -> list[str]:
        """Return what is to be said of several metrics, equal lines once, and their signatures."""
        names = describe_left_out(self)
        is_single = len(self.parsers) == 1
        for metric, by_parser in self.pairs.items():
            for parser, scored in by_parser.items():
                texts = describe_undecided(scored)
                if is_single and (proofs := describe_proofs(scored)) is not None:
                    texts = [proofs, *texts]
                for text in texts:
                    names.setdefault(text if is_single else f"{parser}: {text}", []).append(metric)
        return [
            *(f"{', '.join(metrics)}: {text}" for text, metrics in names.items()),
            *self._describe_texts(),
            *describe_signatures(self),
        ]

    def _describe_texts(self) -> list[str]:
        return [
            f"extract={self.extract}: {parser}: {extracted.describe(self.extract)}"
            for parser, extracted in self.extracted.items()
            if parser in self.parsers
        ] + [
            f"repair={','.join(self.repair)}: {parser}: {self.describe_repaired(parser)}"
            for parser in self.repaired
            if parser in self.parsers
        ]

    def describe_repaired(self, parser: str) -> str:
        """Return what repairs of the graphs of a parser changed, as a sentence."""
        metrics = {name: facts.times_100 for name, facts in self.metrics.items()}
        return self.repaired[parser].describe(metrics)

    def part_tables(self, style: Shown, suffix: str = "") -> list[Table]:
        """Return the tables of one metric besides that of the whole corpus.

        Args:
            suffix: the end of their titles.
        """
        tables, plan, number = [], self.facts.aspects, self.tests.number
        kinds = {kind: self.board.select(kind=kind) for kind in self.board.list_names("kind")}
        f1 = style._replace(times_100=True)
        if "aspect" in kinds and plan is not None:
            note = f"{plan.note}; pairs in which the aspect does not occur are left out"
            texts, title = aspect_texts(plan.definition), f"Aspects{suffix}"
            aspects = kinds["aspect"]
            tables.append(tabulate_parts(aspects, "aspect", title, (note,), number, f1, texts))
        for aspect in list_bucketed(self.board):
            title = f"By {self.by}{', ' if aspect else ''}{aspect}{suffix}"
            buckets = select_buckets(self.board, aspect)
            notes = describe_mean(buckets)
            tables.append(tabulate_parts(buckets, "bucket", title, notes, number, style))
        if "subscore" in kinds:
            tables.append(tabulate_subscores(kinds["subscore"], number, f1))
        if self.tests.runs:
            tables = [replace(table, notes=(*table.notes, ABOUT_RUNS)) for table in tables]
        if RUN in kinds and style.columns == "all":
            runs = tabulate_parts(kinds[RUN], "run", f"Runs{suffix}", (), number, style)
            tables.insert(0, runs)
        if self.has_mistakes:
            costs = kinds.get(MISTAKE, Board())
            tables.append(tabulate_costs(costs, self.verdict, number, f1))
        is_numbered = next(iter(self.of_metric.values())).pairs.tgt_count > 0
        return tables + ([tabulate_worst(self.worst, is_numbered, style)] if self.worst else [])

    @property
    def has_mistakes(self) -> bool:
        """Whether the mistakes of the parsers were requested."""
        return any(scored.mistakes is not None for scored in self.of_metric.values())

    def to_csv(self) -> str:
        """Return all scores as CSV, those of pairs included, with a column of signatures."""
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

        frames = []
        for metric, by_parser in self.pairs.items():
            for parser, scored in by_parser.items():
                columns = {**scored.pairs.to_columns(), **scored.scores.columns()}
                frames.append(pd.DataFrame({"metric": metric, "parser": parser, **columns}))
        return pd.concat(frames, ignore_index=True)

    def errors(self) -> pd.DataFrame:
        """Return one row per construction and parser, by what they cost on average.

        Columns: construction, parser, missing, wrong, extra (numbers of mistakes), gain (how much
        higher F1 would be without them), gain_missing, gain_wrong, gain_extra, rate (mistakes per
        100 gold triples), items (in the gold graphs), share (of these, missing or wrong),
        difference (of the rate from that of the best parser), low and high (95 % interval), p and
        p_adjusted (corrected for all constructions and parsers); NaN where a number does not
        exist. See `bamboo.parsers.costs.compute_costs`.

        Raises:
            ConfigError: if the parsers were scored without ``errors=True``.
        """
        if not self.has_mistakes:
            raise ConfigError("there are no errors: score with errors=True")
        import pandas as pd

        from bamboo.parsers.costs import COLUMNS, list_costs

        return pd.DataFrame(list_costs(self.board.select(kind=MISTAKE)), columns=COLUMNS)

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
