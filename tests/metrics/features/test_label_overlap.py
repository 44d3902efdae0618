from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from amr_metrics import Pair, parse_graph
from amr_metrics.features.label_overlap import LabelOverlap, WeightedFacts, match_facts
from amr_metrics.vectors import sif
from tests.reference_graphs import labelled
from tests.strategies import graphs

RANDOM = settings(derandomize=True)
A = parse_graph(
    '(s / see-01 :polarity - :ARG0 (p / person :name (n / name :op1 "Ann" :op2 "Lee"))'
    " :ARG1 (d / dog :quant 2))"
)
B = parse_graph(
    '(s / see-02 :ARG0 (p / person :name (n / name :op1 "Ann"))'
    " :ARG2 (d / dog :quant 3 :mod (b / black)))"
)


def test_by_hand(tmp_path, monkeypatch):
    table = tmp_path / "table.tsv"
    table.write_text("graphs\t99\nsee :arg1 dog\t9\nsee :arg0 person\t50\n", "utf-8")
    monkeypatch.setattr(sif, "RELATIONS", table)
    scores = LabelOverlap().evaluate([Pair(A, B)])
    values_by_column = {name: values[0] for name, values in scores.details.items()}
    assert values_by_column == pytest.approx(
        {
            "senses": 2 * 4 / (8 + 7),  # person, name, dog, ann
            "concepts": 2 * 5 / (8 + 7),  # and see
            "predicates": 0.0,
            "others": 2 * 3 / (3 + 4),
            "relations": 2 * 3 / (7 + 6),  # :ARG0, :name, :op1 "Ann"
            "edges": 2 * 4 / (7 + 6),  # and see to dog
            "sources": 2 * 4 / (7 + 6),  # see :ARG0, person :name, name :op1, dog :quant
            "targets": 2 * 3 / (7 + 6),
            "roles": 2 * 4 / (7 + 6),
            "core_roles": 2 * 1 / (2 + 2),
            "negations": 0.0,
            "negations_unmatched": 1.0,
            "negations_difference": 1.0,
            "numbers": 0.0,
            "numbers_unmatched": 2.0,
            "names": 2 * 1 / (2 + 1),
            "names_unmatched": 1.0,
            # see :arg1 dog has 1 - log(10) / log(100); see :polarity -, name :op2 lee and
            # dog :quant 2 are not in the table.
            "information_unmatched": 0.5 + 3,
            "nodes_ratio": 7 / 8,
            "relations_ratio": 6 / 7,
        }
    )
    assert scores.values[0] == pytest.approx(2 * (5 + 3) / (15 + 13))


def test_what_neither_graph_has_is_equal():
    pair = Pair(parse_graph("(c / cat)"), parse_graph("(d / dog)"))
    details = LabelOverlap().evaluate([pair]).details
    assert [details[name][0] for name in ("names", "negations", "relations", "roles")] == [1] * 4
    assert details["concepts"][0] == 0


@RANDOM
@given(a=graphs(), b=graphs())
def test_concepts_and_relations_are_multisets(a, b):
    counts = []
    for graph in (a, b):
        form = labelled(graph)
        names = [label.removesuffix("-01").removesuffix("-02") for label in form.labels]
        facts = Counter(names)
        facts.update((names[s], role, names[t]) for s, t, role in form.edges)
        counts.append(facts)
    shared = (counts[0] & counts[1]).total()
    expected = 2 * shared / (counts[0].total() + counts[1].total())
    assert LabelOverlap().score([Pair(a, b)]) == pytest.approx([expected])


@RANDOM
@given(graph=graphs())
def test_identical_graphs_have_no_differences(graph):
    details = LabelOverlap().evaluate([Pair(graph, graph)]).details
    for name, values in details.items():
        unequal = name.endswith(("_unmatched", "_difference"))
        assert values.tolist() == [0.0 if unequal else 1.0]


def test_each_fact_matches_one_equal_fact():
    # Keys of two graphs: of the three facts 7 of the first, two match in the second.
    keys, start = np.array([7, 5, 7, 7, 7, 9, 7]), np.array([0, 4, 7])
    weights = np.array([1.5, 4.0, 1.5, 1.5, 1.5, 2.0, 1.5])
    facts = WeightedFacts(keys, start, weights)
    totals = match_facts(facts, np.array([0, 1, 1]), np.array([1, 0, 1]))
    assert totals.T.tolist() == [[3.0, 8.5, 5.0], [3.0, 5.0, 8.5], [5.0, 5.0, 5.0]]
