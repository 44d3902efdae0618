"""`Blend`: a linear model over the scores and columns of other metrics."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from amr_metrics.base import Metric, Pair, Scores, written_as
from amr_metrics.blend.features import Extractor
from amr_metrics.errors import NoAlignmentError, OptionError, PairError
from amr_metrics.explanation import Contribution, Explanation
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.options import convert_named_floats, describe_unknown
from amr_metrics.parameters import LinearPairs, WithWeights
from amr_metrics.types import Bools, Floats, Ints

CHUNK = 5000  # pairs whose terms are computed at a time: keeps the arrays small
SAMPLE = 1000  # the minimum number of pairs from which knots are computed, unless there are fewer
# Between a feature's name and a knot, or the name of a metric, in the name of a weight.
ABOVE, TIMES, NEAR = ">", "*", "~"
DISTANT, CLOSE = 0.6, 1.0  # scores of the metric `near` for distant and for close graphs
LOW = 0.05  # the score is the sum from here to 1; below, it approaches 0


@dataclass(frozen=True, kw_only=True)
class Blend(WithWeights):
    """1 - a weighted sum of differences between two graphs, brought into 0..1 by `limit_sums`.

    A difference is the distance of the score of another metric, or of one of its columns such as
    precision, from the value that identical graphs have (see `amr_metrics.blend.features`). Each
    feature d has weights w at several knots t and adds the sum of w max(0, d - t), a
    piecewise-linear function of d. With interactions, it also adds v d s for each metric, where s
    is the metric's score, or 0 if that is negative, and v a weight.

    With `near`, all this holds for distant graphs, and for close graphs, such as two parses of a
    sentence, each feature adds u d, with a weight u of its own. In between, the sums are mixed: the
    share of the latter is 3 x^2 - 2 x^3, where x grows from 0 to 1 as the score of `near` grows
    from .6 to 1.

    Identical graphs score 1. Two empty graphs score 1, an empty and a non-empty one 0.

    The weights are learned from human ratings. A metric without weights has to be `initialised`
    before scoring: it starts with equal weights, all at the knot 0.

    Attributes:
        of: the metrics, by name; each name begins the names of its features.
        knots: number of knots per feature, at quantiles of the training pairs, besides the knot 0.
        interactions: whether features are also multiplied with the score of each metric.
        near: the name of the metric whose score says how close graphs are; "" for the same weights
            for all graphs.
        without: features that `initialised` gives no weights.
        weights: from ``feature>knot``, ``feature*metric`` (an interaction) or ``feature~metric``
            (for close graphs, with the name of `near`) to weight: weight times max(0, feature -
            knot), and so on, is subtracted from 1.

    Raises:
        OptionError: if there are no metrics, one of them is a blend or compares sentences, an
            option names a metric that is not among them, or the name of a weight has another form.

    >>> from amr_metrics import Smatch, parse_graph
    >>> from amr_metrics.features.label_overlap import LabelOverlap
    >>> blend = Blend(of={"smatch": Smatch(), "overlap": LabelOverlap()},
    ...               weights={"smatch>0": 0.5, "overlap.concepts>0.25": 1.0})
    >>> a, b = (parse_graph(f"(s / sleep-01 :ARG0 (c / {x}))") for x in ("cat", "dog"))
    >>> blend.score([Pair(a, b)]).tolist()  # 1 - 0.5 * (1 - 0.75) - 1.0 * (1 - 0.5 - 0.25)
    [0.625]
    """

    of: Mapping[str, Metric] = field(repr=False)  # `signature` and `definition` list them
    knots: int = 3
    interactions: bool = False
    near: str = ""
    without: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(
        default_factory=dict, metadata=written_as(convert_named_floats)
    )

    def __post_init__(self) -> None:
        if not self.of:
            raise OptionError("of: a blend needs at least one metric")
        for name, metric in self.of.items():
            if isinstance(metric, Blend):
                raise OptionError(f"of: {name} is a blend: list the metrics that it consists of")
            if metric.reads_sentences:
                raise OptionError(
                    f"of: {name} compares sentences: list metrics that compare graphs"
                )
            if any(sign in name for sign in (".", ABOVE, TIMES, NEAR)):
                raise OptionError(f"of: {name!r} contains one of '.>*~': use another name")
        if self.knots < 0:
            raise OptionError(f"knots={self.knots}: use 0 or more")
        object.__setattr__(self, "without", tuple(self.without))  # a list in YAML
        if self.near and self.near not in self.of:
            raise OptionError(f"near={self.near}: use one of {', '.join(self.of)}")
        for name, weight in self.weights.items():
            if not np.isfinite(weight):
                raise OptionError(f"weights: {name} has {weight}, not a number")

    @property
    def symmetric(self) -> bool:
        """Whether all features are symmetric."""
        return all(metric.symmetric for metric in self.of.values())

    @property
    def signature(self) -> str:
        """The metric, all its options, the signatures of its metrics and the version."""
        of = ",".join(f"{name}={metric.signature}" for name, metric in self.of.items())
        return f"{super().signature}|of={of}"

    @property
    def definition(self) -> str:
        """The blend, and the definitions of its metrics."""
        of = ",".join(f"{name}={metric.definition}" for name, metric in self.of.items())
        return f"{super().definition}|of={of}"

    @cached_property
    def extractor(self) -> Extractor:
        """Computes the features."""
        return Extractor(self.of)

    def initialised(self, pairs: Sequence[Pair]) -> Self:
        """Return the metric with equal weights and knots at quantiles of the pairs' features.

        Of many pairs, at least `SAMPLE` at equal intervals are used. Features that are the same
        for all of them, or equal to an earlier feature, are left out, and so are those of
        `without`.

        Raises:
            OptionError: if no feature varies, or `without` names one that does not exist.
            PairError: if a metric cannot score a pair.
        """
        step = max(1, len(pairs) // SAMPLE)
        try:
            features = self.extractor.features(pairs[::step])
        except PairError as error:
            raise error.numbered(range(0, len(pairs), step)) from None
        return self.initialised_on(features)

    def initialised_on(self, features: Mapping[str, Floats]) -> Self:
        """Return the metric with the initial weights for some features, as `initialised` does.

        Raises:
            OptionError: see `initialised`.
        """
        for name in self.without:
            if name not in features:
                raise OptionError(f"without: {describe_unknown('feature', name, features)}")
        distinct: dict[str, Floats] = {}
        for name, values in features.items():
            if name in self.without:
                continue
            varies = len(values) > 0 and float(np.ptp(values)) > 0
            if varies and not any(np.array_equal(values, v) for v in distinct.values()):
                distinct[name] = values
        if not distinct:
            raise OptionError(
                f"none of the {len(features)} features of {', '.join(self.of)} varies between "
                "these pairs"
            )
        # Equal weights at the knot 0 make the score 1 - the mean of the features; a knot at or
        # above the largest value would never matter.
        shares = np.arange(1, self.knots + 1) / (self.knots + 1)
        weights = {}
        for name, values in distinct.items():
            weights[f"{name}{ABOVE}0"] = 1 / len(distinct)
            for knot in np.quantile(values, shares).tolist():
                if 0 < float(f"{knot:.6g}") < float(values.max()):
                    weights[f"{name}{ABOVE}{knot:.6g}"] = 0.0
            for metric in self.of if self.interactions else ():
                weights[f"{name}{TIMES}{metric}"] = 0.0
            if self.near:
                weights[f"{name}{NEAR}{self.near}"] = 1 / len(distinct)
        return replace(self, weights=weights)

    def prepare(self, pairs: Sequence[Pair]) -> BlendedPairs:
        """Compute the features of the pairs."""
        return BlendedPairs(self, pairs)

    def warm_up(self) -> None:
        """Load what the metrics need, and compute the values of identical graphs."""
        for metric in self.of.values():
            metric.warm_up()
        _ = self.extractor.anchors

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the score of each pair.

        Raises:
            OptionError: if the metric has no weights, or weights of features that it does not have.
            PairError: if a metric cannot score a pair.
        """
        _ = self._terms  # checked before anything is computed
        return Scores(self._limited_sums(self.extractor.features(pairs), pairs))

    def _limited_sums(self, features: Mapping[str, Floats], pairs: Sequence[Pair]) -> Floats:
        terms = self._terms
        values = np.empty(len(pairs))
        for at in range(0, len(pairs), CHUNK):
            chunk = slice(at, at + CHUNK)
            # Not a matrix product, whose rounding depends on the number of pairs.
            values[chunk] = 1.0 - (self._values(features, chunk) * terms.weights).sum(axis=1)
        return np.where(_find_half_empty(pairs), 0.0, limit_sums(values))

    @cached_property
    def _terms(self) -> Terms:
        """The weights as arrays.

        Raises:
            OptionError: if there are no weights, or one is not that of a feature and a knot or
                metric.
        """
        if not self.weights:
            raise OptionError(f"{type(self).__name__} has no weights: give weights, or train it")
        terms = [self._term(name) for name in self.weights]
        features, knots, factors = (tuple(part) for part in zip(*terms, strict=True))
        if missing := sorted(set(features) - set(self.extractor.names)):
            raise OptionError(
                f"weights for {len(missing)} features that the metrics {', '.join(self.of)} do "
                f"not have: {', '.join(missing[:5])}{', ...' if len(missing) > 5 else ''}"
            )
        weights = np.array([*self.weights.values()], np.float64)
        return Terms(features, np.array(knots), factors, weights)

    def _term(self, name: str) -> tuple[str, float, str]:
        """Return the feature, the knot and the factor that the name of a weight names."""
        feature, sign, end = _split_name(name)
        if sign == ABOVE and _is_knot(end):
            return feature, float(end), ""
        if (sign == TIMES and end in self.of) or (sign == NEAR and end == self.near):
            return feature, 0.0, sign + end
        raise OptionError(
            f"weights: {name!r} is not of the form feature>knot, feature*metric or, with near, "
            "feature~metric"
        )

    def _values(self, features: Mapping[str, Floats], chunk: slice = slice(None)) -> Floats:
        """Return what each weight is multiplied with, pairs x weights."""
        # A weight of feature d is multiplied with max(0, d - t), times the score s of a metric for
        # an interaction; and, with x the share of close graphs, with x if it is one for close
        # graphs, else with 1 - x.
        terms = self._terms
        columns = np.stack([features[name][chunk] for name in terms.features], axis=1)
        values = np.asarray(np.maximum(columns - terms.knots, 0.0))
        for metric in self.of:
            interacts = [factor == TIMES + metric for factor in terms.factors]
            values[:, interacts] *= np.maximum(1.0 - features[metric][chunk], 0.0)[:, None]
        if self.near:
            share = _smooth_step(1.0 - features[self.near][chunk])[:, None]
            close = np.array([factor.startswith(NEAR) for factor in terms.factors])
            values *= np.where(close, share, 1.0 - share)
        return values

    def contributions(self, pair: Pair) -> tuple[Contribution, ...]:
        """Return what each feature adds to the score of a pair before it is limited to 0..1.

        The largest effect comes first. The score is `limit_sums` of 1 plus the sum of the effects.
        """
        return self._contributions(self.extractor.features([pair]), 1)[0]

    def _contributions(
        self, features: Mapping[str, Floats], count: int
    ) -> list[tuple[Contribution, ...]]:
        terms = self._terms
        names = tuple(dict.fromkeys(terms.features))
        effects = np.zeros((count, len(names)))
        for at in range(0, count, CHUNK):
            chunk = slice(at, at + CHUNK)
            term_effects = -self._values(features, chunk) * terms.weights
            for k, name in enumerate(terms.features):
                effects[chunk, names.index(name)] += term_effects[:, k]
        return [
            tuple(
                sorted(
                    (
                        Contribution(name, float(features[name][p]), effect)
                        for name, effect in zip(names, row, strict=True)
                    ),
                    key=lambda c: (-abs(c.effect), c.feature),
                )
            )
            for p, row in enumerate(effects.tolist())
        ]

    def view(self, pair: Pair) -> Pair:
        """Return the pair whose nodes the links refer to."""
        name = self._aligned_by
        return pair if name is None else self.of[name].view(pair)

    def explain(self, pair: Pair) -> Explanation:
        """Return the contributions of the features, and the alignment of one of the metrics."""
        return self.explanations([pair])[0]

    def explanations(self, pairs: Sequence[Pair]) -> list[Explanation]:
        """Return the explanation of each pair, the same as `explain` returns."""
        features = self.extractor.features(pairs)
        scores = self._limited_sums(features, pairs).tolist()
        contributions = self._contributions(features, len(pairs))
        name = self._aligned_by
        links = [()] * len(pairs) if name is None else self.of[name].links(pairs)
        return [
            Explanation(score, alignment, contributions=effects, pair=view)
            for score, alignment, effects, view in zip(
                scores, links, contributions, self.views(pairs), strict=True
            )
        ]

    @cached_property
    def _aligned_by(self) -> str | None:
        """The name of the metric whose alignment is shown; None if none has alignments."""
        node = Graph(("n",), ("node",), (), (), "n")
        for name in self.of:
            try:
                self.of[name].links([Pair(node, node)])
            except NoAlignmentError:
                continue
            return name
        return None


