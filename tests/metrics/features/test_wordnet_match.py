import importlib.util
import sys

import pytest

from metrics import Pair, WordNetMatch, parse_graph
from metrics.errors import OptionError
from metrics.features import wordnet_match
from metrics.graphs.graph import Graph
from tests.extras import needs_wordnet


def columns(src, tgt):
    scores = WordNetMatch().evaluate([Pair(parse_graph(src), parse_graph(tgt))])
    return {"score": scores.values[0], **{name: v[0] for name, v in scores.details.items()}}


@needs_wordnet
@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("car", "automobile", "synonym"),
        ("begin-01", "start-02", "synonym"),
        ("hot-05", "cold", "antonym"),
        ("dog", "canine", "hypernym"),
        ("animal", "mammal", "unrelated"),  # four levels
        ("wolf", "fox", "sister"),
        ("guitar", "democracy", "unrelated"),
        ("have-rel-role-91", "cat", "unrelated"),
    ],
)
def test_kinds_of_relations(first, second, kind):
    found = columns(f"({first[0]} / {first})", f"({second[0]} / {second})")
    shares = {name: value for name, value in found.items() if value}
    assert shares.pop("score", 0) == (1 if kind == "synonym" else 0)
    assert shares == {f"src_{kind}": 1, f"tgt_{kind}": 1}


@needs_wordnet
def test_shares_of_concepts():
    # Two cars, one of which has a match; automobile is left for the other.
    found = columns(
        "(a / and :op1 (c / car) :op2 (c2 / car) :op3 (s / sleep-01))",
        "(a / and :op1 (c / car) :op2 (v / automobile))",
    )
    assert found["src_synonym"] == 1 / 4
    assert found["src_unrelated"] == 1 / 4
    assert found["tgt_synonym"] == 1 / 3
    assert found["tgt_unrelated"] == 0
    assert found["score"] == pytest.approx((3 / 4 + 1) / 2)


@needs_wordnet
def test_senses_do_not_count():
    assert columns("(r / run-01)", "(r / run-02)")["score"] == 1


@needs_wordnet
def test_empty_graphs():
    empty, cat = Graph.empty(), parse_graph("(c / cat)")
    scores = WordNetMatch().score([Pair(empty, empty), Pair(empty, cat), Pair(cat, empty)])
    assert scores.tolist() == [1, 0, 0]


@needs_wordnet
def test_its_signature_has_the_version_of_wordnet():
    assert WordNetMatch().signature.endswith("|wordnet=3.0")


@pytest.fixture
def unloaded():
    caches = (wordnet_match._wordnet, wordnet_match._entry, wordnet_match._relation)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def test_without_nltk(unloaded, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "nltk" else found(name)
    )
    with pytest.raises(OptionError, match=r"need the package nltk.*bamboo-amr\[wordnet\]"):
        WordNetMatch().warm_up()


def test_without_wordnet(unloaded, monkeypatch):
    class NoData:
        def ensure_loaded(self):
            raise LookupError("Resource wordnet not found")

    monkeypatch.setattr(wordnet_match, "lacking", lambda extra, what: None)
    monkeypatch.setitem(sys.modules, "nltk", type(sys)("nltk"))
    corpus = type(sys)("nltk.corpus")
    corpus.wordnet = NoData()
    monkeypatch.setitem(sys.modules, "nltk.corpus", corpus)
    with pytest.raises(OptionError, match=r"run `python -m nltk\.downloader wordnet`, or set NLTK"):
        columns("(c / cat)", "(d / dog)")
