"""Smatch (Cai and Knight 2013), as BAMBOO and as the smatch package define it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from amr_metrics.alignment.facts import FactTable
from amr_metrics.alignment.triple_match import TripleMatch
from amr_metrics.alignment.triples import ROOTS, Root, triples
from amr_metrics.base import Pair
from amr_metrics.graphs.corpus import Corpus, Labels
from amr_metrics.options import one_of
from amr_metrics.standardize.standardizer import Standardizer


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


Variant = Literal["published", "corrected"]
STEPS = {"published": ("smatch_package",), "corrected": ("strip_quotes", "fold_domain")}


@dataclass(frozen=True, kw_only=True)
class SmatchPackage(Smatch):
    """Smatch F1 of the triples that the smatch package counts since version 1.0.3.

    The roots always match, ``"Ulm"`` equals ``Ulm``, and ``x :mod y`` equals ``y :domain x``.

    Attributes:
        variant: ``published`` counts exactly the package's triples. Constants under ``:mod`` and
            inverse roles are dropped, ``:mod-of`` is a role of its own, a constant in quotation
            marks ends at its first space, and underscores at the end of a label are ignored. Of a
            triple that one graph has k times and the other l times, k times l match: F1 may exceed
            1. ``corrected`` counts all triples, each once.
        root: as for `Smatch`; ``constant`` in the package.

    Raises:
        OptionError: if `variant` or `root` is unknown.

    >>> from amr_metrics import parse_graph
    >>> pair = Pair(parse_graph("(p / picture :mod 1)"), parse_graph("(p / picture)"))
    >>> SmatchPackage().score([pair]).tolist()  # the package drops the constant
    [1.0]
    >>> SmatchPackage(variant="corrected").score([pair]).tolist()  # 2 triples of 3 and 2
    [0.8]
    """

    reference: ClassVar[str] = f"{Smatch.reference} (package: https://pypi.org/project/smatch)"

    root: Root = "constant"
    variant: Variant = "published"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("variant", self.variant, tuple(STEPS))

    @property
    def range(self) -> tuple[float, float]:
        """0..1; the published variant has no upper bound."""
        return (0.0, 1.0) if self.variant == "corrected" else (0.0, float("inf"))

    @cached_property
    def standardizer(self) -> Standardizer:
        """The standardisation applied to every graph first."""
        return Standardizer(STEPS[self.variant])

    def view(self, pair: Pair) -> Pair:
        """Return the pair with the triples that count."""
        return self.standardizer.pair(pair)

    def views(self, pairs: Sequence[Pair]) -> Sequence[Pair]:
        """Return the `view` of each pair, with each graph standardised once."""
        return self.standardizer.pairs(pairs)

    def facts(self, corpus: Corpus, labels: Labels) -> FactTable:
        """Return the facts of each graph of a corpus."""
        counted = self.variant == "published"
        return triples(corpus, labels, self.root, str.lower, counted=counted)
