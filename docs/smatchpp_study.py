"""The experiments of the Smatch++ paper on BAMBOO's graphs, as tables and figures.

    python docs/smatchpp_study.py [FOLDER]

downloads missing data, prints the tables of docs/smatchpp-experiments.md as Markdown and draws the
figures in FOLDER (docs/figures by default), with matplotlib. Only the times depend on the machine.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from amr_metrics.alignment.facts import problems
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.problem import AlignmentProblem
from amr_metrics.alignment.smatchpp import SmatchPP
from amr_metrics.base import Pair
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.reification import Reifications, Rule
from amr_metrics.standardize import Standardizer
from amr_metrics.standardize.standardizer import rules_table
from amr_metrics.types import Floats, Ints
from bamboo.api.data import resolve_datasets
from bamboo.benchmark.cells import Cell
from bamboo.display.table import Table, render
from bamboo.statistics.ratings import pearson

DATA = ("sts", "sick", "para")
PRESETS = ("none", "generic", "amr", "amr-reify", "bamboo")
SOLVERS = (
    ("exact", SmatchPP()),
    ("exact, compressed", SmatchPP(compression=True)),
    ("hillclimb, 1 restart", SmatchPP(solver=HillClimb(restarts=1))),
    ("hillclimb, 4 restarts", SmatchPP(solver=HillClimb(restarts=4))),
)
RESTARTS = (1, 2, 4, 8, 16, 32, 64)
OPTIMA = ("scores", "alignments")


def pairs_of(data: str, partition: str = "main") -> tuple[list[Pair], Floats]:
    """The test pairs of a cell, and their ratings."""
    (dataset,) = resolve_datasets(data)
    loaded = Cell(dataset, partition, "test").load()
    return [pair for pair in loaded.pairs if pair is not None], loaded.ratings


def corpus_f1(metric: SmatchPP, pairs: Sequence[Pair]) -> float:
    """Micro F1 times 100."""
    return 100 * metric.corpus(metric.evaluate(pairs))["f1"]


def reification_table() -> Table:
    """Rows i to iii of Table 1: graphs against themselves with reified edges."""
    rows: list[tuple[Any, ...]] = [(preset,) for preset in PRESETS]
    for data in DATA:
        main, reify = (pairs_of(data, partition)[0] for partition in ("main", "reify"))
        same = [
            Pair(b, a) for m, r in zip(main, reify, strict=True) for a, b in zip(m, r, strict=True)
        ]
        for k, preset in enumerate(PRESETS):
            rows[k] += (corpus_f1(SmatchPP(standardize=preset), same),)
    title = "Main's graphs against the same graphs in Reify: corpus F1 x 100"
    return Table(title, ("standardize", *map(str.upper, DATA)), tuple(rows))


def left_over_table() -> Table:
    """What becomes of the edges of STS that the guidelines' rules do not bring back."""
    standard = Standardizer.of("amr")
    lost: Counter[str] = Counter()
    turned: Counter[str] = Counter()
    graphs = 0
    main, reify = (pairs_of("sts", partition)[0] for partition in ("main", "reify"))
    for m, r in zip(main, reify, strict=True):
        for before, after in zip(m, r, strict=True):
            had, has = _edges(standard(before)), _edges(standard(after))
            graphs += had != has
            lost += Counter(role for _, role, _ in (had - has).elements())
            turned += Counter(
                role for s, role, t in (had - has).elements() if (t, role, s) in has - had
            )
    ours, known = Reifications.default().by_role, rules_table("guidelines").by_role
    rows = [
        (role, lost[role], turned[role], _rule(ours.get(role)), _rule(known.get(role)))
        for role, _ in lost.most_common()
        if role in ours
    ]
    count = f"{graphs} of {2 * len(main)} graphs"
    title = f"STS under amr: edges of Main that differ in Reify ({count})"
    columns = ("role", "edges", "reversed", "rule of Reify", "rule of the guidelines")
    return Table(title, columns, tuple(rows))


def _edges(graph: Graph) -> Counter[tuple[str, str, str]]:
    """A graph's edges with concepts for their ends."""
    name = dict(zip(graph.variables, graph.concepts, strict=True))
    edges = (*graph.relations, *graph.attributes)
    return Counter((name[s], role, name.get(t, t)) for s, role, t in edges)


