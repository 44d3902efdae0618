"""Metrics with other options keep their promises on random graphs."""

import numpy as np
import pytest

from amr_metrics import Pair, parse_graph
from amr_metrics.conformance import (
    check_explanations,
    check_links,
    check_small_graphs,
    check_symmetry,
    ready,
)
from tests.conformance.forms import FORMS, promises, scores_itself
from tests.strategies import random_graph, rough_graph

# They align nodes that the graphs do not have: those of compressed or reified graphs.
OTHER_NODES = ("smatchpp compression", "smatchpp compression root=none", "smatchpp amr-reify")


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(0)
    sizes = [int(size) for size in rng.integers(1, 9, 4)]
    found = [
        Pair(draw(rng, n), draw(rng, n)) for n in sizes for draw in (random_graph, rough_graph)
    ]
    one, two = "(a / and :op1 (c / cat))", "(a / and :op1 (c / cat) :op1 (d / cat))"
    return [*found, Pair(parse_graph(one), parse_graph(two))]  # the published SEMA is asymmetric


@pytest.mark.parametrize("name", FORMS)
def test_promises(name, pairs):
    metric = ready(FORMS[name], pairs)
    checks = [*promises(metric), check_symmetry, check_links]
    if name not in OTHER_NODES:
        checks.append(check_explanations)
    if scores_itself(metric):
        checks.append(check_small_graphs)
    for check in checks:
        check(metric, pairs)
