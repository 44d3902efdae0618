"""The data of the metric `blend`, as tables: overlap of train and test, and the sentences alone.

    python -m bamboo build data=para partition=reify split=train
    python docs/studies/blend_data.py

prints tables of docs/studies/blend.md as Markdown; the data that it lacks are fetched. It needs the
extra [blend] and WordNet (``python -m nltk.downloader wordnet``). The result is the same each time.

Words are sequences of letters, digits and underscores in lower case. Two pairs are duplicates if
their sentences have the same words, as often, in either order of the sentences; they are near
duplicates if, in one of the orders, the Jaccard coefficient of the words of both couples of
sentences is at least .8. Arg has no sentences: its pairs are compared by graph, and stay in the
train and test splits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from amr_metrics.alignment.smatch import Smatch
from amr_metrics.base import Metric, Pair
from amr_metrics.blend.metric import SAMPLE, Blend, limit_sums
from amr_metrics.graphs.graph import Graph, Relation
from amr_metrics.parameters import LinearPairs
from amr_metrics.text.jaccard import WORD
from amr_metrics.types import Bools, Floats, Ints
from bamboo.api.data import resolve_datasets
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.columns import BENCHMARK, PARTITIONS
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.sentences import list_texts
from bamboo.config.requests import build_named_row
from bamboo.display.table import Table, render
from bamboo.installation import paths
from bamboo.statistics.ratings import pair_accuracy, pearson
from bamboo.training.correlation import CellExamples, Correlation, DamagedRows, fit_correlation
from bamboo.training.damage import Damage, amount
from bamboo.training.fit import Training
from bamboo.training.steps import Examples

Place = tuple[str, str]  # data set and partition
PLACES: list[Place] = [(data, partition) for partition in PARTITIONS for data in BENCHMARK]
MAIN: list[Place] = [(data, "main") for data in BENCHMARK]
SPLITS = ("train", "dev", "test")
NEAR = 0.8
TEXT = ("text_cosine", "text_jaccard", "text_bleu", "text_chrf")
BLOCK = 1000  # sentences compared at a time: keeps the arrays small


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of a split and their ratings."""

    pairs: Sequence[Pair]
    ratings: Floats


Cells = Mapping[tuple[str, str, str], Pairs]
Columns = Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class Rows(LinearPairs):
    """Pairs with what each parameter adds to their scores, pairs x parameters."""

    values: Floats

    def terms(self) -> Floats:
        """Return `values`."""
        return self.values

    @property
    def offset(self) -> float:
        """1, as that of blends."""
        return 1.0

    def score(self, values: Floats, indices: Ints | None = None) -> Floats:
        """Return the scores of the pairs at `indices` (None: all) for the weights `values`."""
        rows = self.values if indices is None else self.values[indices]
        return limit_sums(self.offset + (rows * values).sum(axis=1))


def load(datasets: Sequence[Dataset]) -> dict[tuple[str, str, str], Pairs]:
    """Return the pairs of each data set, partition and split."""
    cells = {}
    for dataset in datasets:
        for partition in PARTITIONS:
            training = Training("blend", {}, dataset, partition, {}, 0, paths().data / "built")
            for split in SPLITS:
                cell = training.train_cell() if split == "train" else None
                found = (cell or Cell(dataset, partition, split)).load()
                pairs = [pair for pair in found.pairs if pair is not None]
                cells[dataset.name, partition, split] = Pairs(pairs, found.ratings)
    return cells


def metric_named(name: str, **options: Any) -> Metric:
    """Return a metric, with the weights that are shipped."""
    row = build_named_row(name, name, options)
    return row.on()


# Overlap


def words(sentence: str) -> list[str]:
    """Return the words of a sentence."""
    return WORD.findall(sentence.lower())


def bags(pair: Pair) -> frozenset[tuple[str, ...]]:
    """Return the words of both sentences, for comparison in either order."""
    return frozenset(tuple(sorted(words(text))) for text in list_texts(pair))


def main_pairs(cells: Cells, names: Sequence[str], *splits: str) -> list[Pair]:
    """Return the pairs of Main of some data sets and splits."""
    return [pair for name in names for split in splits for pair in cells[name, "main", split].pairs]


