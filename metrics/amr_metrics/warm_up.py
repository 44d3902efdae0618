"""``python -m amr_metrics.warm_up``: compile the kernels of all metrics, which are cached on disk.

Otherwise each is compiled when it is first used on a machine. That takes a minute of CPU time
altogether, which matters where every process starts from the same image, such as in a container.
"""

from __future__ import annotations

import sys
import time
from multiprocessing import get_context

import numpy as np

from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.s2match import S2match
from amr_metrics.alignment.smatch import Smatch
from amr_metrics.alignment.smatchpp import SmatchPP
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.base import Metric
from amr_metrics.compiled import load_numba
from amr_metrics.features.label_overlap import LabelOverlap
from amr_metrics.features.relation_match import RelationMatch
from amr_metrics.features.rematch import Rematch
from amr_metrics.features.sema import Sema
from amr_metrics.features.sembleu import SemBleu
from amr_metrics.features.wlk import Wlk
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.parameters import Parametric
from amr_metrics.reading.scanner import scan_amr
from amr_metrics.transport.concept_cosine import ConceptCosine
from amr_metrics.transport.flow import flow
from amr_metrics.transport.node_match import NodeMatch
from amr_metrics.transport.wwlk import WWLK
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors.sources import WordVectors

GRAPHS = b"""(w / want-01 :ARG0 (c / cat :quant 2) :ARG1 (s / sleep-01 :ARG0 c :polarity -))

(w / wish-01 :ARG0 (k / kitten) :ARG1 (s / sleep-01 :ARG0 k) :mode imperative)
"""


def metrics() -> tuple[list[Metric], list[Metric]]:
    """Return one metric for each group of kernels, in two halves that take about as long."""
    words = ("want", "wish", "cat", "kitten", "sleep")
    vectors = WordVectors(words, np.eye(len(words), 100, dtype=np.float32))
    return [
        *(Smatch(), Smatch(solver=HillClimb()), SmatchPP(), WSmatch(), S2match(vectors=vectors)),
        *(Sema(), Sema(variant="corrected"), SemBleu(), Rematch()),
    ], [
        *(WWLK(vectors=vectors), WWLKTheta(vectors=vectors, weights={":arg0": 2.0})),
        *(ConceptCosine(vectors=vectors), NodeMatch(vectors=vectors)),
        *(RelationMatch(vectors=vectors), Wlk(), LabelOverlap()),
    ]


def compile_kernels(metrics: list[Metric]) -> None:
    """Score two graphs with each metric."""
    load_numba()  # no kernel is called as a plain function any more
    corpus = scan_amr(GRAPHS)
    pairs = Pairs.all(corpus, corpus)
    for metric in metrics:
        metric.evaluate(pairs)
        if isinstance(metric, Parametric):
            metric.prepare(pairs).score(metric.parameters.values)
    flow(np.eye(2))


def main() -> int:
    """Compile in two processes; returns the exit status."""
    start = time.perf_counter()
    with get_context("spawn").Pool(2) as pool:
        pool.map(compile_kernels, metrics())
    print(f"kernels are compiled: {time.perf_counter() - start:.1f} seconds", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
