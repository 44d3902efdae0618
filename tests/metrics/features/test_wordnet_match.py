import io
import os
import re
import shutil

import pytest

from amr_metrics import Pair, WordNetMatch, parse_graph
from amr_metrics.errors import OptionError
from amr_metrics.features import wordnet_match
from tests.builders import chain
from tests.extras import needs_wordnet
from tests.metrics.utils.test_extras import hide


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
    details = columns(f"({first[0]} / {first})", f"({second[0]} / {second})")
    shares = {name: value for name, value in details.items() if value}
    assert shares.pop("score", 0) == (1 if kind == "synonym" else 0)
    assert shares == {f"src_{kind}": 1, f"tgt_{kind}": 1}


@needs_wordnet
def test_shares_of_concepts():
    # Two cars, one of which has a match; automobile is left for the other.
    details = columns(
        "(a / and :op1 (c / car) :op2 (c2 / car) :op3 (s / sleep-01))",
        "(a / and :op1 (c / car) :op2 (v / automobile))",
    )
    assert details["src_synonym"] == 1 / 4
    assert details["src_unrelated"] == 1 / 4
    assert details["tgt_synonym"] == 1 / 3
    assert details["tgt_unrelated"] == 0
    assert details["score"] == pytest.approx((3 / 4 + 1) / 2)


def test_each_concept_is_compared_once_with_all_others(monkeypatch):
    compared = []

    def note_comparison(*arguments):
        compared.append(arguments)
        return wordnet_match.UNRELATED

    monkeypatch.setattr(wordnet_match, "_find_relation", note_comparison)
    monkeypatch.setattr(
        wordnet_match, "_look_up_entry", lambda word: wordnet_match._Entry(*[{word}] * 5)
    )
    src, tgt = (chain(30, f"{side}{{}}") for side in "ab")
    assert WordNetMatch().score([Pair(src, tgt)]) == [0]
    assert len(compared) == 60


@pytest.fixture
def unloaded():
    caches = wordnet_match._load_wordnet, wordnet_match._look_up_entry
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.fixture
def wordnet(unloaded, tmp_path, monkeypatch):
    """A small WordNet, in which car and automobile are synonyms, as the one that NLTK finds."""
    nltk = pytest.importorskip("nltk")
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    umask = os.umask(0o022)  # NLTK refuses files that others may change
    folder = tmp_path / "corpora/wordnet"
    folder.mkdir(parents=True)
    contents = dict.fromkeys(wordnet_match.FILES, "  WordNet 3.0 Copyright\n") | {
        "lexnames": "00 noun.artifact 1\n",
        "data.noun": "00000000 00 n 02 car 0 automobile 0 000 | a vehicle\n",
        "index.noun": "car n 1 0 1 0 00000000\nautomobile n 1 0 1 0 00000000\n",
        "index.sense": "car%1:00:00:: 00000000 1 0\n",
    }
    for name, content in contents.items():
        (folder / name).write_text(content)
    os.umask(umask)

    class Reader(WordNetCorpusReader):
        def open(self, file):  # NLTK's own leaves files open
            return io.StringIO((folder / file).read_text())

    monkeypatch.setattr("nltk.corpus.reader.wordnet.WordNetCorpusReader", Reader)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    return folder


def test_the_signature_tells_files_of_wordnet_apart(wordnet):
    assert columns("(c / car)", "(a / automobile)")["score"] == 1
    parts = re.fullmatch(r"(.*)\|wordnet=3\.0\|wordnet_files=(.{12})", WordNetMatch().signature)
    wordnet_match._load_wordnet.cache_clear()
    (wordnet / "noun.exc").write_text("cars car\n")
    assert parts[2] not in WordNetMatch().signature
    assert parts[1] in WordNetMatch().signature


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("index.noun", "", "index.noun is empty"),
        ("index.noun", "car n one", "file index.noun, line 1"),
        ("data.noun", "00000000 00 n", "WordNetError"),
        ("data.noun", None, "No such file"),
    ],
)
@pytest.mark.filterwarnings("ignore:No WordNet synset found")
def test_damaged_files_of_wordnet_are_one_error(wordnet, name, content, problem):
    (wordnet / name).unlink()
    if content is not None:
        (wordnet / name).write_text(content)
    with pytest.raises(OptionError) as caught:
        columns("(c / car)", "(a / automobile)")
    assert str(caught.value).startswith(f"{wordnet}: WordNet is damaged (")
    assert problem in str(caught.value)
    assert str(caught.value).endswith("download it again: `python -m nltk.downloader wordnet`")


def test_without_nltk(unloaded, monkeypatch):
    hide(monkeypatch, "nltk")
    with pytest.raises(OptionError, match=r"need the package nltk.*bamboo-amr\[wordnet\]"):
        WordNetMatch().warm_up()


def test_without_wordnet(wordnet):
    shutil.rmtree(wordnet)
    with pytest.raises(OptionError, match=r"run `python -m nltk\.downloader wordnet`, or set NLTK"):
        columns("(c / cat)", "(d / dog)")
