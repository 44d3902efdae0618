"""Check that two files match, by the ``::id`` lines of their graphs, and keep the ids."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Literal, overload

import numpy as np

from bamboo.errors import DataError
from metrics.types import Bools, Ints
from metrics.utils.text import counted

Ids = Literal["warn", "check", "match", "ignore"]


def pair_ids(src_ids: Sequence[str | None], tgt_ids: Sequence[str | None]) -> list[str | None]:
    """The id of each pair's first graph, or else that of its second; None without.

    >>> pair_ids(["a", None, None], ["x", "y", None])
    ['a', 'y', None]
    """
    both = zip(src_ids, tgt_ids, strict=True)
    return [src if src is not None else tgt for src, tgt in both]


class IdColumn(Sequence["str | None"]):
    """Ids of many graphs, in little memory: the bytes of the strings, chunk by chunk.

    >>> column = IdColumn()
    >>> column.extend(["a", None]), column.extend(["b"])
    (None, None)
    >>> column[1:], column[-1], len(column)
    ([None, 'b'], 'b', 3)
    """

    def __init__(self) -> None:
        self._texts: list[bytes] = []
        self._ends: list[Ints] = []  # of each id in the text of its chunk, in characters
        self._missing: list[Bools] = []
        self._starts = [0]

    def extend(self, ids: Sequence[str | None]) -> None:
        """Append the ids of a chunk."""
        if len(ids):
            texts = [own or "" for own in ids]
            # A graph that was not read from a file can have any string as its id.
            self._texts.append("".join(texts).encode(errors="surrogatepass"))
            self._ends.append(np.cumsum([len(text) for text in texts], dtype=np.int32))
            self._missing.append(np.array([own is None for own in ids], np.bool_))
            self._starts.append(self._starts[-1] + len(ids))

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, k: int) -> str | None: ...
    @overload
    def __getitem__(self, k: slice) -> list[str | None]: ...
    def __getitem__(self, k: int | slice) -> str | list[str | None] | None:
        if isinstance(k, slice):
            return [*self][k]
        at = range(len(self))[k]
        chunk = int(np.searchsorted(self._starts, at, side="right")) - 1
        return self._chunk(chunk)[at - self._starts[chunk]]

    def __iter__(self) -> Iterator[str | None]:
        return (own for chunk in range(len(self._texts)) for own in self._chunk(chunk))

    def _chunk(self, chunk: int) -> list[str | None]:
        text = self._texts[chunk].decode(errors="surrogatepass")
        ends = self._ends[chunk].tolist()
        spans = zip([0, *ends[:-1]], ends, self._missing[chunk].tolist(), strict=True)
        return [None if missing else text[begin:end] for begin, end, missing in spans]


class _Seen:
    """The ids of one side that occurred so far, by hash, and the first that occurs twice."""

    def __init__(self) -> None:
        self.ids = IdColumn()
        self.count = 0
        self.first: tuple[int, int, str] | None = None
        self._hashes: Ints = np.empty(0, np.int64)

    def add(self, ids: Sequence[str | None]) -> None:
        """Add the ids of the next graphs."""
        before = len(self.ids)
        self.ids.extend(ids)
        own = np.array([k for k, name in enumerate(ids) if name is not None], np.int64)
        hashes = np.array([hash(name) for name in ids if name is not None], np.int64)
        order = np.argsort(hashes, kind="stable")
        again = np.zeros(len(hashes), np.bool_)
        again[order[1:]] = hashes[order[1:]] == hashes[order[:-1]]
        at = np.searchsorted(self._hashes, hashes)
        within = at < len(self._hashes)
        again[within] |= self._hashes[at[within]] == hashes[within]
        # Two sorted parts, which the stable sort merges in linear time.
        self._hashes = np.sort(np.concatenate([self._hashes, hashes[order]]), kind="stable")
        if again.any() and self.first is None:
            k = before + int(own[np.flatnonzero(again)[0]])
            name = self.ids[k]
            earlier = next(j for j, other in enumerate(self.ids) if hash(other) == hash(name))
            if name is not None and self.ids[earlier] == name:
                self.first = earlier, k, name
        self.count += int(again.sum())


class IdCheck:
    """Compares the ids of both sides, chunk by chunk.

    Two different ids in one pair are an error. Ids that occur twice, and pairs in which only one
    graph has an id, are an error if `strict`, else they are counted for `warnings`. A pair in which
    neither graph has an id is accepted.

    Args:
        src, tgt: the names of both sides, for messages.
    """

    def __init__(self, src: str, tgt: str, strict: bool) -> None:
        self._names = src, tgt
        self._strict = strict
        self._seen = _Seen(), _Seen()
        self._pairs = 0
        self._alone = [0, 0]  # pairs in which only src, or only tgt, has an id
        self._first_alone = [0, 0]

    def add(
        self,
        src_ids: Sequence[str | None],
        tgt_ids: Sequence[str | None],
        unread: Container[int] = (),
    ) -> None:
        """Check the next pairs.

        Args:
            unread: the positions, among these pairs, of those of which a graph could not be read,
                so that its id may not be known.

        Raises:
            DataError: ids that differ, and if `strict`, ids that occur twice or only on one side.
        """
        src, tgt = self._names
        for side, ids in enumerate((src_ids, tgt_ids)):
            seen = self._seen[side]
            seen.add(ids)
            if self._strict and seen.first is not None:
                first, second, name = seen.first
                raise DataError(
                    f"{self._names[side]}: graphs {first} and {second} have the same ::id {name}. "
                    "Remove one of them, or set ids=warn or ids=ignore"
                )
        for at, (own, other) in enumerate(zip(src_ids, tgt_ids, strict=True)):
            if own == other:
                continue
            k = self._pairs + at
            if own is not None and other is not None:
                raise DataError(
                    f"pair {k}: {src} has ::id {own} but {tgt} has ::id {other}. Are these "
                    "parses of the same sentences in the same order? ids=match pairs graphs by "
                    "their ::id, ids=ignore only by their position"
                )
            if at in unread:
                continue
            side = 0 if other is None else 1
            if self._strict:
                raise DataError(
                    f"pair {k}: {self._names[side]} has ::id {own or other} but "
                    f"{self._names[1 - side]} has no ::id. Add it, or set ids=warn or ids=ignore"
                )
            if not self._alone[side]:
                self._first_alone[side] = k
            self._alone[side] += 1
        self._pairs += len(src_ids)

    def warnings(self) -> list[str]:
        """Warnings about ids that occur twice or only on one side."""
        texts = []
        for side, name in enumerate(self._names):
            seen, other = self._seen[side], self._names[1 - side]
            if seen.first is not None:
                first, second, own = seen.first
                have = counted(seen.count, "graph has", "graphs have")
                texts.append(
                    f"{name}: {have} the ::id of an earlier graph (the first: "
                    f"graphs {first} and {second} have ::id {own}); ids=check makes this an error"
                )
            if count := self._alone[side]:
                have = "has" if count == 1 else "have"
                texts.append(
                    f"{count:,} of {counted(self._pairs, 'pair')} {have} an ::id in {name} but "
                    f"none in {other} (the first: pair {self._first_alone[side]}), so that they "
                    "are paired by position without a check; ids=check makes this an error"
                )
        return texts
