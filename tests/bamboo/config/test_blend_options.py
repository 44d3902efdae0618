"""A blend from its YAML and from the command line: its metrics, its word vectors, its weights."""

import json

import pytest
from extras import needs_wordllama, needs_wordnet

from amr_metrics import Smatch
from amr_metrics.vectors import WordLlama
from bamboo.config.requests import build_named_rows
from bamboo.config.weights import WeightsError
from bamboo.errors import ConfigError
from tests.configured import configured

OWN = ("metric.near=''", "metric.without=[]", "metric.learned=null")


def job(*arguments):
    (row,) = configured("run", ["metric=blend", *arguments]).rows
    return row


def test_metrics_are_named_with_or_without_options():
    row = job("metric.of=[smatch,{metric: smatch, name: rootless, root: none},wlk]", *OWN)
    blend = row.metric
    assert [*blend.of] == ["smatch", "rootless", "wlk"]
    assert blend.of["smatch"] == Smatch()
    assert blend.of["rootless"] == Smatch(root="none")


def test_its_metrics_have_its_word_vectors_unless_others_are_named():
    names = {
        arguments: {
            name: type(metric.vectors).__name__
            for name, metric in job(*arguments, *OWN[:2]).metric.of.items()
            if hasattr(metric, "vectors")
        }
        for arguments in (
            ("metric.of=[smatch,wwlk,{metric: node_match, vectors: glove}]",),
            ("metric.of=[smatch,wwlk]", "vectors=glove"),
            ("metric.of=[smatch,wwlk]", "metric.vectors=glove"),
        )
    }
    assert [*names.values()] == [
        {"wwlk": "WordLlama", "node_match": "VectorSource"},
        {"wwlk": "VectorSource"},
        {"wwlk": "VectorSource"},
    ]
    assert job("vectors=glove").name == "blend vectors=glove"
    assert job("metric.vectors=glove").name == "blend vectors=glove"
    several = configured("run", ["metric=[smatch,blend]", "vectors=glove"]).rows
    assert [row.name for row in several] == ["smatch", "blend vectors=glove"]


def test_tables_name_word_vectors_too():
    (row,) = build_named_rows([("mine", "wwlk", {"vectors": "wordllama", "mass": "sif"})])
    assert row.metric.vectors == WordLlama()


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("[smatch,smatchh]", "unknown metric 'smatchh'"),
        ("[smatch,smatch]", "smatch is listed twice: add a name to one"),
        ("[{root: none}]", "names no metric: add metric: NAME"),
        ("[{metric: smatch, rot: none}]", "unknown option of smatch 'rot'"),
        ("smatch", "expected a list of metrics"),
    ],
)
def test_lists_that_are_none(entries, message):
    with pytest.raises(ConfigError, match=message):
        job(f"metric.of={entries}", *OWN)


def test_a_blend_of_a_blend():
    with pytest.raises(ConfigError, match="blend_untrained is a blend: list the metrics"):
        job("metric.of=[smatch,blend_untrained]", *OWN)


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
    ("argument", "difference"),
    [
        ("vectors=glove", "VectorSource"),
        ("metric.knots=2", "knots=3 in the file, knots=2 here"),
        ("metric.of=[label_overlap,node_match]", "s2match_default=S2match"),
    ],
)
def test_weights_of_other_features_or_vectors_are_refused(
    tmp_path, monkeypatch, argument, difference
):
    (tmp_path / "vectors.txt").write_text("cat" + " 0.5" * 100 + "\n", "utf-8")
    monkeypatch.setenv("BAMBOO_VECTORS", str(tmp_path / "vectors.txt"))
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(tmp_path))
    row = job(argument)
    with pytest.raises((ConfigError, WeightsError), match=difference):
        row.on().warm_up()


def test_metrics_that_are_not_listed():
    with pytest.raises(ConfigError, match="near=node_match: use one of smatch"):
        job("metric.of=[smatch]", "metric.learned=null")


def test_a_file_of_weights_that_does_not_exist():
    row = job("metric.of=[smatch]", *OWN[:2], "metric.learned=nowhere.json")
    with pytest.raises(WeightsError, match=r"nowhere\.json cannot be read: No such file"):
        row.on()
