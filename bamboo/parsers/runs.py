"""The names of parsers, and the files that are runs of one parser."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from bamboo.errors import ConfigError
from bamboo.log import escape_name
from bamboo.scoring.sides import find_path, list_matches, short_names

Runs = Mapping[str, tuple[str, ...]]  # from parsers to the names of their runs


def check_names(option: str, names: Iterable[str]) -> None:
    """Check that names can be printed in one line.

    Raises:
        ConfigError: a name that is empty, or has control characters or line breaks.
    """
    for name in names:
        if not name.strip():
            raise ConfigError(f"{option}: a name is empty")
        if name != escape_name(name):
            raise ConfigError(
                f"{option}: the name {name!a} contains control characters or line breaks: remove "
                "them from the name"
            )


def rename_parsers(parsers: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the parsers with other names, in their order.

    Raises:
        ConfigError: more or fewer names than parsers, equal names, or see `check_names`.

    >>> rename_parsers({"a": "a.amr", "b": "b.amr"}, ["SPRING", "AMRBART"])
    {'SPRING': 'a.amr', 'AMRBART': 'b.amr'}
    """
    text = f"names={','.join(names)}"
    check_names(text, names)
    if len(names) != len(parsers):
        raise ConfigError(
            f"{text}: the number of names is {len(names)}, that of parsers {len(parsers)} "
            f"({', '.join(parsers)}): give each parser one name"
        )
    if len({*names}) < len(names):
        raise ConfigError(f"{text}: two parsers have the same name")
    return dict(zip(names, parsers.values(), strict=True))


def split_runs(parsers: Mapping[str, Any], repeats: bool) -> tuple[dict[str, Any], Runs]:
    """Return the output of each run by its name, and the runs of each parser.

    The name of a run is that of the parser, a slash and that of the file; that of an only run is
    the parser's.

    Args:
        parsers: from names to what a parser can be, or to a list of files, each a run.
        repeats: whether each file or folder that a pattern matches is a run.

    Returns:
        the parsers as they are and no runs, without `repeats` and lists of files.

    Raises:
        ConfigError: a file that is given twice, or two runs with the same name.
        GraphError: a pattern that matches no file.
    """
    if not repeats and not any(map(_is_list_of_runs, parsers.values())):
        return dict(parsers), {}
    outputs: dict[str, Any] = {}
    runs = {}
    for parser, side in parsers.items():
        sides = _list_runs(side)
        names = [parser]
        if len(sides) > 1:
            names = [f"{parser}/{name}" for name in short_names(sides)]
        if len({*sides}) < len(sides) or any(name in outputs for name in names):
            raise ConfigError(f"{parser}: name each run once, and each parser otherwise than runs")
        outputs |= zip(names, sides, strict=True)
        runs[parser] = tuple(names)
    return outputs, runs


def _list_runs(side: Any) -> list[Any]:
    if _is_list_of_runs(side):
        return [*map(Path, side)]
    path = find_path(side)
    return [side] if path is None else [*list_matches(path)]


def _is_list_of_runs(side: Any) -> bool:
    is_list = isinstance(side, list | tuple) and len(side) > 0
    return is_list and all(isinstance(file, PathLike) for file in side)
