"""Ids of rows: which field has those of the gold graphs, and which row answers which graph."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from amr_metrics.types import Ints
from amr_metrics.utils.text import format_count
from bamboo.errors import DataError
from bamboo.scoring.answers import Answer
from bamboo.scoring.id_matches import SHOWN, join_ids
from bamboo.scoring.inputs import strip_extensions
from bamboo.scoring.memory_rows import INDEX, SRC_IDS
from bamboo.scoring.row_answers import DOCUMENT_ID
from bamboo.scoring.sides import GraphSource
from bamboo.scoring.stored_answers import FILE, FileAnswers, StoredAnswers

# Fields that had ids wherever rows of answers were seen, the most usual first.
ID_FIELDS = (
    *("id", "custom_id", "sample_id", "sent_id", "sentid", "uid", "interpretation_id", "doc_id"),
    *(INDEX, "idx", DOCUMENT_ID),
)
NOWHERE = -1  # the position of what is not there


@dataclass(frozen=True)
class RowIds:
    """Where the values of the fields of rows are among the ids of the other side.

    Attributes:
        positions: by field, those that are usual for ids first; -1 for a value that is no id. Of
            other fields, all values are ids.
        first_values: of these fields.
        usual: the fields that are usual for ids.
    """

    positions: Mapping[str, Ints]
    first_values: Mapping[str, str]
    usual: Sequence[str] = ID_FIELDS

    @classmethod
    def find(
        cls,
        rows: Iterable[Mapping[str, str]],
        ids: Iterable[str | None],
        usual: Sequence[str] = ID_FIELDS,
    ) -> RowIds:
        """Find the values of the fields of rows among ids.

        >>> rows = [{"id": "x", "n": "2"}, {"id": "2", "n": "1"}]
        >>> {field: p.tolist() for field, p in RowIds.find(rows, ["1", "2"]).positions.items()}
        {'id': [-1, 1], 'n': [1, 0]}
        """
        index = {name: k for k, name in enumerate(ids) if name is not None}
        positions: dict[str, array[int]] = {}
        first: Mapping[str, str] | None = None
        for fields in rows:
            if first is None:
                first = fields
                positions = {field: array("q") for field in fields}
            for field in [*positions]:
                place = index.get(fields[field], NOWHERE) if field in fields else NOWHERE
                positions[field].append(place)
                if place == NOWHERE and field not in usual:
                    del positions[field]
        order = sorted(positions, key=lambda field: [*usual, field].index(field))
        found = {field: np.array(positions[field], np.int64) for field in order}
        return cls(found, first or {}, usual)

    @property
    def fitting(self) -> dict[str, Ints]:
        """The fields whose values are distinct ids; without any, usual ones whose values repeat."""
        complete = {field: p for field, p in self.positions.items() if (p != NOWHERE).all()}
        distinct = {field: p for field, p in complete.items() if len(np.unique(p)) == len(p)}
        return distinct or {field: p for field, p in complete.items() if field in self.usual}

    def choose(self, rows: str, other: str) -> str | None:
        """Return the first of the fitting fields; None without.

        Args:
            rows, other: the names of both sides.

        Raises:
            DataError: there are several, whose values are ids in different orders.
        """
        if not self.fitting:
            return None
        (field, positions), *others = self.fitting.items()
        for another, other_positions in others:
            if not np.array_equal(positions, other_positions):
                raise DataError(
                    f"{rows}: both {field} and {another} have ids of {other}, in different orders: "
                    f"choose one (id_field={field})"
                )
        return field

    def describe_unfit(self) -> str:
        """Return the usual fields, whose values are not all ids, with examples; "" without."""
        usual = {field: p for field, p in self.positions.items() if field in self.usual}
        return ", ".join(
            f"{field} begins with {self.first_values[field]}"
            + (f" ({(p != NOWHERE).sum():,} of {len(p):,} are ids)" if (p != NOWHERE).any() else "")
            for field, p in usual.items()
        )


def pair_rows(
    src: GraphSource, tgt: GraphSource, is_strict: bool = False, is_ignored: bool = False
) -> Ints | None:
    """Find which row of a parser answers which gold graph.

    Rows have the ids that ``id_field`` names or, without it, those of a field whose values are
    distinct ids of gold graphs. Files of one graph each have their names.

    Args:
        is_strict: rows without ids, and gold graphs without a row, are an error.
        is_ignored: the position decides; a note gives the number of pairs whose ids differ.

    Returns:
        the position of the row of each gold graph, -1 without; None if the position decides.

    Raises:
        DataError: an id that no gold graph has, or that two rows have; fields whose ids pair the
            rows differently.
        GraphError: a row that cannot be read.
    """
    if src.path is not None and src.path == tgt.path:
        return None  # each row has both graphs
    if not src.has_rows and not _find_named_files(src, tgt):
        if tgt.has_rows and tgt.answers.id_field is None and not is_ignored:
            find_shared_ids([src, tgt])
        return None
    if tgt.has_rows and tgt.answers.id_field is None:
        choose_usual_field(tgt)
    if not any(name is not None for name in tgt.list_ids()):
        if (field := src.answers.id_field) is not None:
            src.warnings.append(
                f"{src.label} is paired by position, because {tgt.label} has no ids, only "
                f"{src.label} ({_describe_field(field)})"
            )
        return None
    if is_ignored:
        src.notes += _describe_ignored(src, tgt.list_ids())
        return None
    found = find_id_field(src, tgt, is_strict)
    return None if found is None else _order_rows(src, tgt, found, is_strict)


def find_shared_ids(sides: Sequence[GraphSource]) -> None:
    """Find the fields with the ids of sides with rows: those of the first side that has ids.

    If no side has ids but rows, these are the values of a usual field of the first one.

    Raises:
        DataError, GraphError: as `find_id_field`.
    """
    unknown = [side for side in sides if side.has_rows and side.answers.id_field is None]
    others = (side for side in sides if not any(side is another for another in unknown))
    first = next((side for side in others if any(side.list_ids())), None) if unknown else None
    for side in unknown:
        if first is None:
            choose_usual_field(side)
            first = side
        elif find_id_field(side, first) is not None:
            _note_field(side)


def find_id_field(source: GraphSource, other: GraphSource, is_strict: bool = False) -> Ints | None:
    """Find the field of rows with the ids of another side, unless ``id_field`` names it.

    Returns:
        the positions of the ids of the rows among those of the other side, -1 for one that is not
        there; None without a field with ids, of which `source` has a warning.

    Raises:
        DataError: fields with ids in different orders; an id that the other side has twice, or a
            graph without, if ``id_field`` is set; rows without ids, if `is_strict`.
    """
    ids, names = other.list_ids(), (source.label, other.label)
    problem = _find_problem(ids, names[1])
    row_ids = _read_ids(source, [] if problem else ids)
    field = source.answers.id_field
    if field is not None and problem:
        raise DataError(f"id_field={field}: {problem}")
    if field is None and (field := row_ids.choose(*names)) is None:
        first = next((name for name in ids if name is not None), None)
        reason = problem or f"no field has the ids of {names[1]}, of which {first} is the first"
        if not (examples := row_ids.describe_unfit()):
            return None
        text = f"{reason}: {examples}. id_field=PATH names the field with these ids"
        if is_strict:
            raise DataError(f"{names[0]}: {text}")
        source.warnings.append(
            f"{names[0]} is paired by position, because {text}, ids=ignore pairs by position "
            "without this warning"
        )
        return None
    source.answers = replace(source.answers, id_field=field)
    return row_ids.positions[field]


def choose_usual_field(source: GraphSource) -> None:
    """Take the first usual field for ids whose values are distinct as that of the ids of rows."""
    values: dict[str, set[str]] = {field: set() for field in ID_FIELDS}
    for answer in _store_answers(source):
        for field in [*values]:
            value = answer.fields.get(field)
            if value is None or value in values[field]:
                del values[field]
            else:
                values[field].add(value)
    if values:
        field = next(iter(values))
        source.answers = replace(source.answers, id_field=field)
        _note_field(source)


def _note_field(source: GraphSource) -> None:
    source.notes.append(f"{source.label}: the ids are those of the field {source.answers.id_field}")


def _find_named_files(src: GraphSource, tgt: GraphSource) -> bool:
    """Find files of one graph each whose names are ids; they become the answers of `src`."""
    files = src.files
    if len(files) < 2 or src.notation.format != "penman" or len(tgt.files) > 1:
        return False
    first = next(src.select_file(files[0]).without_counts().read())
    if len(first) != 1 or first.ids != [None]:
        return False
    ids = tgt.list_ids()
    names = {strip_extensions(file) for file in files}
    if len(names) < len(files) or not names.issubset({name for name in ids if name is not None}):
        return False
    src.stored = FileAnswers(files)
    return True


def _store_answers(source: GraphSource) -> Iterator[Answer]:
    """Yield the answers of rows, and store them."""
    if source.stored is not None:
        yield from source.stored
        return
    stored = StoredAnswers()
    for answer in source.list_answers():
        stored.add(answer)
        yield answer
    source.stored = stored


def _read_ids(source: GraphSource, ids: Sequence[str | None]) -> RowIds:
    """Find the ids of rows, or the values of all fields, among those of the other side."""
    field, answers = source.answers.id_field, _store_answers(source)
    if field is None:
        return RowIds.find((answer.fields for answer in answers), ids)
    rows = ({field: source.find_id(answer) or ""} for answer in answers)
    return RowIds.find(rows, ids, usual=[field])


def _order_rows(src: GraphSource, tgt: GraphSource, positions: Ints, is_strict: bool) -> Ints:
    """Return the position of the row of each gold graph; see `pair_rows`."""
    assert src.answers.id_field is not None
    _check_known(src, tgt, positions)
    ids, field = tgt.list_ids(), src.answers.id_field
    order = np.full(len(ids), NOWHERE)
    order[positions[::-1]] = np.arange(len(positions))[::-1]  # the first row of each id
    _check_distinct(src, order[positions])
    missing = [ids[k] for k in np.flatnonzero(order == NOWHERE).tolist()]
    if missing and is_strict:
        raise DataError(
            f"{src.label}: there is no row for {format_count(len(missing), 'id')} of {tgt.label} "
            f"({join_ids(missing)})"
        )
    src.paired_by = field
    src.notes.append(f"{src.label} is paired by id ({_describe_field(field)})")
    return order


def _check_known(src: GraphSource, tgt: GraphSource, positions: Ints) -> None:
    """Check that the id of each row is that of a gold graph."""
    assert src.stored is not None
    unknown = np.flatnonzero(positions == NOWHERE).tolist()
    if unknown:
        examples = join_ids([src.find_id(src.stored[k]) for k in unknown[: SHOWN + 1]])
        raise DataError(
            f"{src.label}: {len(unknown):,} of {format_count(len(positions), 'id')} "
            f"{'is' if len(unknown) == 1 else 'are'} not in {tgt.label} "
            f"({_describe_field(src.answers.id_field)}: {examples}): remove these rows"
        )


def _check_distinct(src: GraphSource, first_rows: Ints) -> None:
    """Check that no two rows have the same id.

    Args:
        first_rows: the position of the first row with the id of each row.
    """
    assert src.stored is not None
    repeated = np.flatnonzero(first_rows != np.arange(len(first_rows)))
    if not len(repeated):
        return
    first, second = src.stored[int(first_rows[repeated[0]])], src.stored[int(repeated[0])]
    if first.source != second.source:
        place = f"{first.source}, line {first.line}, and {second.source}, line {second.line}"
    elif first.is_one_line:
        place = f"lines {first.line} and {second.line}"
    else:  # in memory
        place = f"rows {first.position} and {second.position}"
    raise DataError(
        f"{src.label}: the id {src.find_id(second)} ({_describe_field(src.answers.id_field)}) is "
        f"in {place}: remove one of these rows"
    )


def _find_problem(ids: Sequence[str | None], name: str) -> str:
    """Say why rows cannot be paired by the ids of the other side; "" if they can."""
    if None in ids:
        return f"graph {ids.index(None)} of {name} has no ::id"
    twice = next((graph_id for graph_id, count in Counter(ids).items() if count > 1), None)
    return "" if twice is None else f"the ::id {twice} is in two graphs of {name}"


def _describe_ignored(src: GraphSource, ids: Sequence[str | None]) -> list[str]:
    """Return a note on the number of pairs whose ids differ, if a field has ids."""
    row_ids = _read_ids(src, ids)
    field = next(iter(row_ids.fitting), src.answers.id_field)
    if field is None:
        return []
    places = row_ids.positions[field].tolist()
    differing = sum(
        place == NOWHERE or ids[place] != graph_id
        for place, graph_id in zip(places, ids, strict=False)
    )
    if not differing:
        return []
    have = "has" if differing == 1 else "have"
    return [
        f"{src.label}: {differing:,} of {format_count(len(ids), 'pair')} {have} different ids "
        f"({_describe_field(field)}), because ids=ignore pairs by position"
    ]


def _describe_field(field: str | None) -> str:
    return {FILE: "names of files", SRC_IDS: SRC_IDS}.get(str(field), f"field {field}")
