"""``explain``: show the alignment behind one pair's score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.cli.session import Session, write_file
from bamboo.config.jobs import Job
from bamboo.config.metrics import build_metric
from bamboo.errors import ConfigError
from bamboo.explanation.explained import ExplainedPair
from bamboo.messages import note
from bamboo.pairs.chunks import FileSide, pair_at
from bamboo.pairs.file_pairs import FilePairs
from bamboo.pairs.notation import Format as GraphFormat
from bamboo.pairs.notation import Notation
from bamboo.progress import progress_bar
from bamboo.results.table import Format, render
from bamboo.running.runner import Settings, configurations
from metrics.base import Pair

EXACTLY_ONE = "explain requires exactly one metric and one data set"
OF_DATA = ("data", "partition", "split")  # options without a meaning for files


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options in ``conf/explain.yaml``, except metric and data set."""

    POSITIONAL: ClassVar[tuple[str, ...]] = ("src", "tgt")  # can be given without their names

    partition: str
    split: str
    pair: int
    src: Path | None
    tgt: Path | None
    format: GraphFormat
    lengths: Path | None
    split_ids: bool
    report: Format
    out: Path | None

    def __post_init__(self) -> None:
        if (self.src is None) != (self.tgt is None):
            raise ConfigError("explain requires both src=FILE and tgt=FILE, or a data set")

    @property
    def notation(self) -> Notation:
        """The format of the files."""
        return Notation(format=self.format, lengths=self.lengths, split=self.split_ids)


def main(session: Session) -> str:
    """Explain the pair, draw it if `out` is set, and report."""
    options = session.options(Options)
    explained = execute(session, options)
    if options.out is not None:
        write_file(options.out, explained.to_svg())
    return render(explained.tables(), options.report, explained.to_json())


def execute(session: Session, options: Options) -> ExplainedPair:
    """Explain the pair.

    Raises:
        ConfigError: an option of data sets beside files.
    """
    given = {word.partition("=")[0] for word in session.request.command}
    if options.src is not None and (unused := [name for name in OF_DATA if name in given]):
        raise ConfigError(
            f"{unused[0]}=... chooses a pair of a data set: leave it out, or leave out the files"
        )
    job, dataset = session.single_job(EXACTLY_ONE), session.single_dataset(EXACTLY_ONE)
    name, pair = chosen_pair(dataset, options)
    if options.src is None:
        metric = build_metric(job.name, _learned(session, job, dataset, options), dataset.name)
    else:
        metric = build_metric(job.name, job.metric)
    return ExplainedPair.of(f"{job.name}, {name}", metric, pair)


def _learned(session: Session, job: Job, dataset: Dataset, options: Options) -> Mapping[str, Any]:
    """The metric's configuration: if it has a trainer, trained for the pair's cell as by `run`."""
    cell = Cell(dataset, options.partition, options.split)
    settings = Settings(built=session.paths.data / "built")
    if not job.needs_training:
        return job.metric
    with progress_bar("training") as progress:
        return configurations([job], [cell], session.cache, settings, progress)[job.name, cell]


def chosen_pair(dataset: Dataset, options: Options) -> tuple[str, Pair]:
    """The requested pair and its name."""
    if options.src is not None and options.tgt is not None:
        src, tgt = (FileSide(path, options.notation) for path in (options.src, options.tgt))
        where = f"{options.src} against {options.tgt}, pair {options.pair}"
        pair = pair_at(src, tgt, options.pair)
        for text in dict.fromkeys([*src.notes, *tgt.notes]):
            note(text)
        return where, pair
    cell = Cell(dataset, options.partition, options.split)
    pair_set = cell.load()
    pairs, first, where = FilePairs.of(pair_set.pairs), int(pair_set.numbers[0]), str(cell)
    position = options.pair - first
    chosen = pairs[position] if 0 <= position < len(pairs) else None
    if chosen is None:
        raise ConfigError(f"pair={options.pair}: {where} has {first} to {first + len(pairs) - 1}")
    return f"{where}, pair {options.pair}", chosen
