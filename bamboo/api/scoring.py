"""`bamboo.score`, and `bamboo.compare` with parsers: the command ``score`` with values."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bamboo.api.scores import PairScores, ParserReport
from bamboo.commands.score import Score
from bamboo.errors import ConfigError
from bamboo.evaluation.file_scores import FileScores
from bamboo.evaluation.parsers import (
    check_scored,
    check_sides,
    compare_parsers,
    score_warnings,
)
from bamboo.evaluation.parts import (
    compare_aspects,
    compare_subscores,
    part_scorer,
    plan_aspects,
)
from bamboo.evaluation.scored_chunks import PartScorer
from bamboo.evaluation.scoring import PairsOfFiles
from bamboo.messages import NAMES as MESSAGES
from bamboo.pairs.chunks import MemorySide
from bamboo.pairs.inputs import short_names
from bamboo.pairs.problems import warn
from bamboo.pairs.sides import as_path, shown, side_of
from bamboo.statistics.resampling import Resampling
from metrics.base import Metric

if TYPE_CHECKING:
    from bamboo.pairs.sides import Side

# The options of `score` for comparing parsers.
OF_COMPARE = (
    *("ci", "resamples", "seed", "aspects", "aspects_definition", "alignment", "frames"),
    "subscores",
)
# The options of `score` that only the command line has, and what Python has instead.
OF_COMMAND_LINE = {
    "report": "the result has to_markdown(), to_latex(), to_frame() and to_json()",
    "per_pair": "the result has to_frame(), with one row per pair",
    "worst": "sort the rows of to_frame() by score, and see explain",
    "out": "the result of explain has to_svg()",
    "shards": "many files are scored by the command: bamboo score shards=FOLDER",
    "shard_format": "many files are scored by the command: bamboo score shards=FOLDER",
}


def check_options(options: Mapping[str, Any]) -> None:
    """Check that no option is one that only the command line has."""
    for name in options:
        if name in OF_COMMAND_LINE:
            raise ConfigError(f"{name}: {OF_COMMAND_LINE[name]}")
        if name in MESSAGES:
            raise ConfigError(f"{name}: functions print nothing; progress=True shows progress")


def scoring(
    metric: str | Metric | None, options: Mapping[str, Any], config_dir: str | Path | None
) -> tuple[str, Metric, Score]:
    """Return the label of a metric, the metric, and the command ``score``."""
    check_options(options)
    sides = {"src": "src", "tgt": "tgt"}  # the command requires paths
    command = Score.from_values({"metric": metric, **sides, **options}, config_dir)
    job = command.single_metric("score requires exactly one metric, with one value per option")
    return job.name, command.metrics[job.name], command


def scored_sides(
    metric: Metric,
    src: Side,
    tgt: Side,
    names: tuple[str, str],
    options: Score,
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


def named_parsers(src: Any) -> dict[str, Side]:
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


def compare_sides(
    parsers: Mapping[str, Side],
    tgt: Side,
    metric: Any,
    options: Mapping[str, Any],
    config_dir: str | Path | None,
) -> ParserReport:
    """The parsers scored on the same reference graphs, and compared."""
    job, built, chosen = scoring(metric, options, config_dir)
    check_sides([*map(as_path, parsers.values())], as_path(tgt), chosen.pairs)
    plan = None
    if chosen.aspects is not None:
        plan = plan_aspects(
            built, chosen.aspects, chosen.aspects_definition, chosen.alignment, chosen.frames
        )
    parts = part_scorer(built, plan, chosen.subscores)
    files = {
        name: scored_sides(built, side, tgt, (name, "tgt"), chosen, parts)
        for name, side in parsers.items()
    }
    warn(score_warnings(files, built))
    resampling = Resampling(chosen.resamples, chosen.seed)
    against = shown(tgt, "tgt")
    return ParserReport(
        f"{job} against {against}",
        {
            name: PairScores(f"{job}: {shown(parsers[name], name)} against {against}", scores)
            for name, scores in files.items()
        },
        compare_parsers(built, files, resampling, chosen.ci),
        compare_aspects(built, files, resampling, chosen.ci),
        "" if plan is None else plan.note,
        compare_subscores(files, resampling),
    )
