"""The values of a run as a bar chart."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from bamboo.errors import BambooError
from bamboo.running.results import CellResult, Result
from metrics.extras import lacking

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")  # Okabe and Ito's
WIDTH = 0.8  # of all bars of a cell; the distance of cells is 1


class PlotError(BambooError):
    """A result that cannot be plotted."""


def plot_result(result: Result) -> Figure:
    """Bars for all metrics, grouped by cell; see `bamboo.api.result.RunResult.plot`."""
    if (problem := lacking("plots", "plots")) is not None:
        raise PlotError(problem)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    class NotebookFigure(Figure):
        """A figure that a notebook shows without a display."""

        def _repr_svg_(self) -> str:
            text = io.StringIO()
            with rc_context({"svg.hashsalt": "bamboo"}):  # the same ids each time
                self.savefig(text, format="svg", metadata={"Date": None})
            return text.getvalue()

    cells = list(dict.fromkeys(_name(cell) for row in result.rows for cell in row.cells))
    if not any(cell.value is not None for row in result.rows for cell in row.cells):
        raise PlotError("there is no value to plot: no statistic is defined on any cell")
    wide = max(5.0, 1.6 + len(cells) * max(0.5, 0.22 * len(result.rows)))
    figure = NotebookFigure(figsize=(wide, 3.6), layout="constrained")
    axes = figure.add_subplot()
    step = WIDTH / len(result.rows)
    published: list[tuple[float, float]] = []
    for k, row in enumerate(result.rows):
        at = [cells.index(_name(cell)) + (k + 0.5) * step - WIDTH / 2 for cell in row.cells]
        values = [float("nan") if cell.value is None else cell.value for cell in row.cells]
        label = row.metric if len(result.rows) > 1 else "measured"
        axes.bar(at, values, step * 0.94, color=COLOURS[k % len(COLOURS)], label=label)
        for x, cell in zip(at, row.cells, strict=True):
            if cell.interval is not None:
                axes.vlines(x, *cell.interval, color="#1b1b1b", linewidth=1)
            if cell.published is not None:
                published.append((x, cell.published))
    if published:
        x_values, y_values = zip(*published, strict=True)
        axes.plot(x_values, y_values, "D", color="#1b1b1b", markersize=3.5, label="published")
    axes.set_xticks(range(len(cells)), cells, rotation=45 if len(cells) > 4 else 0)
    axes.set_ylabel(f"{_statistic(result)} x 100")
    title = f"protocol {result.protocol}"
    axes.set_title(title if len(result.rows) > 1 else f"{result.rows[0].metric}, {title}")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    return figure


def _name(cell: CellResult) -> str:
    return f"{cell.dataset} {cell.partition}"


def _statistic(result: Result) -> str:
    """The statistic, if it is the same for all cells."""
    names = {cell.statistic for row in result.rows for cell in row.cells}
    return names.pop() if len(names) == 1 else "statistic"