def duplicates(pairs: Sequence[Pair], others: Sequence[Pair]) -> Bools:
    """Return which pairs have a duplicate among the others."""
    known = {bags(pair) for pair in others}
    return np.array([bags(pair) in known for pair in pairs])


def near_duplicates(pairs: Sequence[Pair], others: Sequence[Pair]) -> Bools:
    """Return which pairs have a near duplicate among the others."""
    vocabulary: dict[str, int] = {}
    sides = [
        [_word_matrix([list_texts(pair)[side] for pair in part], vocabulary) for side in (0, 1)]
        for part in (pairs, others)
    ]
    for part in sides:
        for matrix in part:
            matrix.resize((matrix.shape[0], len(vocabulary)))
    (a, b), (c, d) = sides
    found = []
    for at in range(0, len(pairs), BLOCK):
        rows = slice(at, at + BLOCK)
        same = _similar(a[rows], c).multiply(_similar(b[rows], d))
        crossed = _similar(a[rows], d).multiply(_similar(b[rows], c))
        found.append((same + crossed).getnnz(axis=1) > 0)
    return np.concatenate(found)


def _word_matrix(sentences: Sequence[str], vocabulary: dict[str, int]) -> Any:
    """Return which words each sentence has; new words are added to the vocabulary."""
    sets = [sorted(set(words(sentence))) for sentence in sentences]
    columns = [vocabulary.setdefault(word, len(vocabulary)) for line in sets for word in line]
    ends = np.cumsum([0, *map(len, sets)])
    ones = np.ones(len(columns), np.float32)
    return csr_matrix((ones, columns, ends), (len(sets), len(vocabulary)))


def _similar(a: Any, b: Any) -> Any:
    """Return which sentences have a Jaccard coefficient of at least `NEAR`, as 1."""
    shared = (a @ b.T).tocoo()
    sizes = [np.asarray(part.sum(axis=1)).ravel() for part in (a, b)]
    union = sizes[0][shared.row] + sizes[1][shared.col] - shared.data
    near = shared.data >= NEAR * union - 1e-6
    ones = np.ones(int(near.sum()), np.float32)
    return csr_matrix((ones, (shared.row[near], shared.col[near])), shared.shape)


def overlap(cells: Cells) -> Table:
    """Return how many test pairs are in train or dev."""
    rows: list[tuple[Any, ...]] = []
    for data in BENCHMARK:
        test = main_pairs(cells, [data], "test")
        counts = []
        for other in BENCHMARK:
            known = main_pairs(cells, [other], "train", "dev")
            counts.append(int(duplicates(test, known).sum()))
        known = main_pairs(cells, BENCHMARK, "train", "dev")
        sentences = {tuple(sorted(words(text))) for pair in known for text in list_texts(pair)}
        both = sum(bags(pair) <= sentences for pair in test)
        originals = cells[data, "arg", "test"].pairs[1::2]
        graphs = {_graphs(pair) for pair in main_pairs(cells, [data], "train", "dev")}
        arg = sum(_graphs(pair) in graphs for pair in originals)
        single = {graph for pair in graphs for graph in pair}
        each = sum(single.issuperset(_graphs(pair)) for pair in originals)
        near = int(near_duplicates(test, known).sum())
        rows.append((data, len(test), *counts, near, both, len(originals), arg, each))
    head = ("test pairs of", "pairs", *(f"in {data}" for data in BENCHMARK))
    more = ("near duplicates", "both sentences", "originals of Arg", "same pair", "both graphs")
    note = "Both sentences and near duplicates: in any data set; Arg: in Main of the same data set."
    return Table("Test pairs in train or dev", (*head, *more), tuple(rows), notes=(note,))


def _graphs(pair: Pair) -> tuple[Any, ...]:
    """Return what two graphs consist of, regardless of the order in which it is written."""
    return tuple((graph.top, frozenset(Counter(graph.triples).items())) for graph in pair)


# Training


def rows_of(blend: Blend, pairs: Sequence[Pair], features: Columns) -> Rows:
    """Return the pairs as rows of terms of a blend."""
    prepared = blend.prepare(pairs)
    vars(prepared)["features"] = features  # they are known and take the place of computed ones
    return Rows(blend, pairs, prepared.terms())


