"""Metrics with options that take other paths than the usual ones, and the checks that hold."""

import numpy as np

from amr_metrics import Smatch, SmatchPackage, SmatchPP
from amr_metrics.alignment.s2match import S2match
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.blend.metric import Blend
from amr_metrics.camr.align_smatch import AlignSmatch, ConceptSmatch
from amr_metrics.conformance import (
    check_batches,
    check_range,
    check_renaming,
    check_repetition,
    check_self_scores,
    check_symmetry,
)
from amr_metrics.documents import DocSmatch
from amr_metrics.features.label_overlap import LabelOverlap
from amr_metrics.features.sema import Sema
from amr_metrics.features.sembleu import SemBleu
from amr_metrics.features.wlk import Wlk
from amr_metrics.graphs.random_graphs import CONCEPTS
from amr_metrics.standardize import Standardized
from amr_metrics.transport.wwlk import WWLK
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors import WordVectors


def some_vectors():
    """Vectors of most concepts of random graphs; some have none."""
    rng = np.random.default_rng(0)
    words = [concept.split("-")[0].lower() for concept in CONCEPTS[:-1]]
    return WordVectors.of({word: rng.normal(size=5) for word in words if word != "person"})


VECTORS = some_vectors()
OVERLAPS = {"smatch": Smatch(), "label_overlap": LabelOverlap()}
FORMS = {
    "smatch_1.0 corrected": SmatchPackage(variant="corrected"),
    "s2match tau=0": S2match(vectors=VECTORS, tau=0.0, tau_sense=0.95),
    "smatchpp levels": SmatchPP(levels=3),
    "smatchpp compression": SmatchPP(compression=True),
    "sema": Sema(),
    "sema published": Sema(variant="published"),
    "sembleu": SemBleu(),
    "sembleu published": SemBleu(variant="published", k=4),
    "sembleu 2019": SemBleu(variant="2019"),
    "wlk 2021": Wlk(variant="2021"),
    "wlk 2023": Wlk(variant="2023"),
    "wwlk": WWLK(vectors=VECTORS, stability=2),
    "wwlk two way": WWLK(vectors=VECTORS, stability=1, direction="two_way", mass="sif"),
    "wwlk edges as nodes": Standardized.of(
        WWLK(vectors=VECTORS, K=4, stability=2, init="constant"), ("distinct", "edges_to_nodes")
    ),
    "wwlk_theta": WWLKTheta(vectors=VECTORS),
    "blend": Blend(of=OVERLAPS),
    "blend near": Blend(of=OVERLAPS, interactions=True, near="label_overlap"),
    "concept_smatch": ConceptSmatch(fix="relations"),
    "align_smatch": AlignSmatch(fix="all", mode="camrp2022"),
    "doc_smatch corrected": DocSmatch(variant="corrected", sentences="triples"),
    "doc_smatch docAMR": DocSmatch(mode="docAMR"),
    "smatch root=none": Smatch(root="none"),
    "wsmatch depth=2": WSmatch(depth=2),
    "s2match tau": S2match(vectors=VECTORS, tau=0.3, tau_sense=1.0),
    "smatchpp generic": SmatchPP(standardize="generic", weights={"instance": 2.5}),
    "smatchpp amr-reify": SmatchPP(standardize="amr-reify"),
    "smatchpp compression root=none": SmatchPP(compression=True, root="none"),
    "sema corrected tgt": Sema(variant="corrected", hypothesis="tgt"),
    "sembleu k=1": SemBleu(k=1),
    "sembleu weights": SemBleu(k=4, weights=(4, 3, 2, 1)),
    "sembleu symmetric": SemBleu(k=2, symmetric=True),
    "sembleu published tgt": SemBleu(variant="published", hypothesis="tgt"),
    "wlk K=0": Wlk(K=0),
    "wlk two way": Wlk(K=3, direction="two_way", level_weights="uniform"),
    "wlk top down": Wlk(direction="top_down", level_weights="harmonic"),
    "wlk 2023 bottom up": Wlk(variant="2023", direction="bottom_up"),
    "wwlk 2021": WWLK(vectors=VECTORS, variant="2021", stability=0, init="uniform"),
    "wwlk top down": WWLK(vectors=VECTORS, direction="top_down", K=3),
}


def scores_itself(metric):
    """Whether identical graphs score exactly 1, which the published SEMA does not promise."""
    return not (isinstance(metric, Sema) and metric.variant == "published")


def promises(metric):
    """The checks that hold for a metric: variants that reproduce a tool have its quirks."""
    checks = [check_range, check_batches, check_repetition]
    if metric.symmetric:
        checks.append(check_symmetry)
    if scores_itself(metric) and not isinstance(metric, Blend):
        checks.append(check_self_scores)
    if getattr(metric, "variant", "definition") in ("definition", "corrected"):
        checks.append(check_renaming)
    return checks
