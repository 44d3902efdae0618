import re
from collections import Counter

import numpy as np
import pytest

from amr_metrics import parse_graph, read_graphs
from amr_metrics.graphs.folding import lower_without_quotes
from amr_metrics.vectors import sif
from amr_metrics.vectors.sif import CONCEPTS, RELATIONS, SIF, information

GRAPHS = [
    parse_graph('(s / Sleep-01 :ARG0 (p / person :name (n / name :op1 "Ann")))'),
    parse_graph("(s / sleep-01 :polarity - :ARG0 (p / person :mod (q / person)))"),
]


def count_labels(graphs):
    """Count the graphs that contain each concept or constant, in lower case without quotes."""
    total, counts = 0, Counter()
    for graph in graphs:
        total += 1
        labels = [*graph.concepts, *(attribute.constant for attribute in graph.attributes)]
        counts.update({lower_without_quotes(label) for label in labels})
    return total, counts


def count_relations(graphs):
    """Count the graphs that contain each relation, in lower case, without senses and quotes.

    Constants lose a number at their end too, as in the graphs that are compared.
    """
    total, counts = 0, Counter()
    for graph in graphs:
        total += 1
        triples = [(s, role, graph.concept(t)) for s, role, t in graph.relations]
        triples += graph.attributes
        counts.update(
            {
                f"{lemma(graph.concept(s))} {role.lower()} {lemma(label)}"
                for s, role, label in triples
            }
        )
    return total, counts


def lemma(label):
    return re.sub(r"-\d+$", "", label.lower().replace('"', ""))


def test_the_bundled_table():
    weights = SIF().weights(["name", "and", "be-located-at-91", "sleep-01", "no-such-concept"])
    assert (np.diff(weights) > 0).sum() >= 3
    assert weights[0] < 0.1
    assert weights[-1] == 1


@pytest.mark.slow
def test_the_bundled_tables_count_the_train_splits(shared):
    graphs = []
    for data in ("sts", "sick", "para"):
        for partition in ("main", "reify", "syno"):
            for side in ("src", "tgt"):
                file = shared / "bamboo-amr-benchmark" / data / partition / f"{side}.train.amr"
                graphs += read_graphs(file) if file.is_file() else []
    for path, (total, counts), words in (
        (CONCEPTS, count_labels(graphs), 1),
        (RELATIONS, count_relations(graphs), 3),
    ):
        first, *lines = path.read_text("utf-8").splitlines()
        assert first == f"graphs\t{total}"
        expected = {k: str(n) for k, n in counts.items() if n >= 10 and len(k.split()) == words}
        assert dict(line.rsplit("\t", 1) for line in lines) == expected


def test_information_by_hand(tmp_path, monkeypatch):
    total, counts = count_relations(GRAPHS)
    lines = [f"{name}\t{count}" for name, count in [("graphs", total), *counts.items()]]
    (tmp_path / "table.tsv").write_text("\n".join(lines), "utf-8")
    monkeypatch.setattr(sif, "RELATIONS", tmp_path / "table.tsv")
    values = information(["sleep :arg0 person", "sleep :polarity -", "sleep :arg1 person"])
    assert values == pytest.approx([0, 1 - np.log(2) / np.log(3), 1])
