"""The pairs of a report on parsers: their graphs, alignments and errors, in parts.

A part is a script file ``graphs/<n>`` with the graphs, alignments, matches and differing triples of
`CHUNK` pairs, which the page of sentences loads when it needs them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from amr_metrics.base import ExplainedTriple, Metric, Pair
from amr_metrics.errors import MetricError, NoAlignmentError
from amr_metrics.graphs.graph import Graph
from bamboo.benchmark.sentences import texts_of
from bamboo.evaluation.report import ParserReport
from bamboo.explanation.errors import MEANINGS, TripleError, triple_errors
from bamboo.explanation.outline import outline
from bamboo.pairs.chunks import PairChunk
from bamboo.site.alignments import (
    MISSING,
    AlignedPair,
    aligned_pair,
    explained_form,
    explanations_of,
)
from bamboo.site.folder import SiteFolder
from bamboo.site.shards import CHUNK, explanations, flat, names_in, script
from bamboo.site.titles import unique_slug

KINDS = tuple(MEANINGS)
READ = 10 * CHUNK  # pairs read at a time
EXAMPLES = 3  # of each kind of error

PairSource = Callable[[int], Iterator[PairChunk]]  # yields the pairs of a parser, so many at a time
Chunk = Mapping[str, Sequence[Pair | None]]  # some consecutive pairs of each parser


class Example(NamedTuple):
    """An occurrence of a kind of error.

    Attributes:
        size: number of nodes of the gold graph.
        pair: position of the pair.
        parser: the slug of the parser.
        parse, gold: the triples with the error that only one graph has.
    """

    size: int
    pair: int
    parser: str
    parse: tuple[str, ...]
    gold: tuple[str, ...]


@dataclass
class Collected:
    """What the pages need of all pairs.

    Attributes:
        slugs: the name of each parser in addresses and files.
        ids, sentences: of each pair; None and "" without.
        sizes: the number of nodes of each gold graph; -1 if it is unknown.
        errors: by parser, the number of triples with each kind of error and side, for each pair.
        examples: of each kind of error, in the smallest graphs.
        aligned: whether the metric aligns nodes.
    """

    slugs: Mapping[str, str]
    ids: list[str | None] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    errors: dict[str, list[Counter[tuple[str, int]]]] = field(default_factory=dict)
    examples: dict[str, list[Example]] = field(default_factory=dict)
    aligned: bool = True

    def by_kind(self, parser: str) -> dict[str, dict[str, int]]:
        """Return how many triples of a parser have each kind of error, by the graph with them."""
        total: Counter[tuple[str, int]] = Counter()
        for errors in self.errors.get(parser, ()):
            total.update(errors)
        return {k: {"parse": total[k, 0], "gold": total[k, 1]} for k in KINDS}


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
        _add_sentences(found, chunk, report)
        content = _graphs(number * CHUNK, chunk, metric, report, found)
        folder.write(f"data/graphs/{number}.js", script(f"graphs/{number}", content))
    return found


def _chunks(pairs: Mapping[str, PairSource]) -> Iterator[Chunk]:
    """Yield `CHUNK` pairs of each parser at a time."""
    for read in zip(*(source(READ) for source in pairs.values()), strict=True):
        for first in range(0, len(read[0]), CHUNK):
            chosen = slice(first, first + CHUNK)
            yield {name: [*of.pairs[chosen]] for name, of in zip(pairs, read, strict=True)}


def _add_sentences(found: Collected, chunk: Chunk, report: ParserReport) -> None:
    ids_of = [scores.ids for scores in report.parsers.values()]
    for pairs in zip(*chunk.values(), strict=True):
        k = len(found.ids)
        ids = (all_ids[k] for all_ids in ids_of)
        found.ids.append(next((id for id in ids if id is not None), None))
        read = [pair for pair in pairs if pair is not None]
        texts = [text for pair in read for text in reversed(texts_of(pair)) if text]
        found.sentences.append(texts[0] if texts else "")
        found.sizes.append(len(read[0].tgt.variables) if read else -1)


def _graphs(
    first: int, chunk: Chunk, metric: Metric, report: ParserReport, found: Collected
) -> dict[str, Any]:
    """Return the content of a file of graphs, and collect the errors in it.

    Args:
        first: the position of the first pair.
    """
    words: dict[str, int] = {}
    numbers: dict[tuple[tuple[int, ...], ...], int] = {}  # parsers share graphs
    outlines: dict[str, list[list[int] | None]] = {}
    aligned: dict[str, list[AlignedPair]] = {}
    errors: dict[str, list[list[int]]] = {}
    for name, slug in found.slugs.items():
        forms = _forms(metric, chunk[name])
        outlines[slug] = []
        for form in forms:
            drawn = [] if form is None else [flat(outline(graph), words) for graph in form]
            keys = [tuple(map(tuple, lines)) for lines in drawn]
            both = [numbers.setdefault(key, len(numbers)) for key in keys]
            outlines[slug].append(both or None)
        explained = _explained(metric, chunk[name], forms, report[name].on_error)
        if explained is None:
            found.aligned = False
            continue
        aligned[slug] = [pair for pair, _ in explained]
        errors[slug] = []
        for k, ((_, own), form) in enumerate(zip(explained, forms, strict=True), first):
            texts = [triple_text(e.triple, None if form is None else form[e.side]) for e in own]
            numbered = [words.setdefault(text, len(words)) for text in texts]
            rows = zip(own, numbered, strict=True)
            errors[slug].append([v for e, n in rows for v in (KINDS.index(e.kind), e.side, n)])
            _add_errors(found, k, name, own, texts)
    kinds = {slug: names_in(pair.matches for pair in pairs) for slug, pairs in aligned.items()}
    features = {slug: names_in(pair.effects for pair in pairs) for slug, pairs in aligned.items()}
    return {
        "outlines": list(numbers),
        "pairs": outlines,
        **explanations(aligned, kinds, features),
        "kinds": kinds,
        "features": features,
        "errors": errors,
        "words": list(words),
    }


def _forms(metric: Metric, pairs: Sequence[Pair | None]) -> list[Pair | None]:
    """Return the pairs as the metric explains them."""
    present = [pair for pair in pairs if pair is not None]
    try:
        forms = iter(metric.views(present))
    except MetricError:
        forms = (explained_form(metric, pair) for pair in present)
    return [None if pair is None else next(forms) for pair in pairs]


def _explained(
    metric: Metric, pairs: Sequence[Pair | None], forms: Sequence[Pair | None], on_error: str
) -> list[tuple[AlignedPair, list[TripleError]]] | None:
    """Return the alignment and the errors of each pair; None if the metric aligns no nodes."""
    present = [pair for pair in pairs if pair is not None]
    found = explanations_of(metric, present, on_error, range(len(present)))
    explained: list[tuple[AlignedPair, list[TripleError]]] = []
    try:
        for form in forms:
            explanation = None if form is None else next(found)
            if form is None or explanation is None:
                explained.append((MISSING, []))
            else:
                outlines = outline(form.src), outline(form.tgt)
                aligned = aligned_pair(explanation, outlines)
                explained.append((aligned, triple_errors(explanation)))
    except NoAlignmentError:
        return None
    return explained


def triple_text(triple: ExplainedTriple, graph: Graph | None) -> str:
    """Return a triple with concepts in place of nodes, such as ``want-01 :ARG0 boy``.

    Args:
        graph: the graph that has the triple.
    """
    if graph is None or not isinstance(triple, ExplainedTriple):
        return str(triple)
    ends = [triple.source, *([triple.target] if triple.kind == "relation" else [])]
    if any(node not in graph.positions for node in ends):
        return str(triple)
    first, *others = [graph.concept(node) for node in ends]
    if triple.kind == "instance":
        return first
    if triple.kind == "TOP":
        return f"root {first}"
    roles = {role.lower(): role for _, role, _ in (*graph.relations, *graph.attributes)}
    role = roles.get(triple.role.lower(), triple.role)
    return f"{first} {role} {others[0] if others else triple.target}"


def _add_errors(
    found: Collected, k: int, parser: str, errors: Sequence[TripleError], texts: Sequence[str]
) -> None:
    counts = Counter((error.kind, error.side) for error in errors)
    found.errors.setdefault(parser, []).append(counts)
    for kind in dict.fromkeys(error.kind for error in errors):
        sides = [
            tuple(t for e, t in zip(errors, texts, strict=True) if (e.kind, e.side) == (kind, side))
            for side in (0, 1)
        ]
        example = Example(found.sizes[k], k, found.slugs[parser], sides[0], sides[1])
        examples = [*found.examples.get(kind, ()), example]
        found.examples[kind] = sorted(examples)[:EXAMPLES]
