"""What holds for every bag-of-features metric."""

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import graphs, pairs, renamed, reordered

from metrics import Graph, Pair
from metrics.errors import NoAlignmentError
from metrics.features import bag_metric
from metrics.features.rematch import Rematch
from metrics.features.sema import Sema
from metrics.features.sembleu import SemBleu
from metrics.features.wlk import Wlk

CORRECTED = (Sema(variant="corrected"), SemBleu(variant="corrected"), Wlk(variant="definition"))
DEFAULTS = (*CORRECTED, Rematch())
OTHERS = (
    Sema(variant="corrected", hypothesis="tgt"),
    Sema(variant="published"),
    SemBleu(k=1),
    SemBleu(k=4, smoothing="none", weights=(4, 3, 2, 1)),
    SemBleu(k=2, symmetric=True),
    SemBleu(variant="published", hypothesis="tgt"),
    Wlk(K=0),
    Wlk(K=3, direction="two_way", level_weights=(1, 0, 2, 0.5)),
    Wlk(direction="top_down", level_weights="harmonic"),
    Wlk(variant="2021"),
    Wlk(variant="2023", direction="bottom_up"),
)
EVERY = DEFAULTS + OTHERS
# A score of these may depend on the order in which a graph lists its nodes and triples.
ORDERED = ("published", "2021", "2023")

some = settings(max_examples=40, deadline=None)


def named(chosen):
    return pytest.mark.parametrize("metric", chosen, ids=lambda metric: metric.signature)


metrics = named(EVERY)


def misses_relations(metric):
    """The published SEMA misses parallel relations."""
    return isinstance(metric, Sema) and metric.variant == "published"


# Graphs are drawn for all metrics together: drawing them takes longer than scoring them.
@some
@given(graph=graphs())
def test_a_graph_scores_1_with_itself(graph):
    for metric in EVERY:
        if not misses_relations(metric):
            assert metric.score([Pair(graph, graph)]).tolist() == [1.0]


@named(filter(misses_relations, EVERY))
def test_a_graph_may_score_less_than_1_with_itself(metric, pair_of):
    twice = "(c / clean-01 :ARG0 (k / cat) :ARG1 k)"
    assert metric.score([pair_of(twice, twice)])[0] < 1


@some
@given(pair=pairs)
def test_scores_stay_in_their_range(pair):
    for metric in EVERY:
        low, high = metric.range
        assert low <= metric.score([pair])[0] <= high


@some
@given(pair=pairs)
def test_swapping_the_graphs_of_a_symmetric_metric(pair):
    for metric in EVERY:
        if metric.symmetric:
            there, back = metric.score([pair, Pair(pair.tgt, pair.src)])
            assert there == back


@named([metric for metric in EVERY if not metric.symmetric])
def test_swapping_the_graphs_of_other_metrics(metric, pair_of):
    pair = pair_of(
        "(a / and :op1 (c / cat :mod (b / black :degree (v / very :mod (s / so)))))",
        "(a / and :op1 (c / cat :mod (b / black :degree (v / very :mod (s / so)))) :op1 (d / cat))",
    )
    there, back = metric.score([pair, Pair(pair.tgt, pair.src)])
    assert there != back


@some
@given(data=st.data())
def test_names_and_order_do_not_matter(data):
    pair = data.draw(pairs)
    other_names = Pair(*(renamed(graph) for graph in pair))
    other_order = Pair(*(renamed(data.draw(reordered(graph))) for graph in pair))
    for metric in EVERY:
        ordered = getattr(metric, "variant", None) in ORDERED
        other = other_names if ordered else other_order
        assert metric.score([other])[0] == pytest.approx(metric.score([pair])[0], abs=1e-12)


@some
@given(st.lists(pairs, max_size=5))
def test_a_batch_scores_as_its_pairs_one_by_one(many):
    again = [*many, *many[:2]]
    for metric in EVERY:
        one_by_one = [metric.score([pair])[0] for pair in again]
        assert metric.score(again).tolist() == one_by_one


@metrics
def test_empty_graphs(metric, pair_of):
    cat, empty = pair_of("(c / cat)", "(c / cat)").src, Graph.empty()
    pairs = [Pair(empty, empty), Pair(cat, empty), Pair(empty, cat), Pair(cat, cat)]
    assert metric.score(pairs).tolist() == [1.0, 0.0, 0.0, 1.0]
    assert metric.score([]).tolist() == []


@metrics
def test_long_lists_are_cut_into_chunks(metric, pair_of, monkeypatch):
    pairs = [
        pair_of("(b / bark-01 :ARG0 (d / dog))", "(b / bark-01 :ARG0 (c / cat))"),
        pair_of("(d / dog)", "(d / dog :polarity -)"),
        pair_of("(a / and :op1 (d / dog) :op2 (c / cat))", "(a / and :op1 (c / cat))"),
    ]
    whole = metric.evaluate(pairs)
    monkeypatch.setattr(bag_metric, "CHUNK", 2)
    cut = metric.evaluate(pairs)
    assert cut.values.tolist() == whole.values.tolist()
    assert {name: column.tolist() for name, column in cut.details.items()} == {
        name: column.tolist() for name, column in whole.details.items()
    }


@pytest.mark.parametrize("metric", DEFAULTS, ids=lambda metric: metric.signature)
def test_there_is_no_alignment_to_explain(metric, pair_of):
    with pytest.raises(NoAlignmentError, match=type(metric).__name__):
        metric.explain(pair_of("(c / cat)", "(c / cat)"))


def test_every_option_is_part_of_the_signature():
    assert len({metric.signature for metric in EVERY}) == len(EVERY)


def test_scores_are_the_same_in_every_process(pair_of):
    program = (
        "from metrics import Pair, parse_graph\n"
        "from metrics.features.rematch import Rematch\n"
        "from metrics.features.sema import Sema\n"
        "from metrics.features.sembleu import SemBleu\n"
        "from metrics.features.wlk import Wlk\n"
        "text = '(a / and :op1 (d / dog :mod (b / big) :polarity -) :op2 (e / dog :mod b))'\n"
        "pair = Pair(parse_graph(text), parse_graph(text.replace('op2', 'op1')))\n"
        "every = Sema(variant='corrected'), SemBleu(), Wlk(), Wlk(variant='2023'), Rematch()\n"
        "print(*[metric.score([pair])[0].hex() for metric in every])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1
    scores = [float.fromhex(score) for score in outputs.pop().split()]
    assert len(scores) == 5
    assert all(0 < score < 1 for score in scores)
