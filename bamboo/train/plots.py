"""Plots of a training: loss and dev correlation over its steps, and the learned weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from amr_metrics.utils.files import replacing
from bamboo.config.weights import Weights

LEAST_USES = 10  # weights that are used less often are not plotted: they are hardly trained
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#5f6b76"


def plot_history(weights: Weights, path: Path) -> None:
    """Plot loss and Pearson on dev against steps, or for each candidate of the trainer, as PNG."""
    history = pd.DataFrame(weights.history)
    history["dev"] *= 100
    best = history[history["dev"] == 100 * weights.dev].iloc[0]
    figure, axes = _figure(weights, 7, 4)
    loss_axes = axes.twinx()
    loss_axes.plot("step", "loss", data=history.dropna(subset="loss"), color="#b8c0c8")
    loss_axes.set_ylabel("loss (1 - Pearson)", color=GREY)
    axes.plot("step", "dev", data=history, color=BLUE)
    axes.plot(best["step"], best["dev"], "o", color=ORANGE, label=f"best, {best['dev']:.2f}")
    steps = "candidate" if weights.untrained is None else "steps"
    axes.set(xlabel=steps, ylabel="Pearson on dev x 100", zorder=loss_axes.get_zorder() + 1)
    axes.patch.set_visible(False)
    _save(figure, path)


def plot_weights(weights: Weights, path: Path) -> None:
    """Plot how much each weight has changed, sorted by the change, as PNG.

    The right axis says how often the training pairs use each weight.
    """
    columns = ("start", "values", "occurrences")
    table = pd.DataFrame({name: getattr(weights, name) for name in columns})
    table["change"] = table["values"] - table["start"]
    table = table[table["occurrences"] >= LEAST_USES].sort_values("change", kind="stable")
    table["row"] = range(len(table))
    figure, axes = _figure(weights, 7, 1.4 + 0.2 * max(len(table), 3))
    for color, sign, label in ((ORANGE, 1, "grew"), (BLUE, -1, "shrank")):
        part = table[table["change"] * sign > 0]
        axes.hlines(part["row"], part["start"], part["values"], color=color, linewidth=2)
        axes.plot("values", "row", "o", data=part, color=color, markersize=5, label=label)
    axes.plot("start", "row", "|", data=table, color=GREY, markersize=8, label="start")
    uses = axes.secondary_yaxis("right", color=GREY)
    uses.set_yticks(table["row"], [f"{count:,.0f}" for count in table["occurrences"]])
    uses.tick_params(labelsize=7, length=0)
    uses.spines["right"].set_visible(False)
    uses.set_ylabel("uses")
    axes.set_yticks(table["row"], table.index)
    axes.set(xlabel="weight", ylim=(-0.7, len(table) - 0.3))
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(axis="x", color="#e3e7eb", linewidth=0.7)
    axes.set_axisbelow(True)
    _save(figure, path)


def _figure(weights: Weights, width: float, height: float) -> tuple[Figure, Any]:
    """Return a figure, which needs neither a display nor global state, and its axes."""
    places = [weights.source, *weights.source.get("others", ())]
    cells = [f"{place['dataset']} {place['partition']}" for place in places]
    where = cells[0] if len(cells) == 1 else f"{len(cells)} cells"
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot(title=f"{weights.metric.partition('(')[0]}, {where}")
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _save(figure: Figure, path: Path) -> None:
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    with replacing(path) as file:
        figure.savefig(file, dpi=120)
