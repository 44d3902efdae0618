"""Read the tuple form of Chinese AMR: ten tab-separated columns.

Two header lines, then for each sentence one row for its top, one row per relation and a blank line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile
from typing import NamedTuple

from amr_metrics.camr.draft import (
    Draft,
    Sentence,
    add_line,
    locate_errors,
    restore_id,
    split_blocks,
)
from amr_metrics.camr.graph import CamrGraph
from amr_metrics.camr.ids import check_visible, list_words
from amr_metrics.errors import GraphError
from amr_metrics.graphs.graph import Attribute
from amr_metrics.utils.text import split_lines

NONE = "-"
HEADS = ("句子编号", "sid")  # the first column of the header lines


class TupleRow(NamedTuple):
    """One row of the tuple form; ``-`` means none."""

    sid: str
    nid1: str
    concept1: str
    coref1: str
    rel: str
    rid: str
    ralign: str
    nid2: str
    concept2: str
    coref2: str


def parse_tuples(
    text: str,
    source: str = "<text>",
    lengths: Mapping[str, Sentence] | None = None,
    split: bool = False,
) -> list[CamrGraph]:
    r"""Read all graphs of a text in tuple form, in order.

    The target of ``:name`` contains a name's joined strings: it becomes a node with the concept
    ``name`` and these strings as attributes, one per word if the words are known, otherwise one.

    Args:
        text: rows, a blank line after each sentence; header lines are optional.
        source: the name of the text in error messages.
        lengths: the sentences' lengths by id; without them nodes have no anchors.
        split: read an id with two concepts as two nodes (else it is an error).

    Raises:
        GraphError: naming `source`, the graph's position, the line and the sentence's id.

    >>> graph, = parse_tuples("1\tx0\troot\t-\t:top\t-\t-\tx2\t走-01\t-\n"
    ...                       "1\tx2\t走-01\t-\t:arg0\t-\t-\tx1\t他\t-\n")
    >>> graph.top, graph.concepts
    ('x2', ('走-01', '他'))
    """
    graphs: list[CamrGraph] = []
    for start, lines in split_blocks(split_lines(text)):
        rows: list[tuple[int, TupleRow]] = []
        for number, line in enumerate(lines, start):
            if not _is_header(line):
                sid = line.partition("\t")[0] if "\t" in line else ""
                with locate_errors(source, len(graphs), number, sid):
                    rows.append((number, _parse_row(line)))
        if rows:
            number, first = rows[0]
            with locate_errors(source, len(graphs), number, first.sid):
                graphs.append(_build_graph(rows, lengths, split))
    if not graphs:
        raise GraphError("contains no graph: is it the right file?", source=source)
    return graphs


def tuple_blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of each graph, with the number of the first one; without header lines."""
    for start, block in split_blocks(text.split("\n")):
        if rows := [*dropwhile(_is_header, block)]:
            yield start + len(block) - len(rows), "\n".join(rows)


def _is_header(line: str) -> bool:
    return line.partition("\t")[0] in HEADS


def _parse_row(line: str) -> TupleRow:
    check_visible(line)
    cells = line.split("\t")
    if len(cells) != len(TupleRow._fields):
        raise GraphError(
            f"expected {len(TupleRow._fields)} tab-separated columns, not {len(cells)}: "
            f"{', '.join(TupleRow._fields)}"
        )
    row = TupleRow(*cells)
    for name, cell in zip(TupleRow._fields, cells, strict=True):
        if not cell.strip():
            raise GraphError(f"the column {name} is empty: write {NONE} for none")
    if (row.rid == NONE) != (row.ralign == NONE):
        raise GraphError(
            f"rid is {row.rid!r} but ralign is {row.ralign!r}: a relation alignment requires both"
        )
    if not row.rel.startswith(":") or row.rel == ":":
        raise GraphError(f"the relation {row.rel!r} does not start with a colon")
    return row


def _build_graph(
    block: Sequence[tuple[int, TupleRow]], lengths: Mapping[str, Sentence] | None, split: bool
) -> CamrGraph:
    sid = block[0][1].sid
    sentence = Sentence()
    if lengths is not None:
        sentence = sentence.measured(sid, lengths)
    draft, top = Draft(sentence, split), ""
    for number, row in block:
        with add_line(number):
            if row.sid != sid:
                raise GraphError(
                    f"is followed by sentence {row.sid}: put a blank line between two sentences"
                )
            if row.rel == ":top":
                if row.concept1 != "root":
                    raise GraphError(
                        f"the source of :top must be 'x0 root', not '{row.nid1} {row.concept1}'"
                    )
                target = draft.node(row.nid2, row.concept2, number, _replace_none(row.coref2))
                if top not in ("", target):
                    raise GraphError(f"two tops, {top} and {target}: a graph has exactly one")
                top = target
                continue
            node = draft.node(row.nid1, row.concept1, number, _replace_none(row.coref1))
            target = draft.node(row.nid2, row.concept2, number, _replace_none(row.coref2))
            draft.relate(node, row.rel, target, _replace_none(row.rid), _replace_none(row.ralign))
    if not top:
        raise GraphError("has no :top row: add 'x0 root - :top - - ID concept -'")
    _expand_names(draft)
    metadata = {"id": f"export_amr.{sid}"}
    if sentence.words:
        metadata["snt"] = " ".join(sentence.words.values())
        metadata["wid"] = " ".join(f"x{k}_{word}" for k, word in sentence.words.items())
    return draft.graph(top, sid, metadata)


def _replace_none(cell: str) -> str:
    return "" if cell == NONE else cell


def _expand_names(draft: Draft) -> None:
    """Turn the targets of ``:name`` into nodes with the concept ``name`` and their strings."""
    # The file has a name's strings joined. If the words of its id, joined, are the same string,
    # each of them is a string, as in the text form; otherwise the name has one string.
    for edge in draft.edges:
        name = {":name": edge.target, ":name-of": edge.source}.get(edge.role)
        if name is None or name in draft.antecedents or draft.concepts[name] == "name":
            continue
        joined, draft.concepts[name] = draft.concepts[name], "name"
        words = [draft.sentence.words.get(word, "") for word, _ in list_words(restore_id(name))]
        for k, string in enumerate(words if "".join(words) == joined else [joined], 1):
            draft.attributes.append(Attribute(name, f":op{k}", string))
