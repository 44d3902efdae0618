"""The sub-scores of amr-evaluation and amrlib: overlaps of labels, and parts of graphs aligned.

Most published "fine-grained" scores of AMR parsers come from one of these two tools. They differ
from the aspects of Smatch++ (`amr_metrics.aspects.scores`) in most numbers: concepts, frames, named
entities, wikification and negation are overlaps of labels, without an alignment.
Source: Damonte, Cohen and Satta (2017), An incremental parser for Abstract Meaning
Representation, section 4, and the two tools.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.smatch import Root, Smatch
from amr_metrics.alignment.solver import Solver
from amr_metrics.aspects.extract import extract
from amr_metrics.aspects.scores import AspectScores
from amr_metrics.aspects.table import aspect_table
from amr_metrics.base import Pair, Scores
from amr_metrics.errors import OptionError
from amr_metrics.graphs.folding import SENSE
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.graphs.pairs import map_graphs
from amr_metrics.options import select_names
from amr_metrics.standardize.standardizer import Standardizer
from amr_metrics.standardize.steps import unlabel
from amr_metrics.utils.f1 import precision_recall_f1

FRAME = re.compile(r"-\d\d$")

LabelFunction = Callable[[Graph], Iterable[Hashable]]
View = Callable[[Graph], Graph]


@dataclass(frozen=True)
class Tool:
    """How a tool defines its sub-scores.

    Attributes:
        repeated: whether labels count as often as they occur, or once per graph.
        labels: for each sub-score that compares labels, the function that lists them.
        views: for each sub-score that aligns graphs, the function that selects the part of a
            graph to align (None: all of it), and the value of its root triple (see `Smatch`).
        steps: how the graphs are standardised first, for some sub-scores.
    """

    repeated: bool
    labels: Mapping[str, LabelFunction]
    views: Mapping[str, tuple[View | None, Root]] = field(default_factory=dict)
    steps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

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
    definition = TOOLS[tool]
    graphs = [*pairs]  # of a corpus, whose graphs are created each time
    scored = []
    for name in chosen_subscores(tool, names):
        steps = definition.steps.get(name)
        prepared = Standardizer(steps).pairs(pairs) if steps else graphs
        if name in definition.labels:
            scores = _overlap(prepared, definition.labels[name], definition.repeated)
        else:
            view, root = definition.views[name]
            selected = prepared if view is None else map_graphs(view, prepared)
            parts = Standardizer(("strip_quotes",)).pairs(selected)
            scores = Smatch(root=root, solver=solver or Exact()).evaluate(parts)
        empty = scores.details["src_total"] + scores.details["tgt_total"] == 0
        scored.append(AspectScores(name, scores, empty))
    return scored


def _overlap(pairs: Sequence[Pair], labels: LabelFunction, repeated: bool) -> Scores:
    counts = np.zeros((len(pairs), 3))
    for row, pair in zip(counts, pairs, strict=True):
        src, tgt = (Counter(labels(graph)) for graph in pair)
        if not repeated:
            src, tgt = Counter(src.keys()), Counter(tgt.keys())
        row[:] = (src & tgt).total(), src.total(), tgt.total()
    matches, *totals = (column.copy() for column in counts.T)
    precision, recall, f1 = precision_recall_f1(matches, *totals)
    return Scores(
        f1,
        {
            "precision": precision,
            "recall": recall,
            "matches": matches,
            "src_total": totals[0],
            "tgt_total": totals[1],
            "upper_bound": matches,
            "upper": f1,
            "optimal": np.ones(len(pairs), np.bool_),
        },
    )


def _concepts(graph: Graph) -> Iterable[str]:
    return graph.concepts


def _frames(graph: Graph) -> Iterable[str]:
    """Return the concepts that end in a sense of two digits."""
    return [concept for concept in graph.concepts if FRAME.search(concept)]


def _non_sense_frames(graph: Graph) -> Iterable[str]:
    """Return the concepts of `_frames` without their sense."""
    return [FRAME.sub("", concept) for concept in _frames(graph)]


def _concepts_with(role: str) -> LabelFunction:
    """Return a function that lists the concepts of nodes with a role, once per edge."""

    def labels(graph: Graph) -> Iterable[str]:
        edges = (*graph.attributes, *graph.relations)
        return [graph.concept(edge[0]) for edge in edges if edge[1] == role]

    return labels


def _wiki(graph: Graph) -> Iterable[str]:
    values = [constant for _, role, constant in graph.attributes if role == ":wiki"]
    return values + [graph.concept(t) for _, role, t in graph.relations if role == ":wiki"]


def _without_variables(graph: Graph) -> Iterable[tuple[str, str, str]]:
    """Return all triples but the instances, with concepts in place of variables, and the root."""
    triples = [(graph.concept(node), role, constant) for node, role, constant in graph.attributes]
    triples += [(graph.concept(s), role, graph.concept(t)) for s, role, t in graph.relations]
    if graph.variables:
        triples.append((graph.concept(graph.top), "TOP", "top"))
    return triples


def _one_sense(graph: Graph) -> Graph:
    """Replace every sense by ``-01``; frames still differ from concepts without a sense."""
    return replace(graph, concepts=tuple([SENSE.sub("-01", concept) for concept in graph.concepts]))


def _as_written(graph: Graph) -> Graph:
    """Return the graph with inverse edges as they are written, not normalised."""
    relations = [
        Relation(target, role, source) if k in graph.inverted else Relation(source, role, target)
        for k, (source, role, target) in enumerate(graph.relations)
    ]
    return replace(graph, relations=tuple(relations), inverted=(), forward=())


def _part(aspect: str) -> View:
    """Return a function that selects the edges of an aspect and the nodes at their ends."""
    return lambda graph: extract(graph, aspect_table()[aspect])


def _amrlib_triples(view: View) -> View:
    """Return a view whose graphs have the triples that amrlib aligns.

    Of several edges between two nodes, only the last one counts. For each relation there is also
    an attribute with its role and the concept of its target, so that a relation counts twice:
    once for its target and once for the target's concept. Of several such attributes of a node
    with the same role, only the last one counts. Constants do not count.
    """

    def amrlib_view(graph: Graph) -> Graph:
        last = {(source, target): role for source, role, target in graph.relations}
        relations = tuple([Relation(s, role, t) for (s, t), role in last.items()])
        part = view(replace(graph, relations=relations, inverted=(), forward=()))
        concepts = {(s, role): part.concept(target) for s, role, target in part.relations}
        attributes = [Attribute(s, role, concept) for (s, role), concept in concepts.items()]
        return replace(part, attributes=tuple(attributes))

    return amrlib_view


def _rooted(view: View, root: Callable[[Graph], str]) -> View:
    """Return a view whose root is the node at which the tool's list of triples starts."""

    def rooted_view(graph: Graph) -> Graph:
        part = view(graph)
        return replace(part, top=root(part)) if part.variables else part

    return rooted_view


