"""Syno: concepts are replaced by synonyms (BAMBOO, section 5).

A frame (``say-01``) is drawn from its cluster of frames; another concept (``kitten``) is replaced
by a lemma of the noun sense that a disambiguator assigns to it in its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import penman

from bamboo.files import parse_yaml
from bamboo.transforms.errors import BuildError
from bamboo.transforms.four_solvers import Question
from bamboo.transforms.layout import concepts
from bamboo.transforms.record import Operation, Transformed

FRAME = re.compile(r".+-\d\d+")
SECTIONS = ("clusters", "always", "never")


@dataclass(frozen=True)
class Synonyms:
    """Synonyms that do not depend on the sentence.

    Attributes:
        clusters: sets of interchangeable frames.
        always: concepts with the lemmas that replace them in any sentence.
        never: concepts that are not replaced.

    Raises:
        BuildError: a cluster of fewer than two frames, a frame in two clusters, an item in a
            cluster that is not a frame, or a concept in two sections.
    """

    clusters: tuple[tuple[str, ...], ...]
    always: Mapping[str, tuple[str, ...]]
    never: frozenset[str]

    def __post_init__(self) -> None:
        seen: dict[str, tuple[str, ...]] = {}
        for cluster in self.clusters:
            if len(cluster) < 2:
                raise BuildError(f"the cluster {list(cluster)} has fewer than two frames")
            for frame in cluster:
                if not FRAME.fullmatch(frame):
                    raise BuildError(f"{frame!r} in the cluster {list(cluster)} is not a frame")
                if frame in seen:
                    raise BuildError(
                        f"{frame} is in two clusters, {list(seen[frame])} and {list(cluster)}: "
                        "merge them or take it out of one"
                    )
                seen[frame] = cluster
        for concept, lemmas in self.always.items():
            if concept in self.never:
                raise BuildError(f"{concept} is listed both in 'always' and in 'never'")
            if not lemmas or FRAME.fullmatch(concept):
                raise BuildError(
                    f"'always' needs lemmas for a concept that is not a frame: {concept}"
                )

    @cached_property
    def cluster_of(self) -> dict[str, tuple[str, ...]]:
        """The cluster of each frame."""
        return {frame: cluster for cluster in self.clusters for frame in cluster}

    @classmethod
    @cache
    def default(cls) -> Synonyms:
        """Return the table that reproduces the released files.

        >>> Synonyms.default().cluster_of["say-01"]
        ('say-01', 'state-01')
        """
        table = files("bamboo.transforms").joinpath("tables", "synonyms.yaml")
        return cls._parse(table.read_text("utf-8"), table.name)

    @classmethod
    def read(cls, path: str | Path) -> Synonyms:
        """Return a table from a YAML file with the sections clusters, always and never.

        Raises:
            BuildError: the file cannot be read or is not such a table.
        """
        try:
            text = Path(path).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BuildError(f"the synonyms {path} cannot be read: {error}") from None
        return cls._parse(text, str(path))

    @classmethod
    def _parse(cls, text: str, source: str) -> Synonyms:
        try:
            content = parse_yaml(text) or {}
            if not isinstance(content, dict) or not set(content) <= set(SECTIONS):
                raise BuildError(f"expected the sections {', '.join(SECTIONS)}")
            always = content.get("always") or {}
            if not isinstance(always, dict) or not all(isinstance(key, str) for key in always):
                raise BuildError(f"always: expected words and their synonyms, found {always!r}")
            return cls(
                tuple(tuple(row) for row in _rows(content.get("clusters") or [])),
                {
                    concept: tuple(row)
                    for concept, row in zip(always, _rows(list(always.values())), strict=True)
                },
                frozenset(word for row in _rows(content.get("never") or []) for word in row),
            )
        except ValueError as error:
            raise BuildError(f"{source} is not valid YAML: {error}") from None
        except BuildError as error:
            raise BuildError(f"{source}: {error}") from None


def _rows(value: Any) -> Iterator[list[str]]:
    if not isinstance(value, list):
        raise BuildError(f"expected lists of words, found {value!r}")
    for row in value:
        if not isinstance(row, list) or not all(isinstance(word, str) for word in row):
            raise BuildError(f"expected a list of words, found {row!r}")
        yield row


def questions(
    graph: penman.Graph, sentence: str, synonyms: Synonyms | None = None
) -> list[Question]:
    """Return the questions to the disambiguator: the concepts whose synonyms depend on the sense.

    >>> from bamboo.transforms.layout import parse_layouts
    >>> graph, = parse_layouts("(s / say-01 :ARG0 (m / man) :ARG2 (k / kitten))")
    >>> questions(graph, "The man said so to the kitten.")
    [Question(sentence='The man said so to the kitten.', concept='kitten')]
    """
    table = synonyms or Synonyms.default()
    return [
        Question(sentence, concept)
        for _, _, concept in concepts(graph)
        if not FRAME.fullmatch(concept)
        and concept not in table.never
        and concept not in table.always
    ]


def substitute(
    graph: penman.Graph,
    sentence: str,
    decisions: Mapping[Question, Sequence[str]],
    generator: np.random.Generator,
    synonyms: Synonyms | None = None,
) -> Transformed:
    """Return the graph with concepts replaced by synonyms and with a new layout.

    Frames and lemmas are drawn uniformly. In a lemma of several words, the last becomes the
    concept; each other word modifies the next one. New variables are named as in the release:
    ``yvi``, the number of the concept's triple, a hyphen, and the word's number from the end.

    Args:
        decisions: the lemmas that may replace each concept in question; none if it stays.

    >>> from bamboo.transforms.layout import parse_layouts, to_text
    >>> graph, = parse_layouts("(p / play-01 :ARG0 (m / man) :ARG1 (s / soccer))")
    >>> sentence = "A man is playing soccer."
    >>> senses = {Question(sentence, "soccer"): ("association_football",)}
    >>> played, operations = substitute(graph, sentence, senses, np.random.default_rng(0))
    >>> print(to_text([played]))
    (p / play-01
          :ARG0 (m / male
                :mod (yvi3-2 / adult))
          :ARG1 (s / football
                :mod (yvi5-2 / association)))
    >>> [operation.after for operation in operations]
    ['adult_male', 'association_football']
    """
    table = synonyms or Synonyms.default()

    def choices(concept: str) -> Sequence[str]:
        if FRAME.fullmatch(concept):
            return table.cluster_of.get(concept, ())
        if concept in table.never:
            return ()
        return table.always.get(concept) or decisions[Question(sentence, concept)]

    def draw(concept: str) -> str:
        options = choices(concept)
        return options[int(generator.integers(len(options)))] if options else concept

    return replace_concepts(graph, {node: draw(concept) for _, node, concept in concepts(graph)})


def replace_concepts(graph: penman.Graph, lemmas: Mapping[str, str]) -> Transformed:
    """Return the graph with some concepts replaced by lemmas and with a new layout.

    Args:
        lemmas: the new lemma of each variable; words are joined by underscores.
    """
    triples: list[tuple[str, str, str]] = []
    operations = []
    taken = graph.variables()
    for position, (source, role, target) in enumerate(graph.triples):
        lemma = lemmas.get(source, target)
        if role != ":instance" or lemma == target:
            triples.append((source, role, target))
            continue
        operations.append(Operation(source, str(target), lemma))
        *earlier, head = lemma.split("_") if not FRAME.fullmatch(lemma) else [lemma]
        triples.append((source, role, head))
        modified = source
        names = _names(position + 1, taken)  # without end, hence not strict
        for node, word in zip(names, reversed(earlier), strict=False):
            triples += [(modified, ":mod", node), (node, ":instance", word)]
            modified = node
    changed = penman.Graph(triples, top=graph.top, metadata=graph.metadata)
    return Transformed(changed, tuple(operations))


def _names(number: int, taken: Iterable[str]) -> Iterator[str]:
    used = set(taken)
    return (name for k in count(2) if (name := f"yvi{number}-{k}") not in used)
