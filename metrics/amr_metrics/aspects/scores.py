"""Score pairs by aspect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from amr_metrics.alignment.smatchpp import SmatchPP
from amr_metrics.aspects.extract import extract
from amr_metrics.aspects.table import Aspect
from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.errors import OptionError
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.options import check_choice
from amr_metrics.standardize.steps import apply_to_pairs, on_each, root_concept, root_constant
from amr_metrics.types import Bools, Ints

ALIGNMENTS = ("multi", "one")
# The steps that add the triple of the root, by its value.
ROOT_STEPS = {"concept": [root_concept], "constant": [root_constant], "none": []}


@dataclass(frozen=True, eq=False)
class AspectScores:
    """The scores of a list of pairs for one aspect.

    Attributes:
        aspect: its name.
        scores: one per pair.
        empty: whether the aspect occurs in neither graph of a pair. Such pairs score 1 and are
            excluded from corpus scores.
    """

    aspect: str
    scores: Scores
    empty: Bools

    def present(self) -> Scores:
        """Return the scores of the pairs in which the aspect occurs."""
        return self.scores.take(~self.empty)


# `score_aspects` for one metric: takes the pairs and its other arguments.
AspectScorer = Callable[..., list[AspectScores]]


def aspect_scorer(metric: Metric, *, compressed: bool = False) -> AspectScorer | None:
    """Return `score_aspects` for a metric; None if the metric does not support it.

    Args:
        compressed: compress sub-graphs, whether or not the metric compresses graphs. So do the
            scores of the paper. Source: Opitz (2023), section 7.3 and appendix A.4.

    Raises:
        OptionError: an option of the metric cannot be combined with compression.

    >>> from amr_metrics import Smatch
    >>> aspect_scorer(Smatch()) is None, aspect_scorer(SmatchPP()) is None
    (True, False)
    """
    if not isinstance(metric, SmatchPP):
        return None
    return partial(score_aspects, replace(metric, compression=metric.compression or compressed))


def score_aspects(
    metric: SmatchPP,
    pairs: Sequence[Pair],
    aspects: Sequence[Aspect],
    alignment: str = "multi",
    relabel: Callable[[Graph], Graph] | None = None,
) -> list[AspectScores]:
    """Score the pairs' sub-graphs of each aspect.

    Args:
        metric: determines how graphs are standardised, weighted and aligned.
        alignment: ``multi`` aligns each pair of sub-graphs; ``one`` uses the alignment of the
            complete graphs (except for aspects that are bags of labels, which have none).
        relabel: applied to the standardised graphs first, such as a `FrameRoles`.

    Raises:
        OptionError: if `alignment` is unknown, or an option of the metric cannot be used with
            sub-graphs.

    >>> from amr_metrics import parse_graph
    >>> from amr_metrics.aspects.table import chosen_aspects
    >>> pair = Pair(parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)"),
    ...             parse_graph("(s / sleep-01 :ARG0 (d / dog))"))
    >>> scored = score_aspects(SmatchPP(), [pair], chosen_aspects(["agent", "polarity", "wiki"]))
    >>> # agent: sleep-01 and :ARG0 of 3 triples each; wiki: there is none
    >>> [float(s.scores.values[0]) for s in scored], [bool(s.empty[0]) for s in scored]
    ([0.6666666666666666, 0.0, 1.0], [False, False, True])
    """
    check_choice("alignment", alignment, ALIGNMENTS)
    one_alignment = alignment == "one"
    if metric.levels:
        raise OptionError("levels: not available for aspects, because sub-graphs have no root")
    if metric.compression and one_alignment:
        raise OptionError("compression: cannot be combined with alignment=one")
    # Graphs are standardised once. The root becomes a triple, so that it can belong to an aspect;
    # the sub-graphs have no root of their own.
    graphs = Pairs.of(metric.standardizer.pairs(pairs))
    root = metric.root_kind
    steps = [*ROOT_STEPS[root], *([] if relabel is None else [on_each(relabel)])]
    rooted = apply_to_pairs(steps, graphs)
    whole = replace(metric, standardize="none", root=root)
    maps = whole.align(graphs) if one_alignment else []
    part = replace(metric, standardize="none", root="none")
    scored = []
    for aspect in aspects:
        parts = Pairs.of(apply_to_pairs([partial(extract, aspect=aspect)], rooted))
        if one_alignment and aspect.items is None:
            part_maps = [_limit_mapping(*args) for args in zip(maps, graphs, parts, strict=True)]
            scores = part.evaluate_aligned(parts, part_maps)
        else:
            scores = part.evaluate(parts)
        sizes = parts.src.sizes[parts.src_index], parts.tgt.sizes[parts.tgt_index]
        empty = (sizes[0] == 0) & (sizes[1] == 0)
        scored.append(AspectScores(aspect.name, scores, empty))
    return scored


def _limit_mapping(mapping: Ints, whole: Pair, part: Pair) -> Ints:
    """Return the part of an alignment of whole graphs that is between nodes of their sub-graphs."""
    restricted = np.full(len(part.src.variables), -1, np.int64)
    for i, variable in enumerate(part.src.variables):
        j = mapping[whole.src.positions[variable]]
        restricted[i] = part.tgt.positions.get(whole.tgt.variables[j], -1) if j >= 0 else -1
    return restricted
