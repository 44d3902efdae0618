"""`run`, `score`, `compare` and `explain`: the commands of these names as functions.

Options have the names, values and defaults of the command line (`bamboo COMMAND --help`); errors
are raised, and warnings are issued as `bamboo.errors.BambooWarning`.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from bamboo import messages
from bamboo.api.arguments import Metrics, check_metric_options, label, request
from bamboo.api.result import RunResult
from bamboo.api.scores import PairScores, ParserReport
from bamboo.api.sides import as_path, pair_of_sides, side_of
from bamboo.cli.available import available
from bamboo.cli.session import Session
from bamboo.errors import ConfigError
from bamboo.evaluation.aspects import aspect_rows, plan_aspects
from bamboo.evaluation.checks import check_scored, check_sides, score_warnings
from bamboo.evaluation.parsers import compare_parsers
from bamboo.evaluation.scoring import FileScores, PairsOfFiles, PartScorer
from bamboo.evaluation.subscores import part_scorer, subscore_rows
from bamboo.explanation.explained import ExplainedPair
from bamboo.own_modules import modules_in
from bamboo.pairs.chunks import MemorySide
from bamboo.pairs.inputs import short_names
from bamboo.pairs.problems import warn
from bamboo.statistics.comparison import Comparison
from bamboo.statistics.resampling import Resampling
from metrics.base import Metric

if TYPE_CHECKING:
    from bamboo.api.sides import Side
    from bamboo.cli.score import Options as ScoreOptions

# The options of `score` that only the command line has, and what Python has instead.
OF_COMMAND_LINE = {
    "report": "the result has to_markdown(), to_latex(), to_frame() and to_json()",
    "per_pair": "the result has to_frame(), with one row per pair",
    "worst": "sort the rows of to_frame() by score, and see explain",
    "out": "the result of explain has to_svg()",
    "shards": "many files are scored by the command: bamboo score shards=FOLDER",
    "shard_format": "many files are scored by the command: bamboo score shards=FOLDER",
}
# The options of `score` for reading and scoring, and those for comparing parsers.
OF_SCORE = ("format", "lengths", "split_ids", "ids", "pairs", "on_error", "engine")
OF_COMPARE = (
    *("ci", "resamples", "seed", "aspects", "aspects_definition", "alignment", "frames"),
    "subscores",
)


def run(
    metric: Metrics | None = None,
    data: str | Sequence[str] | None = None,
    partition: str | Sequence[str] | None = None,
    *,
    progress: bool = False,
    config_dir: str | Path | None = None,
    **options: Any,
) -> RunResult:
    """Score metrics on the benchmark and compare the scores with the ratings, like ``run``.

    Scores are cached, and the folder of the run is written, as on the command line.

    Args:
        metric: names of metrics, or metrics; by default ``smatch``. A metric given by its name has
            published values, and options of its own for some data sets.
        data: names of data sets, or ``all``; by default ``sts``.
        partition: names of partitions, or ``all``; by default ``main``.
        progress: show progress on standard error.
        config_dir: a folder with metrics and data sets of your own.
        options: further options of ``run``, such as ``protocol="v0.2"``, ``ci=True``, ``limit=10``
            or ``metric__K=3``.

    Raises:
        BambooError, MetricError: as the command reports them.
    """
    with _calling(progress, config_dir):
        command = importlib.import_module("bamboo.cli.run")
        given = {"data": data, "partition": partition}
        session = _session("run", metric, given, options, config_dir)
        return RunResult.of(*command.execute(session, session.options(command.Options)))


def score(
    src: Side,
    tgt: Side,
    metric: str | Metric | None = None,
    *,
    progress: bool = False,
    config_dir: str | Path | None = None,
    **options: Any,
) -> PairScores:
    """Score graph k of one side with graph k of the other, like ``score``.

    Args:
        src: the graphs to score, such as parser output: the path of a file, text, one graph or
            text, or a list of graphs or texts (one graph each). Graphs can be of this project or of
            the package penman. A string is text if it contains a line break or starts with ``(``
            or ``#``.
        tgt: the reference graphs, in any of these forms.
        metric: the name of a metric, or a metric; by default ``smatch``.
        progress: show progress on standard error.
        config_dir: a folder with metrics of your own.
        options: further options of ``score``: ``format``, ``lengths``, ``split_ids``, ``ids``,
            ``pairs``, ``on_error``, and options of the metric such as ``metric__root="none"``.

    Raises:
        BambooError, MetricError: as the command reports them.

    >>> scores = score("(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog))")
    >>> scores.score
    0.75
    """
    with _calling(progress, config_dir):
        if named := [name for name in OF_COMPARE if name in options]:
            raise ConfigError(
                f"{named[0]} is an option of compare, which also takes a single parser: "
                'compare({"parser": src}, tgt, ...)'
            )
        job, built, chosen = _scoring(metric, options, config_dir)
        values = _scored(built, src, tgt, ("src", "tgt"), chosen)
        warn(score_warnings({"src": values}, built))
        return PairScores(f"{job}: {_shown(src, 'src')} against {_shown(tgt, 'tgt')}", values)


@overload
def compare(
    *,
    metric: Metrics,
    data: str | Sequence[str] | None = None,
    partition: str | Sequence[str] | None = None,
    progress: bool = False,
    config_dir: str | Path | None = None,
    **options: Any,
) -> Comparison: ...
@overload
def compare(
    src: Mapping[str, Side] | Sequence[str | PathLike[str]],
    tgt: Side,
    *,
    metric: str | Metric | None = None,
    progress: bool = False,
    config_dir: str | Path | None = None,
    **options: Any,
) -> ParserReport: ...
def compare(
    src: Mapping[str, Side] | Sequence[str | PathLike[str]] | None = None,
    tgt: Side | None = None,
    *,
    metric: Metrics | None = None,
    data: str | Sequence[str] | None = None,
    partition: str | Sequence[str] | None = None,
    progress: bool = False,
    config_dir: str | Path | None = None,
    **options: Any,
) -> Comparison | ParserReport:
    """Compare metrics on the benchmark, or parsers on reference graphs, with significance tests.

    Without `src` and `tgt`, this is the command ``compare``: which of several metrics agrees
    better with the ratings. With them, it is ``score`` with several parsers.

    Args:
        src: the output of each parser: a mapping from names to sides (see `score`), or a list of
            paths.
        tgt: the reference graphs.
        metric: at least two metrics to compare, or the metric that scores the parsers.
        data, partition: the cells to compare metrics on; by default all partitions of ``sts``.
        progress: show progress on standard error.
        config_dir: a folder with metrics and data sets of your own.
        options: further options of ``compare``, such as ``permutations=1000``, or of ``score``,
            such as ``ci=True``, ``aspects="all"`` or ``resamples=5000``.

    Raises:
        BambooError, MetricError: as the commands report them.
    """
    with _calling(progress, config_dir):
        if src is None and tgt is None:
            command = importlib.import_module("bamboo.cli.compare")
            given = {"data": data, "partition": partition}
            session = _session("compare", metric, given, options, config_dir)
            compared = command.execute(session, session.options(command.Options))
            comparison: Comparison = compared.comparison
            return comparison
        if src is None or tgt is None:
            raise ConfigError(
                "compare needs both src and tgt to compare parsers; metrics are compared with "
                'compare(metric=["smatch", "sema"], data=...)'
            )
        if data is not None or partition is not None:
            raise ConfigError(
                "data and partition apply to metrics: leave them out with src and tgt"
            )
        return _compare_parsers(_parsers(src), tgt, metric, options, config_dir)


def explain(
    src: Side | None = None,
    tgt: Side | None = None,
    *,
    metric: str | Metric | None = None,
    data: str | None = None,
    partition: str | None = None,
    pair: int = 0,
    config_dir: str | Path | None = None,
    **options: Any,
) -> ExplainedPair:
    """The alignment behind the score of a pair, like ``explain``.

    Args:
        src, tgt: the two sides, as for `score`, instead of a data set.
        metric: the name of a metric, or a metric; by default ``smatch``.
        data, partition: the data set and partition of the pair; by default ``sts`` and ``main``.
        pair: the number of the pair in the data set, or its position in the sides.
        config_dir: a folder with metrics and data sets of your own.
        options: further options of ``explain``, such as ``split="dev"``.

    Raises:
        NoAlignmentError: the metric computes no alignment.
        BambooError, MetricError: as the command reports them.

    >>> explain("(c / cat)", "(k / cat)").explanation.links[0].tgt
    'k'
    """
    with _calling(False, config_dir):
        command = importlib.import_module("bamboo.cli.explain")
        given: dict[str, Any] = {"data": data, "partition": partition, "pair": pair}
        _check_options(options)
        if (src is None) != (tgt is None):
            raise ConfigError("explain needs both src and tgt, or a data set")
        if src is not None and (data is not None or partition is not None):
            raise ConfigError("data and partition: leave them out with src and tgt")
        name, built, session = _one_metric("explain", metric, given, options, config_dir)
        own = session.options(command.Options)
        if src is None:
            dataset = session.single_dataset(command.EXACTLY_ONE)
            if built is None:
                explained: ExplainedPair = command.execute(session, own)
                return explained
            where, chosen = command.chosen_pair(dataset, own)
            return ExplainedPair.of(f"{name}, {where}", built, chosen)
        chosen = pair_of_sides(src, tgt, own.notation, pair)
        where = f"{_shown(src, 'src')} against {_shown(tgt, 'tgt')}"
        if built is None:
            built = session.metrics[name]
        return ExplainedPair.of(f"{name}, {where}, pair {pair}", built, chosen)


@contextmanager
def _calling(progress: bool, config_dir: str | Path | None) -> Iterator[None]:
    """Print nothing while a function runs; modules in `config_dir` can be imported."""
    with messages.called_from_python(progress), modules_in(config_dir):
        yield


def _session(
    command: str,
    metric: Metrics | None,
    given: Mapping[str, Any],
    options: Mapping[str, Any],
    config_dir: str | Path | None,
) -> Session:
    """The session of a command; `given` values that are None have the default of the command."""
    chosen = {name: value for name, value in given.items() if value is not None}
    for name in ("data", "partition"):
        if isinstance(value := chosen.get(name), list | tuple):
            chosen[name] = ",".join(map(str, value))
    if "report" in options:
        raise ConfigError(f"report: {OF_COMMAND_LINE['report']}")
    usable, left_out = available(request(command, metric, {**chosen, **options}, config_dir))
    warn(left_out)
    return Session(usable)


def _check_options(options: Mapping[str, Any]) -> None:
    """Check that no option is one that only the command line has."""
    for name in options:
        if name in OF_COMMAND_LINE:
            raise ConfigError(f"{name}: {OF_COMMAND_LINE[name]}")


def _one_metric(
    command: str,
    metric: str | Metric | None,
    given: Mapping[str, Any],
    options: Mapping[str, Any],
    config_dir: str | Path | None,
) -> tuple[str, Metric | None, Session]:
    """The label of a metric, the metric if it was given as one, and the session of a command."""
    if isinstance(metric, Metric):
        check_metric_options(options)
        return label(metric), metric, _session(command, None, given, options, config_dir)
    session = _session(command, metric, given, options, config_dir)
    job = session.single_job(f"{command} requires exactly one metric, with one value per option")
    return job.name, None, session


def _scoring(
    metric: str | Metric | None, options: Mapping[str, Any], config_dir: str | Path | None
) -> tuple[str, Metric, ScoreOptions]:
    """The label of a metric, the metric, and the options of ``score``."""
    command = importlib.import_module("bamboo.cli.score")
    _check_options(options)
    for field in dataclasses.fields(command.Options):
        if field.name in options and field.name not in (*OF_SCORE, *OF_COMPARE):
            raise ConfigError(f"{field.name} is an option of the command line only")
    sides = {"src": "src", "tgt": "tgt"}  # the command requires paths
    name, built, session = _one_metric("score", metric, sides, options, config_dir)
    return name, built or session.metrics[name], session.options(command.Options)


def _scored(
    metric: Metric,
    src: Side,
    tgt: Side,
    names: tuple[str, str],
    options: ScoreOptions,
    score_parts: PartScorer | None = None,
) -> FileScores:
    """The scores of two sides, with warnings about ids and notes on the files."""
    first, second = (
        side_of(side, name, options.notation, options.on_error)
        for side, name in zip((src, tgt), names, strict=True)
    )
    # Graphs made by a program seldom have ids: that is no reason for a warning.
    anonymous = any(isinstance(s, MemorySide) and not s.has_ids for s in (first, second))
    pairs = PairsOfFiles(
        src=first,
        tgt=second,
        notation=options.notation,
        on_error=options.on_error,
        ids="ignore" if anonymous and options.ids == "warn" else options.ids,
        choice=options.pairs,
    )
    by_metric = {} if score_parts is None else {"": score_parts}
    scores, of_ids, notes = pairs.score({"": metric}, by_metric, engine=options.engine)
    values = scores[""]
    check_scored({names[0]: values})
    warn([*of_ids, *notes])
    return values


def _shown(side: Any, name: str) -> str:
    """A side in messages: its path, or its name."""
    path = as_path(side)
    return name if path is None else str(path)


def _parsers(src: Any) -> dict[str, Side]:
    """The parsers by name."""
    if isinstance(src, Mapping):
        parsers = {str(name): side for name, side in src.items()}
        if not parsers:
            raise ConfigError("src: there is no parser")
        return parsers
    listed = [src] if isinstance(src, str | PathLike) else list(src)
    paths = [as_path(side) if isinstance(side, str | PathLike) else None for side in listed]
    files = [path for path in paths if path is not None]
    if len(files) < len(listed) or not files:
        raise ConfigError(
            "src: expected a mapping from the names of parsers to their graphs, or a list of paths"
        )
    names = short_names(files)
    if len(set(names)) < len(names):
        raise ConfigError("src: name each file once")
    return dict(zip(names, files, strict=True))


def _compare_parsers(
    parsers: Mapping[str, Side],
    tgt: Side,
    metric: Any,
    options: Mapping[str, Any],
    config_dir: str | Path | None,
) -> ParserReport:
    """The parsers scored on the same reference graphs, and compared."""
    job, built, chosen = _scoring(metric, options, config_dir)
    check_sides([*map(as_path, parsers.values())], as_path(tgt), chosen.pairs)
    plan = None
    if chosen.aspects is not None:
        plan = plan_aspects(
            built, chosen.aspects, chosen.aspects_definition, chosen.alignment, chosen.frames
        )
    parts = part_scorer(built, plan, chosen.subscores)
    files = {
        name: _scored(built, side, tgt, (name, "tgt"), chosen, parts)
        for name, side in parsers.items()
    }
    warn(score_warnings(files, built))
    resampling = Resampling(chosen.resamples, chosen.seed)
    against = _shown(tgt, "tgt")
    return ParserReport(
        f"{job} against {against}",
        {
            name: PairScores(f"{job}: {_shown(parsers[name], name)} against {against}", scores)
            for name, scores in files.items()
        },
        compare_parsers(built, files, resampling, chosen.ci),
        aspect_rows(plan, files, resampling, chosen.ci),
        "" if plan is None else plan.note,
        subscore_rows(files, resampling),
    )
