"""``explain``: show the alignment behind one pair's score."""

from __future__ import annotations

from pathlib import Path

from bamboo.config import Request, resolved
from bamboo.datasets import Dataset, load
from bamboo.drawing import draw
from bamboo.errors import ConfigError
from bamboo.explain import explanation_json, explanation_tables
from bamboo.metric import build_metric
from bamboo.tables import check_format, render
from metrics.base import Pair, pair_up
from metrics.reading import read_graphs


def main(request: Request) -> str:
    """Show the alignment behind one pair's score."""
    check_format(request.options.report)
    options, (job,) = request.options, request.jobs
    name, pair = _chosen_pair(request)
    dataset = None if options.src is not None else str(request.data[0].name)
    metric = build_metric(job.name, job.metric, dataset)
    found, pair = metric.explain(pair), metric.seen(pair)
    title = f"{job.name}, {name}"
    if options.out is not None:
        try:
            Path(options.out).write_text(draw(pair, found, title), "utf-8")
        except OSError as error:
            raise ConfigError(f"cannot write {options.out}: {error.strerror}") from None
    return render(
        explanation_tables(title, pair, found),
        options.report,
        explanation_json(metric.signature, pair, found),
    )


def _chosen_pair(request: Request) -> tuple[str, Pair]:
    """The pair that ``explain`` is asked for, and what to call it."""
    options = request.options
    if (options.src is None) != (options.tgt is None):
        raise ConfigError("explain wants both src=FILE and tgt=FILE, or a data set")
    if options.src is not None:
        pairs = pair_up(*[read_graphs(options[side], options.format) for side in ("src", "tgt")])
        first, where = 0, f"{options.src} against {options.tgt}"
    else:
        dataset = Dataset.from_config(resolved(request.data[0]))
        found = load(dataset, options.partition, options.split)
        pairs = [pair for pair in found.pairs if pair is not None]
        first, where = int(found.numbers[0]), f"{dataset.name} {options.partition} {options.split}"
    if not first <= options.pair < first + len(pairs):
        raise ConfigError(
            f"pair={options.pair}: {where} has pairs {first} to {first + len(pairs) - 1}"
        )
    return f"{where}, pair {options.pair}", pairs[options.pair - first]
