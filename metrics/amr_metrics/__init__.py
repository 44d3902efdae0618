"""Similarity metrics for AMR graphs: scores and alignments of pairs of graphs.

The names below are imported from their modules when they are first used, so that a program that
only needs, say, `amr_metrics.errors` does not load the compiled kernels.

>>> from amr_metrics import Pair, Smatch, parse_graph
>>> pair = Pair(parse_graph("(s / sleep-01 :ARG0 (c / cat))"), parse_graph("(s / sleep-01)"))
>>> float(Smatch().score([pair])[0])  # recall 2/4, precision 2/2: F1 = 2*2/(4+2)
0.6666666666666666

Every metric also has a name:

>>> from amr_metrics import get
>>> get("wlk", K=3) == get("wlk"), get("smatch") == Smatch()
(False, True)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from amr_metrics.version import VERSION as __version__

if TYPE_CHECKING:
    from amr_metrics.alignment.exact import Exact as Exact
    from amr_metrics.alignment.hillclimb import HillClimb as HillClimb
    from amr_metrics.alignment.s2match import S2match as S2match
    from amr_metrics.alignment.smatch import Smatch as Smatch
    from amr_metrics.alignment.smatch import SmatchPackage as SmatchPackage
    from amr_metrics.alignment.smatchpp import SmatchPP as SmatchPP
    from amr_metrics.alignment.wsmatch import WSmatch as WSmatch
    from amr_metrics.base import Metric as Metric
    from amr_metrics.base import Scores as Scores
    from amr_metrics.base import pair_up as pair_up
    from amr_metrics.blend.metric import Blend as Blend
    from amr_metrics.building import get as get
    from amr_metrics.building import names as names
    from amr_metrics.camr.align_smatch import AlignSmatch as AlignSmatch
    from amr_metrics.camr.align_smatch import CamrSmatch as CamrSmatch
    from amr_metrics.camr.align_smatch import ConceptSmatch as ConceptSmatch
    from amr_metrics.documents.ancast import Ancast as Ancast
    from amr_metrics.documents.ancast_sentences import AncastSentences as AncastSentences
    from amr_metrics.documents.doc_smatch import DocSmatch as DocSmatch
    from amr_metrics.documents.juumaetsh import Juumaetsh as Juumaetsh
    from amr_metrics.errors import MetricError as MetricError
    from amr_metrics.explanation import Explanation as Explanation
    from amr_metrics.external import CommandMetric as CommandMetric
    from amr_metrics.external import FunctionMetric as FunctionMetric
    from amr_metrics.features.label_overlap import LabelOverlap as LabelOverlap
    from amr_metrics.features.relation_match import RelationMatch as RelationMatch
    from amr_metrics.features.rematch import Rematch as Rematch
    from amr_metrics.features.sema import Sema as Sema
    from amr_metrics.features.sembleu import SemBleu as SemBleu
    from amr_metrics.features.wlk import Wlk as Wlk
    from amr_metrics.features.wordnet_match import WordNetMatch as WordNetMatch
    from amr_metrics.graphs.corpus import Corpus as Corpus
    from amr_metrics.graphs.graph import Attribute as Attribute
    from amr_metrics.graphs.graph import Graph as Graph
    from amr_metrics.graphs.graph import Relation as Relation
    from amr_metrics.graphs.pairs import Pair as Pair
    from amr_metrics.graphs.pairs import Pairs as Pairs
    from amr_metrics.reading import format_graph as format_graph
    from amr_metrics.reading import format_graphs as format_graphs
    from amr_metrics.reading import from_penman as from_penman
    from amr_metrics.reading import parse_amr as parse_amr
    from amr_metrics.reading import parse_graph as parse_graph
    from amr_metrics.reading import read_graphs as read_graphs
    from amr_metrics.standardize.metric import Standardized as Standardized
    from amr_metrics.text.cosine import TextCosine as TextCosine
    from amr_metrics.text.jaccard import TextJaccard as TextJaccard
    from amr_metrics.text.with_sacrebleu import TextBleu as TextBleu
    from amr_metrics.text.with_sacrebleu import TextChrf as TextChrf
    from amr_metrics.transport.concept_cosine import ConceptCosine as ConceptCosine
    from amr_metrics.transport.node_match import NodeMatch as NodeMatch
    from amr_metrics.transport.wwlk import WWLK as WWLK
    from amr_metrics.transport.wwlk_theta import WWLKTheta as WWLKTheta
    from amr_metrics.vectors import SIF as SIF
    from amr_metrics.vectors import VectorSource as VectorSource
    from amr_metrics.vectors import WordLlama as WordLlama
    from amr_metrics.vectors import WordVectors as WordVectors

_MODULES = {
    "AlignSmatch": "camr.align_smatch",
    "Ancast": "documents.ancast",
    "AncastSentences": "documents.ancast_sentences",
    "Attribute": "graphs.graph",
    "Blend": "blend.metric",
    "CamrSmatch": "camr.align_smatch",
    "CommandMetric": "external",
    "ConceptCosine": "transport.concept_cosine",
    "ConceptSmatch": "camr.align_smatch",
    "Corpus": "graphs.corpus",
    "DocSmatch": "documents.doc_smatch",
    "Exact": "alignment.exact",
    "Explanation": "explanation",
    "FunctionMetric": "external",
    "Graph": "graphs.graph",
    "HillClimb": "alignment.hillclimb",
    "Juumaetsh": "documents.juumaetsh",
    "LabelOverlap": "features.label_overlap",
    "Metric": "base",
    "MetricError": "errors",
    "NodeMatch": "transport.node_match",
    "Pair": "graphs.pairs",
    "Pairs": "graphs.pairs",
    "Relation": "graphs.graph",
    "RelationMatch": "features.relation_match",
    "Rematch": "features.rematch",
    "S2match": "alignment.s2match",
    "SIF": "vectors",
    "Scores": "base",
    "SemBleu": "features.sembleu",
    "Sema": "features.sema",
    "Smatch": "alignment.smatch",
    "SmatchPP": "alignment.smatchpp",
    "SmatchPackage": "alignment.smatch",
    "Standardized": "standardize.metric",
    "TextBleu": "text.with_sacrebleu",
    "TextChrf": "text.with_sacrebleu",
    "TextCosine": "text.cosine",
    "TextJaccard": "text.jaccard",
    "VectorSource": "vectors",
    "WSmatch": "alignment.wsmatch",
    "WWLK": "transport.wwlk",
    "WWLKTheta": "transport.wwlk_theta",
    "Wlk": "features.wlk",
    "WordLlama": "vectors",
    "WordNetMatch": "features.wordnet_match",
    "WordVectors": "vectors",
    "format_graph": "reading",
    "format_graphs": "reading",
    "from_penman": "reading",
    "get": "building",
    "names": "building",
    "pair_up": "base",
    "parse_amr": "reading",
    "parse_graph": "reading",
    "read_graphs": "reading",
}

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    """Import a public name from its module when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
