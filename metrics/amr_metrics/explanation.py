"""What is behind the score of a pair: its alignment, its matches, and the effects of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from amr_metrics.graphs.pairs import Pair
from amr_metrics.utils.html_text import table as html_table
from amr_metrics.utils.html_text import wrap_preformatted


class Link(NamedTuple):
    """One entry of an alignment: `weight` of node `src` is moved to node `tgt` at `cost`."""

    src: str
    tgt: str
    weight: float
    cost: float


class ExplainedTriple(NamedTuple):
    """A triple that a metric compares; its text is ``role(source, target)``.

    Attributes:
        kind: ``instance``, ``attribute``, ``relation``, ``TOP``, or a kind that the metric defines.
        role: the role, or the kind if there is none.
        source: the name of the node.
        target: the concept, the constant, or the name of the second node.

    >>> print(ExplainedTriple("relation", ":ARG0", "s", "c"))
    :ARG0(s, c)
    """

    kind: str
    role: str
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.role}({self.source}, {self.target})"


class Contribution(NamedTuple):
    """The effect of a feature on the score of a pair.

    Attributes:
        feature: the feature's name.
        value: its value for the pair.
        effect: the amount that it adds to the score.
    """

    feature: str
    value: float
    effect: float


class Feature(NamedTuple):
    """A feature that a metric without alignment compares, and what it adds to the score of a pair.

    Attributes:
        kind: what it is, such as ``2-gram`` or ``relation``.
        text: the feature.
        src, tgt: how often each graph has it.
        matched: how many of these match.
        effect: the amount that the matches add to the score.
    """

    kind: str
    text: str
    src: int
    tgt: int
    matched: int
    effect: float


@dataclass(frozen=True, repr=False)
class FeatureExplanation:
    """The features behind the score of a pair, for a metric that does not align nodes.

    Attributes:
        score: the pair's score.
        features: those of either graph. Their effects add up to the score, unless both graphs are
            empty.
        formula: how the score is computed from the numbers of features.
        pair: the pair in the form in which it was compared.
    """

    score: float
    features: tuple[Feature, ...]
    formula: tuple[str, ...]
    pair: Pair = field(compare=False)

    def __repr__(self) -> str:
        matched = sum(feature.matched > 0 for feature in self.features)
        features = f"{len(self.features)} features, {matched} of them match"
        return f"<{type(self).__name__}: score {self.score:.4f}; {features}>"

    def by_kind(self) -> dict[str, tuple[Feature, ...]]:
        """Return the features of each kind: those that match, those of src, those of tgt."""
        kinds: dict[str, list[Feature]] = {}
        for feature in self.features:
            kinds.setdefault(feature.kind, []).append(feature)
        return {
            kind: tuple(sorted(features, key=lambda f: (-f.effect, not f.matched, not f.src)))
            for kind, features in kinds.items()
        }


@dataclass(frozen=True, repr=False)
class Explanation:
    """The alignment and the matches behind the score of a pair.

    Attributes:
        score: the pair's score.
        links: the alignment, n:m in general. In a one-to-one alignment, `weight` is the weight of
            the matches at the node pair and `cost` is 0.
        matched: (triple of src, triple of tgt, weight) of each match.
        unmatched_src, unmatched_tgt: the unmatched triples of each graph.
        upper_bound: the score of the best alignment is at most this.
        optimal: whether the alignment is proven optimal.
        contributions: for a score that is a sum over features: the effect of each feature.
        weights: of each graph, the triples whose weight is not 1, and their weights.
        pair: the pair in the form in which it was compared; None: as it was given.
            `Metric.explanations` adds it.
    """

    score: float
    links: tuple[Link, ...]
    matched: tuple[tuple[ExplainedTriple, ExplainedTriple, float], ...] = ()
    unmatched_src: tuple[ExplainedTriple, ...] = ()
    unmatched_tgt: tuple[ExplainedTriple, ...] = ()
    upper_bound: float | None = None
    optimal: bool | None = None
    contributions: tuple[Contribution, ...] = ()
    weights: tuple[Mapping[ExplainedTriple, float], Mapping[ExplainedTriple, float]] = ({}, {})
    pair: Pair | None = field(default=None, compare=False)

    @cached_property
    def triples(self) -> tuple[tuple[ExplainedTriple, ...], tuple[ExplainedTriple, ...]]:
        """The triples of src, and those of tgt, each once; those that match come first."""
        return (
            tuple(dict.fromkeys([*(src for src, _, _ in self.matched), *self.unmatched_src])),
            tuple(dict.fromkeys([*(tgt for _, tgt, _ in self.matched), *self.unmatched_tgt])),
        )

    def __repr__(self) -> str:
        parts = [f"score {self.score:.4f}"]
        if self.optimal is not None:
            proven = "proven optimal" if self.optimal else "not proven optimal"
            parts.append(f"{len(self.links)} links, {proven}")
        if self.matched or self.unmatched_src or self.unmatched_tgt:
            only = f"only src {len(self.unmatched_src)}, only tgt {len(self.unmatched_tgt)}"
            parts.append(f"triples: matched {len(self.matched)}, {only}")
        if self.contributions:
            parts.append(f"{len(self.contributions)} contributions")
        return f"<{type(self).__name__}: {'; '.join(parts)}>"

    def __str__(self) -> str:
        lines = [repr(self)[1:-1]]
        for headings, rows in self._tables():
            widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
            lines += [""]
            for row in (headings, *rows):
                cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
                lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = [wrap_preformatted(repr(self)[1:-1])]
        return "\n".join([*parts, *(html_table(*table) for table in self._tables())])

    def _tables(self) -> list[tuple[Sequence[str], list[Sequence[str]]]]:
        links = [(k.src, k.tgt, f"{k.weight:.4g}", f"{k.cost:.4g}") for k in self.links]
        triples = [
            *((str(src), str(tgt), f"{weight:.4g}") for src, tgt, weight in self.matched),
            *((str(src), "", "") for src in self.unmatched_src),
            *(("", str(tgt), "") for tgt in self.unmatched_tgt),
        ]
        features = [(c.feature, f"{c.value:.4g}", f"{c.effect:+.4g}") for c in self.contributions]
        tables: list[tuple[Sequence[str], list[Sequence[str]]]] = [
            (("src", "tgt", "weight", "cost"), [*links]),
            (("src triple", "tgt triple", "match"), [*triples]),
            (("feature", "difference", "effect"), [*features]),
        ]
        return [(headings, rows) for headings, rows in tables if rows]
