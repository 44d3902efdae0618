"""`run`, `score`, `compare` and `explain`: the commands of these names as functions.

Options have the names, values and defaults of the command line (`bamboo COMMAND --help`); errors
are raised, and warnings are issued as `bamboo.errors.BambooWarning`.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from amr_metrics.base import Metric
from bamboo.commands.compare import Compare
from bamboo.commands.explain import Explain
from bamboo.commands.options import OF_FILES
from bamboo.commands.run import Run
from bamboo.commands.score import Score, files_by_name
from bamboo.config.rows import Metrics
from bamboo.errors import ConfigError
from bamboo.evaluation.report import PairScores, ParserReport
from bamboo.explanation.explained import ExplainedPair
from bamboo.log import NAMES as MESSAGES
from bamboo.log import Messages, printed
from bamboo.pairs.inputs import short_names
from bamboo.pairs.sides import as_path
from bamboo.results.comparison import Comparison
from bamboo.results.results import Results
from bamboo.user_code import modules_in

if TYPE_CHECKING:
    from bamboo.pairs.sides import Side

# The options of `score` for comparing parsers.
OF_COMPARE = (
    *("ci", "resamples", "permutations", "seed"),
    *("aspects", "aspects_definition", "alignment", "frames", "subscores"),
)
# The options of `score` that only the command line has, and what Python has instead.
OF_COMMAND_LINE = {
    "columns": 'the result has to_frame(), differences() and tables("all")',
    "report": "the result has to_markdown(), to_latex(), to_frame(), to_json() and, of score, "
    "report(folder)",
    "per_pair": "the result has to_frame(), with one row per pair",
    "worst": "sort the rows of to_frame() by score, and see explain",
    "out": "the result of explain has to_svg(), that of score has report(folder)",
}


def run(
    metric: Metrics | None = None,
    data: str | Sequence[str] | None = None,
    partition: str | Sequence[str] | None = None,
    *,
    progress: bool = False,
    config_dir: str | Path | None = None,
    **options: Any,
) -> Results:
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
        _check_options(options, "out")
        given = {"metric": metric, "data": data, "partition": partition, **options}
        return Run.from_values(given, config_dir).execute()


@overload
def score(
    src: Sequence[PathLike[str]],
    tgt: Side,
    metric: str | Metric | None = None,
    *,
    progress: bool = False,
    config_dir: str | Path | None = None,
    **options: Any,
) -> ParserReport: ...
@overload
def score(
    src: Side,
    tgt: Side,
    metric: str | Metric | None = None,
    *,
    progress: bool = False,
    config_dir: str | Path | None = None,
    **options: Any,
) -> PairScores: ...
def score(
    src: Side | Sequence[PathLike[str]],
    tgt: Side,
    metric: str | Metric | None = None,
    *,
    progress: bool = False,
    config_dir: str | Path | None = None,
    **options: Any,
) -> PairScores | ParserReport:
    """Score graph k of one side with graph k of the other, like ``score``.

    Args:
        src: the graphs to score, such as parser output: the path of a file, text, one graph or
            text, or a list of graphs or texts (one graph each). Graphs can be of this project or of
            the package penman. A string is text if it contains a line break or starts with ``(``
            or ``#``. A list of paths of files is the output of several parsers, which are compared
            as by `compare`, whose options can then be used.
        tgt: the reference graphs, in any of these forms.
        metric: the name of a metric, or a metric; by default ``smatch_1.0``, Smatch as in the
            smatch package.
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
        if _are_files(src):
            return _scored(_by_name(src), tgt, metric, options, config_dir)
        if named := [name for name in OF_COMPARE if name in options]:
            raise ConfigError(
                f"{named[0]} is an option of compare, which also takes a single parser: "
                'compare({"parser": src}, tgt, ...)'
            )
        path = as_path(src)
        name = "src" if path is None else short_names([path])[0]
        return _scored({name: src}, tgt, metric, options, config_dir)[name]


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
        metric: at least two metrics to compare, or the metric that scores the parsers (by default
            that of `score`).
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
            _check_options(options, "out")
            given = {"metric": metric, "data": data, "partition": partition, **options}
            return Compare.from_values(given, config_dir).execute()
        if src is None or tgt is None:
            raise ConfigError(
                "compare needs both src and tgt to compare parsers; metrics are compared with "
                'compare(metric=["smatch", "sema"], data=...)'
            )
        if data is not None or partition is not None:
            raise ConfigError(
                "data and partition apply to metrics: leave them out with src and tgt"
            )
        return _scored(_by_name(src), tgt, metric, options, config_dir)


def explain(
    src: Side | None = None,
    tgt: Side | None = None,
    *,
    metric: str | Metric | None = None,
    data: str | None = None,
    partition: str | None = None,
    pair: int | str = 0,
    config_dir: str | Path | None = None,
    **options: Any,
) -> ExplainedPair:
    """Return the alignment behind the score of a pair, like ``explain``.

    Args:
        src, tgt: the two sides, as for `score`, instead of a data set.
        metric: the name of a metric, or a metric; by default ``smatch_1.0`` for two sides, as in
            `score`, and ``smatch`` for a data set.
        data, partition: the data set and partition of the pair; by default ``sts`` and ``main``.
        pair: the number of the pair in the data set, or its position in the sides; or its
            ``::id``.
        config_dir: a folder with metrics and data sets of your own.
        options: further options of ``explain``, such as ``split="dev"``.

    Raises:
        NoAlignmentError: the metric computes no alignment.
        BambooError, MetricError: as the command reports them.

    >>> explain("(c / cat)", "(k / cat)").explanation.links[0].tgt
    'k'
    """
    with _calling(False, config_dir):
        _check_options(options)
        if (src is None) != (tgt is None):
            raise ConfigError("explain needs both src and tgt, or a data set")
        if src is not None and (data is not None or partition is not None):
            raise ConfigError("data and partition: leave them out with src and tgt")
        if src is not None and metric is None:
            metric = OF_FILES
        given = {"metric": metric, "data": data, "partition": partition, "pair": pair, **options}
        command = Explain.from_values(given, config_dir)
        if src is None:
            return command.execute()
        return command.of_sides(src, tgt)


def _scored(
    parsers: Mapping[str, Side],
    tgt: Side,
    metric: Metrics | None,
    options: Mapping[str, Any],
    config_dir: str | Path | None,
) -> ParserReport:
    """Score parsers with one metric, and compare them."""
    _check_options(options)
    sides = {"src": "src", "tgt": "tgt"}  # the command requires paths
    command = Score.from_values({"metric": metric, **sides, **options}, config_dir)
    command.single_metric("score requires exactly one metric, with one value per option")
    (report,) = command.execute(parsers, tgt).values()
    return report


def _are_files(src: Any) -> bool:
    """Check that a side is a list of files, each the output of a parser."""
    return (
        isinstance(src, list | tuple)
        and len(src) > 0
        and all(
            isinstance(side, PathLike) or (isinstance(side, str) and os.path.exists(side))
            for side in src
        )
    )


def _by_name(src: Any) -> Mapping[str, Side]:
    """Return the parsers by name."""
    if isinstance(src, Mapping):
        if not src:
            raise ConfigError("src: there is no parser")
        return {str(name): side for name, side in src.items()}
    listed = [src] if isinstance(src, str | PathLike) else list(src)
    paths = [as_path(side) if isinstance(side, str | PathLike) else None for side in listed]
    files = [path for path in paths if path is not None]
    if len(files) < len(listed) or not files:
        raise ConfigError(
            "src: expected a mapping from the names of parsers to their graphs, or a list of paths"
        )
    return files_by_name(files)


def _check_options(options: Mapping[str, Any], *allowed: str) -> None:
    """Check that no option is one that only the command line has."""
    for name in options.keys() - {*allowed}:
        if name in OF_COMMAND_LINE:
            raise ConfigError(f"{name}: {OF_COMMAND_LINE[name]}")
        if name in MESSAGES:
            raise ConfigError(f"{name}: functions print nothing; progress=True shows progress")


@contextmanager
def _calling(progress: bool, config_dir: str | Path | None) -> Iterator[None]:
    """Let a function show progress; modules in `config_dir` can be imported.

    Progress is a bar on a terminal, and elsewhere a line for each step.
    """
    with contextlib.ExitStack() as stack:
        if progress:
            stack.enter_context(printed(Messages(verbose=not sys.stderr.isatty())))
        stack.enter_context(modules_in(config_dir))
        yield
