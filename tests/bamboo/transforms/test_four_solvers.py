"""Disambiguation, and what is missing."""

import sys
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import pytest

from bamboo.engines import SERIAL
from bamboo.errors import BuildError
from bamboo.progress import Progress
from bamboo.transforms import four_solvers
from bamboo.transforms.four_solvers import FourSolvers, Question, decide


def test_each_question_is_asked_once(monkeypatch):
    asked = []

    class Fake:
        def synonyms(self, question):
            asked.append(question)
            return {"cat": ("kitty", "puss")}.get(question.concept, ())

    monkeypatch.setattr(four_solvers, "load", Fake)
    cat, dog = Question("A cat sleeps.", "cat"), Question("A dog sleeps.", "dog")
    answers = decide([cat, dog, cat], SERIAL, lambda what, total: None)
    assert answers == {cat: ("kitty", "puss"), dog: ()}
    assert sorted(asked) == [cat, dog]


def test_sentences_are_counted(monkeypatch):
    monkeypatch.setattr(four_solvers, "load", lambda: Toy(*["bank.1"] * 3))
    monkeypatch.setattr(four_solvers, "CHUNK", 2)
    lines = []

    class Lines(Progress):
        def __call__(self, what, total):
            lines.append(str(self).partition(",")[0])

    asked = [Question(f"{k} coins", concept) for k in range(3) for concept in ("bank", "coin")]
    decide(asked, SERIAL, Lines())
    assert lines == ["disambiguating: 2 of 3 sentences", "disambiguating: 3 of 3 sentences"]


class TestMissing:
    """Each message names the command that helps, and comes before any work."""

    def without(self, monkeypatch, **versions):
        def version(name):
            if name not in versions:
                raise PackageNotFoundError(name)
            return versions[name]

        monkeypatch.setattr(four_solvers, "version", version)

    def test_no_package(self, monkeypatch):
        self.without(monkeypatch)
        with pytest.raises(BuildError, match=r"needs pywsd 1\.2\.5: install the extra") as error:
            four_solvers.versions()
        # The package is on no index, so its name is no argument of pip.
        assert "pip install '.[syno]'" in str(error.value)

    def test_another_version_of_it(self, monkeypatch):
        self.without(monkeypatch, pywsd="1.3.0", wn="1.1.1", nltk="3.10")
        with pytest.raises(BuildError, match=r"needs pywsd 1\.2\.5 but 1\.3\.0 is installed"):
            four_solvers.versions()

    def nltk(self, monkeypatch, *there):
        def find(path):
            if path not in there:
                raise LookupError(path)
            return path

        monkeypatch.setitem(sys.modules, "nltk", SimpleNamespace(data=SimpleNamespace(find=find)))

    def test_no_nltk_data(self, monkeypatch):
        self.without(monkeypatch, pywsd="1.2.5", wn="0.0.23", nltk="3.10")
        self.nltk(monkeypatch, "corpora/wordnet.zip", "tokenizers/punkt_tab/english")
        command = "python -m nltk.downloader averaged_perceptron_tagger_eng"
        with pytest.raises(BuildError, match=command) as error:
            four_solvers.versions()
        assert "NLTK_DATA" in str(error.value)
        assert "punkt" not in str(error.value)

    def test_nothing_is_missing(self, monkeypatch):
        self.without(monkeypatch, pywsd="1.2.5", wn="0.0.23", nltk="3.10")
        self.nltk(monkeypatch, *four_solvers.NLTK_DATA.values())
        assert four_solvers.versions() == {"pywsd": "1.2.5", "wn": "0.0.23", "nltk": "3.10"}


