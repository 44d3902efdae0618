"""Chinese AMR: reading, the Align-Smatch family and its sub-scores.

>>> from amr_metrics import Pair
>>> from amr_metrics.camr import AlignSmatch, parse_camr
>>> parsed, gold = parse_camr('''# ::id export_amr.1 ::2024-01-01 00:00:00
... # ::wid x1_他 x2_对 x3_她 x4_说
... (x4 / 说-01 :arg0() (x1 / 他) :arg2() (x3 / 她))
...
... # ::id export_amr.1 ::2024-01-01 00:00:00
... # ::wid x1_他 x2_对 x3_她 x4_说
... (x4 / 说-01 :arg0() (x1 / 他) :arg2(x2/对) (x3 / 她))''')
>>> AlignSmatch().score([Pair(parsed, gold)]).tolist() == [2 * 9 / (9 + 10)]
True
"""

from amr_metrics.camr.align_smatch import AlignSmatch, CamrSmatch, ConceptSmatch
from amr_metrics.camr.graph import Arc, CamrGraph, Coreference
from amr_metrics.camr.reading import parse_camr, read_camr, read_lengths
from amr_metrics.camr.subscoring import Subscores, subscores

__all__ = [
    "AlignSmatch",
    "Arc",
    "CamrGraph",
    "CamrSmatch",
    "ConceptSmatch",
    "Coreference",
    "Subscores",
    "parse_camr",
    "read_camr",
    "read_lengths",
    "subscores",
]
