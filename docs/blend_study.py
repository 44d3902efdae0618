"""The experiments on the blend of metrics, as tables.

    python docs/blend_study.py

fetches what it lacks of the data and prints the tables of docs/blend.md as Markdown. It needs the
extra [wordllama], and word vectors for the rows with GloVe.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.protocols import pair_accuracy, pearson
from bamboo.cli.session import Session
from bamboo.config.columns import BENCHMARK, PARTITIONS
from bamboo.config.jobs import compose_group, compose_metrics
from bamboo.config.metrics import build_metric
from bamboo.config.options import read_options
from bamboo.config.request import read_request
from bamboo.results.table import Table, render
from bamboo.train.fit import Training
from bamboo.train.losses import Examples
from bamboo.train.ridge import Ridge, Split, fit_ridge
from metrics.blend.metric import Blend, BlendedPairs
from metrics.types import Floats

Place = tuple[str, str]  # data set and partition
PLACES: list[Place] = [(data, partition) for partition in PARTITIONS for data in BENCHMARK]
CURVE = (100, 300, 1000, None)  # numbers of train pairs; None: all
VECTORS = r"node_match"
ALIGNED = r"smatch|smatchpp|sema"
BAGS = r"sembleu_\d|wlk|rematch"


@dataclass(frozen=True, eq=False)
class Features:
    """The features of all pairs of a benchmark with one blend.

    Attributes:
        blend: the untrained metric.
        columns: the features by name, of each data set, partition and split.
        ratings: of the same.
    """

    blend: Blend
    columns: Mapping[tuple[str, str, str], Mapping[str, Floats]]
    ratings: Mapping[tuple[str, str, str], Floats]

    @classmethod
    def of(cls, session: Session, vectors: str, mass: str = "sif") -> Features:
        """Compute all features of ``blend_cell`` with some word vectors and weights of nodes."""
        entries: list[Any] = [*compose_group("run", "metric", "blend_cell")["of"]]
        entries = [e if e != "node_match" else {"metric": e, "mass": mass} for e in entries]
        (job,) = compose_metrics(
            [("blend", "blend_cell", {"of": entries, "vectors": vectors, "trainer": None})]
        )
        blend = build_metric(job.name, job.metric)
        assert isinstance(blend, Blend)
        columns, ratings = {}, {}
        built = session.paths.data / "built"
        for dataset in session.datasets:
            for partition in PARTITIONS:
                for split in ("train", "dev", "test"):
                    found = _cell(dataset, partition, split, built).load()
                    pairs = [pair for pair in found.pairs if pair is not None]
                    key = (dataset.name, partition, split)
                    columns[key], _ = blend.extractor.features(pairs)
                    ratings[key] = found.ratings
        return cls(blend, columns, ratings)


def _cell(dataset: Dataset, partition: str, split: str, built: Path) -> Cell:
    if split != "train":
        return Cell(dataset, partition, split)
    return Training("blend", {}, dataset, partition, {}, 0, built).train_cell()


class Prepared(BlendedPairs):
    """Pairs of which only the features are given."""

    def __init__(self, blend: Blend, columns: Mapping[str, Floats]) -> None:
        count = len(next(iter(columns.values())))
        super().__init__(blend, (None,) * count)  # type: ignore[arg-type]
        features, knots = blend._terms.features, blend._terms.knots
        stacked = np.stack([columns[name] for name in features], axis=1)
        object.__setattr__(self, "given", -np.maximum(stacked - knots, 0.0))

    def terms(self) -> Floats:
        """The terms."""
        return np.asarray(self.given)  # type: ignore[attr-defined]


def trained(
    features: Features,
    train: Sequence[Place],
    test: Sequence[Place],
    options: Ridge,
    without: str = "(?!)",
    count: int | None = None,
    knots: int = 3,
) -> dict[Place, Floats]:
    """Train on some places together, and score the test splits of others.

    Args:
        without: a regular expression of features that are left out.
        count: number of train pairs of each place, drawn at random; None for all.
        knots: number of knots per feature.
    """
    rng = np.random.default_rng(0)
    chosen = [n for n in features.columns[*train[0], "train"] if not re.match(without, n)]
    rows = {}
    for place in train:
        total, unit = len(features.ratings[*place, "train"]), 2 if place[1] == "arg" else 1
        units = np.arange(total // unit)
        if count is not None and count < total:
            units = np.sort(rng.choice(units, count // unit, replace=False))
        rows[place] = (units[:, None] * unit + np.arange(unit)).ravel()
    pooled = {
        name: np.concatenate([features.columns[*p, "train"][name][rows[p]] for p in train])
        for name in chosen
    }
    blend = _with_knots(features.blend, pooled, knots)

    def examples(place: Place, split: str) -> Examples:
        own = rows[place] if split == "train" else slice(None)
        columns = {n: c[own] for n, c in features.columns[*place, split].items() if n in chosen}
        return Examples(Prepared(blend, columns), features.ratings[*place, split][own])

    splits = [
        Split(" ".join(p), examples(p, "train"), examples(p, "dev"), 2 if p[1] == "arg" else 1)
        for p in train
    ]
    values, _ = fit_ridge(splits, options, np.random.default_rng(0))
    scores = {}
    for place in test:
        prepared = Prepared(blend, features.columns[*place, "test"])
        scores[place] = np.clip(1 + prepared.terms() @ values, 0, 1)
    return scores


def _with_knots(blend: Blend, pooled: Mapping[str, Floats], knots: int) -> Blend:
    """The blend with initial weights, as `Blend.initialised` gives them."""
    shares = np.arange(1, knots + 1) / (knots + 1)
    weights: dict[str, float] = {}
    seen: list[Floats] = []
    for name, values in pooled.items():
        if np.ptp(values) == 0 or any(np.array_equal(values, other) for other in seen):
            continue
        seen.append(values)
        weights[f"{name}>0"] = 0.0
        for knot in np.quantile(values, shares).tolist():
            if 0 < float(f"{knot:.6g}") < values.max():
                weights[f"{name}>{knot:.6g}"] = 0.0
    return blend.with_named(weights)


def statistics(features: Features, scores: Mapping[Place, Floats]) -> list[float | None]:
    """Mean of each data set and Arg, amean by v0.2, and amean by the paper's protocol."""
    v02, paper = {}, {}
    for place, own in scores.items():
        ratings = features.ratings[*place, "test"]
        paper[place] = 100 * pearson(own, ratings)
        v02[place] = 100 * pair_accuracy(own, ratings) if place[1] == "arg" else paper[place]

    def mean(values: Mapping[Place, float], keep: Callable[[Place], bool]) -> float | None:
        kept = [value for place, value in values.items() if keep(place)]
        return float(np.mean(kept)) if kept else None

    whole = len(scores) == len(PLACES)
    return [
        *(mean(v02, lambda p, d=data: p[0] == d and p[1] != "arg") for data in BENCHMARK),  # type: ignore[misc]
        mean(v02, lambda p: p[1] == "arg"),
        mean(v02, lambda p: True) if whole else None,
        mean(paper, lambda p: True) if whole else None,
    ]


