"""The pairs of a report on parsers: their graphs and what differs in them, in small script files.

As on the site, data are scripts that pages load when they need them:

- ``sentences``: of each pair its name in addresses, the number of nodes and of triples of the gold
  graph, and in how many places all parsers agree with one another and not with gold;
- ``text/<n>``: of `PART` pairs the sentence and the concepts that a search finds;
- ``scores/<parser>``: of each pair the scores, and what it costs;
- ``mistakes/<parser>``: of each pair how many mistakes of each kind there are;
- ``aspects/<n>``: of each pair the scores of one aspect, by parser;
- ``graphs/<n>``: `CHUNK` pairs with each parser (`bamboo.pages.explorer.packed`), and what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from amr_metrics.base import Metric, Pair
from amr_metrics.explanation import Explanation
from bamboo.explanation.mistakes import CONSTRUCTIONS, DIRECTIONS, Mistake, mistakes
from bamboo.pages.explorer import (
    CHUNK,
    Outlines,
    Words,
    explanations_of,
    packed,
    shown_pair,
)
from bamboo.pages.folder import SiteFolder, unique_slug
from bamboo.parsers.mistakes import collect_mistakes, explains_triples
from bamboo.parsers.report.differences import Lines, differences
from bamboo.parsers.result import ParserReport
from bamboo.scoring.chunks import PairChunk
from bamboo.scoring.file_pairs import texts_of
from bamboo.scoring.mistake_rows import ParserMistakes

READ = 10 * CHUNK  # pairs read at a time
PART = 5000  # pairs in a file of sentences
KINDS = [(construction, direction) for construction in CONSTRUCTIONS for direction in DIRECTIONS]

PairSource = Callable[[int], Iterator[PairChunk]]  # yields the pairs of a parser, so many at a time


@dataclass
class Collected:
    """What the pages need of all pairs.

    Attributes:
        slugs: the name of each parser in addresses and files.
        ids, sentences: of each pair; None and "" without.
        concepts: of the gold graph and, if they are extra, of the parses.
        sizes: the number of nodes of each gold graph; -1 if it is unknown.
        is_aligned: whether the metric aligns nodes.
        mistakes: by parser; empty for a metric without triples.
    """

    slugs: Mapping[str, str]
    ids: list[str | None] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    concepts: list[list[str]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    is_aligned: bool = True
    mistakes: dict[str, ParserMistakes] = field(default_factory=dict)

    @cached_property
    def names(self) -> list[str]:
        """The name of each pair in addresses: its id, or its number if not all have their own."""
        ids = [id for id in self.ids if id]
        is_named = len(ids) == len({*ids}) == len(self.ids)
        return ids if is_named else [*map(str, range(len(self.ids)))]

    def name(self, k: int) -> str:
        """Return the name of a pair in addresses."""
        return self.names[k]


class ExplainedParse(NamedTuple):
    """A pair of a parser, in the form in which the metric explains it.

    Attributes:
        lines: of the parse and the gold graph; None if the pair is missing.
        explanation: None if there is none.
        mistakes: empty for a metric without triples.
    """

    lines: tuple[Lines, Lines] | None
    explanation: Explanation | None
    mistakes: Sequence[Mistake]

    @property
    def outlines(self) -> Outlines | None:
        """The outlines of both graphs."""
        return None if self.lines is None else (self.lines[0].outline, self.lines[1].outline)


def write_pairs(
    folder: SiteFolder, report: ParserReport, metric: Metric, pairs: Mapping[str, PairSource]
) -> Collected:
    """Write the graphs of all pairs, and return what the pages need of them.

    Args:
        pairs: the pairs of each parser.
    """
    taken: set[str] = set()
    found = Collected({name: unique_slug(name, taken, "parser") for name in report.parsers})
    has_triples = explains_triples(metric)
    tables: dict[str, list[ParserMistakes]] = {n: [] for n in found.slugs if has_triples}
    for read in zip(*(source(READ) for source in pairs.values()), strict=True):
        sides = {name: of_parser.pairs for name, of_parser in zip(pairs, read, strict=True)}
        start = len(found.ids)
        _add_sentences(found, sides, report)
        explained = _explained(found, sides, report, metric, has_triples)
        for name in tables:
            of_parser = [
                (k, one.explanation, one.mistakes) for k, one in enumerate(explained[name])
            ]
            tables[name].append(collect_mistakes(of_parser, len(of_parser)))
            for k, _, mistakes_of_pair in of_parser:
                found.concepts[start + k] += _extra_concepts(mistakes_of_pair)
        for first in range(start, len(found.ids), CHUNK):
            chosen = slice(first - start, first - start + CHUNK)
            systems = {found.slugs[name]: own[chosen] for name, own in explained.items()}
            folder.write_data(f"graphs/{first // CHUNK}", _graphs(systems, has_triples))
    found.mistakes = {name: ParserMistakes.concatenate(own) for name, own in tables.items()}
    for number, start in enumerate(range(0, len(found.ids), PART)):
        part = slice(start, start + PART)
        concepts = [" ".join(dict.fromkeys(own)) for own in found.concepts[part]]
        folder.write_data(
            f"text/{number}", {"sentences": found.sentences[part], "concepts": concepts}
        )
    return found


def _explained(
    found: Collected,
    sides: Mapping[str, Sequence[Pair | None]],
    report: ParserReport,
    metric: Metric,
    has_triples: bool,
) -> dict[str, list[ExplainedParse]]:
    """Explain the pairs of each parser, which are the last ones of `found`."""
    gold: dict[int, Lines] = {}
    explained: dict[str, list[ExplainedParse]] = {}
    for name, pairs in sides.items():
        numbers = range(len(found.ids) - len(pairs), len(found.ids))
        explanations = explanations_of(metric, pairs, report[name].on_error, numbers)
        found.is_aligned &= explanations is not None
        explained[name] = []
        for k, explanation in enumerate(explanations or [None] * len(pairs)):
            form = explanation.pair if explanation and explanation.pair else pairs[k]
            own = mistakes(explanation) if explanation and has_triples else ()
            explained[name].append(ExplainedParse(_lines(form, gold, k), explanation, own))
    return explained


def _graphs(systems: Mapping[str, Sequence[ExplainedParse]], has_triples: bool) -> dict[str, Any]:
    """Return some pairs with each parser as the content of a file."""
    words = Words()
    shown = {
        slug: [shown_pair(pair.outlines, pair.explanation, False) for pair in own]
        for slug, own in systems.items()
    }
    content = packed(shown, words)
    different = {}
    if has_triples:
        different = {s: [_differences(pair, words) for pair in own] for s, own in systems.items()}
    return {**content, "differences": different, "words": words.texts()}


def _add_sentences(
    found: Collected, sides: Mapping[str, Sequence[Pair | None]], report: ParserReport
) -> None:
    ids_of = [scores.ids for scores in report.parsers.values()]
    for within in range(len(next(iter(sides.values())))):
        ids = (all_ids[len(found.ids)] for all_ids in ids_of)
        found.ids.append(next((id for id in ids if id is not None), None))
        # Graphs are created when they are used: those of the first parser are enough, as a rule.
        read = (pair for pairs in sides.values() if (pair := pairs[within]) is not None)
        first = next(read, None)
        present = [] if first is None else chain([first], read)
        texts = (text for pair in present for text in reversed(texts_of(pair)) if text)
        found.sentences.append(next(texts, ""))
        found.concepts.append([] if first is None else [*first.tgt.concepts])
        found.sizes.append(-1 if first is None else len(first.tgt.variables))


def _lines(form: Pair | None, gold: dict[int, Lines], k: int) -> tuple[Lines, Lines] | None:
    """Return the lines of a pair; parsers share those of the gold graphs.

    Args:
        gold: the lines of the gold graph of each pair, which are added.
        k: the position of the pair.
    """
    if form is None:
        return None
    if k not in gold or gold[k].graph != form.tgt:
        gold[k] = Lines(form.tgt)
    return Lines(form.src), gold[k]


def _extra_concepts(mistakes: Sequence[Mistake]) -> list[str]:
    """Return the concepts that only a parse has; triples may also be texts."""
    triples = [one.src[0] for one in mistakes if one.construction == "concept" and not one.tgt]
    return [triple.target for triple in triples]


def kind_code(kind: tuple[str, str]) -> str:
    """Return the name of a kind of mistakes in addresses.

    >>> kind_code(("core role", "wrong"))
    'core-role-wrong'
    """
    return "-".join((kind[0].replace(" ", "-"), kind[1]))


def _kind(mistake: Mistake) -> int:
    return KINDS.index((mistake.construction, mistake.direction))


def _differences(pair: ExplainedParse, words: Words) -> dict[str, Any] | None:
    """Return what differs with the kinds of mistakes, as flat numbers; None for a missing pair.

    ``marks``: line, sign, kind and text; ``own``: line, depth, kind and text; ``extra``: lines.
    """
    if pair.lines is None or pair.explanation is None:
        return None
    different = differences(*pair.lines, pair.explanation, pair.mistakes)
    kinds = [_kind(mistake) for mistake in pair.mistakes]
    return {
        "marks": [
            v for m in different.marks for v in (m.line, m.sign, kinds[m.mistake], words[m.text])
        ],
        "own": [
            v for o in different.own for v in (o.line, o.depth, kinds[o.mistake], words[o.text])
        ],
        "extra": [*different.extra],
    }