def _rule(rule: Rule | None) -> str:
    if rule is None:
        return "none"
    return f"{rule.concept}, from {rule.source_role} to {rule.target_role}"


def solver_rows() -> list[tuple[Any, ...]]:
    """Table 2: solvers on the pairs of Main."""
    rows = []
    cells = {data: pairs_of(data) for data in DATA}
    for name, metric in SOLVERS:
        for data, (pairs, ratings) in cells.items():
            metric.evaluate(pairs[:5])
            start = time.process_time()
            scores = metric.evaluate(pairs)
            seconds = time.process_time() - start
            nodes, edges = sizes(metric, pairs)
            rows.append(
                (
                    name,
                    data.upper(),
                    100 * metric.corpus(scores)["f1"],
                    100 * pearson(scores.values, ratings),
                    100 * float(np.mean(scores.details["optimal"])),
                    nodes,
                    edges,
                    1e6 * seconds / len(pairs),
                )
            )
    return rows


def sizes(metric: SmatchPP, pairs: Sequence[Pair]) -> tuple[float, float]:
    """Variables of the integer programme a pair, on average: node pairs and edge pairs."""
    batch = problems(*metric.encode(metric.views(pairs)).tables())
    return len(batch.unary) / len(batch.sizes), len(batch.matches) / len(batch.sizes)


def solver_table(rows: Sequence[tuple[Any, ...]]) -> Table:
    """The rows as a table."""
    columns = (
        "solver",
        "data",
        "F1",
        "Pearson",
        "proven %",
        "node pairs",
        "edge pairs",
        "us per pair",
    )
    return Table("Solvers on Main's test pairs", columns, tuple(rows))


def climb(problem: AlignmentProblem, starts: Ints) -> tuple[Floats, Ints]:
    """Climb from each start by the best swap of the partners of two nodes, until none is better.

    Both graphs have the same number of nodes here: the smaller one is filled up with nodes that
    match nothing, so that moving a node to a free partner is a swap as well.

    Args:
        starts: (starts, nodes), a permutation in each row.

    Returns:
        the value of each local optimum, and its maps (starts, nodes of src), -1 without a partner.
    """
    (n, m), size = problem.unary.shape, starts.shape[1]
    unary = np.zeros((size, size))
    unary[:n, :m] = problem.unary
    # links[p, q] is what is gained if the node pairs p and q are both mapped: one match of edges.
    links = np.zeros((size * size, size * size))
    ends = problem.src_edges[problem.matches[:, 0]], problem.tgt_edges[problem.matches[:, 1]]
    for (i, k), (j, l), weight in zip(*ends, problem.weights, strict=True):
        if i == k and j == l:
            unary[i, j] += weight
        elif i != k and j != l:  # otherwise no map has both
            links[i * size + j, k * size + l] += weight
            links[k * size + l, i * size + j] += weight
    maps, rows, nodes = starts.copy(), np.arange(len(starts)), np.arange(size)
    while True:
        pairs = nodes * size + maps
        mapped = np.zeros((len(maps), size * size))
        np.put_along_axis(mapped, pairs, 1.0, axis=1)
        gains = (unary.ravel() + mapped @ links).reshape(-1, size, size)
        now = np.take_along_axis(gains, maps[:, :, None], axis=2)
        swapped = np.take_along_axis(gains, maps[:, None, :], axis=2)  # i to the partner of k
        crossed = nodes[None, :, None] * size + maps[:, None, :]
        change = swapped + swapped.transpose(0, 2, 1) - now - now.transpose(0, 2, 1)
        # The link of the two pairs is lost once, not with each of them, and another one is gained.
        change += links[pairs[:, :, None], pairs[:, None, :]]
        change += links[crossed, crossed.transpose(0, 2, 1)]
        change[:, nodes, nodes] = 0
        best = change.reshape(len(maps), -1).argmax(axis=1)
        first, second = np.divmod(best, size)
        better = change[rows, first, second] > 1e-9
        if not better.any():
            break
        where, a, b = rows[better], first[better], second[better]
        maps[where, a], maps[where, b] = maps[where, b], maps[where, a]
    values = (mapped @ unary.ravel()) + ((mapped @ links) * mapped).sum(axis=1) / 2
    return values, np.where(maps < m, maps, -1)[:, :n]


