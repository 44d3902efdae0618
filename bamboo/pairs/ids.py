"""Check that two files match, by the ``::id`` lines of their graphs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bamboo.errors import DataError
from metrics.base import Pair


def check_ids(pairs: Sequence[Pair | None], src: Path, tgt: Path) -> None:
    """Check that both graphs of a pair have the same id, and that ids are unique in each file.

    Graphs without an id match any graph.

    Raises:
        DataError: the ids differ or are duplicated; the message names them and their positions.
    """
    for side, path in ((0, src), (1, tgt)):
        seen: dict[str, int] = {}
        for k, pair in enumerate(pairs):
            name = None if pair is None else pair[side].metadata.get("id")
            if name is None:
                continue
            if name in seen:
                raise DataError(
                    f"{path}: graphs {seen[name]} and {k} have the same ::id {name}. Remove one of "
                    "them, or set ids=ignore to pair graphs only by their position"
                )
            seen[name] = k
    for k, pair in enumerate(pairs):
        if pair is None:
            continue
        names = [graph.metadata.get("id") for graph in pair]
        if None not in names and names[0] != names[1]:
            raise DataError(
                f"pair {k}: {src} has ::id {names[0]} but {tgt} has ::id {names[1]}. Are these "
                "parses of the same sentences in the same order? ids=ignore pairs graphs only "
                "by their position"
            )
