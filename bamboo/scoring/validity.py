"""Flags of the graphs that are read, before anything is dropped: what a graph shows by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.validity import Flag, Frames, count_triples, find_flags
from bamboo.errors import ConfigError
from bamboo.scoring.chunks import Flagged, PairChunk
from bamboo.scoring.file_pairs import FilePairs
from bamboo.scoring.notation import Notation


class GraphFlag(NamedTuple):
    """A flag of a graph of a pair.

    Attributes:
        pair: the position of the pair.
        id: its ``::id``; None without one.
        kind: one of `amr_metrics.validity.KINDS`.
    """

    pair: int
    id: str | None
    kind: str


@dataclass(frozen=True)
class Validity:
    """The flags of a parser's graphs, or of the gold graphs.

    Attributes:
        graphs: the number of graphs that could be read.
        unreadable: the number of those that could not, or are not there.
        triples: the number of triples, ``:instance`` included and the root not.
        flags: in the order of the pairs.
    """

    graphs: int
    unreadable: int
    triples: int
    flags: tuple[GraphFlag, ...]

    @property
    def flagged(self) -> int:
        """The number of graphs with a flag."""
        return len({flag.pair for flag in self.flags})

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of flags of each kind that occurs."""
        return Counter(flag.kind for flag in self.flags)

    def find_first(self, kind: str = "") -> str | None:
        """Return the id of the first pair with a flag (of a kind), or its number without an id."""
        for flag in self.flags:
            if kind in ("", flag.kind):
                return str(flag.pair) if flag.id is None else flag.id
        return None

    def rate(self, count: int) -> float:
        """Return a number of flags per 1,000 triples; NaN without triples."""
        return 1000 * count / self.triples if self.triples else float("nan")

    def to_json(self) -> dict[str, Any]:
        """Return the numbers of graphs and of flags as JSON values."""
        return {
            "graphs": self.graphs,
            "unreadable": self.unreadable,
            "flagged": self.flagged,
            "triples": self.triples,
            "flags": {
                kind: {"count": count, "per_1000": self.rate(count), "first": self.find_first(kind)}
                for kind, count in self.counts.items()
            },
        }


def check_notation(notation: Notation) -> None:
    """Check that graphs are sentences in AMR, whose roles are known.

    Raises:
        ConfigError: for documents, UMR and Chinese AMR.
    """
    if notation.format != "penman" or notation.documents:
        what = "documents" if notation.documents else f"format={notation.format}"
        raise ConfigError(
            f"validity knows the roles of AMR of sentences, not those of {what}: omit validity"
        )


class ValidityCheck:
    """Finds the flags of graphs, chunk by chunk; those of the gold graphs once.

    Args:
        frames: the frames of PropBank; None not to check them.
    """

    def __init__(self, frames: Frames | None = None) -> None:
        self.frames = frames
        self._parts: dict[str | None, list[Validity]] = {}
        self._gold: dict[int, Sequence[Flag]] = {}  # by the position of the pair
        self._first: str | None = None  # the parser that is read with the gold graphs

    def add(self, parser: str, chunk: PairChunk) -> tuple[Flagged, Flagged]:
        """Return the flags of both graphs of some pairs, by position in the chunk."""
        src = self._find(parser, chunk, 0)
        self._first = self._first or parser
        if self._first == parser:
            of_gold = self._find(None, chunk, 1)
            self._gold |= {chunk.first + k: flags for k, flags in of_gold.items()}
        gold = {k: self._gold.get(chunk.first + k) for k in range(len(chunk))}
        return src, {k: flags for k, flags in gold.items() if flags}

    def collect(self, parser: str | None) -> Validity:
        """Return the flags of a parser; of the gold graphs for None."""
        parts = self._parts.get(parser, [])
        return Validity(
            sum(part.graphs for part in parts),
            sum(part.unreadable for part in parts),
            sum(part.triples for part in parts),
            tuple(flag for part in parts for flag in part.flags),
        )

    def _find(self, parser: str | None, chunk: PairChunk, side: int) -> Flagged:
        corpus = _choose_side(chunk.pairs, side)
        unread = chunk.unread[side]
        flagged: dict[int, list[Flag]] = {}
        for flag in find_flags(corpus, self.frames):
            if not unread[flag.graph]:
                flagged.setdefault(flag.graph, []).append(flag)
        ids = chunk.columns.ids
        flags = [
            GraphFlag(chunk.first + k, ids[k], flag.kind)
            for k, of_graph in flagged.items()
            for flag in of_graph
        ]
        lost = int(unread.sum())
        triples = int(count_triples(corpus)[~unread].sum())
        part = Validity(len(chunk) - lost, lost, triples, tuple(flags))
        self._parts.setdefault(parser, []).append(part)
        return flagged


def _choose_side(pairs: FilePairs, side: int) -> Corpus:
    """Return the graphs of one side, also those of missing pairs."""
    if isinstance(pairs.pairs, Pairs):
        index = (pairs.pairs.src_index, pairs.pairs.tgt_index)[side]
        return (pairs.pairs.src, pairs.pairs.tgt)[side].take(np.asarray(index))
    return Corpus.of(pair[side] for pair in pairs.pairs)
