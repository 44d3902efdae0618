"""The pairs of a report on parsers: their graphs and what differs in them, in small script files.

As on the site, data are scripts that pages load when they need them:

- ``sentences``: of each pair its name in addresses, its id if that is another, the number of nodes
  (-1 if it is unknown) and of triples of the gold graph, in how many places all parsers agree with
  one another and not with gold, the mean score of every two annotators, and its bucket;
- ``text/<n>``: of `PART` pairs the sentence and the concepts that a search finds;
- ``scores/<parser>``: of each pair the score, precision and recall, the triples of the parse, and
  what it costs; the problems of pairs, by position;
- ``mistakes/<parser>``: of each pair how many mistakes of each kind there are;
- ``aspects/<n>``: of each pair the scores of one aspect, by parser;
- ``graphs/<n>``: `CHUNK` pairs with each parser (`bamboo.pages.explorer.pack_pairs`), and what
  differs; those that are compared in another form also as they were read.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import IO, Any, NamedTuple, Self

from amr_metrics.base import Metric, Pair
from amr_metrics.explanation import ExplainedTriple, Explanation
from amr_metrics.validity import Flag
from bamboo.errors import ConfigError
from bamboo.explanation.mistakes import CONSTRUCTIONS, DIRECTIONS, Mistake, mistakes
from bamboo.pages.explorer import (
    CHUNK,
    Outlines,
    ShownPair,
    Words,
    build_outlines,
    build_shown_pair,
    collect_explanations,
    pack_pairs,
)
from bamboo.pages.folder import SiteFolder, unique_slug
from bamboo.parsers.mistakes import collect_mistakes, explains_triples
from bamboo.parsers.report.differences import Differences, Lines, differences
from bamboo.scoring.chunks import PairChunk
from bamboo.scoring.file_pairs import FilePairs, list_texts
from bamboo.scoring.mistake_rows import ParserMistakes
from bamboo.scoring.problems import OnError

EXPLAINED = 10 * CHUNK  # pairs explained at a time
PART = 5000  # pairs in a file of sentences
READ = "{} read"  # the system of the pairs of a parser as they were read; slugs have no spaces
PairFlags = tuple[Sequence[Flag], ...]  # of both graphs of a pair; empty if not looked for
KINDS = [(construction, direction) for construction in CONSTRUCTIONS for direction in DIRECTIONS]


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

    def add_pair(self) -> None:
        """Add a pair of which nothing is known."""
        self.ids.append(None)
        self.sentences.append("")
        self.concepts.append([])
        self.sizes.append(-1)


class KeptPair(NamedTuple):
    """A pair of a parser as a file of graphs shows it.

    Attributes:
        differences: None for a missing pair, and for a metric without triples.
        kinds: the number of the kind of each mistake.
        flags: of the parse and of the gold graph, the line and the text of each; empty without.
        read: both graphs as they were read; None if they are compared in this form.
    """

    shown_pair: ShownPair
    differences: Differences | None = None
    kinds: Sequence[int] = ()
    flags: tuple[Sequence[tuple[int, str]], ...] = ()
    read: Outlines | None = None


class PairCollector:
    """Collects what the pages need of the pairs while they are scored: files are read once.

    One parser is scored after another, and a file of graphs has the pairs of all parsers. So the
    pairs of each parser wait in a temporary file, `CHUNK` at a time: memory does not grow with
    their graphs.
    """

    def __init__(
        self, folder: SiteFolder, metric: Metric, parsers: Iterable[str], on_error: OnError
    ) -> None:
        """Prepare an empty collection.

        Args:
            folder: where the files of graphs and sentences will be.
            metric: explains the pairs.
            parsers: their names, in the order in which they will be scored.
            on_error: how to treat a pair that cannot be explained, see `collect_explanations`.
        """
        self._folder, self._metric, self._on_error = folder, metric, on_error
        self._has_triples = explains_triples(metric)
        taken: set[str] = set()
        self._collected = Collected({name: unique_slug(name, taken, "parser") for name in parsers})
        self._mistakes: dict[str, list[ParserMistakes]] = {}
        self._waiting: dict[str, list[KeptPair]] = {name: [] for name in self._collected.slugs}
        self._files: dict[str, IO[bytes]] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        for name in self._collected.slugs:
            self._files[name] = self._stack.enter_context(self._folder.open_temporary())
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def add(self, parser: str, chunk: PairChunk) -> None:
        """Explain some pairs of a parser, and keep what the pages need of them.

        Raises:
            ConfigError: the temporary file cannot be written.
            PairError: a pair that cannot be explained (``on_error="stop"``), with its number.
        """
        self._add_sentences(chunk)
        waiting = self._waiting[parser]
        for start in range(0, len(chunk), EXPLAINED):
            pairs = chunk.pairs[start : start + EXPLAINED]
            flags = [
                tuple(of_side.get(start + k, ()) for of_side in chunk.flags or ())
                for k in range(len(pairs))
            ]
            waiting += self._explain(parser, pairs, chunk.first + start, flags)
            while len(waiting) >= CHUNK:
                self._keep(parser, waiting[:CHUNK])
                del waiting[:CHUNK]

    def write(self) -> Collected:
        """Write the graphs and the sentences of all pairs, and return what the pages need."""
        collected, folder = self._collected, self._folder
        for name, waiting in self._waiting.items():
            self._keep(name, waiting)
            self._files[name].seek(0)
        for number in range(-(-len(collected.ids) // CHUNK)):
            systems = {slug: self._load(name) for name, slug in collected.slugs.items()}
            folder.write_data(f"graphs/{number}", _pack_graphs(systems, self._has_triples))
        for number, start in enumerate(range(0, len(collected.ids), PART)):
            part = slice(start, start + PART)
            concepts = [" ".join(dict.fromkeys(names)) for names in collected.concepts[part]]
            texts = {"sentences": collected.sentences[part], "concepts": concepts}
            folder.write_data(f"text/{number}", texts)
        for name, parts in self._mistakes.items():
            collected.mistakes[name] = ParserMistakes.concatenate(parts)
        return collected

    def _keep(self, parser: str, pairs: list[KeptPair]) -> None:
        file = self._files[parser]
        try:
            pickle.dump(pairs, file, pickle.HIGHEST_PROTOCOL)
            file.flush()
        except OSError as error:
            raise ConfigError(f"cannot write to {self._folder.folder}: {error.strerror}") from None

    def _load(self, parser: str) -> list[KeptPair]:
        pairs: list[KeptPair] = pickle.load(self._files[parser])
        return pairs

    def _add_sentences(self, chunk: PairChunk) -> None:
        """Add ids, sentences and concepts, as far as no earlier parser had them."""
        collected = self._collected
        for k, id in enumerate(chunk.src_ids, chunk.first):
            if k == len(collected.ids):
                collected.add_pair()
            collected.ids[k] = id if collected.ids[k] is None else collected.ids[k]
            # Graphs are created when they are used: those of one parser are enough, as a rule.
            if collected.sentences[k] and collected.sizes[k] >= 0:
                continue
            pair = chunk.pairs[k - chunk.first]
            if pair is None:
                continue
            if collected.sizes[k] < 0:
                collected.sizes[k] = len(pair.tgt.variables)
                collected.concepts[k] += pair.tgt.concepts
            texts = (text for text in reversed(list_texts(pair)) if text)
            collected.sentences[k] = collected.sentences[k] or next(texts, "")

    def _explain(
        self, parser: str, pairs: FilePairs, first: int, flags: Sequence[PairFlags]
    ) -> list[KeptPair]:
        """Explain pairs, and collect their mistakes.

        Args:
            first: the position of the first of them.
            flags: of both graphs of each pair.
        """
        numbers = range(first, first + len(pairs))
        explanations = collect_explanations(self._metric, pairs, self._on_error, numbers)
        self._collected.is_aligned &= explanations is not None
        explained = explanations or [None] * len(pairs)
        by_pair = [mistakes(e) if e and self._has_triples else () for e in explained]
        if self._has_triples:
            rows = zip(range(len(pairs)), explained, by_pair, strict=True)
            part = collect_mistakes(rows, len(pairs))
            self._mistakes.setdefault(parser, []).append(part)
        kept = []
        for k, (explanation, of_pair) in enumerate(zip(explained, by_pair, strict=True)):
            self._collected.concepts[first + k] += _list_extra_concepts(of_pair)
            kept.append(_show(pairs[k], explanation, of_pair, self._has_triples, flags[k]))
        return kept


def _show(
    read: Pair | None,
    explanation: Explanation | None,
    of_pair: Sequence[Mistake],
    has_triples: bool,
    flags: PairFlags,
) -> KeptPair:
    """Return a pair as a file of graphs shows it.

    Args:
        read: the pair as it was read; None if it is missing.
        explanation: None if there is none.
        of_pair: the mistakes.
        flags: of both graphs.
    """
    form = explanation.pair if explanation and explanation.pair else read
    if form is None:
        return KeptPair(ShownPair(None))
    parse, gold = Lines(form.src), Lines(form.tgt)
    compared = (parse.outline, gold.outline)
    shown_pair = build_shown_pair(compared, explanation, has_marks=False)
    outlines = None if read == form else build_outlines(read)
    placed = tuple(map(_place_flags, (parse, gold), flags)) if any(flags) else ()
    if explanation is None or not has_triples:
        return KeptPair(shown_pair, flags=placed, read=outlines)
    kinds = [KINDS.index((mistake.construction, mistake.direction)) for mistake in of_pair]
    different = differences(parse, gold, explanation, of_pair)
    return KeptPair(shown_pair, different, kinds, placed, outlines)


def _place_flags(lines: Lines, flags: Sequence[Flag]) -> list[tuple[int, str]]:
    """Return the line of each flag, and its text with concepts in place of nodes.

    A triple that the metric's form of the graph does not have is placed at its node.
    """
    placed = []
    for flag in flags:
        source, role, target = flag.triple
        kind = "instance" if role == ":instance" else "attribute"
        if kind == "attribute" and target in lines.nodes:
            kind = "relation"
        line = lines.line(ExplainedTriple(kind, role, source, target))
        ends = lines.concept(source), lines.concept(target) if kind == "relation" else target
        text = target if kind == "instance" else f"{ends[0]} {role} {ends[1]}"
        placed.append((line, f"{flag.kind}: {text}"))
    return placed


def _pack_graphs(systems: Mapping[str, Sequence[KeptPair]], has_triples: bool) -> dict[str, Any]:
    """Return some pairs with each parser as the content of a file."""
    words = Words()
    by_slug = {slug: [pair.shown_pair for pair in pairs] for slug, pairs in systems.items()}
    for slug, pairs in systems.items():
        if any(pair.read for pair in pairs):
            by_slug[READ.format(slug)] = [ShownPair(pair.read) for pair in pairs]
    packed = pack_pairs(by_slug, words)
    different = {}
    if has_triples:
        different = {
            slug: [_flatten(pair, words) for pair in pairs] for slug, pairs in systems.items()
        }
    flags = {
        slug: {str(k): pair.flags for k, pair in enumerate(pairs) if pair.flags}
        for slug, pairs in systems.items()
    }
    return {**packed, "differences": different, "flags": flags, "words": words.texts()}


def _flatten(pair: KeptPair, words: Words) -> dict[str, list[int]] | None:
    """Return what differs as flat numbers, with the kinds of mistakes."""
    if pair.differences is None:
        return None
    marks, lines, extra = pair.differences
    kinds = pair.kinds
    return {
        "marks": [v for m in marks for v in (m.line, m.sign, kinds[m.mistake], words[m.text])],
        "own": [v for o in lines for v in (o.line, o.depth, kinds[o.mistake], words[o.text])],
        "extra": [*extra],
    }


def _list_extra_concepts(mistakes: Sequence[Mistake]) -> list[str]:
    """Return the concepts that only a parse has; triples may also be texts."""
    triples = [m.src[0] for m in mistakes if m.construction == "concept" and not m.tgt]
    return [triple.target for triple in triples]


def kind_code(kind: tuple[str, str]) -> str:
    """Return the name of a kind of mistakes in addresses.

    >>> kind_code(("core role", "wrong"))
    'core-role-wrong'
    """
    return "-".join((kind[0].replace(" ", "-"), kind[1]))
