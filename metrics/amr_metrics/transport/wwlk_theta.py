"""WWLK-theta (Opitz, Daza and Frank 2021): WWLK with learned edge weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from amr_metrics import limits
from amr_metrics.base import Pair, written_as
from amr_metrics.errors import OptionError
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.graphs.rows import list_groups
from amr_metrics.kernels.library import PackedStruct, pack_struct
from amr_metrics.options import convert_named_floats
from amr_metrics.parameters import Parameters, PreparedPairs, WithWeights
from amr_metrics.transport.edge_weights import WeightedPairs, score_pairs
from amr_metrics.transport.embedding import (
    add_distances,
    check_limits,
    level0,
)
from amr_metrics.transport.encoding import EncodedPairs
from amr_metrics.transport.flow import (
    Bases,
    CostBatch,
    best_bases,
)
from amr_metrics.transport.last_trees import LastTrees, NodeValues
from amr_metrics.transport.propagation import Grams
from amr_metrics.transport.weights import drawn_weights
from amr_metrics.transport.wwlk import Wasserstein
from amr_metrics.types import Floats, Ints

UNKNOWN = "unknown"  # the name of all roles without a weight; not a valid role


@dataclass(frozen=True, kw_only=True)
class WWLKTheta(Wasserstein, WithWeights):
    """WWLK with one given weight per role.

    Roles without a weight share one that is drawn from the seed, as are the vectors of labels
    without a word vector.

    Attributes:
        weights: from role to weight, roles as the graphs have them (``:arg0`` in variant 2023,
            ``:ARG0`` in the others; the reverse direction in two_way ``:arg0-of``). Without
            weights, the metric has to be `initialised` before scoring.

    Raises:
        OptionError: if a weight is not finite, a role has no colon, or it has capital letters in
            variant 2023.

    >>> from amr_metrics import Pair, parse_graph
    >>> from amr_metrics.vectors.sources import WordVectors
    >>> vectors = WordVectors.of({"cat": [1, 0], "sleep": [0, 1]})
    >>> theta = WWLKTheta(weights={":arg0": 0.3}, vectors=vectors)
    >>> theta.parameters.names, theta.with_parameters([0.5]).weights
    ((':arg0',), {':arg0': 0.5})
    """

    reference: ClassVar[str] = (
        "Opitz, Daza and Frank (2021), Weisfeiler-Leman in the BAMBOO: novel AMR graph metrics and "
        "a benchmark for AMR graph similarity, section 4.3, https://doi.org/10.1162/tacl_a_00435"
        " (code: https://github.com/flipz357/weisfeiler-leman-amr-metrics)"
    )

    weights: Mapping[str, float] = field(
        default_factory=dict, metadata=written_as(convert_named_floats)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for role, weight in self.weights.items():
            if not role.startswith(":") or (self.variant == "2023" and role != role.lower()):
                raise OptionError(
                    f"weights: {role!r} is not a role of variant {self.variant}: "
                    "roles begin with a colon and, in variant 2023, have no capitals"
                )
            if not np.isfinite(weight):
                raise OptionError(f"weights: {role} has {weight}, not a number")

    @property
    def parameters(self) -> Parameters:
        """The weights, without bounds, ordered by role."""
        return Parameters.unbounded(dict(sorted(self.weights.items())))

    def initialised(self, pairs: Sequence[Pair]) -> Self:
        """Return the metric with a weight for each role of the pairs; missing weights are drawn."""
        roles = self.encode(self.views(pairs)).roles
        drawn = drawn_weights(roles, self.variant, "uniform", self.seed)[0].tolist()
        weights = dict(zip(roles, drawn, strict=True)) | dict(self.weights)
        return replace(self, weights=dict(sorted(weights.items())))

    def prepare(self, pairs: Sequence[Pair]) -> EmbeddedPairs:
        """Precompute the inner products of the pairs, which do not depend on the weights."""
        views = Pairs.of(self.views(pairs))
        encoded = self.encode(views)
        check_limits(encoded, self.K, 1)
        grams = level0(encoded, self.label_vectors(encoded, 1).draw(0))
        return EmbeddedPairs(self, views, encoded, grams)

    def weights_of(self, roles: Sequence[str]) -> Floats:
        """Return the weights, 1 x roles.

        Raises:
            OptionError: if the metric has no weights yet.
        """
        if not self.weights:
            raise OptionError(f"{type(self).__name__} has no weights: give weights, or train it")
        (unknown,) = drawn_weights([UNKNOWN], self.variant, "uniform", self.seed)[0]
        return np.array([[self.weights.get(role, unknown) for role in roles]])


@dataclass(frozen=True, eq=False)
class EmbeddedPairs(PreparedPairs):
    """Pairs with precomputed values that do not depend on the weights.

    Scoring with other weights requires only operations on small matrices and one transport.

    Attributes:
        encoded: the pairs as arrays.
        grams: the inner products of the label vectors.
    """

    metric: WWLKTheta
    encoded: EncodedPairs
    grams: Grams

    @cached_property
    def sizes(self) -> Ints:
        """int64 p x 2, numbers of nodes on both sides of each pair."""
        return self.encoded.sizes

    @cached_property
    def masses(self) -> Ints:
        """The masses of the nodes of each pair."""
        return self.metric.masses(self.encoded, self.metric.label_weights(self.encoded))

    @cached_property
    def bases(self) -> Bases:
        """Starting points for the optimal flow: the optimal trees for the metric's weights.

        Training changes the costs little at a time, and the optimal tree rarely. If several flows
        are optimal, the starting point decides which is found, and so the last bit of the score.
        """
        costs = np.zeros(len(self.grams.cross))
        add_distances(self.encoded, self.grams, self.base, self.metric.K, costs)
        return best_bases(CostBatch(self.sizes, costs, self.grams.cross_start), self.masses)

    @cached_property
    def weighted(self) -> WeightedPairs:
        """What the kernel needs to score the pairs for any weights; not for several threads."""
        encoded, (roles, parameters) = self.encoded, self.places
        most = int(self.sizes.max(initial=0))
        return WeightedPairs(
            *(encoded.messages, self.grams, encoded.scratch, encoded.buffers),
            *(self.bases, LastTrees.of(self.bases), NodeValues.allocate(most)),
            *(encoded.graphs.node_start, encoded.src, encoded.tgt),
            base=self.base,
            roles=roles,
            parameters=parameters,
            role_count=len(self.base),
            shared=len(roles),
            depth=self.metric.K,
            work=limits.TRANSPORT_WORK,
            weights=np.empty(len(self.base)),
            distances=np.empty(most * most),
        )

    @cached_property
    def packed(self) -> PackedStruct:
        """`weighted`, packed once for all steps of a training."""
        return pack_struct("WeightedPairs", self.weighted)

    @cached_property
    def base(self) -> Floats:
        """The weight of each role of the pairs, before parameters are set."""
        return np.asarray(self.metric.weights_of(self.encoded.roles)[0])

    @cached_property
    def places(self) -> tuple[Ints, Ints]:
        """The roles of the pairs that are parameters, and the indices of these parameters."""
        number = {role: k for k, role in enumerate(self.metric.parameters.names)}
        shared = [(k, number[r]) for k, r in enumerate(self.encoded.roles) if r in number]
        roles, parameters = np.array(shared, np.int64).reshape(-1, 2).T.copy()
        return roles, parameters

    @cached_property
    def counts(self) -> Floats:
        """How often each pair uses each parameter, pairs x parameters."""
        # A message along parallel edges uses the weights of all their roles: they are counted once
        # per graph, and a pair uses those of its two graphs.
        encoded, messages = self.encoded, self.encoded.messages
        roles, parameters = self.places
        parameter = np.full(len(encoded.roles), -1, np.int64)
        parameter[roles] = parameters
        used = parameter[messages.roles]
        graph = list_groups(messages.role_start[messages.message_start])
        counts = np.zeros((len(encoded.graphs.tops), len(self.metric.weights)))
        np.add.at(counts, (graph[used >= 0], used[used >= 0]), 1.0)
        return np.asarray(counts[encoded.src] + counts[encoded.tgt])

    def score(self, values: Floats, indices: Ints | None = None) -> Floats:
        """Return the scores of the pairs at `indices` (None: all) for the weights `values`."""
        pairs = np.arange(len(self))
        if indices is not None:
            pairs = pairs[np.asarray(indices, np.int64)]  # checks that there are such pairs
        values, scores = np.ascontiguousarray(values, np.float64), np.empty(len(pairs))
        score_pairs(len(self.metric.weights), len(pairs), self.packed, values, pairs, scores)
        if np.isinf(scores).any():
            pair = int(pairs[np.isinf(scores).argmax()])
            n, m = self.sizes[pair].tolist()
            raise limits.too_much_work(limits.TRANSPORT_WORK, (n, m), pair)
        return scores

    def usage(self, indices: Ints | None = None) -> Floats:
        """Return how often the pairs at `indices` pass a message along an edge of each role."""
        return np.asarray((self.counts if indices is None else self.counts[indices]).sum(axis=0))