def _first_source(graph: Graph) -> str:
    """Return the first node that has an attribute, or else a relation."""
    sources = graph.holders or graph.sources
    return graph.variables[min(sources)]


def _first_parent(graph: Graph) -> str:
    """Return the first parent of the first node with several."""
    parents = Counter(graph.targets)
    node = min(target for target, count in parents.items() if count > 1)
    edges = zip(graph.sources, graph.targets, strict=True)
    return graph.variables[min(source for source, target in edges if target == node)]


LABELS: Mapping[str, LabelFunction] = {
    "concept": _concepts,
    "named-entities": _concepts_with(":name"),
    "wikification": _wiki,
    "negation": _concepts_with(":polarity"),
}
TOOLS: Mapping[str, Tool] = {
    "amrlib": Tool(
        repeated=False,
        labels={
            **LABELS,
            "frames": _frames,
            "non-sense-frames": _non_sense_frames,
            "ignore-vars": _without_variables,
        },
        views={
            "unlabelled": (None, "constant"),
            "no-wsd": (_one_sense, "constant"),
            "reentrancies": (_amrlib_triples(_part("reentrancies")), "none"),
            "srl": (_amrlib_triples(_part("srl")), "none"),
        },
        steps={
            "unlabelled": ("unlabel",),
            "no-wsd": ("fold_domain",),
            "ignore-vars": ("fold_domain",),
        },
    ),
    "amr-evaluation": Tool(
        repeated=True,
        labels=LABELS,
        views={
            "unlabelled": (lambda graph: unlabel(_as_written(graph)), "concept"),
            "no-wsd": (_one_sense, "concept"),
            "reentrancies": (_rooted(_part("reentrancies"), _first_parent), "concept"),
            "srl": (_rooted(_part("srl"), _first_source), "concept"),
        },
    ),
}
