"""Roles that only one of two files has, such as ``:wiki``."""

from __future__ import annotations

from collections import Counter

import numpy as np

from amr_metrics.graphs.corpus import rows_of
from amr_metrics.graphs.pairs import Pairs
from bamboo.pairs.file_pairs import FilePairs

# A role on one side only is mentioned if it has at least so many triples, and at least this share
# of all: rare roles are often on one side only. In the data of BAMBOO and in the parses of 946
# sentences, such roles have up to 7 triples and .6 %; those of :wiki are 955 and 5.7 %.
FEWEST = 100
SHARE = 0.01


class RoleCount:
    """Counts the triples of each role on both sides, chunk by chunk.

    Args:
        src, tgt: the names of both sides, for messages.
    """

    def __init__(self, src: str, tgt: str) -> None:
        self._names = src, tgt
        self._counts: tuple[Counter[str], Counter[str]] = Counter(), Counter()

    def add(self, pairs: FilePairs) -> None:
        """Count the roles of the next pairs."""
        for side, counts in enumerate(self._counts):
            counts.update(_roles(pairs, side))

    def notes(self) -> list[str]:
        """Return a note for each side that often has roles which the other never has."""
        notes = []
        for counts, others, name, other in zip(
            self._counts, self._counts[::-1], self._names, self._names[::-1], strict=True
        ):
            fewest = max(FEWEST, SHARE * counts.total())
            alone = [
                f"{role} {count:,} times"
                for role, count in counts.most_common()
                if count >= fewest and role not in others
            ]
            if alone:
                notes.append(
                    f"{name} has {', '.join(alone)}, {other} never. Such triples lower most "
                    "scores: were they removed from one side only?"
                )
        return notes


def _roles(pairs: FilePairs, side: int) -> Counter[str]:
    if not isinstance(pairs.pairs, Pairs):
        graphs = [pair[side] for pair in pairs if pair is not None]
        return Counter(role for g in graphs for _, role, _ in (*g.relations, *g.attributes))
    corpus = (pairs.pairs.src, pairs.pairs.tgt)[side]
    index = (pairs.pairs.src_index, pairs.pairs.tgt_index)[side][pairs.present]
    relations = corpus.relation_roles[rows_of(corpus.relation_start, index).rows]
    attributes = corpus.attribute_roles[rows_of(corpus.attribute_start, index).rows]
    counts = np.bincount(np.concatenate([relations, attributes]))
    return Counter({corpus.symbols.texts[k]: int(counts[k]) for k in np.flatnonzero(counts)})
