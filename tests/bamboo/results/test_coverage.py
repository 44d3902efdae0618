"""How many nodes have a word vector: counts, notes, JSON and warnings."""

import numpy as np
import pytest
from released import shared_file

from bamboo.results.coverage import LOW, Coverage, coverage_warnings
from metrics.base import Scores

SRC = """\
(s / sleep-01 :ARG0 (c / cat))

(u / unicorn :quant 3)
"""
TGT = """\
(s / sleep-01 :ARG0 (k / kitten))

(d / dog)
"""
# Concepts of both sides: sleep-01 cat sleep-01 kitten; unicorn dog. WWLK also has the constant 3.


def vector_file(folder, *words):
    """A file with vectors for the words."""
    rng = np.random.default_rng(0)
    lines = [" ".join([word, *(f"{x:.4f}" for x in rng.normal(size=100))]) for word in words]
    path = folder / "vectors.txt"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)


@pytest.fixture
def files(home, monkeypatch):
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(home / "words"))
    monkeypatch.delenv("BAMBOO_VECTORS", raising=False)
    (home / "a.amr").write_text(SRC)
    (home / "b.amr").write_text(TGT)
    return "src=a.amr", "tgt=b.amr"


@pytest.mark.parametrize(
    ("metric", "nodes"),
    [("s2match", [4, 2]), ("wwlk", [4, 3])],
)
def test_by_hand(cli, home, files, metric, nodes):
    path = vector_file(home, "sleep", "cat", "dog", "kitten")
    arguments = ("score", *files, f"metric={metric}", f"vectors.file={path}")
    outcome = cli(*arguments)
    with_vector, total = 5, sum(nodes)
    share = f"{100 * with_vector / total:.1f} %"
    assert f"\na: {with_vector} of {total} nodes ({share}) have a word vector.\n" in outcome.out
    assert outcome.err == ""
    found = cli(*arguments, "report=json").json
    assert found["coverage"] == {
        "nodes": total,
        "nodes_with_vector": with_vector,
        "share": with_vector / total,
    }
    assert [pair["nodes"] for pair in found["pairs"]] == nodes
    assert [pair["nodes_with_vector"] for pair in found["pairs"]] == [4, 1]


@pytest.mark.parametrize("metric", ["s2match", "wwlk", "smatchpp"])
def test_a_standardised_metric_counts_as_well(cli, home, files, metric):
    path = vector_file(home, "sleep", "cat", "dog", "kitten")
    arguments = [f"metric={metric}", "metric.standardize=amr", f"vectors.file={path}"]
    found = cli("score", *files, *arguments, "report=json").json
    if metric == "smatchpp":  # no vectors, nothing to count
        assert "coverage" not in found
    else:
        assert found["coverage"]["nodes_with_vector"] == 5


def test_a_metric_without_vectors_reports_no_coverage(cli, files):
    outcome = cli("score", *files)
    assert "vector" not in outcome.out + outcome.err
    assert "coverage" not in cli("score", *files, "report=json").json


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cat", "zebra"), "warning: a: only 1 of 6 nodes (16.7 %) have a word vector in "),
        (("Sleep", "CAT"), "warning: a: NONE of the 6 nodes has a word vector in "),
    ],
)
def test_low_coverage_of_word_vectors_gives_a_warning(cli, home, files, words, message):
    path = vector_file(home, *words)
    outcome = cli("score", *files, "metric=s2match", f"vectors.file={path}", "report=json")
    assert outcome.status == 0
    assert message + path in outcome.err
    assert "BAMBOO_VECTORS" in outcome.err
    assert "coverage" in outcome.json  # standard output stays one JSON document


def test_a_file_that_does_not_exist_is_an_error_that_says_what_to_set(
    cli, home, files, monkeypatch
):
    monkeypatch.setenv("BAMBOO_VECTORS", str(home / "gone.txt"))
    outcome = cli("score", *files, "metric=s2match")
    assert outcome.status == 1
    for part in ("gone.txt: no such file", "vectors.file=FILE", "BAMBOO_VECTORS"):
        assert part in outcome.err


