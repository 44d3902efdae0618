"""The experiments on the blend of metrics, as tables.

    python -m bamboo build data=para partition=reify split=train
    python docs/studies/blend_study.py

prints tables of docs/studies/blend.md as Markdown; the data that it lacks are fetched. It needs the
extra [blend] and WordNet (``python -m nltk.downloader wordnet``). All models
are trained on the train splits alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from blend_data import PLACES, Cells, Place, features_of, load, metric_named

from amr_metrics.alignment.smatch import Smatch
from amr_metrics.base import Pair
from amr_metrics.blend.metric import Blend, BlendedPairs
from amr_metrics.graphs.graph import Graph
from amr_metrics.types import Floats
from bamboo.api.data import resolve_datasets
from bamboo.benchmark.columns import BENCHMARK, PARTITIONS
from bamboo.display.table import Table, render
from bamboo.statistics.ratings import pair_accuracy, pearson, spearman
from bamboo.ties import TIE
from bamboo.training.correlation import CellExamples, Correlation, DamagedRows, fit_correlation
from bamboo.training.damage import Damage, amount
from bamboo.training.steps import Examples

HELD_OUT = Damage(moved_chains=0)
ENDS = Damage(smallest=4, chains=0, steps=4)
LEAST_DIFFERENCE = 0.02  # of the damage of two graphs that are compared


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs and their features.

    Attributes:
        pairs: the pairs.
        columns: the features by name.
        targets: ratings, or the amounts of damage.
    """

    pairs: Sequence[Pair]
    columns: Mapping[str, Floats]
    targets: Floats

    def prepared(self, blend: Blend, rows: Any = slice(None)) -> BlendedPairs:
        """Return the pairs at some rows, ready for training."""
        pairs = [self.pairs[k] for k in np.arange(len(self.pairs))[rows].tolist()]
        prepared = blend.prepare(pairs)
        # The features are known; they take the place of those that would be computed.
        vars(prepared)["features"] = {name: c[rows] for name, c in self.columns.items()}
        return prepared

    def scores(self, blend: Blend) -> Floats:
        """Return the scores."""
        return self.prepared(blend).score(blend.parameters.values)


@dataclass(frozen=True, eq=False)
class Data:
    """The features of BAMBOO and of damaged graphs with one blend.

    Attributes:
        blend: the untrained metric.
        cells: the pairs of each data set, partition and split.
        damaged: chains of damaged graphs: ``train``, and from graphs of dev ``dev`` and ``ends``,
            where only the ends of relations are changed.
    """

    blend: Blend
    cells: Mapping[tuple[str, str, str], Pairs]
    damaged: Mapping[str, Pairs]

    @classmethod
    def of(cls, loaded: Cells) -> Data:
        """Compute all features."""
        blend = metric_named("blend", learned=None)
        assert isinstance(blend, Blend)
        features = features_of(blend, loaded)
        cells = {k: Pairs(part.pairs, features[k], part.ratings) for k, part in loaded.items()}
        rng = np.random.default_rng(0)
        train, dev = (_graphs(cells, split) for split in ("train", "dev"))
        damaged = {
            "train": Damage().pairs(train, rng),
            "dev": HELD_OUT.pairs(dev, rng),
            "ends": ENDS.pairs(dev, rng),
        }
        return cls(blend, cells, {name: _damaged(blend, d) for name, d in damaged.items()})

    def with_options(self, **options: Any) -> Data:
        """Return the same features for a blend with other options."""
        return replace(self, blend=replace(self.blend, **options))


def _graphs(cells: Mapping[tuple[str, str, str], Pairs], split: str) -> list[Graph]:
    chosen = [found.pairs for (_, _, name), found in cells.items() if name == split]
    return [graph for pairs in chosen for pair in pairs for graph in pair]


def _damaged(blend: Blend, pairs: Sequence[Pair]) -> Pairs:
    features = blend.extractor.features(pairs)
    return Pairs(pairs, features, np.array([amount(pair) for pair in pairs]))


def together(data: Data, places: Sequence[Place] = PLACES, **options: Any) -> dict[Place, Blend]:
    """Train one model on the cells at some places, as `blend` is trained; for all places."""
    pooled = {
        name: np.concatenate([data.cells[*place, "train"].columns[name] for place in places])
        for name in data.blend.extractor.names
    }
    blend = data.blend.initialised_on(pooled)
    splits = []
    for place in places:
        train, dev = (
            Examples(part.prepared(blend), part.targets)
            for part in (data.cells[*place, split] for split in ("train", "dev"))
        )
        splits.append(CellExamples(" ".join(place), train, dev, 2 if place[1] == "arg" else 1))
    found = data.damaged["train"]
    rows = DamagedRows.of(found.prepared(blend).terms(), found.targets, Damage().steps)
    correlation = Correlation(use_dev=False, **options)
    values, _ = fit_correlation(splits, rows, blend.parameters.values, correlation)
    return dict.fromkeys(PLACES, blend.with_parameters(values))


