"""``explain``: show the alignment behind one pair's score."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.cli.session import own_options, say_written
from bamboo.config.metrics import build_metric
from bamboo.config.request import Request
from bamboo.errors import ConfigError
from bamboo.explain.drawing import draw
from bamboo.explain.tables import explanation_json, explanation_tables
from bamboo.pairs.reading import Format as GraphFormat
from bamboo.pairs.reading import Notation, read_pairs
from bamboo.tables.model import Format, render
from metrics.base import Pair


@dataclass(frozen=True, kw_only=True)
class Options:
    """What ``conf/explain.yaml`` asks for, beside metric and data set."""

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
            raise ConfigError("explain wants both src=FILE and tgt=FILE, or a data set")

    @property
    def notation(self) -> Notation:
        """How the files are written."""
        return Notation(format=self.format, lengths=self.lengths, split=self.split_ids)


def main(request: Request) -> str:
    """Explain the pair; draw it where a file is named; report."""
    options = own_options(Options, request, "data", "paths")
    if len(request.jobs) != 1 or len(request.data) != 1:
        raise ConfigError("explain takes one metric and one data set")
    (job,) = request.jobs
    name, pair = _chosen_pair(request, options)
    metric = build_metric(job.name, job.metric, None if options.src else request.data[0]["name"])
    found, pair = metric.explain(pair), metric.seen(pair)
    title = f"{job.name}, {name}"
    if options.out is not None:
        try:
            options.out.write_text(draw(pair, found, title), "utf-8")
        except OSError as error:
            raise ConfigError(f"cannot write {options.out}: {error.strerror}") from None
        say_written(options.out)
    return render(
        explanation_tables(title, pair, found),
        options.report,
        explanation_json(metric.signature, pair, found),
    )


def _chosen_pair(request: Request, options: Options) -> tuple[str, Pair]:
    """The pair that is asked for, and what to call it."""
    if options.src is not None and options.tgt is not None:
        pairs = read_pairs(options.src, options.tgt, options.notation)[0]
        first, where = 0, f"{options.src} against {options.tgt}"
    else:
        dataset = Dataset.from_config(request.data[0])
        cell = Cell(dataset, options.partition, options.split)
        pair_set = cell.load()
        pairs, first, where = list(pair_set.pairs), int(pair_set.numbers[0]), str(cell)
    position = options.pair - first
    pair = pairs[position] if 0 <= position < len(pairs) else None
    if pair is None:
        raise ConfigError(f"pair={options.pair}: {where} has {first} to {first + len(pairs) - 1}")
    return f"{where}, pair {options.pair}", pair
