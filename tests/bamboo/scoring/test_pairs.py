"""Two files as pairs, pairs as scores, and what happens to those that fail."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from harness import amr, score_pairs

from amr_metrics.base import Metric, Pair, Scores
from amr_metrics.errors import GraphError, MetricError, PairError
from amr_metrics.reading import parse_graph
from bamboo.benchmark.pair_tables import read_pairs
from bamboo.errors import DataError
from bamboo.scoring.problems import Problem

GOOD = "(a / b)\n"
BROKEN = "(a / b :ARG0 (c / d)\n"


def written(folder, name, text):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def both(folder, src, tgt):
    return written(folder, "src.amr", src), written(folder, "tgt.amr", tgt)


def test_pair_k_is_graph_k_of_both(tmp_path):
    src, tgt = both(tmp_path, f"{amr(1)}\n{amr(2)}", f"{amr(3)}\n{amr(4)}")
    pairs, problems = read_pairs(src, tgt)
    sizes = [(len(p.src.variables), len(p.tgt.variables)) for p in pairs if p is not None]
    assert sizes == [(1, 3), (2, 4)]
    assert problems == {}


@pytest.mark.parametrize("on_error", ["stop", "nan", "zero"])
def test_different_numbers_of_graphs(tmp_path, on_error):
    src, tgt = both(tmp_path, f"{GOOD}\n{GOOD}\n{GOOD}", f"{GOOD}\n{GOOD}")
    with pytest.raises(DataError) as caught:
        read_pairs(src, tgt, on_error=on_error)
    assert f"{src} has 3 graphs but {tgt} has 2: pair 2 has only one side" in str(caught.value)


def test_a_malformed_graph_does_not_change_the_numbers_of_others(tmp_path):
    src, tgt = both(
        tmp_path,
        f"{amr(1)}\n{BROKEN}\n# ::id 2\n{amr(3)}\n(x\n\n{amr(5)}",
        f"{amr(1)}\n{GOOD}\n{BROKEN}\n{BROKEN}\n{amr(5)}",
    )
    pairs, problems = read_pairs(src, tgt, on_error="nan")
    assert [None if p is None else len(p.tgt.variables) for p in pairs] == [1, None, None, None, 5]
    assert sorted(problems) == [1, 2, 3]
    assert str(problems[1]).startswith(f"{src}, graph 1, line 3: ")
    assert str(problems[2]).startswith(f"{tgt}, graph 2, line 5: ")
    assert str(problems[3]).startswith(f"{src}, graph 3, line 8: ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "contains no graph"),
        (b"\n \n# a comment\n", "contains no graph"),
        (b"\xff\xfe(\0a\0 \0/\0 \0b\0)\0", "line 1: is UTF-16, not UTF-8"),
        (b"(a / b)\n\n(a / caf\xe9)\n", "line 3: byte 0xe9 is not UTF-8"),
    ],
)
@pytest.mark.parametrize("on_error", ["stop", "nan", "zero"])
def test_errors_of_a_complete_file_always_stop(tmp_path, content, message, on_error):
    src, tgt = tmp_path / "src.amr", written(tmp_path, "tgt.amr", GOOD)
    src.write_bytes(content)
    with pytest.raises(GraphError) as caught:
        read_pairs(src, tgt, on_error=on_error)
    assert str(caught.value).startswith(str(src))
    assert message in str(caught.value)


@dataclass(frozen=True, kw_only=True)
class Sizes(Metric):
    """Number of nodes; refuses graphs of one node. It keeps a count column and a flag."""

    def evaluate(self, pairs):
        sizes = np.array([float(len(pair.src.variables)) for pair in pairs])
        if (sizes == 1).any():
            raise PairError("one node is too few", pair=int(np.flatnonzero(sizes == 1)[0]))
        return Scores(sizes, {"half": sizes / 2, "even": sizes % 2 == 0})


def chain(size):
    graph = parse_graph(amr(size))
    return Pair(graph, graph)


def test_a_pair_that_cannot_be_scored_is_an_error_with_its_position():
    with pytest.raises(PairError, match=r"^pairs: pair 11: one node"):
        score_pairs(Sizes(), [chain(2), chain(1)], "stop")


def test_a_pair_that_cannot_be_scored_does_not_affect_others():
    pairs = [chain(2), None, chain(1), chain(3), chain(1)]
    scores, failed = score_pairs(Sizes(), pairs, "nan")
    np.testing.assert_array_equal(scores.values, [2, np.nan, np.nan, 3, np.nan])
    np.testing.assert_array_equal(scores.details["half"], [1, np.nan, np.nan, 1.5, np.nan])
    np.testing.assert_array_equal(scores.details["even"], [True, False, False, False, False])
    assert failed == dict.fromkeys((2, 4), Problem("one node is too few"))


def test_when_every_pair_is_missing():
    scores, failed = score_pairs(Sizes(), [chain(1), chain(1)], "nan")
    assert np.isnan(scores.values).all()
    assert sorted(failed) == [0, 1]
    scores, failed = score_pairs(Sizes(), [None, None], "nan")
    assert np.isnan(scores.values).all()
    assert failed == {}


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (Scores(np.array([1.0, np.inf])), "pair 11: the metric returned inf, not a number"),
        (Scores(np.array([1.0])), "returned 1 score for 2 pairs"),
        (Scores(np.array([1, 2])), "float array of scores, got an array of int64, shape (2,)"),
        (np.array([1.0, 2.0]), "evaluate returned ndarray, expected amr_metrics.Scores"),
        (None, "evaluate returned NoneType"),
        (Scores([1.0, 2.0]), "one-dimensional float array"),
        (Scores(np.ones((2, 2))), "one-dimensional float array"),
        (Scores(np.ones(2), {"extra": np.ones(3)}), "returned 3 extra for 2 pairs"),
    ],
)
def test_a_metric_that_breaks_its_contract(scores, message):
    @dataclass(frozen=True, kw_only=True)
    class Broken(Metric):
        def evaluate(self, pairs):
            return scores

    with pytest.raises(MetricError) as caught:
        score_pairs(Broken(), [chain(1), chain(2)], "stop")
    assert message in str(caught.value)
