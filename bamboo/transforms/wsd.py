"""Word sense disambiguation for Syno: which synonyms a concept has in a sentence.

One small interface, `Disambiguator`, stands in front of the packages that know; they are slow to
import and are imported only when a decision is wanted that the cache does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from bamboo.config.implementation import source_digest
from bamboo.errors import unknown
from bamboo.transforms.decisions import DecisionCache
from bamboo.transforms.errors import BuildError

Progress = Callable[[str, int], None]

SOURCES = ("wsd.py", "four_solvers.py", "pywsd125.py", "pywsd13.py")  # that decide
DISAMBIGUATORS: Mapping[str, str] = {
    "pywsd125": "bamboo.transforms.pywsd125",
    "pywsd13": "bamboo.transforms.pywsd13",
}
CHUNK = 100  # sentences a task


class Question(NamedTuple):
    """A concept, as its graph has it, in a sentence."""

    sentence: str
    concept: str


Decisions = Mapping[Question, tuple[str, ...]]


class Disambiguator(Protocol):
    """What tells the senses of a concept apart."""

    def synonyms(self, question: Question) -> tuple[str, ...]:
        """The lemmas that may stand for the concept there; none if it is to be kept."""
        ...


class Package(Protocol):
    """A module that has a disambiguator."""

    def signature(self) -> str:
        """The packages and lexicon with their versions: equal signatures mean equal decisions.

        It is quick, and raises BuildError with the command to run if anything is missing.
        """
        ...

    def load(self) -> Disambiguator:
        """The disambiguator itself, which may take seconds."""
        ...


def package(name: str) -> Package:
    """The module behind a name of `DISAMBIGUATORS`.

    Raises:
        BuildError: if there is none.
    """
    if name not in DISAMBIGUATORS:
        raise BuildError(unknown("wsd", name, DISAMBIGUATORS))
    return cast(Package, import_module(DISAMBIGUATORS[name]))


def decide(
    questions: Iterable[Question],
    name: str,
    cache_file: Path | None = None,
    jobs: int = 1,
    progress: Progress = lambda what, total: None,
) -> Decisions:
    """The synonyms of each concept in its sentence, from the cache as far as it holds them.

    Args:
        name: of `DISAMBIGUATORS`.
        cache_file: where decisions are kept from one run to the next; None keeps none.
        jobs: processes.
        progress: called for every chunk of sentences with what was done and the number of chunks.

    Raises:
        BuildError: a package or lexicon that is missing; before any work is done.
    """
    # Decisions belong to the packages that make them and to the code that asks the packages.
    code = source_digest(Path(__file__).with_name(file) for file in SOURCES)
    signature = f"{package(name).signature()} code {code[:16]}"
    wanted = list(dict.fromkeys(questions))
    with DecisionCache.open(cache_file, signature) as kept:
        decisions = kept.find(wanted)
        missing = [question for question in wanted if question not in decisions]
        chunks = list(_chunks(missing))
        for answers in _answers(chunks, name, jobs):
            kept.store(answers)
            decisions.update(answers)
            progress("senses", len(chunks))
    return decisions


def _chunks(questions: Sequence[Question]) -> Iterator[list[Question]]:
    """The questions by sentence, some sentences at a time, so that each is analysed once."""
    by_sentence: dict[str, list[Question]] = {}
    for question in questions:
        by_sentence.setdefault(question.sentence, []).append(question)
    groups = list(by_sentence.values())
    for start in range(0, len(groups), CHUNK):
        yield [question for group in groups[start : start + CHUNK] for question in group]


def _answers(
    chunks: Sequence[Sequence[Question]], name: str, jobs: int
) -> Iterator[dict[Question, tuple[str, ...]]]:
    """The decisions of each chunk, as they come."""
    if jobs == 1 or len(chunks) < 2:
        for chunk in chunks:
            yield _answer(chunk, name)
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered")
    yield from parallel(delayed(_answer)(chunk, name) for chunk in chunks)


def _answer(chunk: Sequence[Question], name: str) -> dict[Question, tuple[str, ...]]:
    disambiguator = _loaded(name)
    return {question: disambiguator.synonyms(question) for question in chunk}


@cache
def _loaded(name: str) -> Disambiguator:
    """One disambiguator a process."""
    return package(name).load()
