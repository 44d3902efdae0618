"""Random graphs have the size that is asked for, and are connected."""

import numpy as np

from amr_metrics.graphs.random_graphs import random_graph


def test_sizes_and_components():
    rng = np.random.default_rng(0)
    graphs = [random_graph(rng, max_nodes=4) for _ in range(50)]
    assert {len(graph.variables) for graph in graphs} == {1, 2, 3, 4}
    assert {len(graph.components()) for graph in graphs} == {1}
