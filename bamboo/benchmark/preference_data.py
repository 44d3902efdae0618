"""Read human preferences between parses."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bamboo.benchmark.download import fetch_folder
from bamboo.config.options import read_options
from bamboo.errors import ConfigError, DataError
from bamboo.files import csv_rows
from metrics.graphs.graph import Graph
from metrics.reading import read_graphs
from metrics.utils.digests import file_digest
from metrics.utils.text import counted, split_lines

Layout = Literal["auto", "pairs", "systems", "sembleu"]
FLAGS = {"1": True, "0": False, "1.0": True, "0.0": False}
PREFERENCES = {"1": 1.0, "1.0": 1.0, "0": 0.0, "0.0": 0.0, "0.5": 0.5, ".5": 0.5}
COLUMNS = ("sentence", "first", "second", "preference")
TABLES: Mapping[str, Layout] = {
    "LABEL.txt": "pairs",
    "preferences.tsv": "systems",
    "amr_human.csv": "sembleu",
}
# The files of the SemBleu paper's release.
PARSES = re.compile(r"0\.e86_test\.(?P<system>\w+)_filtered")
REFERENCES = "0.e86_test.ref_filtered"
SHOWN = "e86_test.ans{}"
VOTES = re.compile(r"A[0-9]+-(?P<first>[0-9]{1,9})_(?P<second>[0-9]{1,9})")
SENTENCE = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Judgement:
    """One comparison of two systems' parses of a sentence.

    Attributes:
        sentence: its position, from 0.
        preference: 1 if the first parse is better, 0 if the second is, 0.5 if neither.
        first_acceptable, second_acceptable: whether each parse is usable as it is, if annotated.
        votes: the numbers of annotators who prefer the first and the second, if known.
    """

    sentence: int
    first: str
    second: str
    preference: float
    first_acceptable: bool | None = None
    second_acceptable: bool | None = None
    votes: tuple[int, int] | None = None


@dataclass(frozen=True)
class Preferences:
    """Reference graphs, the graphs of systems by name, and the judgements."""

    references: tuple[Graph, ...]
    systems: Mapping[str, tuple[Graph, ...]]
    judgements: tuple[Judgement, ...]


@dataclass(frozen=True, kw_only=True)
class PreferenceData:
    """A data set of preferences, as described in ``conf/data/<name>.yaml``.

    Attributes:
        name, title: short name, and name in tables.
        root: its folder.
        layout: the layout of its files, see `read_preferences`.
        registry: the list of checksums of a released data set, or None.
    """

    name: str
    title: str
    root: Path
    layout: Layout
    registry: str | None = None

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> PreferenceData:
        """Return a data set from its YAML, interpolations resolved.

        Raises:
            ConfigError: an unknown or missing option, one of the wrong type, or a data set of
                rated pairs.
        """
        if not holds_preferences(config):
            raise ConfigError(
                f"data={config.get('name')} contains pairs with ratings, not preferences between "
                "parses: use it with run, or give a folder of preferences (data=./FOLDER)"
            )
        return read_options(cls, config, "data")

    def fetch(self, report: Callable[[str, int], None] = lambda name, total: None) -> list[Path]:
        """Download missing files and verify all of them.

        Raises:
            DownloadError: a file that no source has, or whose content is not the released one.
        """
        if self.registry is None:
            return []
        return fetch_folder(self.registry, self.root, None, report)

    def digest(self) -> str:
        """Return a SHA-256 of the names and contents of all files of the data set's folder."""
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        parts = [f"{path.relative_to(self.root).as_posix()} {file_digest(path)}" for path in files]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def load(self, references: Path | None = None) -> Preferences:
        """Read the data set; downloads missing files.

        Raises:
            DownloadError, DataError, GraphError: as `fetch` and `read_preferences`.
        """
        self.fetch()
        return read_preferences(self.root, self.layout, references)


def holds_preferences(config: Mapping[str, Any]) -> bool:
    """Return whether a data set contains preferences: only these have a layout."""
    return "layout" in config


def read_preferences(
    folder: Path, layout: Layout = "auto", references: Path | None = None
) -> Preferences:
    """Read a folder of preference data.

    There are three layouts. ``pairs``, that of AMRParseEval: ``abparser/src.test.amr`` contains the
    parses of two systems in turn, ``abparser/tgt.test.amr`` each reference twice, and
    ``LABEL.txt`` one line per graph: preference, the two acceptability flags and the sentence's
    name, separated by tabs, then a line that refers back. ``systems``:
    ``reference.amr``, one file of graphs per system (``NAME.amr``), and ``preferences.tsv`` with
    the columns sentence (counted from 0), first, second and preference.
    ``sembleu``, that of the SemBleu paper's own data:
    ``0.e86_test.ref_filtered``, one file of graphs per system
    (``0.e86_test.SYSTEM_filtered``), the parses as shown to annotators (``e86_test.ans1``
    to ``ans4``, with the systems in a different order for each sentence) and ``amr_human.csv``,
    where column ``A3-1_2`` contains the third annotator's choice between the parses shown as 1
    and 2. The preference is the majority vote.

    Args:
        layout: ``auto`` chooses the layout by the table in the folder.
        references: a file to use instead of the folder's references.

    Raises:
        DataError: a folder or table of another layout; the message names file and line.
        GraphError: a file of graphs that cannot be read.
    """
    if layout == "auto":
        layouts = [kind for name, kind in TABLES.items() if (folder / name).is_file()]
        if len(layouts) != 1:
            raise DataError(
                f"{folder}: expected either LABEL.txt (parses of two systems in turn), "
                "preferences.tsv (one file per system) or amr_human.csv (the SemBleu paper's data)"
            )
        layout = layouts[0]
    return READERS[layout](folder, references)


