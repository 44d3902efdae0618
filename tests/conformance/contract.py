"""What every metric promises, as tests: the checks of `metrics.conformance` on many pairs.

Subclass, give the two fixtures, and inherit the tests:

class TestMine(MetricContract):
    @pytest.fixture
    def name(self):
        return "mine"

    @pytest.fixture
    def metric(self):
        return Mine()
"""

import dataclasses

import pytest
from hypothesis import HealthCheck, given, settings

from bamboo.config.groups import group_names
from bamboo.config.jobs import compose_metrics
from metrics import Corpus, Pair, Pairs, parse_graph
from metrics.conformance import (
    CLOSE,
    aligns,
    check_batches,
    check_coverage,
    check_explanations,
    check_links,
    check_range,
    check_renaming,
    check_repetition,
    check_self_scores,
    check_signature,
    check_small_graphs,
    check_symmetry,
    fingerprint,
    variants,
)
from metrics.errors import NoAlignmentError
from tests.strategies import graphs

# The variants of metrics whose default reproduces a published tool with its defects.
CORRECTED = {
    "sema": {"variant": "corrected"},
    "sembleu": {"variant": "corrected"},
    "wlk": {"variant": "definition"},
}


def contract_jobs():
    """Every metric in `conf/metric`, corrected where its default is not."""
    names = group_names("metric")
    return compose_metrics([(name, name, CORRECTED.get(name, {})) for name in names])


CAT = parse_graph("(s / sleep-01 :ARG0 (c / cat :mod (b / black)) :polarity -)")
RANDOM = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@RANDOM
@given(a=graphs(), b=graphs())
def symmetric_on_random_graphs(metric, a, b):
    forth, back = metric.score([Pair(a, b), Pair(b, a)])
    assert forth == pytest.approx(back, abs=CLOSE)


class MetricContract:
    """The promises of `metrics.base.Metric`."""

    @pytest.fixture
    def metric(self):
        raise NotImplementedError("a subclass says which metric")

    @RANDOM
    @given(a=graphs(), b=graphs())
    def test_scores_lie_in_the_declared_range(self, metric, a, b):
        check_range(metric, [Pair(a, b)])

    @RANDOM
    @given(graph=graphs())
    def test_a_graph_is_most_similar_to_itself(self, metric, graph):
        check_self_scores(metric, [Pair(graph, graph)])

    def test_symmetry_is_as_declared(self, metric, sample_pairs):
        if metric.symmetric:
            symmetric_on_random_graphs(metric)
        check_symmetry(metric, sample_pairs)

    @RANDOM
    @given(a=graphs(), b=graphs())
    def test_names_and_order_do_not_matter(self, metric, a, b):
        check_renaming(metric, [Pair(a, b)])

    def test_a_batch_equals_its_pairs_scored_separately(self, metric, sample_pairs):
        check_batches(metric, sample_pairs)

    def test_arrays_of_pairs_are_scored_as_a_list_of_pairs(self, metric, sample_pairs):
        pairs = [*sample_pairs]
        arrays = Pairs.of([Pair(CAT, CAT), *pairs, *pairs])[1 : len(pairs) + 1]
        expected, scores = metric.evaluate(pairs), metric.evaluate(arrays)
        assert scores.values.tolist() == expected.values.tolist()
        assert [*scores.details] == [*expected.details]
        for name, column in expected.details.items():
            assert scores.details[name].tolist() == column.tolist()
        assert metric.evaluate(arrays[:0]).values.tolist() == []

    def test_a_matrix_has_the_score_of_every_pair(self, metric, sample_pairs, monkeypatch):
        src, tgt = [pair.src for pair in sample_pairs[:4]], [pair.tgt for pair in sample_pairs[:3]]
        scores = metric.score([Pair(a, b) for a in src for b in tgt]).reshape(4, 3).tolist()
        assert metric.matrix(src, tgt).tolist() == scores
        assert metric.matrix([], tgt).shape == (0, 3)
        assert metric.matrix(src, []).shape == (4, 0)
        monkeypatch.setattr("metrics.base.MATRIX_CHUNK", 5)
        assert metric.matrix(Corpus.of(src), tgt).tolist() == scores

    def test_every_process_gives_the_same_bytes(self, metric, name, sample_pairs, elsewhere):
        check_repetition(metric, sample_pairs)
        here = fingerprint(metric, sample_pairs)
        assert [prints[name] for prints in elsewhere] == [here, here]

    def test_empty_and_one_node_graphs(self, metric):
        check_small_graphs(metric)

    def test_metrics_with_vectors_report_coverage(self, metric, sample_pairs):
        check_coverage(metric, sample_pairs)

    def test_explanations_contain_the_score(self, metric, sample_pairs):
        assert len(sample_pairs) >= 12
        if not aligns(metric, sample_pairs[0]):
            with pytest.raises(NoAlignmentError, match=type(metric).__name__):
                metric.explain(sample_pairs[1])
        check_explanations(metric, sample_pairs)

    def test_links_of_many_pairs_are_those_of_each(self, metric, sample_pairs):
        if not aligns(metric, sample_pairs[0]):
            with pytest.raises(NoAlignmentError, match=type(metric).__name__):
                metric.links(sample_pairs[:12])
        check_links(metric, sample_pairs)

    def test_every_option_is_in_the_signature(self, metric):
        check_signature(metric)
        values = [getattr(metric, field.name) for field in dataclasses.fields(metric)]
        plain = any(isinstance(value, bool | int | float) for value in values)
        assert list(variants(metric)) or not plain
