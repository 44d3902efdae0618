"""The experiments of the Smatch++ paper on BAMBOO's graphs, as tables and a figure.

    python docs/smatchpp_study.py [FOLDER]

downloads missing data, prints the tables of docs/smatchpp-experiments.md as Markdown and draws the
figure in FOLDER (docs/figures by default), with matplotlib. Only the seconds depend on the machine.
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
from amr_metrics.alignment.smatchpp import SmatchPP
from amr_metrics.base import Pair
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.reification import Reifications, Rule
from amr_metrics.standardize import Standardizer
from amr_metrics.standardize.standardizer import rules_table
from amr_metrics.types import Floats
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
            start = time.perf_counter()
            scores = metric.evaluate(pairs)
            seconds = time.perf_counter() - start
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
    return len(batch.unary) / len(batch), len(batch.matches) / len(batch)


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


def draw(rows: Sequence[tuple[Any, ...]], path: Path) -> None:
    """Time against corpus F1 of each solver, as SVG."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "smatchpp", "svg.fonttype": "none"})
    from matplotlib import pyplot, ticker

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
    """Print the tables, draw the figure."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "figures"
    rows = solver_rows()
    tables = [reification_table(), left_over_table(), solver_table(rows)]
    print(render(tables, "markdown"))
    folder.mkdir(parents=True, exist_ok=True)
    draw(rows, folder / "smatchpp-solvers.svg")


if __name__ == "__main__":
    main()