def measured(data: Data, models: Mapping[Place, Blend], split: str) -> dict[Place, float]:
    """Return protocol v0.2's statistic of each cell, x 100."""
    values = {}
    for place, blend in models.items():
        found = data.cells[*place, split]
        measure = pair_accuracy if place[1] == "arg" else pearson
        values[place] = 100 * measure(found.scores(blend), found.targets)
    return values


def summary(values: Mapping[Place, float]) -> list[float]:
    """Return the mean of each data set's rated partitions, of Arg, and of all cells."""

    def mean(keep: Callable[[Place], bool]) -> float:
        return float(np.mean([value for place, value in values.items() if keep(place)]))

    rated = [mean(lambda p, d=data: p[0] == d and p[1] != "arg") for data in BENCHMARK]  # type: ignore[misc]
    return [*rated, mean(lambda p: p[1] == "arg"), mean(lambda p: True)]


def on_damage(data: Data, blend: Blend) -> list[float]:
    """Return the agreement with damage that was not used for training, x 100.

    The share of couples of damaged graphs, made from the same graph, of which the less damaged one
    has the higher score; Spearman's correlation where only the ends of relations are changed; and
    the share of steps with more damage that raise the score.
    """
    return agreement(data, {name: d.scores(blend) for name, d in data.damaged.items()})


def agreement(data: Data, scores: Mapping[str, Floats]) -> list[float]:
    """Return what `on_damage` does, for some scores."""
    chains, steps = HELD_OUT.chains, HELD_OUT.steps
    given = scores["dev"].reshape(-1, chains, steps)
    amounts = data.damaged["dev"].targets.reshape(-1, chains, steps)
    difference = amounts[:, 0] - amounts[:, 1]
    compared = np.abs(difference) > LEAST_DIFFERENCE
    right = np.sign(given[:, 1] - given[:, 0]) == np.sign(difference)
    ends = spearman(scores["ends"], -data.damaged["ends"].targets)
    gained = np.diff(given, prepend=1.0)[np.diff(amounts, prepend=0.0) > 0]
    rises = float((gained > TIE).mean())
    return [100 * value for value in (float(right[compared].mean()), ends, rises)]


CELL_COLUMNS = (*BENCHMARK, "arg", "v0.2")
ONE_COLUMNS = (*CELL_COLUMNS, "v0.2 dev", "damage", "ends", "rises")


def ablation(data: Data) -> Table:
    """What each part contributes to the model for all data."""
    blend = data.blend

    def row(name: str, variant: Data, **options: Any) -> tuple[Any, ...]:
        models = together(variant, **options)
        test, dev = (summary(measured(variant, models, split)) for split in ("test", "dev"))
        return (name, *test, dev[-1], *on_damage(variant, models[PLACES[0]]))

    metrics = [metric for metric in blend.of if metric != "node_match"]
    without_wlk = {name: metric for name, metric in blend.of.items() if name != "wlk"}
    smatch = {name: Smatch().score(found.pairs) for name, found in data.damaged.items()}
    return Table(
        "One model",
        ("", *ONE_COLUMNS),
        (
            row("blend, without dev", data),
            row("without damage", data, damage_weight=0.0),
            row("the same weights for all graphs", data.with_options(near="")),
            row("the same, damage weight 3", data.with_options(near=""), damage_weight=3.0),
            row("without interactions", data.with_options(interactions=False)),
            row("no knots", data.with_options(knots=0)),
            row("with information_unmatched", data.with_options(without=())),
            *(row(f"without {m}", data.with_options(without=_features(blend, m))) for m in metrics),
            row("without wlk, also in products", data.with_options(of=without_wlk)),
            ("smatch", *[None] * 6, *agreement(data, smatch)),
        ),
        1,
    )


def _features(blend: Blend, metric: str) -> tuple[str, ...]:
    """Return the features of a metric, and those that the blend leaves out."""
    names = [n for n in blend.extractor.names if re.match(rf"{metric}\b", n)]
    return tuple(dict.fromkeys([*blend.without, *names]))


def transfer(data: Data) -> Table:
    """Train on two data sets, and test on the third."""
    values: dict[Place, float] = {}
    for tested in BENCHMARK:
        models = together(data, [place for place in PLACES if place[0] != tested])
        own = {place: blend for place, blend in models.items() if place[0] == tested}
        values |= measured(data, own, "test")
    return Table(
        "Tested on the data set that was not used",
        ("", *BENCHMARK),
        tuple((p, *(values[d, p] for d in BENCHMARK)) for p in PARTITIONS),
        1,
    )


def main() -> None:
    """Print the tables."""
    data = Data.of(load(resolve_datasets("all")))
    print(render([ablation(data), transfer(data)], "markdown"))


if __name__ == "__main__":
    main()
