"""The ids and sentences of pairs, for the tables of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bamboo.benchmark.cells import Cell, PairSet
from bamboo.scoring.chunks import pair_ids
from bamboo.scoring.file_pairs import FilePairs
from bamboo.scoring.problems import OnError

TEXTS = ("id", "src_sentence", "tgt_sentence")

# The texts of the pairs of cells: one list for each column of `TEXTS` that a cell has.
Texts = Mapping[Cell, Mapping[str, list[str | None]]]


@dataclass(frozen=True)
class PairTexts:
    """Collects the ids and sentences of pairs while cells are scored.

    Cells whose scores were cached are not read for scoring; `of` reads them.

    Attributes:
        on_error: how to treat graphs that cannot be read, as when scoring.
        collected: for each cell that was read, its columns; filled by `add`.
    """

    on_error: OnError
    collected: dict[Cell, dict[str, list[str | None]]] = field(default_factory=dict)

    def add(self, cell: Cell, pair_set: PairSet) -> None:
        """Take the texts of the pairs of a cell."""
        pairs = FilePairs.of(pair_set.pairs)
        texts = pair_ids(pairs.ids(0), pairs.ids(1)), pairs.sentences(0), pairs.sentences(1)
        self.collected[cell] = dict(zip(TEXTS, texts, strict=True))

    def of(self, cells: Iterable[Cell]) -> Texts:
        """Return the ids and sentences of the pairs of cells, from the comments of the graphs.

        A column that no pair of a cell has is left out. The id is that of the first graph, or else
        of the second; ids and sentences are None for missing pairs.

        Raises:
            DataError: a cell that cannot be read.
        """
        cells = [*dict.fromkeys(cells)]
        for cell in cells:
            if cell not in self.collected:
                self.add(cell, cell.load(self.on_error))
        return {
            cell: {name: column for name, column in self.collected[cell].items() if any(column)}
            for cell in cells
        }
