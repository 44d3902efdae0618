"""The data of the SemBleu paper: which of two parses of a sentence people prefer.

Source: Song and Gildea (2019), SemBleu: a robust metric for AMR parsing evaluation, section 3.1.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from amr_metrics.graphs.graph import Graph
from amr_metrics.reading import read_graphs
from bamboo.errors import DataError

TABLE = "amr_human.csv"
PARSES = re.compile(r"0\.e86_test\.(?P<system>\w+)_filtered")
SHOWN = re.compile(r"e86_test\.ans(?P<slot>\d)")
VOTES = re.compile(r"A\d+-(?P<first>\d+)_(?P<second>\d+)")


class Judgement(NamedTuple):
    """A comparison of the parses of a sentence by two systems.

    Attributes:
        sentence: its position.
        reference: its graph.
        systems, parses: of the parse that people do not prefer, and of the one that they do.
        shown_first: whether the preferred parse was shown first.
        unanimous: whether all annotators prefer it.
    """

    sentence: int
    reference: Graph
    systems: tuple[str, str]
    parses: tuple[Graph, Graph]
    shown_first: bool
    unanimous: bool


class Parses(NamedTuple):
    """The sentences' reference graphs, and the parses of each system, in the same order."""

    references: Sequence[Graph]
    systems: Mapping[str, Sequence[Graph]]


def read_parses(paths: Sequence[Path]) -> Parses:
    """Read the reference graphs and the parses of all systems.

    Args:
        paths: the files of the release. ``0.e86_test.ref_filtered`` has the references, and
            ``0.e86_test.SYSTEM_filtered`` the parses of a system.
    """
    graphs = {
        m["system"]: read_graphs(path) for path in paths if (m := PARSES.fullmatch(path.name))
    }
    return Parses(graphs.pop("ref"), graphs)


def judgements(paths: Sequence[Path]) -> Iterator[Judgement]:
    """Yield the judgements of each sentence, decided by the majority of the annotators.

    Args:
        paths: the files of the release, as for `read_parses`. ``e86_test.ans1`` to ``ans4`` have
            the parses that were shown, with the systems in a different order for each sentence.
            Column ``A3-1_2`` of ``amr_human.csv`` has the third annotator's choice between 1 and 2.

    Raises:
        DataError: the parses shown for a sentence are not one of each system.
    """
    references, systems = read_parses(paths)
    shown = {m["slot"]: read_graphs(path) for path in paths if (m := SHOWN.fullmatch(path.name))}
    (table,) = (path for path in paths if path.name == TABLE)
    with table.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for k, (row, reference) in enumerate(zip(rows, references, strict=True)):
        votes: dict[tuple[str, str], list[str]] = {}
        for column, choice in row.items():
            if match := VOTES.fullmatch(column):
                votes.setdefault((match["first"], match["second"]), []).append(choice)
        shown_in = {
            slot: [s for s in systems if systems[s][k] == shown[slot][k]]
            for slots in votes
            for slot in slots
        }
        if sorted(itertools.chain(*shown_in.values())) != sorted(systems):
            raise DataError(f"{table}, sentence {k}: expected one parse of each system")
        for slots, choices in votes.items():
            is_first = choices.count(slots[0]) > choices.count(slots[1])
            worse, better = (shown_in[slot][0] for slot in (slots[::-1] if is_first else slots))
            parses = systems[worse][k], systems[better][k]
            unanimous = len({*choices}) == 1
            yield Judgement(k, reference, (worse, better), parses, is_first, unanimous)


def judged_pairs(paths: Sequence[Path]) -> Iterator[tuple[Graph, Graph, float]]:
    """Yield two pairs of a parse and its reference per judgement: rated 0, and preferred, 1.

    Args:
        paths: as for `judgements`.
    """
    for judgement in judgements(paths):
        for rating, parse in enumerate(judgement.parses):
            yield parse, judgement.reference, rating
