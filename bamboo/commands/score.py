"""Score AMR files and compare parsers.

python -m bamboo score src=parser.amr tgt=gold.amr

The names src= and tgt= can be left out. Several metrics, metric=smatch,sema, give a row each.
The default metric is Smatch as in the smatch package, which parsing papers report
(docs/comparable.md); metric=smatch is the Smatch of BAMBOO.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from bamboo.commands.base import MetricCommand, say_written
from bamboo.commands.options import ENGINES, REPORTS, option
from bamboo.config.configuration import Configuration
from bamboo.config.jobs import Job
from bamboo.config.metrics import build_metric
from bamboo.config.settings import Setting
from bamboo.documents import json_text, plain
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError
from bamboo.evaluation.file_scores import SCHEMA, FileScores, score_notes, score_table
from bamboo.evaluation.parsers import (
    check_scored,
    check_sides,
    compare_parsers,
    comparisons_json,
    metric_table,
    parser_json,
    parser_table,
    score_warnings,
    worst_pairs,
    worst_table,
)
from bamboo.evaluation.parts import (
    AspectPlan,
    Definition,
    aspect_table,
    aspects_json,
    compare_aspects,
    compare_subscores,
    part_scorer,
    plan_aspects,
    subscore_table,
    subscores_json,
)
from bamboo.evaluation.per_pair import per_pair_file
from bamboo.evaluation.scored_chunks import Scorers
from bamboo.evaluation.scoring import PairsOfFiles
from bamboo.evaluation.shards import (
    ShardFormat,
    ShardPlan,
    ShardResult,
    check_format,
    find_shards,
    score_shards,
    shard_notes,
    shard_warnings,
)
from bamboo.evaluation.systems import SystemResults
from bamboo.files import write_text
from bamboo.messages import note
from bamboo.pairs.ids import Ids
from bamboo.pairs.inputs import STDIN, short_names
from bamboo.pairs.notation import Format as GraphFormat
from bamboo.pairs.notation import Notation
from bamboo.pairs.problems import OnError, warn
from bamboo.progress import progress_bar
from bamboo.results.table import Format, Table, render
from bamboo.statistics.resampling import Resampling
from metrics.base import Metric
from metrics.utils.text import counted

LISTED = 100  # more pairs than these are listed only on request: per_pair=FILE or report=csv


@dataclass(frozen=True, kw_only=True)
class Score(MetricCommand):
    """The options of ``score``."""

    NAME: ClassVar[str] = "score"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("src", "tgt")

    metric: tuple[Job, ...] = option(
        "smatch_1.0", "as the smatch package on PyPI; or another name, or a list"
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
        "penman | tsv | umr (sentence graphs of UMR files) | camr (Chinese AMR, in text "
        "or tuple format)",
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
        "warn: both graphs of a pair must have the same ::id; a warning if ids are "
        "missing on one side or occur twice | check: an error in these cases, too | "
        "match: pair the graphs with the same ::id | ignore",
    )
    pairs: Path | None = option(
        None,
        "null: graph k of src with graph k of tgt | all: every src with every tgt | FILE: "
        "pairs listed as two columns, positions counted from 1, or ids",
    )
    on_error: OnError = option(
        "stop",
        "stop | nan | zero: a graph that cannot be read stops the command, its pair is "
        "left out, or it counts as empty and lowers recall",
    )
    ci: bool = option(False, "add 95 % bootstrap intervals of the corpus scores")
    resamples: int = option(
        1000, "number of bootstrap samples, and of permutations when parsers are compared"
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
    worst: int = option(0, "number of lowest-scoring pairs to list, with their unmatched triples")
    shards: Path | None = option(
        None,
        "folder: score each file of src with the file of tgt at the same place, for many "
        "files; the folder gets one file per shard, and finished shards are not scored "
        "again",
    )
    shard_format: ShardFormat = option(
        "csv", "csv | parquet: files with the scores of the pairs of each shard"
    )
    per_pair: Path | None = option(None, "write the scores of every pair to this CSV file")
    report: Format = option("table", REPORTS)

    def __post_init__(self) -> None:
        if self.worst < 0:
            raise ConfigError(f"worst={self.worst}: use 0 or more")
        compared = (self.aspects_definition, self.alignment, self.frames)
        if self.aspects is None and compared != ("smatchpp", "multi", None):
            raise ConfigError(
                "aspects_definition, alignment and frames apply to aspect scores only: "
                "also set aspects=all or a list of aspects"
            )
        if len(set(self.parsers)) < len(self.parsers) or not self.parsers:
            raise ConfigError("src: name each file once")
        if self.pairs is not None and self.ids in ("check", "match"):
            raise ConfigError(f"pairs={self.pairs} chooses the pairs: leave out ids={self.ids}")
        check_sides(self.parsers, self.tgt, self.pairs)
        for name, is_set in (
            ("pairs", self.pairs is not None),
            ("ids=match", self.ids == "match"),
            ("per_pair", self.per_pair is not None),
            ("aspects", self.aspects is not None),
            ("subscores", self.subscores),
            ("worst", self.worst > 0),
            ("several parsers", len(self.parsers) > 1),
            ("standard input", STDIN in (*self.parsers, self.tgt)),
        ):
            if self.shards is not None and is_set:
                raise ConfigError(f"shards={self.shards} cannot be combined with {name}")

    @property
    def notation(self) -> Notation:
        """The format of the files."""
        return Notation(format=self.format, lengths=self.lengths, split=self.split_ids)

    @property
    def parsers(self) -> tuple[Path, ...]:
        """The files to score."""
        return (self.src,) if isinstance(self.src, Path) else self.src

    @property
    def names(self) -> list[str]:
        """The name of each parser: its file name without the extension if these are distinct."""
        return short_names(self.parsers)

    def pairs_of(self, src: Path) -> PairsOfFiles:
        """The pairs of one parser."""
        return PairsOfFiles(
            src=src,
            tgt=self.tgt,
            notation=self.notation,
            on_error=self.on_error,
            ids=self.ids,
            choice=self.pairs,
        )

    @classmethod
    def configured(
        cls,
        settings: Sequence[Setting],
        config_dir: str | None = None,
    ) -> Configuration:
        """Return the configuration; there is one gold standard."""
        for setting in settings:
            if setting.key == "tgt" and isinstance(setting.value, list):
                raise ConfigError(
                    f"{setting.word}: there is one gold standard. If it consists of several "
                    "files, give their folder, or a pattern such as tgt='gold/part*.amr'"
                )
        return super().configured(settings, config_dir)

    def __call__(self) -> str:
        """Score the files; compare parsers or metrics; report."""
        build = Build(self.metric, self)
        if self.shards is not None:
            job = self.single_metric("shards: give exactly one metric")
            return _shards(job, self, self.shards, build)
        if len(self.metrics) > 1:
            return _several_metrics(self.metrics, self, build)
        ((name, metric),) = self.metrics.items()
        return _one_metric(name, metric, self, build)


@dataclass(frozen=True)
class Build:
    """Builds what scores the pairs, in this process or in another one.

    Attributes:
        jobs: the metrics.
        options: the command.
    """

    jobs: tuple[Job, ...]
    options: Score

    def __call__(self) -> Scorers:
        """The metrics, and what computes scores of aspects and sub-scores with a single one."""
        metrics = {job.name: build_metric(job.name, job.metric) for job in self.jobs}
        if len(metrics) > 1:
            return Scorers(metrics)
        ((name, metric),) = metrics.items()
        parts = part_scorer(metric, _plan(metric, self.options), self.options.subscores)
        return Scorers(metrics, {} if parts is None else {name: parts})


def _shards(job: Job, options: Score, folder: Path, build: Build) -> str:
    """Score many pairs of files, with one file of results for each and one result for all."""
    check_format(options.shard_format)
    if not folder.parent.is_dir():  # probably a mistake in the path
        raise ConfigError(f"cannot write {folder}: there is no folder {folder.parent}")
    ((src,), tgt) = options.parsers, options.tgt
    plan = ShardPlan(
        name=job.name,
        config=job.metric,
        build=build,
        pairs=options.pairs_of(src),
        resampling=Resampling(options.resamples, options.seed) if options.ci else None,
        format=options.shard_format,
    )
    shards, notes = find_shards(src, tgt, plan, folder)
    with progress_bar("scoring shards") as progress:
        results = score_shards(shards, plan, options.engine, progress)
    warn(shard_warnings(results))
    for text in dict.fromkeys([*notes, *shard_notes(results)]):
        note(text)
    result = ShardResult.of(build_metric(job.name, job.metric), results)
    before = "was" if result.finished_before == 1 else "were"
    note(f"{result.finished_before:,} of {counted(len(shards), 'shard')} {before} finished before")
    table = result.table(f"{job.name}: {src} against {tgt}")
    document = {**result.to_json(), "src": str(src), "tgt": str(tgt)}
    write_text(folder / "result.json", json_text(document) + "\n")
    say_written(folder)
    return render([table], options.report, document)


def _plan(metric: Metric, options: Score) -> AspectPlan | None:
    """Which aspects are scored, and how; None if none is requested."""
    if options.aspects is None:
        return None
    return plan_aspects(
        metric,
        options.aspects,
        options.aspects_definition,
        options.alignment,
        options.frames,
    )


def _several_metrics(metrics: Mapping[str, Metric], options: Score, build: Build) -> str:
    """Score one parser with several metrics: one row per metric."""
    if len(options.parsers) > 1:
        raise ConfigError(
            "src: several metrics are shown for one parser: give a single file, or one metric"
        )
    for name, is_set in (
        ("aspects", options.aspects is not None),
        ("subscores", options.subscores),
        ("worst", options.worst > 0),
    ):
        if is_set:
            raise ConfigError(f"{name} needs exactly one metric: choose one with metric=NAME")
    ((parser, src),) = zip(options.names, options.parsers, strict=True)
    with per_pair_file(options.per_pair) as write:
        scores, warnings, notes = options.pairs_of(src).score(
            metrics,
            write=lambda chunks: write(parser, chunks),
            engine=options.engine,
            build=build,
        )
        for name, file_scores in scores.items():
            check_scored({parser: file_scores}, f"{name}: ")
    warn(warnings)
    for text in notes:
        note(text)
    for name, file_scores in scores.items():
        warn(score_warnings({name: file_scores}, metrics[name]))
    resampling = Resampling(options.resamples, options.seed)
    results = {
        name: compare_parsers(metrics[name], {parser: file_scores}, resampling, options.ci)
        for name, file_scores in scores.items()
    }
    if options.per_pair is not None:
        say_written(options.per_pair)
    table = metric_table(results, scores, f"{src} against {options.tgt}")
    if options.report != "json":
        return render([table], options.report)
    documents = [
        {"metric": name, **_document(parser, src, scores[name], results[name], options)}
        for name in metrics
    ]
    whole = {"schema": SCHEMA, "src": str(src), "tgt": str(options.tgt), "metrics": documents}
    return render([table], options.report, whole)


def _one_metric(metric_name: str, metric: Metric, options: Score, build: Build) -> str:
    """Score one or several parsers with one metric."""
    resampling = Resampling(options.resamples, options.seed)
    plan = _plan(metric, options)
    score_parts = part_scorer(metric, plan, options.subscores)
    by_metric = {} if score_parts is None else {metric_name: score_parts}
    parsers: dict[str, FileScores] = {}
    warnings: dict[str, None] = {}
    notes: dict[str, None] = {}
    with per_pair_file(options.per_pair) as write:
        for name, path in zip(options.names, options.parsers, strict=True):
            scores, of_ids, of_files = options.pairs_of(path).score(
                {metric_name: metric},
                by_metric,
                options.worst,
                partial(write, name),
                options.engine,
                build,
            )
            parsers[name] = scores[metric_name]
            warnings |= dict.fromkeys(of_ids)
            notes |= dict.fromkeys(of_files)
        check_scored(parsers)
    warn(warnings)
    for text in notes:
        note(text)
    warn(score_warnings(parsers, metric))
    results = compare_parsers(metric, parsers, resampling, options.ci)
    aspects = compare_aspects(metric, parsers, resampling, options.ci)
    subscores = compare_subscores(parsers, resampling)
    worst = worst_pairs(metric, parsers, options.worst)
    if options.per_pair is not None:
        say_written(options.per_pair)
    title = f"{metric_name} against {options.tgt}"
    tables: list[Table] = []
    if len(parsers) == 1 and options.per_pair is None and _lists_pairs(parsers, options):
        (file_scores,) = parsers.values()
        tables.append(
            score_table(file_scores, f"{metric_name}: {options.parsers[0]} against {options.tgt}")
        )
    if not tables or options.ci or options.report != "csv":
        table = parser_table(results, parsers, title)
        if not tables and len(parsers) == 1 and options.per_pair is None:
            (file_scores,) = parsers.values()
            advice = (
                f"per_pair=FILE writes the scores of all {len(file_scores):,} pairs to a CSV file"
            )
            table = replace(table, notes=(*score_notes(file_scores), *table.notes, advice))
        tables.append(table)
    tables += [aspect_table(aspects, plan.note)] if plan is not None and aspects.scores else []
    tables += [subscore_table(subscores)] if subscores.scores else []
    tables += [worst_table(worst)] if worst else []
    if options.report != "json":
        return render(tables, options.report)
    documents = []
    for name, path in zip(options.names, options.parsers, strict=True):
        document = _document(name, path, parsers[name], results, options)
        document["aspects_definition"] = None if plan is None else options.aspects_definition
        document["aspects"] = aspects_json(aspects, name)
        document["subscores"] = subscores_json(subscores, name)
        document["worst"] = [plain(asdict(pair)) for pair in worst if pair.parser == name]
        documents.append(document)
    if len(documents) == 1:
        return render(tables, options.report, documents[0])
    several = {
        "schema": SCHEMA,
        "signature": metric.signature,
        "tgt": str(options.tgt),
        "parsers": documents,
        "comparisons": comparisons_json(results),
    }
    return render(tables, options.report, several)


def _lists_pairs(parsers: dict[str, FileScores], options: Score) -> bool:
    """Whether the report has a line per pair: a CSV file always, other reports up to `LISTED`."""
    return options.report == "csv" or all(len(f) <= LISTED for f in parsers.values())


def _document(
    name: str, path: Path, file_scores: FileScores, results: SystemResults, options: Score
) -> dict[str, Any]:
    """One parser's scores as plain values: the pairs, and the corpus."""
    return {
        **file_scores.to_json(),
        "parser": name,
        "src": str(path),
        **parser_json(results, name),
        "sampling": {"resamples": options.resamples, "seed": options.seed, "level": 0.95},
    }
