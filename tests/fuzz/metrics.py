"""The metrics that campaigns score generated graphs with, and word vectors for them."""

import numpy as np

from amr_metrics import Smatch, SmatchPackage, SmatchPP
from amr_metrics.alignment.s2match import S2match
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.blend.metric import Blend
from amr_metrics.camr.align_smatch import AlignSmatch, CamrSmatch, ConceptSmatch
from amr_metrics.features.label_overlap import LabelOverlap
from amr_metrics.features.relation_match import RelationMatch
from amr_metrics.features.rematch import Rematch
from amr_metrics.features.sema import Sema
from amr_metrics.features.sembleu import SemBleu
from amr_metrics.features.wlk import Wlk
from amr_metrics.features.wordnet_match import WordNetMatch
from amr_metrics.graphs.random_graphs import CONCEPTS
from amr_metrics.transport.concept_cosine import ConceptCosine
from amr_metrics.transport.node_match import NodeMatch
from amr_metrics.transport.wwlk import WWLK
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors import WordVectors
from tests.extras import missing_extra


def every_metric():
    """Every metric, in several forms where they take different paths."""
    vectors = some_vectors()
    wordnet = {"wordnet_match": WordNetMatch()}
    overlaps = {"smatch": Smatch(), "label_overlap": LabelOverlap()}
    return {
        "smatch": Smatch(),
        "smatch_1.0": SmatchPackage(),
        "smatch_1.0 corrected": SmatchPackage(variant="corrected"),
        "wsmatch": WSmatch(),
        "s2match": S2match(vectors=vectors),
        "s2match tau=0": S2match(vectors=vectors, tau=0.0, tau_sense=0.95),
        "smatchpp": SmatchPP(),
        "smatchpp levels": SmatchPP(levels=3),
        "smatchpp compression": SmatchPP(compression=True),
        "sema": Sema(),
        "sema published": Sema(variant="published"),
        "sembleu": SemBleu(),
        "sembleu published": SemBleu(variant="published", k=4),
        "sembleu 2019": SemBleu(variant="2019"),
        "rematch": Rematch(),
        "wlk": Wlk(),
        "wlk 2021": Wlk(variant="2021"),
        "wlk 2023": Wlk(variant="2023"),
        "wwlk": WWLK(vectors=vectors, stability=2),
        "wwlk two way": WWLK(vectors=vectors, stability=1, direction="two_way", mass="sif"),
        "wwlk_theta": WWLKTheta(vectors=vectors),
        "node_match": NodeMatch(vectors=vectors),
        "relation_match": RelationMatch(vectors=vectors),
        "concept_cosine": ConceptCosine(vectors=vectors),
        "label_overlap": LabelOverlap(),
        **({} if missing_extra(wordnet) else wordnet),
        "blend": Blend(of=overlaps),
        "blend near": Blend(of=overlaps, interactions=True, near="label_overlap"),
        "camr_smatch": CamrSmatch(),
        "concept_smatch": ConceptSmatch(fix="relations"),
        "align_smatch": AlignSmatch(fix="all", mode="camrp2022"),
    }


def some_vectors():
    """Vectors of most concepts of random graphs; some have none."""
    rng = np.random.default_rng(0)
    words = [concept.split("-")[0].lower() for concept in CONCEPTS[:-1]]
    return WordVectors.of({word: rng.normal(size=5) for word in words if word != "person"})
