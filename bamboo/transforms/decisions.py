"""The synonyms that the disambiguator assigns to concepts in their sentences, cached in a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from bamboo.config.implementation import source_digest
from bamboo.engines import SERIAL, Engine
from bamboo.files import load_text, sealed, unsealed, write_text
from bamboo.log import warn
from bamboo.progress import OnStep
from bamboo.transforms import four_solvers
from bamboo.transforms.errors import BuildError
from bamboo.transforms.four_solvers import Question

Decisions = Mapping[Question, tuple[str, ...]]

SOURCES = ("decisions.py", "four_solvers.py")  # the code that decides
CHUNK = 100  # sentences per task


def decide(
    questions: Iterable[Question],
    cache_file: Path | None = None,
    engine: Engine = SERIAL,
    progress: OnStep = lambda what, total: None,
) -> Decisions:
    """Return the synonyms of each concept in its sentence; cached decisions are not made again.

    Args:
        cache_file: where decisions are cached; None for no cache.
        engine: where decisions are made.
        progress: called after every chunk of sentences, with the step's name and the number of
            chunks.

    Raises:
        BuildError: a package or lexicon is missing (raised before any work is done), or the cache
            cannot be written.
    """
    # Decisions depend on the packages that make them and on the code that calls the packages.
    code = source_digest(Path(__file__).with_name(file) for file in SOURCES)
    signature = f"{four_solvers.signature()} code {code[:16]}"
    decisions = {} if cache_file is None else _read(cache_file, signature)
    missing: dict[str, list[Question]] = {}
    for question in dict.fromkeys(questions):
        if question not in decisions:
            missing.setdefault(question.sentence, []).append(question)
    sentences = list(missing.values())
    chunks = [list(chain(*sentences[k : k + CHUNK])) for k in range(0, len(sentences), CHUNK)]
    try:
        for answers in engine.map(_answer, [(chunk,) for chunk in chunks], ordered=False):
            decisions.update(answers)
            progress("senses", len(chunks))
    finally:
        if cache_file is not None and chunks:
            _write(cache_file, signature, decisions)
    return decisions


def _answer(chunk: Sequence[Question]) -> dict[Question, tuple[str, ...]]:
    solvers = four_solvers.load()
    return {question: solvers.synonyms(question) for question in chunk}


def _read(path: Path, signature: str) -> dict[Question, tuple[str, ...]]:
    try:
        document = unsealed(load_text(path))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        warn([f"the cached decisions {path} are damaged ({error}): they are made again"])
        return {}
    if document["signature"] != signature:
        return {}
    return {
        Question(sentence, concept): tuple(lemmas)
        for sentence, concepts in document["decisions"].items()
        for concept, lemmas in concepts.items()
    }


def _write(path: Path, signature: str, decisions: Decisions) -> None:
    by_sentence: dict[str, dict[str, tuple[str, ...]]] = {}
    for (sentence, concept), lemmas in decisions.items():
        by_sentence.setdefault(sentence, {})[concept] = lemmas
    try:
        write_text(path, sealed({"signature": signature, "decisions": by_sentence}))
    except OSError as error:
        raise BuildError(f"cannot write to {path.parent}: {error.strerror}") from None
