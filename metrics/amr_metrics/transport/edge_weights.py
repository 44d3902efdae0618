"""The scores of pairs for several edge weights, which is what training WWLK-theta computes.

A step of training scores a few pairs twice, with weights that hardly differ, and later steps score
them again. So their transport starts from the trees of the last time (`last_trees`).
"""

from __future__ import annotations

from typing import NamedTuple

from amr_metrics.kernels.library import declare_kernel
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


score_rows = declare_kernel("score_rows")