def initialised(blend: Blend, features: Columns) -> Blend:
    """Return the blend with knots for some train pairs."""
    step = max(1, len(next(iter(features.values()))) // SAMPLE)
    return blend.initialised_on({name: column[::step] for name, column in features.items()})


Maker = Callable[[Place], Mapping[str, Rows]]  # the rows of each split of a cell


def blend_rows(
    blend: Blend, cells: Cells, features: Mapping[Any, Columns], place: Place
) -> dict[str, Rows]:
    """Return the rows of each split of a cell, with knots for its train pairs."""
    blend = initialised(blend, features[*place, "train"])
    return {s: rows_of(blend, cells[*place, s].pairs, features[*place, s]) for s in SPLITS}


def split_of(cells: Cells, place: Place, rows: Mapping[str, Rows], keep: Any) -> CellExamples:
    """Return the train and dev splits of a cell, only the pairs that are kept."""
    parts = []
    for name in ("train", "dev"):
        chosen = np.arange(len(rows[name].pairs)) if keep is None else keep[*place, name]
        pairs = [rows[name].pairs[k] for k in np.arange(len(rows[name].pairs))[chosen]]
        ratings = cells[*place, name].ratings[chosen]
        parts.append(Examples(Rows(rows[name].metric, pairs, rows[name].values[chosen]), ratings))
    return CellExamples(" ".join(place), parts[0], parts[1], 2 if place[1] == "arg" else 1)


def on_main(cells: Cells, make: Maker) -> dict[Place, Floats]:
    """Return the scores of test pairs of a model for Main of each data set, without damage."""
    found = {}
    for place in MAIN:
        rows = make(place)
        start = np.ones(rows["train"].values.shape[1])
        split = split_of(cells, place, rows, None)
        weights, _ = fit_correlation([split], None, start, Correlation())
        found[place] = rows["test"].score(weights)
    return found


def together(
    blend: Blend, cells: Cells, features: Mapping[Any, Columns], keep: Any
) -> dict[Place, Floats]:
    """Return the scores of test pairs of one model that is trained as `blend` is."""
    names = blend.extractor.names
    chosen = {place: features[*place, "train"] for place in PLACES}
    pooled = {n: np.concatenate([chosen[p][n][keep[*p, "train"]] for p in PLACES]) for n in names}
    blend = initialised(blend, pooled)
    splits, tests = [], {}
    for place in PLACES:
        rows = {s: rows_of(blend, cells[*place, s].pairs, features[*place, s]) for s in SPLITS}
        splits.append(split_of(cells, place, rows, keep))
        tests[place] = rows["test"]
    graphs = [g for p in PLACES for pair in cells[*p, "train"].pairs for g in pair]
    options = Damage()
    pairs = options.pairs(graphs, np.random.default_rng(0))
    terms = rows_of(blend, pairs, blend.extractor.features(pairs)).terms()
    damage = DamagedRows.of(terms, np.array([amount(pair) for pair in pairs]), options.steps)
    weights, _ = fit_correlation(splits, damage, blend.parameters.values, Correlation())
    return {place: rows.score(weights) for place, rows in tests.items()}


def statistics(
    cells: Cells, found: Mapping[Place, Floats], keep: Mapping[Place, Bools] | None = None
) -> list[float]:
    """Return protocol v0.2's statistic of each cell x 100, of the test pairs that are kept."""
    values = []
    for place, given in found.items():
        chosen = slice(None) if keep is None else keep[place]
        measure = pair_accuracy if place[1] == "arg" else pearson
        values.append(100 * measure(given[chosen], cells[*place, "test"].ratings[chosen]))
    return values


def without_duplicates(cells: Cells, features: Mapping[Any, Columns]) -> Table:
    """Return the amean without duplicates in test, and of models without them in train and dev."""
    known, test = (main_pairs(cells, BENCHMARK, *s) for s in (("train", "dev"), ("test",)))
    kept_test, kept = {}, {}
    for place in PLACES:
        for split in SPLITS:
            pairs = cells[*place, split].pairs
            if place[1] == "arg":
                dropped = np.zeros(len(pairs), np.bool_)
            else:
                dropped = duplicates(pairs, known) if split == "test" else _near_cached(pairs, test)
            if split == "test":
                kept_test[place] = ~dropped
            else:
                kept[*place, split] = ~dropped
    one = metric_named("blend")
    untrained = metric_named("blend", learned=None)
    assert isinstance(one, Blend)
    assert isinstance(untrained, Blend)
    smatch = {p: Smatch().score(cells[*p, "test"].pairs) for p in PLACES}
    blend = {}
    for p in PLACES:
        rows = rows_of(one, cells[*p, "test"].pairs, features[*p, "test"])
        blend[p] = rows.score(one.parameters.values)
    retrained = together(untrained, cells, features, kept)
    rows_out = []
    for name, found, again in (("smatch", smatch, None), ("blend", blend, retrained)):
        values = [np.mean(statistics(cells, found, keep)) for keep in (None, kept_test)]
        rows_out.append((name, *values, again and float(np.mean(statistics(cells, again)))))
    columns = ("amean, v0.2", "all", "test without duplicates", "train without near duplicates")
    counts = [f"{data}: {int((~kept[data, 'main', 'train']).sum())}" for data in BENCHMARK]
    note = f"Near duplicates of test pairs in Main's train splits: {', '.join(counts)}"
    return Table("Without duplicates", columns, tuple(rows_out), notes=(note,))


_NEAR: dict[Any, Bools] = {}  # partitions of the same sentences need to be compared only once


def _near_cached(pairs: Sequence[Pair], test: Sequence[Pair]) -> Bools:
    key = tuple(list_texts(pair) for pair in pairs)
    if key not in _NEAR:
        _NEAR[key] = near_duplicates(pairs, test)
    return _NEAR[key]


# Sentences


def chain(graph: Graph) -> Graph:
    """Return the words of the sentence as nodes, with a relation from each to the next."""
    found = words(graph.sentence) or ["_"]
    names = [f"w{k}" for k in range(len(found))]
    steps = pairwise(names)
    relations = [Relation(a, ":next", b) for a, b in steps]
    return Graph(tuple(names), tuple(found), (), tuple(relations), "w0", graph.metadata)


def changed(cells: Cells) -> dict[tuple[str, str, str], Pairs]:
    """Return Main with word chains in place of graphs."""
    return {
        key: Pairs([Pair(chain(a), chain(b)) for a, b in found.pairs], found.ratings)
        for key, found in cells.items()
        if key[1] == "main"
    }


def features_of(blend: Blend, cells: Cells) -> dict[tuple[str, str, str], Columns]:
    """Return the features of all pairs."""
    return {key: blend.extractor.features(found.pairs) for key, found in cells.items()}


def sentences_alone(cells: Cells, blend: Blend, features: Mapping[Any, Columns]) -> Table:
    """Return Pearson's correlation on Main of models of the sentences and of the graphs."""
    baselines = [metric_named(name) for name in TEXT]

    def text(place: Place) -> dict[str, Rows]:
        rows = {}
        for split in SPLITS:
            pairs = cells[*place, split].pairs
            columns = [metric.score(pairs) for metric in baselines]
            rows[split] = Rows(blend, pairs, np.stack(columns, axis=1) - 1.0)
        return rows

    chains = changed(cells)
    amr = partial(blend_rows, blend, cells, features)
    of_words = partial(blend_rows, blend, chains, features_of(blend, chains))

    def both(place: Place) -> dict[str, Rows]:
        a, b = amr(place), of_words(place)
        return {s: Rows(blend, a[s].pairs, np.hstack([a[s].values, b[s].values])) for s in SPLITS}

    makers: dict[str, Maker] = {
        "text_cosine, text_jaccard, text_bleu, text_chrf": text,
        "word chains": of_words,
        "AMR": amr,
        "AMR and word chains": both,
    }
    rows = [(name, *statistics(cells, on_main(cells, m))) for name, m in makers.items()]
    return Table("Sentences and graphs", ("features of", *BENCHMARK), tuple(rows), 1)


def main() -> None:
    """Print the tables."""
    cells = load(resolve_datasets("all"))
    blend = metric_named("blend", learned=None)
    assert isinstance(blend, Blend)
    features = features_of(blend, cells)
    tables = [
        overlap(cells),
        sentences_alone(cells, blend, features),
        without_duplicates(cells, features),
    ]
    print(render(tables, "markdown"))


if __name__ == "__main__":
    main()
