"""Sub-scores of Chinese AMR parsing: concept alignment, relation alignment, implicit concepts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from amr_metrics.base import Pair, Scores, score_matches
from amr_metrics.camr.facts import MODES, Mode, list_tuples
from amr_metrics.camr.graph import CamrGraph, camr_pair
from amr_metrics.errors import shift_pairs
from amr_metrics.options import check_choice
from amr_metrics.utils.f1 import COUNTS, micro_average


@dataclass(frozen=True, eq=False)
class Subscores:
    """CA, RA and IC, each by its name.

    Attributes:
        sentences: the F1 of each pair, with the columns ``precision``, ``recall``, ``matches``,
            ``src_total`` and ``tgt_total``.
        corpus: micro ``precision``, ``recall`` and ``f1`` over all pairs.
    """

    sentences: Mapping[str, Scores]
    corpus: Mapping[str, Mapping[str, float]]


def subscores(pairs: Sequence[Pair], mode: Mode = "paper") -> Subscores:
    """Compute precision, recall and F1, in 0..1, of three bags, without aligning the graphs.

    CA: (concept, anchor) of the nodes that represent words. RA: (function words with their id,
    source concept, target concept) of the aligned relations. IC: the concepts of the other nodes.
    A bag that is empty on both sides scores 1. Concepts are those of `mode`, with senses.
    Source: Xiao et al. (2022), Align-smatch, with P * R where formula 1 has P * P.

    Raises:
        OptionError: an unknown `mode`.
        PairError: as for `AlignSmatch.evaluate`.

    >>> from amr_metrics.camr import parse_camr
    >>> graph, = parse_camr('''# ::wid x1_他 x2_对 x3_她 x4_说
    ... (x4 / 说-01 :arg0() (x1 / 他) :arg2(x2/对) (x3 / 她) :time() (x9 / now))''')
    >>> result = subscores([Pair(graph, graph)])
    >>> {name: scores.details["matches"].tolist() for name, scores in result.sentences.items()}
    {'CA': [3.0], 'RA': [1.0], 'IC': [1.0]}
    """
    check_choice("mode", mode, MODES)
    bags = []
    for k, pair in enumerate(pairs):
        with shift_pairs(k):
            src, tgt = camr_pair(pair, anchored=True)
        bags.append((_collect_bags(src, mode), _collect_bags(tgt, mode)))
    sentences, corpus = {}, {}
    for name in ("CA", "RA", "IC"):
        # What two bags share is what both have, with the smaller number of each.
        counts = np.array(
            [
                ((src[name] & tgt[name]).total(), src[name].total(), tgt[name].total())
                for src, tgt in bags
            ],
            np.float64,
        ).reshape(-1, 3)
        sentences[name] = score_matches(*counts.T)
        micro = micro_average(dict(zip(COUNTS, counts.sum(axis=0), strict=True)))
        corpus[name] = {name: float(value) for name, value in micro.items()}
    return Subscores(sentences, corpus)


def _collect_bags(graph: CamrGraph, mode: Mode) -> dict[str, Counter[Hashable]]:
    tuples = list_tuples(graph, mode)
    anchored = list(zip(tuples.concepts, graph.anchors or (), strict=True))
    return {
        "CA": Counter((concept, anchor) for concept, anchor in anchored if anchor),
        "RA": Counter(
            (words, tuples.concepts[source], tuples.concepts[target])
            # A tuple counts once per graph, but tuples of different nodes may have equal labels.
            for source, words, target in dict.fromkeys(tuples.alignments)
        ),
        "IC": Counter(concept for concept, anchor in anchored if not anchor),
    }