class Terms(NamedTuple):
    """The terms of a blend: weight times max(0, feature - knot) times a factor.

    Attributes:
        features: the feature of each term.
        knots: float64.
        factors: ``*metric``, ``~metric``, or "" for none.
        weights: float64.
    """

    features: tuple[str, ...]
    knots: Floats
    factors: tuple[str, ...]
    weights: Floats


@dataclass(frozen=True, eq=False)
class BlendedPairs(LinearPairs):
    """Pairs with their features."""

    metric: Blend

    @property
    def offset(self) -> float:
        """1, the score of identical graphs."""
        return 1.0

    @cached_property
    def features(self) -> Mapping[str, Floats]:
        """The features of the pairs."""
        return self.metric.extractor.features(self.pairs)

    @cached_property
    def _matrix(self) -> Floats:
        return -self.metric._values(self.features)

    @cached_property
    def _one_is_empty(self) -> Bools:
        return _find_half_empty(self.pairs)

    def terms(self) -> Floats:
        """Return what each weight is multiplied with, pairs x weights."""
        return self._matrix

    def score(self, values: Floats, indices: Ints | None = None) -> Floats:
        """Return the scores of the pairs at `indices` (None: all) for the weights `values`."""
        pairs = np.arange(len(self)) if indices is None else np.asarray(indices, np.int64)
        unlimited = self.offset + (self._matrix[pairs] * np.asarray(values)).sum(axis=1)
        return np.where(self._one_is_empty[pairs], 0.0, limit_sums(unlimited))

    def usage(self, indices: Ints | None = None) -> Floats:
        """Return for how many of the pairs at `indices` each term is not 0."""
        terms = self._matrix if indices is None else self._matrix[indices]
        return np.asarray((terms != 0).sum(axis=0), np.float64)


