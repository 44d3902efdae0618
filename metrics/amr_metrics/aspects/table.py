"""The table of aspects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import yaml

from amr_metrics.options import select_names
from amr_metrics.utils.files import TABLES


@dataclass(frozen=True)
class Aspect:
    """The definition of an aspect; ``amr_metrics/tables/aspects.yaml`` explains each field."""

    name: str
    text: str = ""
    roles: frozenset[str] = frozenset()
    concepts: frozenset[str] = frozenset()
    range: int = 0
    parents: bool = False
    predicates: bool = False
    select: str | None = None
    step: str | None = None
    items: tuple[str, str] | None = None
    described: tuple[tuple[str, str], ...] = ()


@cache
def aspect_table() -> Mapping[str, Aspect]:
    """Return all aspects by name.

    >>> sorted(aspect_table()["time"].roles)
    [':duration', ':frequency', ':time']
    """
    text = (TABLES / "aspects.yaml").read_text("utf-8")
    table = yaml.safe_load(text)
    return {
        name: Aspect(
            name,
            row["text"],
            frozenset(row.get("roles", ())),
            frozenset(table["groups"][row["group"]] if "group" in row else ()),
            row.get("range", 0),
            row.get("parents", False),
            row.get("predicates", False),
            row.get("select"),
            row.get("step"),
            (row["items"]["role"], row["items"]["label"]) if "items" in row else None,
            tuple(row.get("described", {}).items()),
        )
        for name, row in table["aspects"].items()
    }


def chosen_aspects(names: str | Sequence[str]) -> tuple[Aspect, ...]:
    """Return the aspects with the given names, ignoring case; ``all`` selects all of them.

    Raises:
        OptionError: if a name is unknown; the message suggests the nearest one.

    >>> [aspect.name for aspect in chosen_aspects(["NER", "wiki"])]
    ['ner', 'wiki']
    """
    table = aspect_table()
    return tuple(table[name] for name in select_names("aspect", names, table))
