"""Chinese AMR graphs in text form."""

from __future__ import annotations

import re
from collections.abc import Iterable

from metrics.camr.draft import Edge, anaphor_concept, written_id
from metrics.camr.graph import CamrGraph, deinverted
from metrics.camr.ids import is_id
from metrics.camr.text import ID_PREFIX, PLAIN_METADATA, sentence_of
from metrics.camr.tuples import is_name_string
from metrics.errors import GraphError

INDENT = "  "


def format_text(graphs: Iterable[CamrGraph]) -> str:
    """Format graphs as the content of a file in text form, separated by blank lines.

    Raises:
        GraphError: as `format_graph`.
    """
    return "\n\n".join(map(format_graph, graphs)) + "\n"


def format_graph(graph: CamrGraph) -> str:
    """Format a graph in text form with its metadata; reading it gives an equal graph.

    A relation that cannot be reached from the top in the direction in which it was written is
    written from its target, as ``role-of``.

    Raises:
        GraphError: a graph that is not connected, a string that contains a quotation mark, or an
            anaphor whose concept is not the words of its id: the form cannot express these.

    >>> from metrics.camr.text import parse_text
    >>> graph, = parse_text('''# ::id export_amr.1
    ... # ::wid x1_他 x2_对 x3_她 x4_说
    ... (x4 / 说-01 :arg0() (x1 / 他) :arg2(x2/对) (x3 / 她))''')
    >>> print(format_graph(graph))
    # ::id export_amr.1
    # ::wid x1_他 x2_对 x3_她 x4_说
    (x4 / 说-01
      :arg0() (x1 / 他)
      :arg2(x2/对) (x3 / 她))
    """
    try:
        below = _written_below(graph)
        pieces: list[str] = []
        bare = False
        seen: set[str] = set()
        waiting: list[tuple[int, Edge] | None] = [(0, Edge("", "", graph.top))]
        while waiting:
            item = waiting.pop()
            if item is None:
                # The corpus has a space between an unquoted word and a parenthesis.
                pieces.append(" )" if bare else ")")
                bare = False
                continue
            depth, (_, role, target, rid, word) = item
            if role:
                aligned = f"{rid}/{_quoted(word)}" if rid else ""
                pieces.append(f"\n{INDENT * depth}{role}({aligned}) ")
            name = written_id(target)
            if target not in seen:
                seen.add(target)
                constants = _constants(graph, target)
                pieces.append(f"({name} / {_concept(graph, target)}{constants}")
                bare = constants != ""
                waiting.append(None)
                waiting += [(depth + 1, edge) for edge in reversed(below[target])]
            elif target == name:
                pieces.append(name)
                bare = True
            else:  # one of several nodes with this id, identified by its concept
                pieces.append(f"({name} / {_concept(graph, target)})")
                bare = False
    except GraphError as error:
        raise GraphError(f"sentence {graph.sentence_id}: {error.problem}") from None
    return "".join([*_metadata(graph), *pieces])


def _metadata(graph: CamrGraph) -> list[str]:
    values = {"id": ID_PREFIX + graph.sentence_id} if graph.sentence_id else {}
    values |= graph.metadata
    first = [f"::{key} {value}" for key, value in values.items() if key not in PLAIN_METADATA]
    lines = [f"# {' '.join(first)}\n"] if first else []
    return lines + [f"# ::{key} {values[key]}\n" for key in PLAIN_METADATA if key in values]


def _written_below(graph: CamrGraph) -> dict[str, list[Edge]]:
    """Return the relations to write below each node, so that all are reached from the top."""
    below: dict[str, list[Edge]] = {variable: [] for variable in graph.variables}
    for (source, role, target), arc in zip(graph.written, graph.arcs, strict=True):
        below[source].append(Edge(source, role, target, arc.rid, arc.word))
    while len(reached := _reached(below, graph.top)) < len(below):
        back = next(
            (e for v, edges in below.items() if v not in reached for e in edges
             if e.target in reached),
            None,
        )  # fmt: skip
        if back is None:
            raise GraphError("the graph is not connected, which the text form cannot express")
        below[back.source].remove(back)
        role = deinverted(back.role) or f"{back.role}-of"
        below[back.target].append(Edge(back.target, role, back.source, back.rid, back.word))
    return below


def _reached(below: dict[str, list[Edge]], top: str) -> set[str]:
    reached = {top}
    waiting = [top]
    while waiting:
        targets = {edge.target: None for edge in below[waiting.pop()]}
        waiting += [target for target in targets if target not in reached]
        reached.update(targets)
    return reached


def _concept(graph: CamrGraph, variable: str) -> str:
    """Return the text after a node's slash: its concept, or the id that it refers to."""
    concept = graph.concept(variable)
    if variable not in graph.antecedents:
        return _quoted(concept)
    antecedent = graph.antecedents[variable]
    name = written_id(variable)
    implied = anaphor_concept(name, sentence_of(graph.metadata)) or graph.concept(antecedent)
    if implied != concept:
        raise GraphError(
            f"{name} refers to {antecedent} and has the concept {concept!r}: the text form can "
            f"only express the concept {implied!r}"
        )
    return written_id(antecedent)


def _constants(graph: CamrGraph, variable: str) -> str:
    """Format the strings of a name, each with its part of the name's id, and other constants."""
    constants = [a for a in graph.attributes if a.node == variable]
    strings = [a for a in constants if is_name_string(graph, a)]
    parts = [f"x{part}" for part in written_id(variable)[1:].split("_x")]
    ids = [written_id(variable)] if len(strings) == 1 else parts
    if len(ids) != len(strings):
        ids = [""] * len(strings)
    heads = dict(zip(strings, ids, strict=True))
    return "".join(
        f" {a.role} {heads[a]}/{_quoted(a.constant)}"
        if heads.get(a)
        else f" {a.role}() {_quoted(a.constant)}"
        for a in constants
    )


def _quoted(text: str) -> str:
    """Return a concept, constant or word, in double quotes where the text form requires them."""
    if '"' in text:
        raise GraphError(f"{text!r} contains a quotation mark, which the text form cannot express")
    return f'"{text}"' if is_id(text) or re.search(r"[\s:/()]", text) else text
