"""Files with people's preferences between parses."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bamboo.errors import DataError
from metrics.graph import Graph
from metrics.lines import split_lines
from metrics.reading import read_graphs

Layout = Literal["auto", "pairs", "systems"]
FLAGS = {"1": True, "0": False, "1.0": True, "0.0": False}
PREFERENCES = {"1": 1.0, "1.0": 1.0, "0": 0.0, "0.0": 0.0, "0.5": 0.5, ".5": 0.5}
COLUMNS = ("sentence", "first", "second", "preference")


@dataclass(frozen=True)
class Judgement:
    """One comparison of two systems' parses of a sentence.

    Attributes:
        sentence: its position, from 0.
        preference: 1 if the first parse is better, 0 if the second is, 0.5 if neither.
        first_acceptable, second_acceptable: whether each may be used as it is, if that was asked.
    """

    sentence: int
    first: str
    second: str
    preference: float
    first_acceptable: bool | None = None
    second_acceptable: bool | None = None


@dataclass(frozen=True)
class Preferences:
    """Reference graphs, the graphs of systems by name, and the judgements."""

    references: tuple[Graph, ...]
    systems: Mapping[str, tuple[Graph, ...]]
    judgements: tuple[Judgement, ...]


def read_preferences(
    folder: Path, layout: Layout = "auto", references: Path | None = None
) -> Preferences:
    """Read a folder of preference data.

    Two layouts are known. ``pairs``, that of AMRParseEval: ``abparser/src.test.amr`` holds the
    parses of two systems in turn, ``abparser/tgt.test.amr`` each reference twice, and
    ``LABEL.txt`` a line a graph: preference, the two acceptability flags and the sentence's name,
    parted by tabs, then a line that refers back. ``systems``: ``reference.amr``, a file of graphs
    for each system (``NAME.amr``), and ``preferences.tsv`` with the columns sentence (counted
    from 0), first, second and preference. That is how the data of the SemBleu paper, one file a
    system, is laid out once its judgements are written as such a table.

    Args:
        layout: ``auto`` decides by which of the two tables there is.
        references: takes the place of the folder's own references.

    Raises:
        DataError: a folder or table of another kind; it names file and line.
        GraphError: a file of graphs that cannot be read.
    """
    if layout == "auto":
        kinds = {"LABEL.txt": "pairs", "preferences.tsv": "systems"}
        there = [kind for name, kind in kinds.items() if (folder / name).is_file()]
        if len(there) != 1:
            raise DataError(
                f"{folder}: expected either LABEL.txt (two parses in turn) or preferences.tsv "
                "(a file a system)"
            )
        layout = "pairs" if there == ["pairs"] else "systems"
    if layout == "pairs":
        return _read_pairs(folder, references)
    return _read_systems(folder, references)


def _read_pairs(folder: Path, references: Path | None) -> Preferences:
    parses = tuple(read_graphs(folder / "abparser" / "src.test.amr"))
    gold = tuple(read_graphs(references or folder / "abparser" / "tgt.test.amr"))
    label_file = folder / "LABEL.txt"
    lines = _lines(label_file)
    if len(parses) % 2 or len(lines) not in (len(parses), len(parses) - 1):
        raise DataError(
            f"{label_file} has {len(lines)} lines for {len(parses)} parses: there is a line for "
            "each, two for each sentence"
        )
    if len(gold) == len(parses):
        gold = gold[::2]
    if 2 * len(gold) != len(parses):
        raise DataError(
            f"{folder}: {len(gold)} references for {len(parses)} parses: each stands once, or "
            "twice in a row"
        )
    judgements = []
    for k, line in enumerate(lines[::2]):
        cells = line.split("\t")
        try:
            judged = PREFERENCES[cells[0]], FLAGS[cells[1]], FLAGS[cells[2]]
        except (IndexError, KeyError):
            raise DataError(
                f"{label_file}, line {2 * k + 1}: expected a preference (1, 0 or 0.5) and two "
                f"flags (1 or 0), with tabs: {line!r}"
            ) from None
        judgements.append(Judgement(k, "first", "second", *judged))
    return Preferences(gold, {"first": parses[::2], "second": parses[1::2]}, tuple(judgements))


def _read_systems(folder: Path, references: Path | None) -> Preferences:
    gold_file = references or folder / "reference.amr"
    gold = tuple(read_graphs(gold_file))
    names = sorted(p.stem for p in folder.glob("*.amr") if p.name != "reference.amr")
    systems = {name: tuple(read_graphs(folder / f"{name}.amr")) for name in names}
    for name, graphs in systems.items():
        if len(graphs) != len(gold):
            raise DataError(f"{name}.amr has {len(graphs)} graphs but {gold_file} has {len(gold)}")
    table = folder / "preferences.tsv"
    rows = csv.reader(_lines(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    if tuple(next(rows, ())) != COLUMNS:
        raise DataError(f"{table}, line 1: expected the columns {', '.join(COLUMNS)}, with tabs")
    judgements = []
    for number, row in enumerate(rows, 2):
        try:
            sentence, first, second, preference = row
            judgement = Judgement(int(sentence), first, second, PREFERENCES[preference])
        except (ValueError, KeyError):
            raise DataError(
                f"{table}, line {number}: expected a sentence's number, two systems and a "
                f"preference (1, 0 or 0.5): {row}"
            ) from None
        strange = [name for name in (first, second) if name not in systems]
        if strange or first == second or not 0 <= judgement.sentence < len(gold):
            raise DataError(
                f"{table}, line {number}: there are sentences 0 to {len(gold) - 1} and the "
                f"systems {', '.join(systems)}: {row}"
            )
        judgements.append(judgement)
    return Preferences(gold, systems, tuple(judgements))


def _lines(path: Path) -> list[str]:
    try:
        return split_lines(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None
