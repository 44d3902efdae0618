"""Metrics with options under which they take another path than with those of `conf/metric`."""

from amr_metrics import Smatch, SmatchPP
from amr_metrics.alignment.s2match import S2match
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.features.sema import Sema
from amr_metrics.features.sembleu import SemBleu
from amr_metrics.features.wlk import Wlk
from amr_metrics.transport.wwlk import WWLK
from tests.fuzz.metrics import every_metric, some_vectors

VECTORS = some_vectors()
FORMS = every_metric() | {
    "smatch root=none": Smatch(root="none"),
    "wsmatch depth=2": WSmatch(depth=2),
    "s2match tau": S2match(vectors=VECTORS, tau=0.3, tau_sense=1.0),
    "smatchpp generic": SmatchPP(standardize="generic", weights={"instance": 2.5}),
    "smatchpp amr-reify": SmatchPP(standardize="amr-reify"),
    "smatchpp compression root=none": SmatchPP(compression=True, root="none"),
    "sema corrected": Sema(variant="corrected"),
    "sema corrected tgt": Sema(variant="corrected", hypothesis="tgt"),
    "sembleu corrected": SemBleu(variant="corrected"),
    "sembleu k=1": SemBleu(k=1),
    "sembleu weights": SemBleu(k=4, weights=(4, 3, 2, 1)),
    "sembleu symmetric": SemBleu(k=2, symmetric=True),
    "sembleu published tgt": SemBleu(variant="published", hypothesis="tgt"),
    "wlk definition": Wlk(variant="definition"),
    "wlk K=0": Wlk(K=0),
    "wlk two way": Wlk(K=3, direction="two_way", level_weights="uniform"),
    "wlk top down": Wlk(direction="top_down", level_weights="harmonic"),
    "wlk 2023 bottom up": Wlk(variant="2023", direction="bottom_up"),
    "wwlk 2021": WWLK(vectors=VECTORS, variant="2021", stability=0, init="uniform"),
    "wwlk top down": WWLK(vectors=VECTORS, direction="top_down", K=3),
}
