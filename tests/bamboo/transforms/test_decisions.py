"""Disambiguation, the cache of its decisions, and what is missing."""

import sys
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import pytest

from bamboo.errors import BambooWarning
from bamboo.transforms import decisions, four_solvers
from bamboo.transforms.decisions import decide
from bamboo.transforms.errors import BuildError
from bamboo.transforms.four_solvers import FourSolvers, Question

CAT = Question("A cat sleeps.", "cat")
DOG = Question("A dog sleeps.", "dog")


class Fake:
    """Solvers that count what they are asked."""

    def __init__(self, version="1"):
        self.version, self.asked, self.loaded = version, [], 0

    def signature(self):
        return f"fake {self.version}"

    def load(self):
        self.loaded += 1
        return self

    def synonyms(self, question):
        self.asked.append(question)
        return {"cat": ("kitty", "puss")}.get(question.concept, ())


@pytest.fixture
def fake(monkeypatch):
    return use(monkeypatch, Fake())


def use(monkeypatch, fake):
    monkeypatch.setattr(four_solvers, "signature", fake.signature)
    monkeypatch.setattr(four_solvers, "load", fake.load)
    return fake


class TestDecisions:
    def test_each_question_is_asked_once(self, fake):
        assert decide([CAT, DOG, CAT]) == {CAT: ("kitty", "puss"), DOG: ()}
        assert sorted(fake.asked) == [CAT, DOG]

    def test_decisions_are_cached(self, fake, monkeypatch, tmp_path):
        first = decide([CAT, DOG], tmp_path / "new" / "senses.json")
        again = use(monkeypatch, Fake())
        assert decide([DOG, CAT], tmp_path / "new" / "senses.json") == first
        # The slow import is saved too.
        assert (again.asked, again.loaded) == ([], 0)

    def test_another_package_version_decides_again(self, fake, monkeypatch, tmp_path):
        decide([CAT], tmp_path / "senses.json")
        newer = use(monkeypatch, Fake("2"))
        decide([CAT], tmp_path / "senses.json")
        assert newer.asked == [CAT]

    def test_decisions_before_a_failure_are_cached(self, fake, monkeypatch, tmp_path):
        questions = [Question(f"Sentence {k}.", "cat") for k in range(decisions.CHUNK + 1)]
        fake.synonyms = lambda question: ("kitty",) if question != questions[-1] else 1 / 0
        with pytest.raises(ZeroDivisionError):
            decide(questions, tmp_path / "senses.json")
        again = use(monkeypatch, Fake())
        decide(questions, tmp_path / "senses.json")
        assert again.asked == [questions[-1]]

    def test_a_damaged_cache_is_replaced(self, fake, monkeypatch, tmp_path):
        path = tmp_path / "senses.json"
        expected = decide([CAT], path)
        whole = path.read_text()
        for damaged in (whole.replace("puss", "pups"), whole[:-5], "something else", ""):
            path.write_text(damaged)
            again = use(monkeypatch, Fake())
            with pytest.warns(BambooWarning, match="the cached decisions .* are damaged"):
                assert decide([CAT], path) == expected
            assert again.asked == [CAT]
        assert path.read_text() == whole
        assert decide([CAT], path) == expected

    @pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
    def test_a_folder_that_cannot_be_written_to(self, fake, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(BuildError, match="cannot write to"):
            decide([CAT], tmp_path / "file" / "senses.json")

    def test_other_code_decides_again(self, fake, monkeypatch, tmp_path):
        decide([CAT], tmp_path / "senses.json")
        monkeypatch.setattr(decisions, "SOURCES", ("decisions.py",))
        again = use(monkeypatch, Fake())
        decide([CAT], tmp_path / "senses.json")
        assert again.asked == [CAT]


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
            four_solvers.signature()
        # The package is on no index, so its name is no argument of pip.
        assert "pip install '.[syno]'" in str(error.value)

    def test_another_version_of_it(self, monkeypatch):
        self.without(monkeypatch, pywsd="1.3.0", wn="1.1.1", nltk="3.10")
        with pytest.raises(BuildError, match=r"needs pywsd 1\.2\.5 but 1\.3\.0 is installed"):
            four_solvers.signature()

    def nltk(self, monkeypatch, *there):
        def find(path):
            if path not in there:
                raise LookupError(path)

        monkeypatch.setitem(sys.modules, "nltk", SimpleNamespace(data=SimpleNamespace(find=find)))

    def test_no_nltk_data(self, monkeypatch):
        self.without(monkeypatch, pywsd="1.2.5", wn="0.0.23", nltk="3.10")
        self.nltk(monkeypatch, "corpora/wordnet.zip", "tokenizers/punkt_tab/english")
        command = "python -m nltk.downloader averaged_perceptron_tagger_eng"
        with pytest.raises(BuildError, match=command) as error:
            four_solvers.signature()
        assert "NLTK_DATA" in str(error.value)
        assert "punkt" not in str(error.value)

    def test_nothing_is_missing(self, monkeypatch):
        self.without(monkeypatch, pywsd="1.2.5", wn="0.0.23", nltk="3.10")
        self.nltk(monkeypatch, *four_solvers.NLTK_DATA.values())
        assert four_solvers.signature() == "pywsd 1.2.5 wn 0.0.23 nltk 3.10"


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