def _read_pairs(folder: Path, references: Path | None) -> Preferences:
    parses = tuple(read_graphs(folder / "abparser" / "src.test.amr"))
    gold = tuple(read_graphs(references or folder / "abparser" / "tgt.test.amr"))
    label_file = folder / "LABEL.txt"
    lines = _lines(label_file)
    if len(parses) % 2 or len(lines) not in (len(parses), len(parses) - 1):
        raise DataError(
            f"{label_file} has {counted(len(lines), 'line')} for {counted(len(parses), 'parse')}: "
            "expected one line per parse, two per sentence"
        )
    if len(gold) == len(parses):
        gold = gold[::2]
    if 2 * len(gold) != len(parses):
        raise DataError(
            f"{folder}: {counted(len(gold), 'reference')} for {counted(len(parses), 'parse')}: "
            "expected each reference once, or twice in a row"
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
    systems = {name: _read_parses(folder / f"{name}.amr", gold_file, gold) for name in names}
    table = folder / "preferences.tsv"
    rows = csv_rows(table, delimiter="\t", quoting=csv.QUOTE_NONE)
    if tuple(next(rows, (1, []))[1]) != COLUMNS:
        raise DataError(f"{table}, line 1: expected the columns {', '.join(COLUMNS)}, with tabs")
    judgements = []
    for number, row in rows:
        try:
            sentence, first, second, preference = row
            if not SENTENCE.fullmatch(sentence):
                raise ValueError
            judgement = Judgement(int(sentence), first, second, PREFERENCES[preference])
        except (ValueError, KeyError):
            raise DataError(
                f"{table}, line {number}: expected a sentence's number, two systems and a "
                f"preference (1, 0 or 0.5): {row}"
            ) from None
        missing = [name for name in (first, second) if name not in systems]
        if missing or first == second or not 0 <= judgement.sentence < len(gold):
            raise DataError(
                f"{table}, line {number}: expected a sentence in 0 to {len(gold) - 1} and two "
                f"of the systems {', '.join(systems)}: {row}"
            )
        judgements.append(judgement)
    return Preferences(gold, systems, tuple(judgements))


def _read_sembleu(folder: Path, references: Path | None) -> Preferences:
    gold_file = references or folder / REFERENCES
    gold = tuple(read_graphs(gold_file))
    systems = {}
    for path in sorted(folder.glob("0.e86_test.*_filtered")):
        if path.name != REFERENCES and (match := PARSES.fullmatch(path.name)):
            systems[match["system"]] = _read_parses(path, gold_file, gold)
    table = folder / "amr_human.csv"
    header, *rows = [row for _, row in csv_rows(table)] or [[]]
    columns: dict[tuple[str, str], list[int]] = {}
    for k, name in enumerate(header[1:], 1):
        if not (match := VOTES.fullmatch(name)):
            raise DataError(
                f"{table}, line 1: expected columns such as A1-1_2 (annotator 1, parses 1 and 2): "
                f"{name!r}"
            )
        columns.setdefault((match["first"], match["second"]), []).append(k)
    if len(rows) != len(gold):
        raise DataError(
            f"{table} has {counted(len(rows), 'row')} for the {counted(len(gold), 'graph')} of "
            f"{gold_file}"
        )
    slots = {slot for shown in columns for slot in shown}
    files = {slot: folder / SHOWN.format(slot) for slot in sorted(slots)}
    shown = {slot: _read_parses(path, gold_file, gold) for slot, path in files.items()}
    judgements = []
    for k, row in enumerate(rows):
        where = f"{table}, line {k + 2}"
        if row[:1] != [str(k + 1)]:
            raise DataError(f"{where}: expected the judgements of sentence {k + 1}: {row}")
        for (first, second), places in columns.items():
            votes = [row[place] if place < len(row) else "" for place in places]
            if not set(votes) <= {first, second}:
                raise DataError(f"{where}: expected {first} or {second} from each annotator: {row}")
            first_system, second_system = (
                _system(systems, shown[slot][k], k, files[slot]) for slot in (first, second)
            )
            if first_system == second_system:
                raise DataError(
                    f"{where}: the parses {first} and {second} are both of {first_system}"
                )
            counts = votes.count(first), votes.count(second)
            preference = 0.5 if counts[0] == counts[1] else float(counts[0] > counts[1])
            judgements.append(Judgement(k, first_system, second_system, preference, votes=counts))
    return Preferences(gold, systems, tuple(judgements))


def _read_parses(path: Path, gold_file: Path, gold: Sequence[Graph]) -> tuple[Graph, ...]:
    """Return the graphs of a file, one per reference."""
    graphs = tuple(read_graphs(path))
    if len(graphs) != len(gold):
        raise DataError(
            f"{path.name} has {counted(len(graphs), 'graph')} but {gold_file} has {len(gold)}"
        )
    return graphs


def _system(systems: Mapping[str, Sequence[Graph]], shown: Graph, sentence: int, path: Path) -> str:
    """Return the system whose parse of a sentence was shown."""
    matches = [name for name, graphs in systems.items() if graphs[sentence] == shown]
    if len(matches) != 1:
        raise DataError(
            f"{path}, graph {sentence}: expected the parse of exactly one system "
            f"({', '.join(systems)}), but it matches {' and '.join(matches) or 'none of them'}"
        )
    return matches[0]


def _lines(path: Path) -> list[str]:
    try:
        return split_lines(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None


READERS: Mapping[str, Callable[[Path, Path | None], Preferences]] = {
    "pairs": _read_pairs,
    "systems": _read_systems,
    "sembleu": _read_sembleu,
}