def count_optima(pairs: Sequence[Pair]) -> Floats:
    """Return the mean number of distinct optima: (restarts, scores or alignments)."""
    metric = SmatchPP()
    batch = problems(*metric.encode(metric.views(pairs)).tables())
    counts = np.zeros((len(RESTARTS), len(OPTIMA)))
    for p in range(len(batch.sizes)):
        problem = batch.problem(p)
        size, rng = max(problem.unary.shape), np.random.default_rng([0, p])
        starts = rng.permuted(np.tile(np.arange(size), (RESTARTS[-1], 1)), axis=1)
        values, maps = climb(problem, starts)
        for k, restarts in enumerate(RESTARTS):
            counts[k, 0] += len(np.unique(values[:restarts].round(6)))
            counts[k, 1] += len(np.unique(maps[:restarts], axis=0))
    return counts / len(batch.sizes)


def optima_table(optima: Floats) -> Table:
    """Figure 6: distinct optima over restarts; `optima` is (data, restarts, kinds)."""
    columns = [f"{data.upper()} {kind}" for data in DATA for kind in OPTIMA]
    rows = [(str(r), *optima[:, k].ravel()) for k, r in enumerate(RESTARTS)]
    title = "Distinct optima of hill-climbing on Main's test pairs, mean over pairs"
    return Table(title, ("restarts", *columns), tuple(rows))


def draw_optima(optima: Floats, path: Path) -> None:
    """Draw the number of distinct optima over restarts, as SVG."""
    pyplot = start_drawing()
    figure, axes = pyplot.subplots(1, len(OPTIMA), figsize=(9, 3), layout="constrained")
    for k, (axis, kind) in enumerate(zip(axes, OPTIMA, strict=True)):
        for d, data in enumerate(DATA):
            axis.plot(RESTARTS, optima[d, :, k], marker="osD"[d], label=data.upper())
        axis.set(
            title=kind, xscale="log", xlabel="restarts", ylabel="distinct optima", ylim=(0, None)
        )
        axis.set_xticks(RESTARTS, labels=map(str, RESTARTS), minor=False)
        axis.minorticks_off()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    figure.savefig(path, metadata={"Date": None})


def start_drawing() -> Any:
    """Return matplotlib's pyplot, set up for SVG files that are equal in every run."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "smatchpp", "svg.fonttype": "none"})
    from matplotlib import pyplot

    return pyplot


def draw_solvers(rows: Sequence[tuple[Any, ...]], path: Path) -> None:
    """Draw time against corpus F1 of each solver, as SVG."""
    pyplot = start_drawing()
    from matplotlib import ticker

    figure, axes = pyplot.subplots(1, len(DATA), figsize=(9, 3), layout="constrained")
    names = list(dict.fromkeys(row[0] for row in rows))
    for axis, data in zip(axes, DATA, strict=True):
        for k, name in enumerate(names):
            (row,) = [row for row in rows if row[0] == name and row[1] == data.upper()]
            axis.scatter(row[7], row[2], marker="osD^v"[k % 5], label=name)
        times = [row[7] for row in rows if row[1] == data.upper()]
        # Limits at powers of ten, so that the ticks are legible.
        ends = 10 ** np.floor(np.log10(min(times))), 10 ** np.ceil(np.log10(max(times)))
        axis.set(title=data.upper(), xscale="log", xlabel="microseconds a pair", ylabel="F1 x 100")
        axis.set_xlim(*ends)
        axis.xaxis.set_minor_formatter(ticker.NullFormatter())
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Print the tables, draw the figures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "figures"
    rows = solver_rows()
    optima = np.stack([count_optima(pairs_of(data)[0]) for data in DATA])
    tables = [reification_table(), left_over_table(), solver_table(rows), optima_table(optima)]
    print(render(tables, "markdown"))
    folder.mkdir(parents=True, exist_ok=True)
    draw_solvers(rows, folder / "smatchpp-solvers.svg")
    draw_optima(optima, folder / "smatchpp-optima.svg")


if __name__ == "__main__":
    main()