def limit_sums(sums: Floats) -> Floats:
    """Return scores in 0..1 that grow strictly with the sums, up to 1.

    From `LOW` to 1, the score is the sum. Below `LOW`, a hyperbola with the same value and slope at
    `LOW` approaches 0, so that different sums have different scores. It needs no exponential
    function, whose last digits depend on the machine.

    >>> limit_sums(np.array([-0.4, 0.0, 0.05, 0.7, 1.2])).round(6).tolist()
    [0.005, 0.025, 0.05, 0.7, 1.0]
    """
    low = LOW * LOW / (2 * LOW - np.minimum(sums, LOW))
    return np.where(sums < LOW, low, np.minimum(sums, 1.0))


def _find_half_empty(pairs: Sequence[Pair]) -> Bools:
    if isinstance(pairs, Pairs):  # without creating the graphs
        src, tgt = pairs.src.sizes[pairs.src_index] > 0, pairs.tgt.sizes[pairs.tgt_index] > 0
        return np.asarray(src != tgt)
    differ = [bool(pair.src.variables) != bool(pair.tgt.variables) for pair in pairs]
    return np.array(differ, np.bool_)


def _smooth_step(score: Floats) -> Floats:
    """Return a number that grows smoothly from 0 for distant graphs to 1 for close ones."""
    # 3 x^2 - 2 x^3 has the slope 0 at both ends, 0 and 1.
    x = np.clip((score - DISTANT) / (CLOSE - DISTANT), 0.0, 1.0)
    return np.asarray(x * x * (3 - 2 * x))


def _split_name(name: str) -> tuple[str, str, str]:
    """Return the feature, the sign and the knot or metric in the name of a weight.

    >>> _split_name("smatch.precision>0.25"), _split_name("smatch*wlk")
    (('smatch.precision', '>', '0.25'), ('smatch', '*', 'wlk'))
    """
    match = re.fullmatch(r"(.*)([>*~])(.*)", name)
    return (match[1], match[2], match[3]) if match else (name, "", "")


def _is_knot(text: str) -> bool:
    try:
        return 0 <= float(text) < np.inf
    except ValueError:
        return False
