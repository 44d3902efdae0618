"""Score AMR files and compare parsers.

python -m bamboo score src=parser.amr tgt=gold.amr

The names src= and tgt= can be left out; with several parsers, the gold standard comes last, as in
score a.amr b.amr gold.amr report=html out=report, which writes pages to look at.
Several metrics, metric=smatch,sema, give a row each.
The default metric is Smatch as in the smatch package, which parsing papers report
(docs/comparable.md); metric=smatch is the Smatch of BAMBOO.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from amr_metrics.base import Metric
from bamboo.commands.base import MetricCommand, say_written
from bamboo.commands.options import ENGINES, OF_FILES, REPORTS, option
from bamboo.config.implementation import is_portable
from bamboo.config.rows import Row
from bamboo.config.settings import Setting
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError, FileNote
from bamboo.evaluation.file_scores import (
    SCHEMA,
    score_notes,
    score_table,
    short_signature,
    with_signatures,
)
from bamboo.evaluation.parsers import (
    check_scored,
    check_sides,
    compare_parsers,
    metric_table,
    score_warnings,
    worst_pairs,
)
from bamboo.evaluation.parts import (
    AspectPlan,
    Definition,
    compare_aspects,
    compare_subscores,
    part_scorer,
    plan_aspects,
    supported_definition,
)
from bamboo.evaluation.report import PairScores, ParserReport
from bamboo.evaluation.systems import Columns
from bamboo.log import warn
from bamboo.pairs.ids import Ids
from bamboo.pairs.inputs import STDIN, short_names
from bamboo.pairs.notation import Format as GraphFormat
from bamboo.pairs.notation import Notation
from bamboo.pairs.problems import OnError
from bamboo.pairs.sides import as_path, shown, side_of
from bamboo.results.table import Format, Table, render
from bamboo.scoring.files import FileScores, PairsOfFiles
from bamboo.scoring.per_pair import Write, per_pair_file
from bamboo.scoring.pipeline import Scorers
from bamboo.statistics.resampling import SystemTests

if TYPE_CHECKING:
    from bamboo.pairs.sides import Side

LISTED = 100  # more pairs than these are listed only on request: per_pair=FILE or report=csv


@dataclass(frozen=True, kw_only=True)
class Score(MetricCommand):
    """The options of ``score``."""

    NAME: ClassVar[str] = "score"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("src...", "tgt")

    metric: tuple[Row, ...] = option(
        OF_FILES, "as the smatch package on PyPI; or another name, or a list"
    )
    engine: AnyEngine = option("serial", ENGINES)
    src: Path | tuple[Path, ...] = option(
        "???",
        "graphs to score, such as parser output: a file (also .gz), a folder, a pattern "
        "such as 'part*.amr', or - (standard input); several parsers: src=a.amr,b.amr",
    )
    tgt: Path = option(
        "???", "reference graphs, such as the gold standard: one file, folder or pattern, or -"
    )
    format: GraphFormat = option(
        "penman",
        "penman | umr (sentence graphs of UMR files) | camr (Chinese AMR, in text or tuple format)",
    )
    lengths: Path | None = option(
        None, "camr: file of sentence lengths or words (id, tab, length or words)"
    )
    split_ids: bool = option(
        False, "camr: treat an id with two concepts as two nodes, as in the CAMRP tool"
    )
    subscores: bool = option(False, "camr: also CA, RA and IC")
    ids: Ids = option(
        "warn",
        "warn: both graphs of a pair must have the same ::id, without ids the sentences the same "
        "order; a warning if ids are missing on one side or occur twice | check: an error in "
        "these cases, too | "
        "match: pair the graphs with the same ::id | ignore",
    )
    pairs: Literal["all"] | None = option(
        None,
        "null: graph k of src with graph k of tgt | all: every src with every tgt, to find the "
        "nearest",
    )
    limit: int | None = option(None, "score only the first N pairs; null: all")
    on_error: OnError = option(
        "stop",
        "stop | nan | zero: a graph that cannot be read stops the command, its pair is "
        "left out, or it counts as empty and lowers recall",
    )
    ci: bool = option(False, "add 95 % bootstrap intervals of the corpus scores")
    resamples: int = option(1000, "number of bootstrap samples")
    permutations: int | None = option(
        None,
        "of each test when parsers are compared; null: 10000, or more where p-values are "
        "corrected for many tests, so that *** is possible",
    )
    seed: int = option(0, "random seed for the bootstrap and the permutations")
    aspects: str | tuple[str, ...] | None = option(None, "all, or a list: aspects=ner,negation")
    aspects_definition: Definition = option(
        "smatchpp", "smatchpp (with metric=smatchpp) | amrlib | amr-evaluation"
    )
    alignment: Literal["multi", "one"] = option(
        "multi", "smatchpp: multi (align each aspect separately) | one (one alignment for all)"
    )
    frames: Path | None = option(
        None, "smatchpp: file of PropBank role descriptions, so that core roles count as well"
    )
    worst: int = option(0, "number of lowest-scoring pairs to list, with what differs")
    per_pair: Path | None = option(None, "write the scores of every pair to this CSV file")
    report: Literal[Format, "value", "html"] = option(
        "table",
        f"{REPORTS} | value (only the score, of each parser and metric in a line) | html (pages "
        "with the scores, the errors, and every sentence with its graphs, in the folder out)",
    )
    out: Path | None = option(
        None, "report=html: output folder; must be new, empty or an earlier report"
    )
    columns: Columns = option(
        "main",
        "main | all: also p-values, means over pairs and, where parsers are compared, precision "
        "and recall, which csv and json always have",
    )

    def __post_init__(self) -> None:
        _ = self.resampling  # checks its options
        if self.report == "html" and self.out is None:
            raise ConfigError("report=html requires out=FOLDER")
        if self.out is not None and self.report != "html":
            raise ConfigError(f"out={self.out} is the folder of a report: also set report=html")
        if self.worst < 0:
            raise ConfigError(f"worst={self.worst}: use 0 or more")
        if self.limit is not None and self.limit < 1:
            raise ConfigError(f"limit={self.limit}: use 1 or more")
        compared = (self.aspects_definition, self.alignment, self.frames)
        if self.aspects is None and compared != ("smatchpp", "multi", None):
            raise ConfigError(
                "aspects_definition, alignment and frames apply to aspect scores only: "
                "also set aspects=all or a list of aspects"
            )
        if self.pairs is not None and self.ids in ("check", "match"):
            raise ConfigError(f"pairs={self.pairs} chooses the pairs: leave out ids={self.ids}")
        check_sides([*self.parsers.values()], self.tgt, self.pairs == "all")

    @property
    def notation(self) -> Notation:
        """The format of the files."""
        return Notation(format=self.format, lengths=self.lengths, split=self.split_ids)

    @property
    def resampling(self) -> SystemTests:
        """How intervals and p-values are computed."""
        return SystemTests(self.resamples, self.seed, self.permutations)

    @property
    def parsers(self) -> dict[str, Path]:
        """The files to score, by the name of the parser."""
        return files_by_name((self.src,) if isinstance(self.src, Path) else self.src)

    @classmethod
    def adjusted(cls, settings: Sequence[Setting], config_dir: str | None) -> Sequence[Setting]:
        """Check that there is one gold standard."""
        for setting in settings:
            if setting.key == "tgt" and isinstance(setting.value, list):
                raise ConfigError(
                    f"{setting.word}: there is one gold standard. If it consists of several "
                    "files, give their folder, or a pattern such as tgt='gold/part*.amr'"
                )
        return settings

    def __call__(self) -> str:
        """Score the files; compare parsers or metrics; report."""
        if self.report == "html":
            assert self.out is not None  # see `__post_init__`
            return str(self.write_report(self.parsers, self.tgt, self.out))
        with per_pair_file(self.per_pair) as write:
            reports = self.execute(self.parsers, self.tgt, write)
        if self.per_pair is not None:
            say_written(self.per_pair)
        if self.report == "value":
            return "\n".join(
                f"{row.scores[report.results.main]:.4f}"
                for report in reports.values()
                for row in report.results.scores
            )
        if len(reports) == 1:
            (report,) = reports.values()
            # The pairs of long files become JSON values only if these are printed.
            document = report.to_json() if self.report == "json" else None
            tables = self._tables(report)
            if self.report == "csv":
                signature = self._signature(report.metric)
                tables = [with_signatures(table, [signature]) for table in tables]
            return render(tables, self.report, document)
        ((parser, src),) = self.parsers.items()
        table = metric_table(
            {name: report.results for name, report in reports.items()},
            {name: report[parser].values for name, report in reports.items()},
            f"{src} against {self.tgt}",
            self._columns,
        )
        if self.report == "csv":
            table = with_signatures(table, [*map(self._signature, reports)])
        if self.report != "json":
            return render([table], self.report)
        documents = [{"metric": name, **report.to_json()} for name, report in reports.items()]
        document = {"schema": SCHEMA, "src": str(src), "tgt": str(self.tgt), "metrics": documents}
        return render([table], self.report, document)

    def execute(
        self, parsers: Mapping[str, Side], tgt: Side, write: Write = lambda parser, chunks: None
    ) -> dict[str, ParserReport]:
        """Score parsers with each metric, and compare the parsers.

        Args:
            parsers: the output of each parser, by its name.
            tgt: the reference graphs.
            write: receives the scores of each chunk of pairs.

        Returns:
            a report for each metric.

        Raises:
            ConfigError: options that exclude one another, or a parser without a scored pair.
            DataError, GraphError, PairError: see `PairsOfFiles.score`.
        """
        check_sides([*map(as_path, parsers.values())], as_path(tgt), self.pairs == "all")
        if len(self.metric) > 1:
            self._check_several_metrics(len(parsers))
        scorers = self.scorers()
        scored: dict[str, dict[str, FileScores]] = {name: {} for name in scorers.metrics}
        warnings: dict[str, None] = {}
        notes: dict[str, None] = {}
        for parser, src in parsers.items():
            by_metric, of_ids, of_files = self._pairs(src, parser, tgt).score(
                scorers.metrics,
                scorers.parts,
                self.worst,
                partial(write, parser),
                self.engine,
                replace(self).scorers,  # of a copy: what this process has built stays here
            )
            for name, scores in by_metric.items():
                scored[name][parser] = scores
            warnings |= dict.fromkeys(of_ids)
            notes |= dict.fromkeys(of_files)
        for name, by_parser in scored.items():
            check_scored(by_parser, f"{name}: " if len(scored) > 1 else "")
        warn(warnings)
        warn(notes, FileNote)
        for by_parser in scored.values():
            warn(score_warnings(by_parser))
        return {
            name: self._compared(name, by_parser, parsers, tgt)
            for name, by_parser in scored.items()
        }

    def write_report(self, parsers: Mapping[str, Side], tgt: Side, out: Path) -> Path:
        """Score parsers, with intervals and aspects, and write pages to look at.

        Args:
            parsers, tgt: as of `execute`.
            out: a folder that is new, empty, or has an earlier report.

        Returns:
            the path of the first page.

        Raises:
            ConfigError: several metrics, files that cannot be read twice, a
                folder that has other files or cannot be written to, or as of `execute`.
            DataError, GraphError, PairError: as of `execute`.
        """
        from bamboo.site.folder import SiteFolder
        from bamboo.site.parser_report import write_report  # slow to import

        self.single_metric("report=html shows one metric: choose one with metric=NAME")
        for path in map(as_path, (*parsers.values(), tgt)):
            if path is not None and (path == STDIN or path.is_fifo()):
                raise ConfigError(f"{path}: report=html reads its files twice: write a file first")
        command = replace(self, report="html", out=out)
        with SiteFolder(out, "report", "report=html") as folder:
            with per_pair_file(self.per_pair) as write:
                (report,) = command.execute(parsers, tgt, write).values()
            pairs = {name: self._pairs(src, name, tgt) for name, src in parsers.items()}
            (metric,) = self.metrics.values()
            write_report(folder, report, metric, pairs, self.shown_command(parsers, tgt, out))
        return out / "index.html"

    def shown_command(self, parsers: Mapping[str, Side], tgt: Side, out: Path) -> str:
        """Return the command line that makes a report; "" for graphs or a metric in memory."""
        paths = [*map(as_path, (*parsers.values(), tgt))]
        files = [str(path) for path in paths if path is not None]
        in_memory = len(files) < len(paths) or not is_portable(self.metric[0].metric)
        if in_memory or any("=" in file for file in files):
            return ""
        # Neither the engine nor the place of the folder changes a report.
        own = ("src", "tgt", "report", "out", "engine")
        given = self.configuration.command[1:]
        options = [word for word in given if re.split("[=.]", word)[0] not in own]
        words = [*files, *options, "report=html", f"out={out.name or out}"]
        return shlex.join(["python", "-m", "bamboo", "score", *words])

    def scorers(self) -> Scorers:
        """Build the metrics and, for a single one, what computes its aspects and sub-scores."""
        metrics = self.metrics
        if len(metrics) > 1:
            return Scorers(metrics)
        ((name, metric),) = metrics.items()
        parts = part_scorer(metric, self._plan(metric), self.subscores)
        return Scorers(metrics, {} if parts is None else {name: parts})

    def _pairs(self, src: Side, parser: str, tgt: Side) -> PairsOfFiles:
        sides = [
            side_of(side, name, self.notation, self.on_error)
            for side, name in ((src, parser), (tgt, "tgt"))
        ]
        return PairsOfFiles(
            src=sides[0],
            tgt=sides[1],
            notation=self.notation,
            on_error=self.on_error,
            ids=self.ids,
            every=self.pairs == "all",
            limit=self.limit,
        )

    def _compared(
        self,
        name: str,
        files: Mapping[str, FileScores],
        parsers: Mapping[str, Side],
        tgt: Side,
    ) -> ParserReport:
        metric, resampling = self.metrics[name], self.resampling
        plan = self._plan(metric)
        named = shown(tgt, "tgt")
        fewest = min(int(np.sum(~np.isnan(scores.scores.values))) for scores in files.values())
        ci = self.ci or (self.report == "html" and fewest > 1)
        return ParserReport(
            name,
            named,
            {
                parser: PairScores(
                    name,
                    shown(src, parser),
                    named,
                    files[parser],
                    partial(self.write_report, {parser: src}, tgt),
                )
                for parser, src in parsers.items()
            },
            compare_parsers(metric, files, resampling, ci),
            compare_aspects(metric, files, resampling, ci),
            None if plan is None else plan.definition,
            "" if plan is None else plan.note,
            compare_subscores(files, resampling),
            worst_pairs(metric, files, self.worst),
            resampling,
            partial(self.write_report, parsers, tgt),
        )

    def _signature(self, metric: str) -> str:
        return short_signature(metric, self.on_error)

    @property
    def _columns(self) -> Columns:
        return "all" if self.report == "csv" else self.columns

    def _plan(self, metric: Metric) -> AspectPlan | None:
        """Return which aspects are scored, and how; None if none is requested.

        A report shows all aspects unless some are requested.
        """
        names, definition = self.aspects, self.aspects_definition
        if names is None and self.report == "html" and self.format != "camr":
            supported = supported_definition(metric)
            names, definition = (None, definition) if supported is None else ("all", supported)
        if names is None:
            return None
        return plan_aspects(metric, names, definition, self.alignment, self.frames)

    def _check_several_metrics(self, parsers: int) -> None:
        if parsers > 1:
            raise ConfigError(
                "src: several metrics are shown for one parser: give a single file, or one metric"
            )
        for name in ("aspects", "subscores", "worst"):
            if getattr(self, name):
                raise ConfigError(f"{name} needs exactly one metric: choose one with metric=NAME")

    def _tables(self, report: ParserReport) -> list[Table]:
        """Return the tables to print: for a single parser, its pairs come first if they are few."""
        tables = report.tables(self._columns)
        if len(report.parsers) > 1 or self.per_pair is not None:
            return tables
        (scores,) = report.parsers.values()
        if self.report == "csv" or len(scores) <= LISTED:
            corpus = tables if self.ci or self.report != "csv" else tables[1:]
            return [score_table(scores.values, scores.title), *corpus]
        advice = f"per_pair=FILE writes the scores of all {len(scores):,} pairs to a CSV file"
        notes = (*score_notes(scores.values), *tables[0].notes, advice)
        return [replace(tables[0], notes=notes), *tables[1:]]


def files_by_name(paths: Sequence[Path]) -> dict[str, Path]:
    """Return files by the name of the parser: the file's name, if these are distinct.

    Raises:
        ConfigError: no file, or one that is given twice.
    """
    if len(set(paths)) < len(paths) or not paths:
        raise ConfigError("src: name each file once")
    return dict(zip(short_names(paths), paths, strict=True))