def test_a_cache_that_cannot_be_written_is_an_error_that_says_what_to_set(
    cli, home, files, monkeypatch
):
    (home / "in_the_way").write_text("")
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(home / "in_the_way"))
    path = vector_file(home, "cat")
    outcome = cli("run", "data=sample", "metric=s2match", f"vectors.file={path}")
    assert outcome.status == 1
    for part in ("in_the_way: ", "vectors.cache=FOLDER", "BAMBOO_CACHE_DIR"):
        assert part in outcome.err


def test_a_run_reports_coverage_in_table_and_json_also_from_cache(cli, home, files):
    path = vector_file(home, "cat", "dog")
    arguments = ("run", "data=sample", "metric=[s2match,wwlk,smatch]", f"vectors.file={path}")
    documents = []
    for _ in range(2):
        outcome = cli(*arguments, "report=json")
        documents.append([row["cells"][0].get("coverage") for row in outcome.json["rows"]])
        for metric in ("s2match", "wwlk"):
            assert f"warning: {metric} vectors.file=vectors.txt: only " in outcome.err
        assert "smatch: only" not in outcome.err.replace("s2match", "")
    s2match, wwlk, smatch = documents[0]
    assert documents[0] == documents[1]
    assert smatch is None
    assert 0 < s2match["nodes"] < wwlk["nodes"]  # which has constants too
    assert 0 < s2match["share"] < LOW
    text = cli(*arguments).out
    label = "s2match vectors.file=vectors.txt"
    assert f"\n{label}: {s2match['nodes_with_vector']} of {s2match['nodes']} nodes (" in text


def test_compare_warns_too(cli, home, files):
    path = vector_file(home, "cat", "dog")
    outcome = cli(
        *("compare", "data=sample", "metric=[s2match,smatch]", f"vectors.file={path}"),
        *("resamples=20", "permutations=20"),
    )
    assert "warning: s2match vectors.file=vectors.txt: only " in outcome.err
    assert "\ns2match vectors.file=vectors.txt: only " in outcome.out


def test_missing_pairs_are_not_counted():
    columns = {"nodes": np.array([4, np.nan]), "nodes_with_vector": np.array([3, np.nan])}
    assert Coverage.of(Scores(np.array([1, np.nan]), columns)) == Coverage(4, 3)
    assert Coverage.of(Scores(np.ones(1))) is None
    assert Coverage.total([None, Coverage(4, 3), Coverage(6, 0)]) == Coverage(10, 3)
    assert Coverage.total([None]) is None


def test_the_threshold():
    assert coverage_warnings({"m": Coverage(10, 5)}, {}) == []
    (text,) = coverage_warnings({"m": Coverage(10, 4), "n": None}, {"m": "glove.txt"})
    assert text.startswith("m: only 4 of 10 nodes (40.0 %) have a word vector in glove.txt, less")
    assert coverage_warnings({"m": Coverage(0, 0)}, {}) == []


@pytest.mark.parametrize(("data", "missing"), [("sts", 5.4), ("sick", 2.4), ("para", 6.9)])
def test_the_share_of_the_released_data_without_a_vector(
    cli, mirror, shared, monkeypatch, home, data, missing
):
    # Counted independently: concepts and constants that none of WWLK's spellings is found for.
    monkeypatch.setenv(
        "BAMBOO_VECTORS", str(shared_file(shared, "vectors/glove.6B.100d.subset.bin"))
    )
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(home / "words"))
    options = "protocol=v0.2", "metric.stability=0", "report=json"
    found = cli("run", f"data={data}", "metric=wwlk", *options).json
    share = found["rows"][0]["cells"][0]["coverage"]["share"]
    assert 100 * (1 - share) == pytest.approx(missing, abs=0.05)
