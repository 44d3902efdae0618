import re
from collections import Counter

import numpy as np
import pytest

from amr_metrics import parse_graph, read_graphs
from amr_metrics.errors import OptionError
from amr_metrics.vectors import sif
from amr_metrics.vectors.sif import (
    BUNDLED,
    RELATIONS,
    SIF,
    Frequencies,
    count_labels,
    information,
    write_frequencies,
)

GRAPHS = [
    parse_graph('(s / Sleep-01 :ARG0 (p / person :name (n / name :op1 "Ann")))'),
    parse_graph("(s / sleep-01 :polarity - :ARG0 (p / person :mod (q / person)))"),
]


@pytest.fixture
def table(tmp_path):
    write_frequencies(tmp_path / "table.tsv", count_labels(GRAPHS))
    return tmp_path / "table.tsv"


def count_relations(graphs):
    """Count the graphs that contain each relation, in lower case, without senses and quotes.

    Constants lose a number at their end too, as in the graphs that are compared.
    """
    total, counts = 0, Counter()
    for graph in graphs:
        total += 1
        found = [(s, role, graph.concept(t)) for s, role, t in graph.relations]
        found += graph.attributes
        counts.update(
            {f"{lemma(graph.concept(s))} {role.lower()} {lemma(label)}" for s, role, label in found}
        )
    return Frequencies(total, dict(counts))


def lemma(label):
    return re.sub(r"-\d+$", "", label.lower().replace('"', ""))


def test_each_graph_counts_once():
    assert count_labels(GRAPHS) == (
        2,
        {"-": 1, "ann": 1, "name": 1, "person": 2, "sleep-01": 2},
    )


def test_weights_by_hand(table):
    weights = SIF(a=0.5, file=table).weights(["person", "ann", "other"])
    assert weights.tolist() == [0.5 / 1.5, 0.5 / 1.0, 1.0]


def test_rare_labels_may_be_left_out(tmp_path):
    write_frequencies(tmp_path / "table.tsv", count_labels(GRAPHS), least=2)
    assert (tmp_path / "table.tsv").read_text("utf-8") == "graphs\t2\nperson\t2\nsleep-01\t2\n"


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
    counted = count_labels(graphs)
    first, *lines = BUNDLED.read_text("utf-8").splitlines()
    assert first == f"graphs\t{counted.graphs}"
    expected = {k: n for k, n in counted.counts.items() if n >= 10 and len(k.split()) == 1}
    assert dict(line.rsplit("\t", 1) for line in lines) == {k: str(n) for k, n in expected.items()}
    counted = count_relations(graphs)
    first, *lines = RELATIONS.read_text("utf-8").splitlines()
    assert first == f"graphs\t{counted.graphs}"
    expected = {k: n for k, n in counted.counts.items() if n >= 10 and len(k.split()) == 3}
    assert dict(line.rsplit("\t", 1) for line in lines) == {k: str(n) for k, n in expected.items()}


def test_information_by_hand(tmp_path, monkeypatch):
    write_frequencies(tmp_path / "table.tsv", count_relations(GRAPHS))
    monkeypatch.setattr(sif, "RELATIONS", tmp_path / "table.tsv")
    found = information(["sleep :arg0 person", "sleep :polarity -", "sleep :arg1 person"])
    assert found == pytest.approx([0, 1 - np.log(2) / np.log(3), 1])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "not enough values"),
        ("graphs\t0\n", "line 1"),
        ("graphs\t2\ncat\t3\n", "line 2: 3 is not in 0..2"),
    ],
)
def test_files_that_are_no_table(tmp_path, content, problem):
    (tmp_path / "bad.tsv").write_text(content, "utf-8")
    with pytest.raises(OptionError, match=r"bad.tsv: not a table of frequencies") as error:
        SIF(file=tmp_path / "bad.tsv").weights(["cat"])
    assert problem in str(error.value)


def test_a_missing_or_binary_file(tmp_path):
    with pytest.raises(OptionError, match="No such file"):
        _ = SIF(file=tmp_path / "none.tsv").digest
    (tmp_path / "bad.tsv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(OptionError, match="not UTF-8"):
        SIF(file=tmp_path / "bad.tsv").weights(["cat"])
