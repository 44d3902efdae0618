"""Similarity metrics for AMR graphs: scores and alignments of pairs of graphs.

>>> from metrics import Pair, Smatch, parse_graph
>>> pair = Pair(parse_graph("(s / sleep-01 :ARG0 (c / cat))"), parse_graph("(s / sleep-01)"))
>>> float(Smatch().score([pair])[0])  # recall 2/4, precision 2/2: F1 = 2*2/(4+2)
0.6666666666666666
"""

from metrics.alignment.smatch import Smatch
from metrics.alignment.smatchpp import SmatchPP
from metrics.base import Explanation, Metric, Scores, pair_up
from metrics.corpus import Corpus
from metrics.errors import MetricError
from metrics.graph import Graph
from metrics.pairs import Pair, Pairs
from metrics.reading import parse_amr, parse_graph, parse_tsv, read_graphs
from metrics.version import VERSION as __version__
from metrics.writing import format_graph, format_graphs

__all__ = [
    "Corpus",
    "Explanation",
    "Graph",
    "Metric",
    "MetricError",
    "Pair",
    "Pairs",
    "Scores",
    "Smatch",
    "SmatchPP",
    "__version__",
    "format_graph",
    "format_graphs",
    "pair_up",
    "parse_amr",
    "parse_graph",
    "parse_tsv",
    "read_graphs",
]
