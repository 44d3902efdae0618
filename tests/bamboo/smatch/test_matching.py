"""`get_best_match` on triples of any kind."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics.errors import MetricError
from bamboo.smatch import get_best_match, print_alignment

LABELS = st.sampled_from(["x", "y", "X_"])


@st.composite
def triples(draw, prefix):
    """The triples of a graph of up to four nodes, some of them repeated."""
    nodes = [f"{prefix}{k}" for k in range(draw(st.integers(0, 4)))]
    if not nodes:
        return [], [], []
    node = st.sampled_from(nodes)
    instances = [("instance", name, draw(LABELS)) for name in nodes]
    attributes = draw(st.lists(st.tuples(LABELS, node, LABELS), max_size=4))
    return instances, attributes, draw(st.lists(st.tuples(LABELS, node, node), max_size=6))


def count_matches(mapping, first, second, kinds):
    """The number of matches under a mapping, counted one pair of triples after the other."""
    names = {f"a{k}": f"b{j}" for k, j in enumerate(mapping)}
    count = 0
    for kind, (ones, others) in enumerate(zip(first, second, strict=True)):
        for role, node, value in ones if kinds[kind] else ():
            target = names[value] if kind == 2 else value.lower().rstrip("_")
            for other_role, other_node, other_value in others:
                other_target = other_value if kind == 2 else other_value.lower().rstrip("_")
                count += (role.lower().rstrip("_"), names[node], target) == (
                    *(other_role.lower().rstrip("_"), other_node, other_target),
                )
    return count


@given(triples("a"), triples("b"), st.tuples(st.booleans(), st.booleans(), st.booleans()))
def test_best_of_all_mappings(first, second, kinds):
    mapping, count = get_best_match(*first, *second, "a", "b", *kinds)
    sizes = len(first[0]), len(second[0])
    targets = [*range(sizes[1]), *[-1] * sizes[0]]
    every = {*permutations(targets, sizes[0])}
    assert tuple(mapping) in every
    assert count_matches(mapping, first, second, kinds) == count
    assert count == max(count_matches(m, first, second, kinds) for m in every)


def test_a_node_with_several_labels():
    labels = [("instance", "a0", "x"), ("instance", "a0", "y")]
    other = [("instance", "b0", "z"), ("instance", "b1", "y")]
    assert get_best_match(labels, [], [], other, [], [], "a", "b") == ([1, -1], 1)


def test_empty_lists():
    dog = [("instance", "a0", "dog")]
    assert get_best_match([], [], [], [], [], [], "a", "b") == ([], 0)
    assert get_best_match([], [], [], dog, [], [], "b", "a") == ([], 0)
    assert get_best_match(dog, [], [], [], [], [], "a", "b") == ([-1], 0)
    assert print_alignment([], [], []) == ""


DOG = [("instance", "a0", "dog")]


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ((DOG, [("op1", "a1", "x")], []), r"'a1' in \('op1', 'a1', 'x'\) is not a node: .* 1 inst"),
        ((DOG, [], [("ARG0", "a0", "a7")]), "'a7' in .* is not a node"),
        ((DOG, [], [("ARG0", "a0", "b0")]), "'b0' in .* is not a node"),
        ((DOG, [("op1", "a-1", "x")], []), "'a-1' in .* is not a node"),
        (([("instance", "dog", "dog")], [], []), "'dog' in .* named a0, a1, .*rename_node"),
        (([], [("op1", "a0", "x")], []), "'a0' in .* 0 instance triples"),
        ((DOG, [("quant", "a0", 2)], []), r"\('quant', 'a0', 2\) is not a triple of texts"),
        ((DOG, [("quant", "a0")], []), r"\('quant', 'a0'\) is not a triple of texts"),
    ],
)
def test_triples_that_are_none(graph, message):
    cat = [("instance", "b0", "cat")], [], []
    with pytest.raises(MetricError, match=message):
        get_best_match(*graph, *cat, "a", "b")
    with pytest.raises(MetricError, match=message):
        get_best_match(*cat, *graph, "b", "a")


def test_an_alignment_of_another_graph():
    with pytest.raises(ValueError, match="argument 2 is longer"):
        print_alignment([0, 1], DOG, DOG)
