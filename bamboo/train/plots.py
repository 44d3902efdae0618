"""Plots of a training: loss and dev correlation over its steps, and the learned weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bamboo.train.weights import Weights

LARGEST = 40  # number of weights plotted with their spread
LEAST_USES = 10  # weights that are used less often are not plotted: they are hardly trained


def plot_history(weights: Weights, path: Path) -> None:
    """Plot loss and Pearson on dev against steps, or for each candidate of the trainer, as PNG."""
    figure, axes = _figure(7, 4)
    lines = weights.history
    loss_axes = axes.twinx()
    loss_axes.plot(
        [e.step for e in lines if not math.isnan(e.loss)],
        [e.loss for e in lines if not math.isnan(e.loss)],
        color="#b8c0c8",
        label="loss",
    )
    loss_axes.set_ylabel("loss (1 - Pearson)", color="#5f6b76")
    axes.plot([e.step for e in lines], [100 * e.dev for e in lines], color="#0072b2", label="dev")
    best = max(lines, key=lambda e: e.dev == weights.dev)
    axes.plot(
        [best.step], [100 * best.dev], "o", color="#d55e00", label=f"best, {100 * best.dev:.2f}"
    )
    steps = "candidate" if weights.untrained is None else "steps"
    axes.set(xlabel=steps, ylabel="Pearson on dev x 100", title=_title(weights))
    axes.set_zorder(loss_axes.get_zorder() + 1)
    axes.patch.set_visible(False)
    _add_legend(figure)
    figure.savefig(path, dpi=120)


def plot_weights(weights: Weights, path: Path) -> None:
    """Plot how much each weight has changed, sorted by the change, as PNG.

    The right axis says how often the training pairs use each weight. If the weights have a
    bootstrap spread, the `LARGEST` ones are plotted with it instead.
    """
    if weights.spread:
        _plot_spread(weights, path)
        return
    moved = {n: weights.values[n] - weights.start[n] for n in weights.values}
    names = [n for n in moved if weights.occurrences[n] >= LEAST_USES]
    names.sort(key=lambda n: moved[n])
    figure, axes = _figure(7, 1.4 + 0.2 * max(len(names), 3))
    for color, sign, label in (("#d55e00", 1, "grew"), ("#0072b2", -1, "shrank")):
        rows = [k for k, n in enumerate(names) if (moved[n] > 0) - (moved[n] < 0) == sign]
        first = [weights.start[names[k]] for k in rows]
        last = [weights.values[names[k]] for k in rows]
        axes.hlines(rows, first, last, color=color, linewidth=2)
        axes.plot(last, rows, "o", color=color, markersize=5, label=label)
    axes.plot(
        [weights.start[n] for n in names],
        range(len(names)),
        "|",
        color="#5f6b76",
        markersize=8,
        label="start",
    )
    uses = axes.secondary_yaxis("right", color="#5f6b76")
    uses.set_yticks(range(len(names)), [f"{weights.occurrences[n]:,.0f}" for n in names])
    uses.tick_params(labelsize=7, length=0)
    uses.spines["right"].set_visible(False)
    uses.set_ylabel("uses")
    _label_rows(axes, names, weights)
    _add_legend(figure)
    figure.savefig(path, dpi=120)


def _plot_spread(weights: Weights, path: Path) -> None:
    """Plot the largest weights, each with its standard deviation over bootstrap samples."""
    names = sorted(weights.values, key=lambda n: -abs(weights.values[n]))[:LARGEST]
    names.sort(key=lambda n: weights.values[n])
    figure, axes = _figure(9, 1.4 + 0.2 * max(len(names), 3))
    axes.errorbar(
        [weights.values[n] for n in names],
        range(len(names)),
        xerr=[weights.spread[n] for n in names],
        fmt="o",
        color="#0072b2",
        ecolor="#b8c0c8",
        markersize=5,
        label="weight, with the standard deviation over bootstrap samples",
    )
    axes.axvline(0, color="#5f6b76", linewidth=0.8)
    _label_rows(axes, names, weights)
    _add_legend(figure)
    figure.savefig(path, dpi=100)


def _label_rows(axes: Any, names: Sequence[str], weights: Weights) -> None:
    """Name the rows, one per weight, and the axis of their values."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(axis="x", color="#e3e7eb", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.set(xlabel="weight", title=_title(weights))


def _add_legend(figure: Any) -> None:
    """Add a legend below the axes, where it covers nothing."""
    figure.legend(loc="outside lower center", ncols=3, frameon=False)


def _figure(width: float, height: float) -> tuple[Any, Any]:
    """A figure that needs neither a display nor global state."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _title(weights: Weights) -> str:
    places = [weights.source, *weights.source.get("others", ())]
    cells = [f"{place['dataset']} {place['partition']}" for place in places]
    where = cells[0] if len(cells) == 1 else f"{len(cells)} cells"
    return f"{weights.metric.partition('(')[0]}, {where}"
