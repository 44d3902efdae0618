"""Word sense disambiguation for Syno: which synonyms a concept has in a sentence.

`Disambiguator` is the interface to the packages that disambiguate. They are slow to import and are
imported only for decisions that are not cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from bamboo.config.implementation import source_digest
from bamboo.engines import SERIAL, Engine
from bamboo.errors import unknown
from bamboo.transforms.decisions import DecisionCache, Decisions, Question
from bamboo.transforms.errors import BuildError

Progress = Callable[[str, int], None]

SOURCES = ("wsd.py", "four_solvers.py", "pywsd125.py", "pywsd13.py")  # the code that decides
DISAMBIGUATORS: Mapping[str, str] = {
    "pywsd125": "bamboo.transforms.pywsd125",
    "pywsd13": "bamboo.transforms.pywsd13",
}
CHUNK = 100  # sentences per task


class Disambiguator(Protocol):
    """Chooses the sense of a concept in its sentence."""

    def synonyms(self, question: Question) -> tuple[str, ...]:
        """The lemmas that may replace the concept in the sentence; none if it must not change."""
        ...


class Package(Protocol):
    """A module that provides a disambiguator."""

    def signature(self) -> str:
        """The packages and the lexicon with their versions: equal signatures mean equal decisions.

        Quick to call. Raises BuildError with the command to run if anything is missing.
        """
        ...

    def load(self) -> Disambiguator:
        """The disambiguator itself; loading may take seconds."""
        ...


def package(name: str) -> Package:
    """The module of a disambiguator.

    Args:
        name: a key of `DISAMBIGUATORS`.

    Raises:
        BuildError: an unknown name.
    """
    if name not in DISAMBIGUATORS:
        raise BuildError(unknown("wsd", name, DISAMBIGUATORS))
    return cast(Package, import_module(DISAMBIGUATORS[name]))


def decide(
    questions: Iterable[Question],
    name: str,
    cache_file: Path | None = None,
    engine: Engine = SERIAL,
    progress: Progress = lambda what, total: None,
) -> Decisions:
    """The synonyms of each concept in its sentence; cached decisions are not made again.

    Args:
        name: a key of `DISAMBIGUATORS`.
        cache_file: where decisions are cached; None for no cache.
        engine: where decisions are made.
        progress: called after every chunk of sentences, with the step's name and the number of
            chunks.

    Raises:
        BuildError: a package or lexicon is missing; raised before any work is done.
    """
    # Decisions belong to the packages that make them and to the code that asks the packages.
    code = source_digest(Path(__file__).with_name(file) for file in SOURCES)
    signature = f"{package(name).signature()} code {code[:16]}"
    distinct = list(dict.fromkeys(questions))
    with DecisionCache.open(cache_file, signature) as cached:
        decisions = cached.find(distinct)
        missing = [question for question in distinct if question not in decisions]
        chunks = list(_chunks(missing))
        tasks = [(chunk, name) for chunk in chunks]
        for answers in engine.map(_answer, tasks, ordered=False):
            cached.store(answers)
            decisions.update(answers)
            progress("senses", len(chunks))
    return decisions


def _chunks(questions: Sequence[Question]) -> Iterator[list[Question]]:
    """Chunks of questions; all questions about a sentence are in one chunk."""
    by_sentence: dict[str, list[Question]] = {}
    for question in questions:
        by_sentence.setdefault(question.sentence, []).append(question)
    groups = list(by_sentence.values())
    for start in range(0, len(groups), CHUNK):
        yield [question for group in groups[start : start + CHUNK] for question in group]


def _answer(chunk: Sequence[Question], name: str) -> dict[Question, tuple[str, ...]]:
    disambiguator = _loaded(name)
    return {question: disambiguator.synonyms(question) for question in chunk}


@cache
def _loaded(name: str) -> Disambiguator:
    """The disambiguator, loaded once per process."""
    return package(name).load()
