"""AnCast's alignment by hand: arguments, anchors and rounds."""

import numpy as np

from amr_metrics import parse_graph
from amr_metrics.documents.ancast_alignment import (
    AncastGraph,
    Name,
    _find_arguments,
    _find_new_anchors,
    align,
)


def read(text):
    return AncastGraph.of(parse_graph(text))


def with_roles(*roles):
    """Nodes of which only the roles count."""
    return AncastGraph([Name("a")] * len(roles), {}, [{}] * len(roles), [*map(set, roles)])


def anchors(combined, src_roles, tgt_roles):
    found = _find_new_anchors(np.array(combined), with_roles(*src_roles), with_roles(*tgt_roles))
    return [*map(tuple, np.argwhere(found).tolist())]


def test_arguments_are_one_or_two_edges_away():
    # a has b, b has a and c, c has itself and e.
    graph = read("(a / a :ARG0 (b / b :ARG1 a :ARG2 (c / c :ARG0 c :ARG1 (e / e))))")
    assert _find_arguments(graph).tolist() == [
        [0, 1, 1, 0],
        [1, 0, 1, 1],
        [0, 0, 0, 1],
        [0, 0, 0, 0],
    ]


def test_an_anchor_is_the_only_most_similar_node_on_both_sides():
    none = [[], []]
    assert anchors([[0.9, 0.1], [0.2, 0.8]], none, none) == [(0, 0), (1, 1)]
    # Both nodes of src are most similar to the first of tgt, which has a better one.
    assert anchors([[0.9, 0.1], [0.8, 0.2]], none, none) == [(0, 0)]
    assert anchors([[0.5, 0.5], [0.1, 0.2]], none, none) == []


def test_of_equally_similar_nodes_roles_decide_unless_for_the_first():
    similarity, tgt_roles = [[0.5, 0.5], [0.1, 0.2]], [["ARG0"], ["ARG1"]]
    assert anchors(similarity, [["ARG1"], []], tgt_roles) == [(0, 1)]
    assert anchors(similarity, [["ARG0"], []], tgt_roles) == []
    assert anchors(similarity, [["ARG0", "ARG1"], []], tgt_roles) == []


def test_similarity_spreads_again_from_new_anchors():
    """In the first round only a and ab are anchors, and c is similar to abc alone."""
    src = read("(x / c :ARG0 (y / c) :ARG1 (z / a))")
    tgt = read("(x / b :ARG1 (y / abc) :ARG0 (z / ab))")
    assert align(src, tgt)[0] == {0: 0, 1: 1, 2: 2}
