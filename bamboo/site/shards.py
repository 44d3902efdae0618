"""The pairs as small script files that the pair explorer loads on demand.

A page opened from disk cannot fetch data, but it can load scripts. Each file calls ``bamboo.add``
with its name and its data:

- ``cells/<data>-<partition>``: numbers, ratings, and each metric's scores and ranks;
- ``text/<n>``: the sentences of a cell; cells with the same sentences share them;
- ``graphs/<data>-<partition>-<k>``: the outlines of `CHUNK` pairs and each metric's alignments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bamboo.benchmark.cells import Cell
from bamboo.documents import json_text
from bamboo.explanation.drawing import outline
from bamboo.running.cache import CellScores
from bamboo.site.alignments import Alignments
from bamboo.site.content import competition_ranks
from bamboo.site.folder import SiteFolder
from metrics.base import Pair
from metrics.graph import Graph
from metrics.types import Floats

CHUNK = 64  # pairs per file of graphs
SCALE = 10_000  # scores are shown with four decimals


def script(name: str, data: object) -> str:
    """The text of a script file."""
    return f"bamboo.add({json_text(name)},{json_text(data, separators=(',', ':'))});\n"


def cell_name(cell: Cell) -> str:
    """The name of a cell in addresses."""
    return f"{cell.dataset.name}-{cell.partition}"


def write_cell(
    folder: SiteFolder,
    cell: Cell,
    pairs: Sequence[Pair | None],
    scores: Mapping[str, CellScores],
    alignments: Mapping[str, Alignments],
    texts: dict[str, str],
) -> None:
    """Write the files of one cell.

    Args:
        scores, alignments: by the metric's slug.
        texts: the files of sentences written so far, by content; this cell's file is added.
    """
    name = cell_name(cell)
    first = next(iter(scores.values()))
    content = {
        "numbers": first.numbers.tolist(),
        "ratings": shown(first.ratings),
        "unit": cell.unit,
        "text": _sentences(folder, pairs, texts),
        "scores": {slug: shown(cell_scores.scores.values) for slug, cell_scores in scores.items()},
        "ranks": {
            slug: competition_ranks(cell_scores.scores.values).tolist()
            for slug, cell_scores in scores.items()
        },
        "aligned": list(alignments),
        "chunk": CHUNK,
    }
    folder.write(f"data/cells/{name}.js", script(f"cells/{name}", content))
    for k, start in enumerate(range(0, len(pairs), CHUNK)):
        chunk = _graphs(range(start, min(start + CHUNK, len(pairs))), pairs, alignments)
        folder.write(f"data/graphs/{name}-{k}.js", script(f"graphs/{name}-{k}", chunk))


def shown(values: Floats) -> list[int | None]:
    """Values rounded to four decimals, in units of the last decimal.

    >>> shown(np.array([0.03125, 1.0, np.nan]))
    [312, 10000, None]
    """
    return [
        int(f"{value:.4f}".replace(".", "")) if np.isfinite(value) else None
        for value in values.tolist()
    ]


def _sentences(folder: SiteFolder, pairs: Sequence[Pair | None], texts: dict[str, str]) -> str:
    """The name of the file of a cell's sentences, which cells with the same sentences share."""
    both = [
        [pair.src.sentence, pair.tgt.sentence] if pair is not None else ["", ""] for pair in pairs
    ]
    content = json_text(both, separators=(",", ":"))
    if content not in texts:
        texts[content] = name = f"text/{len(texts)}"
        folder.write(f"data/{name}.js", script(name, both))
    return texts[content]


def _graphs(
    positions: range, pairs: Sequence[Pair | None], alignments: Mapping[str, Alignments]
) -> dict[str, Any]:
    """The outlines and links of some pairs; each word is stored once."""
    words: dict[str, int] = {}
    graphs = []
    for k in positions:
        pair = pairs[k]
        graphs.append(None if pair is None else [_outline(graph, words) for graph in pair])
    all_links = {
        slug: [[_short(value) for link in links.of(k) for value in link] for k in positions]
        for slug, links in alignments.items()
    }
    return {"words": list(words), "graphs": graphs, "links": all_links}


def _outline(graph: Graph, words: dict[str, int]) -> list[list[int]]:
    """Lines as (parent, role, text) and re-entrant edges as (source, target, role), flattened."""
    rows, reentrant = outline(graph)

    def number(word: str) -> int:
        return words.setdefault(word, len(words))

    lines = [v for row in rows for v in (row.parent, number(row.role), number(row.text))]
    return [lines, [v for edge in reentrant for v in (edge.source, edge.target, number(edge.role))]]


def _short(value: float) -> float | int:
    """A number rounded to the digits shown."""
    short = float(f"{value:.3g}")
    return int(short) if short.is_integer() else short
