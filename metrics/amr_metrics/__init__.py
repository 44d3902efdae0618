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
    from amr_metrics.alignment.exact import Exact
    from amr_metrics.alignment.hillclimb import HillClimb
    from amr_metrics.alignment.s2match import S2match
    from amr_metrics.alignment.smatch import Smatch, SmatchPackage
    from amr_metrics.alignment.smatchpp import SmatchPP
    from amr_metrics.alignment.wsmatch import WSmatch
    from amr_metrics.base import Metric, Scores, pair_up
    from amr_metrics.blend.metric import Blend
    from amr_metrics.building import get, names
    from amr_metrics.camr.align_smatch import AlignSmatch, CamrSmatch, ConceptSmatch
    from amr_metrics.documents.ancast import Ancast
    from amr_metrics.documents.ancast_sentences import AncastSentences
    from amr_metrics.documents.doc_smatch import DocSmatch
    from amr_metrics.documents.juumaetsh import Juumaetsh
    from amr_metrics.errors import MetricError
    from amr_metrics.explanation import Explanation
    from amr_metrics.external import CommandMetric, FunctionMetric
    from amr_metrics.features.label_overlap import LabelOverlap
    from amr_metrics.features.relation_match import RelationMatch
    from amr_metrics.features.rematch import Rematch
    from amr_metrics.features.sema import Sema
    from amr_metrics.features.sembleu import SemBleu
    from amr_metrics.features.wlk import Wlk
    from amr_metrics.features.wordnet_match import WordNetMatch
    from amr_metrics.graphs.corpus import Corpus
    from amr_metrics.graphs.graph import Attribute, Graph, Relation
    from amr_metrics.graphs.pairs import Pair, Pairs
    from amr_metrics.reading import (
        format_graph,
        format_graphs,
        from_penman,
        parse_amr,
        parse_graph,
        read_graphs,
    )
    from amr_metrics.standardize.metric import Standardized
    from amr_metrics.text.cosine import TextCosine
    from amr_metrics.text.jaccard import TextJaccard
    from amr_metrics.text.with_sacrebleu import TextBleu, TextChrf
    from amr_metrics.transport.concept_cosine import ConceptCosine
    from amr_metrics.transport.node_match import NodeMatch
    from amr_metrics.transport.wwlk import WWLK
    from amr_metrics.transport.wwlk_theta import WWLKTheta
    from amr_metrics.vectors import SIF, VectorSource, WordLlama, WordVectors


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

__all__ = [
    "SIF",
    "WWLK",
    "AlignSmatch",
    "Ancast",
    "AncastSentences",
    "Attribute",
    "Blend",
    "CamrSmatch",
    "CommandMetric",
    "ConceptCosine",
    "ConceptSmatch",
    "Corpus",
    "DocSmatch",
    "Exact",
    "Explanation",
    "FunctionMetric",
    "Graph",
    "HillClimb",
    "Juumaetsh",
    "LabelOverlap",
    "Metric",
    "MetricError",
    "NodeMatch",
    "Pair",
    "Pairs",
    "Relation",
    "RelationMatch",
    "Rematch",
    "S2match",
    "Scores",
    "SemBleu",
    "Sema",
    "Smatch",
    "SmatchPP",
    "SmatchPackage",
    "Standardized",
    "TextBleu",
    "TextChrf",
    "TextCosine",
    "TextJaccard",
    "VectorSource",
    "WSmatch",
    "WWLKTheta",
    "Wlk",
    "WordLlama",
    "WordNetMatch",
    "WordVectors",
    "__version__",
    "format_graph",
    "format_graphs",
    "from_penman",
    "get",
    "names",
    "pair_up",
    "parse_amr",
    "parse_graph",
    "read_graphs",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its module when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
