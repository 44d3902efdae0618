"""Word sense disambiguation for Syno: which synonyms a concept has in a sentence.

The packages that disambiguate are slow to import and are imported only for decisions that are not
cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from bamboo.config.implementation import source_digest
from bamboo.engines import SERIAL, Engine
from bamboo.transforms import four_solvers
from bamboo.transforms.decisions import DecisionCache, Decisions, Question
from bamboo.transforms.four_solvers import FourSolvers

Progress = Callable[[str, int], None]

SOURCES = ("wsd.py", "four_solvers.py")  # the code that decides
CHUNK = 100  # sentences per task


def decide(
    questions: Iterable[Question],
    cache_file: Path | None = None,
    engine: Engine = SERIAL,
    progress: Progress = lambda what, total: None,
) -> Decisions:
    """The synonyms of each concept in its sentence; cached decisions are not made again.

    Args:
        cache_file: where decisions are cached; None for no cache.
        engine: where decisions are made.
        progress: called after every chunk of sentences, with the step's name and the number of
            chunks.

    Raises:
        BuildError: a package or lexicon is missing; raised before any work is done.
    """
    # Decisions belong to the packages that make them and to the code that asks the packages.
    code = source_digest(Path(__file__).with_name(file) for file in SOURCES)
    signature = f"{four_solvers.signature()} code {code[:16]}"
    distinct = list(dict.fromkeys(questions))
    with DecisionCache.open(cache_file, signature) as cached:
        decisions = cached.find(distinct)
        missing = [question for question in distinct if question not in decisions]
        chunks = list(_chunks(missing))
        tasks = [(chunk,) for chunk in chunks]
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


def _answer(chunk: Sequence[Question]) -> dict[Question, tuple[str, ...]]:
    solvers = _solvers()
    return {question: solvers.synonyms(question) for question in chunk}


@cache
def _solvers() -> FourSolvers:
    """Load the solvers, once per process."""
    return four_solvers.load()
