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
    """Pairs whose scores depend on nothing but the weights of roles; not for several threads.

    Attributes:
        messages, grams: of the graphs, and of the pairs.
        scratch, buffers: memory.
        bases, last: where the search for the optimal flow starts.
        node_values: memory for values of the nodes of a pair.
        node_start, src, tgt: see `amr_metrics.transport.encoding.EncodedPairs`.
        base: the weight of each role.
        roles, parameters: for parameters with the values v, role ``roles[k]`` has the weight
            ``v[parameters[k]]`` instead.
        role_count, shared: the sizes of `base` and of `roles`.
        depth: K, the number of WL iterations.
        work: the most steps of a pair's transport.
        weights, distances: memory for the weights of roles, and for those of a pair.
    """

    messages: MessageTable
    grams: Grams
    scratch: Scratch
    buffers: Buffers
    bases: Bases
    last: LastTrees
    node_values: NodeValues
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


score_pairs = declare_kernel("score_pairs")
