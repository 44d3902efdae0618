"""The data of a report on parsers: scores, how they were computed, pairs and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, Self

from amr_metrics.types import Floats
from bamboo.board import CORPUS, GOLD, MISTAKE, Board
from bamboo.errors import ConfigError
from bamboo.parsers.analysis import Analysis
from bamboo.parsers.removals import RemovalEffect
from bamboo.parsers.repairs import RepairEffect
from bamboo.parsers.signatures import format_signature
from bamboo.parsers.systems import find_score
from bamboo.scoring.extracted import Extract, Extracted
from bamboo.scoring.inputs import InputFile
from bamboo.scoring.problems import OnError, Problem, summary
from bamboo.scoring.scored import Scored
from bamboo.statistics.resampling import SystemTests


@dataclass(frozen=True)
class MetricFacts:
    """How the scores of a metric were computed.

    Attributes:
        signature: what the scores depend on, with all options of the metric.
        settings: the same, without options that have their defaults.
        heading: the name of the metric in tables for papers.
        times_100: whether the scores are in 0..1, so that tables show them times 100.
        reference: the papers that define the metric.
        analyses: what the numbers of analyses depend on.
    """

    signature: str
    settings: tuple[str, ...]
    heading: str = ""
    times_100: bool = True
    reference: str = ""
    analyses: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ReportData:
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
        analyses: what was computed besides the corpus scores.
        findings: what analyses found that is no score: by their options, and by parser or `GOLD`.
        effects: what alignment marks and repeated triples change.
        extracted: what stood around the graphs of each parser, if they were extracted from text.
        repaired: what repairs of the graphs of each parser changed, if rules for them were given.
        paired_by: for each parser whose rows were paired by ids, the field with these.
        failed: which of ``at_least`` and ``no_worse_than`` the parsers fail, in a sentence each.
        inputs: the files of each parser and, under ``tgt``, of the gold graphs; empty for
            graphs in memory.
        date: the day (UTC).
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
    analyses: tuple[Analysis, ...] = ()
    findings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    effects: tuple[RemovalEffect, ...] = ()
    extracted: Mapping[str, Extracted] = field(default_factory=dict)
    repaired: Mapping[str, RepairEffect] = field(default_factory=dict)
    paired_by: Mapping[str, str] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    inputs: Mapping[str, Sequence[InputFile]] = field(default_factory=dict)
    date: str = ""

    def __getitem__(self, name: str) -> Self:
        """Return the report of one metric, if there are several, or of one parser."""
        if name in self.metrics and (len(self.metrics) > 1 or name not in self.systems):
            return replace(
                self,
                board=Board.join([self.board.select(metric=name), self.board.select(metric="")]),
                pairs={name: self.pairs[name]},
                metrics={name: self.metrics[name]},
                effects=tuple(effect for effect in self.effects if effect.metric == name),
            )
        if name in self.systems:
            runs = self.systems[name]
            runs_by_system = {name: runs} if self.tests.runs_by_system else {}
            rows = (row for row in self.board.scores if row.system in (name, GOLD))
            return replace(
                self,
                board=Board(tuple(rows)),
                findings={
                    option: {k: of_systems[k] for k in (GOLD, name) if k in of_systems}
                    for option, of_systems in self.findings.items()
                },
                pairs={m: {run: by_run[run] for run in runs} for m, by_run in self.pairs.items()},
                parsers={run: self.parsers[run] for run in runs},
                tests=replace(self.tests, runs_by_system=runs_by_system),
                effects=tuple(effect for effect in self.effects if effect.parser in runs),
                inputs={side: self.inputs[side] for side in (*runs, "tgt") if side in self.inputs},
            )
        raise KeyError(f"{name}: use one of {', '.join([*self.metrics, *self.systems])}")

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the metrics, if there are several, or of the parsers."""
        return iter(self.metrics if len(self.metrics) > 1 else self.systems)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(next(iter(self.by_parser.values())))

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
        return self.tests.runs_by_system or {name: (name,) for name in self.parsers}

    @property
    def by_parser(self) -> Mapping[str, Scored]:
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
        (scored,) = self.by_parser.values()
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
        is_scored = any(run.present.any() for run in self.by_parser.values())
        rows = self.board.select(kind=CORPUS).scores if is_scored else ()
        return {row.score: row.value for row in rows if not find_score(row.score).mean_of}

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
    def signature(self) -> str:
        """All that changes the numbers that tables show; a line for each metric."""
        return "\n".join(format_signature(self.settings(metric)) for metric in self.metrics)

    def settings(self, metric: str) -> list[str]:
        """Return what the numbers of a metric in tables depend on."""
        facts = self.metrics[metric]
        settings = [*facts.settings, *facts.analyses]
        if self.tests.runs_by_system:
            settings.append("repeats=true")
        rows = self.board.select(metric=metric)
        is_tested = any(row.kind != MISTAKE for row in rows.differences)
        if rows.has_intervals or is_tested:
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

    def describe_repaired(self, parser: str) -> str:
        """Return what repairs of the graphs of a parser changed, as a sentence."""
        metrics = {name: facts.times_100 for name, facts in self.metrics.items()}
        return self.repaired[parser].describe(metrics)
