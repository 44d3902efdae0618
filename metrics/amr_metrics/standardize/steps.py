"""Standardisation steps: pure functions that remove differences between equivalent graphs.

A step takes a `Corpus`, or a single `Graph`, which is a corpus of one. If nothing changes, it
returns the same object. A graph that changes loses how its relations were written.
Source: Opitz (2023), Smatch++: standardized and extended evaluation of semantic graphs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial, wraps
from itertools import islice
from sys import intern
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from amr_metrics.graphs import reification
from amr_metrics.graphs.corpus import Corpus, Symbols
from amr_metrics.graphs.encoding import reverse_relations_as
from amr_metrics.graphs.folding import SENSE
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.graphs.pairs import Pair, Pairs, map_graphs
from amr_metrics.graphs.reification import Reifications, new_variables
from amr_metrics.graphs.rows import list_groups, merge_rows, starts
from amr_metrics.graphs.selection import first_rows, match_symbols, reverse_relations, select_rows
from amr_metrics.graphs.triples import Triples
from amr_metrics.reading.labels import deinverted, remove_alignment
from amr_metrics.types import Bools, Ints

if TYPE_CHECKING:
    import penman

Graphs = TypeVar("Graphs", Graph, Corpus)

EDGE = ":edge"  # the role of both halves of an edge that became a node
CORE_ROLE = re.compile(r":arg(?=\d)")
QUOTED = re.compile('"([^"]*)"')
# A constant has no outgoing edges, so that only the role can be normalised.
CONSTANT_DOMAINS = {":domain": ":mod-of", ":domain-of": ":mod"}
# Where the rows of each graph start, for each column of symbols.
ROWS = {
    "concepts": "node_start",
    "constants": "attribute_start",
    "attribute_roles": "attribute_start",
    "relation_roles": "relation_start",
}


class Step(Protocol):
    """A function from graph to graph and from corpus to corpus."""

    def __call__(self, graphs: Graphs, /) -> Graphs:
        """Standardise graphs."""


def on_corpus(function: Callable[[Corpus], Corpus]) -> Step:
    """Make a step of a function of a corpus."""

    @wraps(function)
    def step(graphs: Any) -> Any:
        if isinstance(graphs, Corpus):
            return function(graphs)
        corpus = Corpus.of([graphs])
        changed = function(corpus)
        return graphs if changed is corpus else changed[0]

    return step


def on_each(function: Callable[[Graph], Graph]) -> Step:
    """Make a step of a function of one graph."""

    @wraps(function)
    def step(graphs: Any) -> Any:
        return Corpus.of(map(function, graphs)) if isinstance(graphs, Corpus) else function(graphs)

    return step


def apply(steps: Iterable[Step], graphs: Graphs) -> Graphs:
    """Apply steps in order to a graph, or to all graphs of a corpus."""
    for step in steps:
        graphs = step(graphs)
    return graphs


def apply_to_pairs(steps: Sequence[Step], pairs: Sequence[Pair]) -> Sequence[Pair]:
    """Apply steps in order to the graphs of some pairs, to each distinct graph once."""
    if not isinstance(pairs, Pairs) and not all(
        type(graph) is Graph for pair in pairs for graph in pair
    ):
        return map_graphs(partial(apply, steps), pairs)  # a corpus drops a subclass's fields
    # Whole corpora: a step works on arrays, and once if both sides are the same graphs.
    used = Pairs.of(pairs).compact()
    src, tgt, is_same = used.src, used.tgt, used.tgt is used.src
    for step in steps:
        src = step(src)
        tgt = src if is_same else step(tgt)
    return Pairs(src, tgt, used.src_index, used.tgt_index)


@on_corpus
def lower(corpus: Corpus) -> Corpus:
    """Lower-case concepts, constants and roles.

    Core roles are the exception: they are written ``:ARG0``, as usual in AMR, so that later steps
    and tables of roles recognise them.

    >>> from amr_metrics import parse_graph
    >>> lower(parse_graph('(s / Sing-01 :arg0 (c / Cat) :Polarity "No")')).attributes
    (Attribute(node='s', role=':polarity', constant='"no"'),)
    """
    return relabel_symbols(
        corpus,
        concepts=str.lower,
        constants=str.lower,
        relation_roles=lower_role,
        attribute_roles=lower_role,
    )


@on_corpus
def unquote(corpus: Corpus) -> Corpus:
    """Remove quotation marks, including single quotes and apostrophes, from all labels.

    >>> from amr_metrics import parse_graph
    >>> unquote(parse_graph('(n / name :op1 "Smith")')).attributes
    (Attribute(node='n', role=':op1', constant='Smith'),)
    """
    return _remove_marks(corpus, "\"'")


@on_corpus
def strip_quotes(corpus: Corpus) -> Corpus:
    """Remove double quotation marks from all labels; apostrophes stay.

    >>> from amr_metrics import parse_graph
    >>> strip_quotes(parse_graph('(n / name :op1 "Smith")')).attributes
    (Attribute(node='n', role=':op1', constant='Smith'),)
    """
    return _remove_marks(corpus, '"')


@on_corpus
def smatch_package(corpus: Corpus) -> Corpus:
    """Keep what the smatch package (1.0.3 and later) reads of each graph.

    Constants under ``:mod`` and under inverse roles are dropped. ``x :domain y`` becomes
    ``y :mod x``, but ``x :mod-of y`` is another role. A label loses its quotation marks and the
    underscores at its end; a constant ends at its first space, a concept has none.

    >>> from amr_metrics import parse_graph
    >>> smatch_package(parse_graph('(n / name :mod 1 :op1 "New York")')).attributes
    (Attribute(node='n', role=':op1', constant='New'),)
    """
    if corpus.aligned:
        corpus = _restore_alignments(corpus)

    def is_dropped(role: str) -> bool:
        return role == ":mod" or deinverted(role) is not None

    dropped = match_symbols(corpus, corpus.attribute_roles, is_dropped)
    if dropped.any():
        corpus = select_rows(corpus, attributes=~dropped)
    corpus = relabel_symbols(
        _restore_mod_of(corpus),
        concepts=_convert_concept,
        constants=_convert_constant,
        relation_roles=_convert_role,
        attribute_roles=_convert_role,
    )
    return _replace_roles(corpus, _replace_domain)


@on_corpus
def deinvert(corpus: Corpus) -> Corpus:
    """Normalise inverse roles. Reading Penman notation already does this.

    >>> from amr_metrics.graphs.graph import Relation
    >>> graph = Graph(("d", "b"), ("dog", "bark-01"), (), (Relation("d", ":ARG0-of", "b"),), "d")
    >>> deinvert(graph).relations
    (Relation(source='b', role=':ARG0', target='d'),)
    """

    def normalise(role: str) -> tuple[str, bool]:
        swapped = False
        while (inverse := deinverted(role)) is not None:  # ``:ARG0-of-of`` is inverse twice
            role, swapped = inverse, not swapped
        return role, swapped

    return _replace_roles(corpus, normalise)


@on_corpus
def fold_domain(corpus: Corpus) -> Corpus:
    """Replace ``x :domain y`` by the equivalent ``y :mod x``.

    >>> from amr_metrics import parse_graph
    >>> fold_domain(parse_graph("(s / small :domain (d / dog))")).relations
    (Relation(source='d', role=':mod', target='s'),)
    """
    corpus = relabel_symbols(corpus, attribute_roles=lambda role: CONSTANT_DOMAINS.get(role, role))
    return _replace_roles(corpus, _replace_domain)


@on_corpus
def distinct(corpus: Corpus) -> Corpus:
    """Remove repeated triples.

    >>> from amr_metrics import parse_graph
    >>> distinct(parse_graph("(s / sleep-01 :polarity - :polarity -)")).attributes
    (Attribute(node='s', role=':polarity', constant='-'),)
    """
    attributes = first_rows(
        *(list_groups(corpus.attribute_start), corpus.holders),
        *(corpus.attribute_roles, corpus.constants),
    )
    relations = first_rows(
        *(list_groups(corpus.relation_start), corpus.sources),
        *(corpus.relation_roles, corpus.targets),
    )
    return _remove_edges(corpus, ~attributes, ~relations)


def dereify(rules: Reifications) -> Step:
    """Return the step that replaces nodes that represent edges (`graphs.reification`).

    It is applied to each graph with a node that may represent an edge: one of a concept with a
    rule that is not the top, that no edge points to, and that has two edges.
    """

    @on_corpus
    def step(corpus: Corpus) -> Corpus:
        reified = match_symbols(corpus, corpus.concepts, rules.by_concept.__contains__)
        # All graphs with such a concept lose how relations were written.
        has_concept = _find_marked_graphs(corpus.node_start, reified)
        if not has_concept.any():
            return corpus
        corpus = _forget_written_form(corpus, has_concept)
        may_change = _find_marked_graphs(corpus.node_start, reified & _find_possible_edges(corpus))
        if not may_change.any():
            return corpus
        changing = np.flatnonzero(may_change)
        bare = corpus.without_metadata().take(changing)
        return _replace_graphs(corpus, changing, [reification.dereify(g, rules) for g in bare])

    return step


def reify(rules: Reifications) -> Step:
    """Return the step that replaces edges with a rule by nodes (`graphs.reification`)."""
    return on_each(lambda graph: reification.reify(graph, rules))


@on_corpus
def root_concept(corpus: Corpus) -> Corpus:
    """Add the triple ``top :root concept``, for metrics that ignore the root.

    >>> from amr_metrics import parse_graph
    >>> root_concept(parse_graph("(d / dog)")).attributes
    (Attribute(node='d', role=':root', constant='dog'),)
    """
    return _add_root(corpus, None)


@on_corpus
def root_constant(corpus: Corpus) -> Corpus:
    """Add the triple ``top :root top``, which is the same in all graphs.

    >>> from amr_metrics import parse_graph
    >>> root_constant(parse_graph("(d / dog)")).attributes
    (Attribute(node='d', role=':root', constant='top'),)
    """
    return _add_root(corpus, "top")


@on_each
def drop_senses(graph: Graph) -> Graph:
    """Remove senses from concepts and from the root's triple (`root_concept`).

    >>> from amr_metrics import parse_graph
    >>> drop_senses(parse_graph("(s / sleep-01)")).concepts
    ('sleep',)
    """
    concepts = tuple([SENSE.sub("", concept) for concept in graph.concepts])
    attributes = tuple(
        [
            a._replace(constant=SENSE.sub("", a.constant)) if a.role == ":root" else a
            for a in graph.attributes
        ]
    )
    if concepts == graph.concepts and attributes == graph.attributes:
        return graph
    return replace(graph, concepts=concepts, attributes=attributes, inverted=(), forward=())


@on_corpus
def drop_wiki(corpus: Corpus) -> Corpus:
    """Remove ``:wiki`` attributes, which many parsers leave to a separate program.

    >>> from amr_metrics import parse_graph
    >>> drop_wiki(parse_graph('(c / city :wiki "Ulm")')).attributes
    ()
    """
    dropped = match_symbols(corpus, corpus.attribute_roles, lambda role: role.lower() == ":wiki")
    return select_rows(corpus, attributes=~dropped) if dropped.any() else corpus


@on_corpus
def drop_alignments(corpus: Corpus) -> Corpus:
    """Remove surface alignments (``dog~e.3``), which the smatch package takes for parts of labels.

    >>> from amr_metrics import parse_graph
    >>> drop_alignments(parse_graph("(d / dog~e.3)")).aligned
    ''
    """
    return replace(corpus, aligned={}) if corpus.aligned else corpus


def both_directions(role: str) -> frozenset[str]:
    """Return a role and its inverse, in lower case.

    >>> sorted(both_directions(":ARG0-of"))
    [':arg0', ':arg0-of']
    """
    forward = deinverted(role.lower()) or role.lower()
    return frozenset({forward, f"{forward}-of"})


def drop_role(role: str) -> Step:
    """Return a step that removes the relations and attributes with a role, in either direction.

    >>> from amr_metrics import parse_graph
    >>> graph = parse_graph("(s / sleep-01 :time (n / now))")
    >>> drop_role(":time")(graph).relations, drop_role(":time-of")(graph).relations
    ((), ())
    """
    roles = both_directions(role)

    @on_corpus
    def step(corpus: Corpus) -> Corpus:
        columns = corpus.attribute_roles, corpus.relation_roles
        return _remove_edges(
            corpus,
            *[match_symbols(corpus, column, lambda r: r.lower() in roles) for column in columns],
        )

    return step


@on_corpus
def unlabel(corpus: Corpus) -> Corpus:
    """Replace all roles by ``:rel``, except in the root's triple (`root_concept`).

    >>> from amr_metrics import parse_graph
    >>> unlabel(parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)")).attributes
    (Attribute(node='s', role=':rel', constant='-'),)
    """

    def rel(role: str) -> str:
        return role if role == ":root" else ":rel"

    return relabel_symbols(corpus, relation_roles=rel, attribute_roles=rel)


@on_each
def edges_to_nodes(graph: Graph) -> Graph:
    """Replace each edge by a node whose concept is the role, so that roles are compared as labels.

    ``x :role y`` becomes ``x :edge n`` and ``n :edge y``. The root's triple (`root_concept`) stays.
    Source: the transform of edges to nodes in the authors' tool of WWLK (2023).

    >>> from amr_metrics import parse_graph
    >>> edges_to_nodes(parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)"))
    <Graph (s / sleep-01 :edge (_ / :ARG0 :edge (c / cat)) :edge (_2 / :polarity :edge -))>
    """
    kept = [attribute for attribute in graph.attributes if attribute.role == ":root"]
    replaced = [attribute for attribute in graph.attributes if attribute.role != ":root"]
    count = len(graph.relations) + len(replaced)
    nodes = [*islice(new_variables(graph.variables), count)]
    of_relations, of_attributes = nodes[: len(graph.relations)], nodes[len(graph.relations) :]
    to_nodes, from_nodes = [], []
    for (source, _, target), node in zip(graph.relations, of_relations, strict=True):
        to_nodes.append(Relation(source, EDGE, node))
        from_nodes.append(Relation(node, EDGE, target))
    for (source, _, constant), node in zip(replaced, of_attributes, strict=True):
        to_nodes.append(Relation(source, EDGE, node))
        kept.append(Attribute(node, EDGE, constant))
    roles = [role for _, role, _ in (*graph.relations, *replaced)]
    return replace(
        graph,
        variables=(*graph.variables, *nodes),
        concepts=(*graph.concepts, *roles),
        attributes=tuple(kept),
        relations=(*to_nodes, *from_nodes),
        inverted=(),
        forward=(),
    )


def _remove_marks(corpus: Corpus, marks: str) -> Corpus:
    def bare(label: str) -> str:
        for mark in marks:
            label = label.replace(mark, "")
        return label

    return relabel_symbols(corpus, concepts=bare, constants=bare)


@cache
def lower_role(role: str) -> str:
    """Return a role in lower case, but ``ARG`` in capitals.

    >>> lower_role(":arg0-of"), lower_role(":OP1")
    (':ARG0-of', ':op1')
    """
    return CORE_ROLE.sub(":ARG", role.lower())


def _convert_role(role: str) -> str:
    return lower_role(role).rstrip("_")


def _convert_concept(label: str) -> str:
    return QUOTED.sub(r"\1_", label).replace(" ", "").rstrip("_")


def _convert_constant(label: str) -> str:
    # The package marks the end of a quotation by an underscore.
    words = QUOTED.sub(r"\1_", label).split()
    return words[0].rstrip("_") if words else ""


def _replace_domain(role: str) -> tuple[str, bool]:
    return (":mod", True) if role == ":domain" else (role, False)


def count_alignments(corpus: Corpus) -> Ints:
    """Return how many labels of each graph have a surface alignment, unless it was changed.

    >>> from amr_metrics import parse_graph
    >>> count_alignments(Corpus.of([parse_graph("(d / dog~e.3 :mod~e.2 (b / big))")])).tolist()
    [2]
    """
    counts = np.zeros(len(corpus), np.int64)
    for k, tree in _list_aligned_trees(corpus):
        tokens = [token for _, branch in tree.walk() for token in branch if isinstance(token, str)]
        counts[k] = sum(token != remove_alignment(token) for token in tokens)
    return counts


def _restore_alignments(corpus: Corpus) -> Corpus:
    """Return the graphs with surface alignments as parts of labels, unless they were changed."""
    if not corpus.aligned:
        return corpus
    from amr_metrics.reading.penman_reading import interpret  # imports penman

    graphs = {k: interpret(tree, intern) for k, tree in _list_aligned_trees(corpus)}
    return _replace_graphs(corpus, np.array([*graphs], np.int64), graphs.values())


def _list_aligned_trees(corpus: Corpus) -> Iterator[tuple[int, penman.Tree]]:
    """Yield the position and the tree of each graph with alignments that was not changed."""
    if not corpus.aligned:
        return
    from amr_metrics.reading.penman_reading import interpret, parse_trees  # imports penman

    # A graph was changed if it is not what its text says.
    for k, text in corpus.aligned.items():
        (tree,) = parse_trees(text, lambda tree: tree)
        if interpret(tree) == corpus[k]:
            yield k, tree


def _replace_graphs(corpus: Corpus, positions: Ints, graphs: Iterable[Graph]) -> Corpus:
    """Replace the graphs at some positions; the metadata stay."""
    # The graphs that stay, then the new ones, in the order of their positions.
    kept = np.setdiff1d(np.arange(len(corpus)), positions)
    bare = corpus.without_metadata()
    joined = Corpus.concatenate([bare.take(kept), Corpus.of(graphs)])
    joined = joined.take(np.argsort(np.concatenate([kept, positions])))
    return replace(joined, metadata=corpus.metadata)


def _restore_mod_of(corpus: Corpus) -> Corpus:
    """Return the graphs with ``:mod-of`` as it is written."""
    # Reading turned ``x :mod-of y`` into ``y :mod x``, which the package takes for another role.
    reversed_ = corpus.inverted & (corpus.relation_roles == corpus.symbols.numbers.get(":mod", -1))
    if not reversed_.any():
        return corpus
    corpus = _forget_written_form(corpus, _find_marked_graphs(corpus.relation_start, reversed_))
    return reverse_relations_as(corpus, reversed_, ":mod-of")


def relabel_symbols(corpus: Corpus, **functions: Callable[[str], str]) -> Corpus:
    """Apply functions to the strings of columns of symbols, once per distinct string.

    Args:
        functions: by column, such as ``concepts``.
    """
    # A column is changed by an array from old to new symbols. Strings that the table does not have
    # get the next numbers, so that the columns that stay refer to the same strings.
    symbols = corpus.symbols
    texts, new_texts = symbols.texts, dict[str, int]()
    columns: dict[str, Any] = {}
    graphs = np.zeros(len(corpus), np.bool_)
    for name, function in functions.items():
        column = getattr(corpus, name)
        new_symbols = np.arange(len(symbols), dtype=np.int32)
        for symbol in symbols.used(column).tolist():
            if (text := function(texts[symbol])) != texts[symbol]:
                number = symbols.numbers.get(text)
                if number is None:
                    number = new_texts.setdefault(text, len(symbols) + len(new_texts))
                new_symbols[symbol] = number
        columns[name] = new_symbols[column]
        graphs |= _find_marked_graphs(getattr(corpus, ROWS[name]), columns[name] != column)
    if not graphs.any():
        return corpus
    if new_texts:
        symbols = Symbols((*texts, *new_texts))
    return _forget_written_form(replace(corpus, symbols=symbols, **columns), graphs)


def _replace_roles(corpus: Corpus, replacement: Callable[[str], tuple[str, bool]]) -> Corpus:
    """Replace the roles of relations.

    Args:
        replacement: returns the new role of a role, and whether source and target change places.
    """
    # Roles change once per distinct role; the relations whose ends change places are those with the
    # old roles.
    texts, used = corpus.symbols.texts, corpus.symbols.used(corpus.relation_roles).tolist()
    new_roles = {texts[symbol]: replacement(texts[symbol]) for symbol in used}
    roles = {role: new_role for role, (new_role, _) in new_roles.items()}
    swapping = [symbol for symbol in used if new_roles[texts[symbol]][1]]
    changed = relabel_symbols(corpus, relation_roles=roles.__getitem__)
    if not swapping:
        return changed
    return reverse_relations(changed, np.isin(corpus.relation_roles, swapping))


def _forget_written_form(corpus: Corpus, graphs: Bools) -> Corpus:
    """Forget how the relations of some graphs were written."""
    same = ~graphs[list_groups(corpus.relation_start)]
    return replace(corpus, inverted=corpus.inverted & same, forward=corpus.forward & same)


def _find_possible_edges(corpus: Corpus) -> Bools:
    """Check whether each node has two edges, is not the top, and no edge points to it."""
    # What `reify` makes of an edge: (_ / have-mod-91 :ARG1 x :ARG2 y), which nothing refers to.
    triples = Triples(corpus)
    may_be_edge = (triples.leaving == 2) & (triples.entering == 0)
    has_top = corpus.tops >= 0
    may_be_edge[(corpus.node_start[:-1] + corpus.tops)[has_top]] = False
    return np.asarray(may_be_edge)


def _remove_edges(corpus: Corpus, attributes: Bools, relations: Bools) -> Corpus:
    """Remove some edges."""
    if not (attributes.any() or relations.any()):
        return corpus
    changed = _find_marked_graphs(corpus.attribute_start, attributes)
    changed |= _find_marked_graphs(corpus.relation_start, relations)
    corpus = _forget_written_form(corpus, changed)
    return select_rows(corpus, attributes=~attributes, relations=~relations)


def _add_root(corpus: Corpus, constant: str | None) -> Corpus:
    """Add the triple of the root, by default with its concept."""
    texts = (":root",) if constant is None else (":root", constant)
    symbols, (_, numbers) = Symbols.join([corpus.symbols, Symbols(texts)])
    has_top = corpus.tops >= 0
    tops = corpus.tops[has_top]
    constants = corpus.concepts[corpus.node_start[:-1][has_top] + tops]
    if constant is not None:
        constants = np.full(len(tops), numbers[1])
    roles = np.full(len(tops), numbers[0])
    start, rows = merge_rows(corpus.attribute_start, starts(has_top))

    def joined(column: Ints, added: Ints) -> Ints:
        return np.concatenate([column, added.astype(np.int32)])[rows]

    return replace(
        corpus,
        symbols=symbols,
        attribute_start=start,
        holders=joined(corpus.holders, tops),
        attribute_roles=joined(corpus.attribute_roles, roles),
        constants=joined(corpus.constants, constants),
    )


def _find_marked_graphs(start: Ints, flags: Bools) -> Bools:
    """Check whether each graph has a row that is marked."""
    # The number of marked rows before each row: it grows within a graph that has one.
    count = np.concatenate([[0], np.cumsum(flags)])
    return np.asarray(count[start[1:]] > count[start[:-1]])
