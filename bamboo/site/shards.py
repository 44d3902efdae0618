"""The pairs as small script files that the pair explorer loads on demand.

A page opened from disk cannot fetch data, but it can load scripts. Each file calls ``bamboo.add``
with its name and its data:

- ``cells/<data>-<partition>``: numbers, ratings, each metric's scores and ranks, and for altered
  pairs the number of the pair in Main that they were made from, and which side was altered;
- ``text/<n>``: the sentences of a cell; cells with the same sentences share them;
- ``graphs/<data>-<partition>-<k>``: the outlines of `CHUNK` pairs, and each metric's alignments,
  matches and contributions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from amr_metrics.base import Pair
from amr_metrics.types import Floats
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.sentences import Sentences
from bamboo.explanation.outline import Outline, outline
from bamboo.files import json_text
from bamboo.scoring.scored import Scored
from bamboo.site.alignments import AlignedPair, Outlines
from bamboo.site.content import competition_ranks
from bamboo.site.folder import SiteFolder

CHUNK = 64  # pairs per file of graphs
SCALE = 10_000  # scores are shown with four decimals
# By the metric's slug: the explanations, and the pairs that are explained in another form.
Alignments = Mapping[str, tuple[Sequence[AlignedPair], Mapping[int, Outlines]]]
SIDES = ("precision", "recall")


def script(name: str, data: object) -> str:
    """Return the text of a script file."""
    return f"bamboo.add({json_text(name)},{json_text(data, separators=(',', ':'))});\n"


def cell_name(cell: Cell) -> str:
    """Return the name of a cell in addresses."""
    return f"{cell.dataset.name}-{cell.partition}"


def write_cell(
    folder: SiteFolder,
    cell: Cell,
    pairs: Sequence[Pair | None],
    sentences: Sentences,
    scores: Mapping[str, Scored],
    explained: Alignments,
    texts: dict[str, str],
) -> None:
    """Write the files of one cell.

    Args:
        sentences: of the pairs.
        scores: by the metric's slug.
        explained: of the metrics that align nodes, their alignments, and the outlines of the pairs
            that they explain in another form, by position.
        texts: the files of sentences written so far, by content; this cell's file is added.
    """
    name = cell_name(cell)
    first = next(iter(scores.values()))
    kinds = {
        slug: names_in(pair.matches for pair in aligned) for slug, (aligned, _) in explained.items()
    }
    features = {
        slug: names_in(pair.effects for pair in aligned) for slug, (aligned, _) in explained.items()
    }
    content = {
        "numbers": first.pairs["number"].tolist(),
        "ratings": shown(first.pairs["rating"]),
        "unit": cell.unit,
        "text": _sentences(folder, sentences, texts),
        "scores": {slug: shown(cell_scores.scores.values) for slug, cell_scores in scores.items()},
        "ranks": {
            slug: competition_ranks(cell_scores.scores.values).tolist()
            for slug, cell_scores in scores.items()
        },
        "aligned": list(explained),
        "sides": {
            slug: [shown(cell_scores.scores.details[side]) for side in SIDES]
            for slug, cell_scores in scores.items()
            if slug in explained and all(side in cell_scores.scores.details for side in SIDES)
        },
        "kinds": kinds,
        "features": {slug: names for slug, names in features.items() if names},
        "chunk": CHUNK,
        "origins": {
            str(first.pairs["number"][k]): [number, sentences.altered[k]]
            for k, number in sentences.main.items()
        },
    }
    folder.write(f"data/cells/{name}.js", script(f"cells/{name}", content))
    for k, start in enumerate(range(0, len(pairs), CHUNK)):
        positions = range(start, min(start + CHUNK, len(pairs)))
        chunk = _graphs(positions, pairs, explained, kinds, features)
        folder.write(f"data/graphs/{name}-{k}.js", script(f"graphs/{name}-{k}", chunk))


def shown(values: Floats) -> list[int | None]:
    """Return values rounded to four decimals, in units of the last decimal.

    >>> shown(np.array([0.03125, 1.0, np.nan]))
    [312, 10000, None]
    """
    return [
        int(f"{value:.4f}".replace(".", "")) if np.isfinite(value) else None
        for value in values.tolist()
    ]


def _sentences(folder: SiteFolder, sentences: Sentences, texts: dict[str, str]) -> str:
    """Return the name of the file of sentences, which cells with the same sentences share."""
    content = json_text(sentences.texts, separators=(",", ":"))
    if content not in texts:
        texts[content] = name = f"text/{len(texts)}"
        folder.write(f"data/{name}.js", script(name, sentences.texts))
    return texts[content]


def names_in(tables: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names in all tables, in the order of their first occurrence."""
    return list(dict.fromkeys(name for table in tables for name in table))