COLUMNS = ("sts", "sick", "para", "arg", "v0.2", "paper")


def per_cell(features: Features, options: Ridge, **more: Any) -> list[float | None]:
    """One model for each data set and partition."""
    scores: dict[Place, Floats] = {}
    for place in PLACES:
        scores |= trained(features, [place], [place], options, **more)
    return statistics(features, scores)


def ablation(features: Mapping[str, Features], ridge: Ridge, joint: Ridge) -> Table:
    """What each part contributes."""
    full = features["wordllama"]
    per_data: dict[Place, Floats] = {}
    for data in BENCHMARK:
        own = [place for place in PLACES if place[0] == data]
        per_data |= trained(full, own, own, joint)
    rows = [
        ("all features, one model per cell", per_cell(full, ridge)),
        ("GloVe in place of WordLlama", per_cell(features["glove"], ridge)),
        ("uniform masses", per_cell(features["uniform"], ridge)),
        ("without node_match", per_cell(full, ridge, without=rf"({VECTORS})\b")),
        ("without label_overlap", per_cell(full, ridge, without="label_overlap")),
        ("without information_unmatched", per_cell(full, ridge, without=r".*information")),
        ("without smatch, smatchpp, sema", per_cell(full, ridge, without=rf"({ALIGNED})\b")),
        ("without sembleu, wlk, rematch", per_cell(full, ridge, without=rf"({BAGS})\b")),
        ("node_match alone", per_cell(full, ridge, without=rf"(?!{VECTORS})")),
        ("no knots", per_cell(full, ridge, knots=0)),
        ("one model per data set", statistics(full, per_data)),
        ("one model", statistics(full, trained(full, PLACES, PLACES, joint))),
    ]
    return Table("Ablation", ("", *COLUMNS), tuple((name, *values) for name, values in rows), 1)


def transfer(features: Features, joint: Ridge) -> Table:
    """Train on two data sets, and test on the third."""
    scores: dict[Place, Floats] = {}
    for data in BENCHMARK:
        others = [place for place in PLACES if place[0] != data]
        scores |= trained(features, others, [p for p in PLACES if p[0] == data], joint)
    rows = []
    for partition in PARTITIONS:
        own = {p: s for p, s in scores.items() if p[1] == partition}
        measure = pair_accuracy if partition == "arg" else pearson
        values = [100 * measure(s, features.ratings[*p, "test"]) for p, s in own.items()]
        rows.append((partition, *values))
    return Table("Tested on the data set that was not used", ("", *BENCHMARK), tuple(rows), 1)


def curve(features: Features, ridge: Ridge) -> Table:
    """The number of ratings."""
    rows = [
        ("all" if count is None else str(count), *per_cell(features, ridge, count=count))
        for count in CURVE
    ]
    return Table("Train pairs per cell, dev not used", ("", *COLUMNS), tuple(rows), 1)


def main() -> None:
    """Print the tables."""
    session = Session(read_request("run", ["data=all"]))
    features = {
        "wordllama": Features.of(session, "wordllama"),
        "glove": Features.of(session, "glove"),
        "uniform": Features.of(session, "wordllama", "uniform"),
    }
    ridge, joint = (
        read_options(Ridge, compose_group("train", "trainer", name)["ridge"], "trainer.ridge")
        for name in ("ridge", "ridge_joint")
    )
    without_dev = Ridge(strengths=ridge.strengths, folds=ridge.folds, use_dev=False)
    full = features["wordllama"]
    tables = [ablation(features, ridge, joint), transfer(full, joint), curve(full, without_dev)]
    print(render(tables, "markdown"))


if __name__ == "__main__":
    main()
