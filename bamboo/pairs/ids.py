"""Check that two files match, by the ``::id`` lines of their graphs."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Literal

from bamboo.errors import DataError
from metrics.utils.text import counted

Ids = Literal["warn", "check", "match", "ignore"]


def pair_ids(src_ids: Sequence[str | None], tgt_ids: Sequence[str | None]) -> list[str | None]:
    """Return the id of each pair's first graph, or else that of its second; None without.

    >>> pair_ids(["a", None, None], ["x", "y", None])
    ['a', 'y', None]
    """
    both = zip(src_ids, tgt_ids, strict=True)
    return [src if src is not None else tgt for src, tgt in both]


class IdCheck:
    """Compares the ids of both sides, chunk by chunk.

    Two different ids in one pair are an error. Ids that occur twice, and pairs in which only one
    graph has an id, are an error if `strict`, else `warnings` counts them. A pair in which neither
    graph has an id is accepted.

    Args:
        src, tgt: the names of both sides, for messages.
    """

    def __init__(self, src: str, tgt: str, strict: bool) -> None:
        self._names = src, tgt
        self._strict = strict
        self._ids: tuple[list[str | None], list[str | None]] = [], []
        # If `strict`, the position of each id. Else repeated ids are looked for at the end, since
        # these take more memory than the ids.
        self._seen: tuple[dict[str, int], dict[str, int]] = {}, {}
        self._alone: tuple[list[int], list[int]] = [], []  # pairs in which one side has an id

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
        start = len(self._ids[0])
        for side, ids in enumerate((src_ids, tgt_ids)):
            self._ids[side].extend(ids)
            for k, own in enumerate(ids, start) if self._strict else ():
                if own is not None and (first := self._seen[side].setdefault(own, k)) != k:
                    raise DataError(
                        f"{self._names[side]}: graphs {first} and {k} have the same ::id {own}. "
                        "Remove one of them, or set ids=warn or ids=ignore"
                    )
        for at, (own, other) in enumerate(zip(src_ids, tgt_ids, strict=True)):
            if own == other:
                continue
            k = start + at
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
            self._alone[side].append(k)

    def warnings(self) -> list[str]:
        """Return warnings about ids that occur twice or only on one side."""
        texts = []
        for ids, alone, name, other in zip(
            self._ids, self._alone, self._names, self._names[::-1], strict=True
        ):
            named = [own for own in ids if own is not None]
            if count := len(named) - len(set(named)):
                first, second, own = _repeated(ids)
                have = counted(count, "graph has", "graphs have")
                texts.append(
                    f"{name}: {have} the ::id of an earlier graph (the first: "
                    f"graphs {first} and {second} have ::id {own}); ids=check makes this an error"
                )
            if alone:
                have = "has" if len(alone) == 1 else "have"
                texts.append(
                    f"{len(alone):,} of {counted(len(ids), 'pair')} {have} an ::id in {name} but "
                    f"none in {other} (the first: pair {alone[0]}), so that they are paired by "
                    "position without a check; ids=check makes this an error"
                )
        return texts


def _repeated(ids: Sequence[str | None]) -> tuple[int, int, str]:
    """Return the positions of the first id that occurs again, and the id."""
    seen: dict[str, int] = {}
    for k, own in enumerate(ids):
        if own is not None and seen.setdefault(own, k) != k:
            return seen[own], k, own
    raise ValueError("no id occurs twice")
