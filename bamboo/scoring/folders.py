"""Pair the files of two folders by their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from amr_metrics.utils.text import format_count
from bamboo.errors import DataError
from bamboo.log import warn
from bamboo.scoring.inputs import ENDINGS, ROWS, input_files
from bamboo.scoring.sides import GraphSource

SHOWN = 10  # names that a message lists


class FilePair(NamedTuple):
    """Two files whose graphs are paired.

    Attributes:
        src: the file of the parser; None if it has none of this name.
        tgt: the file of the gold graphs.
    """

    src: Path | None
    tgt: Path


def pair_files(src: GraphSource, tgt: GraphSource) -> list[FilePair] | None:
    """Pair the files of two folders by name, in the order of those of `tgt`.

    Names are compared without ``.gz``. If no name is on both sides, they are compared without
    case and ending, and if this does not pair all files, the position of graphs decides. A file of
    `tgt` alone is paired with none, and one of `src` alone is left out; `src` has a note on both.
    In folders of files other than UMR, files may be missing on one side only.

    Returns:
        the pairs; None if the position of graphs decides.

    Raises:
        DataError: a name that is twice in a folder; names of both sides that differ only in case or
            ending, beside others that are equal; files that are missing on both sides.
        GraphError: a folder without graph files.

    Warns:
        if no name is on both sides, and there is more than one file.
    """
    src_files, tgt_files = _name_files(src), _name_files(tgt)
    only_src = [name for name in src_files if name not in tgt_files]
    only_tgt = [name for name in tgt_files if name not in src_files]
    if len(only_tgt) == len(tgt_files):
        return _pair_similar_names(src, tgt, src_files, tgt_files)
    _check_similar_names(src, tgt, only_src, only_tgt)
    if only_src and only_tgt and src.notation.format != "umr":
        raise DataError(
            f"{tgt.name} has no {_list_names(only_src)}, and {src.name} no "
            f"{_list_names(only_tgt)}, but other names are on both sides. Are these parses of the "
            "same files? Rename or add files until all names of one folder are in the other"
        )
    if only_tgt:
        src.notes.append(
            f"{src.name}: {format_count(len(only_tgt), 'file')} of {tgt.name} "
            f"{'is' if len(only_tgt) == 1 else 'are'} missing and "
            f"{'counts' if len(only_tgt) == 1 else 'count'} as empty: {_list_names(only_tgt)}"
        )
    if only_src:
        src.notes.append(
            f"{src.name}: {format_count(len(only_src), 'file')} "
            f"{'is' if len(only_src) == 1 else 'are'} not scored, because {tgt.name} has none of "
            f"{'this name' if len(only_src) == 1 else 'these names'}: {_list_names(only_src)}"
        )
    return [FilePair(src_files.get(name), path) for name, path in tgt_files.items()]


def _name_files(source: GraphSource) -> dict[str, Path]:
    """Return the files of a folder by name without ``.gz``."""
    files, notes = input_files(source.name, source.notation.format)
    names = [path.name.removesuffix(".gz") for path in files]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(
            f"{source.name}: contains both {twice[0]} and {twice[0]}.gz: remove one of them"
        )
    source.notes += notes
    return dict(zip(names, files, strict=True))


def _pair_similar_names(
    src: GraphSource,
    tgt: GraphSource,
    src_files: dict[str, Path],
    tgt_files: dict[str, Path],
) -> list[FilePair] | None:
    """Pair files by name without case and ending; None, with a warning, if this is impossible."""
    by_stem = {_fold_name(name, src): path for name, path in src_files.items()}
    stems = [_fold_name(name, tgt) for name in tgt_files]
    if len(by_stem) == len(src_files) and {*stems} == {*by_stem} and len(stems) == len(by_stem):
        return [
            FilePair(by_stem[stem], path)
            for stem, path in zip(stems, tgt_files.values(), strict=True)
        ]
    if len(src_files) > 1 or len(tgt_files) > 1:
        warn(
            [
                f"{src.name} and {tgt.name} have no file of the same name, such as "
                f"{next(iter(src_files))} and {next(iter(tgt_files))}: graphs are paired by their "
                "position. Rename the files to pair them by name"
            ]
        )
    return None


def _check_similar_names(
    src: GraphSource, tgt: GraphSource, only_src: Sequence[str], only_tgt: Sequence[str]
) -> None:
    """Raise an error for names that differ only in case or ending."""
    by_stem = {_fold_name(name, src): name for name in only_src}
    for name in only_tgt:
        if (similar := by_stem.get(_fold_name(name, tgt))) is not None:
            raise DataError(
                f"{src.name / similar} and {tgt.name / name} differ only in case or ending: give "
                "both files the same name"
            )


def _fold_name(name: str, source: GraphSource) -> str:
    """Return a name in lower case without the ending of graph files."""
    folded = name.casefold()
    endings = (*ENDINGS[source.notation.format], *ROWS[0], *ROWS[1])
    return next((folded.removesuffix(e) for e in endings if folded.endswith(e)), folded)


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
