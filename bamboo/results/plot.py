"""The values of a run as a bar chart."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pandas as pd

from bamboo.errors import BambooError
from metrics.utils.extras import lacking

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")  # Okabe and Ito's
WIDTH = 0.8  # of all bars of a cell; the distance of cells is 1


class PlotError(BambooError):
    """A result that cannot be plotted."""


def plot_cells(cells: pd.DataFrame, title: str) -> Figure:
    """Draw bars for all metrics, grouped by cell; see `Results.plot`."""
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

    cells = cells.assign(place=cells["dataset"] + " " + cells["partition"])
    if cells["value"].isna().all():
        raise PlotError("there is no value to plot: no statistic is defined on any cell")
    places, metrics = cells["place"].unique().tolist(), cells["metric"].unique().tolist()
    wide = max(5.0, 1.6 + len(places) * max(0.5, 0.22 * len(metrics)))
    figure = NotebookFigure(figsize=(wide, 3.6), layout="constrained")
    axes = figure.add_subplot()
    step = WIDTH / len(metrics)
    offsets = {metric: (k + 0.5) * step - WIDTH / 2 for k, metric in enumerate(metrics)}
    cells["x"] = cells["place"].map(places.index) + cells["metric"].map(offsets)
    for k, (metric, rows) in enumerate(cells.groupby("metric", sort=False)):
        label = metric if len(metrics) > 1 else "measured"
        colour = COLOURS[k % len(COLOURS)]
        axes.bar(rows["x"], rows["value"], step * 0.94, color=colour, label=label)
    axes.vlines(cells["x"], cells["low"], cells["high"], color="#1b1b1b", linewidth=1)
    published = cells.dropna(subset="published")
    if len(published):
        (points,) = axes.plot(published["x"], published["published"], "D", label="published")
        points.set(color="#1b1b1b", markersize=3.5)
    axes.set_xticks(range(len(places)), places, rotation=45 if len(places) > 4 else 0)
    statistics = cells["statistic"].unique()
    axes.set_ylabel(f"{statistics[0] if len(statistics) == 1 else 'statistic'} x 100")
    axes.set_title(title if len(metrics) > 1 else f"{metrics[0]}, {title}")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    return figure
