"""Parsers by their names, and the files that are runs of one parser."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from bamboo.board import GOLD
from bamboo.errors import ConfigError
from bamboo.log import escape_name
from bamboo.scoring.inputs import find_path, list_matches, short_names
from bamboo.scoring.sides import is_list

Runs = Mapping[str, tuple[str, ...]]  # from parsers to the names of their runs
GOLD_NAMES = "tgt", GOLD  # of the gold graphs in JSON and in tables of flags


def name_parsers(src: Any, tgt: Any = None, names: str | Sequence[str] = ()) -> Mapping[str, Any]:
    """Return the output of each parser by its name: the file's name, if it is distinct.

    A list is one of parses if the gold graphs are a list, too; else it may be one of files.

    Args:
        names: other names, in the order of the parsers.

    Raises:
        ConfigError: no file, one that is given twice, a name with control characters, or see
            `rename_parsers`.
    """
    if isinstance(src, Mapping):
        if not src:
            raise ConfigError("src: there is no parser")
        if names:
            raise ConfigError("names: src is a mapping, whose keys are the names")
        keys = [*map(str, src)]
        check_names("src", keys)
        for name, side in src.items():
            _check_runs(f"src: {name}", side)
        return dict(zip(keys, src.values(), strict=True))
    if not is_list(tgt) and _is_list_of_files(src):
        files = [Path(side) for side in src]
        if len({*files}) < len(files):
            raise ConfigError("src: name each file once")
        parsers: dict[str, Any] = dict(zip(_name_files(files), files, strict=True))
    else:
        if not is_list(tgt):
            _check_texts(src)
        path = find_path(src)
        parsers = {"src" if path is None else _name_files([path])[0]: src}
    if not names:
        return parsers
    listed = names.split(",") if isinstance(names, str) else names
    return rename_parsers(parsers, [name.strip() for name in listed])


def _name_files(files: Sequence[Path]) -> list[str]:
    """Return the names of files, or their paths if a name is that of the gold graphs."""
    names = short_names(files)
    return [*map(escape_name, map(str, files))] if {*names} & {*GOLD_NAMES} else names


def _is_list_of_files(src: Any) -> bool:
    """Check that a side is a list of files, each the output of a parser."""
    return (
        isinstance(src, list | tuple)
        and len(src) > 0
        and all(
            isinstance(side, PathLike) or (isinstance(side, str) and os.path.exists(side))
            for side in src
        )
    )


def _check_runs(name: str, side: Any) -> None:
    """Check that a parser's list of texts does not begin with the name of a file."""
    first = next(iter(side), None) if isinstance(side, list | tuple) else None
    if isinstance(first, str) and os.path.exists(first):
        raise ConfigError(
            f"{name}: {first!r} is a file, but a list has texts or graphs: write Path({first!r}) "
            "for the output of a run"
        )


def _check_texts(src: Any) -> None:
    """Check that a list contains no name of a file that does not exist."""
    for k, side in enumerate(src if isinstance(src, list | tuple) else ()):
        if isinstance(side, str | None) and (not side or find_path(side) is not None):
            raise ConfigError(
                f"src[{k}]: {side!r} is neither a file that exists nor a graph in Penman "
                "notation. In a list of parses it would be one that cannot be read, but then "
                "tgt is a list, too: tgt=amr_metrics.read_graphs(FILE)"
            )


def name_sides(
    src: Any,
    tgt: Any,
    src_ids: Any,
    names: str | Sequence[str],
    repeats: bool,
    no_worse_than: Any,
) -> tuple[dict[str, Any], Runs, str | None]:
    """Return the output of each parser by its name, their runs, and the name of the older one.

    The arguments are those of `score`. The older parser, if there is one, comes last.
    """
    # A list with ids is one of parses, as if the gold graphs were a list, too.
    beside = tgt if src_ids is None else src_ids
    parsers, runs = split_runs(name_parsers(src, beside, names), repeats)
    if no_worse_than is None:
        return parsers, runs, None
    old = name_old(no_worse_than, parsers)
    return {**parsers, old: no_worse_than}, runs, old


def name_old(side: Any, parsers: Mapping[str, Any]) -> str:
    """Return the name of the older parser: its file's, or its path if that is taken.

    Raises:
        ConfigError: both are taken.
    """
    path = find_path(side)
    names = ["old"] if path is None else [short_names([path])[0], escape_name(str(path))]
    for name in names:
        if name not in parsers:
            return name
    raise ConfigError(f"no_worse_than: another parser has the name {names[-1]}, too")


def check_names(option: str, names: Sequence[str]) -> None:
    """Check that names differ, and that they can be printed in one line.

    Raises:
        ConfigError: a name that is empty, that the gold graphs have, that occurs twice, or that has
            control characters or line breaks.
    """
    if len({*names}) < len(names):
        raise ConfigError(f"{option}: two parsers have the same name")
    for name in names:
        if not name.strip():
            raise ConfigError(f"{option}: a name is empty")
        if name in GOLD_NAMES:
            raise ConfigError(f"{option}: {name} is the name of the gold graphs: use another")
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
        are_runs = len(sides) > 1  # a single side may be a list of graphs
        names = [f"{parser}/{name}" for name in short_names(sides)] if are_runs else [parser]
        if (are_runs and len({*sides}) < len(sides)) or any(name in outputs for name in names):
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
