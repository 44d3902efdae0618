"""Tables 1 and 3 by hand."""

import pytest

from amr_metrics import Pair, parse_graph
from bamboo.errors import DataError
from bamboo.published_tables.data_tables import (
    beside_published,
    data_statistics,
    density,
    transform_statistics,
    triple_graph_nodes,
)

SING = parse_graph("# ::snt The choir sings.\n(s / sing-01 :ARG0 (c / choir))")
LOUD = parse_graph("# ::snt It sings\n(s / sing-01 :ARG0 (i / it) :manner (l / loud) :polarity -)")


def test_nodes_are_variables_and_labels():
    # s, c, sing-01, choir; three triples
    assert (triple_graph_nodes(SING), density(SING)) == (4, 3 / (4 * 3))
    # s, i, l, sing-01, it, loud, -; six triples
    assert (triple_graph_nodes(LOUD), density(LOUD)) == (7, 6 / (7 * 6))


def test_a_label_counts_once():
    graph = parse_graph("(a / and :op1 (b / boy) :op2 (c / boy) :quant 2 :value 2)")
    assert triple_graph_nodes(graph) == 3 + len({"and", "boy", "2"})


def test_table_1():
    statistics = data_statistics({"train": [Pair(SING, LOUD)], "test": [Pair(SING, SING)] * 2})
    assert (statistics["train"], statistics["dev"], statistics["test"]) == (1, 0, 2)
    assert statistics["sentence_length_mean"] == (3 + 2 + 4 * 3) / 6
    assert statistics["sentence_length_median"] == 3
    assert statistics["nodes_mean"] == (4 + 7 + 4 * 4) / 6
    assert statistics["density_mean"] == pytest.approx((1 / 4 + 1 / 7 + 4 * 1 / 4) / 6)
    with pytest.raises(DataError, match="no pairs"):
        data_statistics({"train": []})


class TestOperations:
    def test_reify(self):
        reified = parse_graph(
            "(s / sing-01 :ARG0 (i / it) :ARG1-of (_ / have-manner-91 :ARG2 (l / loud))"
            " :ARG1-of (_2 / have-polarity-91 :ARG2 -))"
        )
        statistics = transform_statistics("reify", [([Pair(LOUD, SING)], [Pair(reified, SING)])])
        assert (statistics["graphs"], statistics["mean"], statistics["added_mean"]) == (
            2,
            (2 + 0) / 2,
            (2 + 0) / 2,
        )

    def test_syno(self):
        before = parse_graph("(p / play-01 :ARG0 (m / man) :ARG1 (t / tennis))")
        after = parse_graph(
            "(p / play-01 :ARG0 (m / male :mod (y / adult)) :ARG1 (t / tennis :mod (z / lawn)))"
        )
        statistics = transform_statistics("syno", [([Pair(before, SING)], [Pair(after, SING)])])
        assert (statistics["mean"], statistics["added_mean"]) == ((2 + 0) / 2, (2 + 0) / 2)

    def test_arg_is_measured_by_its_own_originals(self):
        original = parse_graph("(b / bite-01 :ARG0 (d / dog) :ARG1 (m / man))")
        altered = parse_graph("(b / bite-01 :ARG1 (d / dog) :ARG0 (m / man))")
        pairs = [
            Pair(original, altered),
            Pair(original, original),
            Pair(original, original),
            Pair(original, original),
        ]
        statistics = transform_statistics("arg", [([], pairs)])
        assert (statistics["graphs"], statistics["mean"]) == (2, (1 + 0) / 2)


def test_measured_and_published_values_are_compared():
    measured = data_statistics({"train": [Pair(SING, SING)]})
    published = {"sts_train": 1, "sts_nodes_mean": 4.5}
    rows = list(beside_published("sts", measured, published, "sts_"))
    assert ("sts", "nodes_mean", 4.0, 4.5, 4.0 - 4.5) in rows
    assert ("sts", "train", 1, 1, 0) in rows
    assert [row[3:] for row in rows if row[1] == "density_mean"] == [(None, None)]
