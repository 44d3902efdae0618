"""What every metric promises. Subclass, give the two fixtures, and inherit the tests:

class TestMine(MetricContract):
    @pytest.fixture
    def name(self):
        return "mine"

    @pytest.fixture
    def metric(self):
        return Mine()
"""

import dataclasses
import hashlib
import typing

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from strategies import graphs, renamed, shuffled

from metrics import Pair, parse_graph
from metrics.errors import MetricError, NoAlignmentError
from metrics.graph import Graph

CLOSE = 1e-9
RANDOM = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
CAT = parse_graph("(s / sleep-01 :ARG0 (c / cat :mod (b / black)) :polarity -)")
ONE = parse_graph("(c / cat)")
OTHER = parse_graph("(d / dog)")
EMPTY = Graph.empty()


def fingerprint(metric, pairs):
    """A hash of a metric's scores, to the last bit."""
    return hashlib.sha256(np.ascontiguousarray(metric.score(pairs)).tobytes()).hexdigest()


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
        low, high = metric.range
        (score,) = metric.score([Pair(a, b)])
        assert low - CLOSE <= score <= high + CLOSE

    @RANDOM
    @given(graph=graphs())
    def test_a_graph_is_most_similar_to_itself(self, metric, graph):
        assert metric.score([Pair(graph, graph)])[0] == pytest.approx(metric.range[1], abs=CLOSE)

    def test_symmetry_is_as_declared(self, metric, sample_pairs):
        if metric.symmetric:
            symmetric_on_random_graphs(metric)
        forth, back = (
            metric.score(sample_pairs),
            metric.score([Pair(b, a) for a, b in sample_pairs]),
        )
        assert (np.abs(forth - back) <= CLOSE).all() == metric.symmetric

    @RANDOM
    @given(a=graphs(), b=graphs())
    def test_names_and_order_do_not_matter(self, metric, a, b):
        plain, changed = metric.score([Pair(a, b), Pair(shuffled(renamed(a), 1), shuffled(b, 2))])
        assert plain == pytest.approx(changed, abs=CLOSE)

    def test_a_batch_equals_its_pairs_scored_separately(self, metric, sample_pairs):
        batch = metric.score(sample_pairs)
        assert batch.tolist() == [metric.score([pair])[0] for pair in sample_pairs]
        assert batch[::-1].tolist() == metric.score(sample_pairs[::-1]).tolist()

    def test_every_process_gives_the_same_bytes(self, metric, name, sample_pairs, elsewhere):
        here = fingerprint(metric, sample_pairs)
        assert [prints[name] for prints in elsewhere] == [here, here]

    def test_empty_and_one_node_graphs(self, metric):
        low, high = metric.range
        pairs = [Pair(EMPTY, EMPTY), Pair(EMPTY, CAT), Pair(CAT, EMPTY)]
        pairs += [Pair(ONE, ONE), Pair(ONE, OTHER), Pair(ONE, CAT)]
        scores = metric.score(pairs)
        assert scores[[0, 3]].tolist() == pytest.approx([high, high])
        assert scores[[1, 2]].tolist() == pytest.approx([0, 0])
        assert ((scores >= low) & (scores <= high)).all()
        assert metric.score([]).shape == (0,)

    def test_metrics_with_vectors_report_coverage(self, metric, sample_pairs):
        details = metric.evaluate(sample_pairs).details
        if metric.vector_file is None:
            assert "nodes" not in details
        else:
            assert (details["nodes_with_vector"] <= details["nodes"]).all()
            assert (details["nodes_with_vector"] > 0).any()

    def test_explanations_contain_the_score(self, metric, sample_pairs):
        assert len(sample_pairs) >= 12
        if not aligns(metric, sample_pairs[0]):
            with pytest.raises(NoAlignmentError, match=type(metric).__name__):
                metric.explain(sample_pairs[1])
            return
        for pair in sample_pairs[:12]:
            found = metric.explain(pair)
            (score,) = metric.score([pair])
            assert found.score == pytest.approx(score, abs=CLOSE)
            assert found.upper_bound is None or found.upper_bound >= found.score - CLOSE
            nodes = [{*graph.variables, *(a.constant for a in graph.attributes)} for graph in pair]
            if found.matched:  # one to one, so what matches is what counts
                assert len({link.src for link in found.links}) == len(found.links)
                assert len({link.tgt for link in found.links}) == len(found.links)
                assert {link.src for link in found.links} <= nodes[0]
                assert {link.tgt for link in found.links} <= nodes[1]
                matches = metric.evaluate([pair]).details["matches"][0]
                assert sum(weight for *_, weight in found.matched) == pytest.approx(matches)

    def test_links_of_many_pairs_are_those_of_each(self, metric, sample_pairs):
        pairs = sample_pairs[:12]
        if not aligns(metric, pairs[0]):
            with pytest.raises(NoAlignmentError, match=type(metric).__name__):
                metric.links(pairs)
            return
        for pair, links in zip(pairs, metric.links(pairs), strict=True):
            alone = metric.explain(pair).links
            assert [link[:2] for link in links] == [link[:2] for link in alone]
            assert np.array([link[2:] for link in links]) == pytest.approx(
                np.array([link[2:] for link in alone]), abs=CLOSE
            )

    def test_every_option_is_in_the_signature(self, metric):
        seen = {metric.signature}
        for changed in variants(metric):
            assert changed.signature not in seen, changed
            seen.add(changed.signature)
        values = [getattr(metric, field.name) for field in dataclasses.fields(metric)]
        plain = any(isinstance(value, bool | int | float) for value in values)
        assert len(seen) > 1 or not plain


def aligns(metric, pair):
    """Whether a metric has alignments."""
    try:
        metric.explain(pair)
    except NoAlignmentError:
        return False
    return True


def variants(value):
    """The metric with one option changed at a time, options of its parts included."""
    hints = typing.get_type_hints(type(value))
    for field in dataclasses.fields(value):
        now = getattr(value, field.name)
        for other in _others(now, hints[field.name]):
            try:
                yield dataclasses.replace(value, **{field.name: other})
            except MetricError:
                continue
            if not dataclasses.is_dataclass(now):
                break


def _others(now, hint):
    if dataclasses.is_dataclass(now):
        yield from variants(now)
    elif choices := [c for part in (hint, *typing.get_args(hint)) for c in typing.get_args(part)]:
        yield from (c for c in choices if isinstance(c, str) and c != now)
    if isinstance(now, bool):
        yield not now
    elif isinstance(now, int):
        yield from (now + 1, now - 1)
    elif isinstance(now, float):
        yield from (now / 2 if now else 0.5, now + 0.25)
