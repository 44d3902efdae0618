"""Smatch++ (Opitz 2023): standardised graphs, optimal alignment, weighted matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from amr_metrics.alignment.compression import compress
from amr_metrics.alignment.facts import FactTable
from amr_metrics.alignment.smatch import ROOTS, Root, WeightArrays, triples
from amr_metrics.alignment.triple_match import TripleMatch
from amr_metrics.alignment.wsmatch import level_weights, linear_weight
from amr_metrics.base import Pair
from amr_metrics.errors import OptionError
from amr_metrics.graphs.corpus import Corpus, Labels
from amr_metrics.options import check_choice
from amr_metrics.standardize.standardizer import Standardizer
from amr_metrics.standardize.steps import lower_role
from amr_metrics.types import Floats, Ints

KINDS = ("instance", "attribute", "relation", "root")
CONCEPT_ROOT = ("amr", "amr-reify", "bamboo")


@dataclass(frozen=True, kw_only=True)
class SmatchPP(TripleMatch):
    """Smatch++ F1: the F1 of the best alignment of two standardised graphs, in 0..1.

    Triples are those of Smatch; labels are compared after standardisation. The weight of a match
    is the smaller of the weights of both triples; precision and recall are fractions of the sums
    of weights. With `levels` this is WSmatch on standardised graphs, and with neither `levels` nor
    standardisation it is Smatch.

    Attributes:
        standardize: a preset (``amr``, ``generic``, ``none``, ``amr-reify``, ``bamboo``), or a list
            of steps.
        root: the value of the root's triple: its ``concept``, a ``constant``, ``none`` for no
            such triple, or that of the ``preset``: the concept for AMR's presets, otherwise
            the constant.
        compression: replace each node whose concept occurs at most once in either graph by its
            concept. The problem becomes smaller, but the score changes and is usually lower: such
            nodes match only if their concepts are equal.
        weights: the weights of triples by role (``:polarity``) or kind (``instance``,
            ``attribute``, ``relation``, ``root``); the role takes precedence.
        levels: the number of levels from the root with more than the minimum weight, as in
            `WSmatch`: the weight of a node at level l and of its concept is ``max(levels - l, 1)``,
            that of an edge is the smaller of the weights at its ends. Multiplied by `weights`.

    Raises:
        OptionError: if `root`, a kind or a step is unknown, a weight is not positive, or `levels`
            is negative or combined with `compression`.

    >>> from amr_metrics import parse_graph
    >>> pair = Pair(parse_graph("(s / small :domain (d / dog) :polarity -)"),
    ...             parse_graph("(s / Small :mod-of (d / dog))"))
    >>> SmatchPP().score([pair]).tolist()  # 4 triples of 5 and 4
    [0.8888888888888888]
    >>> # without the negation, that counts twice: 4 of 6 and 4
    >>> SmatchPP(weights={":polarity": 2}).score([pair]).tolist()
    [0.8]
    """

    reference: ClassVar[str] = (
        "Opitz (2023), Smatch++: standardized and extended evaluation of semantic graphs, "
        "https://aclanthology.org/2023.findings-eacl.118"
        " (code: https://github.com/flipz357/smatchpp)"
    )

    standardize: str | Sequence[str] | None = "amr"
    root: Root | Literal["preset"] = "preset"
    compression: bool = False
    weights: Mapping[str, float] = field(default_factory=dict)
    levels: int = 0

    def __post_init__(self) -> None:
        _ = self.standardizer
        if self.levels < 0 or (self.levels and self.compression):
            raise OptionError("levels must be at least 0, and cannot be combined with compression")
        check_choice("root", self.root, ("preset", *ROOTS))
        for key, weight in self.weights.items():
            if not (key in KINDS or key.startswith(":")):
                raise OptionError(
                    f"weights: {key!r} is neither a role nor one of {', '.join(KINDS)}"
                )
            if "lower" in self.standardizer.steps and key != (role := lower_role(key)):
                raise OptionError(f"weights: the step lower writes {key!r} as {role!r}: use this")
            if not 0 < weight < float("inf"):
                raise OptionError(f"weights: {key}={weight} must be positive and finite")

    @cached_property
    def standardizer(self) -> Standardizer:
        """The standardisation applied to every graph first."""
        return Standardizer.of(self.standardize)

    @property
    def root_kind(self) -> Root:
        """The value of the root's triple: `root`, or that of the preset."""
        if self.root != "preset":
            return self.root
        return "concept" if self.standardize in CONCEPT_ROOT else "constant"

    def view(self, pair: Pair) -> Pair:
        """Return the standardised pair, compressed if `compression` is set."""
        (view,) = self.views([pair])
        return view

    def views(self, pairs: Sequence[Pair]) -> Sequence[Pair]:
        """Return the `view` of each pair, with each graph standardised once."""
        if self.standardizer.steps:
            pairs = self.standardizer.pairs(pairs)
        if not self.compression:
            return pairs
        return [compress(pair, rooted=self.root_kind != "none") for pair in pairs]

    def ignores(self, role: str) -> bool:
        """Return whether a step removes a role."""
        return self.standardizer.drops(role)

    @property
    def signature(self) -> str:
        """As for every metric, with the steps of standardisation by name."""
        return f"{super().signature}|standardize={self.standardizer.name}"

    @property
    def definition(self) -> str:
        """As for every metric, with the steps of standardisation by name."""
        return f"{super().definition}|standardize={self.standardizer.name}"

    def facts(self, corpus: Corpus, labels: Labels) -> FactTable:
        """Return the facts of each graph of a corpus."""
        weights: WeightArrays | None = None
        if self.weights or self.levels:
            weights = role_weights(corpus, self._weight)
        if weights and self.levels:
            factors = level_weights(corpus, lambda level: linear_weight(level, self.levels))
            weights = [weight * factor for weight, factor in zip(weights, factors, strict=True)]
        return triples(
            corpus, labels, self.root_kind, str, grounded=self.compression, weights=weights
        )

    def _weight(self, role: str, kind: str) -> float:
        kind = "root" if role == ":root" else kind
        return float(self.weights.get(role, self.weights.get(kind, 1.0)))


def role_weights(corpus: Corpus, weight: Callable[[str, str], float]) -> WeightArrays:
    """Return the weights of the triples by role and kind.

    Args:
        weight: computes the weight for a role (``:instance`` and ``:root`` for triples without
            one) and a kind: ``instance``, ``attribute``, ``relation`` or ``root``.
    """

    def by_role(kind: str, roles: Ints) -> Floats:
        distinct, rows = np.unique(roles, return_inverse=True)
        texts = corpus.symbols.texts
        return np.array([weight(texts[role], kind) for role in distinct.tolist()], float)[rows]

    return [
        np.full(len(corpus.concepts), weight(":instance", "instance")),
        by_role("attribute", corpus.attribute_roles),
        np.full(len(corpus), weight(":root", "root")),
        by_role("relation", corpus.relation_roles),
    ]
