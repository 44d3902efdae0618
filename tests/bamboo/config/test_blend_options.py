"""A blend from its YAML and from the command line: its metrics, its word vectors, its weights."""

import json

import pytest
from extras import needs_wordllama, needs_wordnet

from amr_metrics import Smatch
from amr_metrics.vectors import WordLlama
from bamboo.config.requests import build_named_row, resolve_rows
from bamboo.config.weights import WeightsError
from bamboo.errors import ConfigError
from tests.configured import configured

SMATCH = {"_target_": "amr_metrics.Smatch"}
OWN = {"near": "", "without": [], "learned": None}


def job(*words):
    (row,) = configured("run", ["metric=blend", *words]).rows
    return row


def list_vectors(row):
    metrics = row.metric.of.items()
    return {n: type(m.vectors).__name__ for n, m in metrics if hasattr(m, "vectors")}


def test_its_metrics_have_its_word_vectors_if_any_are_named(word_vectors):
    match = {"_target_": "amr_metrics.NodeMatch"}
    options = {"of": {"smatch": SMATCH, "node_match": match}, **OWN}
    (row,) = resolve_rows("blend", options)
    assert list_vectors(row) == {"node_match": "VectorSource"}
    (row,) = resolve_rows("blend", options | {"vectors": "wordllama"})
    assert list_vectors(row) == {"node_match": "WordLlama"}
    assert {*list_vectors(job()).values()} == {"WordLlama"}
    row = job("+metric.blend.vectors=${vectors}")
    assert {*list_vectors(row).values()} == {"VectorSource"}
    assert row.name == "blend vectors=glove"
    several = resolve_rows(["smatch", "blend"], {"vectors": "glove"})
    assert [row.name for row in several] == ["smatch", "blend vectors=glove"]


def test_tables_name_word_vectors_too():
    row = build_named_row("mine", "wwlk", {"vectors": "wordllama", "mass": "sif"})
    assert row.metric.vectors == WordLlama()


def test_a_metric_is_added_and_another_one_left_out():
    mine = "{_target_: amr_metrics.Smatch, root: none}"
    row = job(f"+metric.blend.of.mine={mine}", "~metric.blend.of.wlk")
    assert row.metric.of["mine"] == Smatch(root="none")
    assert "wlk" not in row.metric.of
    assert row.name == f"blend of.mine={mine.replace(' ', '')} ~of.wlk"


@pytest.mark.parametrize(
    ("of", "message"),
    [
        ({"s": SMATCH | {"rot": 1}}, "unknown option of s 'rot': did you mean 'root'?"),
        ({"b": {"_target_": "amr_metrics.Blend", "of": {"s": SMATCH}}}, "blend"),
        (["smatch"], "expected a mapping from names to metrics"),
    ],
)
def test_what_is_no_blend(of, message):
    with pytest.raises(ConfigError, match=message):
        resolve_rows("blend", {"of": of, **OWN})


@needs_wordllama
@needs_wordnet
def test_shipped_weights_fit_the_metric():
    row = job()
    blend = row.on()
    blend.warm_up()
    document = json.loads(row.learned.read_text("utf-8"))
    assert len(blend.weights) == len(document["weights"]) > 100
    assert document["source"]["train_digest"]
    assert document["source"]["trainer"]["name"] == "correlation"


@needs_wordllama
@needs_wordnet
@pytest.mark.parametrize(
    ("word", "difference"),
    [
        ("+metric.blend.vectors=${vectors}", "VectorSource"),
        ("metric.blend.knots=2", "knots=3 in the file, knots=2 here"),
        ("~metric.blend.of.s2match_default", "s2match_default=S2match"),
    ],
)
def test_weights_of_other_features_or_vectors_are_refused(tmp_path, monkeypatch, word, difference):
    (tmp_path / "vectors.txt").write_text("cat" + " 0.5" * 100 + "\n", "utf-8")
    monkeypatch.setenv("BAMBOO_VECTORS", str(tmp_path / "vectors.txt"))
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(tmp_path))
    with pytest.raises((ConfigError, WeightsError), match=difference):
        job(word).on().warm_up()


def test_metrics_that_are_not_listed():
    with pytest.raises(ConfigError, match="near=node_match: use one of smatch"):
        resolve_rows("blend", {"of": {"smatch": SMATCH}, "learned": None})


def test_a_file_of_weights_that_does_not_exist():
    row = job("about.blend.learned=nowhere.json")
    with pytest.raises(WeightsError, match=r"nowhere\.json cannot be read: No such file"):
        row.on()
