"""Smatch (Cai and Knight 2013), as BAMBOO and as the smatch package define it, and its triples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from amr_metrics.alignment.facts import Facts, FactTable
from amr_metrics.alignment.triple_match import TripleMatch
from amr_metrics.base import Pair
from amr_metrics.graphs.corpus import Corpus, Labels
from amr_metrics.graphs.rows import row_positions, starts
from amr_metrics.standardize.steps import (
    apply_to_pairs,
    fold_domain,
    smatch_package,
    strip_quotes,
)
from amr_metrics.types import Floats, Ints

Root = Literal["concept", "constant", "none"]
ROOTS = get_args(Root)
WeightArrays = list[
    Floats
]  # a weight per node, per attribute, per graph (of its TOP), per relation


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

    def facts(self, corpus: Corpus, labels: Labels) -> FactTable:
        """Return the facts of each graph of a corpus."""
        return triples(corpus, labels, self.root, str.lower)


Variant = Literal["published", "corrected"]
STEPS = {"published": (smatch_package,), "corrected": (strip_quotes, fold_domain)}


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

    @property
    def range(self) -> tuple[float, float]:
        """0..1; the published variant has no upper bound."""
        return (0.0, 1.0) if self.variant == "corrected" else (0.0, float("inf"))

    @property
    def reads_alignments(self) -> bool:
        """Whether surface alignments are parts of labels: in the published variant."""
        return self.variant == "published"

    @property
    def repeat_steps(self) -> Sequence[str]:
        """Steps that remove repeated triples, which count again in the published variant."""
        return ("smatch_package", "lower", "distinct") if self.variant == "published" else ()

    def view(self, pair: Pair) -> Pair:
        """Return the pair with the triples that count."""
        (view,) = self.views([pair])
        return view

    def views(self, pairs: Sequence[Pair]) -> Sequence[Pair]:
        """Return the `view` of each pair, with each graph standardised once."""
        return apply_to_pairs(STEPS[self.variant], pairs)

    def facts(self, corpus: Corpus, labels: Labels) -> FactTable:
        """Return the facts of each graph of a corpus."""
        counted = self.variant == "published"
        return triples(corpus, labels, self.root, str.lower, counted=counted)


def triples(
    corpus: Corpus,
    labels: Labels,
    root: Root,
    fold: Callable[[str], str],
    *,
    grounded: bool = False,
    weights: WeightArrays | None = None,
    counted: bool = False,
) -> FactTable:
    """Return the triples of each graph as facts, whose labels are (kind, value).

    In this order: ``instance(v, concept)`` with the label ``("instance", concept)``,
    ``role(v, constant)`` with ``("attribute", (role, constant))``, ``TOP(root, value)`` with
    ``("TOP", value)``; and ``role(v, w)`` with ``("relation", role)``.

    Args:
        labels: where labels are numbered.
        root: the value of TOP: the root's concept, always the same, or no TOP.
        fold: normalises concepts, roles and constants.
        grounded: whether the last node of each graph has no concept and cannot be the root
            (see `amr_metrics.alignment.compression`).
        weights: the weights of the triples; 1 each unless given.
        counted: count repeated triples, see `FactTable`.
    """
    symbols, sizes = corpus.symbols, corpus.sizes

    def number(kind: str, used: Ints) -> Ints:
        return labels.of(symbols, used, lambda text: (kind, fold(text)))[used]

    # A symbol is a string of the corpus, a label a pair of kind and string of both sides: two facts
    # can match only if their labels are equal numbers.
    counts = sizes - 1 if grounded else sizes
    nodes = row_positions(corpus.node_start)
    has_concept = nodes < np.repeat(counts, sizes)
    has_top = (corpus.tops >= 0) & (corpus.tops < counts) & (root != "none")
    tops = corpus.tops[has_top]
    if weights is None:
        columns = (corpus.concepts, corpus.constants, corpus.tops, corpus.sources)
        weights = [np.ones(len(rows)) for rows in columns]
    if root == "concept":
        top_labels = number("TOP", corpus.concepts[corpus.node_start[:-1][has_top] + tops])
    else:
        top_labels = np.full(len(tops), labels.number(("TOP", "top")) if len(tops) else 0)
    concepts = number("instance", corpus.concepts[has_concept])
    constants = _label_attributes(corpus, labels, fold)
    roles = number("relation", corpus.relation_roles)
    # Concepts come first: `align_large` takes the first fact about a node for its concept.
    facts = Facts.joined(
        [
            Facts.of(starts(counts), [nodes[has_concept], concepts], weights[0][has_concept]),
            Facts.of(corpus.attribute_start, [corpus.holders, constants], weights[1]),
            Facts.of(starts(has_top), [tops, top_labels], weights[2][has_top]),
        ]
    )
    ends_and_roles = [corpus.sources, corpus.targets, roles]
    edges = Facts.of(corpus.relation_start, ends_and_roles, weights[3])
    return FactTable(sizes, facts.distinct(counted), edges.distinct(counted), counted)


def _label_attributes(corpus: Corpus, labels: Labels, fold: Callable[[str], str]) -> Ints:
    """Return the label of each attribute; each combination of role and constant is folded once."""
    texts, count = corpus.symbols.texts, len(corpus.symbols)
    keys = corpus.attribute_roles.astype(np.int64) * count + corpus.constants
    distinct, rows = np.unique(keys, return_inverse=True)
    used = corpus.symbols.used(corpus.attribute_roles, corpus.constants)
    folded = {k: fold(texts[k]) for k in used.tolist()}
    combinations = (divmod(key, count) for key in distinct.tolist())
    numbers = labels.number_all(
        [("attribute", (folded[role], folded[constant])) for role, constant in combinations]
    )
    return np.array(numbers, np.int64)[rows]
