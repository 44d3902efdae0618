"""Tables of what the papers show as figures: scores over restarts, n-grams, and local optima."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.triple_match import TripleMatch
from amr_metrics.base import Metric, Pair
from amr_metrics.features.sembleu import SemBleu
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.types import Floats, Ints
from bamboo.board import find_main
from bamboo.config.options import read_options
from bamboo.display.table import Table
from bamboo.errors import ConfigError
from bamboo.pages.charts import Dot, Panel, draw_panels
from bamboo.progress import progress_bar
from bamboo.published_tables.corpora import find_release, load_parses, pair_with_gold
from bamboo.published_tables.inputs import Inputs, ReproducedTable
from bamboo.published_tables.local_optima import count_optima
from bamboo.published_tables.score_tables import RowConfig, choose_rows
from bamboo.statistics.ratings import pearson

Metrics = Mapping[str, Metric]  # by row
NGRAMS = ("unigrams", "bigrams", "trigrams", "4-grams")
FIT = ("slope", "intercept", "r")  # of a line by least squares


@dataclass(frozen=True, kw_only=True)
class FigureSpec:
    """What a ``conf/table/<name>.yaml`` of kind ``restarts``, ``ngrams`` or ``optima`` says.

    Attributes:
        title: the table's title.
        kind: ``restarts``: corpus scores of repeated searches; ``ngrams``: the number of n-grams of
            the gold graphs against their number of nodes; ``optima``: the number of different
            scores that hill-climbing finds for a pair, against its number of variables.
        data: the YAML of the release of parses.
        parsers: the systems, in this order; empty for all.
        rows: the metrics, as `bamboo.published_tables.score_tables.table_rows` has them.
        restarts: the numbers of random starts.
        runs: how often each search is repeated, with other seeds; for ``restarts``.
        seed: the first seed.
        picture: the name of the file with the figure.
        notes: lines below the table.
    """

    title: str
    kind: Literal["restarts", "ngrams", "optima"]
    data: Mapping[str, Any]
    parsers: tuple[str, ...] = ()
    rows: tuple[RowConfig, ...] = ()
    restarts: tuple[int, ...] = (4,)
    runs: int = 100
    seed: int = 0
    picture: str | None = None
    notes: tuple[str, ...] = ()


def reproduce_figure(config: Mapping[str, Any], inputs: Inputs) -> ReproducedTable:
    """Return a table of what a figure shows, and the figure.

    Args:
        config: the content of its YAML file, with interpolations resolved.

    Raises:
        ConfigError: an unknown or missing key, or a metric that cannot be built or has no such
            figure.
        DownloadError, DataError, GraphError: data that cannot be fetched or read.
    """
    spec = read_options(FigureSpec, config, "table")
    rows, _ = choose_rows(spec.rows, None, inputs.config_dir, "a figure")
    metrics = {row.name: row.on() for row in rows}
    kind, function = KINDS[spec.kind]
    if unsuitable := [name for name, metric in metrics.items() if not isinstance(metric, kind)]:
        raise ConfigError(f"table row {unsuitable[0]}: {spec.kind} needs a {kind.__name__}")
    table, panels = function(spec, metrics, inputs)
    if spec.picture:
        table = replace(table, picture=(spec.picture, draw_panels(panels, spec.title)))
    cell = find_release(spec.data)
    signatures = {name: metric.signature for name, metric in metrics.items()}
    about = {"data": {str(cell): cell.digest()}, "signatures": signatures}
    points = [[panel.title, [dot[:2] for dot in panel.dots]] for panel in panels]
    return table, {**table.to_json(), "points": points, **about}


def _reproduce_restarts(
    spec: FigureSpec, metrics: Metrics, inputs: Inputs
) -> tuple[Table, list[Panel]]:
    corpora = pair_with_gold(load_parses(spec.data, spec.parsers))
    seeds = range(spec.seed, spec.seed + spec.runs)
    keys = [(name, parser, n) for name in metrics for parser in corpora for n in spec.restarts]
    tasks = [(metrics[name], corpora[parser], restarts, seeds) for name, parser, restarts in keys]
    lines: list[tuple[Any, ...]] = []
    dots: dict[str, list[Dot]] = {}
    with progress_bar("searching") as progress:
        searched = inputs.settings.engine.map(_search, tasks)
        for (name, parser, restarts), scores in zip(keys, searched, strict=True):
            values = float(scores.mean()), float(scores.min()), float(scores.max())
            dots.setdefault(f"{name}, {parser}", []).append(Dot(restarts, *values))
            lines.append((name, parser, restarts, *values))
            progress(f"{parser} {restarts}", len(keys))
    best = {
        (n, p): _score_corpus(metrics[n], pairs) for n in metrics for p, pairs in corpora.items()
    }
    lines = [(*line, best[line[:2]]) for line in lines]
    columns = ("metric", "parser", "restarts", "mean", "min", "max", "optimum")
    rules = tuple(range(len(spec.restarts), len(lines), len(spec.restarts)))
    note = f"mean, min, max: of {spec.runs:,} runs, each with another seed; corpus F1 x 100."
    table = Table(spec.title, columns, tuple(lines), notes=(note, *spec.notes), rules=rules)
    panels = [Panel(title, "restarts", "F1 x 100", of_one) for title, of_one in dots.items()]
    return table, panels


def _search(metric: TripleMatch, pairs: Pairs, restarts: int, seeds: Sequence[int]) -> Floats:
    """Return the corpus scores of searches with different seeds, times 100."""
    solvers = (HillClimb(restarts=restarts, seed=seed) for seed in seeds)
    return np.array([_score_corpus(replace(metric, solver=solver), pairs) for solver in solvers])


def _score_corpus(metric: Metric, pairs: Pairs) -> float:
    scores = metric.corpus(metric.evaluate(pairs))
    return 100 * scores[find_main(scores)]


def _reproduce_ngrams(
    spec: FigureSpec, metrics: Metrics, inputs: Inputs
) -> tuple[Table, list[Panel]]:
    gold = load_parses(spec.data).references
    nodes = np.array([len(graph.variables) + len(graph.attributes) for graph in gold])
    pairs = Pairs.of([Pair(graph, graph) for graph in gold])
    lines: list[tuple[Any, ...]] = []
    panels = []
    for name, metric in metrics.items():
        details = metric.evaluate(pairs).details
        for n, ngrams in enumerate(NGRAMS, 1):
            if (counts := details.get(f"src_ngrams_{n}")) is None:
                break
            equal = int((counts == nodes).sum()) if n == 1 else None
            lines.append((name, ngrams, len(nodes), equal, *_fit_line(nodes, counts)))
            panels.append(_plot(f"{name}: {ngrams}", "nodes", "n-grams", nodes, counts))
    columns = ("metric", "n-grams", "graphs", "as many as nodes", *FIT)
    digits = (0, 0, 0, 0, 2, 1, 3)
    return Table(spec.title, columns, tuple(lines), digits, notes=spec.notes), panels


def _reproduce_optima(
    spec: FigureSpec, metrics: Metrics, inputs: Inputs
) -> tuple[Table, list[Panel]]:
    corpora = pair_with_gold(load_parses(spec.data, spec.parsers))
    keys = [(name, parser, n) for name in metrics for parser in corpora for n in spec.restarts]
    tasks = [(metrics[name], corpora[parser], n, spec.seed) for name, parser, n in keys]
    lines: list[tuple[Any, ...]] = []
    panels = []
    with progress_bar("climbing") as progress:
        counted = inputs.settings.engine.map(count_optima, tasks)
        for (name, parser, restarts), (variables, optima) in zip(keys, counted, strict=True):
            values = float(optima.mean()), int(optima.max())
            lines.append(
                (name, parser, restarts, len(optima), *values, *_fit_line(variables, optima))
            )
            labels = "variables of the parse", f"unique scores of {restarts} restarts"
            panels.append(_plot(f"{name}, {parser}", *labels, variables, optima))
            progress(f"{name} {parser}", len(keys))
    columns = ("graphs", "parser", "restarts", "pairs", "mean", "max", *FIT)
    digits = (0, 0, 0, 0, 2, 0, 3, 2, 3)
    return Table(spec.title, columns, tuple(lines), digits, notes=spec.notes), panels


def _fit_line(x: Ints, y: Ints) -> tuple[float, float, float]:
    """Return slope and intercept of the line by least squares, and Pearson's correlation."""
    if len({*x.tolist()}) < 2:
        return math.nan, math.nan, math.nan
    slope, intercept = np.polyfit(x, y, 1)
    return float(slope), float(intercept), pearson(x.astype(float), y.astype(float))


def _plot(title: str, x_label: str, y_label: str, x: Ints, y: Ints) -> Panel:
    return Panel(title, x_label, y_label, [*map(Dot, x.tolist(), y.tolist())])


Reproduce = Callable[[FigureSpec, Any, Inputs], tuple[Table, list[Panel]]]
# What computes each kind, and the metrics that it is for.
KINDS: Mapping[str, tuple[type[Metric], Reproduce]] = {
    "restarts": (TripleMatch, _reproduce_restarts),
    "ngrams": (SemBleu, _reproduce_ngrams),
    "optima": (TripleMatch, _reproduce_optima),
}
