"""Smatch (Cai and Knight 2013): the F1 of matching triples under the best variable alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amr_metrics.alignment.facts import FactTable
from amr_metrics.alignment.triple_match import TripleMatch
from amr_metrics.alignment.triples import ROOTS, Root, triples
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.symbols import Labels
from amr_metrics.options import one_of


@dataclass(frozen=True, kw_only=True)
class Smatch(TripleMatch):
    """Smatch F1, with labels lower-cased and repeated triples counted once, in 0..1.

    Triples: instance(v, concept), role(v, constant), role(v, w) and TOP(root, value).
    The alignment is computed by a solver instead of the paper's hill-climbing; the default solver
    proves that it is optimal.

    Attributes:
        root: the value of TOP. ``concept``: the root's concept, as in the published BAMBOO
            numbers; ``constant``: always the same value, as in the smatch package since version
            1.0.3; ``none``: no TOP.

    Raises:
        OptionError: if `root` is unknown.

    >>> from amr_metrics import Pair, parse_graph
    >>> cat = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
    >>> dog = parse_graph("(s / sleep-01 :ARG0 (d / dog))")
    >>> Smatch().score([Pair(cat, dog)]).tolist()  # 3 of 4 triples on each side
    [0.75]
    """

    reference: ClassVar[str] = (
        "Cai and Knight (2013), Smatch: an evaluation metric for semantic feature structures, "
        "section 3, https://aclanthology.org/P13-2131"
        " (code: https://github.com/snowblink14/smatch)"
    )

    root: Root = "concept"

    def __post_init__(self) -> None:
        one_of("root", self.root, ROOTS)

    def facts(self, corpus: Corpus, labels: Labels) -> FactTable:
        """Return the facts of each graph of a corpus."""
        return triples(corpus, labels, self.root, str.lower)
