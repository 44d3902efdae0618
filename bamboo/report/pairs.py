"""The pairs of a report on parsers: their graphs and what differs in them, in small script files.

As on the site, data are scripts that pages load when they need them:

- ``sentences``: of each pair its name in addresses, the number of nodes and of triples of the gold
  graph, and in how many places all parsers agree with one another and not with gold;
- ``text/<n>``: of `PART` pairs the sentence and the concepts that a search finds;
- ``scores/<parser>``: of each pair the scores, and what it costs;
- ``mistakes/<parser>``: of each pair how many mistakes of each kind there are;
- ``aspects/<n>``: of each pair the scores of one aspect, by parser;
- ``graphs/<n>``: `CHUNK` pairs with each parser (`bamboo.site.pairs.packed`), and what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from amr_metrics.base import Metric, Pair
from bamboo.benchmark.sentences import texts_of
from bamboo.evaluation.report import ParserReport
from bamboo.explanation.mistakes import CONSTRUCTIONS, DIRECTIONS, Mistake, mistakes
from bamboo.pairs.chunks import PairChunk
from bamboo.report.differences import Differences, differences
from bamboo.site.folder import SiteFolder
from bamboo.site.pairs import (
    CHUNK,
    ShownPair,
    Words,
    explanations_of,
    forms_of,
    outlines_of,
    packed,
    shown_pair,
)
from bamboo.site.titles import unique_slug

READ = 10 * CHUNK  # pairs read at a time
PART = 5000  # pairs in a file of sentences
KINDS = [(construction, direction) for construction in CONSTRUCTIONS for direction in DIRECTIONS]

PairSource = Callable[[int], Iterator[PairChunk]]  # yields the pairs of a parser, so many at a time
Chunk = Mapping[str, Sequence[Pair | None]]  # some consecutive pairs of each parser
Explained = tuple[ShownPair, Sequence[Mistake], Differences | None]


@dataclass
class Collected:
    """What the pages need of all pairs.

    Attributes:
        slugs: the name of each parser in addresses and files.
        ids, sentences: of each pair; None and "" without.
        concepts: of the gold graph and, if they are extra, of the parses.
        sizes: the number of nodes of each gold graph; -1 if it is unknown.
        is_aligned: whether the metric aligns nodes.
        has_triples: whether the metric compares triples, so that there are mistakes.
    """

    slugs: Mapping[str, str]
    ids: list[str | None] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    concepts: list[list[str]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    is_aligned: bool = True
    has_triples: bool = False

    @cached_property
    def names(self) -> list[str]:
        """The name of each pair in addresses: its id, or its number if not all have their own."""
        ids = [id for id in self.ids if id]
        is_named = len(ids) == len({*ids}) == len(self.ids)
        return ids if is_named else [*map(str, range(len(self.ids)))]

    def name(self, k: int) -> str:
        """Return the name of a pair in addresses."""
        return self.names[k]


def write_pairs(
    folder: SiteFolder, report: ParserReport, metric: Metric, pairs: Mapping[str, PairSource]
) -> Collected:
    """Write the graphs of all pairs, and return what the pages need of them.

    Args:
        pairs: the pairs of each parser.
    """
    taken: set[str] = set()
    found = Collected({name: unique_slug(name, taken, "parser") for name in report.parsers})
    for number, chunk in enumerate(_chunks(pairs)):
        first = len(found.ids)
        _add_sentences(found, chunk, report)
        words = Words()
        systems, different = {}, {}
        for name, slug in found.slugs.items():
            explained = _explained(metric, chunk[name], report[name].on_error, found)
            for k, (_, own, _) in enumerate(explained, first):
                extra = (t.target for m in own if m.direction == "extra" for t in m.src[:1])
                found.concepts[k] += extra
            systems[slug] = [pair for pair, _, _ in explained]
            different[slug] = [_packed(own, one, words) for _, own, one in explained]
        content = packed(systems, words)
        if found.has_triples:
            content["differences"] = different
        folder.write_data(f"graphs/{number}", {**content, "words": words.texts()})
    for number, start in enumerate(range(0, len(found.ids), PART)):
        part = slice(start, start + PART)
        concepts = [" ".join(dict.fromkeys(own)) for own in found.concepts[part]]
        folder.write_data(
            f"text/{number}", {"sentences": found.sentences[part], "concepts": concepts}
        )
    return found


def _chunks(pairs: Mapping[str, PairSource]) -> Iterator[Chunk]:
    """Yield `CHUNK` pairs of each parser at a time."""
    for read in zip(*(source(READ) for source in pairs.values()), strict=True):
        for first in range(0, len(read[0]), CHUNK):
            chosen = slice(first, first + CHUNK)
            yield {name: of.pairs[chosen] for name, of in zip(pairs, read, strict=True)}


def _add_sentences(found: Collected, chunk: Chunk, report: ParserReport) -> None:
    ids_of = [scores.ids for scores in report.parsers.values()]
    for pairs in zip(*chunk.values(), strict=True):
        k = len(found.ids)
        ids = (all_ids[k] for all_ids in ids_of)
        found.ids.append(next((id for id in ids if id is not None), None))
        read = [pair for pair in pairs if pair is not None]
        texts = [text for pair in read for text in reversed(texts_of(pair)) if text]
        found.sentences.append(texts[0] if texts else "")
        found.concepts.append([*read[0].tgt.concepts] if read else [])
        found.sizes.append(len(read[0].tgt.variables) if read else -1)


def _explained(
    metric: Metric, pairs: Sequence[Pair | None], on_error: str, found: Collected
) -> list[Explained]:
    """Return the pairs of a parser with their mistakes and differences."""
    explanations = explanations_of(metric, pairs, on_error, range(len(pairs)))
    found.is_aligned &= explanations is not None
    explained: list[Explained] = []
    forms = forms_of(metric, pairs)
    for form, one in zip(forms, explanations or [None] * len(pairs), strict=True):
        outlines = outlines_of(form)
        pair = shown_pair(outlines, one)
        if form is None or outlines is None or one is None or not pair.matches:
            explained.append((pair, (), None))
            continue
        found.has_triples = True
        own = mistakes(one)
        explained.append((pair, own, differences(form, outlines, one, own)))
    return explained


def kind_code(kind: tuple[str, str]) -> str:
    """Return the name of a kind of mistakes in addresses.

    >>> kind_code(("core role", "wrong"))
    'core-role-wrong'
    """
    return "-".join((kind[0].replace(" ", "-"), kind[1]))


def _kind(mistake: Mistake) -> int:
    return KINDS.index((mistake.construction, mistake.direction))


def _packed(
    own: Sequence[Mistake], different: Differences | None, words: Words
) -> dict[str, Any] | None:
    """Return differences with the kind of their mistake, as flat numbers.

    ``marks``: line, sign, kind and text; ``own``: line, depth, kind and text; ``extra``: lines.
    """
    if different is None:
        return None
    kinds = [_kind(mistake) for mistake in own]
    return {
        "marks": [
            v for m in different.marks for v in (m.line, m.sign, kinds[m.mistake], words[m.text])
        ],
        "own": [
            v for o in different.own for v in (o.line, o.depth, kinds[o.mistake], words[o.text])
        ],
        "extra": [*different.extra],
    }
