"""Find faults that graphs show by themselves.

A flag is almost always an error, and most errors of a parser have no flag: a graph that is well
formed can mean something else than the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.rows import count_rows, list_groups
from amr_metrics.graphs.selection import first_rows, match_symbols
from amr_metrics.graphs.triples import Triples
from amr_metrics.types import Bools, Ints
from amr_metrics.utils.files import TABLES
from amr_metrics.validity.frames import Frames

# Those that only a list of frames shows.
FRAME_KINDS = ("unknown frame", "unknown sense", "argument not in frame")
NO_FRAMES = (
    "frames not checked: frames=FILE also finds unknown frames and senses, and arguments that a "
    "frame lacks"
)
KINDS = (
    "unknown role",
    *FRAME_KINDS,
    "argument of a non-frame",
    "core role twice",
    "dangling variable",
    "bare constant",
    "polarity value",
    "name without :op",
    "repeated triple",
    "self loop",
    "cycle",
)
SENSE = re.compile(r".+-\d\d")  # three digits are no sense
CORE = re.compile(r":ARG\d+")
OP = re.compile(r":op\d+")
VARIABLE = re.compile(r"[a-z]{1,2}\d*")  # as annotators and parsers name nodes
# A number or a time, a date, a polarity, or a mode.
UNQUOTED = re.compile(
    r"[+-]?[\d.,:/]+|\d{4}-\d\d?(-\d\d?)?|[+-]|imperative|expressive|interrogative"
)
OF_POLARITY = ("amr-unknown", "truth-value")  # concepts to which :polarity may lead


class Flag(NamedTuple):
    """A fault of a graph.

    Attributes:
        graph: the position of the graph.
        kind: one of `KINDS`.
        triple: the source, the role and the target of the triple that is at fault.
    """

    graph: int
    kind: str
    triple: tuple[str, str, str]

    def __str__(self) -> str:
        return f"{self.kind}: {' '.join(self.triple)}"


def count_triples(corpus: Corpus) -> Ints:
    """Return the number of triples of each graph, ``:instance`` included and the root not."""
    starts = corpus.node_start, corpus.attribute_start, corpus.relation_start
    return np.asarray(np.sum([count_rows(start) for start in starts], axis=0))


def find_flags(corpus: Corpus, frames: Frames | None = None) -> list[Flag]:
    """Find the faults of graphs, as they were read: no step of standardisation should be applied.

    The triples are those that penman decodes with its AMR model. A triple can have several flags. A
    core role that a node has more than once is flagged at its second edge, and a graph with cycles
    once, at the edge that closes the first in depth-first order. Attributes of a node come before
    its relations.

    Args:
        frames: to check senses and the arguments of frames; None not to check them.

    Returns:
        the flags in the order of the graphs and of their triples.

    >>> from amr_metrics import parse_graph
    >>> graph = parse_graph("(b / bark :ARG0 (d / dog) :ARG0 (c / cat) :polarity no)")
    >>> for flag in find_flags(Corpus.of([graph])):
    ...     print(flag)
    dangling variable: b :polarity no
    polarity value: b :polarity no
    argument of a non-frame: b :ARG0 d
    argument of a non-frame: b :ARG0 c
    core role twice: b :ARG0 c
    """
    triples = Triples(corpus)
    of_nodes = _check_nodes(triples, frames)
    of_edges = _check_edges(triples, frames)
    checked = [kind for kind in KINDS if kind in of_nodes or kind in of_edges]
    table = [
        np.append(of_nodes.get(kind, triples.no_nodes), of_edges.get(kind, triples.no_edges))
        for kind in checked
    ]
    kinds, rows = np.nonzero(table)
    node_graphs = list_groups(corpus.node_start)
    graphs = np.append(node_graphs, triples.graphs)[rows]
    order = np.lexsort((kinds, rows, graphs))
    flags = zip(*(column[order].tolist() for column in (graphs, kinds, rows)), strict=True)
    return [Flag(graph, checked[kind], _format_triple(triples, row)) for graph, kind, row in flags]


def _format_triple(triples: Triples, row: int) -> tuple[str, str, str]:
    """Return a triple as text.

    Args:
        row: of the triples of all nodes, then of all edges.
    """
    corpus, texts = triples.corpus, triples.corpus.symbols.texts
    edge = row - len(corpus.concepts)
    if edge < 0:
        return texts[corpus.variables[row]], ":instance", texts[corpus.concepts[row]]
    target = triples.targets[edge]
    symbol = triples.values[edge] if target < 0 else corpus.variables[target]
    source = corpus.variables[triples.sources[edge]]
    return texts[source], texts[triples.roles[edge]], texts[symbol]


def _check_nodes(triples: Triples, frames: Frames | None) -> dict[str, Bools]:
    """Return which nodes have a fault in their concept, by kind."""
    corpus = triples.corpus
    has_op = triples.sources_of(match_symbols(corpus, triples.roles, OP.fullmatch))
    faults = {"name without :op": triples.with_concepts({"name"}) & ~has_op}
    if frames is not None:

        def is_unknown(concept: str) -> bool:
            return bool(SENSE.fullmatch(concept)) and concept.lower() not in frames.roles

        def has_lemma(concept: str) -> bool:
            return concept.lower()[:-3] in frames.lemmas

        unknown = match_symbols(corpus, corpus.concepts, is_unknown)
        known_lemma = match_symbols(corpus, corpus.concepts, has_lemma)
        faults["unknown frame"] = unknown & ~known_lemma
        faults["unknown sense"] = unknown & known_lemma
    return faults


def _check_edges(triples: Triples, frames: Frames | None) -> dict[str, Bools]:
    """Return which attributes and relations have a fault, by kind."""
    corpus = triples.corpus
    is_core = match_symbols(corpus, triples.roles, CORE.fullmatch)
    has_sense = match_symbols(corpus, corpus.concepts, SENSE.fullmatch)
    is_attribute = triples.targets < 0
    is_variable = is_attribute & match_symbols(corpus, triples.values, VARIABLE.fullmatch)
    is_bare = is_attribute & match_symbols(corpus, triples.values, _is_bare) & ~is_variable
    is_negative = is_attribute & match_symbols(corpus, triples.values, "-".__eq__)
    is_negative |= triples.leading_to(triples.with_concepts(OF_POLARITY))
    is_new = first_rows(triples.sources, triples.roles, triples.targets, triples.values)
    faults = {
        "unknown role": match_symbols(corpus, triples.roles, lambda role: not _is_role(role)),
        "argument of a non-frame": is_core & ~has_sense[triples.sources],
        "core role twice": _find_second_rows(is_core & is_new, triples.sources, triples.roles),
        "dangling variable": is_variable,
        "bare constant": is_bare,
        "polarity value": triples.with_roles({":polarity"}) & ~is_negative,
        "repeated triple": ~is_new,
        "self loop": triples.sources == triples.targets,
        "cycle": _find_cycles(triples),
    }
    if frames is not None:
        faults["argument not in frame"] = is_core & _find_lacking_arguments(triples, frames)
    return faults


def _is_bare(constant: str) -> bool:
    """Return whether a constant should be in quotes."""
    return not constant.startswith('"') and not UNQUOTED.fullmatch(constant)


@cache
def _read_further_roles() -> re.Pattern[str]:
    lines = (TABLES / "roles.txt").read_text("utf-8").split("\n")
    return re.compile("|".join(line for line in lines if line.startswith(":")))


def _is_role(role: str) -> bool:
    """Return whether AMR has a role, also as an inverse one."""
    from penman.models.amr import model as amr_model  # slow to import

    plain = role.removesuffix("-of")
    return amr_model.has_role(role) or _read_further_roles().fullmatch(plain) is not None


def _find_second_rows(mask: Bools, *columns: Ints) -> Bools:
    """Check whether each row of a mask is the second of its equals in the mask."""
    rows = np.flatnonzero(mask)
    for _ in range(2):
        is_first = first_rows(*(column[rows] for column in columns))
        firsts, rows = rows[is_first], rows[~is_first]
    seconds = np.zeros(len(mask), np.bool_)
    seconds[firsts] = True
    return seconds


def _find_lacking_arguments(triples: Triples, frames: Frames) -> Bools:
    """Check whether each edge has a role that the frame of its source lacks.

    Each frame is looked up once with each role.
    """
    texts, concepts = triples.corpus.symbols.texts, triples.corpus.concepts[triples.sources]
    size = len(texts)
    keys, inverse = np.unique(concepts.astype(np.int64) * size + triples.roles, return_inverse=True)
    lacks = np.zeros(len(keys), np.bool_)
    for k, (concept, role) in enumerate(zip(*np.divmod(keys, max(size, 1)), strict=True)):
        roles = frames.roles.get(texts[concept].lower())
        lacks[k] = roles is not None and texts[role].removeprefix(":ARG") not in roles
    return lacks[inverse]


def _find_cycles(triples: Triples) -> Bools:
    """Return, of each graph with a cycle, the edge that closes the first."""
    closing = triples.no_edges
    alive = triples.targets >= 0
    while True:  # an edge to a node that none leaves is in no cycle
        nodes = triples.sources_of(alive)
        fewer = alive & triples.leading_to(nodes)
        if (fewer == alive).all():
            break
        alive = fewer
    for graph in np.unique(triples.graphs[alive]).tolist():
        closing[_find_first_cycle(triples, graph)] = True
    return closing


def _find_first_cycle(triples: Triples, graph: int) -> int:
    """Return the edge that closes the first cycle of a graph in depth-first order.

    The order begins at the top, then at the nodes that no path has reached.
    """
    corpus = triples.corpus
    start, end = corpus.relation_start[graph : graph + 2] + len(corpus.constants)
    first, last = corpus.node_start[graph : graph + 2].tolist()
    edges: dict[int, list[tuple[int, int]]] = {}
    for edge in range(int(start), int(end)):
        edges.setdefault(int(triples.sources[edge]), []).append((edge, int(triples.targets[edge])))
    finished: set[int] = set()
    for begin in (first + int(corpus.tops[graph]), *range(first, last)):
        path: dict[int, Iterator[tuple[int, int]]] = {}
        if begin not in finished:
            path[begin] = iter(edges.get(begin, ()))
        while path:
            node = next(reversed(path))
            edge, target = next(path[node], (-1, -1))
            if target in path:
                return edge
            if target < 0:
                finished.add(node)
                del path[node]
            elif target not in finished:
                path[target] = iter(edges.get(target, ()))
    raise AssertionError("the graph has no cycle")
