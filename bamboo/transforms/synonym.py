"""Syno: concepts are replaced by synonyms (BAMBOO, section 5).

A frame (``say-01``) is drawn from its cluster of frames; another concept (``kitten``) is replaced
by a lemma of the noun sense that a disambiguator assigns to it in its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import numpy as np
import penman

from amr_metrics.configurations import parse_yaml
from bamboo.transforms.four_solvers import Question
from bamboo.transforms.layout import Transformed, concepts

FRAME = re.compile(r".+-\d\d+")


class Synonyms(NamedTuple):
    """Synonyms that do not depend on the sentence, as the released files show them.

    Attributes:
        clusters: the interchangeable frames of each frame, with the frame itself.
        always: concepts with the lemmas that replace them in any sentence.
        never: concepts that are not replaced.
    """

    clusters: Mapping[str, Sequence[str]]
    always: Mapping[str, Sequence[str]]
    never: frozenset[str]


@cache
def synonyms() -> Synonyms:
    """Return the table in ``tables/synonyms.yaml``.

    >>> synonyms().clusters["say-01"]
    ['say-01', 'state-01']
    """
    table = parse_yaml(Path(__file__).with_name("tables").joinpath("synonyms.yaml").read_text())
    return Synonyms(
        {frame: cluster for cluster in table["clusters"] for frame in cluster},
        table["always"],
        frozenset(chain(*table["never"])),
    )


def questions(graph: penman.Graph, sentence: str) -> list[Question]:
    """Return the questions to the disambiguator: the concepts whose synonyms depend on the sense.

    >>> from bamboo.transforms.layout import parse_layouts
    >>> graph, = parse_layouts("(s / say-01 :ARG0 (m / man) :ARG2 (k / kitten))")
    >>> questions(graph, "The man said so to the kitten.")
    [Question(sentence='The man said so to the kitten.', concept='kitten')]
    """
    table = synonyms()
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
    >>> operations
    2
    """
    table = synonyms()

    def choices(concept: str) -> Sequence[str]:
        if FRAME.fullmatch(concept):
            return table.clusters.get(concept, ())
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
    operations = 0
    taken = graph.variables()
    for position, (source, role, target) in enumerate(graph.triples):
        lemma = lemmas.get(source, target)
        if role != ":instance" or lemma == target:
            triples.append((source, role, target))
            continue
        operations += 1
        *earlier, head = lemma.split("_") if not FRAME.fullmatch(lemma) else [lemma]
        triples.append((source, role, head))
        modified = source
        names = _generate_names(position + 1, taken)  # without end, hence not strict
        for node, word in zip(names, reversed(earlier), strict=False):
            triples += [(modified, ":mod", node), (node, ":instance", word)]
            modified = node
    changed = penman.Graph(triples, top=graph.top, metadata=graph.metadata)
    return Transformed(changed, operations)


def _generate_names(number: int, taken: Iterable[str]) -> Iterator[str]:
    used = set(taken)
    return (name for k in count(2) if (name := f"yvi{number}-{k}") not in used)
