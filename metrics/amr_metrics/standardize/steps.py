"""Standardisation steps: pure functions that remove differences between equivalent graphs.

A step takes a `Corpus`, or a single `Graph`, which is a corpus of one. If nothing changes, it may
return the same object. Write a step with `on_each`, for a function of one graph, or with
`on_corpus`, which is faster. Its name goes into `STEPS` (`standardizer.py`); a step with a
parameter, such as `drop_role`, is found by `_find_step` there.

The written form of a graph, `Graph.inverted` and `Graph.forward`, says how its relations were
written; SemBleu reads it. A step treats it alike in graphs that it changes and in others, as else
equal graphs would differ: steps that change or remove single relations keep it, and steps that
replace edges by nodes or nodes by edges remove it from all graphs.

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
# ``x :domain y``, ``x :mod-of y`` and ``y :mod x`` are the same. Relations become the last form:
# reading and `deinvert` reverse ``:mod-of``, and `_replace_domain` reverses ``:domain``. An edge to
# a constant cannot be reversed, so that only its role is normalised.
CONSTANT_DOMAINS = {":domain": ":mod-of", ":domain-of": ":mod"}


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
    """Apply steps in order to a graph, or to all graphs of a corpus.

    Only the first step can read surface alignments (`smatch_package` does): a graph that changes
    loses them, so those of the others are removed as well.
    """
    for step in steps:
        graphs = drop_alignments(step(graphs))
    return graphs


def apply_to_pairs(steps: Sequence[Step], pairs: Sequence[Pair]) -> Sequence[Pair]:
    """Apply steps in order to the graphs of some pairs, to each distinct graph once."""
    # In a corpus all graphs would lose the fields of a subclass of `Graph`; one by one, only those
    # that a step on a corpus changes.
    if not isinstance(pairs, Pairs) and not all(
        type(graph) is Graph for pair in pairs for graph in pair
    ):
        return map_graphs(partial(apply, steps), pairs)
    # A step works on the arrays of a whole side, and once if both sides are the same graphs.
    used = Pairs.of(pairs).compact()
    src, tgt, is_same = used.src, used.tgt, used.tgt is used.src
    for step in steps:  # as in `apply`
        src = drop_alignments(step(src))
        tgt = src if is_same else drop_alignments(step(tgt))
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
    """Remove quotation marks, also single ones and apostrophes, from concepts and constants.

    >>> from amr_metrics import parse_graph
    >>> unquote(parse_graph('(n / name :op1 "Smith")')).attributes
    (Attribute(node='n', role=':op1', constant='Smith'),)
    """
    return _remove_marks(corpus, "\"'")


@on_corpus
def strip_quotes(corpus: Corpus) -> Corpus:
    """Remove double quotation marks from concepts and constants; apostrophes stay.

    >>> from amr_metrics import parse_graph
    >>> strip_quotes(parse_graph('(n / name :op1 "Smith")')).attributes
    (Attribute(node='n', role=':op1', constant='Smith'),)
    """
    return _remove_marks(corpus, '"')


@on_corpus
def smatch_package(corpus: Corpus) -> Corpus:
    """Keep what the smatch package (1.0.3 and later) reads of each graph.

    Constants under ``:mod`` and under inverse roles are dropped. ``x :domain y`` becomes
    ``y :mod x``, but ``x :mod-of y`` is another role. Concepts and constants lose their quotation
    marks; a constant ends at its first space, and a concept loses its spaces. Roles are changed by
    `lower_role`. Finally, all of them lose the underscores at their end. If this is the first step,
    surface alignments are parts of labels (``dog~e.3``).

    >>> from amr_metrics import parse_graph
    >>> smatch_package(parse_graph('(n / name :mod 1 :op1 "New York")')).attributes
    (Attribute(node='n', role=':op1', constant='New'),)
    """
    if corpus.aligned:
        corpus = _restore_alignments(corpus)

    dropped = match_symbols(corpus, corpus.attribute_roles, is_constant_dropped)
    if dropped.any():
        corpus = select_rows(corpus, attributes=~dropped)
    corpus = relabel_symbols(
        _restore_mod_of(corpus),
        concepts=lambda text: read_concept(text).rstrip("_"),
        constants=lambda text: read_constant(text).rstrip("_"),
        relation_roles=_convert_role,
        attribute_roles=_convert_role,
    )
    return _replace_roles(corpus, _replace_domain)


@on_corpus
def deinvert(corpus: Corpus) -> Corpus:
    """Normalise inverse roles of relations. Reading Penman notation already does this.

    >>> from amr_metrics.graphs.graph import Relation
    >>> graph = Graph(("d", "b"), ("dog", "bark-01"), (), (Relation("d", ":ARG0-of", "b"),), "d")
    >>> deinvert(graph).relations
    (Relation(source='b', role=':ARG0', target='d'),)
    """

    def normalise(role: str) -> tuple[str, bool]:
        is_reversed = False
        while (inverse := deinverted(role)) is not None:  # ``:ARG0-of-of`` is inverse twice
            role, is_reversed = inverse, not is_reversed
        return role, is_reversed

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
    graphs = list_groups(corpus.attribute_start)
    attributes = first_rows(graphs, corpus.holders, corpus.attribute_roles, corpus.constants)
    graphs = list_groups(corpus.relation_start)
    relations = first_rows(graphs, corpus.sources, corpus.relation_roles, corpus.targets)
    return _remove_edges(corpus, ~attributes, ~relations)


def dereify(rules: Reifications) -> Step:
    """Return the step that replaces nodes that represent edges (`graphs.reification`).

    It is applied to each graph with a node that may represent an edge: one of a concept with a
    rule that is not the top, that no edge points to, and that has two edges.
    """

    @on_corpus
    def step(corpus: Corpus) -> Corpus:
        if corpus.inverted.any() or corpus.forward.any():
            none = np.zeros(len(corpus.sources), np.bool_)
            corpus = replace(corpus, inverted=none, forward=none)
        has_rule = match_symbols(corpus, corpus.concepts, rules.by_concept.__contains__)
        if not has_rule.any():
            return corpus
        reified = has_rule & _find_possible_edges(corpus)
        may_change = _find_marked_graphs(corpus.node_start, reified)
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
    """Add the triple ``top :root concept``, for metrics that ignore the root. Apply it only once.

    >>> from amr_metrics import parse_graph
    >>> root_concept(parse_graph("(d / dog)")).attributes
    (Attribute(node='d', role=':root', constant='dog'),)
    """
    return _add_root(corpus, None)


@on_corpus
def root_constant(corpus: Corpus) -> Corpus:
    """Add the triple ``top :root top``, which is the same in all graphs. Apply it only once.

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
    return replace(graph, concepts=concepts, attributes=attributes)


