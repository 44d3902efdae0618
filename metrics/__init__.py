"""Similarity metrics for AMR graphs: scores and alignments of pairs of graphs.

The names below are imported from their modules when they are first used, so that a program that
only needs, say, `metrics.errors` does not load the compiled kernels.

>>> from metrics import Pair, Smatch, parse_graph
>>> pair = Pair(parse_graph("(s / sleep-01 :ARG0 (c / cat))"), parse_graph("(s / sleep-01)"))
>>> float(Smatch().score([pair])[0])  # recall 2/4, precision 2/2: F1 = 2*2/(4+2)
0.6666666666666666
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from metrics.version import VERSION as __version__

if TYPE_CHECKING:
    from metrics.alignment.smatch import Smatch
    from metrics.alignment.smatchpp import SmatchPP
    from metrics.base import Explanation, Metric, Scores, pair_up
    from metrics.corpus import Corpus
    from metrics.errors import MetricError
    from metrics.graph import Graph
    from metrics.pairs import Pair, Pairs
    from metrics.reading import parse_amr, parse_graph, parse_tsv, read_graphs
    from metrics.writing import format_graph, format_graphs

_MODULES = {
    "Corpus": "corpus",
    "Explanation": "base",
    "Graph": "graph",
    "Metric": "base",
    "MetricError": "errors",
    "Pair": "pairs",
    "Pairs": "pairs",
    "Scores": "base",
    "Smatch": "alignment.smatch",
    "SmatchPP": "alignment.smatchpp",
    "format_graph": "writing",
    "format_graphs": "writing",
    "pair_up": "base",
    "parse_amr": "reading",
    "parse_graph": "reading",
    "parse_tsv": "reading",
    "read_graphs": "reading",
}

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


def __getattr__(name: str) -> Any:
    """A public name, from its module."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names and what is loaded."""
    return sorted({*globals(), *__all__})
