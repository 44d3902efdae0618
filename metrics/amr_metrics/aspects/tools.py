"""The sub-scores of amr-evaluation and amrlib: overlaps of labels, and parts of graphs aligned.

Most published "fine-grained" scores of AMR parsers come from one of these two tools. They differ
from the aspects of Smatch++ (`amr_metrics.aspects.scores`) in most numbers: concepts, frames, named
entities, wikification and negation are overlaps of labels, without an alignment.
Source: Damonte, Cohen and Satta (2017), An incremental parser for Abstract Meaning
Representation, section 4, and the two tools.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.smatch import Root, Smatch
from amr_metrics.alignment.solver import Solver
from amr_metrics.aspects.extract import extract
from amr_metrics.aspects.scores import AspectScores
from amr_metrics.aspects.table import aspect_table
from amr_metrics.base import Pair, Scores, score_matches
from amr_metrics.errors import OptionError
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.folding import SENSE
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.graphs.rows import list_groups, starts_of_kept
from amr_metrics.graphs.selection import match_symbols, reverse_relations, select_rows
from amr_metrics.graphs.triples import Triples
from amr_metrics.options import select_names
from amr_metrics.standardize.steps import (
    Step,
    apply_to_pairs,
    fold_domain,
    on_corpus,
    relabel_symbols,
    strip_quotes,
    unlabel,
)
from amr_metrics.types import Bools, Ints

FRAME = re.compile(r"-\d\d$")

# Returns the labels of all graphs of a corpus, a row each: the position of the graph, and symbols.
LabelFunction = Callable[[Corpus], Ints]


@dataclass(frozen=True)
class Tool:
    """How a tool defines its sub-scores.

    Attributes:
        repeated: whether labels count as often as they occur, or once per graph.
        labels: for each sub-score that compares labels, how graphs are changed first, and the
            function that lists their labels.
        views: for each sub-score that aligns graphs, the steps that select what is aligned, and the
            value of its root triple (see `Smatch`).
    """

    repeated: bool
    labels: Mapping[str, tuple[tuple[Step, ...], LabelFunction]]
    views: Mapping[str, tuple[tuple[Step, ...], Root]]

    @property
    def names(self) -> tuple[str, ...]:
        """The sub-scores, in the order in which they are reported."""
        return (*self.views, *self.labels)


def chosen_subscores(tool: str, names: str | Sequence[str]) -> tuple[str, ...]:
    """Return the sub-scores of a tool with the given names, ignoring case; ``all`` selects all.

    Raises:
        OptionError: if the tool or a sub-score is unknown; the message lists the known ones.

    >>> chosen_subscores("amrlib", ["SRL", "negation"])
    ('srl', 'negation')
    """
    if tool not in TOOLS:
        raise OptionError(f"unknown tool {tool!r}: use one of {', '.join(TOOLS)}")
    return select_names(f"sub-score of {tool}", names, TOOLS[tool].names)


def score_subscores(
    tool: str,
    pairs: Sequence[Pair],
    names: str | Sequence[str] = "all",
    solver: Solver | None = None,
) -> list[AspectScores]:
    """Compute precision, recall and F1 in 0..1 of each pair, for each sub-score of a tool.

    Corpus scores are micro averages, as for any metric that aligns triples.

    Args:
        tool: ``amrlib`` (which follows amr-evaluation-tool-enhanced) or ``amr-evaluation``.
        pairs: graphs as they were read, not standardised.
        names: the sub-scores to compute; ``all`` for all that the tool has.
        solver: computes the alignments; by default the exact solver, where both tools use a
            hill-climber, whose scores can be lower.

    Raises:
        OptionError: if the tool or a sub-score is unknown.

    Labels are compared as they are written, with case and quotation marks; aligned triples as in
    `Smatch`, without quotation marks. The following reading errors of the tools are not
    reproduced: amr-evaluation, and amrlib for reentrancies and SRL, treat ``:consist-of`` as an
    inverse role and do not reverse inverse edges to a node that is described elsewhere
    (``:ARG0-of x``); repeated triples, such as two edges between the same nodes without their
    roles, count several times; amrlib's Unlabeled keeps part of a role with a hyphen
    (``:prep-with``); the smatch package drops constants under ``:mod`` and inverse roles.

    >>> from amr_metrics import parse_graph
    >>> two_dogs = parse_graph("(a / and :op1 (d / dog) :op2 (d2 / dog))")
    >>> pair = Pair(two_dogs, parse_graph("(a / and :op1 (d / dog) :op2 (c / cat))"))
    >>> once, = score_subscores("amrlib", [pair], ["concept"])  # and, dog; and, dog, cat
    >>> each, = score_subscores("amr-evaluation", [pair], ["concept"])  # and, dog, dog
    >>> float(once.scores.values[0]), float(each.scores.values[0])
    (0.8, 0.6666666666666666)
    """
    definition, corpora = TOOLS[tool], Pairs.of(pairs)
    scored = []
    for name in chosen_subscores(tool, names):
        if name in definition.labels:
            steps, labels = definition.labels[name]
            changed = Pairs.of(apply_to_pairs(steps, corpora))
            scores = _measure_overlap(changed, labels, definition.repeated)
        else:
            steps, root = definition.views[name]
            parts = apply_to_pairs((*steps, strip_quotes), corpora)
            scores = Smatch(root=root, solver=solver or Exact()).evaluate(parts)
        empty = scores.details["src_total"] + scores.details["tgt_total"] == 0
        scored.append(AspectScores(name, scores, empty))
    return scored


def _measure_overlap(pairs: Pairs, labels: LabelFunction, repeated: bool) -> Scores:
    src = labels(pairs.src.take(pairs.src_index))
    tgt = labels(pairs.tgt.take(pairs.tgt_index))
    # A row is a pair and a label. Each distinct row is counted on both sides: the smaller count
    # matches, and the sums over the rows of a pair are its counts.
    distinct, numbers = np.unique(np.concatenate([src, tgt]), axis=0, return_inverse=True)
    sides = np.split(numbers.ravel(), [len(src)])
    counts = np.stack([np.bincount(side, minlength=len(distinct)) for side in sides])
    if not repeated:
        counts = np.minimum(counts, 1)
    matches, src_total, tgt_total = (
        np.bincount(distinct[:, 0], count, len(pairs)).astype(np.float64)
        for count in (counts.min(axis=0), *counts)
    )
    # With the columns of a metric that aligns triples: nothing is aligned, so all is optimal.
    scores, optimal = score_matches(matches, src_total, tgt_total), np.ones(len(pairs), np.bool_)
    bounds = {"upper_bound": matches, "upper": scores.values, "optimal": optimal}
    return Scores(scores.values, {**scores.details, **bounds})


def _stack_labels(graphs: Ints, *symbols: Ints) -> Ints:
    return np.stack([graphs, *symbols], axis=1)


def _list_concepts(corpus: Corpus) -> Ints:
    return _stack_labels(list_groups(corpus.node_start), corpus.concepts)


def _build_concept_lister(role: str) -> LabelFunction:
    """Return a function that lists the concepts of nodes with a role, once per edge."""

    def labels(corpus: Corpus) -> Ints:
        triples = Triples(corpus)
        edges = triples.with_roles([role])
        return _stack_labels(triples.graphs[edges], corpus.concepts[triples.sources[edges]])

    return labels


def _list_wiki(corpus: Corpus) -> Ints:
    triples = Triples(corpus)
    edges = triples.with_roles([":wiki"])
    return _stack_labels(triples.graphs[edges], triples.values[edges])


def _list_without_variables(corpus: Corpus) -> Ints:
    """Return all triples but the instances, with concepts in place of variables, and the root."""
    triples = Triples(corpus)
    sources = corpus.concepts[triples.sources]
    edges = _stack_labels(triples.graphs, sources, triples.roles, triples.values)
    graphs = np.flatnonzero(corpus.tops >= 0)
    tops = corpus.concepts[corpus.node_start[graphs] + corpus.tops[graphs]]
    no_symbol = np.full(len(graphs), -1)
    return np.concatenate([edges, _stack_labels(graphs, tops, no_symbol, no_symbol)])


@on_corpus
def _select_frames(corpus: Corpus) -> Corpus:
    """Return the nodes whose concepts end in a sense of two digits."""
    triples = Triples(corpus)
    return triples.part(match_symbols(corpus, corpus.concepts, FRAME.search), triples.no_edges)


@on_corpus
def _drop_senses(corpus: Corpus) -> Corpus:
    return relabel_symbols(corpus, concepts=lambda concept: FRAME.sub("", concept))


@on_corpus
def _unify_senses(corpus: Corpus) -> Corpus:
    """Replace every sense by ``-01``; frames still differ from concepts without a sense."""
    return relabel_symbols(corpus, concepts=lambda concept: SENSE.sub("-01", concept))


@on_corpus
def _restore_written_edges(corpus: Corpus) -> Corpus:
    """Return the graphs with inverse edges as they are written, not normalised."""
    nothing = np.zeros_like(corpus.inverted)
    written = reverse_relations(corpus, corpus.inverted)
    return replace(written, inverted=nothing, forward=nothing)


def _part(aspect: str) -> Step:
    """Return a step that selects the edges of an aspect and the nodes at their ends."""
    return on_corpus(lambda corpus: extract(corpus, aspect_table()[aspect]))


@on_corpus
def _keep_one_relation(corpus: Corpus) -> Corpus:
    """Keep one of several relations between two nodes, with the role of the last one."""
    graphs = list_groups(corpus.relation_start)
    first, roles = _find_last(corpus.relation_roles, graphs, corpus.sources, corpus.targets)
    return replace(select_rows(corpus, relations=first), relation_roles=roles)


@on_corpus
def _replace_attributes(corpus: Corpus) -> Corpus:
    """Replace the attributes: for each relation, its role and the concept of its target.

    Of several such attributes of a node with the same role, only the last one is kept.
    """
    concepts = Triples(corpus).values[len(corpus.constants) :]
    start, roles = corpus.relation_start, corpus.relation_roles
    graphs = list_groups(start)
    first, constants = _find_last(concepts, graphs, corpus.sources, roles)
    return replace(
        corpus,
        attribute_start=starts_of_kept(first, start),
        holders=corpus.sources[first],
        attribute_roles=roles[first],
        constants=constants,
    )


def _find_last(values: Ints, *columns: Ints) -> tuple[Bools, Ints]:
    """Check whether each row is the first of its equals; return the last value of each of these."""
    _, rows, groups = np.unique(np.stack(columns), axis=1, return_index=True, return_inverse=True)
    last = np.empty(len(rows), values.dtype)
    last[groups.ravel()] = values  # of equal indices the last one counts
    first = np.zeros(len(values), np.bool_)
    first[rows] = True
    return first, last[np.argsort(rows)]


def _move_root(root: Callable[[Corpus], Ints]) -> Step:
    """Return a step that moves the root to the node at which the tool's list of triples starts."""

    @on_corpus
    def step(corpus: Corpus) -> Corpus:
        return replace(corpus, tops=np.where(corpus.sizes > 0, root(corpus), -1))

    return step