@on_corpus
def drop_wiki(corpus: Corpus) -> Corpus:
    """Remove ``:wiki`` attributes, which many parsers leave to a separate program.

    >>> from amr_metrics import parse_graph
    >>> drop_wiki(parse_graph('(c / city :wiki "Ulm")')).attributes
    ()
    """
    dropped = match_symbols(corpus, corpus.attribute_roles, lambda role: role.lower() == ":wiki")
    return select_rows(corpus, attributes=~dropped) if dropped.any() else corpus


def drop_alignments(graphs: Graphs) -> Graphs:
    """Remove surface alignments, which the smatch package takes for parts of labels (``dog~e.3``).

    >>> from amr_metrics import parse_graph
    >>> drop_alignments(parse_graph("(d / dog~e.3)")).aligned
    ''
    """
    return replace(graphs, aligned=type(graphs.aligned)()) if graphs.aligned else graphs


def both_directions(role: str) -> frozenset[str]:
    """Return a role and its inverse, in lower case.

    >>> sorted(both_directions(":ARG0-of"))
    [':arg0', ':arg0-of']
    """
    forward = deinverted(role.lower()) or role.lower()
    return frozenset({forward, f"{forward}-of"})


def drop_role(role: str) -> Step:
    """Return a step that removes the relations and attributes with a role, in either direction.

    Nodes stay, also those that no edge leads to any more.

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
    """Replace each edge by a node with the role as concept: roles are compared like concepts.

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
    def remove(text: str) -> str:
        for mark in marks:
            text = text.replace(mark, "")
        return text

    return relabel_symbols(corpus, concepts=remove, constants=remove)


@cache
def lower_role(role: str) -> str:
    """Return a role in lower case, but ``ARG`` in capitals.

    >>> lower_role(":arg0-of"), lower_role(":OP1")
    (':ARG0-of', ':op1')
    """
    return CORE_ROLE.sub(":ARG", role.lower())


def _convert_role(role: str) -> str:
    return lower_role(role).rstrip("_")


def is_constant_dropped(role: str) -> bool:
    """Return whether the smatch package drops the constants under a role.

    >>> is_constant_dropped(":mod"), is_constant_dropped(":ARG1-of"), is_constant_dropped(":op1")
    (True, True, False)
    """
    return role == ":mod" or deinverted(role) is not None


# The smatch package replaces the end of a quotation by an underscore.
def read_concept(concept: str) -> str:
    """Return a concept as the smatch package reads it.

    >>> read_concept("boy"), read_concept('"New York"')
    ('boy', 'NewYork_')
    """
    return QUOTED.sub(r"\1_", concept).replace(" ", "")


def read_constant(constant: str) -> str:
    """Return a constant as the smatch package reads it.

    >>> read_constant("-"), read_constant('"Ulm"'), read_constant('"New York"')
    ('-', 'Ulm_', 'New')
    """
    words = QUOTED.sub(r"\1_", constant).split()
    return words[0] if words else ""


