"""Pictures of a training: loss and dev over its steps, and the weights it found."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from bamboo.train.weights import Weights

LEAST_USES = 10  # of a weight that is drawn: rarer ones have hardly been learned


def plot_history(weights: Weights, path: Path) -> None:
    """Mean loss of the batches, and Pearson on dev with its best, against steps, as PNG."""
    figure, axes = _figure(7, 4)
    lines = weights.history
    left = axes.twinx()
    left.plot(
        [e.step for e in lines if not math.isnan(e.loss)],
        [e.loss for e in lines if not math.isnan(e.loss)],
        color="#b8c0c8",
        label="loss of the batches",
    )
    left.set_ylabel("loss (1 - Pearson)", color="#5f6b76")
    axes.plot([e.step for e in lines], [100 * e.dev for e in lines], color="#0072b2", label="dev")
    best = max(lines, key=lambda e: e.dev)
    axes.plot(
        [best.step], [100 * best.dev], "o", color="#d55e00", label=f"best, {100 * best.dev:.2f}"
    )
    axes.set(xlabel="steps", ylabel="Pearson on dev x 100", title=_title(weights))
    axes.set_zorder(left.get_zorder() + 1)
    axes.patch.set_visible(False)
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(path, dpi=120)


def plot_weights(weights: Weights, path: Path) -> None:
    """A bar a parameter in use, the largest first, with the number of its uses, as PNG."""
    names = [n for n in weights.values if weights.occurrences[n] >= LEAST_USES]
    names.sort(key=lambda n: weights.values[n])
    figure, axes = _figure(7, 1.2 + 0.2 * max(len(names), 3))
    axes.barh(names, [weights.values[n] for n in names], color="#0072b2", height=0.7)
    middle = sorted(weights.values[n] for n in names)[len(names) // 2] if names else 0.0
    axes.axvline(middle, color="#d55e00", linewidth=1, label="median")
    for row, name in enumerate(names):
        end = max(weights.values[name], 0.0)
        axes.annotate(
            f"{weights.occurrences[name]:,.0f}",
            (end, row),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
            color="#5f6b76",
        )
    axes.tick_params(axis="y", labelsize=8)
    axes.set(xlabel="weight (and uses in training)", title=_title(weights))
    axes.legend(loc="lower right", frameon=False)
    axes.margins(y=0.01, x=0.1)
    figure.savefig(path, dpi=120)


def _figure(width: float, height: float) -> tuple[Any, Any]:
    """A figure that needs no screen and leaves no global state."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _title(weights: Weights) -> str:
    source = weights.source
    return f"{weights.metric.partition('(')[0]}, {source['dataset']} {source['partition']}"
