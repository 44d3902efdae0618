"""Pairs scored under aspects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics.alignment.smatchpp import SmatchPP
from metrics.aspects.extract import extract
from metrics.aspects.table import Aspect
from metrics.base import Pair, Scores
from metrics.errors import OptionError
from metrics.graph import Attribute, Graph
from metrics.options import one_of
from metrics.types import Bools, Ints

ALIGNMENTS = ("multi", "one")


@dataclass(frozen=True, eq=False)
class AspectScores:
    """The scores of some pairs under one aspect.

    Attributes:
        aspect: its name.
        scores: one a pair.
        empty: the pairs neither of whose graphs has anything of the aspect. They score 1, and
            take no part in scores of the whole.
    """

    aspect: str
    scores: Scores
    empty: Bools

    def present(self) -> Scores:
        """The scores of the pairs that have something of the aspect."""
        return self.scores.take(~self.empty)


# `score_aspects` for one metric: takes the pairs and its other arguments.
AspectScorer = Callable[..., list[AspectScores]]


def score_aspects(
    metric: SmatchPP,
    pairs: Sequence[Pair],
    aspects: Sequence[Aspect],
    alignment: str = "multi",
    relabel: Callable[[Graph], Graph] | None = None,
) -> list[AspectScores]:
    """Score the pairs' sub-graphs of each aspect.

    Args:
        metric: says how graphs are standardised, weighted and solved.
        alignment: ``multi`` aligns the sub-graphs anew; ``one`` keeps to the alignment of the
            whole graphs (but for aspects that are bags of labels, which have none).
        relabel: done to the standardised graphs first, such as a `FrameRoles`.

    Raises:
        OptionError: another `alignment`, or a metric whose options mean nothing for sub-graphs.

    >>> from metrics import parse_graph
    >>> from metrics.aspects.table import chosen_aspects
    >>> pair = Pair(parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)"),
    ...             parse_graph("(s / sleep-01 :ARG0 (d / dog))"))
    >>> found = score_aspects(SmatchPP(), [pair], chosen_aspects(["agent", "polarity", "wiki"]))
    >>> # agent: sleep-01 and :ARG0 of 3 triples each; wiki: there is none
    >>> [float(f.scores.values[0]) for f in found], [bool(f.empty[0]) for f in found]
    ([0.6666666666666666, 0.0, 1.0], [False, False, True])
    """
    one_of("alignment", alignment, ALIGNMENTS)
    one = alignment == "one"
    if metric.levels:
        raise OptionError("levels: a sub-graph has no root to count levels from")
    if metric.compression and one:
        raise OptionError("compression: the graphs of alignment=one keep their nodes")
    whole = [metric.standardizer.pair(pair) for pair in pairs]
    root = metric.root_kind
    rooted = [Pair(*[_rooted(graph, root, relabel) for graph in pair]) for pair in whole]
    maps = replace(metric, standardize="none", root=root).align(whole) if one else []
    part = replace(metric, standardize="none", root="none")
    scored = []
    for aspect in aspects:
        parts = [Pair(*[extract(graph, aspect) for graph in pair]) for pair in rooted]
        if one and aspect.items is None:
            given = [_restricted(*found) for found in zip(maps, whole, parts, strict=True)]
            scores = part.evaluate_aligned(parts, given)
        else:
            scores = part.evaluate(parts)
        empty = np.array([not (p.src.variables or p.tgt.variables) for p in parts], np.bool_)
        scored.append(AspectScores(aspect.name, scores, empty))
    return scored


def _rooted(graph: Graph, root: str, relabel: Callable[[Graph], Graph] | None) -> Graph:
    """The graph with its root as a triple, and other roles if they are wanted."""
    if root != "none" and graph.variables:
        value = graph.concept(graph.top) if root == "concept" else "top"
        triple = Attribute(graph.top, ":root", value)
        graph = replace(graph, attributes=(*graph.attributes, triple))
    return graph if relabel is None else relabel(graph)


def _restricted(mapping: Ints, whole: Pair, part: Pair) -> Ints:
    """An alignment of two graphs, for sub-graphs of them."""
    found = np.full(len(part.src.variables), -1, np.int64)
    for i, variable in enumerate(part.src.variables):
        j = mapping[whole.src.positions[variable]]
        found[i] = part.tgt.positions.get(whole.tgt.variables[j], -1) if j >= 0 else -1
    return found
