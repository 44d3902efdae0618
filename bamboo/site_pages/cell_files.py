"""The cells of the benchmark as small script files that the explorer loads on demand.

A page opened from disk cannot fetch data, but it can load scripts. Each file calls ``bamboo.add``
with its name and its data:

- ``cells/<data>-<partition>``: numbers, ratings, each metric's scores and ranks, the metrics that
  align nodes, precision and recall of these, and for altered pairs the number of the pair in Main
  that they were made from, and which side was altered;
- ``text/<n>``: the sentences of a cell; cells with the same sentences share them;
- ``graphs/<data>-<partition>-<k>``: the graphs of `CHUNK` pairs as they are (under ""), and as each
  metric explains them (`bamboo.pages.explorer.pack_pairs`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.sentences import Sentences
from bamboo.files import json_text
from bamboo.pages.explorer import CHUNK, ShownPair, Words, pack_pairs, round_to_units
from bamboo.pages.folder import SiteFolder
from bamboo.scoring.scored import Scored
from bamboo.site_pages.content import competition_ranks

SIDES = ("precision", "recall")


def cell_name(cell: Cell) -> str:
    """Return the name of a cell in addresses."""
    return f"{cell.dataset.name}-{cell.partition}"


def write_cell(
    folder: SiteFolder,
    cell: Cell,
    sentences: Sentences,
    scores: Mapping[str, Scored],
    pairs: Mapping[str, Sequence[ShownPair]],
    aligned: Collection[str],
    texts: dict[str, str],
) -> None:
    """Write the files of one cell.

    Args:
        sentences: of the pairs.
        scores: by the metric's slug.
        pairs: the pairs under each metric, by its slug, and as they are, under "".
        aligned: the slugs of the metrics that align nodes.
        texts: the files of sentences written so far, by content; this cell's file is added.
    """
    name = cell_name(cell)
    first = next(iter(scores.values()))
    numbers = [*map(int, first.pairs.numbers)]
    values = {slug: cell_scores.scores.values for slug, cell_scores in scores.items()}
    content = {
        "numbers": numbers,
        "ratings": round_to_units(first.pairs.ratings),
        "unit": cell.unit,  # the number of pairs that resampling keeps together
        "text": _write_sentences(folder, sentences, texts),
        "scores": {slug: round_to_units(of_metric) for slug, of_metric in values.items()},
        "ranks": {
            slug: competition_ranks(of_metric).tolist() for slug, of_metric in values.items()
        },
        "aligned": [*aligned],
        "sides": {
            slug: [round_to_units(cell_scores.scores.details[side]) for side in SIDES]
            for slug, cell_scores in scores.items()
            if slug in aligned and all(side in cell_scores.scores.details for side in SIDES)
        },
        "chunk": CHUNK,
        "origins": {
            str(numbers[k]): [number, sentences.altered[k]] for k, number in sentences.main.items()
        },
    }
    folder.write_data(f"cells/{name}", content)
    for k, start in enumerate(range(0, len(pairs[""]), CHUNK)):
        chunk = {slug: of_system[start : start + CHUNK] for slug, of_system in pairs.items()}
        words = Words()
        packed = pack_pairs(chunk, words)
        folder.write_data(f"graphs/{name}-{k}", {**packed, "words": words.texts()})


def _write_sentences(folder: SiteFolder, sentences: Sentences, texts: dict[str, str]) -> str:
    """Return the name of the file of sentences, which cells with the same sentences share."""
    content = json_text(sentences.texts, separators=(",", ":"))
    if content not in texts:
        texts[content] = name = f"text/{len(texts)}"
        folder.write_data(name, sentences.texts)
    return texts[content]