def _graphs(
    positions: range,
    pairs: Sequence[Pair | None],
    explained: Alignments,
    kinds: Mapping[str, Sequence[str]],
    features: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """Return the outlines and explanations of some pairs; each word is stored once."""
    words: dict[str, int] = {}
    graphs = []
    for k in positions:
        pair = pairs[k]
        graphs.append(None if pair is None else [flat(outline(g), words) for g in pair])
    changed = {
        slug: {
            str(k - positions.start): [flat(side, words) for side in forms[k]]
            for k in positions
            if k in forms
        }
        for slug, (_, forms) in explained.items()
        if forms
    }
    chunk = {
        slug: aligned[positions.start : positions.stop] for slug, (aligned, _) in explained.items()
    }
    parts = explanations(chunk, kinds, features)
    links = parts.pop("links")
    return {"graphs": graphs, "links": links, "forms": changed, **parts, "words": list(words)}


def explanations(
    aligned: Mapping[str, Sequence[AlignedPair]],
    kinds: Mapping[str, Sequence[str]],
    features: Mapping[str, Sequence[str]],
) -> dict[str, dict[str, Any]]:
    """Return the links, marks, counts and effects of some pairs, each by slug.

    Args:
        aligned: the explained pairs, by slug.
        kinds, features: the names of the kinds of triples and of the features, by slug.
    """
    content: dict[str, dict[str, Any]] = {
        name: {} for name in ("links", "marks", "counts", "effects")
    }
    for slug, chunk in aligned.items():
        content["links"][slug] = [_links(pair) for pair in chunk]
        if kinds[slug]:
            content["marks"][slug] = [pair.marks for pair in chunk]
            content["counts"][slug] = [_counts(pair, kinds[slug]) for pair in chunk]
        if features[slug]:
            content["effects"][slug] = [_effects(pair, features[slug]) for pair in chunk]
    return content


def flat(of_graph: Outline, words: dict[str, int]) -> list[list[int]]:
    """Return lines as (parent, role, text) and re-entrant edges as (source, target, role).

    Args:
        words: the number of each text; new ones are added.
    """
    rows, reentrant = of_graph

    def number(word: str) -> int:
        return words.setdefault(word, len(words))

    lines = [v for row in rows for v in (row.parent, number(row.role), number(row.text))]
    return [lines, [v for edge in reentrant for v in (edge.source, edge.target, number(edge.role))]]


def _links(pair: AlignedPair) -> list[float]:
    """Return line of src, line of tgt, weight and cost of each link, one after the other."""
    return [v for src, tgt, *values in pair.links for v in (src, tgt, *map(_short, values))]


def _counts(pair: AlignedPair, kinds: Sequence[str]) -> list[float]:
    """Return the matches, the triples of src and of tgt, and the weight of each kind of triple."""
    rows = [pair.matches.get(kind, (0, 0, 0, 0.0)) for kind in kinds]
    return [v for *counts, weight in rows for v in (*counts, _short(weight, 5))]


def _effects(pair: AlignedPair, features: Sequence[str]) -> list[list[int | None] | list[int]]:
    """Return the values of the features and what they add to the score."""
    table = np.array([pair.effects.get(feature, (0.0, 0.0)) for feature in features])
    return [shown(table[:, 0]), in_units(table[:, 1])]


def in_units(effects: Floats) -> list[int]:
    """Numbers with four decimals, in units of the last one, whose sum is that of the numbers.

    Each is off by at most one unit.

    >>> in_units(np.array([0.00004, 0.00004, 0.00004]))
    [0, 1, 0]
    """
    totals = np.rint(np.cumsum(effects) * SCALE).astype(np.int64)
    units: list[int] = np.diff(totals, prepend=0).tolist()
    return units


def _short(value: float, digits: int = 3) -> float | int:
    """Return a number rounded to the digits shown."""
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() else short