HYPERNYMS = {
    "bank.1": {"bank.1": 0, "institution": 1, "money": 2, "thing": 3},
    "bank.2": {"bank.2": 0, "land": 1, "thing": 2},
    "coin": {"coin": 0, "money": 1, "thing": 2},
    "stream": {"stream": 0, "water": 1, "land": 2, "thing": 3},
    "flow": {"flow": 0},
    "rooted flow": {"flow": 0, "root": 1},
    "rooted bank.1": {"bank.1": 0, "institution": 1, "money": 2, "thing": 3, "root": 4},
    "rooted bank.2": {"bank.2": 0, "land": 1, "thing": 2, "root": 3},
}
SENSES = {"bank": ["bank.1", "bank.2"], "coin": ["coin"], "river": ["stream", "flow"]}
LEMMAS = {"bank.1": ["bank", "Depository", "a/c"], "bank.2": ["bank"]}


class Sense(str):
    def lemma_names(self):
        return LEMMAS.get(self, [self])

    def pos(self):
        return "v" if self == "flow" else "n"


class Wordnet:
    @staticmethod
    def synsets(word, pos):
        senses = [Sense(sense) for sense in SENSES.get(word, [])]
        return [sense for sense in senses if pos in (None, sense.pos())]


def hypernyms(sense, simulate_root):
    return HYPERNYMS[f"rooted {sense}" if simulate_root else sense]


class Toy(FourSolvers):
    """A wordnet of bank.1 (money), bank.2 (river), coin, stream; the solvers' votes are given."""

    def __init__(self, *votes):
        self.calls = []
        names = ("adapted_lesk", "simple_lesk", "cosine_lesk")

        def lesk(name, vote):
            def solve(context, word, pos, context_is_lemmatized):
                assert (pos, context_is_lemmatized) == ("n", True)
                self.calls.append(name)
                return vote and Sense(vote)

            return solve

        solvers = {name: lesk(name, vote) for name, vote in zip(names, votes, strict=True)}
        utils = SimpleNamespace(lemmatize=str.lower, lemmatize_sentence=str.split)
        super().__init__(SimpleNamespace(**solvers), utils, str.split, Wordnet, hypernyms)


class TestFourSolvers:
    MONEY = Question("coin", "bank")

    def test_all_four_solvers_agree(self):
        # The slash in a/c is no part of an AMR concept.
        assert Toy(*["bank.1"] * 3).synonyms(self.MONEY) == ("depository",)

    @pytest.mark.parametrize(
        ("votes", "asked"),
        [
            (("bank.1", "bank.2", "bank.1"), 2),
            (("bank.1", "bank.1", "bank.2"), 3),
            ((None, "bank.1", "bank.1"), 1),
            (("stream", "stream", "stream"), 1),  # no sense of the concept itself
            (("bank.2", "bank.2", "bank.2"), 1),  # it has no other lemma
        ],
    )
    def test_solvers_stop_when_two_differ(self, votes, asked):
        toy = Toy(*votes)
        assert toy.synonyms(self.MONEY) == ()
        assert len(toy.calls) == asked

    def test_words_without_synonyms_are_not_disambiguated(self):
        toy = Toy("coin", "coin", "coin")
        assert toy.synonyms(Question("coin", "coin")) == ()
        assert toy.calls == []

    def test_maximum_similarity_may_be_the_one_that_differs(self):
        toy = Toy(*["bank.1"] * 3)
        assert toy.synonyms(Question("river river", "bank")) == ()

    def test_maximum_similarity_by_hand(self):
        toy = Toy(*["bank.1"] * 3)
        # coin: bank.1 - institution - money - coin; bank.2 - land - thing - money - coin
        assert toy._closest(Sense("bank.1"), "coin") == 1 / (1 + 2 + 1)
        assert toy._closest(Sense("bank.2"), "coin") == 1 / (1 + 2 + 2)
        assert toy.max_similarity(self.MONEY) == "bank.1"
        # river: bank.2 - land - water - stream; bank.1 meets stream in thing, 3 + 3 edges, and
        # the verb flow in the root above all, 4 + 1 edges.
        assert toy._closest(Sense("bank.2"), "river") == 1 / (1 + 1 + 2)
        assert toy._closest(Sense("bank.1"), "river") == 1 / (1 + 4 + 1)
        assert toy.max_similarity(Question("coin river river", "bank")) == "bank.2"
