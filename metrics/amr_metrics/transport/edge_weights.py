"""The scores of pairs for several edge weights, which is what training WWLK-theta computes.

A step of training scores a few pairs twice, with weights that hardly differ, and later steps score
them again. So their transport starts from the trees of the last time (`last_trees`).
"""

from __future__ import annotations

from typing import NamedTuple

from amr_metrics.kernels.library import declare_kernel, declare_struct
from amr_metrics.transport.encoding import MessageTable, Scratch
from amr_metrics.transport.flow import Bases
from amr_metrics.transport.last_trees import LastTrees, NodeValues
from amr_metrics.transport.propagation import Buffers, Grams
from amr_metrics.types import Floats, Ints


class WeightedPairs(NamedTuple):
    """Pairs whose scores depend on nothing but the weights of roles.

    Attributes:
        node_start, src, tgt: see `amr_metrics.transport.encoding.EncodedPairs`.
        base: the weight of each role.
        roles, parameters: for parameters with the values v, role ``roles[k]`` has the weight
            ``v[parameters[k]]`` instead.
        role_count, shared: the sizes of `base` and of `roles`.
        depth: K, the number of WL iterations.
        work: the most steps of a pair's transport.
        weights, distances: memory for the weights of roles, and for those of a pair.
    """

    node_start: Ints
    src: Ints
    tgt: Ints
    base: Floats
    roles: Ints
    parameters: Ints
    role_count: int
    shared: int
    depth: int
    work: int
    weights: Floats
    distances: Floats


declare_struct(
    "WeightedPairs",
    """
    const int64_t *node_start, *src, *tgt;
    const double *base;
    const int64_t *roles, *parameters;
    int64_t role_count, shared, depth, work;
    double *weights, *distances;
    """,
)


class Context(NamedTuple):
    """What kernels need to score pairs for any weights; not for several threads."""

    messages: MessageTable
    grams: Grams
    scratch: Scratch
    buffers: Buffers
    pairs: WeightedPairs
    bases: Bases
    last: LastTrees
    node_values: NodeValues


score_rows = declare_kernel(
    """
    void score_rows(int64_t rows, int64_t parameters, int64_t count,
                    const MessageTable *messages, const Grams *grams, const Scratch *scratch,
                    const Buffers *buffers, const WeightedPairs *pairs, const Bases *bases,
                    const LastTrees *last, const NodeValues *node_values,
                    const double values[rows][parameters], const int64_t indices[count],
                    double scores[rows][count])
    """
)