def _replace_domain(role: str) -> tuple[str, bool]:
    """Return the role of a relation without ``:domain``, and whether to reverse the relation."""
    return (":mod", True) if role == ":domain" else (role, False)


def count_alignments(corpus: Corpus) -> Ints:
    """Return how many concepts, constants and roles of each graph have a surface alignment.

    It is 0 for a graph that was changed after it was read.

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
    """Return the graphs with surface alignments as parts of labels; changed graphs stay."""
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
    """Replace the graphs at some positions; the metadata of the corpus stay.

    Args:
        graphs: the new graphs, in the order of `positions`.
    """
    # The graphs that stay and the new ones are joined, and then sorted by their positions.
    kept = np.setdiff1d(np.arange(len(corpus)), positions)
    bare = corpus.without_metadata()
    joined = Corpus.concatenate([bare.take(kept), Corpus.of(graphs)])
    joined = joined.take(np.argsort(np.concatenate([kept, positions])))
    return replace(joined, metadata=corpus.metadata)


def _restore_mod_of(corpus: Corpus) -> Corpus:
    """Return the graphs with ``:mod-of`` as it is written."""
    # Reading turned ``x :mod-of y`` into ``y :mod x``, another role for the smatch package.
    is_mod = corpus.relation_roles == corpus.symbols.numbers.get(":mod", -1)
    was_mod_of = is_mod & corpus.inverted
    if not was_mod_of.any():
        return corpus
    corpus = replace(corpus, inverted=corpus.inverted & ~was_mod_of)
    return reverse_relations_as(corpus, was_mod_of, ":mod-of")


def relabel_symbols(corpus: Corpus, **functions: Callable[[str], str]) -> Corpus:
    """Apply functions to the strings of columns of symbols, once per distinct string.

    Args:
        functions: from text to text, by the name of the column, such as ``concepts=str.lower``.
    """
    # ``new_symbols[symbol]`` is the symbol that takes the place of `symbol`. Strings that the table
    # does not have get the next numbers, so that other columns still refer to the same strings.
    symbols = corpus.symbols
    texts, new_texts = symbols.texts, dict[str, int]()
    columns: dict[str, Any] = {}
    for name, function in functions.items():
        column = getattr(corpus, name)
        new_symbols = np.arange(len(symbols), dtype=np.int32)
        for symbol in symbols.used(column).tolist():
            if (text := function(texts[symbol])) != texts[symbol]:
                number = symbols.numbers.get(text)
                if number is None:
                    number = new_texts.setdefault(text, len(symbols) + len(new_texts))
                new_symbols[symbol] = number
        if (new_symbols != np.arange(len(symbols))).any():
            columns[name] = new_symbols[column]
    if not columns:
        return corpus
    if new_texts:
        symbols = Symbols((*texts, *new_texts))
    return replace(corpus, symbols=symbols, **columns)


def _replace_roles(corpus: Corpus, replacement: Callable[[str], tuple[str, bool]]) -> Corpus:
    """Replace the roles of relations.

    Args:
        replacement: returns the new role of a role, and whether to reverse the relation.
    """
    # Called once per distinct role. The relations to reverse are those with the old roles.
    texts, used = corpus.symbols.texts, corpus.symbols.used(corpus.relation_roles).tolist()
    new_roles = {texts[symbol]: replacement(texts[symbol]) for symbol in used}
    roles = {role: new_role for role, (new_role, _) in new_roles.items()}
    reversing = [symbol for symbol in used if new_roles[texts[symbol]][1]]
    changed = relabel_symbols(corpus, relation_roles=roles.__getitem__)
    if not reversing:
        return changed
    is_reversed = np.isin(corpus.relation_roles, reversing)
    # As they were written, they lead from the same node to the same node.
    changed = replace(changed, inverted=changed.inverted ^ is_reversed)
    return reverse_relations(changed, is_reversed)


def _find_possible_edges(corpus: Corpus) -> Bools:
    """Check whether each node has two edges, is not the top, and no edge points to it."""
    # What `reify` makes of an edge: (_ / have-mod-91 :ARG1 x :ARG2 y), which nothing refers to.
    triples = Triples(corpus)
    may_be_edge = (triples.leaving == 2) & (triples.entering == 0)
    has_top = corpus.tops >= 0
    may_be_edge[(corpus.node_start[:-1] + corpus.tops)[has_top]] = False
    return np.asarray(may_be_edge)


def _remove_edges(corpus: Corpus, attributes: Bools, relations: Bools) -> Corpus:
    """Remove the marked attributes and relations."""
    if not (attributes.any() or relations.any()):
        return corpus
    return select_rows(corpus, attributes=~attributes, relations=~relations)


def _add_root(corpus: Corpus, constant: str | None) -> Corpus:
    """Add the triple ``top :root constant`` to each graph with a top; None: the top's concept."""
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
