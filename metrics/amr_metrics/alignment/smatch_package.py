"""Smatch as the smatch package on PyPI computes it, from version 1.0.3 (2020) on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from amr_metrics.alignment.facts import FactTable
from amr_metrics.alignment.smatch import Smatch
from amr_metrics.alignment.triples import Root, triples
from amr_metrics.base import Pair
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.symbols import Labels
from amr_metrics.options import one_of
from amr_metrics.standardize.standardizer import Standardizer

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