def _find_first_source(corpus: Corpus) -> Ints:
    """Return the first node of each graph that has an attribute, or else a relation."""
    holders = _find_least(corpus, list_groups(corpus.attribute_start), corpus.holders)
    sources = _find_least(corpus, list_groups(corpus.relation_start), corpus.sources)
    return np.where(np.diff(corpus.attribute_start) > 0, holders, sources)


def _find_first_parent(corpus: Corpus) -> Ints:
    """Return the first parent of the first node that has one, of each graph."""
    # The list has the edges node by node, in the order of the nodes that they lead to.
    graphs = list_groups(corpus.relation_start)
    children = _find_least(corpus, graphs, corpus.targets)
    edges = corpus.targets == children[graphs]
    return _find_least(corpus, graphs[edges], corpus.sources[edges])


def _find_least(corpus: Corpus, graphs: Ints, nodes: Ints) -> Ints:
    """Return the first of some nodes of each graph."""
    least = corpus.sizes.copy()
    np.minimum.at(least, graphs, nodes)
    return least


SRL, REENTRANCIES = _part("srl"), _part("reentrancies")
LABELS: Mapping[str, tuple[tuple[Step, ...], LabelFunction]] = {
    "concept": ((), _list_concepts),
    "named-entities": ((), _build_concept_lister(":name")),
    "wikification": ((), _list_wiki),
    "negation": ((), _build_concept_lister(":polarity")),
}
TOOLS: Mapping[str, Tool] = {
    "amrlib": Tool(
        repeated=False,
        labels={
            **LABELS,
            "frames": ((_select_frames,), _list_concepts),
            "non-sense-frames": ((_select_frames, _drop_senses), _list_concepts),
            "ignore-vars": ((fold_domain,), _list_without_variables),
        },
        # Of several edges between two nodes, only the last one counts. Constants do not count, but
        # a relation counts twice: once for its target and once for the target's concept.
        views={
            "unlabelled": ((unlabel,), "constant"),
            "no-wsd": ((fold_domain, _unify_senses), "constant"),
            "reentrancies": ((_keep_one_relation, REENTRANCIES, _replace_attributes), "none"),
            "srl": ((_keep_one_relation, SRL, _replace_attributes), "none"),
        },
    ),
    "amr-evaluation": Tool(
        repeated=True,
        labels=LABELS,
        views={
            "unlabelled": ((_restore_written_edges, unlabel), "concept"),
            "no-wsd": ((_unify_senses,), "concept"),
            "reentrancies": ((REENTRANCIES, _move_root(_find_first_parent)), "concept"),
            "srl": ((SRL, _move_root(_find_first_source)), "concept"),
        },
    ),
}
